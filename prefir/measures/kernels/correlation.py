"""Counting inversions for the rank correlations, in n log n steps."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def earlier_smaller(ranks):  # type: ignore[no-untyped-def]
    """How many smaller ranks precede each of ranks (n,), a permutation of 0 to n - 1 as int64."""
    count = ranks.size
    tree = np.zeros(count + 1, np.int64)  # Fenwick: sums over the ranks met so far
    smaller = np.empty(count, np.int64)
    for place in range(count):
        at = ranks[place]
        found = 0
        while at > 0:
            found += tree[at]
            at -= at & -at
        smaller[place] = found
        at = ranks[place] + 1
        while at <= count:
            tree[at] += 1
            at += at & -at
    return smaller
