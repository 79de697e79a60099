"""Layout of a topic's preference graph: layers, windows, and odd pairs.

Without Django, for `scoring.compute.child_process`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefir.measures import JudgedPair, PreferenceGraph


@dataclass(frozen=True)
class Drawn:
    """An item of a drawn graph: its number in the whole order, its docno, its layer, and its column."""

    number: int
    docno: str
    column: int
    top: bool


@dataclass(frozen=True)
class GraphEdge:
    """A judged pair in a drawn graph, by numbers; for_first, for_second, ties: its judgments. cyclic: some
    preference of it is on a cycle of three items or more. against: the preferred item stands below the other.
    """

    first: int
    second: int
    for_first: int
    for_second: int
    ties: int
    cyclic: bool
    against: bool


@dataclass(frozen=True)
class Picture:
    """A window of a topic's preference graph, and counts of the whole of it.

    part: the window's number from 1 on, of `parts`. outside: judged pairs with an end in another window.
    """

    part: int
    parts: int
    items: tuple[Drawn, ...]
    lines: tuple[GraphEdge, ...]
    outside: int
    all_items: int
    all_pairs: int
    contradicted: int
    cyclic: int
    against: int


# A drawing holds so many columns of so many items; a layer that is larger takes several columns.
COLUMNS, A_COLUMN, MOST_ITEMS = 8, 8, 40


def picture(graph: "PreferenceGraph", places: Mapping[str, int], part: int) -> Picture:
    """The window `part` of a graph's layers: as many as a drawing holds, the best in the first.

    places: docno -> place of the items of the top. A part that does not exist is the nearest that does. Time
    grows with nodes and edges, and once more with contradicted pairs on larger cycles.
    """
    from prefir.measures import cyclic_edges, judged_pairs, layered

    found = layered(graph, places)
    number = {docno: n for n, docno in enumerate(found.order, 1)}
    windows = _windows(found.order, found.layer)
    part = min(max(1, part), len(windows) or 1)
    window = windows[part - 1] if windows else []
    cyclic = cyclic_edges(graph)
    inside = {docno for docno, _ in window}
    pairs = judged_pairs(graph)
    lines, outside = [], 0
    for pair in pairs:
        if not {pair.a, pair.b} <= inside:
            outside += bool({pair.a, pair.b} & inside)
            continue
        lines.append(_line(pair, number, cyclic))
    items = tuple(Drawn(number[docno], docno, column, docno in places) for docno, column in window)
    return Picture(
        part=part,
        parts=max(1, len(windows)),
        items=items,
        lines=tuple(sorted(lines, key=lambda line: (line.first, line.second))),
        outside=outside,
        all_items=len(found.order),
        all_pairs=len(pairs),
        contradicted=sum(bool(pair.for_a and pair.for_b) for pair in pairs),
        cyclic=sum((pair.a, pair.b) in cyclic or (pair.b, pair.a) in cyclic for pair in pairs),
        against=sum(_line(pair, number, cyclic).against for pair in pairs),
    )


def _line(pair: "JudgedPair", number: Mapping[str, int], cyclic: set[tuple[str, str]]) -> GraphEdge:
    a, b, for_a, for_b, ties = pair
    # The preferred item first; of as many either way, the better placed.
    if for_b > for_a or (for_a == for_b and number[b] < number[a]):
        a, b, for_a, for_b = b, a, for_b, for_a
    on_cycle = (a, b) in cyclic or (b, a) in cyclic
    return GraphEdge(
        number[a], number[b], for_a, for_b, ties, on_cycle, for_a > for_b and number[a] > number[b]
    )


def _windows(order: Sequence[str], layer: Mapping[str, int]) -> list[list[tuple[str, int]]]:
    """Items with their columns, window by window."""
    windows: list[list[tuple[str, int]]] = []
    column, within, last = 0, 0, -1
    for docno in order:
        if layer[docno] != last or within == A_COLUMN:
            column, within = column + 1, 0
        if not windows or column >= COLUMNS or len(windows[-1]) == MOST_ITEMS:
            windows.append([])
            column, within = 0, 0
        windows[-1].append((docno, column))
        within, last = within + 1, layer[docno]
    return windows
