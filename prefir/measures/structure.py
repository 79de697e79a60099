"""Structure of a preference graph: judged pairs, contradictions, cycles, components, transitivity."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from .consistency import Transitivity, transitivity
from .graph import PreferenceGraph
from .images import majority


class JudgedPair(NamedTuple):
    """A judged pair, a before b in docno order, and how many judgments preferred a, b or neither."""

    a: str
    b: str
    for_a: int
    for_b: int
    ties: int

    @property
    def judgments(self) -> int:
        """Number of judgments of the pair."""
        return self.for_a + self.for_b + self.ties


def judged_pairs(graph: PreferenceGraph) -> list[JudgedPair]:
    """List the judged pairs in docno order. Time grows with the distinct edges, times their logarithm."""
    counts: dict[tuple[str, str], list[int]] = {}
    for preferred, other, times in graph.edges():
        pair = (min(preferred, other), max(preferred, other))
        counts.setdefault(pair, [0, 0, 0])[preferred > other] += times
    for a, b, times in graph.ties():
        counts.setdefault((a, b), [0, 0, 0])[2] += times
    return [JudgedPair(*pair, *counts[pair]) for pair in sorted(counts)]


def contradicted_pairs(graph: PreferenceGraph) -> list[JudgedPair]:
    """List the pairs in which each item was preferred to the other by some judgment."""
    return [pair for pair in judged_pairs(graph) if pair.for_a and pair.for_b]


def repeated_pairs(graph: PreferenceGraph) -> list[JudgedPair]:
    """List the pairs with more than one judgment, ties included."""
    return [pair for pair in judged_pairs(graph) if pair.judgments > 1]


def strong_components(graph: PreferenceGraph) -> list[tuple[str, ...]]:
    """Strongly connected components of two items or more: each item reaches each other along preferences.

    Largest first, then by docno; none without cycles. Time grows with nodes and edges.
    """
    from networkx import strongly_connected_components

    found = (tuple(sorted(part)) for part in strongly_connected_components(_simple(graph)) if len(part) > 1)
    return sorted(found, key=lambda part: (-len(part), part))


def has_cycle(graph: PreferenceGraph) -> bool:
    """Whether the graph has a cycle, so that no ranking respects every preference. Time: nodes plus edges."""
    from networkx import is_directed_acyclic_graph

    return not is_directed_acyclic_graph(_simple(graph))


def cycles(graph: PreferenceGraph, *, longest: int | None = None) -> Iterator[tuple[str, ...]]:
    """Iterate over the elementary cycles, each from its least docno on; a contradicted pair is one of two.

    Their number may grow exponentially with the items, so take only as many as needed, or limit the items
    of a cycle to `longest`. Source: Johnson, SIAM J. Comput. 4(1), 1975, as networkx has it.
    """
    from networkx import simple_cycles

    for cycle in simple_cycles(_simple(graph), length_bound=longest):
        start = cycle.index(min(cycle))
        yield (*cycle[start:], *cycle[:start])


def graph_transitivity(graph: PreferenceGraph) -> Transitivity:
    """`transitivity` of the pairs' majority answers; a pair without a majority counts as tied."""
    return transitivity(
        {
            (a, b): majority([-1] * for_a + [1] * for_b + [0] * ties)
            for a, b, for_a, for_b, ties in judged_pairs(graph)
        }
    )


def _simple(graph: PreferenceGraph) -> Any:
    """Make a networkx graph with a single edge for repeated judgments."""
    from networkx import DiGraph

    simple = DiGraph()
    simple.add_nodes_from(graph.nodes)
    simple.add_edges_from((preferred, other) for preferred, other, _ in graph.edges())
    return simple
