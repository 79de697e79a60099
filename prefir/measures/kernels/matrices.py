"""Distances of many pairs of rankings of one topic: rank-biased overlap, and Kendall's of top-k lists."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def overlaps(codes, left, right, worth, items):  # type: ignore[no-untyped-def]
    """RBO (pairs,) of rows `left` and `right` of codes (lists, ranks), items below `items`, -1 after the end.

    worth (depths + 1,): what an item adds that is in both lists from a depth on. Pairs are quickest sorted
    by left. Time grows with pairs x ranks.
    """
    values = np.zeros(left.size)
    place = np.full(items, -1, np.int32)
    last = -1
    for pair in range(left.size):
        if left[pair] != last:
            _note(codes, last, left[pair], place)
            last = left[pair]
        value = 0.0
        for rank in range(codes.shape[1]):
            item = codes[right[pair], rank]
            if item < 0:
                break
            other = place[item]
            if other >= 0:
                value += worth[1 + max(rank, other)]
        values[pair] = value
    return values


@njit(cache=True, nogil=True)
def disagreements(codes, left, right, penalty, items):  # type: ignore[no-untyped-def]
    """Kendall distance of top-k lists (pairs,), divided by the widest of lists so long; input as `overlaps`.

    Time grows with pairs x ranks squared: for short lists. nan where two lists cannot be apart.
    """
    values = np.empty(left.size)
    place = np.full(items, -1, np.int32)
    shared = np.empty(codes.shape[1], np.int32)
    last = -1
    for pair in range(left.size):
        if left[pair] != last:
            _note(codes, last, left[pair], place)
            last = left[pair]
        n = m = ahead = alone_there = count = 0
        while n < codes.shape[1] and codes[left[pair], n] >= 0:
            n += 1
        for rank in range(codes.shape[1]):
            item = codes[right[pair], rank]
            if item < 0:
                break
            m += 1
            if place[item] < 0:
                alone_there += 1
                continue
            ahead += alone_there
            # Those before it in the one list and after it in the other.
            for before in range(count):
                ahead += shared[before] > place[item]
            shared[count] = place[item]
            count += 1
        # In the left list every item above a shared one that is not shared itself.
        for one in range(count):
            ahead += shared[one]
            for other in range(count):
                ahead -= shared[other] < shared[one]
        alone_here = n - count
        ahead += alone_here * alone_there
        cost = ahead + penalty * (_pairs(alone_here) + _pairs(alone_there))
        widest = n * m + penalty * (_pairs(n) + _pairs(m))
        values[pair] = cost / widest if widest else np.nan
    return values


@njit(cache=True, nogil=True, inline="always")
def _note(codes, old, new, place):  # type: ignore[no-untyped-def]
    """Replace the ranks of one list's items in `place` by another's; old -1: there is none."""
    if old >= 0:
        for item in codes[old]:
            if item >= 0:
                place[item] = -1
    for rank in range(codes.shape[1]):
        if codes[new, rank] < 0:
            break
        place[codes[new, rank]] = rank


@njit(cache=True, nogil=True, inline="always")
def _pairs(items):  # type: ignore[no-untyped-def]
    return items * (items - 1) / 2
