"""The axis of differences and strengths on pages that draw them in the lines of a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, isfinite

# The room that a character of a label takes, in percent of the axis of a phone.
CHARACTER = 7.5
# An end is at a multiple of the least of these that leaves so few steps between both.
STEPS = [digit * 10.0**power for power, digit in product(range(-6, 7), (1, 2, 5))]
MOST_STEPS = 6


@dataclass(frozen=True)
class DifferenceAxis:
    """The axis from `low` to `high`, which has 0 on it; places are in percent of it."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "DifferenceAxis":
        """Return the axis with round ends that these values take, those that are finite."""
        finite = [value for value in values if isfinite(value)]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        step = next((step for step in STEPS if high - low <= MOST_STEPS * step), STEPS[-1])
        return cls(step * floor(low / step), step * ceil(high / step)) if low < high else cls(-1.0, 1.0)

    def place(self, value: float) -> float:
        return 100 * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def mark(self, value: float) -> str:
        """Return where a value lies; "" if it is not finite."""
        return f"{self.place(value):.1f}" if isfinite(value) else ""

    def bar(self, low: float, high: float) -> tuple[str, str]:
        """Return where an interval begins, and its length; "" and "" if it is open at both ends."""
        if not isfinite(low) and not isfinite(high):
            return "", ""
        start, end = self.place(low), self.place(high)
        return f"{start:.1f}", f"{max(0.5, end - start):.1f}"

    @property
    def zero(self) -> str:
        return self.mark(0)

    @property
    def ends(self) -> tuple[str, str]:
        """Return the labels of both ends; "" of one so near to 0 that it would meet the label of 0."""
        low, high = (f"{end:+.3g}".replace("-", "−") for end in (self.low, self.high))
        zero = self.place(0)
        return low if zero > CHARACTER * len(low) else "", high if 100 - zero > CHARACTER * len(high) else ""
