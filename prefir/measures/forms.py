"""Functions in the one form that the table of measures holds each kind of input in."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import delta, med, pairwise, preference
from .graph import PreferenceGraph


def pgc(
    run: Sequence[Any],
    graph: PreferenceGraph,
    *,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
) -> float:
    """`pgc`, the run first."""
    return preference.pgc(graph, run, p=p, depth=depth, normalize=normalize)


def med_u(a: Sequence[Any], b: Sequence[Any], lengths: Mapping[Any, float], **options: Any) -> float:
    """`med_u`, the lengths third."""
    return med.med_u(a, b, lengths=lengths, **options)


def by_edges(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form (rows, graph) of a function of (rows, edges)."""

    def of_graph(rows: Any, graph: PreferenceGraph, **options: Any) -> Any:
        return rows_of(rows, pairwise.edge_array(graph)[1], **options)

    return of_graph


def by_gains(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form (rows, graph) of a function of (rows, gains), absent where no item has gain."""

    def of_graph(rows: Any, graph: PreferenceGraph, **options: Any) -> Any:
        gains = np.array(list(delta.delta_gains(graph).values()))
        values = rows_of(rows, gains, **options)
        return values if gains.any() else np.full_like(values, np.nan)

    return of_graph


def one_p(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form with one persistence, p, of a function of several."""

    def with_p(rows: Any, judged: Any, *, p: float = 0.95, **options: Any) -> Any:
        return rows_of(rows, judged, (p,), **options)

    return with_p


def highest_grade(judged: Mapping[str, Mapping[Any, float]]) -> dict[str, Any]:
    """ERR's max_grade, from topic -> docno -> grade; left open where nothing is above 0."""
    highest = max((max(grades.values(), default=0.0) for grades in judged.values()), default=0.0)
    return {"max_grade": highest} if highest > 0 else {}
