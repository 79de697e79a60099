"""Head to head: Bradley-Terry strengths of runs whose items are compared directly. Cached."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import F, Q

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study, Topic
from judging import ledger
from judging.models import Judgment, Subject
from scoring.board import standings
from scoring.compute import child_process
from scoring.scores import rankings, topic_scores
from scoring.scores.stored_measures import CUTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import PreferenceGraph, Strengths

# Of more runs than these, the best by the leaderboard's first measure meet: pairs grow with their square.
MOST_RUNS = 60
# Topics x runs squared up to which they are computed while a page waits.
AT_ONCE = 2_000


class Tally(NamedTuple):
    """How often a run was preferred to another, the other to it, and neither."""

    won: int
    lost: int
    tied: int


@dataclass(frozen=True)
class Duels:
    """Strengths of runs, by id in the order of `strengths`.

    answers: whether each run has at most one item on each judged topic, as systems that give answers do.
    Else the runs are rankings. A judgment may be a duel of many pairs of runs; it counts once, in parts, so
    that `strengths.duels` is the number of judgments that are one.
    tallies: of answers, by the places of two runs, the smaller first; not those that never met.
    """

    runs: list[int]
    answers: bool
    strengths: "Strengths"
    tallies: dict[tuple[int, int], Tally] = field(default_factory=dict)

    @property
    def judgments(self) -> int:
        return round(self.strengths.duels)

    def tally(self, first: int, second: int) -> Tally:
        """Of two runs, by id, the first's own tally against the second."""
        one, other = self.runs.index(first), self.runs.index(second)
        won, lost, tied = self.tallies.get((min(one, other), max(one, other)), Tally(0, 0, 0))
        return Tally(won, lost, tied) if one < other else Tally(lost, won, tied)


def runs_of(study: Study) -> list[int]:
    """The compared runs by name: all, or the best 60 of the last standing."""
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
    if len(runs) <= MOST_RUNS:
        return runs
    from scoring.board import leaderboard

    last = standings.latest(study)
    best = [row.run_id for row in leaderboard.board_of(last, max(CUTS)).rows] if last else runs
    return sorted(best[:MOST_RUNS])


def have_met(study: Study, first: int, other: int) -> bool:
    """Whether a judgment that is scored is between items of two runs. One query."""
    judgments = Judgment.objects.settled() if study.kept_only else Judgment.objects.counting()
    # Of an item that both have, no judgment says which run is preferred.
    item, beside = F("item"), "question__subjects__item"
    between = Subject.objects.filter(
        Q(**{f"{beside}__lt": item}) | Q(**{f"{beside}__gt": item}),
        **{"item__placements__run": first, f"{beside}__placements__run": other},
    )
    return judgments.filter(topic__study=study, question__in=between.values("question")).exists()


def version(study: Study) -> str:
    return f"{runs_of(study)}.{standings.version(study)}"


def is_small(study: Study) -> bool:
    return Topic.objects.filter(study=study).count() * len(runs_of(study)) ** 2 <= AT_ONCE


def _compute(study: Study, progress: Progress, p: float) -> Duels:
    """Compute the strengths. Time grows with judged pairs x runs squared."""
    import numpy as np

    from prefir.measures import bradley_terry, duels_of

    runs = runs_of(study)
    tables: list[NDArray[np.float64]] = []
    answers = True
    for judged in judged_topics(study, runs, CUTS[p], progress):
        answers = answers and judged.single
        found = child_process.call(duels_of, judged.rows, judged.graph, shared=True)
        if len(found):
            tables.append(np.column_stack([np.full(len(found), judged.topic), found]))
    duels = np.concatenate(tables) if tables else np.empty((0, 6))
    strengths = child_process.call(bradley_terry, duels, len(runs))
    return Duels(runs, answers, strengths, tallied(duels) if answers else {})


def tallied(duels: "NDArray[np.float64]") -> dict[tuple[int, int], Tally]:
    """Add up the rows of `bradley_terry` (topic, first, second, won, lost, tied) over topics."""
    found: dict[tuple[int, int], Tally] = {}
    for _, first, second, *given in duels.tolist():
        before = found.get((int(first), int(second)), Tally(0, 0, 0))
        found[int(first), int(second)] = Tally(*(round(a + b) for a, b in zip(before, given, strict=True)))
    return found


class JudgedTopic(NamedTuple):
    """A topic with judgments: their graph, and the first items of each run by their place in its nodes.

    single: whether no run has more than one item.
    """

    topic: int
    graph: "PreferenceGraph"
    rows: "NDArray[np.int32]"
    single: bool


def judged_topics(study: Study, runs: list[int], cut: int, progress: Progress) -> Iterator[JudgedTopic]:
    """The topics of a study that have judgments that are scored. Five queries each, at most."""
    dated = dict(Run.objects.filter(pk__in=runs).order_by("pk").values_list("pk", "created_at"))
    topics = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
    for done, topic in enumerate(topics):
        progress(done, len(topics))
        preferences = ledger.given(topic).scored(kept_only=study.kept_only)
        if not preferences:
            continue
        ranked = rankings.of_topic(topic, dated)
        graph = topic_scores.graph_of(preferences)
        single = all(len(ranked[str(run)]) < 2 for run in runs)
        yield JudgedTopic(topic, graph, rows_of(graph, ranked, runs, cut), single)


def rows_of(
    graph: "PreferenceGraph", ranked: rankings.Ranked, runs: list[int], cut: int
) -> "NDArray[np.int32]":
    """The first items of each run by their place in the graph's nodes, as `duels_of` takes them."""
    import numpy as np

    number = {docno: place for place, docno in enumerate(graph.nodes)}
    tops = [[number.get(docno, -1) for docno in ranked[str(run)][:cut]] for run in runs]
    return np.array([top + [-1] * (cut - len(top)) for top in tops], np.int32)


# Of a persistence: the cut that goes with it.
STRENGTHS = CachedResult("strengths", version=version, compute=_compute, is_small=is_small)
