"""Structure of a preference graph: judged pairs, contradictions, cycles, components, transitivity."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from prefir.extras import require

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
    require("networkx")
    from networkx import strongly_connected_components

    found = (tuple(sorted(part)) for part in strongly_connected_components(_simple(graph)) if len(part) > 1)
    return sorted(found, key=lambda part: (-len(part), part))


def cyclic_edges(graph: PreferenceGraph) -> set[tuple[str, str]]:
    """Edges that lie on some cycle of three items or more, as (preferred, other).

    A contradicted pair alone is a cycle of two, and none of these. Time grows with nodes and edges, and once
    more for each contradicted pair inside of a larger strong component.
    """
    require("networkx")
    from networkx import has_path, strongly_connected_components

    simple = _simple(graph)
    found = set()
    for part in strongly_connected_components(simple):
        if len(part) < 3:
            continue
        inner = simple.subgraph(part).copy()
        for u, v in list(inner.edges):
            if not inner.has_edge(v, u):
                found.add((u, v))
                continue
            # Round by others, not straight back.
            inner.remove_edge(v, u)
            if has_path(inner, v, u):
                found.add((u, v))
            inner.add_edge(v, u)
    return found


class Layered(NamedTuple):
    """A graph's items best first, and the layer of each, from 0 on: preferences along the order go down."""

    order: tuple[str, ...]
    layer: dict[str, int]


def layered(graph: PreferenceGraph, places: Mapping[str, int] | None = None) -> Layered:
    """Layers of a preference graph's items, to draw it: those with a place first, then the ideal ranking.

    places: docno -> place from 1 on, as of a tournament's top k; equal places share a layer, and all other
    items are below. Of the others, an item is one layer below the lowest of those preferred to it that stand
    before it in the ideal ranking (longest path); one without any preference is as high as whatever it
    tied with, else last. Time grows with nodes and edges as `ideal_ranking` does.
    """
    from .preference import ideal_by_place

    known = {item: place for item, place in (places or {}).items() if item in set(graph.nodes)}
    rest = [item for item in ideal_by_place({}, graph) if item not in known]
    order = (*sorted(known, key=lambda item: (known[item], item)), *rest)
    rank = {item: number for number, item in enumerate(order)}
    steps = sorted(set(known.values()))
    layer = {item: steps.index(place) for item, place in known.items()}
    above: dict[str, list[str]] = {}
    seen: set[str] = set()
    for preferred, other, _ in graph.edges():
        seen |= {preferred, other}
        if rank[preferred] < rank[other]:
            above.setdefault(other, []).append(preferred)
    for item in rest:
        if item in seen:
            layer[item] = max((layer[one] + 1 for one in above.get(item, ())), default=len(steps))
            layer[item] = max(layer[item], len(steps))
    _with_their_ties(graph, [item for item in rest if item not in seen], layer, len(steps))
    return Layered(tuple(sorted(order, key=lambda item: (layer[item], rank[item]))), layer)


def _with_their_ties(
    graph: PreferenceGraph, alone: Sequence[str], layer: dict[str, int], highest: int
) -> None:
    """Put items without preferences beside the highest item that each tied with, else last."""
    last = max(layer.values(), default=highest)
    tied: dict[str, list[int]] = {}
    for a, b, _ in graph.ties():
        for item, other in ((a, b), (b, a)):
            if other in layer:
                tied.setdefault(item, []).append(layer[other])
    for item in alone:
        layer[item] = max(highest, min(tied.get(item, [last])))


def has_cycle(graph: PreferenceGraph) -> bool:
    """Whether the graph has a cycle, so that no ranking respects every preference. Time: nodes plus edges."""
    require("networkx")
    from networkx import is_directed_acyclic_graph

    return not is_directed_acyclic_graph(_simple(graph))


def cycles(graph: PreferenceGraph, *, longest: int | None = None) -> Iterator[tuple[str, ...]]:
    """Iterate over the elementary cycles, each from its least docno on; a contradicted pair is one of two.

    Their number may grow exponentially with the items, so take only as many as needed, or limit the items
    of a cycle to `longest`. Source: Johnson, SIAM J. Comput. 4(1), 1975, as networkx has it.
    """
    require("networkx")
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
    require("networkx")
    from networkx import DiGraph

    simple = DiGraph()
    simple.add_nodes_from(graph.nodes)
    simple.add_edges_from((preferred, other) for preferred, other, _ in graph.edges())
    return simple
