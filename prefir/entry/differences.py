"""Differences between runs: each pair of an evaluation, or each run and a baseline, tested over topics."""

from collections.abc import Mapping
from itertools import combinations
from math import isfinite

import numpy as np

from prefir.measures.run_tests import RunComparison, compare_runs
from prefir.measures.scores import Scores
from prefir.measures.significance import holm_corrected

from .tables import Cell, Table, cell_of, number_rows


def tabulate_differences(
    tables: Mapping[str, Scores], level: float, weights: Mapping[str, float], baseline: str
) -> Table:
    """Make the table of `Evaluation.compare`. Raises ValueError for a baseline that is no run, and below two
    runs.
    """
    runs = next(iter(tables.values())).runs
    if baseline and baseline not in runs:
        raise ValueError(f"there is no run {baseline!r}; there are {', '.join(runs)}")
    if len(runs) < 2:
        raise ValueError(f"two runs are compared or more, and there is {len(runs)}")
    pairs = list(combinations(range(len(runs)), 2))
    if baseline:
        held = runs.index(baseline)
        pairs = [(place, held) for place in range(len(runs)) if place != held]
    rows: list[dict[str, Cell]] = []
    for measure, scores in tables.items():
        heavy = [weights.get(topic, 1.0) for topic in scores.topics]
        found = [
            compare_runs(scores.values[:, one], scores.values[:, other], level=level, weights=heavy)
            for one, other in pairs
        ]
        corrected = holm_corrected(np.array([one.t_p for one in found]))
        for (one, other), comparison, holm in zip(pairs, found, corrected, strict=True):
            rows.append(_row(runs[one], runs[other], measure, comparison, holm))
    against = f" to {baseline}" if baseline else ""
    caption = f"Differences{against} over topics, with intervals at {100 * level:g} %"
    return Table(caption, *number_rows(rows))


def _row(run: str, other: str, measure: str, found: RunComparison, holm: float) -> dict[str, Cell]:
    return {
        "run": run,
        "other": other,
        "measure": measure,
        "difference": cell_of(found.difference),
        "low": cell_of(found.low),
        "high": cell_of(found.high),
        "t_p": cell_of(found.t_p),
        "holm_p": cell_of(holm),
        "randomisation_p": cell_of(found.randomisation_p),
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "topics_needed": int(found.needed) if isfinite(found.needed) else None,
    }
