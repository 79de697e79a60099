"""Explanation of runs' scores on a topic: the ideal ranking beside up to three runs', depth by depth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from collection.models import Run, Study, Topic
from scoring.analysis import explanation
from scoring.board import leaderboard
from scoring.compute.score_breakdown import WITH_PARTS, Parts
from scoring.scores.stored_measures import chosen
from web.coordinator.placements import PlacedItem, named
from web.shared import measure_names
from web.shared.phrases import count

MOST_RUNS = 3
BAR = 100.0


@dataclass(frozen=True)
class ExplainedPlace:
    """An item in one of the two columns, and its rank in the other.

    other: 0 if it is not there, and `note` says why. near: whether that rank is shown, so that it can be
    linked.
    """

    item: PlacedItem
    rank: int
    other: int
    near: bool
    note: str


@dataclass(frozen=True)
class Depth:
    """One depth: the items of the ideal and of the run there, and its contribution."""

    depth: int
    ideal: ExplainedPlace | None
    ranked: ExplainedPlace | None
    adds: float
    bar: str


@dataclass(frozen=True)
class Explained:
    """A run's score on the topic with its depths."""

    run: Run
    parts: Parts
    depths: list[Depth]
    said: str


@dataclass(frozen=True)
class ExplanationChoice:
    """The form's choice: runs, a measure that has parts, and a persistence."""

    runs: list[Run]
    measure: str
    measures: dict[str, measure_names.Titled]
    p: float

    @property
    def title(self) -> str:
        return measure_names.TITLES[self.measure]

    @property
    def slots(self) -> list[Run | None]:
        """A run or None for each field of the form."""
        empty: list[Run | None] = [None] * MOST_RUNS
        return [*self.runs, *empty][:MOST_RUNS]


def asked(query: QueryDict, study: Study, runs: Sequence[Run], p: float) -> ExplanationChoice:
    """The choice of an address; without runs: the best, the median and the last."""
    known = {str(run.pk): run for run in runs}
    wanted = [one for one in query.getlist("run") if one in known]
    if not wanted and not query.getlist("run"):
        led = [str(row.run_id) for row in leaderboard.board(study, p).rows]
        # A run that was loaded a moment ago is in no standing yet.
        led = [one for one in led if one in known] or list(known)
        wanted = [led[0], led[len(led) // 2], led[-1]] if led else []
    own = [name for name in chosen(study.measures) if name in WITH_PARTS] or [WITH_PARTS[0]]
    measure = query.get("measure", "")
    return ExplanationChoice(
        runs=[known[one] for one in dict.fromkeys(wanted)][:MOST_RUNS],
        measure=measure if measure in own else own[0],
        measures={name: measure_names.Titled(measure_names.TITLES[name]) for name in own},
        p=p,
    )


def explained(study: Study, topic: Topic, choice: ExplanationChoice) -> list[Explained]:
    """Break down the scores of the chosen runs."""
    if not choice.runs:
        return []
    found = explanation.run_parts(study, topic, choice.runs, choice.measure, choice.p)
    items = named(topic, {docno for one in found for docno in (*one.ideal, *one.ranking)})
    widest = max((add for one in found for add in one.adds), default=0.0) or 1.0
    return [
        Explained(run, one, _depths(one, items, widest), _said(one))
        for run, one in zip(choice.runs, found, strict=True)
    ]


def _depths(found: Parts, items: dict[str, PlacedItem], widest: float) -> list[Depth]:
    rows = []
    for number in range(1, max(len(found.ideal), len(found.ranking)) + 1):
        ideal = found.ideal[number - 1] if number <= len(found.ideal) else None
        ranked = found.ranking[number - 1] if number <= len(found.ranking) else None
        adds = found.adds[number - 1]
        rows.append(
            Depth(
                number,
                _place(items.get(ideal), number, found.at_run, "not ranked") if ideal else None,
                _place(items.get(ranked), number, found.at_ideal, _unknown(found, ranked))
                if ranked
                else None,
                adds,
                f"{BAR * adds / widest:.1f}",
            )
        )
    return rows


def _place(item: PlacedItem | None, rank: int, at: Mapping[str, int], note: str) -> ExplainedPlace | None:
    if item is None:
        return None
    other = at.get(item.docno, 0)
    return ExplainedPlace(item, rank, other, 0 < other <= explanation.DEPTHS, "" if other else note)


def _unknown(found: Parts, docno: str) -> str:
    return "not in the ideal" if docno in found.known else "unjudged"


def _said(found: Parts) -> str:
    """Say what makes up a run's score."""
    if found.value is None:
        return "No score: nothing is judged for it yet."
    if not found.ranked:
        return "It ranks nothing for this topic, so it scores 0."
    unjudged = sum(docno not in found.known for docno in found.ranking)
    first = len(found.ranking)
    lacks = f"{unjudged:,} of its first {count(first, 'item')} {'is' if unjudged == 1 else 'are'} unjudged."
    if not found.value:
        return f"Nothing of it is in the ideal ranking. {lacks}"
    share = 100 * sum(found.adds[:3]) / found.value
    return f"{share:.0f} % of it comes from the first three depths. {lacks}"
