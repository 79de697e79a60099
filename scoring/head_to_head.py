"""Duels of runs whose items meet directly: Bradley-Terry strengths over a whole study, computed by a job and
kept while nothing has changed.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache

from collection.models import Run, Study, Topic
from judging import ledger
from scoring import child_process, rankings, services, standings
from scoring.stored_measures import CUTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from prefir.measures import Strengths

KEPT_SECONDS = 7 * 86400
ASKED_SECONDS = 600
# Of more runs than these, the best by the leaderboard's first measure meet: pairs grow with their square.
MOST_RUNS = 60
# Topics x runs squared up to which they are computed while a page waits.
AT_ONCE = 2_000


@dataclass(frozen=True)
class Duels:
    """Strengths of runs, by id in the order of `strengths`.

    answers: whether each run has at most one item on each judged topic, as systems that give answers do.
    Else the runs are rankings. A judgment may be a duel of many pairs of runs; it counts once, in parts, so
    that `strengths.duels` is the number of judgments that are one.
    """

    runs: list[int]
    answers: bool
    strengths: "Strengths"

    @property
    def judgments(self) -> int:
        return round(self.strengths.duels)


def runs_of(study: Study) -> list[int]:
    """The runs that meet: all, by name, or the best 60 of the last standing. Two queries at most."""
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
    if len(runs) <= MOST_RUNS:
        return runs
    from scoring import leaderboard

    last = standings.latest(study)
    best = [row.run_id for row in leaderboard.board_of(last, max(CUTS)).rows] if last else runs
    return sorted(best[:MOST_RUNS])


def kept(study: Study, runs: list[int], p: float) -> Duels | None:
    """What was computed, if nothing has changed since. One query."""
    found: Duels | None = cache.get(_key(study, runs, p))
    return found


def is_small(study: Study, runs: list[int]) -> bool:
    """Whether it is computed while a page waits. One query."""
    return Topic.objects.filter(study=study).count() * len(runs) ** 2 <= AT_ONCE


def ask(study: Study, p: float) -> None:
    """Note that somebody wants it, for the job."""
    cache.set(f"duels-asked:{study.pk}", p, timeout=ASKED_SECONDS)


def compute_asked(study: Study) -> None:
    """Compute what was asked for last, if it is not there."""
    p: float | None = cache.get(f"duels-asked:{study.pk}")
    runs = runs_of(study)
    if p is not None and kept(study, runs, p) is None:
        compute(study, runs, p)


def compute(study: Study, runs: list[int], p: float) -> Duels:
    """Compute the strengths and keep them.

    Four statements a topic; time grows with judged pairs x runs squared.
    """
    import numpy as np

    from prefir.measures import bradley_terry, duels_of

    key = _key(study, runs, p)  # before anything is read: never newer than it says
    dated = dict(Run.objects.filter(pk__in=runs).order_by("pk").values_list("pk", "created_at"))
    tables: list[NDArray[np.float64]] = []
    answers = True
    for topic in Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True):
        preferences = ledger.given(topic).scored(kept_only=study.kept_only)
        if not preferences:
            continue
        graph = services.graph_of(preferences)
        ranked = rankings.of_topic(topic, dated)
        answers = answers and all(len(ranked[str(run)]) < 2 for run in runs)
        number = {docno: place for place, docno in enumerate(graph.nodes)}
        tops = [[number.get(docno, -1) for docno in ranked[str(run)][: CUTS[p]]] for run in runs]
        rows = np.array([top + [-1] * (CUTS[p] - len(top)) for top in tops], np.int32)
        found = child_process.call(duels_of, rows, graph, shared=True)
        if len(found):
            tables.append(np.column_stack([np.full(len(found), topic), found]))
    duels = np.concatenate(tables) if tables else np.empty((0, 6))
    result = Duels(runs, answers, child_process.call(bradley_terry, duels, len(runs)))
    cache.set(key, result, timeout=KEPT_SECONDS)
    return result


def _key(study: Study, runs: list[int], p: float) -> str:
    return f"duels:{study.pk}:{hash(tuple(runs))}:{p}:{standings.version(study)}"
