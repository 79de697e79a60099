"""The line of a run's mean over the standings that are kept, small enough to stand beside a number."""

from dataclasses import dataclass

from collection.models import Run, Study
from scoring.board import history

WIDTH, HEIGHT, MARGIN = 240.0, 48.0, 4.0
# The least that the height stands for: less is no movement.
LEAST = 0.05


@dataclass(frozen=True)
class Sparkline:
    """A path in a box of WIDTH x HEIGHT, with its last point; across: judgments, upwards: the mean.

    The height stands for what lies between the lowest mean and the highest, at least LEAST. judgments:
    added between the first and the last.
    """

    path: str
    x: str
    y: str
    first: float
    last: float
    lowest: float
    highest: float
    judgments: int


def sparkline(study: Study, run: Run, runs: int, measure: str, p: float, every: bool) -> Sparkline | None:
    """Draw the run's mean at the standings that the history of so many runs draws; None for fewer than two.

    Two queries, or one if these standings are cached.
    """
    wanted = history.drawn(history.numbers(study), runs)
    moments = history.by_added(history.moments(study, wanted, measure, p, every=every))
    points = [
        (step, value)
        for step, moment in moments.items()
        if run.pk in moment.means and (value := moment.means[run.pk][0]) is not None
    ]
    if len(points) < 2:
        return None
    return _drawn(points)


def _drawn(points: list[tuple[int, float]]) -> Sparkline:
    (start, first), (end, last) = points[0], points[-1]
    values = [value for _, value in points]
    low, high = min(values), max(values)
    span = max(LEAST, high - low)
    bottom = (low + high - span) / 2

    def place(step: int, value: float) -> tuple[str, str]:
        across = (step - start) / (end - start) if end > start else 1.0
        up = (value - bottom) / span
        return (
            f"{MARGIN + across * (WIDTH - 2 * MARGIN):.1f}",
            f"{HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN):.1f}",
        )

    path = "M" + " L".join(" ".join(place(*point)) for point in points)
    x, y = place(end, last)
    return Sparkline(path, x, y, first, last, low, high, end - start)
