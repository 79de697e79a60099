"""The ideal ranking of a preference graph, and PGC of many runs with it.

A graph is one array of int32 (`pack` makes it), since each array that a call hands over costs time:

    nodes, edges
    above_start (nodes + 1), below_start (nodes + 1), outs (nodes), ins (nodes)
    above (2 * edges), below (2 * edges)

`above` of a node are the nodes preferred to it, `below` those that it is preferred to; after each stands how
often, so that both are read at once.
"""

import numpy as np
from numba import njit, uint64

from .bits import put, take_greatest, take_least, words

_HEADER = 2
_GONE = 1 << 30  # more than any graph's edges: what is gone has the least difference
_LEAST = np.int64(-1 << 62)
_POSITION, _OUTS = 32, (1 << 32) - 1


@njit(cache=True, nogil=True)
def pack(nodes, source, target, times):
    """The packed graph of distinct edges source[i] -> target[i], times[i] each; arrays (edges,) of int32.

    Two passes of counting: time and memory grow with nodes plus edges.
    """
    edges = source.size
    graph = np.zeros(_HEADER + 2 * (nodes + 1) + 2 * nodes + 4 * edges, np.int32)
    graph[0], graph[1] = nodes, edges
    above_start, below_start, outs, ins, above, below = parts(graph)
    for edge in range(edges):
        below_start[source[edge] + 1] += 1
        above_start[target[edge] + 1] += 1
        outs[source[edge]] += times[edge]
        ins[target[edge]] += times[edge]
    for node in range(nodes):
        below_start[node + 1] += below_start[node]
        above_start[node + 1] += above_start[node]
    below_next, above_next = below_start[:-1].copy(), above_start[:-1].copy()
    for edge in range(edges):
        u, v = source[edge], target[edge]
        below[2 * below_next[u]], below[2 * below_next[u] + 1] = v, times[edge]
        above[2 * above_next[v]], above[2 * above_next[v] + 1] = u, times[edge]
        below_next[u] += 1
        above_next[v] += 1
    return graph


@njit
def parts(graph):
    """Views of a packed graph's parts."""
    nodes, edges = graph[0], graph[1]
    starts = _HEADER + 2 * (nodes + 1)
    lists = starts + 2 * nodes
    return (
        graph[_HEADER : _HEADER + nodes + 1],
        graph[_HEADER + nodes + 1 : starts],
        graph[starts : starts + nodes],
        graph[starts + nodes : lists],
        graph[lists : lists + 2 * edges],
        graph[lists + 2 * edges : lists + 4 * edges],
    )


@njit
def _largest(outs, ins, later, shift, best, stale, wide, many):
    """Position of the node of largest out-degree minus in-degree, the first in the run of equal ones.

    later (nodes,): how many nodes come after each in the run. Only stale blocks are looked through.
    """
    largest = _LEAST
    for block in range(best.size):
        if stale[block] or not many:
            top = _LEAST
            # Unsigned numbers spare the compiled code a test for indices that count from the end.
            for at in range(uint64(block << wide), uint64(min(outs.size, (block + 1) << wide))):
                top = max(top, (np.int64(outs[at] - ins[at]) << shift) + later[at])
            best[block] = top
            stale[block] = False
        largest = max(largest, best[block])
    return outs.size - 1 - (largest & ((1 << shift) - 1))


@njit(cache=True, nogil=True)
def ideal(graph, order):
    """Nodes (nodes,), best first: sinks to the tail, sources to the head, else the largest degree difference.

    order (nodes,): all nodes as the run has them, which settles every tie: of sinks the last goes
    first, of sources and of equal differences the first. Time grows with nodes plus edges; in a graph
    with cycles each node taken for its difference adds the square root of the nodes, more or less.
    """
    # The loops stand here four times: a helper that is handed these arrays costs more than the work.
    count = np.int64(graph[0])
    above_start, below_start, first_outs, first_ins, above, below = parts(graph)
    result = np.empty(count, np.int32)
    low = (count + 63) >> 6
    sinks = np.zeros(words(count), np.uint64)
    # Of each node the position and, below it, the edges to nodes that are still there: read at once.
    state = np.empty(count, np.int64)
    for at in range(uint64(count)):
        node = uint64(order[at])
        state[node] = (np.int64(at) << _POSITION) | first_outs[node]
        if not first_outs[node]:
            put(sinks, low, at)
    head, tail = 0, count
    # A graph without cycles is all sinks in turn, which need nothing else.
    at = take_greatest(sinks, low)
    while at >= 0:
        node = order[uint64(at)]
        tail -= 1
        result[uint64(tail)] = node
        first = uint64(node)
        for edge in range(uint64(above_start[first]), uint64(above_start[first + uint64(1)])):
            other = uint64(above[uint64(2) * edge])
            left = state[other] - above[uint64(2) * edge + uint64(1)]
            state[other] = left
            if not left & _OUTS:
                put(sinks, low, uint64(left >> _POSITION))
        at = take_greatest(sinks, low)
    if not tail:
        return result
    outs, ins = np.empty(count, np.int32), first_ins.copy()
    position, later = np.empty(count, np.int32), np.empty(count, np.int32)
    for node in range(count):
        outs[node], position[node] = state[node] & _OUTS, state[node] >> _POSITION
        later[node] = count - 1 - position[node]
    sources = np.zeros(words(count), np.uint64)
    for place in range(tail, count):
        ins[result[place]] = _GONE
    for node in range(count):
        if not ins[node]:
            put(sources, low, position[node])
    shift = 0
    while 1 << shift < count:
        shift += 1
    # Of each block the largest difference; stale where the node that had it has less now, or is gone.
    # About as many blocks as nodes in one, since both are looked through.
    wide = uint64(max(6, (shift + 1) // 2))
    best = np.full(((count - 1) >> wide) + 1, _LEAST)
    stale = np.ones(best.size, np.bool_)
    many = count > 512
    while True:
        at = take_greatest(sinks, low)
        while at >= 0:
            node = order[at]
            # Below 0 from here on, and so never again counted down to it.
            outs[node], ins[node] = 0, _GONE
            stale[node >> wide] = True
            tail -= 1
            result[tail] = node
            for edge in range(uint64(above_start[node]), uint64(above_start[node + 1])):
                other = uint64(above[uint64(2) * edge])
                if many:
                    falling = (np.int64(outs[other] - ins[other]) << shift) + later[other]
                    if falling == best[other >> wide]:
                        stale[other >> wide] = True
                outs[other] -= above[uint64(2) * edge + uint64(1)]
                if outs[other] == 0:
                    put(sinks, low, position[other])
            at = take_greatest(sinks, low)
        if head == tail:
            return result
        # Taking a source leaves every out-degree as it is, so no sink can appear until they are all gone.
        at = take_least(sources, low)
        if at >= 0:
            node = order[at]
            if ins[node] > 0:  # it was taken as a sink meanwhile
                continue
        else:
            node = order[_largest(outs, ins, later, shift, best, stale, wide, many)]
            for edge in range(uint64(above_start[node]), uint64(above_start[node + 1])):
                other = uint64(above[uint64(2) * edge])
                if many:
                    falling = (np.int64(outs[other] - ins[other]) << shift) + later[other]
                    if falling == best[other >> wide]:
                        stale[other >> wide] = True
                outs[other] -= above[uint64(2) * edge + uint64(1)]
                if outs[other] == 0:
                    put(sinks, low, position[other])
        outs[node], ins[node] = 0, _GONE
        stale[node >> wide] = True
        result[head] = node
        head += 1
        for edge in range(uint64(below_start[node]), uint64(below_start[node + 1])):
            other = uint64(below[uint64(2) * edge])
            ins[other] -= below[uint64(2) * edge + uint64(1)]
            if many:
                risen = (np.int64(outs[other] - ins[other]) << shift) + later[other]
                best[other >> wide] = max(best[other >> wide], risen)
            if ins[other] == 0:
                put(sources, low, position[other])


@njit
def _add_joins(joins, last, worth, values):
    """`rbo.rbo_of_depths` of one run, into values (persistences,); clears joins (depths,) up to `last`."""
    for joined in range(1, last + 1):
        if joins[joined]:
            for p in range(worth.shape[0]):
                values[p] += joins[joined] * worth[p, joined]
            joins[joined] = 0
    for p in range(worth.shape[0]):
        values[p] = min(values[p], 1.0)


@njit(cache=True, nogil=True)
def pgc_rows(graph, rows, worth):
    """PGC (runs, persistences) of rankings (runs, ranks) given as nodes, -1 for items not in the graph.

    Raises IndexError for any other number.
    worth (persistences, depth + 1): what an item adds that is in both lists from a depth on.
    """
    count = graph[0]
    runs, ranks = rows.shape
    values = np.zeros((runs, worth.shape[0]))
    rank = np.empty(count, np.int32)
    order = np.empty(count, np.int32)
    joins = np.zeros(worth.shape[1], np.int32)
    for run in range(runs):
        rank[:] = -1
        ranked = 0
        for at in range(ranks):
            node = rows[run, at]
            if node < -1 or node >= count:
                raise IndexError("a row numbers a node that the graph lacks")
            if node >= 0 and rank[node] < 0:  # a node that came before would overrun `order`
                rank[node] = at
                order[ranked] = node
                ranked += 1
        for node in range(count if ranked < count else 0):
            if rank[node] < 0:
                order[ranked] = node
                ranked += 1
        best = ideal(graph, order)
        last = 0
        for place in range(count):
            at = rank[best[place]]
            if at >= 0:
                joined = 1 + max(place, at)
                if joined < joins.size:
                    joins[joined] += 1
                    last = max(last, joined)
        _add_joins(joins, last, worth, values[run])
    return values
