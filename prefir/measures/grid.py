"""Image grids: turning them into lists under an examination order, and PGC of systems that show grids."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from .compatibility import Similarity
from .graph import PreferenceGraph, require_graph
from .measure import Inputs, measure
from .preference import ideal_by_place
from .rbo import ABSENT, rank_of, shared_depths, weigh
from .sources import LUO


class GridPlacement(NamedTuple):
    """An item's place in a grid: row and column, counted from 0, and the number of items in its row."""

    item: str
    row: int
    column: int
    row_length: int


@dataclass(frozen=True, slots=True)
class GridSimilarity(Similarity):
    """A grid's similarity to the ideal ranking; `ranking` is the list that the grid was turned into."""

    ranking: tuple[str, ...]


def _serial(grid: Sequence[GridPlacement]) -> dict[str, float]:
    """Number of cells before each item's, row by row from the top left."""
    lengths = [0] * (1 + max(placement.row for placement in grid))
    for placement in grid:
        lengths[placement.row] = placement.row_length
    before = list(accumulate(lengths, initial=0))
    return {placement.item: before[placement.row] + placement.column for placement in grid}


def _reverse(grid: Sequence[GridPlacement]) -> dict[str, float]:
    return {item: -cells for item, cells in _serial(grid).items()}


def _middle(grid: Sequence[GridPlacement]) -> dict[str, float]:
    return {item: row + abs(column - length // 2) for item, row, column, length in grid}


def _manhattan(grid: Sequence[GridPlacement]) -> dict[str, float]:
    return {item: row + column for item, row, column, _ in grid}


def _euclidean(grid: Sequence[GridPlacement]) -> dict[str, float]:
    return {item: sqrt(row * row + column * column) for item, row, column, _ in grid}


ORDERS: Mapping[str, Callable[[Sequence[GridPlacement]], dict[str, float]]] = {
    "default": _serial,
    "reverse": _reverse,
    "middle": _middle,
    "manhattan": _manhattan,
    "euclidean": _euclidean,
}
"""Examination orders, by name: default (left to right, top to bottom), reverse (bottom to top, right to
left), middle (row + distance from the row's centre, int(row length / 2)), manhattan (row + column) and
euclidean, the last two from the top left corner."""


def distances(grid: Iterable[tuple[str, int, int, int]], order: str = "default") -> dict[str, float]:
    """Distance of each item from where the eye starts, under an examination order; smaller is seen sooner.

    grid: (item, row, column, row length) of each item of one grid, in any order; cells may be missing.
    Raises ValueError for an order that is not in `ORDERS`, an item or a cell that is there twice, or a
    place outside the grid. Time grows with the number of items.
    """
    if order not in ORDERS:
        raise ValueError(f"there is no examination order {order!r}; there are {', '.join(ORDERS)}")
    placements = [GridPlacement(*placement) for placement in grid]
    rank_of([placement.item for placement in placements])  # only to refuse repeated docnos
    taken: dict[tuple[int, int], str] = {}
    lengths: dict[int, int] = {}
    for item, row, column, length in placements:
        if row < 0 or not 0 <= column < length:
            raise ValueError(f"{item!r} is at row {row}, column {column} of {length}: outside its grid")
        if lengths.setdefault(row, length) != length:
            raise ValueError(f"row {row} has {lengths[row]} items by one item and {length} by {item!r}")
        if taken.setdefault((row, column), item) != item:
            raise ValueError(f"{taken[row, column]!r} and {item!r} are both at row {row}, column {column}")
    return ORDERS[order](placements) if placements else {}


def grid_to_list(distance: Mapping[str, float], ideal: Sequence[str]) -> tuple[str, ...]:
    """Turn a grid into a list: items by distance, equal ones by the ideal ranking, then by docno.

    distance: docno -> distance, as `distances` returns it. Time grows with n log n in the items.
    """
    rank = rank_of(ideal)
    last = len(rank)
    return tuple(sorted(distance, key=lambda item: (distance[item], rank.get(item, last), item)))


@measure(
    name="pgc_grid",
    title="PGC for grids",
    inputs=Inputs.GRIDS,
    source=f"{LUO}, 5.3",
    value=lambda systems: next(iter(systems.values())),
)
def pgc_grid(
    grids: Mapping[str, Iterable[tuple[str, int, int, int]]],
    graph: PreferenceGraph,
    *,
    order: str = "default",
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
) -> dict[str, float]:
    """PGC of each system's grid against one ideal ranking, made from all the grids together.

    grids: system -> its placements, (item, row, column, row length) each. For the ideal ranking items are
    ordered by distance, the least one where several grids show an item; equal distances go by docno.
    Returns a float in [0, 1] for each system, `ABSENT` (nan) for all where the graph has no node.
    Raises ValueError as `distances` and `rbo` do. Source: Luo, thesis, Waterloo 2021, 5.3.
    """
    results = pgc_grid_ps(grids, graph, (p,), order=order, depth=depth, normalize=normalize)
    return {system: result.values[0] for system, result in results.items()}


def pgc_grid_ps(
    grids: Mapping[str, Iterable[tuple[str, int, int, int]]],
    graph: PreferenceGraph,
    ps: Sequence[float],
    *,
    order: str = "default",
    depth: int = 1000,
    normalize: bool = True,
) -> dict[str, GridSimilarity]:
    """`pgc_grid` for each persistence in `ps`, with the ideal ranking and each grid's list."""
    require_graph(graph, first="the grids come")
    own = {system: distances(grid, order) for system, grid in grids.items()}
    nearest: dict[str, float] = {}
    for distance in own.values():
        for item, far in distance.items():
            nearest[item] = min(far, nearest.get(item, far))
    ideal = ideal_by_place(nearest, graph)
    results = {}
    for system, distance in own.items():
        ranking = grid_to_list(distance, ideal)
        depths = shared_depths(rank_of(ranking), ideal)
        values = weigh(depths, ps, depth=depth, normalize=normalize)
        results[system] = GridSimilarity(values if ideal else (ABSENT,) * len(values), ideal, ranking)
    return results
