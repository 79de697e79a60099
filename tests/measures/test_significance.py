"""Statistics by which measures are judged: against scipy pair by pair, plain versions, and by hand."""

from itertools import combinations
from math import atan, comb, erf, isnan, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2_contingency, ttest_rel

from prefir.measures.significance import agreement_test, rank_correlation, sensitivity, sign_test

from .plain_images import plain_holm, plain_tau_b

cells = st.one_of(st.just(nan), st.sampled_from([0, 0.25, 0.5, 1]), st.floats(0, 1, width=32))
value_tables = st.integers(1, 5).flatmap(
    lambda runs: st.lists(st.lists(cells, min_size=runs, max_size=runs), min_size=1, max_size=9)
)
means = st.lists(
    st.tuples(st.sampled_from([0, 0.1, 0.2, 0.5, nan]), st.sampled_from([0, 1, 2, nan])), max_size=9
)
counts = st.integers(0, 12)


def plain_p(one, two):
    """scipy's test of one pair; the cases for which it has no number are the definition's."""
    both = [(a, b) for a, b in zip(one, two, strict=True) if not isnan(a) and not isnan(b)]
    if len(both) < 2:
        return nan
    gaps = {a - b if abs(a - b) >= 1e-12 else 0 for a, b in both}
    if gaps == {0}:
        return 1.0
    return 0.0 if len(gaps) == 1 else ttest_rel(*zip(*both, strict=True)).pvalue


@pytest.mark.filterwarnings("ignore:Precision loss")
@settings(max_examples=60)
@given(value_tables, st.sampled_from([0.01, 0.05, 0.3]))
@example([[0, 0], [0, 0]], 0.05)
@example([[0.25, 0.25, 1], [0.25, 0.25, 1]], 0.05)
def test_sensitivity_agrees_with_scipy_pair_by_pair(table, level):
    result = sensitivity(table, level=level)
    runs = list(zip(*table, strict=True))
    expected = {(i, j): plain_p(runs[i], runs[j]) for i, j in combinations(range(len(runs)), 2)}
    tested = {pair: p for pair, p in expected.items() if not isnan(p)}
    for (i, j), p in expected.items():
        assert result.p_values[i, j] == pytest.approx(p, rel=1e-6, abs=1e-12, nan_ok=True)
        assert result.p_values[j, i] == pytest.approx(result.p_values[i, j], abs=0, nan_ok=True)
    assert np.isnan(np.diag(result.p_values)).all()
    assert result.pairs == len(tested)
    holm = dict(zip(tested, plain_holm(list(tested.values())), strict=True))
    for i, j in expected:
        corrected = holm.get((i, j), nan)
        assert result.holm_p_values[i, j] == pytest.approx(corrected, rel=1e-6, abs=1e-12, nan_ok=True)
        assert result.holm_p_values[j, i] == pytest.approx(corrected, rel=1e-6, abs=1e-12, nan_ok=True)
    if not tested:
        assert isnan(result.share)
        assert isnan(result.holm)
        assert isnan(result.bonferroni)
        return
    assert result.share == sum(p < level for p in tested.values()) / len(tested)
    assert result.holm == sum(p < level for p in holm.values()) / len(tested)
    assert result.bonferroni == sum(p * len(tested) < level for p in tested.values()) / len(tested)


def test_corrections_step_as_holm_says():
    """By hand: with two topics t is (d1 + d2) / |d1 - d2|, and of Cauchy's distribution."""
    result = sensitivity([[0, 1, 2], [0, 1.02, 0.12]], level=0.95)
    p_01, p_02, p_12 = (1 - 2 / pi * atan(t) for t in (2.02 / 0.02, 2.12 / 1.88, 0.1 / 1.9))
    assert result.p_values[np.triu_indices(3, 1)] == pytest.approx([p_01, p_02, p_12])
    assert result.holm_p_values[np.triu_indices(3, 1)] == pytest.approx([3 * p_01, 2 * p_02, p_12])
    # p: .006, .462, .967; by Holm .019, .924, .967; by Bonferroni only the first is below .95.
    assert (result.share, result.holm, result.bonferroni) == (2 / 3, 2 / 3, 1 / 3)
    assert sensitivity([[0, 1, 2], [0, 1.02, 0.12]], level=0.5).holm == 1 / 3


def test_equal_runs_are_never_told_apart_and_steady_differences_always():
    table = [[0.1, 0.1, 0.6], [0.3, 0.3, 0.8], [0.25, 0.25, 0.75]]
    result = sensitivity(table)
    assert result.p_values[0, 1] == 1
    assert result.p_values[0, 2] < 1e-12
    assert result.share == result.holm == result.bonferroni == 2 / 3


def test_small_differences_of_large_values_are_not_lost():
    """Differences of 1e-9 on values of about 1: squares of the values would have no digit left for them."""
    random = np.random.default_rng(5)
    base = random.random(40)
    other = base + 1e-9 * random.normal(0.5, 1, 40)
    assert sensitivity(np.column_stack([base, other])).p_values[0, 1] == pytest.approx(
        ttest_rel(base, other).pvalue, rel=1e-9
    )


@pytest.mark.parametrize("absent", [0, 0.3])
def test_runs_apart_by_anything_from_much_to_hardly_agree_with_scipy(absent):
    """Runs that follow one another ever more closely, across the bound below which differences are taken."""
    random = np.random.default_rng(7)
    base = random.random(200)
    runs = [base + random.normal(0.1 * noise, noise, 200) for noise in 10.0 ** -np.arange(0, 7, 0.5)]
    table = np.column_stack(runs)
    table[random.random(table.shape) < absent] = nan
    result = sensitivity(table)
    for i, j in combinations(range(len(runs)), 2):
        assert result.p_values[i, j] == pytest.approx(plain_p(table[:, i], table[:, j]), rel=1e-9)


def test_a_topic_that_one_run_lacks_counts_for_the_other_pairs():
    table = np.array([[0.1, 0.4, 0.3], [0.2, nan, 0.5], [0.6, 0.9, 0.6], [0.3, 0.2, 0.1]])
    result = sensitivity(table)
    assert result.p_values[0, 1] == pytest.approx(ttest_rel(table[[0, 2, 3], 0], table[[0, 2, 3], 1]).pvalue)
    assert result.p_values[0, 2] == pytest.approx(ttest_rel(table[:, 0], table[:, 2]).pvalue)


@given(means)
def test_rank_correlation_agrees_with_the_plain_tau(drawn):
    one, two = [a for a, _ in drawn], [b for _, b in drawn]
    kept = [(a, b) for a, b in drawn if not isnan(a) and not isnan(b)]
    expected = plain_tau_b([a for a, _ in kept], [b for _, b in kept])
    assert rank_correlation(one, two) == pytest.approx(expected, nan_ok=True)
    assert rank_correlation(two, one) == pytest.approx(expected, nan_ok=True)


def test_orders_that_are_equal_and_turned_around():
    assert rank_correlation([0.1, 0.2, 0.3], [5, 6, 9]) == pytest.approx(1)
    assert rank_correlation([0.1, 0.2, 0.3], [3, 2, 1]) == pytest.approx(-1)


@given(counts, counts, counts, counts)
def test_agreement_agrees_with_scipy_and_with_counted_tosses(a, b, c, d):
    result = agreement_test([[a, b], [c, d]])
    assert (result.agree, result.disagree) == (a + d, b + c)
    if (a + b) * (c + d) * (a + c) * (b + d):
        expected = chi2_contingency([[a, b], [c, d]], correction=False)
        assert (result.chi2, result.chi2_p) == pytest.approx((expected.statistic, expected.pvalue))
    else:
        assert isnan(result.chi2)
        assert isnan(result.chi2_p)
    tosses = a + b + c + d
    ways = [comb(tosses, heads) for heads in range(tosses + 1)]
    tail = sum(way for way in ways if way <= ways[a + d]) / 2**tosses
    assert result.binomial_p == pytest.approx(tail)
    greater = agreement_test([[a, b], [c, d]], alternative="greater").binomial_p
    assert greater == pytest.approx(sum(ways[a + d :]) / 2**tosses)


def test_ties_of_either_side_are_left_out():
    """The first table of Luo's thesis, figure 5.6."""
    with_ties = agreement_test([[9, 3, 3], [19, 25, 42], [0, 0, 1]])
    without = agreement_test([[9, 3], [19, 25]])
    assert (with_ties.agree, with_ties.disagree, with_ties.ties, without.ties) == (34, 22, 46, 0)
    assert with_ties.share == 34 / 56
    assert (with_ties.chi2, with_ties.binomial_p) == (without.chi2, without.binomial_p)


@pytest.mark.parametrize("agree", [0, 22, 28, 34, 56])
def test_the_normal_approximation_is_corrected_by_half_a_topic(agree):
    """By hand: 56 topics have mean 28 and deviation sqrt(14); the correction never passes the mean."""
    table = [[agree, 56 - agree], [0, 0]]
    z = max(0, abs(agree - 28) - 1 / 2) / sqrt(14)
    two_sided = agreement_test(table, binomial="normal").binomial_p
    assert two_sided == pytest.approx(1 - erf(z / sqrt(2)), abs=1e-12)
    greater = agreement_test(table, binomial="normal", alternative="greater").binomial_p
    assert greater == pytest.approx((1 - erf((agree - 28.5) / sqrt(28))) / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "printed"),
    [
        ([[9, 3, 3], [19, 25, 42], [0, 0, 1]], 0.000017),  # figure 5.6: WR
        ([[8, 0, 4], [3, 15, 9], [17, 13, 33]], 0.038778),  # PB
        ([[18, 12, 25], [10, 16, 21], [0, 0, 0]], 0.34425),  # PMR_N
        ([[17, 3, 10], [11, 25, 36], [0, 0, 0]], 0.02251),  # PWP
        ([[8, 6, 6], [20, 22, 40], [0, 0, 0]], 0.000154),  # figure 5.8: weighted default, reverse
        ([[7, 4, 4], [21, 24, 42], [0, 0, 0]], 0.000005),  # Manhattan
        ([[8, 4, 5], [20, 24, 41], [0, 0, 0]], 0.000017),  # Euclidean
        ([[16, 7, 16], [12, 21, 30], [0, 0, 0]], 0.114551),  # figure 5.10: original nDCG@10
        ([[11, 3, 2], [17, 25, 44], [0, 0, 0]], 0.000154),  # combined nDCG@10
    ],
)
def test_the_binomial_tests_of_luos_thesis_are_of_how_a_measure_splits_the_topics(table, printed):
    """One-tailed, by the normal approximation with continuity correction."""
    found = agreement_test(table, binomial="normal", alternative="greater")
    digits = len(repr(printed).split(".")[1]) if printed >= 1e-4 else 6
    assert round(found.split_p, digits) == printed
    assert (found.first, found.second) == (sum(table[0][:2]), sum(table[1][:2]))


def test_the_split_of_figure_5_8_in_the_default_order_is_less_likely_than_printed():
    """9 : 47 is printed as .000001; z = 18.5 / sqrt(14) gives .00000038."""
    found = agreement_test([[6, 3, 4], [22, 25, 42], [0, 0, 0]], binomial="normal", alternative="greater")
    assert found.split_p == pytest.approx((1 - erf(18.5 / sqrt(28))) / 2, rel=1e-6)
    assert round(found.split_p, 8) == 0.00000038


@given(counts, counts, counts, counts)
def test_the_exact_test_of_the_split_counts_all_tosses(a, b, c, d):
    found = agreement_test([[a, b], [c, d]])
    tosses, most = a + b + c + d, max(a + b, c + d)
    tail = sum(comb(tosses, heads) for heads in range(most, tosses + 1)) / 2**tosses
    assert found.split_p == pytest.approx(min(1, 2 * tail))
    assert agreement_test([[a, b], [c, d]], alternative="greater").split_p == pytest.approx(tail)


def test_nothing_but_ties_tests_nothing():
    result = agreement_test([[0, 0, 4], [0, 0, 2], [1, 0, 3]])
    assert (result.agree, result.disagree, result.ties, result.binomial_p) == (0, 0, 10, 1)
    assert (result.first, result.second, result.split_p) == (0, 0, 1)
    assert isnan(result.share)
    assert isnan(result.chi2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sensitivity([1, 2]), r"of shape \(topics, runs\); the shape is \(2,\)"),
        (lambda: sensitivity([[1, float("inf")]]), "values must be finite"),
        (lambda: sensitivity([[1, 2]], level=1), "level 1 must be between 0 and 1"),
        (lambda: rank_correlation([1], [1, 2]), r"the shapes are \(1,\) and \(2,\)"),
        (lambda: agreement_test([[1, 2, 3], [1, 2, 3]]), r"its shape is \(2, 3\)"),
        (lambda: agreement_test([[1, 2], [0.5, 1]]), "not a whole number of at least 0"),
        (lambda: agreement_test([[1, -2], [1, 1]]), "not a whole number of at least 0"),
        (lambda: agreement_test([[1, 2], [1, 1]], binomial="z"), "no 'z' binomial test"),
        (lambda: agreement_test([[1, 2], [1, 1]], alternative="less"), "test that is 'less'"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("wins", range(13))
def test_the_sign_test_is_scipys_exact_binomial_test(wins):
    assert sign_test(wins, 12 - wins) == pytest.approx(binomtest(wins, 12, 0.5).pvalue, abs=1e-12)


def test_the_sign_test_of_nothing_says_nothing_and_of_a_negative_number_is_refused():
    assert sign_test(0, 0) == 1.0
    with pytest.raises(ValueError, match="there are no 1 wins and -1 losses"):
        sign_test(1, -1)
