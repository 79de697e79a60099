"""Maximized effectiveness differences: sums over pairs of rankings, and the searches for ERR and AP.

Rankings are item numbers from 0, -1 after a list's end. Relevance by item number is below 0 where nobody
judged. Sums run in the rank order of the ranking they belong to, so that swapping two rankings swaps two
floats and nothing else: the measures are symmetric to the last digit.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def linear_differences(a, b, weights, tails, gains, high, items):  # type: ignore[no-untyped-def]
    """MED (pairs,) of a measure that is a sum of weights (ranks,) times relevance; nan: an item is twice.

    a, b (pairs, ranks): compared as deep as there are weights. tails[n] is added for what lies unseen
    below a ranking of n items. gains (items,), or (0,) where nothing is known; high: the most relevance.
    """
    values = np.empty(a.shape[0])
    rank_a = np.full(items, -1, np.int32)
    rank_b = np.full(items, -1, np.int32)
    depth = weights.size
    judged = gains.size > 0
    for pair in range(a.shape[0]):
        row_a, row_b = a[pair], b[pair]
        twice = False
        n = 0
        while n < min(row_a.size, depth) and row_a[n] >= 0:
            twice |= rank_a[row_a[n]] >= 0
            rank_a[row_a[n]] = n
            n += 1
        m = 0
        while m < min(row_b.size, depth) and row_b[m] >= 0:
            twice |= rank_b[row_b[m]] >= 0
            rank_b[row_b[m]] = m
            m += 1
        free_a = known_a = 0.0
        for i in range(n):
            item = row_a[i]
            if judged and gains[item] >= 0:
                known_a += gains[item] * weights[i]
            else:
                other = rank_b[item]
                if other < 0:
                    free_a += weights[i]
                elif other > i:
                    free_a += weights[i] - weights[other]
        free_b = known_b = 0.0
        for j in range(m):
            item = row_b[j]
            if judged and gains[item] >= 0:
                known_b += gains[item] * weights[j]
            else:
                other = rank_a[item]
                if other < 0:
                    free_b += weights[j]
                elif other > j:
                    free_b += weights[j] - weights[other]
        for i in range(n):
            rank_a[row_a[i]] = -1
        for j in range(m):
            rank_b[row_b[j]] = -1
        for_a = high * (free_a + tails[n]) + (known_a - known_b)
        for_b = high * (free_b + tails[m]) + (known_b - known_a)
        values[pair] = np.nan if twice else max(for_a, for_b)
    return values


@njit(cache=True, nogil=True)
def cascade_difference(a, b, gains, high, items, bound):  # type: ignore[no-untyped-def]
    """MED of ERR of two rankings (n,), (m,), with at most `bound` shared unjudged items relevant."""
    return max(
        _cascade_direction(a, b, gains, high, items, bound),
        _cascade_direction(b, a, gains, high, items, bound),
    )


@njit(cache=True, nogil=True)
def _cascade_direction(a, b, gains, high, items, bound):  # type: ignore[no-untyped-def]
    """The most by which ERR of a can exceed ERR of b: branch and bound down the ranks of a.

    ERR grows with the relevance of each item and is linear in it. So items of a alone are at `high`, those
    of b alone at 0, and a shared item is at either end. A branch has the shared items above a rank of a
    settled: the best that can follow is all relevant below in a, and no more relevant in b.
    """
    n, m = a.size, b.size
    at_b = np.full(items, -1, np.int64)
    for j in range(m):
        at_b[b[j]] = j
    stops_a = np.zeros(n)
    stops_b = np.zeros(m)
    partner = np.full(n, -1, np.int64)  # the rank in b of an item to be settled
    for i in range(n):
        if gains.size > 0 and gains[a[i]] >= 0:
            stops_a[i] = gains[a[i]]
        elif at_b[a[i]] >= 0:
            partner[i] = at_b[a[i]]
        else:
            stops_a[i] = high
    for j in range(m):
        if gains.size > 0 and gains[b[j]] >= 0:
            stops_b[j] = gains[b[j]]
    # In a head that both rankings share every relevant item takes users from both alike, so from the
    # difference below: none is. (A difference below 0 is left to the other direction.)
    head = 0
    while head < min(n, m) and a[head] == b[head]:
        partner[head] = -1
        head += 1
    most = np.zeros(n + 1)  # ERR from rank i on for a user who gets there, with all to be settled relevant
    for i in range(n - 1, -1, -1):
        stop = high if partner[i] >= 0 else stops_a[i]
        most[i] = stop / (i + 1) + (1 - stop) * most[i + 1]

    resume = np.zeros(bound + 1, np.int64)
    totals = np.zeros(bound + 1)
    reach = np.zeros(bound + 1)
    against = np.zeros(bound + 1)
    set_at = np.zeros(bound + 1, np.int64)
    reach[0] = 1.0
    against[0] = _cascade(stops_b)
    best = -np.inf
    level = 0
    while level >= 0:
        i = resume[level]
        total, goes_on = totals[level], reach[level]
        deeper = False
        while i < n and total + goes_on * most[i] - against[level] > best:
            if partner[i] < 0:
                total += goes_on * (stops_a[i] / (i + 1))
                goes_on *= 1 - stops_a[i]
            elif level < bound:
                stops_b[partner[i]] = high
                cost = _cascade(stops_b)
                if total + goes_on * most[i] - cost > best:
                    resume[level], totals[level], reach[level] = i + 1, total, goes_on
                    level += 1
                    set_at[level] = partner[i]
                    resume[level] = i + 1
                    totals[level] = total + goes_on * (high / (i + 1))
                    reach[level] = goes_on * (1 - high)
                    against[level] = cost
                    deeper = True
                    break
                stops_b[partner[i]] = 0.0
            i += 1
        if deeper:
            continue
        if i == n:
            best = max(best, total - against[level])
        if level > 0:
            stops_b[set_at[level]] = 0.0
        level -= 1
    return best


@njit(cache=True, nogil=True)
def _cascade(stops):  # type: ignore[no-untyped-def]
    total = 0.0
    goes_on = 1.0
    for at in range(stops.size):
        total += goes_on * (stops[at] / (at + 1))
        goes_on *= 1 - stops[at]
    return total


@njit(cache=True, nogil=True)
def choose_for_precision(near, far, known, outside, fixed, exact, seed):  # type: ignore[no-untyped-def]
    """Which items to make relevant (items,), 0 or 1, so that one ranking's AP exceeds the other's the most.

    near, far (items,): 1 / rank in the ranking to favour and in the other, 0 where absent; in rank order of
    the first, then of the other. known (items,): 0, 1, or below 0. The sum of precisions is a sum over pairs
    of relevant items (an item with itself too) of the smaller of their 1 / rank, so the difference is
    quadratic in 0-1 variables. outside: known relevant items of neither. fixed: the denominator, or 0 for
    the number of relevant items. Exhaustive up to 2^exact assignments, else by tabu search.
    """
    chosen = np.zeros(near.size, np.int8)
    relevant = float(outside)
    alone = 0
    shared = 0
    for i in range(near.size):
        if known[i] >= 0:
            chosen[i] = known[i] > 0
            relevant += chosen[i]
        elif near[i] > 0:
            if far[i] == 0 and fixed > 0:
                chosen[i] = 1  # it costs nothing
            elif far[i] == 0:
                alone += 1
            else:
                shared += 1
    # Of the items of the favoured ranking alone, the higher is the better: they come first, in their order.
    free = np.empty(alone + shared, np.int64)
    first, then = 0, alone
    for i in range(near.size):
        if known[i] < 0 and near[i] > 0 and chosen[i] == 0:
            if far[i] == 0:
                free[first] = i
                first += 1
            else:
                free[then] = i
                then += 1
    base = 0.0
    lines = np.zeros(free.size)
    for i in range(near.size):
        if chosen[i]:
            for j in range(i + 1):
                if chosen[j]:
                    base += min(near[i], near[j]) - min(far[i], far[j])
            for t in range(free.size):
                lines[t] += min(near[i], near[free[t]]) - min(far[i], far[free[t]])
    pairs = np.empty((free.size, free.size))
    for s in range(free.size):
        lines[s] += near[free[s]] - far[free[s]]
        for t in range(free.size):
            pairs[s, t] = min(near[free[s]], near[free[t]]) - min(far[free[s]], far[free[t]])
    floor = float(fixed) if fixed > 0 else relevant
    each = 0.0 if fixed > 0 else 1.0
    if np.log2(alone + 1.0) + shared <= exact:
        picked = _exhaustive(base, lines, pairs, floor, each, alone)
    else:
        picked = _tabu(base, lines, pairs, floor, each, seed)
    for t in range(free.size):
        chosen[free[t]] = picked[t]
    return chosen


@njit(cache=True, nogil=True)
def _exhaustive(base, lines, pairs, floor, each, alone):  # type: ignore[no-untyped-def]
    """The best of all: every head of the first `alone` items with every subset of the rest, in Gray order."""
    n = lines.size
    shared = n - alone
    best_mask, best_head = 0, 0
    best = base / floor if floor > 0 else 0.0
    worth = np.empty(shared)
    start = base
    slopes = lines.copy()
    for head in range(alone + 1):
        if head > 0:
            start += slopes[head - 1]
            slopes += pairs[head - 1]
        worth[:] = slopes[alone:]
        top = start
        size = floor + each * head
        mask = 0
        if size > 0 and top > best * size:
            best, best_mask, best_head = top / size, 0, head
        for step in range(1, 1 << shared):
            t = 0
            while not (step >> t) & 1:
                t += 1
            sign = -1.0 if (mask >> t) & 1 else 1.0
            mask ^= 1 << t
            top += sign * worth[t]
            size += sign * each
            for j in range(shared):
                worth[j] += sign * pairs[alone + t, alone + j]
            # An item's own part is in worth already, whether it is in or out.
            worth[t] -= sign * pairs[alone + t, alone + t]
            if size > 0 and top > best * size:
                best, best_mask, best_head = top / size, mask, head
    picked = np.zeros(n, np.int8)
    picked[:best_head] = 1
    for t in range(shared):
        picked[alone + t] = (best_mask >> t) & 1
    return picked


@njit(cache=True, nogil=True)
def _tabu(base, lines, pairs, floor, each, seed):  # type: ignore[no-untyped-def]
    """A good choice by flipping one item at a time, never one that was flipped a moment ago.

    The quotient top / size is raised as Dinkelbach does it: a choice beats the best quotient so far where
    top - best * size is above 0, and that difference is what the flips maximise.
    """
    n = lines.size
    best = base / floor if floor > 0 else 0.0
    picked = np.zeros(n, np.int8)
    inside = np.zeros(n, np.int8)
    worth = np.empty(n)
    until = np.empty(n, np.int64)
    slack = 1e-12 * n  # above what rounding adds up to, or the search would improve on itself forever
    ceiling = 1.0 if each > 0 else np.inf  # no average precision is above 1
    state = np.uint64(seed) * np.uint64(2654435769) + np.uint64(88172645463325252)
    for start in range(_STARTS):
        density = 0.0 if start == 0 else start / (_STARTS - 1)
        top = base
        size = floor
        inside[:] = 0
        until[:] = 0
        worth[:] = lines
        for i in range(n):
            state = _next(state)
            if _share(state) < density:
                inside[i] = 1
                top += worth[i]
                size += each
                worth += pairs[i]
                worth[i] -= pairs[i, i]
        if size > 0 and top > best * size + slack:
            best = top / size
            picked[:] = inside
        step = 0
        idle = 0
        while idle < 5 * n + 20 and step < 100 * n + 400 and best < ceiling:
            step += 1
            idle += 1
            flip, gain = -1, -np.inf
            line = top - best * size
            for i in range(n):
                change = worth[i] - best * each
                if inside[i]:
                    change = -change
                if change > gain and (until[i] < step or line + change > slack):
                    flip, gain = i, change
            if flip < 0:
                continue  # all are tabu for now
            sign = -1.0 if inside[flip] else 1.0
            inside[flip] = 1 - inside[flip]
            top += sign * worth[flip]
            size += sign * each
            for j in range(n):
                worth[j] += sign * pairs[flip, j]
            worth[flip] -= sign * pairs[flip, flip]
            state = _next(state)
            until[flip] = step + n // 10 + 1 + int(_share(state) * 10)
            if size > 0 and top > best * size + slack:
                best = top / size
                picked[:] = inside
                idle = 0
    return picked


_STARTS = 12


@njit(cache=True, nogil=True)
def _next(state):  # type: ignore[no-untyped-def]
    """One step of xorshift64 (Marsaglia 2003): the search repeats itself wherever it runs."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@njit(cache=True, nogil=True)
def _share(state):  # type: ignore[no-untyped-def]
    return (state >> np.uint64(11)) / 9007199254740992.0
