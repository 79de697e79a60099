"""Expected weighted Hoeffding distance for many pairs of coded lists, one table of tail sums for all."""

import numpy as np
from numba import int64, njit, uint64

REPEATED, BROKEN, CROWDED = -1.0, -2.0, -3.0
"""Given in place of a distance: a code is in a list twice; a code follows the end of its list; the two
lists hold more than n items."""


@njit(cache=True, nogil=True)
def expected(first, second, left, right, tails, n):  # type: ignore[no-untyped-def]
    """The distance of list left[i] of `first` from list right[i] of `second`, for each i; not normalised.

    first (lists, depth), second (lists, depth): int32 codes, best first, -1 after the end of a list.
    left, right (pairs,): int64. tails (3, at least depth + 2): see `hoeffding.tail_sums`.
    """
    near, sums, twice = tails[0], tails[1], tails[2]
    # Ranks of the second list by code: open addressing, at most half full, so probes are short.
    bits = 2
    while (1 << bits) < 2 * second.shape[1]:
        bits += 1
    mask, shift = (1 << bits) - 1, 32 - bits
    code_in = np.empty(mask + 1, np.int32)
    rank_in = np.empty(mask + 1, np.int64)
    pair_in = np.full(mask + 1, -1, np.int64)  # whose entry it is: nothing is wiped between pairs
    met = np.full(second.shape[1] + 1, -1, np.int64)
    # The first list is only ever looked up; a code that is there twice is found by a table of its own.
    own_bits = 2
    while (1 << own_bits) < 2 * first.shape[1]:
        own_bits += 1
    own_mask, own_shift = (1 << own_bits) - 1, 32 - own_bits
    own_code = np.empty(own_mask + 1, np.int32)
    own_pair = np.full(own_mask + 1, -1, np.int64)
    values = np.empty(left.size)
    for pair in range(left.size):
        a, b = first[left[pair]], second[right[pair]]
        k = _length(a)
        l = _length(b)  # noqa: E741
        if k < 0 or l < 0:
            values[pair] = BROKEN
            continue
        repeated = False
        for at in range(l):
            slot = _slot(b[at], shift)
            while pair_in[slot] == pair and code_in[slot] != b[at]:
                slot = (slot + 1) & mask
            repeated |= pair_in[slot] == pair
            pair_in[slot] = pair
            code_in[slot] = b[at]
            rank_in[slot] = at + 1
        # An item of one list only lies anywhere below the other list, each rank as likely as the next.
        below_a = sums[k + 1] / (n - k) if k < n else 0.0
        below_b = sums[l + 1] / (n - l) if l < n else 0.0
        total = 0.0
        shared = 0
        for at in range(k):
            slot = _slot(a[at], own_shift)
            while own_pair[slot] == pair and own_code[slot] != a[at]:
                slot = (slot + 1) & own_mask
            repeated |= own_pair[slot] == pair
            own_pair[slot] = pair
            own_code[slot] = a[at]
            slot = _slot(a[at], shift)
            while pair_in[slot] == pair and code_in[slot] != a[at]:
                slot = (slot + 1) & mask
            if pair_in[slot] == pair:
                shared += 1
                met[rank_in[slot]] = pair
                total += abs(near[at + 1] - near[rank_in[slot]])
            else:
                total += _to_tail(at + 1, l, below_b, near, sums, n)
        if repeated:
            values[pair] = REPEATED
            continue
        neither = n - (k + l - shared)
        if neither < 0:
            values[pair] = CROWDED
            continue
        for rank in range(1, l + 1):
            if met[rank] != pair:
                total += _to_tail(rank, k, below_a, near, sums, n)
        if neither > 0:
            short, long = min(k, l), max(k, l)
            across = (n - long) * (sums[short + 1] - sums[long + 1]) - (long - short) * sums[long + 1]
            total += neither * ((across + twice[long]) / (n - short) / (n - long))
        values[pair] = total
    return values


@njit(cache=True, nogil=True, inline="always")
def _slot(code, shift):  # type: ignore[no-untyped-def]
    """Where a code's probes begin: the upper bits of its product with 2^32 / golden ratio."""
    return int64(((uint64(code) * uint64(2654435769)) & uint64(0xFFFFFFFF)) >> uint64(shift))


@njit(cache=True, nogil=True, inline="always")
def _length(codes):  # type: ignore[no-untyped-def]
    """How many codes come before the padding; -1 where another code follows it."""
    length = 0
    while length < codes.size and codes[length] >= 0:
        length += 1
    for at in range(length, codes.size):
        if codes[at] >= 0:
            return -1
    return length


@njit(cache=True, nogil=True, inline="always")
def _to_tail(rank, length, below, near, sums, n):  # type: ignore[no-untyped-def]
    """Mean distance from a rank to the ranks length + 1 to n; `below` is the mean of `near` over these."""
    if rank <= length:
        return near[rank] - below
    behind = sums[rank + 1]
    return (sums[length + 1] - 2 * behind + (n + length - 2 * rank) * near[rank]) / (n - length)
