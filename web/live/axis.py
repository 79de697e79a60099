"""The axis of a leaderboard's means: round ends that hold every mark, and stay while judgments arrive."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from scoring.board.leaderboard import Mean

# Distance of two ticks in hundredths, and how many such distances an axis may have.
STEPS = (2, 5, 10, 20, 25)
PARTS = (3, 4, 6)
# Over fewer topics means still jump.
SETTLED_TOPICS = 10


@dataclass(frozen=True)
class Axis:
    """An axis from `low` on with `parts` distances of `step` between its ticks; all in hundredths."""

    low: int
    step: int
    parts: int

    @property
    def width(self) -> int:
        """From its first tick to its last."""
        return self.step * self.parts

    @property
    def high(self) -> int:
        """Its last tick."""
        return self.low + self.width

    @property
    def ticks(self) -> list[str]:
        """The numbers at its ticks."""
        places = 2 if self.step % 10 or self.low % 10 else 1
        numbers = range(self.low, self.high + 1, self.step)
        return [f"{n / 100:.{places}f}" if n % 100 else str(n // 100) for n in numbers]

    def position(self, value: float) -> float:
        """Where a value stands, in per cent of the axis."""
        return 100 * (100 * value - self.low) / self.width

    def holds(self, low: float, high: float) -> bool:
        """Whether both values lie on the axis, to a millionth."""
        return self.low <= round(100 * low, 4) and round(100 * high, 4) <= self.high


# Narrow ones first; of equally wide ones, that with the fewest ticks.
AXES = sorted(
    (
        Axis(low, step, parts)
        for step, parts in product(STEPS, PARTS)
        for low in range(0, 101 - step * parts, step)
    ),
    key=lambda axis: (axis.width, axis.parts),
)
WHOLE = Axis(0, 25, 4)


def axis_of(means: Iterable[Mean], before: Axis | None = None) -> Axis:
    """The narrowest axis that holds all means and intervals, with as much room on either side as possible.

    before: the axis until now. It stays unless a mark leaves it, or one three fifths as wide would do and
    means are over enough topics to lie still.
    """
    means = list(means)
    ends = [end for mean in means for end in (mean.low, mean.value, mean.high) if end is not None]
    if not ends:
        return before or WHOLE
    low, high = min(ends), max(ends)
    fitting = [axis for axis in AXES if axis.holds(low, high)] or [WHOLE]
    narrowest = [axis for axis in fitting if (axis.width, axis.parts) == (fitting[0].width, fitting[0].parts)]
    chosen = min(narrowest, key=lambda axis: abs(axis.low + axis.high - 100 * (low + high)))
    still = any(mean.topics >= SETTLED_TOPICS for mean in means)
    if before and before.holds(low, high) and not (still and 5 * chosen.width <= 3 * before.width):
        return before
    return chosen
