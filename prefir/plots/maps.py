"""Maps of systems: a point for each, near those that rank alike, with circles for how steady that is; and
Shepard plots, which show how true a map is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from .labels import name_points
from .style import POINT, SIGNS, Look, drawn, nothing, shortened

# Names on a map of systems, where nothing else is asked for.
MOST_NAMED = 40
# Radius in points of the circle of the least steady system, on a wide drawing.
WIDEST = 26.0


def system_map(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    stabilities: Sequence[float | None],
    *,
    distance: str,
    look: Look,
    marked: Collection[int] = (),
    pins: Mapping[int, int] | None = None,
    named: int = MOST_NAMED,
) -> bytes:
    """Map of systems, both axes alike, with the length of a distance beside it.

    names, points, stabilities (systems,): named in this order as long as there is room. A circle's radius is
    proportional to the stability, the standard deviation over topics of a system's distances; None draws
    none. marked: places of those drawn in another colour, and named before all. pins: place -> pin, from 1,
    of those drawn with its colour and sign. named: of the first so many names, and of those marked and
    pinned, each stands on the map if it has room. distance: what it is called.
    """
    title = f"Map of systems by {distance}"
    if len(points) < 2:
        return nothing(look, title, "A map takes two runs that rank a topic.")

    def paint(figure: Figure) -> None:
        theme = look.colours
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.16 if look.narrow else 0.12, 0.08)
        signed = pins or {}
        # Beside the colours of pins all others are grey.
        usual = (theme.strong, theme.strong) if signed else theme.hues
        hues = [
            theme.pins[signed[i] - 1] if i in signed else usual[1 if i in marked else 0]
            for i in range(len(points))
        ]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        largest = max((value or 0.0 for value in stabilities), default=0.0)
        widest = WIDEST * (0.6 if look.narrow else 1) * (1 if len(points) <= 40 else 0.6)
        # Circles of many runs lie on each other.
        faint = 0.13 * min(1.0, max(0.2, 40 / len(points)))
        if largest:
            for x, y, hue, value in zip(xs, ys, hues, stabilities, strict=True):
                if value:
                    size = (2 * widest * value / largest) ** 2
                    axes.scatter([x], [y], s=size, color=hue, alpha=faint, linewidths=0)
        # Those that are marked lie on the others.
        for here in (False, True):
            some = [i for i in range(len(points)) if (i in marked) == here and i not in signed]
            size = 22 if here or len(points) <= 60 else 10
            hue = usual[1 if here else 0]
            axes.scatter([xs[i] for i in some], [ys[i] for i in some], s=size, color=hue, linewidths=0)
        for i, pin in signed.items():
            axes.scatter([xs[i]], [ys[i]], s=48, color=hues[i], marker=SIGNS[pin - 1], linewidths=0, zorder=3)
        figure.draw_without_rendering()
        _scale(axes, look)
        first = {*marked, *signed}
        order = sorted(range(len(points)), key=lambda i: (i not in first, i))
        said = [names[i] for i in order if i in first or i < named]
        name_points(axes, [points[i] for i in order], said, look, surely=len(first))

    return drawn(look, title, paint)


def _scale(axes: Axes, look: Look) -> None:
    """Draw how long a round distance is, below the map's left corner."""
    low, high = axes.get_xlim()
    step = round_step(0.25 * (high - low))
    bottom = axes.get_ylim()[0]
    theme = look.colours
    style = {"color": theme.soft, "linewidth": 1.5 * POINT, "clip_on": False}
    axes.plot([low, low + step], [bottom, bottom], solid_capstyle="butt", **style)  # type: ignore[arg-type]
    axes.annotate(
        f"distance {step:g}",
        (low + step, bottom),
        (5, 0),
        textcoords="offset points",
        color=theme.soft,
        va="center",
    )


def round_step(most: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above `most`."""
    if most <= 0:
        return 0.0
    power = 10.0 ** floor(log10(most))
    return float(max(digit for digit in (1, 2, 5) if digit * power <= most * 1.0000001) * power)


def shepard(pairs: Sequence[tuple[float, float]], *, distance: str, look: Look) -> bytes:
    """Shepard plot: the distance of two systems on the map (up) over that in their rankings (across).

    pairs: (distance, distance on the map). Both axes begin at 0 and are alike; the line is where both are.
    """
    title = f"Shepard plot of the map by {distance}"
    if not pairs:
        return nothing(look, title, "A map takes two runs that rank a topic.")

    def paint(figure: Figure) -> None:
        theme = look.colours
        axes = figure.add_subplot()
        most = (max(max(pair) for pair in pairs) or 1.0) * 1.06
        axes.plot([0, most], [0, most], color=theme.hues[1])
        axes.scatter(
            [given for given, _ in pairs],
            [shown for _, shown in pairs],
            s=12 if len(pairs) <= 200 else 5,
            color=theme.hues[0],
            alpha=0.7 if len(pairs) <= 200 else 0.35,
            linewidths=0,
        )
        axes.set_xlim(0, most)
        axes.set_ylim(0, most)
        axes.set_aspect("equal")
        axes.set_xlabel(shortened(distance, 40))
        axes.set_ylabel("Distance on the map")
        axes.locator_params(nbins=5)
        line = "on the line: as far on the map"
        axes.text(0.99, 0.02, line, transform=axes.transAxes, ha="right", va="bottom", color=theme.inks[1])

    return drawn(look, title, paint)
