"""Comparison of many runs with one: paired differences to a baseline, corrected for all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distributions import student_quantile, student_tail
from .significance import enough_topics, holm_corrected
from .topic_weights import topic_weights


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """Runs compared with a baseline over the topics for which both have a value; arrays are (runs,).

    topics: how many; wins: of these, where the run is above the baseline, losses: below. differences: mean of
    the run less the baseline, nan without topics; lows, highs: the interval by Student's t, at the level of
    the run's step of Holm's correction (`steps`). p_values: two-sided, of the paired t-test; holm_p_values:
    after Holm's correction for all runs that can be tested. These four are nan below two topics, and all but
    `topics` for the baseline itself.
    """

    topics: NDArray[np.int64]
    wins: NDArray[np.int64]
    losses: NDArray[np.int64]
    differences: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    p_values: NDArray[np.float64]
    holm_p_values: NDArray[np.float64]

    def sure(self, level: float = 0.05) -> NDArray[np.bool_]:
        """Which runs (runs,) are told apart from the baseline after Holm's correction and `enough_topics`."""
        return (self.holm_p_values < level) & enough_topics(self.topics, level)

    def steps(self, level: float = 0.05) -> NDArray[np.int64]:
        """Among how many comparisons (runs,) Holm's correction shares the level for each run.

        For a run that is told apart these are the ones left at its own step, for others the ones left where
        the correction stops; 0 without a test. The interval at 1 - level / steps leaves 0 out just where the
        corrected test tells a run apart.
        Source: Strassburger and Bretz, Statistics in Medicine 27, 2008.
        """
        return _steps(self.p_values, self.holm_p_values, level)


def compare_to_baseline(
    values: ArrayLike, baseline: int | str, *, level: float = 0.95, weights: ArrayLike | None = None
) -> BaselineComparison:
    """Compare every run with one of them by the paired t-test over topics.

    values: (topics, runs), nan where absent. baseline: the column of the run that others are held against,
    or its name where values are `Scores`.
    level: of the intervals before Holm's correction, in (0, 1). weights: (topics,), above 0, of each topic in
    the means, as in `mean_intervals`; None: all equal. p is 1 where a run and the baseline are equal on every
    topic, and 0 where they differ by the same on every topic.
    Raises ValueError for another shape, an infinite value, a weight that is not above 0, a level or a column
    out of range.
    Source: Sakai, Laboratory Experiments in Information Retrieval, 2018, 2.2; Holm, Scandinavian Journal of
    Statistics 6, 1979. Time and memory grow with topics x runs.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    runs = table.shape[1]
    if isinstance(baseline, str):
        names = tuple(getattr(values, "runs", ()))
        if baseline not in names:
            said = f"there are {', '.join(names)}" if names else "values are no Scores, so give its column"
            raise ValueError(f"there is no run {baseline!r}; {said}")
        column = names.index(baseline)
    else:
        column = baseline
    if not 0 <= column < runs:
        raise ValueError(f"the baseline is column {column}; there are columns 0 to {runs - 1}")
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
    heavy = topic_weights(weights, len(table))
    gaps = table - table[:, [column]]
    there = ~np.isnan(gaps)
    counts = there.sum(axis=0)
    freedom = np.maximum(counts - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = heavy @ there
        means = heavy @ np.where(there, gaps, 0.0) / totals
        squares = heavy**2 @ np.where(there, gaps - means, 0.0) ** 2
        # What is left of equal differences is rounding.
        squares[squares < 1e-24 * (heavy**2 @ there)] = 0.0
        errors = np.sqrt(squares * counts / freedom) / totals
        p_values = 2 * student_tail(freedom, means / errors)
    p_values[(errors == 0) & (np.abs(means) > 1e-12)] = 0.0
    p_values[np.abs(means) <= 1e-12] = 1.0
    tested = (counts >= 2) & (np.arange(runs) != column)
    means[column] = np.nan
    p_values[~tested] = np.nan
    corrected = holm_corrected(p_values)
    shares = (1 - level) / np.maximum(_steps(p_values, corrected, 1 - level), 1)
    half = np.where(tested, student_quantile(freedom, 1 - shares / 2) * errors, np.nan)
    return BaselineComparison(
        counts,
        (gaps > 0).sum(axis=0),
        (gaps < 0).sum(axis=0),
        means,
        means - half,
        means + half,
        p_values,
        corrected,
    )


def _steps(p_values: NDArray[np.float64], corrected: NDArray[np.float64], level: float) -> NDArray[np.int64]:
    tested = np.flatnonzero(~np.isnan(p_values))
    apart = corrected[tested] < level
    found = np.zeros(len(p_values), dtype=np.int64)
    places = np.argsort(np.argsort(p_values[tested], kind="stable"))
    found[tested] = len(tested) - np.where(apart, places, apart.sum())
    return found
