"""Items of a topic ranked from its preferences alone: Copeland's and Borda's scores, and a Markov chain's.

Each gives docno -> score, the best first and equal ones by docno, of all items of the graph; contradictory
judgments of a pair are shares of it, ties half to either side. Kemeny's order is `fewest_violated`.
"""

from collections.abc import Collection, Mapping, Sequence
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .graph import PreferenceGraph, require_graph
from .rbo import ABSENT, rank_of

Values = NDArray[np.float64]


def copeland(graph: PreferenceGraph) -> dict[str, float]:
    """Copeland's scores: pairs whose majority an item has, less those whose majority is against it.

    Pairs that were not judged, or are even, count 0. Source: Copeland, 1951, after Saari & Merlin, Economic
    Theory 8, 1996. Time grows with the square of the items.
    """
    shares = _shares(graph)
    return _sorted(graph, np.nansum(np.sign(shares - 0.5), axis=1))


def borda(graph: PreferenceGraph) -> dict[str, float]:
    """Borda's scores: the share of a pair's judgments that an item wins, mean over the items it met.

    Floats in [0, 1]; nan, and last, for an item that met no other. Source: Shah & Wainwright, JMLR 18(199),
    2018 (Borda's count from incomplete pairs). Time grows with the square of the items.
    """
    shares = _shares(graph)
    met = (~np.isnan(shares)).sum(axis=1)
    means = np.divide(np.nansum(shares, axis=1), met, out=np.full(len(met), ABSENT), where=met > 0)
    return _sorted(graph, means)


def rank_centrality(graph: PreferenceGraph, *, restart: float = 0.01) -> dict[str, float]:
    """Scores of a Markov chain that goes from an item to another by the share of judgments that prefer it.

    They add up to 1: how often the chain is at each item in the long run. Each step begins anew at any item
    with the chance `restart`, in (0, 1), so that items that nothing connects, and those that won or lost
    everything, have scores too. Raises ValueError for another restart.
    Source: Negahban, Oh & Shah, Operations Research 65(1), 2017. Time grows with the items cubed.
    """
    if not 0 < restart < 1:
        raise ValueError(f"restart is {restart}; it must lie between 0 and 1, both excluded")
    shares = _shares(graph)
    items = len(shares)
    if not items:
        return {}
    steps = np.nan_to_num(shares).T / max((~np.isnan(shares)).sum(axis=1).max(), 1)
    np.fill_diagonal(steps, 1 - steps.sum(axis=1))
    found = np.linalg.solve(np.eye(items) - (1 - restart) * steps.T, np.full(items, restart / items))
    return _sorted(graph, found / found.sum())


def merge_qrels(
    grades: Mapping[Any, float], top: Sequence[Any], *, lowest: float | None = None
) -> dict[Any, float]:
    """Merge grades with an order of the best items: these are graded above all others, best highest.

    grades: docno -> grade. top: docnos, best first, as preferences rank them; equal ones stand together in a
    set, a list or a tuple. They get whole grades from above the highest grade on, or from `lowest` on, and
    keep no other. Raises ValueError for a docno twice in the top, and for a `lowest` that is no higher than a
    grade of the rest.
    After Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, whose top items stand above all that are graded.
    """
    groups = [list(one) if isinstance(one, set | frozenset | list | tuple) else [one] for one in top]
    best = rank_of([item for group in groups for item in group])
    rest = {item: float(grade) for item, grade in grades.items() if item not in best}
    highest = max((0.0, *map(float, grades.values())))
    first = floor(highest) + 1.0 if lowest is None else float(lowest)
    if any(grade >= first for grade in rest.values()):
        raise ValueError(f"lowest is {first:g}; a graded item below the top is as high")
    merged = {item: first + place for place, group in enumerate(reversed(groups)) for item in group}
    return dict(sorted(merged.items(), key=lambda one: -one[1])) | rest


def _shares(graph: PreferenceGraph) -> Values:
    """Share of the judgments of each pair that the first of the two wins: (items, items), nan without any."""
    require_graph(graph)
    number = {item: place for place, item in enumerate(graph.nodes)}
    wins = np.zeros((len(number), len(number)))
    for preferred, other, times in graph.edges():
        wins[number[preferred], number[other]] += times
    for a, b, times in graph.ties():
        wins[number[a], number[b]] += times / 2
        wins[number[b], number[a]] += times / 2
    total = wins + wins.T
    return np.divide(wins, total, out=np.full_like(wins, np.nan), where=total > 0)


def _sorted(graph: PreferenceGraph, scores: Collection[float]) -> dict[str, float]:
    """Scores by docno, best first; nan last."""
    found = zip(graph.nodes, np.asarray(scores, np.float64).tolist(), strict=True)
    return dict(sorted(found, key=lambda one: (one[1] != one[1], -one[1], one[0])))
