"""Preference graph compatibility (PGC): similarity of a run to the nearest ordering of a preference graph."""

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .compatibility import Similarity
from .graph import PreferenceGraph, require_graph
from .measure import Inputs, measure
from .rbo import ABSENT, int_rows, rank_of, row_of, shared_depths, weigh, worth
from .sources import LUO


def pgc_rows_ps(
    rows: ArrayLike,
    graph: PreferenceGraph,
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
) -> NDArray[np.float64]:
    """`pgc_rows` for each persistence in `ps`: float64 (runs, persistences)."""
    from .kernels.greedy import pgc_rows as kernel

    weights = worth(tuple(ps), depth, normalize)
    docnos, packed = graph.packed()
    table = int_rows(rows)
    return kernel(packed, table, weights) if docnos else np.full((len(table), len(ps)), ABSENT)


def pgc_rows(
    rows: ArrayLike,
    graph: PreferenceGraph,
    *,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
) -> NDArray[np.float64]:
    """PGC (runs,) of many runs of one topic; all `ABSENT` where the graph has no node.

    rows: int (runs, ranks), rankings of the graph's nodes by their place in `graph.nodes`, -1 for other
    items and after a list's end; of a node that is in a row twice the first place counts. Else as `pgc`.
    Raises IndexError for other numbers.
    Time grows with the ranks and, times the runs, with nodes and edges.
    """
    return pgc_rows_ps(rows, graph, (p,), depth=depth, normalize=normalize)[:, 0]


@measure(
    name="pgc",
    title="PGC",
    inputs=Inputs.GRAPH,
    source=f"{LUO}, algorithms 1-7",
    rows=pgc_rows,
)
def pgc(
    run: Sequence[str], graph: PreferenceGraph, *, p: float = 0.95, depth: int = 1000, normalize: bool = True
) -> float:
    """Preference graph compatibility: RBO of the run with the graph's ideal ranking for that run.

    run (n,): distinct docnos, best first; n may be 0, which gives 0. `p`, `depth`, `normalize` as in
    `rbo`. Returns a float in [0, 1]; `ABSENT` (nan) where the graph has no node, whatever the run.
    Raises ValueError as `rbo` does. Source: Clarke, Luo & Smucker, SIGIR 2021; Luo, thesis, 2021.
    Time grows with the run, the items and the edges.
    """
    require_graph(graph)
    number = {docno: node for node, docno in enumerate(graph.packed().docnos)}
    return float(pgc_rows(row_of(run, number), graph, p=p, depth=depth, normalize=normalize)[0])


def pgc_ps(
    run: Sequence[str],
    graph: PreferenceGraph,
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
) -> Similarity:
    """`pgc` for each persistence in `ps`, in that order, and the ideal ranking."""
    require_graph(graph)
    rank = rank_of(run)
    ideal = ideal_by_place(rank, graph)
    values = weigh(shared_depths(rank, ideal), ps, depth=depth, normalize=normalize)
    return Similarity(values if ideal else (ABSENT,) * len(values), ideal)


def ideal_ranking(run: Sequence[str], graph: PreferenceGraph) -> tuple[str, ...]:
    """Ideal ranking for a run: all items of the graph, by preferences and as near to the run as possible.

    A greedy answer to minimum feedback arc set, which is NP-hard; without cycles no preference is
    violated. Items that the run lacks are ordered by docno where preferences leave it open. An empty
    graph gives an empty ranking. Raises ValueError where the run repeats a docno.
    Source: Luo, thesis, Waterloo 2021, algorithms 1-7, after Eades, Lin & Smyth 1993.
    """
    require_graph(graph)
    return ideal_by_place(rank_of(run), graph)


def ideal_by_place(place: Mapping[str, float], graph: PreferenceGraph) -> tuple[str, ...]:
    """`ideal_ranking` for items that have places instead of ranks: smaller is better, ties are allowed.

    Items without a place come after all others; equal places go by docno.
    """
    from .kernels.greedy import ideal

    docnos, packed = graph.packed()
    far = np.array([place.get(docno, inf) for docno in docnos], np.float64)
    # Nodes are in docno order and the sort is stable, so this order breaks every later tie.
    order = far.argsort(kind="stable").astype(np.int32)
    return tuple(docnos[node] for node in ideal(packed, order).tolist())
