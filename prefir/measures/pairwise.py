"""Precision and recall of preferences: how many judged pairs a run has in the order that was preferred.

Every judgment that prefers an item counts: repeated ones each time, and of two that contradict each other
one is right. Ties have no right order and count nowhere. An item that the run lacks is below all that it
has. A judgment is *ordered* at k where at least one of its two items is among the first k, and *correct*
where besides the preferred one is the higher; two items that the run lacks are never ordered.

Each measure has two forms. By docno: a run (n,) of distinct docnos, best first, which may be empty, and a
`PreferenceGraph`. By rows, for many runs of one topic: `rows` int (runs, ranks), each a ranking of item
numbers, -1 for items that are not in the graph and after a list's end, and `edges` int (judged pairs, 3),
as `edge_array` gives both; it gives float64 (runs,). k None means the whole run; a k beyond it is the same.
All give `ABSENT` (nan) where the graph prefers nothing, and 0 where the run orders nothing correctly, an
empty run included. All raise ValueError where k is below 1 or a docno repeats. Time grows with ranks plus
judged pairs.

Source: Carterette & Bennett, Evaluation measures for preference judgments, SIGIR 2008.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .effectiveness import depth_of
from .graph import PreferenceGraph
from .rbo import ABSENT, row_of

Values = NDArray[np.float64]


def ppref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Precision of preferences: correct judgments among those ordered at k. A float in [0, 1]."""
    return float(ppref_rows(*_one(run, graph), k=k)[0])


def ppref_rows(rows: ArrayLike, edges: ArrayLike, *, k: int | None = None) -> Values:
    """`ppref` of each row."""
    correct, ordered, judged = _by_rank(rows, edges, k)
    return _share(correct.sum(axis=1), ordered.sum(axis=1), judged)


def rpref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Recall of preferences: judgments that are correct at k, of all. A float in [0, 1].

    It never falls as k grows.
    """
    return float(rpref_rows(*_one(run, graph), k=k)[0])


def rpref_rows(rows: ArrayLike, edges: ArrayLike, *, k: int | None = None) -> Values:
    """`rpref` of each row."""
    correct, _, judged = _by_rank(rows, edges, k)
    total = correct.sum(axis=1)
    return _share(total, np.full_like(total, judged), judged)


def wpref(
    run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None, normalize: bool = True
) -> float:
    """Rank-weighted precision of preferences: `ppref` with pairs near the top weighing more.

    A judgment weighs 1 / log2(rank + 1), with the rank of the higher of its two items, counted from 1.
    Returns the weight of the correct judgments divided by that of those ordered at k, a float in [0, 1];
    without `normalize` the weight of the correct ones itself, at least 0 and without upper bound.
    (Elsas's pairwise_pref_eval.py weighs by 1 / (1 + log2(rank)), which is less below rank 1.)
    """
    return float(wpref_rows(*_one(run, graph), k=k, normalize=normalize)[0])


def wpref_rows(rows: ArrayLike, edges: ArrayLike, *, k: int | None = None, normalize: bool = True) -> Values:
    """`wpref` of each row."""
    correct, ordered, judged = _by_rank(rows, edges, k)
    weights = 1 / np.log2(np.arange(2.0, correct.shape[1] + 2))
    right = (correct * weights).sum(axis=1)
    return _share(right, (ordered * weights).sum(axis=1) if normalize else np.ones_like(right), judged)


def appref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Average precision of preferences: mean of `ppref` over the ranks, down to k, at which `rpref` rises.

    Preferred items that the run lacks take no part, as there is no rank at which they would raise `rpref`.
    Returns a float in [0, 1]. (Elsas's pairwise_pref_eval.py averages over every item that was ever
    preferred, whether `rpref` rises there or not, and takes ppref of the whole run for those not ranked.)
    """
    return float(appref_rows(*_one(run, graph), k=k)[0])


def appref_rows(rows: ArrayLike, edges: ArrayLike, *, k: int | None = None) -> Values:
    """`appref` of each row."""
    correct, ordered, judged = _by_rank(rows, edges, k)
    rises = correct > 0
    # Where nothing is ordered yet nothing has risen either.
    precision = correct.cumsum(axis=1) / np.maximum(ordered.cumsum(axis=1), 1)
    return _share((precision * rises).sum(axis=1), rises.sum(axis=1), judged)


def edge_array(graph: PreferenceGraph) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The graph's items, by whose places here they are numbered, and its edges by number.

    edges: int32 (judged pairs, 3): the preferred item, the other, how many judgments say so. Kept by the
    caller, it spares each measure and run the making of it.
    """
    if not isinstance(graph, PreferenceGraph):
        raise TypeError(
            f"the run comes first, then the graph; a {type(graph).__name__} is no PreferenceGraph"
        )
    docnos, *columns = graph.numbered()
    return docnos, np.column_stack(columns)


def _one(run: Sequence[Any], graph: PreferenceGraph) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    docnos, edges = edge_array(graph)
    return row_of(run, {docno: number for number, docno in enumerate(docnos)}), edges


def _by_rank(rows: ArrayLike, edges: ArrayLike, k: int | None) -> tuple[Values, Values, float]:
    """Judgments correct and ordered (runs, ranks), each at the rank of its higher item; how many there are.

    That rank is the least k at which the judgment is ordered, so that sums down to k are what k asks for.
    """
    from .kernels.effectiveness import preferences_by_rank

    codes = np.ascontiguousarray(rows, np.int32)
    pairs = np.ascontiguousarray(edges, np.int32)
    if codes.ndim != 2 or pairs.ndim != 2 or pairs.shape[1] != 3:
        raise ValueError(f"rows {codes.shape} must be (runs, ranks), and edges {pairs.shape} be (pairs, 3)")
    if pairs.min(initial=0) < 0:
        raise ValueError(f"edges have the number {pairs.min()}; items and how often are at least 0")
    items = 1 + int(pairs[:, :2].max(initial=-1))
    correct, ordered = preferences_by_rank(codes, pairs, items, depth_of(codes.shape[1], k))
    return correct, ordered, float(pairs[:, 2].sum())


def _share(part: Values, whole: NDArray[Any], judged: float) -> Values:
    if not judged:
        return np.full(len(part), ABSENT)
    return part / np.where(whole > 0, whole, 1)
