"""Preference graphs: one PGC beside igraph's greedy feedback arc set, and how the cost grows."""

from collections import Counter
from collections.abc import Callable, Iterator
from math import log
from typing import Any

import numpy as np

from prefir.measures import PreferenceGraph, ideal_ranking, pgc
from prefir.measures.preference import pgc_rows
from prefir.measures.rankings import Rankings

from . import inputs
from .timing import HEADER, Call, Case, Table, best, lines, missing, written

NOTE = """A graph of about 210 items and 5,500 edges as grades give it (10, 12, 7 and 181 items of grades 3
to 0), without cycles and with 2, 10 and 50 % of the edges turned round; and one of as many edges drawn
alike. The run has 1,000 items, the graph's scattered among them. igraph finds a feedback arc set and no
more; ours is the ideal ranking and RBO with the run to depth 1,000. Graphs are made before: igraph's
`Graph`, and ours packed, which it keeps until it changes. "Run numbered": the run's docnos were turned into
numbers before, as `Rankings` does once for all runs; "run of docnos": `pgc(run, graph)`."""
GROWTH = """The ideal ranking alone, of a packed graph, from sparse to dense. "Exponent" is the slope since
the line above, in time against nodes plus edges: 1 where growth is linear. Beside the work it has what a
graph costs that leaves the processor's caches. Where neither a sink nor a source is left, the node of the
largest difference of degrees is sought among blocks of nodes, which costs about the square root of the
nodes each time: sparse graphs that are nothing but cycles show it."""
SHAPES: tuple[tuple[str, Callable[[int], int], bool], ...] = (
    ("grades' shape: few nodes, no cycles", lambda edges: max(3, int((8 * edges) ** 0.5)), False),
    ("few nodes, with cycles", lambda edges: max(3, int((8 * edges) ** 0.5)), True),
    ("25 edges a node, no cycles", lambda edges: max(3, edges // 25), False),
    ("25 edges a node, with cycles", lambda edges: max(3, edges // 25), True),
    ("2 edges a node, no cycles", lambda edges: max(3, edges // 2), False),
    ("2 edges a node, with cycles", lambda edges: max(3, edges // 2), True),
)


def graph_of(edges: list[tuple[int, int]]) -> PreferenceGraph:
    """Our graph of numbered edges."""
    return PreferenceGraph((inputs.named(u), inputs.named(v)) for u, v in edges)


def igraph_call(nodes: int, edges: list[tuple[int, int]], timed: str) -> Call | str:
    """igraph's part, or what to install for it."""
    if missing(["igraph"]):
        return "igraph is missing"
    import igraph

    graph = igraph.Graph(nodes, edges, directed=True)
    return Call(timed, lambda: graph.feedback_arc_set(method="eades"))


def same_edges_broken(edges: list[tuple[int, int]], run: list[str]) -> Callable[[Any, Any], bool]:
    """Whether both leave all edges of a graph without cycles; with cycles two greedy answers may differ."""

    def same(_: Any, arcs: list[int]) -> bool:
        place = {docno: at for at, docno in enumerate(ideal_ranking(run, graph_of(edges)))}
        return not arcs and all(place[inputs.named(u)] < place[inputs.named(v)] for u, v in edges)

    return same


def cases(size: inputs.Size) -> Iterator[Case]:
    """One PGC on each graph, with the run numbered and with its docnos."""
    run = inputs.spread(size.items, size.depth)
    graphs = [
        ("no cycles", inputs.graded_edges(size.items, 0.0)),
        *(
            (f"{flipped:.0%} turned round", inputs.graded_edges(size.items, flipped))
            for flipped in (0.02, 0.1, 0.5)
        ),
    ]
    graphs.append(("drawn alike", inputs.random_edges(size.items, len(graphs[0][1]), cycles=True)))
    rankings = Rankings({"run": {"topic": run}})
    for name, edges in graphs:
        graph = graph_of(edges)
        rows = rankings.rows("topic", graph.nodes)
        peer = igraph_call(size.items, edges, "igraph `feedback_arc_set`")
        same = same_edges_broken(edges, run) if name == "no cycles" else None
        what = f"{name}: {len(graph.nodes)} items, {graph.edge_count:,} edges"

        def numbered(rows: Any = rows, graph: PreferenceGraph = graph) -> Any:
            return pgc_rows(rows, graph)

        def of_docnos(graph: PreferenceGraph = graph) -> float:
            return pgc(run, graph)

        yield Case(what, Call("run numbered", numbered), peer, at_least=2, same=same)
        yield Case(what, Call("run of docnos", of_docnos), peer, same=same)


def growth(size: inputs.Size, report: Callable[[str], None]) -> Table:
    """Ideal rankings of ever larger graphs."""
    from prefir.measures.kernels.greedy import ideal, pack

    table: list[tuple[str, ...]] = []
    for shape, nodes_for, cycles in SHAPES:
        sizes, times = [], []
        for count in size.edges:
            nodes = nodes_for(count)
            edges = inputs.random_edges(nodes, count, cycles)
            distinct = Counter(edges)
            source, target = (np.array(ends, np.int32) for ends in zip(*distinct, strict=True))
            packed = pack(nodes, source, target, np.array(list(distinct.values()), np.int32))
            order = np.random.default_rng(0).permutation(nodes).astype(np.int32)

            def ours(packed: Any = packed, order: Any = order) -> Any:
                return ideal(packed, order)

            peer = igraph_call(nodes, edges, "")
            ours()
            spent = best(Call("", ours), *(() if isinstance(peer, str) else (peer,)), rounds=3)
            sizes.append(nodes + len(distinct))
            times.append(spent[0])
            beside = (written(spent[1]), f"{spent[1] / spent[0]:.3g}") if len(spent) > 1 else ("", "")
            slope = ""
            if len(sizes) > 1:
                slope = f"{log(times[-1] / times[-2]) / log(sizes[-1] / sizes[-2]):.2f}"
            table.append(
                (
                    shape,
                    f"{count:,}",
                    f"{nodes:,}",
                    written(spent[0]),
                    written(spent[0] / sizes[-1]),
                    slope,
                    *beside,
                )
            )
            report("  " + " | ".join(cell for cell in table[-1] if cell))
    header = ("graph", "edges", "nodes", "ours", "per node and edge", "exponent", "igraph", "igraph / ours")
    return Table("How an ideal ranking's cost grows", GROWTH, header, table)


def tables(size: inputs.Size, report: Callable[[str], None]) -> Iterator[Table]:
    """Both tables."""
    yield Table("One PGC", NOTE, HEADER, lines(cases(size), report))
    yield growth(size, report)
