"""Delta measures: nDCG and ERR with gains from a preference graph instead of grades."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .effectiveness import cascade_rows, ndcg_rows, numbered
from .graph import PreferenceGraph
from .measure import Inputs, measure
from .rbo import ABSENT
from .sources import LUO


def delta_gains(graph: PreferenceGraph) -> dict[str, float]:
    """Gains of a graph's items: out-degree minus in-degree, shifted and scaled to span [0, 1].

    Repeated judgments count each time; ties and contradictions cancel out. The lowest item has gain 0 and
    the highest 1. Where all differences are equal (one item, no preferences, a plain cycle) every gain
    is 0. Returns docno -> gain in docno order, empty for an empty graph.
    Source: Luo, thesis, Waterloo 2021, 4.1. Time grows with items plus edges.
    """
    docnos, source, target, times = graph.numbered()
    differences = np.bincount(source, times, len(docnos)) - np.bincount(target, times, len(docnos))
    # Differences add up to 0, so equal ones are all 0.
    if not differences.any():
        return dict.fromkeys(docnos, 0.0)
    lowest = differences.min()
    gains = (differences - lowest) / (differences.max() - lowest)
    return dict(zip(docnos, gains.tolist(), strict=True))


def delta_ndcg_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> NDArray[np.float64]:
    """`delta_ndcg` (runs,) of many runs of one topic; rows as in `pairwise.ppref_rows`."""
    gains = _gains(graph)
    return _absent_without_gain(ndcg_rows(rows, gains, k=k), gains)


@measure(
    name="delta_ndcg",
    title="Δ-nDCG",
    inputs=Inputs.GRAPH,
    source=f"{LUO}, 4.1",
    rows=delta_ndcg_rows,
)
def delta_ndcg(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """nDCG with the items' `delta_gains`, taken linearly, discounted by log2(i + 1) and cut at k.

    run (n,): distinct docnos, best first; n may be 0, which gives 0. Items that are not in the graph have
    gain 0, as the graph's lowest item has. k None: the whole run, against an ideal ranking of all items.
    Returns a float in [0, 1]; `ABSENT` (nan) where no item has gain, whatever the run.
    Raises ValueError where k is below 1 or the run repeats a docno. Source: Luo, thesis, 2021, 4.1.
    """
    rows, gains = numbered(run, delta_gains(graph))
    return float(_absent_without_gain(ndcg_rows(rows, gains, k=k), gains)[0])


def delta_err_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> NDArray[np.float64]:
    """`delta_err` (runs,) of many runs of one topic; rows as in `pairwise.ppref_rows`."""
    gains = _gains(graph)
    return _absent_without_gain(cascade_rows(rows, gains, k=k), gains)


@measure(
    name="delta_err",
    title="Δ-ERR",
    inputs=Inputs.GRAPH,
    source=f"{LUO}, 4.1",
    rows=delta_err_rows,
)
def delta_err(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """ERR with the items' `delta_gains` as the probabilities that they satisfy the user.

    The gains are probabilities already, so 2^g is not taken: the graph's best item satisfies for certain,
    and nothing below it counts. run, k and errors as for `delta_ndcg`.
    Returns a float in [0, 1]; `ABSENT` (nan) where no item has gain, whatever the run.
    Source: Luo, thesis, 2021, 4.1, with Chapelle et al., CIKM 2009, equation 4.
    """
    rows, gains = numbered(run, delta_gains(graph))
    return float(_absent_without_gain(cascade_rows(rows, gains, k=k), gains)[0])


def _gains(graph: PreferenceGraph) -> NDArray[np.float64]:
    return np.array(list(delta_gains(graph).values()))


def _absent_without_gain(values: NDArray[np.float64], gains: NDArray[np.float64]) -> NDArray[np.float64]:
    return values if gains.any() else np.full_like(values, ABSENT)
