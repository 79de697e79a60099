"""Win rate of a run on preferences: how often its first items win against items that are not among them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .graph import PreferenceGraph, require_graph
from .measure import Inputs, measure
from .rbo import ABSENT, row_of
from .strengths import items_among

Values = NDArray[np.float64]


def win_rate_rows(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """`win_rate` of each row: float64 (runs,). Time and memory grow with runs x distinct judged pairs."""
    among = items_among(rows, len(graph.nodes), k)
    _, source, target, times = graph.numbered()
    wins = _against(among, source, target) @ times
    losses = _against(among, target, source) @ times
    one, other, n = graph.numbered_ties().T
    ties = (_against(among, one, other) + _against(among, other, one)) @ n
    met = wins + losses + ties
    return np.divide(wins + ties / 2, met, out=np.full(len(among), ABSENT), where=met > 0)


def _against(
    among: NDArray[np.bool_], inside: NDArray[np.integer], outside: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Whether each run has the one item of a pair among its first, and the other not: (runs, pairs)."""
    return (among[:, inside] & ~among[:, outside]).astype(np.float64)


@measure(
    name="win_rate",
    title="Win rate",
    inputs=Inputs.GRAPH,
    source="Chiang et al., ICML 2024, 3",
    rows=win_rate_rows,
)
def win_rate(run: Sequence[Any], graph: PreferenceGraph, *, k: int | None = None) -> float:
    """Win rate of a run's first k items against items that are not among them; a tie is half a win.

    The share of the judgments between an item of the one kind and one of the other in which its own wins.
    run (n,): distinct docnos, best first; k None means the whole run. Where each system gives one answer a
    topic, this is the share of its duels that it wins. Returns a float in [0, 1]; `ABSENT` (nan) where there
    is no such judgment, for an empty run too. Raises ValueError where k is below 1 or a docno repeats.
    Source: Chiang et al., Chatbot Arena, ICML 2024, 3 (the win matrix), averaged over the judgments.
    """
    require_graph(graph)
    row = row_of(run, {docno: number for number, docno in enumerate(graph.nodes)})
    return float(win_rate_rows(row, graph, k=k)[0])
