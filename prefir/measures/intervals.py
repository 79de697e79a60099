"""Intervals of runs' means over topics, and the ranks that tests leave open."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distributions import student_quantile
from .ranks import rank_ranges
from .topic_weights import topic_weights

# Values that differ by less are equal.
EQUAL = 1e-12


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
    """Compute intervals of the runs' means over topics, and the ranks that tests leave open.

    values: (topics, runs), nan where a value is absent, which is left out. weights: (topics,), above 0, of
    each topic in the means; None: all equal. Topics without any value change nothing. level: in (0, 1).
    bounds: the least and the largest value that there can be.

    Without two finite bounds a mean's interval is m ± t s / sqrt(n), with weights
    m ± t sqrt(n / (n - 1) Σ w² (x - m)²) / Σ w, t having n - 1 degrees of freedom, cut at a bound.
    Percentiles of a bootstrap would be too narrow: from 5 topics they hold the mean 84 times in 100.
    With bounds 0 and 1 it has the means μ for which |m - μ| <= t sqrt(D μ (1 - μ) / n), as Wilson's interval
    of a share: D, the values' variance in units of m (1 - m), is 1 / (1 - 1 / n) for values of 0 and 1 alone,
    and smaller for others. Near a bound few topics carry all the deviation from it, so that the variance is
    known badly: D is averaged with 4 u³ more topics of D = 1, u being 1 less the effective share of topics
    that deviate, (Σ y)² / (n Σ y²), y = x or 1 - x, whichever has the larger u. Values that are all equal
    leave open what a topic might have that was not seen: a share of 1 - ((1 - level) / 2)^(1 / n) of all
    topics, so that the interval reaches from a bound where all are at it.

    Raises ValueError for another shape, an infinite value or one beyond the bounds, a weight that is not
    above 0, or a level out of range.
    Sources: Hesterberg, The American Statistician 69(4), 2015, 5 (t); Cochran, Sampling Techniques, 1977, 6.4
    (the weighted variance); Wilson, JASA 22(158), 1927, with a design effect as in Franco et al., Journal of
    Survey Statistics and Methodology 7(3), 2019; Kish, Survey Sampling, 1965 (effective shares); Clopper &
    Pearson, Biometrika 26(4), 1934 (where all are equal).
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
    counts = present.sum(axis=0)
    means = _ratio(heavy @ np.where(present, table, 0.0), heavy @ present.astype(np.float64))
    if np.isfinite(bounds).all():
        low, width = bounds[0], bounds[1] - bounds[0]
        scaled = (table - low) / width
        if width <= 0 or (np.abs(scaled[present] - 0.5) > 0.5 + 1e-9).any():
            raise ValueError(f"values must lie within the bounds {bounds}")
        lows, highs = (low + width * end for end in _bounded(np.clip(scaled, 0.0, 1.0), heavy, level))
    else:
        half = _quantiles(counts, level) * _errors(table, means, heavy)
        lows, highs = np.maximum(means - half, bounds[0]), np.minimum(means + half, bounds[1])
    known = counts >= 2
    lows, highs = np.where(known, lows, np.nan), np.where(known, highs, np.nan)
    return Intervals(means, lows, highs, counts, rank_ranges(table, weights=heavy, level=level))


def _quantiles(counts: NDArray[np.int64], level: float) -> NDArray[np.float64]:
    return student_quantile(np.maximum(counts - 1, 1), (1 + level) / 2)


def _errors(
    table: NDArray[np.float64], means: NDArray[np.float64], heavy: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Standard errors of the runs' means; 0 where there is one value."""
    present = ~np.isnan(table)
    counts = present.sum(axis=0)
    off = np.where(present, table - means, 0.0)
    squares = (heavy**2) @ (off**2)
    total = np.maximum(heavy @ present.astype(np.float64), 1e-300)
    found: NDArray[np.float64] = np.sqrt(squares * counts / np.maximum(counts - 1, 1)) / total
    return found


def _bounded(
    table: NDArray[np.float64], heavy: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the intervals of means of values in [0, 1]."""
    present = ~np.isnan(table)
    own = np.where(present, heavy[:, None], 0.0)
    counts, total = present.sum(axis=0), own.sum(axis=0)
    values = np.where(present, table, 0.0)
    means = _ratio((own * values).sum(axis=0), total)
    # How many topics of equal weight weigh as much.
    topics = _ratio(total**2, (own**2).sum(axis=0))
    variance = np.maximum(means * (1 - means), 0.0)  # rounding may lead past a bound
    shares = [
        _ratio((own * y).sum(axis=0) ** 2, total * (own * y**2).sum(axis=0)) for y in (values, 1 - values)
    ]
    unseen = 4 * np.maximum(1 - np.minimum(*shares), 0.0) ** 3  # rounding may lead past a share of 1
    spread = _ratio(_errors(table, means, heavy) ** 2, variance)
    spread = _ratio((counts - 1) * spread + unseen / topics, counts - 1 + unseen)
    steps = _quantiles(counts, level) ** 2 * spread
    half = np.sqrt(steps * variance + steps**2 / 4)
    # All are equal, but for rounding.
    equal = np.where(present, np.abs(table - means), 0.0).max(axis=0, initial=0.0) < EQUAL
    seen = ((1 - level) / 2) ** _ratio(np.ones_like(topics), topics)
    return (
        np.where(equal, means * seen, (means + steps / 2 - half) / (1 + steps)),
        np.where(equal, 1 - (1 - means) * seen, (means + steps / 2 + half) / (1 + steps)),
    )


def _ratio(sums: NDArray[np.float64], counts: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide sums by counts; nan where there is nothing to average."""
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
