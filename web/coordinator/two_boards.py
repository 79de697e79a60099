"""Two boards of the same runs by Bradley-Terry strengths, side by side: before a change and after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from web.coordinator.difference_axis import DifferenceAxis
from web.coordinator.strength_lines import EQUAL, interval_ends, signed_strength, strength_axis

if TYPE_CHECKING:
    from prefir.measures import Strengths


@dataclass(frozen=True)
class Place:
    """A run on one board: rank, strength and interval as written, and as drawn (`strength_axis`).

    rank: 0 where runs that never met cannot be ranked. mark, start, length: "" where nothing is drawn.
    """

    rank: int
    strength: str
    ends: str
    mark: str
    start: str
    length: str


@dataclass(frozen=True)
class TwoPlaces:
    """A run on both boards. move: ranks that it gains on the second; further: more cells of its line."""

    name: str
    first: Place
    second: Place
    further: Sequence[str] = ()

    @property
    def move(self) -> int:
        """Ranks that the run gains; 0 where it has none on one of the boards."""
        return self.first.rank - self.second.rank if self.first.rank and self.second.rank else 0

    @property
    def fall(self) -> int:
        return -self.move


def ranks(own: "Strengths") -> list[int]:
    """Return each run's rank by strength, equal ones sharing the better; 0 for those that cannot be ranked.

    Of several groups that never met, no run has a rank.
    """
    found = [0] * len(own.statuses)
    if len(own.tops) != 1:
        return found
    last = -1
    for place, i in enumerate((i for i in own.order if own.groups[i] >= 0), 1):
        gap = abs(own.strengths[i] - own.strengths[last]) if last >= 0 else float("nan")
        found[i] = found[last] if gap < EQUAL and own.sets[i] == own.sets[last] else place
        last = i
    return found


def two_boards(
    names: Sequence[str],
    first: "Strengths",
    second: "Strengths",
    further: Sequence[Sequence[str]] = (),
) -> list[TwoPlaces]:
    """Return the runs' lines in the order of the second board, drawn on one scale."""
    axis = strength_axis(first, second)
    one, other = _places(first, axis), _places(second, axis)
    return [TwoPlaces(names[i], one[i], other[i], further[i] if further else ()) for i in second.order]


def _places(own: "Strengths", axis: DifferenceAxis) -> list[Place]:
    places = []
    for i, rank in enumerate(ranks(own)):
        strength, low, high = (float(end[i]) for end in (own.strengths, own.lows, own.highs))
        places.append(
            Place(
                rank,
                signed_strength(strength) if isfinite(strength) else str(own.statuses[i]),
                interval_ends(low, high),
                axis.mark(strength),
                *axis.bar(low, high),
            )
        )
    return places


def moves(lines: Sequence[TwoPlaces], runs: str) -> str:
    """Return in a sentence how many runs change their place, and which most."""
    moved = [line for line in lines if line.move]
    if not moved:
        return f"No {runs.removesuffix('s')} changes its place."
    most = max(moved, key=lambda line: abs(line.move))
    said = f"{most.name} from place {most.first.rank} to {most.second.rank}"
    if len(moved) == 1:
        return f"One {runs.removesuffix('s')} changes its place: {said}."
    return f"{len(moved)} of {len(lines)} {runs} change their place, most of all {said}."
