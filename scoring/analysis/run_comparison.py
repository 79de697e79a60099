"""Comparison of runs over a study's topics: two of them, and all with a baseline."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.core.cache import cache

from collection.models import Study
from scoring.analysis.all_pairs import tests_of_all_pairs
from scoring.analysis.comparison_scores import (
    KEPT_SECONDS,
    MeasureScores,
    key_of,
    number_or_none,
    scores_of,
)
from scoring.analysis.further_topics import RunDifference
from scoring.board import standings
from scoring.board.leaderboard import Mean
from scoring.scores.stored_measures import AT_MOST, chosen, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import RunComparison


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
    by which the leaderboard's ranks are made too. alone: whether one of the two has scores on further such
    topics, which its mean on the leaderboard is over too. means: of both runs over the topics compared,
    without intervals.
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
    alone: bool = False

    @property
    def shown(self) -> "RunComparison":
        return self.of_whole if self.whole else self.of_all

    @property
    def needed_of_all(self) -> float:
        """As `shown.needed`, at the level of Holm's strictest step: 5 % shared among all pairs of runs."""
        from prefir.measures import topics_needed

        return topics_needed(self.shown.effect, level=0.05 / (self.runs * (self.runs - 1) / 2))

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
    test, pairs = tests_of_all_pairs(study, scores, measure, p, whole, version)
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
        tukey_p=number_or_none(test.p_value(*places)),
        tukey_topics=test.topics,
        holm_p=number_or_none(float(pairs.holm_p_values[places])),
        runs=len(scores.runs),
        further=len(scores.topics) - len(lines),
        judgments_a_topic=scores.judgments_a_topic,
        sure=bool(pairs.sure()[places]),
        alone=bool(((np.isnan(one) ^ np.isnan(two)) & (scores.whole | (not whole))).any()),
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
        Mean(value, None, None, int(among.sum()), None, number_or_none(most), measure in AT_MOST)
        for value, most in zip((weights @ values / weights.sum()).tolist(), ceilings, strict=True)
    ]


def too_few(topics: int) -> bool:
    """Tell whether there are too few topics to call any difference significant."""
    from prefir.measures.significance import enough_topics

    return not enough_topics(topics)


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


def _of_two(
    study: Study, scores: MeasureScores, measure: str, p: float, version: str, places: tuple[int, int]
) -> "tuple[RunComparison, RunComparison]":
    """Two runs over the topics that means are over, and over all; cached while no score changes."""
    import numpy as np

    from prefir.measures import compare_runs

    key = key_of("two-by-weight", study, scores, measure, options(p), version, *places)
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


@dataclass(frozen=True)
class ToBaseline:
    """A run compared with the baseline; parts are None if undefined. ceiling: of its mean.

    wins, losses: topics on which it is higher and lower. low, high: the interval at the level of its step of
    Holm's correction for all runs. sure: whether the difference is significant after that correction.
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
        mean, gap, low, high, plain, holm = (number_or_none(float(part)) for part in parts)
        topics, wins, losses = (int(column[place]) for column in (found.topics, found.wins, found.losses))
        lines.append(
            ToBaseline(
                *(run, mean, topics, wins, losses, gap, low, high, plain, holm),
                sure=bool(sure[place]),
                ceiling=number_or_none(most[place]),
            )
        )
    return whole, sorted(lines, key=lambda line: (line.mean is None, -(line.mean or 0.0)))
