"""Breakdown of a topic's scores: each run's ideal ranking, and what every depth adds to the RBO.

Without Django, for `scoring.compute.child_process`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefir.measures import PreferenceGraph

# Measures that are a similarity to an ideal ranking, and so have parts.
WITH_PARTS = ("pgc", "compatibility", "pgc_derived", "pgc_combined")


@dataclass(frozen=True)
class Parts:
    """A run's score on a topic, taken apart.

    value: in [0, 1], or None where nothing is judged. ideal, ranking: the first of the `ideal_size` items of
    the ideal ranking for this run, and of the `ranked` ones of the run. adds: what each depth of the longer
    of these two adds to the value; deeper: what all below them add, so that the sum is the value. at_ideal,
    at_run: the ranks of the items named in either. known: which of them are judged, as far as the measure
    asks. ceiling: the best value of any ranking (`prefir.measures.ceilings`), None where nothing is judged.
    """

    value: float | None
    ideal: tuple[str, ...]
    ideal_size: int
    ranking: tuple[str, ...]
    ranked: int
    adds: tuple[float, ...]
    deeper: float
    at_ideal: Mapping[str, int]
    at_run: Mapping[str, int]
    known: frozenset[str]
    ceiling: float | None = None


def parts(
    graph: "PreferenceGraph",
    levels: Mapping[str, float],
    grades: Mapping[str, float],
    rankings: Sequence[Sequence[str]],
    measure: str,
    p: float,
    shown: int,
) -> list[Parts]:
    """Take the scores of these rankings apart, down to `shown` depths each.

    measure: one of WITH_PARTS. Time as of the measure itself, for each ranking.
    """
    return [_of(graph, levels, grades, list(ranking), measure, p, shown) for ranking in rankings]


def _of(
    graph: "PreferenceGraph",
    levels: Mapping[str, float],
    grades: Mapping[str, float],
    ranking: list[str],
    measure: str,
    p: float,
    shown: int,
) -> Parts:
    from prefir.measures import PreferenceGraph, ideal_from_levels, ideal_ranking, rbo, rbo_depths

    known = set(graph.nodes)
    most = best = 1.0
    if not graph.nodes:
        # As scores are stored: without any judgment they are absent, grades or not.
        ideal: tuple[str, ...] = ()
    elif measure == "compatibility":
        ideal, known = ideal_from_levels(ranking, levels), set(levels)
        # Compatibility divides by what the ideal has with itself.
        most = rbo(ideal, ideal, p=p) or 1.0
    else:
        if measure == "pgc_derived":
            graph = PreferenceGraph.derived(grades)
            known = set(grades)
        elif measure == "pgc_combined":
            edges = [(u, v) for u, v, times in graph.edges() for _ in range(times)]
            graph = PreferenceGraph.combined(edges, grades)
            known |= set(grades)
        ideal = ideal_ranking(ranking, graph)
        # The ideal ranking is its own ideal.
        best = rbo(ideal, ideal, p=p)
    adds = rbo_depths(ranking, ideal, p=p) / most
    top, first = ranking[:shown], ideal[:shown]
    depth = max(len(top), len(first))
    near = {*top, *first}
    return Parts(
        value=min(1.0, float(adds.sum())) if ideal else None,
        ideal=tuple(first),
        ideal_size=len(ideal),
        ranking=tuple(top),
        ranked=len(ranking),
        adds=tuple(adds[:depth].tolist()),
        deeper=float(adds[depth:].sum()),
        at_ideal={docno: rank for rank, docno in enumerate(ideal, 1) if docno in near},
        at_run={docno: rank for rank, docno in enumerate(ranking, 1) if docno in near},
        known=frozenset(near & known),
        ceiling=best if ideal else None,
    )
