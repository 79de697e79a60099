"""Random pairings of a reduction round, drawn from a seed."""

from functools import lru_cache
from itertools import combinations
from random import Random

from .state import Pair

_SWITCHES_PER_EDGE = 4
"""Proposed switches per edge. For 112 items with 7 meetings, two per edge already bring the number of
triangles (three items that all met each other) from 336 down to 37, that of a random graph."""


def shuffled(items: tuple[int, ...], rng: Random) -> list[int]:
    """Shuffle items. Cost O(n log n).

    It uses only `rng.random()`, the one method whose sequence Python promises not to change: a
    tournament that is rebuilt after an upgrade must come out the same.
    """
    return sorted(items, key=lambda _: rng.random())


@lru_cache(maxsize=512)
def draw_pairs(items: tuple[int, ...], meetings: int, seed: str) -> tuple[Pair, ...]:
    """Draw pairs, sorted, in which every item meets `meetings` others and no pair repeats.

    items (n,): distinct and ascending. When n * meetings is odd no such set of pairs exists, and
    exactly one item, drawn at random, meets one more. With `meetings` >= n - 1: all pairs.

    Method: the items are put on a circle in random order, and each meets its nearest neighbours (for
    odd `meetings` also the item opposite). Every item then has its number of meetings, for any n, and
    all pairs are equally likely. But neighbours of neighbours meet as well: the round would compare
    small cliques and say little about items far apart. Random switches (a-b, c-d become a-d, c-b
    unless that repeats a pair) undo that and keep the number of meetings of every item. Their
    stationary distribution is uniform over all sets of pairs with these numbers. The other usual
    method, pairing `meetings` slots of each item at random, needs repairs that can fail when n is
    little more than `meetings`; this one cannot fail.

    Cost O(n * meetings), 2.5 ms for 112 items and 7 meetings; the last 512 rounds are remembered.
    """
    n = len(items)
    if meetings >= n - 1:
        return tuple(combinations(items, 2))
    rng = Random(seed)
    order = shuffled(items, rng)
    edges = _circulant(n, meetings)
    _switch(edges, n, rng)
    return tuple(sorted((min(u, v), max(u, v)) for u, v in ((order[a], order[b]) for a, b in edges)))


def _circulant(n: int, degree: int) -> list[Pair]:
    """Edges of a circle of 0..n-1: to `degree` // 2 neighbours each way; for odd degrees also across."""
    edges = [(a, (a + step) % n) for step in range(1, degree // 2 + 1) for a in range(n)]
    if degree % 2:
        # n odd: (n + 1) / 2 chords cover n + 1 ends, so the item in the middle has two of them.
        edges += [(a, a + n // 2) for a in range((n + 1) // 2)]
    return edges


def _switch(edges: list[Pair], n: int, rng: Random) -> None:
    """Exchange the ends of random pairs of edges, in place, without making a loop or a double edge."""
    met: list[set[int]] = [set() for _ in range(n)]
    for a, b in edges:
        met[a].add(b)
        met[b].add(a)
    size, random = len(edges), rng.random
    for _ in range(_SWITCHES_PER_EDGE * size):
        first = int(random() * size)
        second, turned = divmod(int(random() * 2 * size), 2)
        a, b = edges[first]
        c, d = edges[second]
        if turned:
            c, d = d, c
        # Also refuses two edges that share an item: the new edge would be a loop or one of the two.
        if a == d or c == b or d in met[a] or b in met[c]:
            continue
        edges[first], edges[second] = (a, d), (c, b)
        met[a].remove(b)
        met[b].remove(a)
        met[c].remove(d)
        met[d].remove(c)
        met[a].add(d)
        met[d].add(a)
        met[c].add(b)
        met[b].add(c)
