"""Measures that are stored for every topic and run, and shown on the leaderboard.

To add one, write a function of the topic's evidence and put it into MEASURED under its name in
`prefir.measures`; rows, standings, exports and the leaderboard's table follow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

# Web processes import this module for the names of MEASURED, and compute nothing.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import PreferenceGraph, Rankings

    Values = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """Data for scoring one topic: its preference graph, effectiveness levels, and the rankings.

    rankings: run -> ranking under `topic`, reduced to the judged items (nodes of the graph and levels).
    """

    topic: str
    graph: "PreferenceGraph"
    levels: Mapping[str, float]
    rankings: "Rankings"


def _pgc(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    from prefir.measures import pgc_rows_ps

    rows = evidence.rankings.rows(evidence.topic, evidence.graph.nodes)
    return _within(pgc_rows_ps(rows, evidence.graph, persistences))


def _compatibility(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    from prefir.measures import compatibility_rows_ps

    rows = evidence.rankings.rows(evidence.topic, tuple(evidence.levels))
    return _within(compatibility_rows_ps(rows, list(evidence.levels.values()), persistences))


def _within(values: "Values") -> "Values":
    """Clip to [0, 1]: rounding may leave 1 + 1e-16. An absent value stays nan."""
    return values.clip(0.0, 1.0)


# Name -> function that returns values (runs, persistences), nan where a value is absent.
MEASURED: dict[str, Callable[[Evidence, Sequence[float]], "Values"]] = {
    "pgc": _pgc,
    "compatibility": _compatibility,
}


# Measures whose ideal is another once a topic's top items are known: their values before and after are of
# two kinds, and no mean is over both.
OF_TOP = {"compatibility"}


def values(evidence: Evidence, persistences: Sequence[float]) -> dict[str, list[list[float]]]:
    """Compute every measure: name -> for each run, its value at each persistence."""
    return {name: measure(evidence, persistences).tolist() for name, measure in MEASURED.items()}


def options(p: float) -> str:
    """Format the options of a score as they are stored."""
    return f"p={p:g}"
