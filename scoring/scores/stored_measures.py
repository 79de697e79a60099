"""Measures that can be stored for every topic and run, and shown on the leaderboard: each study has some.

To add one, write a function of the topic's evidence and put it into MEASURED, and its ceiling into CEILINGS;
its title and what it says stand in `web.shared.measure_names`. Rows, standings, exports and the leaderboard's
table follow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

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
    grades: as they were given; the levels have all of their items too.
    """

    topic: str
    graph: "PreferenceGraph"
    levels: Mapping[str, float]
    rankings: "Rankings"
    grades: Mapping[str, float] = field(default_factory=dict)

    @property
    def judged(self) -> tuple[str, ...]:
        """The items that count: nodes of the graph, and those with a level; an item may be there twice."""
        return (*self.graph.nodes, *self.levels)

    @cached_property
    def tops(self) -> dict[str, float]:
        """The levels of the topic's top items, which stand above all grades; none until they are known."""
        highest = max(self.grades.values(), default=0.0)
        return {docno: level for docno, level in self.levels.items() if level > max(highest, 0.0)}

    @cached_property
    def derived(self) -> "PreferenceGraph":
        """The graph of the preferences that the grades imply."""
        from prefir.measures import PreferenceGraph

        return PreferenceGraph.derived(self.grades)

    @cached_property
    def combined(self) -> "PreferenceGraph":
        """The graph of both kinds of preferences."""
        from prefir.measures import PreferenceGraph

        edges = [(u, v) for u, v, times in self.graph.edges() for _ in range(times)]
        return PreferenceGraph.combined(edges, self.grades)


# The cut-off at which nDCG weighs ranks about as a persistence does (Clarke, Vtyurina & Smucker, TOIS 39(3),
# 2021): measures that stop at a rank are stored at these, under the persistence.
CUTS = {0.8: 3, 0.85: 5, 0.9: 10, 0.95: 20}


def _pgc(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    return _pgc_on(evidence, evidence.graph, persistences)


def _pgc_derived(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    return _pgc_on(evidence, evidence.derived, persistences)


def _pgc_combined(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    return _pgc_on(evidence, evidence.combined, persistences)


def _pgc_on(evidence: Evidence, graph: "PreferenceGraph", persistences: Sequence[float]) -> "Values":
    from prefir.measures import pgc_rows_ps

    rows = evidence.rankings.rows(evidence.topic, graph.nodes)
    return _within(pgc_rows_ps(rows, graph, persistences))


def _compatibility(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    return _compatibility_with(evidence, evidence.levels, persistences)


def _compatibility_top(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    return _compatibility_with(evidence, evidence.tops, persistences)


def _compatibility_best(evidence: Evidence, persistences: Sequence[float]) -> "Values":
    from prefir.measures import top_items

    return _compatibility_with(evidence, top_items(evidence.tops, 1), persistences)


def _compatibility_with(
    evidence: Evidence, levels: Mapping[str, float], persistences: Sequence[float]
) -> "Values":
    from prefir.measures import compatibility_rows_ps

    rows = evidence.rankings.rows(evidence.topic, tuple(levels))
    return _within(compatibility_rows_ps(rows, list(levels.values()), persistences))


def _on_grades(name: str) -> "Measured":
    """A measure on grades at p or at its cutoff; absent if no grade is above 0."""

    def measured(evidence: Evidence, persistences: Sequence[float]) -> "Values":
        rows = evidence.rankings.rows(evidence.topic, tuple(evidence.grades))
        grades = list(evidence.grades.values())
        return _at_each(name, rows, grades, persistences, there=any(grade > 0 for grade in grades))

    return measured


def _on_preferences(name: str) -> "Measured":
    """A measure on the preference graph, at its cutoff."""

    def measured(evidence: Evidence, persistences: Sequence[float]) -> "Values":
        rows = evidence.rankings.rows(evidence.topic, evidence.graph.nodes)
        return _at_each(name, rows, evidence.graph, persistences)

    return measured


def _at_each(
    name: str, rows: Any, judged: Any, persistences: Sequence[float], *, there: bool = True
) -> "Values":
    import numpy as np

    of_rows = _of_rows(name)
    if not there:
        return np.full((len(rows), len(persistences)), np.nan)
    return _within(np.stack([of_rows(rows, judged, **_option(name, p)) for p in persistences], axis=1))


def _of_rows(name: str) -> Callable[..., "Values"]:
    from prefir.measures import MEASURES

    of_rows = MEASURES[name].rows
    assert of_rows is not None
    return of_rows


def _option(name: str, p: float) -> dict[str, float]:
    """The option under which a measure is stored at this persistence."""
    return {"p": p} if name in BY_PERSISTENCE else {"k": CUTS[p]}


def _within(values: "Values") -> "Values":
    """Clip to [0, 1]: rounding may leave 1 + 1e-16. An absent value stays nan."""
    return values.clip(0.0, 1.0)


Measured = Callable[[Evidence, Sequence[float]], "Values"]
# Name -> function that returns values (runs, persistences), nan where a value is absent. The first of those
# that a study has is the one by which its runs are ranked.
MEASURED: dict[str, Measured] = {
    "pgc": _pgc,
    "compatibility": _compatibility,
    "compatibility_top": _compatibility_top,
    "compatibility_best": _compatibility_best,
    "pgc_derived": _pgc_derived,
    "pgc_combined": _pgc_combined,
    "win_rate": _on_preferences("win_rate"),
    "wpref": _on_preferences("wpref"),
    "delta_ndcg": _on_preferences("delta_ndcg"),
    "ndcg": _on_grades("ndcg"),
    "rbp": _on_grades("rbp"),
}


def _ceiling_of_pgc(graph: "PreferenceGraph", persistences: Sequence[float]) -> list[float]:
    from prefir.measures.ceilings import pgc_ceilings

    return list(pgc_ceilings(graph, persistences))


def _ceiling_of_compatibility(levels: Mapping[str, float], persistences: Sequence[float]) -> list[float]:
    return [1.0 if any(level > 0 for level in levels.values()) else nan] * len(persistences)


def _ceiling_on_grades(name: str) -> "Ceilings":
    def ceilings(evidence: Evidence, persistences: Sequence[float]) -> list[float]:
        from prefir.measures.ceilings import grades_ceiling

        grades = list(evidence.grades.values())
        if not any(grade > 0 for grade in grades):
            return [nan] * len(persistences)
        return [grades_ceiling(_of_rows(name), grades, **_option(name, p)).value for p in persistences]

    return ceilings


def _ceiling_of_win_rate(evidence: Evidence, persistences: Sequence[float]) -> list[float]:
    """Of the first items of a ranking; where each system gives one answer, another may win every duel."""
    from prefir.measures.ceilings import win_rate_ceilings

    if evidence.rankings.rows(evidence.topic, evidence.graph.nodes).shape[1] <= 1:
        return [1.0] * len(persistences)
    return [one.value for one in win_rate_ceilings(evidence.graph, [CUTS[p] for p in persistences])]


def _ceiling_of_wpref(evidence: Evidence, persistences: Sequence[float]) -> list[float]:
    from prefir.measures.ceilings import ordered_ceiling

    return [ordered_ceiling(evidence.graph).value] * len(persistences)


def _ceiling_of_delta_ndcg(evidence: Evidence, persistences: Sequence[float]) -> list[float]:
    from prefir.measures import measure_ceiling

    return [measure_ceiling("delta_ndcg", evidence.graph).value] * len(persistences)


Ceilings = Callable[[Evidence, Sequence[float]], list[float]]
# Name -> function that returns the best value of any ranking at each persistence, nan where it is absent.
CEILINGS: dict[str, Ceilings] = {
    "pgc": lambda evidence, ps: _ceiling_of_pgc(evidence.graph, ps),
    "compatibility": lambda evidence, ps: _ceiling_of_compatibility(evidence.levels, ps),
    "compatibility_top": lambda evidence, ps: _ceiling_of_compatibility(evidence.tops, ps),
    "compatibility_best": lambda evidence, ps: _ceiling_of_compatibility(evidence.tops, ps),
    "pgc_derived": lambda evidence, ps: _ceiling_of_pgc(evidence.derived, ps),
    "pgc_combined": lambda evidence, ps: _ceiling_of_pgc(evidence.combined, ps),
    "win_rate": _ceiling_of_win_rate,
    "wpref": _ceiling_of_wpref,
    "delta_ndcg": _ceiling_of_delta_ndcg,
    "ndcg": _ceiling_on_grades("ndcg"),
    "rbp": _ceiling_on_grades("rbp"),
}
# Measures whose ceiling may be an upper bound that no ranking reaches (`prefir.measures.ceilings`).
AT_MOST = {"win_rate", "wpref"}
# Those of a study that has not chosen any.
USUAL = ("pgc", "compatibility")
# Measures that rest on the preference graph alone, and know no grades.
ON_PREFERENCES = {"pgc", "win_rate", "wpref", "delta_ndcg"}
BY_PERSISTENCE = {
    "pgc",
    "compatibility",
    "compatibility_top",
    "compatibility_best",
    "pgc_derived",
    "pgc_combined",
    "rbp",
}
# Measures whose ideal is another once a topic's top items are known: their values before and after are of
# two kinds, and no mean is over both.
OF_TOP = {"compatibility"}


def chosen(named: str) -> tuple[str, ...]:
    """The measures of a study, from its field `measures`: names with blanks between, empty for the usual.

    In the order of MEASURED. Names of a version that had others are left out.
    """
    wanted = named.split()
    return tuple(name for name in MEASURED if name in wanted) or USUAL


def values(
    evidence: Evidence, persistences: Sequence[float], measures: Sequence[str] = USUAL
) -> dict[str, list[list[float]]]:
    """Compute measures: name -> for each run, its value at each persistence."""
    return {name: MEASURED[name](evidence, persistences).tolist() for name in measures}


def values_and_ceilings(
    evidence: Evidence, persistences: Sequence[float], measures: Sequence[str]
) -> tuple[list[list[float]], list[float]]:
    """Compute a topic's table: a line of values (runs,) for each measure at each persistence, and its
    ceiling.
    """
    found = values(evidence, persistences, measures)
    lines = [list(column) for own in found.values() for column in zip(*own, strict=True)]
    return lines, [ceiling for name in measures for ceiling in CEILINGS[name](evidence, persistences)]


def options(p: float) -> str:
    """Format the options of a score as they are stored."""
    return f"p={p:g}"
