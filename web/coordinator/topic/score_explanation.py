"""The explanation of scores on a topic: the ideal ranking beside those of up to three runs, by depth."""

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
from web.shared.view_choices import choice_of, pins_of

MOST_RUNS = 3
BAR = 100.0


@dataclass(frozen=True)
class ExplainedPlace:
    """An item in one of the two rankings, with its rank in the other.

    other: that rank, 0 if it has none; `note` says why. near: whether that rank is shown and can be linked.
    """

    item: PlacedItem
    rank: int
    other: int
    near: bool
    note: str


@dataclass(frozen=True)
class Depth:
    """One depth: the items of the ideal ranking and of the run there, and what it adds to the score."""

    depth: int
    ideal: ExplainedPlace | None
    ranked: ExplainedPlace | None
    adds: float
    bar: str


@dataclass(frozen=True)
class Explained:
    """A run's score on the topic, depth by depth."""

    run: Run
    parts: Parts
    depths: list[Depth]
    said: str

    @property
    def is_limited(self) -> bool:
        """Whether no ranking could have 1 on this topic."""
        return leaderboard.shows_ceiling(self.parts.ceiling)

    @property
    def of_possible(self) -> float | None:
        """How much of the best possible score the run has, in per cent."""
        value, most = self.parts.value, self.parts.ceiling
        return 100 * value / most if value is not None and most else None


@dataclass(frozen=True)
class ExplanationChoice:
    """What the form asks for: runs, a measure that has parts, and a persistence."""

    runs: list[Run]
    measure: str
    measures: dict[str, measure_names.Titled]
    p: float

    @property
    def title(self) -> str:
        return measure_names.TITLES[self.measure]

    @property
    def slots(self) -> list[Run | None]:
        """The runs, padded with None to the number of fields in the form."""
        empty: list[Run | None] = [None] * MOST_RUNS
        return [*self.runs, *empty][:MOST_RUNS]


def asked(query: QueryDict, study: Study, runs: Sequence[Run], p: float) -> ExplanationChoice:
    """Parse a query. By default it is about the first two runs. runs: in the order of the leaderboard."""
    known = {str(run.pk): run for run in runs}
    wanted = [str(pin) for pin in pins_of(query) if str(pin) in known]
    if not wanted and not query.getlist("run"):
        wanted = list(known)[:2]
    own = [name for name in chosen(study.measures) if name in WITH_PARTS] or [WITH_PARTS[0]]
    return ExplanationChoice(
        runs=[known[one] for one in dict.fromkeys(wanted)][:MOST_RUNS],
        measure=choice_of(query, "measure", own, own[0], said=measure_names.TITLES[own[0]]),
        measures={name: measure_names.Titled(measure_names.TITLES[name]) for name in own},
        p=p,
    )


def explained(study: Study, topic: Topic, choice: ExplanationChoice) -> list[Explained]:
    """Return the chosen runs' scores, broken down by depth."""
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
    """Return in a sentence or two where a run's score comes from."""
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
