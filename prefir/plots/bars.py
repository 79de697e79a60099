"""Bars of differences: by how much one run is above another on each topic, the largest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from .style import Look, drawn, end_kept, nothing, shortened

# Up to so many bars there are gaps between them; more are one shape.
APART = 60
# Up to so many bars are all named.
NAMED, NAMED_NARROW = 8, 6


def differences(
    topics: Sequence[str],
    gaps: Sequence[float],
    *,
    first: str,
    second: str,
    measure: str,
    look: Look,
    counted: str = "",
) -> bytes:
    """Bars of the difference of two runs by topic: upwards where `first` is higher, largest first.

    topics, gaps (topics,): in any order. measure: what the difference is of. counted: the number of topics
    in words. The scale holds 0. Few topics are all named, of many those at both ends.
    """
    title = f"{measure} of {first} less {second} by topic"
    if not gaps:
        return nothing(look, title, "No topic has a score of both runs yet.")
    lines = sorted(zip(gaps, topics, strict=True), key=lambda line: (-line[0], line[1]))
    values = [gap for gap, _ in lines]

    def paint(figure: Figure) -> None:
        theme = look.colours
        axes = figure.add_subplot()
        edges = range(len(values) + 1)
        for side, hue in ((1, 0), (-1, 1)):
            shown = [value if side * value > 0 else 0.0 for value in values]
            if len(values) <= APART:
                there = [i for i, value in enumerate(shown) if value]
                middles, heights = [i + 0.5 for i in there], [shown[i] for i in there]
                axes.bar(middles, heights, width=0.86, color=theme.hues[hue])
            else:
                axes.stairs(shown, edges, fill=True, color=theme.hues[hue], linewidth=0)
        axes.axhline(0, color=theme.ink, linewidth=0.75)
        axes.set_xlim(0, len(values))
        # Room for what is written, and a scale that is not made of rounding.
        most = max(map(abs, values)) or 1.0
        axes.set_ylim(min(0.0, *values) - 0.28 * most, max(0.0, *values) + 0.28 * most)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.set_ylabel(f"Difference in {measure}")
        said = counted or f"{len(values):,} {'topic' if len(values) == 1 else 'topics'}"
        axes.set_xlabel(f"{said}, the largest difference first")
        _sides(figure, values, first, second, look)
        (_all if len(lines) <= (NAMED_NARROW if look.narrow else NAMED) else _ends)(figure, lines, look)

    return drawn(look, title, paint)


def _sides(figure: Figure, values: Sequence[float], first: str, second: str, look: Look) -> None:
    """Say on each side whose it is, in its colour."""
    letters = 20 if look.narrow else 40
    axes, inks = figure.axes[0], look.colours.inks
    won, lost = sum(value > 0 for value in values), sum(value < 0 for value in values)
    above = f"{end_kept(first, letters)} higher on {won:,}"
    below = f"{end_kept(second, letters)} higher on {lost:,}"
    style: dict[str, Any] = {"transform": axes.transAxes, "weight": "bold"}
    axes.text(0.995, 0.99, above, color=inks[0], ha="right", va="top", **style)
    axes.text(0.005, 0.01, below, color=inks[1], ha="left", va="bottom", **style)


def _all(figure: Figure, lines: Sequence[tuple[float, str]], look: Look) -> None:
    """Name the topic of every bar."""
    letters = (46 if look.narrow else 90) // len(lines)
    for place, (gap, topic) in enumerate(lines):
        figure.axes[0].annotate(
            shortened(topic, letters),
            (place + 0.5, gap),
            (0, 3 if gap >= 0 else -3),
            textcoords="offset points",
            color=look.colours.soft,
            ha="center",
            va="bottom" if gap >= 0 else "top",
        )


def _ends(figure: Figure, lines: Sequence[tuple[float, str]], look: Look) -> None:
    """Name the topics of the largest differences beside their bars."""
    axes = figure.axes[0]
    letters = 20 if look.narrow else 40
    for place, va, ha, away in ((0, "bottom", "left", 3), (len(lines) - 1, "top", "right", -3)):
        gap, topic = lines[place]
        if gap * away <= 0:
            continue
        axes.annotate(
            shortened(topic, letters),
            (place + (0 if place == 0 else 1), gap),
            (0, away),
            textcoords="offset points",
            color=look.colours.soft,
            ha=ha,
            va=va,
        )


def per_day(days: Sequence[str], counts: Sequence[float], *, of: str, look: Look) -> bytes:
    """Bars of how many there were on each day, the days in their order.

    days, counts (days,): as they are written under the axis, and how many. of: what is counted.
    """
    from matplotlib.ticker import MaxNLocator

    title = f"{of} a day"
    if not days:
        return nothing(look, title, f"No {of.lower()} yet.")

    def paint(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.bar(range(len(days)), counts, width=0.86, color=look.colours.hues[0])
        axes.set_xlim(-0.7, max(len(days), 7) - 0.3)
        axes.set_ylim(0, 1.08 * (max(counts) or 1))
        # A handful of days is named, the last one among them.
        step = max(1, -(-len(days) // (4 if look.narrow else 8)))
        named = range((len(days) - 1) % step, len(days), step)
        axes.set_xticks(list(named), [days[i] for i in named])
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        axes.grid(visible=False, axis="x")
        axes.set_ylabel(title)

    return drawn(look, title, paint)
