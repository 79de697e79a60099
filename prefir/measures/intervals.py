"""Intervals of runs' means over topics (Student's t), and of their ranks (bootstrap)."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Draws that are held at once.
PIECE = 2_000_000


@dataclass(frozen=True, slots=True)
class Intervals:
    """Runs' means over topics and their intervals; arrays are (runs,).

    means: over the topics that the run has a value for; nan where it has none.
    lows, highs: the interval's ends; nan below two values, which have no spread.
    counts: the number of values in each mean.
    ranks: (best, worst), counted from 1, the interval of the run's rank; None where the ends are nan.
    Runs that are equal in a resample take the best and the worst of the ranks they share.
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
    resamples: int = 1000,
    seed: int = 0,
    bounds: tuple[float, float] = (-inf, inf),
) -> Intervals:
    """Intervals of the runs' means over topics by Student's t, and of their ranks by the bootstrap.

    values: (topics, runs), nan where a value is absent. weights: (topics,), above 0, of each topic in the
    means, in each resample too; None: all equal. Absent values are left out of the means, in each
    resample too; topics without any value are left out first and change nothing. level: in (0, 1).

    A mean's interval is m ± t s / sqrt(n), with weights m ± t sqrt(n / (n - 1) Σ w² (x - m)²) / Σ w, t having
    n - 1 degrees of freedom; bounds: what no mean can be below and above, at which it is cut.
    Percentiles of the bootstrap would be too narrow: from 5 topics they hold the mean 84 times in 100.

    Ranks: each resample draws the same topics for all runs. They compare its means, rounded to 12 decimals;
    runs with fewer than two values are not ranked, nor are, in a resample, runs without any value in it.
    resamples: at least 1; seed: equal seeds and topic order give equal results.
    Raises ValueError for another shape, an infinite value, a weight that is not above 0, or a level or
    number out of range.
    Source: Hesterberg, The American Statistician 69(4), 2015, 5; Efron & Tibshirani, An Introduction to the
    Bootstrap, 1993, 13.3; the weighted variance: Cochran, Sampling Techniques, 1977, 6.4.
    Time grows with resamples x topics x runs, memory with resamples x runs; the ranks sort the runs of each
    resample, or compare all of them where means are absent.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"level {level} must be between 0 and 1, and resamples {resamples} at least 1")
    heavy = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
    if heavy.shape != (len(table),) or not (np.isfinite(heavy) & (heavy > 0)).all():
        raise ValueError(f"weights must be above 0, one for each of the {len(table)} topics")
    present = ~np.isnan(table)
    some = present.any(axis=1)
    table, present, heavy = table[some], present[some], heavy[some]
    counts = present.sum(axis=0)
    sure = counts >= 2
    means = _ratio(heavy @ np.where(present, table, 0.0), heavy @ present.astype(np.float64))
    half = _half_widths(table, means, heavy, level)
    lows, highs = np.maximum(means - half, bounds[0]), np.minimum(means + half, bounds[1])
    ranks: list[tuple[int, int] | None] = [None] * len(counts)
    if sure.any():
        drawn = _resampled_means(table, present, heavy, resamples, seed)
        # With very few resamples it can happen that none of them draws any of a run's topics.
        sure &= ~np.isnan(drawn).all(axis=0)
        drawn = drawn[:, sure]
    if sure.any():
        tails = [(1 - level) / 2, (1 + level) / 2]
        for run, ends in zip(np.flatnonzero(sure), _rank_ranges(drawn, tails), strict=True):
            ranks[run] = ends
    return Intervals(means, lows, highs, counts, tuple(ranks))


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


def _resampled_means(
    table: NDArray[np.float64],
    present: NDArray[np.bool_],
    heavy: NDArray[np.float64],
    resamples: int,
    seed: int,
) -> NDArray[np.float64]:
    """Means (resamples, runs) over topics drawn with replacement; nan where none of a run's was drawn."""
    topics = len(table)
    chooser = np.random.default_rng(seed)
    filled, everywhere = np.where(present, table, 0.0), bool(present.all())
    there = present.astype(np.float64)
    means = []
    # In pieces, so that memory does not grow with resamples x topics; the numbers drawn are the same.
    for size in _pieces(resamples, topics):
        picks = chooser.integers(topics, size=(size, topics))
        # Counts of draws by topic turn all runs' sums into one product of matrices.
        picks += np.arange(size)[:, None] * topics
        times = np.bincount(picks.ravel(), minlength=size * topics).reshape(size, topics)
        weights = times * heavy
        counts = (
            np.broadcast_to(weights.sum(axis=1)[:, None], (size, table.shape[1]))
            if everywhere
            else weights @ there
        )
        means.append(_ratio(weights @ filled, counts))
    return np.concatenate(means)


def _pieces(resamples: int, topics: int) -> list[int]:
    """Sizes of pieces with at most PIECE draws each; of one resample at least."""
    size = max(1, PIECE // topics)
    return [min(size, resamples - start) for start in range(0, resamples, size)]


def _rank_ranges(drawn: NDArray[np.float64], tails: list[float]) -> list[tuple[int, int]]:
    """Quantiles over the resamples of each run's best and worst possible rank."""
    # A product of matrices may round equal runs differently, depending on their columns.
    drawn = np.round(drawn, 12)
    if not np.isnan(drawn).any():
        return _ranges_of_all(drawn, tails)
    ranges = []
    for run in range(drawn.shape[1]):
        took_part = ~np.isnan(drawn[:, run])
        # A comparison with an absent mean (nan) is false, so absent runs count neither way.
        others, own = drawn[took_part], drawn[took_part, run, None]
        best, worst = 1 + np.sum(others > own, axis=1), np.sum(others >= own, axis=1)
        low = np.quantile(best, tails[0], method="lower")
        high = np.quantile(worst, tails[1], method="higher")
        ranges.append((int(low), int(high)))
    return ranges


def _ranges_of_all(drawn: NDArray[np.float64], tails: list[float]) -> list[tuple[int, int]]:
    """`_rank_ranges` where no mean is absent. Time grows with n log n in the runs, not with their pairs."""
    runs = drawn.shape[1]
    above, below = np.empty_like(drawn, np.int64), np.empty_like(drawn, np.int64)
    for at, (own, ordered) in enumerate(zip(drawn, np.sort(drawn, axis=1), strict=True)):
        above[at] = runs - np.searchsorted(ordered, own, side="right")
        below[at] = np.searchsorted(ordered, own, side="left")
    lows = np.quantile(1 + above, tails[0], axis=0, method="lower")
    highs = np.quantile(runs - below, tails[1], axis=0, method="higher")
    return list(zip(lows.astype(int).tolist(), highs.astype(int).tolist(), strict=True))


def _ratio(sums: NDArray[np.float64], counts: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Divide sums by counts; nan where there is nothing to average."""
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
