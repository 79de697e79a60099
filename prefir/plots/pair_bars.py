"""Bars of how far pairs of runs are apart, a chart for each group of runs, in colours of the pair's kinds."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from .style import Look, drawn, nothing, shortened

COLUMNS = 3
# Up to so many bars of a chart are named.
NAMED = 12
HATCHES = ("", "///", "xxx")


def pair_bars(
    groups: Sequence[str],
    pairs: Sequence[str],
    kinds: Sequence[str],
    values: Sequence[float],
    *,
    of: str,
    look: Look,
) -> bytes:
    """Bars of the distances of pairs of runs, the smallest first, a chart for each group on one scale.

    groups, pairs, kinds, values (pairs,): of each pair the group in which it is drawn, its name, its kind,
    such as that both runs read titles, and the distance; nan is left out. of: what the distance is called.
    Groups and kinds are in the order of their first pairs.
    Source: Tan & Clarke, TKDE 27(11), 2015, figure 1.
    """
    title = f"{of} of the pairs of runs within each group"
    lines = [line for line in zip(groups, pairs, kinds, values, strict=True) if line[3] == line[3]]
    if not lines:
        return nothing(look, title, "No two runs of a group have a topic in common.")
    charts = list(dict.fromkeys(group for group, _, _, _ in lines))
    hues = list(dict.fromkeys(kind for _, _, kind, _ in lines))

    def paint(figure: Figure) -> None:
        wide = 1 if look.narrow else min(COLUMNS, len(charts))
        grid = figure.subplots(ceil(len(charts) / wide), wide, sharey=True, squeeze=False).ravel()
        colours, paper = look.colours.hues, look.colours.paper
        # Beyond the hues kinds are hatched, so that no two look alike.
        looks: list[dict[str, Any]] = [
            {
                "facecolor": colours[i % len(colours)],
                "hatch": HATCHES[i // len(colours) % 3],
                "edgecolor": paper,
            }
            for i in range(len(hues))
        ]
        for axes, chart in zip(grid, charts, strict=False):
            own = sorted((line for line in lines if line[0] == chart), key=lambda line: line[3])
            for place, (_, _, kind, value) in enumerate(own):
                axes.bar(place, value, width=0.86, **looks[hues.index(kind)])
            axes.set_xlim(-0.7, max(len(own), 5) - 0.3)
            few = own if len(own) <= NAMED else []
            names = [shortened(pair, 24) for _, pair, _, _ in few]
            axes.set_xticks(range(len(few)), names, rotation=90)
            axes.grid(visible=False, axis="x")
            axes.set_title(shortened(chart, 40))
        for axes in grid[len(charts) :]:
            axes.set_visible(False)
        for axes in grid[::wide]:
            axes.set_ylabel(of)
        from matplotlib.patches import Patch

        key = [Patch(label=shortened(kind, 40), **looks[i]) for i, kind in enumerate(hues)]
        figure.legend(handles=key, loc="outside lower center", ncols=2 if look.narrow else 4, frameon=False)

    return drawn(look, title, paint)
