"""Effectiveness of many runs of one topic: sums of gains, and of correctly ordered preferences, over ranks.

Rows are rankings (runs, ranks) of item numbers, -1 for unjudged items and after a list's end. Arrays of
gains end in an extra 0, which the number -1 reads: a rank then takes a quarter of the time that a branch,
hard to predict, would take. Every loop sums in rank order, so that equal rankings give equal floats.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def discounted_sums(rows, gains, discounts):  # type: ignore[no-untyped-def]
    """Sum of gain times discount (runs,), as deep as there are discounts; gains (items + 1,)."""
    values = np.empty(rows.shape[0])
    for run in range(rows.shape[0]):
        total = 0.0
        for at in range(min(rows.shape[1], discounts.size)):
            total += gains[rows[run, at]] * discounts[at]
        values[run] = total
    return values


@njit(cache=True, nogil=True)
def cascades(rows, stops, k):  # type: ignore[no-untyped-def]
    """Expected 1 / rank (runs,) of where a user ends who stops at an item with stops (items + 1,)."""
    values = np.empty(rows.shape[0])
    for run in range(rows.shape[0]):
        total = 0.0
        goes_on = 1.0
        for at in range(min(rows.shape[1], k)):
            stop = stops[rows[run, at]]
            total += goes_on * (stop / (at + 1))
            goes_on *= 1 - stop
        values[run] = total
    return values


@njit(cache=True, nogil=True)
def precision_sums(rows, relevant, k):  # type: ignore[no-untyped-def]
    """Sum of the precision at each relevant rank down to k (runs,); relevant: 0 or 1 (items + 1,)."""
    values = np.empty(rows.shape[0])
    for run in range(rows.shape[0]):
        total = 0.0
        found = 0.0
        for at in range(min(rows.shape[1], k)):
            hit = relevant[rows[run, at]]
            found += hit
            total += hit * (found / (at + 1))
        values[run] = total
    return values


@njit(cache=True, nogil=True)
def first_ranks(rows, relevant, k):  # type: ignore[no-untyped-def]
    """1 / rank of the first relevant item down to k, else 0 (runs,); relevant: 0 or 1 (items + 1,)."""
    values = np.zeros(rows.shape[0])
    for run in range(rows.shape[0]):
        for at in range(min(rows.shape[1], k)):
            if relevant[rows[run, at]]:
                values[run] = 1 / (at + 1)
                break
    return values


@njit(cache=True, nogil=True)
def preferences_by_rank(rows, edges, items, depth):  # type: ignore[no-untyped-def]
    """Judgments correct and ordered (2, runs, depth), each at the rank of the higher of its two items.

    edges (judged pairs, 3): preferred, other, how often; their numbers lie below `items`, while rows may
    also have others. Two items that the run lacks share the rank after its last, which is never counted.
    """
    runs, ranks = rows.shape
    counts = np.zeros((2, runs, depth))
    rank = np.empty(items, np.int32)
    for run in range(runs):
        rank[:] = ranks
        for at in range(ranks):
            if 0 <= rows[run, at] < items:
                rank[rows[run, at]] = at
        for edge in range(edges.shape[0]):
            preferred = rank[edges[edge, 0]]
            other = rank[edges[edge, 1]]
            high = min(preferred, other)
            if high < depth:
                counts[1, run, high] += edges[edge, 2]
                if preferred < other:
                    counts[0, run, high] += edges[edge, 2]
    return counts
