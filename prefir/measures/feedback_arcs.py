"""Feedback arcs of a preference graph: what an order violates, greedy sequences, the least number."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from prefir.extras import require

from .graph import PreferenceGraph, require_graph
from .rbo import rank_of


def violated_preferences(order: Sequence[Hashable], graph: PreferenceGraph) -> dict[tuple[str, str], int]:
    """Preferences that an order violates, its backward arcs: (preferred, other) -> how many judgments.

    order (n,): distinct docnos, best first. An item that the order lacks is below all that it has; two that
    it lacks are in no order and violate nothing. Contradicting judgments count each; ties do not.
    Empty where nothing is violated. Raises ValueError where a docno repeats. Time grows with n plus edges.
    Source: Luo, thesis, Waterloo 2021, 3.2: the arcs that point from right to left.
    """
    require_graph(graph, first="the order comes")
    rank = rank_of(order)
    below = len(rank)
    return {
        (preferred, other): times
        for preferred, other, times in sorted(graph.edges())
        if rank.get(preferred, below) > rank.get(other, below)
    }


def greedy_sequences(graph: PreferenceGraph) -> Iterator[tuple[str, ...]]:
    """Iterate over all sequences that Greedy FAS may give, each once, whichever vertex it takes at a time.

    Where several vertices are sinks, sources or of the largest difference of degrees, the algorithm takes
    an arbitrary one; here each in docno order. A vertex without an edge is a sink. Multiple edges count in
    the differences. The first sequence takes time that grows with nodes times edges; how many there are may
    grow with the factorial of the nodes, so take only as many as needed.
    Source: Luo, thesis, Waterloo 2021, algorithm 1, after Eades, Lin & Smyth, 1993.
    """
    require_graph(graph)
    edges = sorted(graph.edges())
    waiting: list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = [(graph.nodes, (), ())]
    while waiting:
        left, head, tail = waiting.pop()
        if not left:
            yield head + tail
            continue
        inside = set(left)
        out, into = dict.fromkeys(left, 0), dict.fromkeys(left, 0)
        for preferred, other, times in edges:
            if preferred in inside and other in inside:
                out[preferred] += times
                into[other] += times
        sinks = [node for node in left if not out[node]]
        sources = [node for node in left if not into[node]]
        most = max(out[node] - into[node] for node in left)
        for chosen in reversed(sinks or sources or [node for node in left if out[node] - into[node] == most]):
            rest = tuple(node for node in left if node != chosen)
            waiting.append((rest, head, (chosen, *tail)) if sinks else (rest, (*head, chosen), tail))


class FewestViolated(NamedTuple):
    """An order of all items that violates the fewest preferences, and how many judgments these are."""

    order: tuple[str, ...]
    violated: int


def fewest_violated(graph: PreferenceGraph, *, largest: int = 50) -> FewestViolated:
    """Order that violates the fewest preferences: an exact minimum feedback arc set.

    Each strongly connected component is an integer program of its own (linear ordering, with a constraint for
    each triple), which scipy's HiGHS solves; what is acyclic costs nothing. Of several best orders one is
    given. An empty graph gives an empty order.
    Raises ValueError where a component has more than `largest` items: the problem is NP-hard. A component of
    50 items that are all compared took some seconds; no time is promised.
    Source: Luo, thesis, Waterloo 2021, 3.1, 3.2; the program: Grötschel, Jünger & Reinelt, 1984.
    """
    require("networkx")
    from networkx import DiGraph, condensation, lexicographical_topological_sort

    require_graph(graph)
    simple: Any = DiGraph()
    simple.add_nodes_from(graph.nodes)
    simple.add_weighted_edges_from(graph.edges())
    parts = condensation(simple)
    items = {part: sorted(parts.nodes[part]["members"]) for part in parts}
    order: list[str] = []
    for part in lexicographical_topological_sort(parts, key=lambda part: items[part][0]):
        if len(items[part]) > largest:
            raise ValueError(
                f"{len(items[part])} items prefer one another in circles, more than largest, {largest}; "
                "the exact order would take too long"
            )
        order += _best_order(items[part], graph) if len(items[part]) > 1 else items[part]
    return FewestViolated(tuple(order), sum(violated_preferences(order, graph).values()))


def _best_order(items: Sequence[str], graph: PreferenceGraph) -> list[str]:
    """Order a component's items by linear ordering: variable (i, j) is 1 where i is before j."""
    require("scipy")
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    number = {pair: place for place, pair in enumerate(combinations(range(len(items)), 2))}
    # What it costs that i is before j, less what the other way round costs.
    cost = [graph.times(items[j], items[i]) - graph.times(items[i], items[j]) for i, j in number]
    triples = list(combinations(range(len(items)), 3))
    columns = [[number[i, j], number[j, k], number[i, k]] for i, j, k in triples]
    rules = csr_array(
        (
            np.tile([1.0, 1.0, -1.0], len(triples)),
            (np.repeat(np.arange(len(triples)), 3), np.array(columns, np.int64).ravel()),
        ),
        shape=(len(triples), len(number)),
    )
    found = milp(
        np.array(cost, np.float64),
        integrality=np.ones(len(number)),
        bounds=(0, 1),
        constraints=LinearConstraint(rules, 0, 1) if triples else (),
    )
    before = np.zeros(len(items), np.int64)
    for (i, j), first in zip(number, np.round(found.x), strict=True):
        before[j if first else i] += 1
    return [items[place] for place in before.argsort(kind="stable")]
