"""Profile of a run: where it wins and loses against the other runs, what costs it most, and which runs it
cannot be told from. Cached.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from django.core.cache import cache

from collection.models import Item, Placement, Run, Study, Topic
from judging import ledger
from judging.models import COUNTING, Assignment, Judgment, QuestionRole
from judging.tasks import KINDS
from scoring.analysis import all_pairs, run_comparison, topic_filter, topic_groups
from scoring.analysis.comparison_scores import MeasureScores, scores_of
from scoring.analysis.item_costs import ItemCost, item_costs
from scoring.board import standings
from scoring.compute.medians import beside
from scoring.scores import rankings
from scoring.scores.stored_measures import CUTS
from scoring.scores.topic_scores import graph_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_SECONDS = 3600
# Topics that are shown as the best, and as the worst.
TOPICS = 5
# Columns of groups that are shown, and answers that beat a model on a prompt.
COLUMNS, BEATEN_BY = 3, 3


@dataclass(frozen=True)
class TopicBeside:
    """A run's score on a topic beside the median of the others. judgments: that the score rests on."""

    topic: int
    value: float
    middle: float
    judgments: int

    @property
    def gap(self) -> float:
        return self.value - self.middle


@dataclass(frozen=True)
class Neighbour:
    """Another run from which a run does not differ significantly; difference: the run's mean less its."""

    run: int
    difference: float


@dataclass(frozen=True)
class BeatenBy:
    """An answer of others that was preferred to a model's answer on a prompt.

    item, answer: ids of the model's own item and of the other. runs: those that gave it. won, lost: judgments
    between the two that prefer the model's own, and the other.
    """

    item: int
    answer: int
    runs: tuple[int, ...]
    won: int
    lost: int


@dataclass(frozen=True)
class GroupBeside:
    """A run's mean over a group of topics, with its interval, beside the median of the others."""

    name: str
    topics: int
    mean: float
    low: float | None
    high: float | None
    middle: float | None


@dataclass(frozen=True)
class JudgedShare:
    """How many of a run's first `depth` items on the topics with a score are there, and judged.

    judged: in a judgment that counts. graded: of the others, those with a grade.
    """

    depth: int
    items: int
    judged: int
    graded: int


@dataclass(frozen=True)
class RunProfile:
    """A run by one measure, over the topics that means are over.

    whole: as in `run_comparison.ComparedRuns`. topics: those on which it has a score; higher: of these, those
    on which it is above the median, of `compared` that have one. best, worst: by the difference from the
    median, the largest first; of a run that is never below it, `worst` are further topics, those where it is
    least above. costs, beaten: of the worst topics, by id. items: ids by topic and docno, of those that
    `costs` names. neighbours: the nearest means first. too_few: whether there are too few topics for any
    difference to be significant. groups: by column.
    """

    whole: bool
    topics: int
    compared: int
    higher: int
    best: list[TopicBeside]
    worst: list[TopicBeside]
    costs: Mapping[int, list[ItemCost]]
    beaten: Mapping[int, list[BeatenBy]]
    items: Mapping[tuple[int, str], int]
    neighbours: list[Neighbour]
    too_few: bool
    groups: Mapping[str, list[GroupBeside]]
    judged: JudgedShare

    @property
    def is_below(self) -> bool:
        """Whether it is below the median on any topic."""
        return bool(self.worst) and self.worst[0].gap < 0


def profile(
    study: Study, run: Run, measure: str, p: float, whole: bool | None, own: Sequence[int] | None = None
) -> RunProfile:
    """Profile a run, by default over the topics that the leaderboard's means are over.

    own: ids of a participant's runs, for whom medians are those that `medians.beside` tells, and nothing
    names another run. Queries do not grow with topics or runs; time grows with topics x runs, and runs
    squared. Kept while no score changes.
    """
    asked = repr((run.pk, measure, p, whole, own, standings.version(study))).encode()
    key = f"run-profile:{study.pk}:{hashlib.sha256(asked).hexdigest()}"
    found: RunProfile | None = cache.get(key)
    if found is None:
        found = _profile(study, run, measure, p, whole, own)
        cache.set(key, found, timeout=KEPT_SECONDS)
    return found


def _profile(
    study: Study, run: Run, measure: str, p: float, whole: bool | None, own: Sequence[int] | None
) -> RunProfile:
    scores = scores_of(study, measure, p)
    whole = scores.some if whole is None else whole
    place = scores.runs.index(run.pk)
    lines, scored = _beside(scores, whole, place, own)
    best = sorted((one for one in lines if one.gap > 0), key=lambda one: (-one.gap, one.topic))[:TOPICS]
    # Of a run that is never below the median, those where it is least above it.
    below = [one for one in lines if one.gap < 0] or [one for one in lines if one not in best]
    worst = sorted(below, key=lambda one: (one.gap, one.topic))[:TOPICS]
    lost = list(Topic.objects.filter(pk__in=[one.topic for one in worst]))
    answers = study.case == Study.Case.ANSWERS
    costs = {} if answers else {one.pk: item_costs(study, one, run, measure, p) for one in lost}
    beaten = {one.pk: _beaten(study, one, run) for one in lost} if answers and own is None else {}
    return RunProfile(
        whole=whole,
        topics=len(scored),
        compared=len(lines),
        higher=sum(one.gap > 0 for one in lines),
        best=best,
        worst=worst,
        costs=costs,
        beaten=beaten,
        items=_items(costs),
        neighbours=_neighbours(study, run, measure, p, whole) if own is None else [],
        too_few=run_comparison.too_few(len(scored)),
        groups=_groups(study, run, measure, p, own),
        judged=_judged(study, run, scored, CUTS[p]),
    )


def _middle(values: Mapping[int, float | None], run: int, own: Sequence[int] | None) -> float | None:
    """The median of the other runs; for a participant of all runs, as `medians.beside` tells it."""
    if own is not None:
        return beside(values, own).median
    others = [value for other, value in values.items() if other != run and value is not None]
    return median(others) if others else None


def _beside(
    scores: MeasureScores, whole: bool, place: int, own: Sequence[int] | None
) -> tuple[list[TopicBeside], list[int]]:
    """Return the topics on which both the run and the median are there, and all on which the run is."""
    found, scored = [], []
    for topic, row, judgments, full in zip(
        scores.topics, scores.values, scores.judgments, scores.whole, strict=True
    ):
        if (whole and not full) or row[place] != row[place]:
            continue
        scored.append(topic)
        middle = _middle(_by_run(scores.runs, row), scores.runs[place], own)
        if middle is not None:
            found.append(TopicBeside(topic, float(row[place]), middle, judgments))
    return found, scored


def _by_run(runs: Sequence[int], row: "NDArray") -> dict[int, float | None]:
    return {run: None if value != value else value for run, value in zip(runs, row.tolist(), strict=True)}


def _items(costs: Mapping[int, list[ItemCost]]) -> dict[tuple[int, str], int]:
    docnos = {docno for own in costs.values() for one in own for docno in (one.docno, one.better)}
    rows = Item.objects.filter(topic__in=list(costs), docno__in=docnos)
    return {(topic, docno): pk for topic, docno, pk in rows.values_list("topic_id", "docno", "pk")}


def _neighbours(study: Study, run: Run, measure: str, p: float, whole: bool) -> list[Neighbour]:
    pairs = all_pairs.compare(study, measure, p, whole)
    found = [
        Neighbour(other, gap)
        for other in pairs.runs
        if (gap := pairs.difference(run.pk, other)) is not None and not pairs.sure(run.pk, other)
    ]
    return sorted(found, key=lambda one: abs(one.difference))


def _beaten(study: Study, topic: Topic, run: Run) -> list[BeatenBy]:
    """The answers that were preferred to the model's on a prompt, the clearest first."""
    dated = dict(Run.objects.filter(study=study).order_by("pk").values_list("pk", "created_at"))
    ranked = rankings.of_topic(topic.pk, dated)
    own = ranked[str(run.pk)][:1]
    graph = graph_of(ledger.given(topic.pk).scored(kept_only=study.kept_only))
    lost = [
        (graph.times(docno, own[0]) - graph.times(own[0], docno), docno)
        for docno in graph.nodes
        if own and docno != own[0]
    ]
    clearest = [docno for gap, docno in sorted(lost, key=lambda one: -one[0]) if gap > 0][:BEATEN_BY]
    items = dict(Item.objects.filter(topic=topic, docno__in=own + clearest).values_list("docno", "pk"))
    return [
        BeatenBy(
            items[own[0]],
            items[docno],
            tuple(other for other in dated if ranked[str(other)][:1] == [docno]),
            graph.times(own[0], docno),
            graph.times(docno, own[0]),
        )
        for docno in clearest
    ]


def _groups(
    study: Study, run: Run, measure: str, p: float, own: Sequence[int] | None
) -> dict[str, list[GroupBeside]]:
    found: dict[str, list[GroupBeside]] = {}
    for column in topic_filter.group_columns(study)[:COLUMNS]:
        compared = topic_groups.compare_groups(study, column, measure, p)
        if compared is None:
            continue
        place = compared.runs.index(run.pk)
        found[column] = [
            GroupBeside(
                group.name,
                group.topics,
                mean,
                group.lows[place],
                group.highs[place],
                _middle(dict(zip(compared.runs, group.means, strict=True)), run.pk, own),
            )
            for group in compared.groups
            if (mean := group.means[place]) is not None
        ]
    return found


def _judged(study: Study, run: Run, topics: Sequence[int], depth: int) -> JudgedShare:
    """Count what of the run's first items is judged. Two queries, one more where scores have changed."""
    judged = _judged_items(study)
    rows = Placement.objects.filter(run=run, topic__in=topics, rank__lte=depth)
    items = list(rows.values_list("item_id", "item__grade__value"))
    return JudgedShare(
        depth,
        len(items),
        sum(item in judged for item, _ in items),
        sum(item not in judged and grade is not None for item, grade in items),
    )


def _judged_items(study: Study) -> set[int]:
    """Items of a study in a judgment that counts; cached for all its runs while no score changes.

    Time grows with the judgments: the rows are read by the database, and one of each question here.
    """
    key = f"judged-items:{study.pk}:{study.kept_only}:{standings.version(study)}"
    found: set[int] | None = cache.get(key)
    if found is not None:
        return found
    answers = Judgment.objects.first_rows().filter(
        topic__study=study,
        role=QuestionRole.COUNTS,
        assignment__state__in=[Assignment.State.KEPT] if study.kept_only else COUNTING,
        assignment__assessor__excluded_at=None,
        assignment__task__kind__in=[name for name, kind in KINDS.items() if kind.about == "item"],
    )
    keys = answers.order_by().values_list("question__key", flat=True).distinct()
    found = {int(item) for one in keys for item in one.split()}
    cache.set(key, found, timeout=KEPT_SECONDS)
    return found


def shown_twice(run: Run, depth: int, groups: Mapping[int, Sequence[Sequence[int]]]) -> dict[int, list[int]]:
    """Items of which the run shows a copy higher up among its first `depth`: ids by topic.

    groups: by topic, the ids of items that show the same.
    """
    rows = Placement.objects.filter(run=run, topic__in=list(groups), rank__lte=depth).order_by("rank")
    shown: dict[int, list[int]] = {}
    for topic, item in rows.values_list("topic_id", "item_id"):
        shown.setdefault(topic, []).append(item)
    found = {
        topic: [item for same in groups[topic] for item in [one for one in own if one in same][1:]]
        for topic, own in shown.items()
    }
    return {topic: items for topic, items in found.items() if items}
