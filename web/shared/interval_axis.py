"""Intervals of a difference drawn on one axis, with 0 and the least difference that matters marked."""

from collections.abc import Sequence
from dataclasses import dataclass

from web.shared.phrases import interval, possible_ends, signed

WIDTH, EDGE, ROW, TOP, BOTTOM = 320.0, 8.0, 18, 14, 16
# Height of a line that has a name, which stands above it with its ends, left of 0.
NAMED = 28
# How much longer the axis is than its longest interval.
LONGER = 1.1


@dataclass(frozen=True)
class DrawnInterval:
    """A line of the drawing: its name with its ends, where its interval begins, how long it is, its middle.

    said: the middle as a number. faint: whether it is drawn faintly.
    """

    name: str
    low: str
    length: str
    mark: str
    y: int
    said: str
    faint: bool


@dataclass(frozen=True)
class DrawnAxis:
    """Intervals on an axis.

    band: where the differences lie that do not matter. least, middle, most: what is written below its ends
    and 0. foot: where the axis lies.
    """

    lines: list[DrawnInterval]
    start: str
    zero: str
    band: str
    band_length: str
    least: str
    middle: str
    most: str
    foot: int
    height: int


def drawn(intervals: Sequence[tuple[str, float, float]], least: float = 0.0, *, faint: str = "") -> DrawnAxis:
    """Draw intervals of a difference, each with a name or "", its ends, and the middle between them.

    faint: the name of one that may well come out otherwise.
    """
    shown = [possible_ends(low, high) for _, low, high in intervals]
    most = LONGER * max(1.5 * least, *(abs(end) for ends in shown for end in ends)) or 1.0
    row = NAMED if any(name for name, *_ in intervals) else ROW
    room = WIDTH - 2 * EDGE

    def place(value: float) -> float:
        return EDGE + room * (value + most) / (2 * most)

    lines = [
        DrawnInterval(
            f"{name}: {interval(low, high)}" if name else "",
            f"{place(ends[0]):.1f}",
            f"{max(1.0, place(ends[1]) - place(ends[0])):.1f}",
            f"{place((low + high) / 2):.1f}",
            TOP + row * (n + 1) - ROW // 2,
            signed((low + high) / 2),
            bool(faint) and name == faint,
        )
        for n, ((name, low, high), ends) in enumerate(zip(intervals, shown, strict=True))
    ]
    foot = TOP + row * len(lines)
    return DrawnAxis(
        lines=lines,
        start=f"{EDGE:.1f}",
        zero=f"{place(0):.1f}",
        band=f"{place(-least):.1f}",
        band_length=f"{place(least) - place(-least):.1f}",
        least=signed(-most),
        middle=f"0 ± {least:g}" if least else "0",
        most=signed(most),
        foot=foot,
        height=foot + BOTTOM,
    )
