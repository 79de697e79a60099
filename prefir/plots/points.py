"""Scatter plots: one number of each run against another."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from .labels import name_points
from .style import POINT, Look, drawn, nothing


def scatter(
    names: Sequence[str],
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    x: str,
    y: str,
    look: Look,
    most: float | None = None,
    named: Sequence[int] | None = None,
) -> bytes:
    """Scatter plot of runs by two figures, named in the order given as long as there is room.

    names, xs, ys (runs,): a run without one of the figures (nan) is left out. x, y: what the axes are.
    most: the highest that y can be; no room is left above it for what there cannot be.
    named: the places of those that are named, in this order; None for all.
    The axes begin where the values do: what counts are the order and the distances, not the ratios.
    """
    title = f"{y} against {x}"
    there = [i for i in range(len(names)) if not (isnan(xs[i]) or isnan(ys[i]))]
    if not there:
        return nothing(look, title, "No run has both figures yet.")
    points = [(xs[i], ys[i]) for i in there]

    def paint(figure: Figure) -> None:
        axes = figure.add_subplot()
        many = len(points) > 60
        axes.scatter(
            [x for x, _ in points],
            [y for _, y in points],
            s=(3.5 if many else 5.5) ** 2 * POINT,
            color=look.colours.hues[0],
            alpha=0.6 if many else 0.85,
            linewidths=0,
        )
        axes.margins(0.08)
        low, high = axes.get_ylim()
        if most is not None and high > most:
            axes.set_ylim(low, most + 0.04 * (most - low))
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.locator_params(nbins=5)
        first = there if named is None else [i for i in named if i in there]
        rest = [i for i in there if i not in first]
        order = [*first, *rest]
        name_points(
            axes, [(xs[i], ys[i]) for i in order], [names[i] for i in order], look, most=min(40, len(first))
        )

    return drawn(look, title, paint)
