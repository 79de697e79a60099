"""Intervals of runs' means over topics, by Student's t, and the ranks that tests leave open."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ranks import rank_ranges
from .weighing import topic_weights


@dataclass(frozen=True, slots=True)
class Intervals:
    """Runs' means over topics and their intervals; arrays are (runs,).

    means: over the topics that the run has a value for; nan where it has none.
    lows, highs: the interval's ends; nan below two values, which have no spread.
    counts: the number of values in each mean.
    ranks: (best, worst), counted from 1, between which each run may stand (`rank_ranges`); None where the
    ends are nan.
    """

    means: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    counts: NDArray[np.int64]
    ranks: tuple[tuple[int, int] | None, ...]


def mean_intervals(
    values: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> Intervals:
    """Intervals of the runs' means over topics by Student's t, and the ranks that tests leave open.

    values: (topics, runs), nan where a value is absent, which is left out. weights: (topics,), above 0, of
    each topic in the means; None: all equal. Topics without any value change nothing. level: in (0, 1).

    A mean's interval is m ± t s / sqrt(n), with weights m ± t sqrt(n / (n - 1) Σ w² (x - m)²) / Σ w, t having
    n - 1 degrees of freedom; bounds: what no mean can be below and above, at which it is cut.
    Percentiles of a bootstrap would be too narrow: from 5 topics they hold the mean 84 times in 100.

    Raises ValueError for another shape, an infinite value, a weight that is not above 0, or a level out of
    range.
    Source: Hesterberg, The American Statistician 69(4), 2015, 5; the weighted variance: Cochran, Sampling
    Techniques, 1977, 6.4.
    Time grows with topics times the square of the runs, for the ranks; memory with topics x runs and runs
    squared.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
    heavy = topic_weights(weights, len(table))
    some = ~np.isnan(table).all(axis=1)
    table, heavy = table[some], heavy[some]
    present = ~np.isnan(table)
    means = _ratio(heavy @ np.where(present, table, 0.0), heavy @ present.astype(np.float64))
    half = _half_widths(table, means, heavy, level)
    lows, highs = np.maximum(means - half, bounds[0]), np.minimum(means + half, bounds[1])
    return Intervals(means, lows, highs, present.sum(axis=0), rank_ranges(table, weights=heavy, level=level))


def _half_widths(
    table: NDArray[np.float64], means: NDArray[np.float64], heavy: NDArray[np.float64], level: float
) -> NDArray[np.float64]:
    """Half the width of each run's interval; nan below two values."""
    from scipy.special import stdtrit

    present = ~np.isnan(table)
    counts = present.sum(axis=0)
    off = np.where(present, table - means, 0.0)
    squares = (heavy**2) @ (off**2)
    freedom = np.maximum(counts - 1, 1)
    errors = np.sqrt(squares * counts / freedom) / np.maximum(heavy @ present.astype(np.float64), 1e-300)
    found: NDArray[np.float64] = stdtrit(freedom, (1 + level) / 2) * errors
    return np.where(counts >= 2, found, np.nan)


def _ratio(sums: NDArray[np.float64], counts: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide sums by counts; nan where there is nothing to average."""
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
