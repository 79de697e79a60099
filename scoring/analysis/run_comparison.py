"""Comparison of runs over a study's topics: two runs, all pairs, measures, a baseline."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

from django.core.cache import cache

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from scoring.analysis.comparison_scores import MeasureScores, read_all, scores_of
from scoring.analysis.further_topics import RunDifference
from scoring.board import standings
from scoring.board.leaderboard import Mean
from scoring.compute import child_process
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import AT_MOST, chosen, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import MeasureComparison, RunComparison, Sensitivity, TukeyTest

KEPT_SECONDS = 600
# Measures are compared while a page waits for so many topics x runs.
AT_ONCE = 50_000


@dataclass(frozen=True)
class TopicGap:
    """A topic on which both runs have a score.

    whole: `topic_weights.settled`. weight: in their means. decides: one of the fewest without which the order
    turns.
    """

    topic: int
    first: float
    second: float
    judgments: int
    whole: bool
    weight: float = 1.0
    decides: bool = False

    @property
    def gap(self) -> float:
        return self.first - self.second


@dataclass(frozen=True)
class ComparedRuns:
    """Two runs compared by one measure.

    topics: those compared, the largest difference first. whole: whether these are only those that the
    measure's means are over (`topic_weights.settled`). of_whole, of_all: the comparison over such topics, and
    over all scored ones. tukey_p, holm_p: corrected for all pairs of runs, None where there is no test;
    tukey_topics: those on which every run has a score. judgments_a_topic: as of `MeasureScores`.
    further: topics of the study that are not among those compared. sure: told apart after Holm's correction,
    by which the leaderboard's ranks are made too. means: of both runs over the topics compared, without
    intervals.
    """

    measure: str
    whole: bool
    means: list[Mean]
    topics: list[TopicGap]
    of_whole: "RunComparison"
    of_all: "RunComparison"
    tukey_p: float | None
    tukey_topics: int
    holm_p: float | None
    runs: int
    further: int
    judgments_a_topic: float
    sure: bool

    @property
    def shown(self) -> "RunComparison":
        return self.of_whole if self.whole else self.of_all

    @property
    def needed_of_all(self) -> float:
        """As `shown.needed`, at the level of Holm's strictest step: 5 % shared among all pairs of runs."""
        from scipy.special import ndtri

        pairs = self.runs * (self.runs - 1) / 2
        grows = (ndtri(1 - 0.025 / pairs) + ndtri(0.8)) / (ndtri(0.975) + ndtri(0.8))
        return float(ceil(self.shown.needed * grows**2))

    @property
    def deciding(self) -> list[TopicGap]:
        return [line for line in self.topics if line.decides]


def compare(
    study: Study, first: int, second: int, measure: str, p: float, whole: bool | None, group: str = ""
) -> ComparedRuns:
    """Compare two runs, by id. whole: only topics that the measure's means are over
    (`topic_weights.settled`); None: as the leaderboard does, so if two topics at least are whole. Else topics
    count by their weights. group: `column:value` of the topics that are compared; "" for all.

    Six queries, one more for a group, and more where scores have changed since the process read them last
    (`score_tables.read`). The tests of all pairs take time that grows with topics and the square of the runs;
    they are kept while no score changes.
    """
    import numpy as np

    scores = scores_of(study, measure, p, group)
    one, two = (scores.values[:, scores.runs.index(run)] for run in (first, second))
    there = ~np.isnan(one - two)
    full = there & scores.whole
    whole = scores.some if whole is None else whole
    version = standings.version(study)
    test, pairs = _of_all_pairs(study, scores, measure, p, whole, version)
    places = scores.runs.index(first), scores.runs.index(second)
    of_whole, of_all = _of_two(study, scores, measure, p, version, places)
    lines = [
        TopicGap(
            topic=scores.topics[i],
            first=float(one[i]),
            second=float(two[i]),
            judgments=scores.judgments[i],
            whole=bool(scores.whole[i]),
            weight=float(scores.weights[i]),
        )
        for i in np.flatnonzero(full if whole else there)
    ]
    return ComparedRuns(
        measure=measure,
        whole=whole,
        means=_means(scores, measure, list(places), full if whole else there),
        topics=_with_deciding(sorted(lines, key=lambda line: (-line.gap, line.topic))),
        of_whole=of_whole,
        of_all=of_all,
        tukey_p=_number(test.p_value(*places)),
        tukey_topics=test.topics,
        holm_p=_number(float(pairs.holm_p_values[places])),
        runs=len(scores.runs),
        further=len(scores.topics) - len(lines),
        judgments_a_topic=scores.judgments_a_topic,
        sure=bool(pairs.sure()[places]),
    )


def difference_of(study: Study, first: int, second: int) -> RunDifference | None:
    """The difference of two runs as the page of two shows it by the study's first measure; None below two
    topics.
    """
    from prefir.measures import compare_runs

    measure = chosen(study.measures)[0]
    scores = scores_of(study, measure, study.persistence)
    places = scores.runs.index(first), scores.runs.index(second)
    values, weights = scores.of(scores.some)
    found = compare_runs(values[:, places[0]], values[:, places[1]], weights=weights, samples=1)
    if found.topics < 2:
        return None
    return RunDifference(
        first=first,
        second=second,
        measure=measure,
        difference=found.difference,
        low=found.low,
        high=found.high,
        level=0.95,
        compared=scores.compared(*places),
        judgments_a_topic=scores.judgments_a_topic,
    )


def _means(scores: MeasureScores, measure: str, places: list[int], among: "NDArray[np.bool_]") -> list[Mean]:
    """Means of these runs over some topics, on which both have a value, with their ceilings."""
    if not among.any():
        return []
    values, weights = scores.values[among][:, places], scores.weights[among]
    ceilings = standings.mean_ceilings(values, weights, scores.ceilings[among]).tolist()
    return [
        Mean(value, None, None, int(among.sum()), None, _number(most), measure in AT_MOST)
        for value, most in zip((weights @ values / weights.sum()).tolist(), ceilings, strict=True)
    ]


def too_few(topics: int) -> bool:
    """Tell whether there are too few topics to call any difference significant."""
    from prefir.measures.significance import enough_topics

    return not enough_topics(topics)


def _number(value: float) -> float | None:
    return None if value != value else value


def _with_deciding(lines: Sequence[TopicGap]) -> list[TopicGap]:
    """Mark the fewest topics without which the leading run would not lead."""
    left = sum(line.weight * line.gap for line in lines)
    ahead = 1 if left > 0 else -1
    marked = set()
    for line in sorted(lines, key=lambda line: -ahead * line.weight * line.gap):
        # Sums of the same numbers in another order may differ by rounding.
        if ahead * left <= 1e-12 or ahead * line.gap <= 0:
            break
        marked.add(line.topic)
        left -= line.weight * line.gap
    return [replace(line, decides=line.topic in marked) for line in lines]


def _key(name: str, study: Study, scores: MeasureScores, *asked: object) -> str:
    """Key of a result of these topics, whichever group they are of."""
    topics = hashlib.sha256(repr(scores.topics).encode()).hexdigest()[:16]
    return ":".join(map(str, (name, study.pk, *asked, topics)))


def _of_two(
    study: Study, scores: MeasureScores, measure: str, p: float, version: str, places: tuple[int, int]
) -> "tuple[RunComparison, RunComparison]":
    """Two runs over the topics that means are over, and over all; cached while no score changes."""
    import numpy as np

    from prefir.measures import compare_runs

    key = _key("two-by-weight", study, scores, measure, options(p), version, *places)
    found: Any = cache.get(key)
    if found is None:
        one, two = scores.values[:, places[0]], scores.values[:, places[1]]
        there = ~np.isnan(one - two)
        masks = there & scores.whole, there
        own = [
            compare_runs(one[mask], two[mask], weights=scores.weights[mask])
            for mask in (masks[:1] if np.array_equal(*masks) else masks)
        ]
        found = own[0], own[-1]
        cache.set(key, found, timeout=KEPT_SECONDS)
    both: tuple[RunComparison, RunComparison] = found
    return both


def _of_all_pairs(
    study: Study, scores: MeasureScores, measure: str, p: float, whole: bool, version: str
) -> "tuple[TukeyTest, Sensitivity]":
    """Tukey's test and the t-tests of all pairs, cached while no score changes."""
    from prefir.measures import sensitivity, tukey_test

    key = _key("pairs-by-weight", study, scores, measure, options(p), whole, version)
    found: Any = cache.get(key)
    if found is None:
        values, weights = scores.of(whole)
        found = (
            child_process.call(tukey_test, values),
            child_process.call(sensitivity, values, weights=weights),
        )
        cache.set(key, found, timeout=KEPT_SECONDS)
    tests: tuple[TukeyTest, Sensitivity] = found
    return tests


@dataclass(frozen=True)
class AllPairs:
    """All pairs of a study's runs by one measure, the runs by id, the highest mean first.

    whole: as in `ComparedRuns`; topics: those with a score of any run. pairs, told: how many pairs of runs
    could be tested, and how many of these are told apart after Holm's correction. means, ceilings: by run,
    None if unknown.
    """

    runs: list[int]
    whole: bool
    topics: int
    pairs: int
    told: int
    means: Mapping[int, float | None]
    ceilings: Mapping[int, float | None]
    _places: dict[int, int]
    _gaps: "NDArray[np.float64]"
    _sure: "NDArray[np.bool_]"

    def difference(self, first: int, second: int) -> float | None:
        """Mean difference of two runs over the topics that both have; None without any."""
        return (
            _number(float(self._gaps[self._places[first], self._places[second]])) if first != second else None
        )

    def sure(self, first: int, second: int) -> bool:
        """Whether two runs differ significantly after Holm's correction for all pairs."""
        return bool(self._sure[self._places[first], self._places[second]])

    def told_from(self, run: int) -> int:
        """From how many others a run differs significantly."""
        return int(self._sure[self._places[run]].sum())


def all_pairs(study: Study, measure: str, p: float, whole: bool | None, group: str = "") -> AllPairs:
    """Compare all pairs of a study's runs. group: as in `compare`."""
    import numpy as np

    scores = scores_of(study, measure, p, group)
    whole = scores.some if whole is None else whole
    values, weights = scores.of(whole)
    _, found = _of_all_pairs(study, scores, measure, p, whole, standings.version(study))
    there = ~np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = weights @ np.where(there, values, 0.0) / (weights @ there)
    order = np.argsort(-np.nan_to_num(means, nan=-1.0), kind="stable")
    most = standings.mean_ceilings(
        values, weights, scores.ceilings[scores.whole] if whole else scores.ceilings
    )
    return AllPairs(
        runs=[scores.runs[i] for i in order],
        whole=whole,
        topics=int(there.any(axis=1).sum()),
        pairs=found.pairs,
        told=int(found.sure().sum()) // 2,
        means=dict(zip(scores.runs, map(_number, means.tolist()), strict=True)),
        ceilings=dict(zip(scores.runs, map(_number, most.tolist()), strict=True)),
        _places={run: i for i, run in enumerate(scores.runs)},
        _gaps=found.differences,
        _sure=found.sure(),
    )


@dataclass(frozen=True)
class TopicStats:
    """Statistics of a topic beside the other topics (`prefir.measures.topic_figures`); None if undefined.

    gap: by how much the first of two runs is above the second.
    """

    mean: float | None
    spread: float | None
    agreement: float | None
    gap: float | None = None


def of_topics(
    study: Study, measure: str, p: float, group: str = "", pair: Sequence[int] = ()
) -> dict[int, TopicStats]:
    """Statistics of every topic of a study, or of a group of them, by id, in the order of their names.

    pair: ids of the two runs whose gap is told; () for none.
    """
    from prefir.measures import topic_figures

    scores = scores_of(study, measure, p, group)
    found = topic_figures(scores.values)
    columns = [found.means.tolist(), found.spreads.tolist(), found.agreements.tolist()]
    if pair:
        one, other = (scores.values[:, scores.runs.index(run)] for run in pair)
        columns.append((one - other).tolist())
    rows = zip(*columns, strict=True)
    return {topic: TopicStats(*map(_number, row)) for topic, row in zip(scores.topics, rows, strict=True)}


@dataclass(frozen=True)
class MeasureFigures:
    """A measure at one persistence: the shares of the pairs of runs that it tells apart by the paired t-test
    at the 5 % level, plain and corrected; None where no pair can be tested. topics: that its means are over.
    """

    measure: str
    p: float
    topics: int
    share: float | None
    holm: float | None
    bonferroni: float | None


@dataclass(frozen=True)
class Measures:
    """The measures of a study compared. topics, runs: over how many; pairs: of runs, tested.

    taus: Kendall's tau-b between the orders in which two of `figures` rank the runs by their means, by place;
    None where a mean is absent or all are equal. names: of the runs; means: of each of `figures`, the runs'
    in this order, nan where absent.
    """

    whole: bool
    topics: int
    runs: int
    pairs: int
    figures: list[MeasureFigures]
    taus: list[list[float | None]]
    names: list[str]
    means: list[list[float]]


def _version(study: Study) -> str:
    return f"{'.'.join(chosen(study.measures))}.{standings.version(study)}"


def _is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() * Run.objects.filter(study=study).count() <= AT_ONCE


def _compared(study: Study, _: Progress, whole: bool | None) -> Measures:
    """Compare the measures that are stored, at each persistence: sensitivity and consistency.

    Queries as of `compare`; time grows with measures x topics x runs squared.
    """
    import numpy as np

    from prefir.measures import compare_measures

    named = dict(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    runs = list(named)
    columns = columns_of(chosen(study.measures))
    read = read_all(study, runs)
    whole = read.some if whole is None else whole
    values = read.table.values
    if whole and values.size:
        kept = np.stack([read.whole[measure] for measure, _ in columns])
        values = np.where(kept[:, :, None], values, np.nan)
    compared: MeasureComparison = child_process.call(compare_measures, values, weights=read.weights)
    figures = [
        MeasureFigures(
            measure,
            float(option.removeprefix("p=")),
            int((~np.isnan(own)).any(axis=1).sum()),
            _number(one.share),
            _number(one.holm),
            _number(one.bonferroni),
        )
        for (measure, option), one, own in zip(columns, compared.sensitivities, values, strict=True)
    ]
    scored = ~np.isnan(values).all(axis=(0, 2)) if values.size else np.zeros(0, dtype=bool)
    return Measures(
        whole=whole,
        topics=int(scored.sum()),
        runs=len(runs),
        pairs=max((one.pairs for one in compared.sensitivities), default=0),
        figures=figures,
        taus=[[_number(tau) for tau in row] for row in compared.taus.tolist()],
        names=list(named.values()),
        means=compared.means.tolist(),
    )


# whole: as of `compare`.
MEASURES = CachedResult("measures", version=_version, compute=_compared, is_small=_is_small)


@dataclass(frozen=True)
class ToBaseline:
    """A run compared with the baseline; parts are None if undefined. ceiling: of its mean.

    wins, losses: topics on which it is higher and lower. sure: whether the difference is significant after
    Holm's correction for all runs.
    """

    run: int
    mean: float | None
    topics: int
    wins: int
    losses: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    holm_p_value: float | None
    sure: bool
    ceiling: float | None = None


def to_baseline(
    study: Study, baseline: int, measure: str, p: float, whole: bool | None, group: str = ""
) -> tuple[bool, list[ToBaseline]]:
    """Compare every run with one of them, by id; whether over whole topics alone, and the runs, best first.

    whole, group: as of `compare`. Queries as of `compare`; time grows with topics x runs.
    """
    import numpy as np

    from prefir.measures import compare_to_baseline

    scores = scores_of(study, measure, p, group)
    whole = scores.some if whole is None else whole
    values, weights = scores.of(whole)
    found = compare_to_baseline(values, scores.runs.index(baseline), weights=weights)
    there = ~np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = weights @ np.where(there, values, 0.0) / (weights @ there)
    columns = [means, found.differences, found.lows, found.highs, found.p_values, found.holm_p_values]
    most = standings.mean_ceilings(values, weights, scores.ceilings_of(whole)).tolist()
    lines, sure = [], found.sure()
    for place, (run, parts) in enumerate(zip(scores.runs, zip(*columns, strict=True), strict=True)):
        mean, gap, low, high, plain, holm = (_number(float(part)) for part in parts)
        topics, wins, losses = (int(column[place]) for column in (found.topics, found.wins, found.losses))
        lines.append(
            ToBaseline(
                *(run, mean, topics, wins, losses, gap, low, high, plain, holm),
                sure=bool(sure[place]),
                ceiling=_number(most[place]),
            )
        )
    return whole, sorted(lines, key=lambda line: (line.mean is None, -(line.mean or 0.0)))
