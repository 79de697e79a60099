"""Preference graph compatibility (PGC): a run against the ordering of a preference graph nearest to it."""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf

from .compatibility import Similarity
from .graph import Adjacency, PreferenceGraph
from .rbo import ABSENT, rank_of, shared_depths, weigh


def pgc(
    graph: PreferenceGraph, run: Sequence[str], *, p: float = 0.95, depth: int = 1000, normalize: bool = True
) -> float:
    """Preference graph compatibility: RBO of the run with the graph's ideal ranking for that run.

    run (n,): distinct docnos, best first; n may be 0, which gives 0. `p`, `depth`, `normalize` as in
    `rbo`. Returns a float in [0, 1]; `ABSENT` (nan) where the graph has no node, whatever the run.
    Raises ValueError as `rbo` does. Source: Clarke, Luo & Smucker, SIGIR 2021; Luo, thesis, 2021.
    Time grows with items plus edges (times a logarithm in the items).
    """
    return pgc_many(graph, run, (p,), depth=depth, normalize=normalize).values[0]


def pgc_many(
    graph: PreferenceGraph,
    run: Sequence[str],
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
) -> Similarity:
    """`pgc` for each persistence in `ps`, in that order, with the ideal ranking beside it."""
    rank = rank_of(run)
    ideal = ideal_by_place(graph, rank)
    values = weigh(shared_depths(rank, ideal), ps, depth=depth, normalize=normalize)
    return Similarity(values if ideal else (ABSENT,) * len(values), ideal)


def ideal_ranking(graph: PreferenceGraph, run: Sequence[str]) -> tuple[str, ...]:
    """All items of the graph, in the order that respects its preferences and is nearest to the run.

    A greedy answer to minimum feedback arc set, which is NP-hard; without cycles no preference is
    violated. Where the run does not decide (items that it lacks) the order is docno's. An empty graph
    gives an empty ranking. Raises ValueError where the run repeats a docno.
    Source: Luo, thesis, Waterloo 2021, algorithms 1-7, after Eades, Lin & Smyth 1993.
    """
    return ideal_by_place(graph, rank_of(run))


def ideal_by_place(graph: PreferenceGraph, place: Mapping[str, float]) -> tuple[str, ...]:
    """`ideal_ranking` where items have places instead of ranks: the smaller the better, ties allowed.

    Items without a place come after all others; equal places go by docno.
    """
    adjacency = graph.adjacency()
    # Numbers are in docno order and sorting is stable, so this one order settles every later tie.
    far = [place.get(docno, inf) for docno in adjacency.docnos]
    order = sorted(range(len(far)), key=far.__getitem__)
    return tuple(adjacency.docnos[node] for node in _greedy(adjacency, order))


def _greedy(adjacency: Adjacency, order: list[int]) -> list[int]:
    """Nodes best first: sinks to the tail, sources to the head, else the node of largest degree difference.

    order: all nodes as the run has them. Heaps hold positions in it, so that their least element is the
    one to take: sinks from the run's end, sources from its start.
    """
    _, above, above_times, below, below_times = adjacency
    count = len(order)
    position = [0] * count
    for at, node in enumerate(order):
        position[node] = at
    outs = [sum(times) for times in below_times]  # edges to nodes that are still there
    ins = [sum(times) for times in above_times]
    there = [True] * count
    sinks = [-position[node] for node in range(count) if not outs[node]]
    sources = [position[node] for node in range(count) if not ins[node]]
    heapify(sinks)
    heapify(sources)
    # Only a graph with a cycle comes to need this queue: entry = -difference * count + position.
    queue: list[int] | None = None
    entry: list[int] = []
    raised: list[int] = []
    head: list[int] = []
    tail: list[int] = []
    while True:
        while sinks:
            node = order[-heappop(sinks)]
            if not there[node]:
                continue
            there[node] = False
            tail.append(node)
            for other, times in zip(above[node], above_times[node], strict=True):
                outs[other] -= times
                if not outs[other] and there[other]:
                    heappush(sinks, -position[other])
        # Taking a source leaves every out-degree as it is, so no sink can appear until they are all gone.
        if sources:
            node = order[heappop(sources)]
            if not there[node]:
                continue
        elif len(head) + len(tail) == count:
            break
        else:
            if queue is None:
                entry = [(ins[node] - outs[node]) * count + position[node] for node in range(count)]
                queue = [entry[node] for node in range(count) if there[node]]
                heapify(queue)
            else:
                # A difference that rose since must be queued anew; one that fell is found out below.
                for other in set(raised):
                    now = (ins[other] - outs[other]) * count + position[other]
                    if there[other] and now < entry[other]:
                        entry[other] = now
                        heappush(queue, now)
            raised = []
            node = _largest(queue, entry, order, ins, outs, there)
            for other, times in zip(above[node], above_times[node], strict=True):
                outs[other] -= times
                if not outs[other] and there[other]:
                    heappush(sinks, -position[other])
        there[node] = False
        head.append(node)
        raised.extend(below[node])
        for other, times in zip(below[node], below_times[node], strict=True):
            ins[other] -= times
            if not ins[other] and there[other]:
                heappush(sources, position[other])
    return head + tail[::-1]


def _largest(
    queue: list[int], entry: list[int], order: list[int], ins: list[int], outs: list[int], there: list[bool]
) -> int:
    """Take the node of largest out-degree minus in-degree, the first in the run's order where equal.

    A node has one entry that counts; entries of nodes that are gone or were queued anew are passed over.
    """
    while True:
        key = heappop(queue)
        node = order[key % len(order)]
        if not there[node] or key != entry[node]:
            continue
        now = (ins[node] - outs[node]) * len(order) + key % len(order)
        if now == key:
            return node
        entry[node] = now
        heappush(queue, now)
