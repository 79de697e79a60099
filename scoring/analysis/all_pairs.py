"""All pairs of a study's runs compared by one measure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache import cache

from collection.models import Study
from scoring.analysis.comparison_scores import (
    KEPT_SECONDS,
    MeasureScores,
    key_of,
    number_or_none,
    scores_of,
)
from scoring.board import standings
from scoring.compute import child_process
from scoring.scores.stored_measures import options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import Sensitivity, TukeyTest


@dataclass(frozen=True)
class AllPairs:
    """All pairs of a study's runs by one measure, the runs by id, the highest mean first.

    whole: as in `run_comparison.ComparedRuns`; topics: those with a score of any run. pairs, told: how many
    pairs of runs could be tested, and how many of these are told apart after Holm's correction. means,
    ceilings: by run, None if unknown.
    """

    runs: list[int]
    whole: bool
    topics: int
    pairs: int
    told: int
    means: Mapping[int, float | None]
    ceilings: Mapping[int, float | None]
    _places: dict[int, int]
    _gaps: "NDArray[np.float64]"
    _sure: "NDArray[np.bool_]"

    def difference(self, first: int, second: int) -> float | None:
        """Mean difference of two runs over the topics that both have; None without any."""
        if first == second:
            return None
        return number_or_none(float(self._gaps[self._places[first], self._places[second]]))

    def sure(self, first: int, second: int) -> bool:
        """Whether two runs differ significantly after Holm's correction for all pairs."""
        return bool(self._sure[self._places[first], self._places[second]])

    def told_from(self, run: int) -> int:
        """From how many others a run differs significantly."""
        return int(self._sure[self._places[run]].sum())


def compare(study: Study, measure: str, p: float, whole: bool | None, group: str = "") -> AllPairs:
    """Compare all pairs of a study's runs. group: as of `run_comparison.compare`."""
    import numpy as np

    scores = scores_of(study, measure, p, group)
    whole = scores.some if whole is None else whole
    values, weights = scores.of(whole)
    _, found = tests_of_all_pairs(study, scores, measure, p, whole, standings.version(study))
    there = ~np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = weights @ np.where(there, values, 0.0) / (weights @ there)
    order = np.argsort(-np.nan_to_num(means, nan=-1.0), kind="stable")
    most = standings.mean_ceilings(
        values, weights, scores.ceilings[scores.whole] if whole else scores.ceilings
    )
    return AllPairs(
        runs=[scores.runs[i] for i in order],
        whole=whole,
        topics=int(there.any(axis=1).sum()),
        pairs=found.pairs,
        told=int(found.sure().sum()) // 2,
        means=dict(zip(scores.runs, map(number_or_none, means.tolist()), strict=True)),
        ceilings=dict(zip(scores.runs, map(number_or_none, most.tolist()), strict=True)),
        _places={run: i for i, run in enumerate(scores.runs)},
        _gaps=found.differences,
        _sure=found.sure(),
    )


def tests_of_all_pairs(
    study: Study, scores: MeasureScores, measure: str, p: float, whole: bool, version: str
) -> "tuple[TukeyTest, Sensitivity]":
    """Tukey's test and the t-tests of all pairs, cached while no score changes."""
    from prefir.measures import sensitivity, tukey_test

    key = key_of("pairs-by-weight", study, scores, measure, options(p), whole, version)
    found: Any = cache.get(key)
    if found is None:
        values, weights = scores.of(whole)
        found = (
            child_process.call(tukey_test, values),
            child_process.call(sensitivity, values, weights=weights),
        )
        cache.set(key, found, timeout=KEPT_SECONDS)
    tests: tuple[TukeyTest, Sensitivity] = found
    return tests
