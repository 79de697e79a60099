"""Preference graphs: items in layers, the best first, and a line for each judged pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from .style import POINT, SIGNS, Look, drawn, nothing, printable, shortened

Kind = Literal["preferred", "against", "cycle", "contradicted", "tie"]
# What a line of each kind is called, beside the drawing: (words, hue, or None for grey; dashes).
KINDS: Mapping[Kind, tuple[str, int | None, Any]] = {
    "preferred": ("preferred to", None, "solid"),
    "tie": ("tie", None, (0, (1, 2))),
    "against": ("against the order", 0, (0, (5, 2))),
    "cycle": ("on a cycle", 3, (0, (5, 1, 1, 1))),
    "contradicted": ("contradicted", 1, "solid"),
}
RADIUS = 11.0  # of an item's circle, in CSS pixels
LETTER = 7.2  # width of one, laid out by the wide font
SPACE = 12.0  # between names beside each other


@dataclass(frozen=True)
class Node:
    """An item: the number in its circle, its name, and its column (layer). top: whether in the top k.

    signs: (pinned run, from 1; rank) of each run that has it among its first.
    """

    number: int
    name: str
    column: int
    top: bool = False
    signs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Edge:
    """A judged pair by the numbers of its items: the preferred one first. count: "" for a single judgment."""

    first: int
    second: int
    kind: Kind
    count: str = ""


def preferences(nodes: Sequence[Node], edges: Sequence[Edge], *, topic: str, look: Look) -> bytes:
    """Preference graph in layers: from left to right on a wide drawing, downwards on a narrow one.

    nodes: best first within each column; columns count from 0. An arrow leads from the preferred item to the
    other, with the counts of a pair that was judged more than once. Items of the top have a filled circle.
    Names stand under the circles where there is room.
    """
    title = f"Preference graph of {topic}"
    if not nodes:
        return nothing(look, title, "No pair of this topic is judged yet.")

    def paint(figure: Figure) -> None:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, look.width)
        axes.set_ylim(look.height, 0)
        axes.set_axis_off()
        at, rooms = _places(nodes, edges, look)
        for edge in sorted(edges, key=lambda edge: list(KINDS).index(edge.kind)):
            _line(axes, edge, at, look)
        for node in nodes:
            _circle(axes, node, at[node.number], rooms[node.number], look)
        _key(axes, {edge.kind for edge in edges}, look)

    return drawn(look, title, paint)


Places = dict[int, tuple[float, float]]


def _places(nodes: Sequence[Node], edges: Sequence[Edge], look: Look) -> tuple[Places, dict[int, float]]:
    """Where each item stands in pixels from the upper left, and how wide its name may be there."""
    columns: list[list[Node]] = [[] for _ in range(1 + max(node.column for node in nodes))]
    for node in nodes:
        columns[node.column].append(node)
    ordered = _less_crossed(columns, edges)
    long, across = (look.height, look.width) if look.narrow else (look.width, look.height)
    # Below the drawing stands what its lines mean.
    margin, end = (30.0, long - 84.0) if look.narrow else (52.0, long - 52.0)
    last = across if look.narrow else across - 46.0
    at: Places = {}
    for i, column in enumerate(ordered):
        along = margin + (end - margin) * (i / (len(ordered) - 1) if len(ordered) > 1 else 0.5)
        for j, number in enumerate(column):
            share = (j + 0.5) / len(column)
            # Lines over several layers pass beside the items between.
            shift = 0.16 * last / len(column) * (-1) ** i if len(ordered) > 2 else 0.0
            at[number] = (share * last + shift, along)
    at = {number: place if look.narrow else place[::-1] for number, place in _spread(at, last).items()}
    step = (end - margin) / max(1, len(ordered) - 1)
    rooms = {number: float(look.width) if look.narrow or len(nodes) == 1 else step for number in at}
    if look.narrow:
        # Names of a layer stand beside each other, each under its circle.
        for column in ordered:
            for one, two in pairwise(sorted(column, key=lambda number: at[number][0])):
                gap = at[two][0] - at[one][0] - SPACE
                rooms[one], rooms[two] = min(rooms[one], gap), min(rooms[two], gap)
    return at, rooms


def _spread(at: Places, last: float) -> Places:
    """Use the whole breadth, whatever of it the items take."""
    low, high = min(x for x, _ in at.values()), max(x for x, _ in at.values())
    if high - low < 1:
        return at
    edge = 48.0
    scale = (last - 2 * edge) / (high - low)
    return {number: (edge + (x - low) * scale, y) for number, (x, y) in at.items()}


def _less_crossed(columns: Sequence[Sequence[Node]], edges: Sequence[Edge]) -> list[list[int]]:
    """Numbers by column, each near the middle of what it is joined to (Sugiyama, 1981: barycentres)."""
    joined: dict[int, list[int]] = {}
    for edge in edges:
        joined.setdefault(edge.first, []).append(edge.second)
        joined.setdefault(edge.second, []).append(edge.first)
    ordered = [[node.number for node in column] for column in columns]
    for _ in range(4):
        share = {n: (j + 0.5) / len(column) for column in ordered for j, n in enumerate(column)}
        for i, column in enumerate(ordered):
            middles = {
                n: sum(share[m] for m in there) / len(there) if (there := joined.get(n)) else share[n]
                for n in column
            }
            ordered[i] = sorted(column, key=lambda n, of=middles: (of[n], n))  # type: ignore[misc]
            share |= {n: (j + 0.5) / len(column) for j, n in enumerate(ordered[i])}
    return ordered


def _line(axes: Axes, edge: Edge, at: Places, look: Look) -> None:
    from matplotlib.patches import FancyArrowPatch

    theme = look.colours
    _, hue, dashes = KINDS[edge.kind]
    colour = theme.strong if hue is None else theme.hues[hue]
    start, end = at[edge.first], at[edge.second]
    bend = _bend(edge, start, end, look)
    arrows: dict[Kind, str] = {"contradicted": "<|-|>", "tie": "-"}
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend:.3f}",
            arrowstyle=arrows.get(edge.kind, "-|>"),
            mutation_scale=8 * POINT,
            shrinkA=(RADIUS + 1) * POINT,
            shrinkB=(RADIUS + 1) * POINT,
            linewidth=(1.0 if hue is None else 1.8) * POINT,
            linestyle=dashes,
            color=colour,
            alpha=0.75 if hue is None else 1.0,
            zorder=1 if hue is None else 2,
        )
    )
    if edge.count:
        # The middle of the curve, a quadratic one whose control point is off by `bend` times the length.
        (x0, y0), (x1, y1) = start, end
        x, y = (x0 + x1) / 2 - bend * (y1 - y0) / 2, (y0 + y1) / 2 + bend * (x1 - x0) / 2
        ink = theme.soft if hue is None else theme.inks[hue]
        box = {"facecolor": theme.paper, "pad": 0.6, "linewidth": 0}
        axes.text(x, y, edge.count, color=ink, ha="center", va="center", bbox=box, zorder=4)


def _bend(edge: Edge, start: tuple[float, float], end: tuple[float, float], look: Look) -> float:
    """How far a line is bent: not at all between neighbours, more the farther its ends are."""
    along = abs(end[1] - start[1]) if look.narrow else abs(end[0] - start[0])
    span = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    if along > 0 and along < 0.25 * (look.height if look.narrow else look.width):
        return 0.06
    # Either way by turns, so that not all of them lie on one side.
    side = 1 if (edge.first + edge.second) % 2 else -1
    return side * min(0.34, 0.12 + 60.0 / span * 0.4)


def _circle(axes: Axes, node: Node, place: tuple[float, float], room: float, look: Look) -> None:
    from matplotlib.patches import Circle

    theme = look.colours
    # The inks are dark on light paper and light on dark: paper on them is read.
    face = theme.inks[0] if node.top else theme.paper
    circle = Circle(place, RADIUS, facecolor=face, edgecolor=theme.inks[0], linewidth=1.2 * POINT, zorder=5)
    axes.add_patch(circle)
    ink = theme.paper if node.top else theme.ink
    style: dict[str, Any] = {"ha": "center", "zorder": 6}
    axes.text(place[0], place[1], str(node.number), color=ink, va="center_baseline", **style)
    for n, (pin, rank) in enumerate(node.signs):
        x, y = place[0] - RADIUS + 3 + 21 * n, place[1] - RADIUS - 9
        hue = theme.pins[pin - 1]
        axes.plot([x], [y], marker=SIGNS[pin - 1], markersize=7 * POINT, color=hue, zorder=7)
        axes.text(x + 6, y, str(rank), color=theme.ink, va="center_baseline", zorder=7)
    # No name goes over the edge of the drawing.
    letters = int(min(room, 2 * place[0], 2 * (look.width - place[0])) / LETTER) - 1
    if letters >= 7:
        style["bbox"] = {"facecolor": theme.paper, "pad": 0.2, "linewidth": 0}
        name = _shortened(node.name, min(letters, 18))
        axes.text(place[0], place[1] + RADIUS + 3, name, color=theme.soft, va="top", **style)


def _shortened(name: str, most: int) -> str:
    """A name in at most so many letters: of a text its beginning; docnos of a topic differ in their ends,
    and lose their middle.
    """
    if " " in name:
        return shortened(name, most)
    name, end = printable(name), (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - end]}…{name[-end:]}"


def _key(axes: Axes, kinds: set[Kind], look: Look) -> None:
    """Say below the drawing what its lines mean, in their colours."""
    theme = look.colours
    x, y = 12.0, look.height - (34.0 if look.narrow else 14.0)
    for kind in (kind for kind in KINDS if kind in kinds):
        words, hue, dashes = KINDS[kind]
        wide = 34 + LETTER * len(words) + 18
        if x + wide > look.width:
            x, y = 12.0, y + 19.0
        colour = theme.strong if hue is None else theme.hues[hue]
        axes.plot([x, x + 26], [y, y], color=colour, linestyle=dashes, linewidth=1.8 * POINT)
        axes.text(x + 32, y, words, color=theme.soft if hue is None else theme.inks[hue], va="center")
        x += wide
