"""The set of items with the best share of two sums, by minimum cuts: `prefir.measures.ceilings` says of what.

Whole numbers of 64 bits: the largest is some 16 times the square of a topic's judgments.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_share(ends, top, whole, inside_top, inside_whole):
    """Largest N(T) / E(T) over all sets T of items with E(T) > 0, as N, E and the number of T's items.

    N and E are sums of `top` and `whole` (items,) over the items of T, less `inside_top` and `inside_whole`
    (pairs,) over the pairs with both `ends` (2, pairs) in T. Some `whole` is above 0. The best single item
    has a share of one half or more, and λ `inside_whole` is `inside_top` or more from there on.
    """
    n, e, items = np.int64(0), np.int64(0), 1
    for item in range(top.size):
        if whole[item] > 0 and (not e or top[item] * e > n * whole[item]):
            n, e = top[item], whole[item]
    while n < e:
        # N(T) e - n E(T), twice, as a cut that separates T from the rest: each pair has half of its gain at
        # either end, and loses it where it is cut.
        pairs = n * inside_whole - e * inside_top
        gains = 2 * (e * top - n * whole)
        for pair in range(pairs.size):
            gains[ends[0, pair]] += pairs[pair]
            gains[ends[1, pair]] += pairs[pair]
        chosen = best_set(gains, ends, pairs)
        better_n, better_e, count = np.int64(0), np.int64(0), 0
        for item in range(top.size):
            if chosen[item]:
                better_n += top[item]
                better_e += whole[item]
                count += 1
        for pair in range(pairs.size):
            if chosen[ends[0, pair]] and chosen[ends[1, pair]]:
                better_n -= inside_top[pair]
                better_e -= inside_whole[pair]
        if better_n * e <= n * better_e:
            break
        n, e, items = better_n, better_e, count
    return n, e, items


@njit
def best_set(gains, ends, pairs):
    """The set (items,) with the largest sum of gains less the weights of the pairs that it cuts.

    The side of the source of a minimum cut, by a maximum flow (Dinic, Soviet Math. Dokl. 11, 1970): from the
    source to each item with a gain above 0, from each other one to the sink, and both ways along each pair.
    An arc and its reverse are neighbours: `a ^ 1` is the reverse of `a`.
    """
    items, source, sink = gains.size, gains.size, gains.size + 1
    arcs = 2 * (items + pairs.size)
    first = np.full(items + 2, -1, np.int32)  # of a node's arcs; `following` is the next of the same node
    following, to, room = np.empty(arcs, np.int32), np.empty(arcs, np.int32), np.zeros(arcs, np.int64)
    for at in range(items + pairs.size):
        if at < items:
            start, stop = (source, at) if gains[at] > 0 else (at, sink)
            room[2 * at] = abs(gains[at])
        else:
            start, stop = ends[0, at - items], ends[1, at - items]
            room[2 * at] = room[2 * at + 1] = pairs[at - items]
        to[2 * at], following[2 * at], first[start] = stop, first[start], 2 * at
        to[2 * at + 1], following[2 * at + 1], first[stop] = start, first[stop], 2 * at + 1
    far, queue = np.empty(items + 2, np.int32), np.empty(items + 2, np.int32)
    path, least = np.empty(items + 2, np.int32), np.empty(items + 2, np.int64)
    while True:
        far[:] = -1
        far[source], queue[0], seen, done = 0, source, 1, 0
        while done < seen:
            node = queue[done]
            done += 1
            arc = first[node]
            while arc >= 0:
                if room[arc] > 0 and far[to[arc]] < 0:
                    far[to[arc]] = far[node] + 1
                    queue[seen] = to[arc]
                    seen += 1
                arc = following[arc]
        if far[sink] < 0:
            return far[:items] >= 0
        _saturate(source, sink, first.copy(), following, to, room, far, path, least)


@njit
def _saturate(source, sink, arcs, following, to, room, far, path, least):
    """Send flow along all shortest ways, until none is left. arcs: of each node the next to try."""
    node, length = source, 0
    while True:
        if node == sink:
            flow = least[length - 1]
            for at in range(length - 1, -1, -1):
                room[path[at]] -= flow
                room[path[at] ^ 1] += flow
                if not room[path[at]]:
                    length = at  # go on from the first arc that is full
            node = to[path[length] ^ 1]
            for at in range(length):
                least[at] -= flow
            continue
        arc = arcs[node]
        while arc >= 0 and not (room[arc] > 0 and far[to[arc]] == far[node] + 1):
            arc = following[arc]
        arcs[node] = arc
        if arc >= 0:
            path[length] = arc
            least[length] = min(least[length - 1], room[arc]) if length else room[arc]
            length += 1
            node = to[arc]
        elif length:
            length -= 1
            node = to[path[length] ^ 1]
            arcs[node] = following[arcs[node]]
        else:
            return
