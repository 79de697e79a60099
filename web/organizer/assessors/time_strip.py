"""The strip of a person's times: a bar for each answer in order, so that times that repeat are seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from web.organizer.assessors.answer_log import LoggedAnswer

# Fewer bars show nothing that their numbers do not.
LEAST = 6
SLOT, HEIGHT = 12, 40.0  # pixels
# The strip is as high as so many times the middle time: a pause does not flatten the others.
OVER_MIDDLE = 3.0


@dataclass(frozen=True)
class TimeStrip:
    """Bars as (x, width, y, height), the first two in percent of `width` pixels.

    seconds: what the whole height stands for.
    """

    bars: list[tuple[str, str, str, str]]
    width: int
    seconds: float
    batches: int


def time_strip(lines: Sequence[LoggedAnswer]) -> TimeStrip | None:
    """Draw the seconds of answers in their order, a gap between batches; None for fewer than LEAST times."""
    times = [one.seconds for one in lines if one.seconds is not None]
    if len(times) < LEAST:
        return None
    top = min(max(times), OVER_MIDDLE * median(times)) or 1.0
    begins = [False, *(one.batch != other.batch for one, other in pairwise(lines))]
    slots = len(lines) + sum(begins)
    slot = 100 / slots
    bars, at = [], 0
    for one, begun in zip(lines, begins, strict=True):
        at += begun
        high = HEIGHT * min(1.0, (one.seconds or 0.0) / top)
        if one.seconds is not None:
            bars.append((f"{slot * at:.2f}", f"{slot * 0.8:.2f}", f"{HEIGHT - high:.1f}", f"{high:.1f}"))
        at += 1
    return TimeStrip(bars, SLOT * slots, top, 1 + sum(begins))
