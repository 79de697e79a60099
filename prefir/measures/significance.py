"""Statistics about measures: sensitivity, correlation of system orders, agreement with assessors."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefir.extras import require

from .distributions import binomial_tail, student_tail
from .measure import Inputs, measure
from .rbo import ABSENT
from .sources import CLARKE, LUO
from .topic_weights import topic_weights


@measure(
    name="rank_correlation",
    title="Consistency of two measures",
    inputs=Inputs.MEANS,
    low=-1,
    source=f"{CLARKE}, 2",
    symmetric=True,
)
def rank_correlation(first_means: ArrayLike, second_means: ArrayLike) -> float:
    """Kendall's tau-b between the orders in which two measures rank the same systems.

    first_means, second_means (systems,): each measure's means, higher is better; systems that lack one
    (nan) are left out. Returns a float in [-1, 1], tau-b's correction for ties included; `ABSENT` (nan)
    below two systems or where a measure's means are all equal. Symmetric. Raises ValueError where the
    shapes differ. Source: Kendall, Biometrika 33(3), 1945. Time grows with n log n.
    """
    require("scipy")
    from scipy.stats import kendalltau

    one, two = (np.asarray(means, dtype=np.float64) for means in (first_means, second_means))
    if one.shape != two.shape or one.ndim != 1:
        shapes = f"{one.shape} and {two.shape}"
        raise ValueError(f"means must be of one shape (systems,); the shapes are {shapes}")
    there = ~(np.isnan(one) | np.isnan(two))
    one, two = one[there], two[there]
    if len(one) < 2 or (one == one[0]).all() or (two == two[0]).all():
        return ABSENT
    return float(kendalltau(one, two).statistic)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Shares of the pairs of runs that a measure tells apart; arrays are (runs, runs), symmetric.

    share: of the pairs with p below the level; holm, bonferroni: with p corrected for the number of pairs.
    All three are `ABSENT` (nan) where there is no pair.
    pairs: how many were tested. p_values: two-sided, nan on the diagonal and where a pair has fewer than
    two topics in common. holm_p_values: the same after Holm's step-down correction.
    differences: the mean of the run of the row less that of the column, over common topics, nan without.
    topics: how many these are.
    """

    share: float
    holm: float
    bonferroni: float
    pairs: int
    p_values: NDArray[np.float64]
    holm_p_values: NDArray[np.float64]
    differences: NDArray[np.float64]
    topics: NDArray[np.int64]

    def sure(self, level: float = 0.05) -> NDArray[np.bool_]:
        """Which pairs (runs, runs) are told apart after Holm's correction, over `enough_topics`."""
        return (self.holm_p_values < level) & enough_topics(self.topics, level)


def enough_topics(topics: ArrayLike, level: float = 0.05) -> NDArray[np.bool_]:
    """Whether two runs can be told apart over so many topics, whatever they score: from 6 on at level .05.

    A run that is no better is ahead on all n topics, or behind on all, with a probability of 2^(1 - n). The
    t-test may say less where differences happen to be nearly alike on two or three topics; nobody
    who watches a study begin should take that for sure. topics: whole numbers, any shape, which is returned.
    """
    return np.exp2(1.0 - np.asarray(topics, dtype=np.float64)) < level


@measure(
    name="sensitivity",
    title="Sensitivity",
    inputs=Inputs.SCORES,
    source=f"{CLARKE}, 2",
    value=lambda found: found.share,
)
def sensitivity(values: ArrayLike, *, level: float = 0.05, weights: ArrayLike | None = None) -> Sensitivity:
    """Discriminative power: share of the pairs of runs that a paired t-test over topics tells apart.

    values: (topics, runs), nan where absent; a topic counts for a pair if both runs have it. Runs equal on
    all their topics, within 1e-12, have p = 1; runs that differ by the same amount on each have p = 0, up to
    rounding. Pairs with fewer than two topics in common are left out. level: in (0, 1); p below it
    counts. weights: (topics,), above 0, of each topic in the means, as in `mean_intervals`; None: all equal.
    Raises ValueError for another shape, an infinite value, a weight that is not above 0, or a level out of
    range.
    Source: Clarke, Vtyurina & Smucker, TOIS 2021, 2, after Sakai, SIGIR 2006; Holm 1979.
    Time grows with topics times the square of the runs, memory with topics times runs and runs squared.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
    p_values, differences, topics = _paired_t_tests(
        np.ascontiguousarray(table.T), topic_weights(weights, len(table))
    )
    upper = np.triu_indices(len(p_values), 1)
    plain = p_values[upper]
    tested = ~np.isnan(plain)
    pairs = int(tested.sum())
    corrected = holm_corrected(plain)
    holm_p_values = np.full_like(p_values, np.nan)
    holm_p_values[upper] = corrected
    holm_p_values.T[upper] = corrected
    if not pairs:
        return Sensitivity(ABSENT, ABSENT, ABSENT, 0, p_values, holm_p_values, differences, topics)
    share, holm, bonferroni = (
        float(np.sum(given[tested] < level)) / pairs for given in (plain, corrected, plain * pairs)
    )
    return Sensitivity(share, holm, bonferroni, pairs, p_values, holm_p_values, differences, topics)


@dataclass(frozen=True, slots=True)
class AgreementTest:
    """Agreement of a measure with preferences for whole pages, over the topics without any tie.

    agree, disagree: numbers of topics; ties: topics left out. share: of `agree`, `ABSENT` (nan) where all
    are ties. chi2, chi2_p: Pearson's test of independence without Yates' correction, one degree of freedom;
    nan where a row or a column of the 2 x 2 table is empty. binomial_p: test of `share` against 1/2.
    first, second: of the same topics, those in which the measure is higher for the first system and for the
    second. split_p: test of that split against 1/2, which is the binomial test of Luo's thesis.
    """

    agree: int
    disagree: int
    ties: int
    share: float
    chi2: float
    chi2_p: float
    binomial_p: float
    first: int
    second: int
    split_p: float


@measure(
    name="agreement_test",
    title="Agreement with page preferences",
    inputs=Inputs.TABLE,
    source=f"{LUO}, 5.4",
    value=lambda found: found.share,
)
def agreement_test(
    table: Sequence[Sequence[float]],
    *,
    binomial: str = "exact",
    alternative: str = "two-sided",
) -> AgreementTest:
    """Chi-square and binomial tests of a table as made by `preference_table`; ties are left out.

    table: counts, 3 x 3 with ties last, or 2 x 2 without them. binomial: "exact", or "normal", the normal
    approximation with continuity correction. alternative: "two-sided", or "greater": more agreement than
    chance gives, and for the split the side that has more topics. Luo's thesis prints `split_p` with
    "normal" and "greater". Raises ValueError for another shape, a count that is not a whole number of at
    least 0, or an unknown option. Source: Luo, thesis, Waterloo 2021, figures 5.6, 5.8 and 5.10.
    """
    if binomial not in ("exact", "normal") or alternative not in ("two-sided", "greater"):
        raise ValueError(f"there is no {binomial!r} binomial test that is {alternative!r}")
    counts = np.asarray(table, dtype=np.float64)
    if counts.shape not in ((2, 2), (3, 3)):
        raise ValueError(f"the table must be 3 x 3, or 2 x 2 without ties; its shape is {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0) & (counts == np.floor(counts))).all():
        raise ValueError(f"the table holds a count that is not a whole number of at least 0: {table!r}")
    (a, b), (c, d) = counts[:2, :2].tolist()
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    chi2 = (a + b + c + d) * (a * d - b * c) ** 2 / margins if margins else ABSENT
    agree, disagree = int(a + d), int(b + c)
    first, second = int(a + b), int(c + d)
    decided = agree + disagree
    return AgreementTest(
        agree,
        disagree,
        int(counts.sum()) - decided,
        agree / decided if decided else ABSENT,
        chi2,
        # The upper tail of chi-square with one degree of freedom, which is a squared normal.
        erfc(sqrt(chi2 / 2)) if margins else ABSENT,
        _binomial_p(agree, decided, binomial, alternative),
        first,
        second,
        _binomial_p(max(first, second), decided, binomial, alternative),
    )


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of the exact sign test: as many wins, or as few, among wins and losses that are as likely.

    Ties are left out by the caller. 1 where there is neither. Raises ValueError for a number below 0.
    Source: Dixon & Mood, JASA 41(236), 1946.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"there are no {wins} wins and {losses} losses")
    number = wins + losses
    tail = sum(comb(number, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / 2**number)


def binomial_p(hits: int, trials: int, alternative: str = "two-sided") -> float:
    """P of the exact binomial test of `hits` among `trials` against 1/2; "two-sided" or "greater".

    Constant time, where `sign_test` adds up whole numbers. 1 without trials.
    """
    if alternative == "two-sided":
        hits = max(hits, trials - hits)
    tail = binomial_tail(hits, trials) if hits else 1.0  # of `hits` or more
    return tail if alternative == "greater" else min(1.0, 2 * tail)


def _binomial_p(hits: int, trials: int, binomial: str, alternative: str) -> float:
    """P of a binomial test of `hits` among `trials` against 1/2; 1 without trials."""
    if not trials:
        return 1.0
    if binomial == "exact":
        return binomial_p(hits, trials, alternative)
    excess, deviation = hits - trials / 2, sqrt(trials) / 2
    if alternative == "greater":
        return erfc((excess - 0.5) / deviation / sqrt(2)) / 2
    return erfc(max(0.0, abs(excess) - 0.5) / deviation / sqrt(2))


# Of two runs whose differences vary by less than this share of what the runs themselves do, differences are
# taken one by one; products alone would lose three digits or more of the sixteen.
NEAR = 1e-3
# Two values that differ by less are one that was rounded twice.
EQUAL = 1e-12


def _paired_t_tests(
    runs: NDArray[np.float64], heavy: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Two-sided p of each pair of rows (runs, runs), nan where there are fewer than two topics; how far the
    mean of the first is above that of the second; over how many topics. heavy: weights (topics,).

    By products of all runs with all runs; pairs that are nearly equal by their differences.
    """
    there = ~np.isnan(runs)
    present = there.astype(np.float64)
    runs = np.where(there, runs, 0.0)
    # No difference changes by taking a topic's mean away, and what is left loses less to rounding.
    centred = (runs - runs.sum(axis=0) / np.maximum(present.sum(axis=0), 1)) * present
    squared = heavy**2
    weighed, rooted = centred * heavy, present * np.sqrt(heavy)
    # A matrix times its own transpose is as symmetric as what it stands for.
    counts, totals = present @ present.T, rooted @ rooted.T
    sums, square_sums = weighed @ present.T, (centred * squared) @ present.T
    square_totals = (present * heavy) @ (present * heavy).T
    squares = (np.square(centred) * squared) @ present.T
    squares += squares.T
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (sums - sums.T) / totals
        # The sum of w² (d - m)² over topics, d being a difference and m their mean.
        deviations = squares - 2 * (weighed @ weighed.T)
        deviations += means * (means * square_totals - 2 * (square_sums - square_sums.T))
        t = np.abs(means) * totals / np.sqrt(np.maximum(deviations, 0.0) * counts / (counts - 1))
        p_values = 2 * student_tail(counts - 1, t)
        near = ~(deviations > NEAR * squares)
    for run in range(len(runs) - 1):
        others = run + 1 + np.flatnonzero(near[run, run + 1 :])
        if len(others):
            found = _one_by_one(runs, present, heavy, run, others)
            p_values[run, others] = p_values[others, run] = found
    p_values[counts < 2] = np.nan
    np.fill_diagonal(p_values, np.nan)
    return p_values, means, counts.astype(np.int64)


def _one_by_one(
    runs: NDArray[np.float64],
    present: NDArray[np.float64],
    heavy: NDArray[np.float64],
    run: int,
    others: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Two-sided p of a run against each of the others: differences are taken first, then squared."""
    both = present[others] * present[run]
    gaps = (runs[others] - runs[run]) * both
    gaps[np.abs(gaps) < EQUAL] = 0.0
    counts, totals = both.sum(axis=1), both @ heavy
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (gaps @ heavy) / totals
        equal = ~gaps.any(axis=1)
        gaps = (gaps - means[:, None]) * both * heavy
        errors = np.sqrt(np.einsum("rt,rt->r", gaps, gaps) * counts / (counts - 1)) / totals
        found = 2 * student_tail(counts - 1, means / errors)
    found[equal] = 1.0
    return found


def holm_corrected(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's correction: the k-th smallest p of m times m - k + 1, never below an earlier one, at most 1.

    nan where there is no test, which counts for none of the others.
    """
    number = len(p_values) - np.count_nonzero(np.isnan(p_values))
    order = np.argsort(p_values, kind="stable")  # nan comes last
    stepped = np.maximum.accumulate(p_values[order] * np.arange(number, number - len(p_values), -1))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
