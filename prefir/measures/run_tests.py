"""Comparison of runs over the topics they share: paired tests of two, and Tukey's test of all pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, isinf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefir.extras import require

from .distributions import student_quantile, student_tail
from .rbo import ABSENT
from .significance import Sensitivity, rank_correlation, sensitivity
from .topic_weights import topic_weights

# Up to this many topics that differ, the randomisation test goes through all signs: 2^16 sums.
EXACT = 16
# Sums of random signs that are held at once.
PIECE = 4_000_000


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs compared over the topics for which both have a value.

    topics: how many; wins, ties, losses: of these, where the first is higher, equal, lower.
    difference: mean of first minus second, `ABSENT` (nan) without topics; low, high: its confidence interval
    by Student's t, nan below two topics. t_p: two-sided p of the paired t-test; randomisation_p: of Fisher's
    randomisation test, exact up to 16 topics that differ. Both nan below two topics, and 1 where no topic
    differs. effect: the difference in standard deviations of its topics, infinite without spread, nan below
    two topics. needed: `topics_needed` for it at the 5 % level, nan below two topics.
    """

    topics: int
    wins: int
    ties: int
    losses: int
    difference: float
    low: float
    high: float
    t_p: float
    randomisation_p: float
    effect: float
    needed: float


def topics_needed(effect: float, *, level: float = 0.05, power: float = 0.8) -> float:
    """Number of topics with which a paired t-test finds a difference in `power` of all studies.

    effect: the mean difference in standard deviations of its topics. level: of the two-sided test, and power:
    both in (0, 1). Returns a whole number, 0 for an infinite effect and infinity for 0. From effects of 1.3
    down it is that of the noncentral t distribution, within a topic, and above within two.
    Source: Guenther, The American Statistician 35(4), 1981; Sakai, Laboratory Experiments in Information
    Retrieval, 2018, 6, without the last term, which the t distribution takes.
    """
    if not (0 < level < 1 and 0 < power < 1):
        raise ValueError(f"level {level} and power {power} must be between 0 and 1")
    if not effect or isinf(effect):
        return 0.0 if effect else inf
    normal = NormalDist()
    tail = normal.inv_cdf(1 - level / 2)
    return float(ceil(((tail + normal.inv_cdf(power)) / effect) ** 2 + tail**2 / 2))


def compare_runs(
    first: ArrayLike | Mapping[str, float],
    second: ArrayLike | Mapping[str, float],
    *,
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    weights: ArrayLike | None = None,
) -> RunComparison:
    """Paired comparison of two runs: t-test, randomisation test, interval, and topics needed.

    first, second (topics,): values of the same topics in the same order, nan where absent; or both topic ->
    value, as `Scores.of` has them, over the topics that both have, in the order of first. level: in (0, 1),
    of the interval. samples: random signs drawn by the randomisation test beyond 16 topics that differ; its p
    counts the data as one of them, so that it is at least 1 / (samples + 1). seed: equal seeds give equal
    results. weights: (topics,), above 0, of each topic in the means, as in `mean_intervals`; None: all equal.
    Differences count as equal within 1e-12. Raises ValueError for other shapes, infinite values, weights that
    are not above 0, or a level or number out of range.
    Source: Smucker, Allan & Carterette, CIKM 2007, 3 (t-test, Fisher's randomisation test).
    Time and memory grow with topics; time also with topics x samples.
    """
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        both = [topic for topic in first if topic in second]
        first, second = [first[topic] for topic in both], [second[topic] for topic in both]
    elif isinstance(first, Mapping) or isinstance(second, Mapping):
        raise TypeError("values are two arrays, or two dictionaries of topics")
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != two.shape or np.isinf(one).any() or np.isinf(two).any():
        shapes = f"{one.shape} and {two.shape}"
        raise ValueError(f"values must be finite, of one shape (topics,); the shapes are {shapes}")
    if not 0 < level < 1 or samples < 1:
        raise ValueError(f"level {level} must be between 0 and 1, and samples {samples} at least 1")
    gaps = one - two
    heavy = topic_weights(weights, len(gaps))[~np.isnan(gaps)]
    gaps = gaps[~np.isnan(gaps)]
    gaps = np.where(np.abs(gaps) < 1e-12, 0.0, gaps)
    number = len(gaps)
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    counts = (number, wins, number - wins - losses, losses)
    difference = float(heavy @ gaps / heavy.sum()) if number else ABSENT
    if number < 2:
        return RunComparison(*counts, difference, *[ABSENT] * 6)
    error = sqrt(number / (number - 1) * float(heavy**2 @ (gaps - difference) ** 2)) / float(heavy.sum())
    spread = error * sqrt(number)
    reach = float(student_quantile(number - 1, (1 + level) / 2)) * error
    if not wins and not losses:
        t_p = 1.0
    elif error < 1e-12:
        t_p = 0.0
    else:
        t_p = float(2 * student_tail(number - 1, difference / error))
    effect = inf if spread < 1e-12 else difference / spread
    if abs(difference) < 1e-12:
        effect = 0.0
    return RunComparison(
        *counts,
        difference,
        difference - reach,
        difference + reach,
        t_p,
        _randomisation_p((heavy * gaps)[gaps != 0], samples, seed),
        effect,
        topics_needed(effect),
    )


def _randomisation_p(gaps: NDArray[np.float64], samples: int, seed: int) -> float:
    """Share of the signs of the differences under which their sum is as far from 0 as it is."""
    number = len(gaps)
    if not number:
        return 1.0
    least = abs(gaps.sum()) - 1e-9 * np.abs(gaps).sum()
    if number <= EXACT:
        signs = 1.0 - 2.0 * ((np.arange(2**number)[:, None] >> np.arange(number)) & 1)
        return float((np.abs(signs @ gaps) >= least).mean())
    draw = np.random.default_rng(seed)
    as_far, step = 0, max(1, PIECE // number)
    for start in range(0, samples, step):
        plus = draw.integers(0, 2, size=(min(step, samples - start), number), dtype=np.int8)
        # Twice the sum of those with a plus, less the sum of all.
        as_far += int((np.abs(2.0 * (plus @ gaps) - gaps.sum()) >= least).sum())
    return (as_far + 1) / (samples + 1)


@dataclass(frozen=True, slots=True)
class TukeyTest:
    """Tukey's honestly significant differences of all pairs of runs.

    topics: those on which every run has a value; the test rests on these alone. means (runs,): over them.
    error: the mean square of what neither run nor topic explains, nan below two runs or two topics.
    """

    topics: int
    means: NDArray[np.float64]
    error: float

    def critical(self, level: float = 0.05) -> float:
        """The difference of two means from which on they are told apart, whichever pair it is.

        nan where there is no test. Raises ValueError for a level that is not in (0, 1).
        """
        if not 0 < level < 1:
            raise ValueError(f"level {level} must be between 0 and 1")
        if self.error != self.error:
            return ABSENT
        require("scipy")
        from scipy.stats import studentized_range

        runs = len(self.means)
        statistic = float(studentized_range.ppf(1 - level, runs, (runs - 1) * (self.topics - 1)))
        return statistic * sqrt(self.error / self.topics)

    def p_value(self, first: int, second: int) -> float:
        """Two-sided p of one pair of runs, corrected for all pairs; nan where there is no test.

        1 where the means are equal, 0 where they differ and nothing is unexplained.
        """
        gap = abs(float(self.means[first] - self.means[second]))
        if not gap >= 0 or self.error != self.error:
            return ABSENT
        if gap < 1e-12:
            return 1.0
        if self.error < 1e-24:
            return 0.0
        require("scipy")
        from scipy.stats import studentized_range

        runs = len(self.means)
        statistic = gap / sqrt(self.error / self.topics)
        return float(studentized_range.sf(statistic, runs, (runs - 1) * (self.topics - 1)))


def tukey_test(values: ArrayLike) -> TukeyTest:
    """Tukey's HSD of runs over topics, a two-way analysis of variance without replication.

    values: (topics, runs), nan where absent; topics that lack a run are left out. With two runs it is the
    paired t-test. Raises ValueError for another shape or an infinite value.
    Source: Sakai, Laboratory Experiments in Information Retrieval, 2018, 4.5; Carterette, TOIS 30(1), 2012,
    3.2. Time and memory grow with topics x runs.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    table = table[~np.isnan(table).any(axis=1)]
    topics, runs = table.shape
    means = table.mean(axis=0) if topics else np.full(runs, np.nan)
    if topics < 2 or runs < 2:
        return TukeyTest(topics, means, ABSENT)
    left = table - means - table.mean(axis=1, keepdims=True) + table.mean()
    error = float(np.einsum("tr,tr->", left, left)) / ((runs - 1) * (topics - 1))
    return TukeyTest(topics, means, error)


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """Measures of the same runs over the same topics, compared.

    sensitivities: of each measure, in order. taus (measures, measures): Kendall's tau-b between the orders of
    the runs by two measures' means; nan where there is none (`rank_correlation`). means (measures, runs):
    over the topics where a run has a value; nan without any.
    """

    sensitivities: tuple[Sensitivity, ...]
    taus: NDArray[np.float64]
    means: NDArray[np.float64]


def compare_measures(values: ArrayLike, *, weights: ArrayLike | None = None) -> MeasureComparison:
    """Sensitivity of several measures, and consistency of each two.

    values: (measures, topics, runs), nan where absent. weights: (topics,), above 0, of each topic in the
    means, as in `mean_intervals`; None: all equal. Raises ValueError for another shape or an infinite
    value. Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 2. Time grows with measures x topics x runs
    squared.
    """
    tables = np.asarray(values, dtype=np.float64)
    if tables.ndim != 3:
        raise ValueError(f"values must be of shape (measures, topics, runs); the shape is {tables.shape}")
    heavy = topic_weights(weights, tables.shape[1])
    found = tuple(sensitivity(table, weights=heavy) for table in tables)
    there = ~np.isnan(tables)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (heavy @ np.where(there, tables, 0.0)) / (heavy @ there)
    taus = np.full((len(tables), len(tables)), ABSENT)
    for i, one in enumerate(means):
        for j in range(i, len(means)):
            taus[i, j] = taus[j, i] = rank_correlation(one, means[j])
    return MeasureComparison(found, taus, means)
