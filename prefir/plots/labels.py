"""Labels beside what they name: put where they hide least, left out where they would hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

from .style import Look, end_kept

Place = tuple[Literal["left", "center", "right"], Literal["top", "center", "bottom"], float, float]
# Where a label may stand: how it is aligned, and its offset from the point in points.
PLACES: tuple[Place, ...] = (
    ("left", "center", 1, 0),
    ("right", "center", -1, 0),
    ("center", "bottom", 0, 1),
    ("center", "top", 0, -1),
    ("left", "bottom", 0.7, 0.7),
    ("left", "top", 0.7, -0.7),
    ("right", "bottom", -0.7, 0.7),
    ("right", "top", -0.7, -0.7),
)
AWAY = 4.0


def name_points(
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    look: Look,
    *,
    most: int = 40,
    surely: int = 0,
) -> int:
    """Name points on axes, in this order, as long as there is room; returns how many are named.

    Points beyond the names have none. No name covers another, a point, or the edge; only the first `surely`
    may cover points where they must.
    Time grows with points x names.
    """
    import numpy as np

    figure = axes.figure
    figure.draw_without_rendering()  # type: ignore[union-attr]
    centres = axes.transData.transform(np.array(points, dtype=float).reshape(-1, 2))
    taken = np.column_stack([centres - 2.5, centres + 2.5])
    edge = axes.get_window_extent()
    frame = (edge.x0, edge.y0 + 1, edge.x1, edge.y1)
    named = 0
    for place, (point, name) in enumerate(zip(points, names, strict=False)):
        if named >= most:
            break
        said = end_kept(name, 18 if look.narrow else 28)
        there = _placed(axes, point, said, look, taken, frame)
        if there is None and place < surely:
            there = _placed(axes, point, said, look, taken[len(centres) :], frame)
            if there is not None:
                there.set_bbox({"facecolor": look.colours.paper, "alpha": 0.8, "pad": 0.5, "linewidth": 0})
        if there is None:
            continue
        box = axes.texts[-1].get_window_extent()
        taken = np.vstack([taken, [box.x0, box.y0, box.x1, box.y1]])
        named += 1
    return named


def _placed(
    axes: Axes,
    point: tuple[float, float],
    name: str,
    look: Look,
    taken: object,
    frame: tuple[float, float, float, float],
) -> Text | None:
    """Put a name at the first place beside its point where nothing is; None if there is none."""
    import numpy as np

    boxes = np.asarray(taken)
    text = axes.annotate(
        name, point, (0.0, 0.0), textcoords="offset points", color=look.colours.ink, annotation_clip=False
    )
    text.set_in_layout(False)
    for across, down, right, up in PLACES:
        text.set_horizontalalignment(across)
        text.set_verticalalignment(down)
        text.set_position((AWAY * right, AWAY * up))
        box = text.get_window_extent()
        inside = frame[0] <= box.x0 and frame[1] <= box.y0 and box.x1 <= frame[2] and box.y1 <= frame[3]
        apart = (boxes[:, 0] >= box.x1) | (boxes[:, 2] <= box.x0)
        apart |= (boxes[:, 1] >= box.y1) | (boxes[:, 3] <= box.y0)
        if inside and apart.all():
            return text
    text.remove()
    return None


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places for labels along a line, each as near as can be to where it is wanted, and `gap` from the next.

    In the order given; between low and high where they fit. Time grows with the labels squared.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Groups of labels that push each other: (sum of wanted places, less their offsets; count).
    groups: list[list[int]] = []
    centres: list[float] = []

    def placed(group: Sequence[int]) -> float:
        first = sum(wanted[i] - gap * place for place, i in enumerate(group)) / len(group)
        return max(low, min(first, high - gap * (len(group) - 1)))

    for i in order:
        groups.append([i])
        centres.append(placed([i]))
        while len(groups) > 1 and centres[-2] + gap * len(groups[-2]) > centres[-1]:
            last = groups.pop()
            centres.pop()
            groups[-1] += last
            centres[-1] = placed(groups[-1])
    found = [0.0] * len(wanted)
    for group, first in zip(groups, centres, strict=True):
        for place, i in enumerate(group):
            found[i] = first + gap * place
    return found
