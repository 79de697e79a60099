"""The axis of differences and strengths on pages that draw them in the lines of a table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite

from web.shared.phrases import signed

# The room that a character of a label takes, in percent of the axis of a phone.
CHARACTER = 7.5


@dataclass(frozen=True)
class DifferenceAxis:
    """The axis from `low` to `high`, which has 0 on it; places are in percent of it. said: writes an end."""

    low: float
    high: float
    said: Callable[[float], str] = signed

    @classmethod
    def of(cls, values: Iterable[float], said: Callable[[float], str] = signed) -> "DifferenceAxis":
        """Return the axis that these values take, those that are finite."""
        finite = [value for value in values if isfinite(value)]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        return cls(low, high, said) if low < high else cls(-1.0, 1.0, said)

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
        """Return the labels of both ends; "" of one that is 0."""
        return self.said(self.low) if self.low else "", self.said(self.high) if self.high else ""

    @property
    def crowds(self) -> bool:
        """Whether an end is so near to 0 that the label of 0 stands above those of the ends."""
        low, high = (CHARACTER * len(label) for label in self.ends)
        zero = self.place(0)
        return bool(low and zero <= low) or bool(high and 100 - zero <= high)
