"""Deals: a pool put into grids of equal size so that each item stands in several of them."""

from collections import Counter
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from random import Random

from .pairings import shuffled

Grid = tuple[int, ...]
"""Items that are shown together, ascending."""

# Of so many items at the head of the line, in multiples of a grid, the one is taken that met the fewest of
# the grid's others: enough that no two meet twice where that can be, and the cost stays linear.
_LOOKED_AT = 4
# Tries for a deal in which no grid repeats; all but the smallest pools succeed at the first.
_TRIES = 50


def grids_of(items: int, size: int, appearances: int) -> int:
    """How many grids a deal of so many items has: ceil(items * appearances / size), or all that there are.

    All combinations are asked where a deal would ask more than half of them anyway.
    """
    if items <= size:
        return 1 if items > 1 else 0
    dealt = -(-items * appearances // size)
    every = comb(items, size)
    return every if 2 * dealt > every else dealt


@lru_cache(maxsize=512)
def deal(items: tuple[int, ...], size: int, appearances: int, seed: str) -> tuple[Grid, ...]:
    """Deal items into grids of `size`, sorted, none twice, in which every item stands `appearances` times.

    items (n,): distinct and ascending. Where n * appearances is no multiple of size, fewer than `size` items
    stand once more, so that all grids are of one size. No more items than `size`: one grid. Where a deal
    would take more than half of all combinations: all of them. Two items meet as rarely as the line allows,
    as in a balanced incomplete block design; for most sizes none exists.

    Method: the items queue in random order, once for each appearance; each place of a grid takes, of those
    first in line, the one that met the fewest of its grid so far. Where a grid would come twice the deal is
    tried anew, and after some tries that grid is left out. Cost O(n * appearances * size); 112 items in grids
    of 6, three times each: below 0.1 s; the last 512 deals are remembered.
    """
    if len(items) <= size:
        return (items,) if len(items) > 1 else ()
    if grids_of(len(items), size, appearances) == comb(len(items), size):
        return tuple(combinations(items, size))
    rng = Random(seed)
    grids: list[Grid] = []
    for _ in range(_TRIES):
        grids = _dealt(items, size, appearances, rng)
        if len(set(grids)) == len(grids):
            break
    return tuple(sorted(set(grids)))


def _dealt(items: tuple[int, ...], size: int, appearances: int, rng: Random) -> list[Grid]:
    met: Counter[tuple[int, int]] = Counter()
    line: list[int] = []
    grids = []
    for _ in range(-(-len(items) * appearances // size)):
        grid: list[int] = []
        while len(grid) < size:
            line = line or shuffled(items, rng)
            near = islice((item for item in line if item not in grid), _LOOKED_AT * size)
            item = min(near, key=lambda one: sum(met[one, other] for other in grid))
            line.remove(item)
            for other in grid:
                met[item, other] += 1
                met[other, item] += 1
            grid.append(item)
        grids.append(tuple(sorted(grid)))
    return grids
