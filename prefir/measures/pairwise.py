"""Precision and recall of preferences: how many judged pairs a run has in the order that was preferred.

Every judgment that prefers an item counts: repeated ones each time, and of two that contradict each other
one is right. Ties have no right order and do not count. An item that the run lacks is below all that it
has. A judgment is *ordered* at k if at least one of its two items is among the first k, and *correct* if
also the preferred one is the higher; two items that the run lacks are never ordered.

Each measure has two forms, both with a `PreferenceGraph`. By docno: a run (n,) of distinct docnos, best
first, which may be empty. By rows, for many runs of one topic: `rows` int (runs, ranks), rankings of the
graph's nodes by their place in `graph.nodes`, -1 for other items and after a list's end; it returns float64
(runs,). k None means the whole run; a k beyond it is the same.
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
from .graph import PreferenceGraph, require_graph
from .measure import Inputs, measure
from .rbo import ABSENT, int_rows, row_of

CARTERETTE = "Carterette & Bennett, SIGIR 2008"

Values = NDArray[np.float64]


def ppref_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """`ppref` of each row."""
    correct, ordered, judged = _by_rank(rows, graph, k)
    return _share(correct.sum(axis=1), ordered.sum(axis=1), judged)


@measure(name="ppref", title="ppref", inputs=Inputs.GRAPH, source=CARTERETTE, rows=ppref_rows)
def ppref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Precision of preferences: share of correct judgments among those ordered at k. A float in [0, 1]."""
    return float(ppref_rows(_row(run, graph), graph, k=k)[0])


def wpref_rows(
    rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None, normalize: bool = True
) -> Values:
    """`wpref` of each row."""
    correct, ordered, judged = _by_rank(rows, graph, k)
    weights = 1 / np.log2(np.arange(2.0, correct.shape[1] + 2))
    right = (correct * weights).sum(axis=1)
    return _share(right, (ordered * weights).sum(axis=1) if normalize else np.ones_like(right), judged)


@measure(name="wpref", title="wpref", inputs=Inputs.GRAPH, source=CARTERETTE, rows=wpref_rows)
def wpref(
    run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None, normalize: bool = True
) -> float:
    """Rank-weighted precision of preferences: `ppref` with more weight on pairs near the top.

    A judgment weighs 1 / log2(rank + 1), with the rank of the higher of its two items, counted from 1.
    Returns the weight of the correct judgments divided by that of those ordered at k, a float in [0, 1];
    without `normalize` the weight of the correct ones itself, at least 0 and without upper bound.
    (Elsas's pairwise_pref_eval.py weighs by 1 / (1 + log2(rank)), which is less below rank 1.)
    """
    return float(wpref_rows(_row(run, graph), graph, k=k, normalize=normalize)[0])


def rpref_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """`rpref` of each row."""
    correct, _, judged = _by_rank(rows, graph, k)
    total = correct.sum(axis=1)
    return _share(total, np.full_like(total, judged), judged)


@measure(name="rpref", title="rpref", inputs=Inputs.GRAPH, source=CARTERETTE, rows=rpref_rows)
def rpref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Recall of preferences: share of all judgments that are correct at k. A float in [0, 1].

    It never falls as k grows.
    """
    return float(rpref_rows(_row(run, graph), graph, k=k)[0])


def appref_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """`appref` of each row."""
    correct, ordered, judged = _by_rank(rows, graph, k)
    rises = correct > 0
    # Where nothing is ordered yet nothing has risen either.
    precision = correct.cumsum(axis=1) / np.maximum(ordered.cumsum(axis=1), 1)
    return _share((precision * rises).sum(axis=1), rises.sum(axis=1), judged)


@measure(name="appref", title="appref", inputs=Inputs.GRAPH, source=CARTERETTE, rows=appref_rows)
def appref(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Average precision of preferences: mean of `ppref` over the ranks, down to k, at which `rpref` rises.

    Preferred items that the run lacks do not count, as there is no rank at which they would raise `rpref`.
    Returns a float in [0, 1]. (Elsas's pairwise_pref_eval.py averages over every item that was ever
    preferred, whether `rpref` rises there or not, and takes ppref of the whole run for those not ranked.)
    """
    return float(appref_rows(_row(run, graph), graph, k=k)[0])


def _row(run: Sequence[Any], graph: PreferenceGraph) -> NDArray[np.int32]:
    require_graph(graph)
    return row_of(run, {docno: number for number, docno in enumerate(graph.nodes)})


def _by_rank(rows: ArrayLike, graph: PreferenceGraph, k: int | None) -> tuple[Values, Values, float]:
    """Count correct and ordered judgments (runs, ranks) by the rank of the higher item; and all judgments.

    That rank is the least k at which the judgment is ordered, so that sums down to k are the counts at k.
    """
    table = int_rows(rows)
    docnos, source, target, times = graph.numbered()
    runs, depth = len(table), depth_of(table.shape[1], k)
    # Items that the run lacks share the rank after its last, which is never counted.
    rank = np.full((runs, len(docnos)), table.shape[1], np.int32)
    run, at = np.nonzero((table >= 0) & (table < len(docnos)))
    rank[run, table[run, at]] = at
    counts = np.empty((runs, depth, 2))
    for own, found in zip(rank, counts, strict=True):
        preferred, other = own[source], own[target]
        key = 2 * np.minimum(preferred, other) + (preferred < other)
        found[:] = np.bincount(key, times, minlength=2 * depth)[: 2 * depth].reshape(depth, 2)
    return counts[:, :, 1], counts.sum(axis=2), float(times.sum())


def _share(part: Values, whole: NDArray[Any], judged: float) -> Values:
    if not judged:
        return np.full(len(part), ABSENT)
    return part / np.where(whole > 0, whole, 1)
