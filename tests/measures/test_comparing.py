"""Comparing runs: against scipy's tests, all signs one by one, and an analysis of variance by loops."""

from itertools import product
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, nct, permutation_test, studentized_range, t, ttest_rel

from prefir.measures.run_tests import compare_measures, compare_runs, topics_needed, tukey_test
from prefir.measures.significance import sensitivity

cells = st.one_of(st.just(nan), st.sampled_from([0, 0.25, 0.5, 1]), st.floats(0, 1, width=32))
pairs = st.lists(st.tuples(cells, cells), max_size=9)


def plain_randomisation(gaps):
    """All signs of all differences, counted one by one."""
    seen = abs(sum(gaps))
    sums = [
        abs(sum(s * g for s, g in zip(signs, gaps, strict=True)))
        for signs in product((1, -1), repeat=len(gaps))
    ]
    return sum(total >= seen - 1e-9 for total in sums) / len(sums)


@settings(max_examples=80)
@given(pairs)
def test_two_runs_agree_with_scipy_and_with_all_signs(rows):
    first, second = ([row[i] for row in rows] for i in (0, 1))
    found = compare_runs(first, second)
    gaps = [a - b for a, b in rows if not isnan(a - b)]
    gaps = [0.0 if abs(gap) < 1e-12 else gap for gap in gaps]
    assert (found.topics, found.wins, found.losses) == (
        len(gaps),
        sum(g > 0 for g in gaps),
        sum(g < 0 for g in gaps),
    )
    assert found.wins + found.ties + found.losses == found.topics
    if len(gaps) < 2:
        assert isnan(found.t_p)
        assert isnan(found.randomisation_p)
        return
    assert found.difference == pytest.approx(np.mean(gaps))
    assert found.randomisation_p == pytest.approx(plain_randomisation(gaps))
    if np.std(gaps) > 1e-9:
        expected = ttest_rel(gaps, [0] * len(gaps))
        assert found.t_p == pytest.approx(expected.pvalue, rel=1e-6)
        interval = expected.confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_more_topics_are_drawn_at_random_and_come_close_to_scipys_own():
    draw = np.random.default_rng(7)
    second = draw.random(60)
    first = np.clip(second + draw.normal(0.03, 0.1, 60), 0, 1)
    found = compare_runs(first, second, samples=20_000)
    peer = permutation_test(
        (first, second), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=20_000, rng=1
    )
    # Of two counts in 20,000 draws, twice the standard error of each.
    assert found.randomisation_p == pytest.approx(peer.pvalue, abs=4 * (peer.pvalue / 20_000) ** 0.5)
    assert compare_runs(first, second, samples=20_000) == found
    assert compare_runs(first, second, samples=20_000, seed=1) != found
    assert compare_runs(second, first, samples=20_000).randomisation_p == found.randomisation_p


def test_what_has_no_spread_and_what_does_not_differ():
    same = compare_runs([0.2, 0.4, 0.9], [0.2, 0.4, 0.9])
    assert (same.ties, same.t_p, same.randomisation_p, same.needed) == (3, 1.0, 1.0, inf)
    shifted = compare_runs([0.3, 0.5, 0.7], [0.2, 0.4, 0.6])
    # All signs alike, or none: 2 of 8.
    assert (shifted.t_p, shifted.randomisation_p) == (0.0, 0.25)
    assert shifted.needed <= 1


def test_topics_needed_are_those_of_the_textbooks_formula():
    """(1.96 + 0.8416)^2 = 7.849 times the variance over the square of the difference, and 1.96^2 / 2."""
    gaps = np.array([0.1, 0.3, -0.1, 0.2, 0.0])
    found = compare_runs(gaps, np.zeros(5))
    assert gaps.var(ddof=1) == pytest.approx(0.025)
    assert found.effect == pytest.approx(0.1 / 0.025**0.5)
    assert found.needed == np.ceil(7.8489 * 0.025 / 0.1**2 + 1.96**2 / 2) == 22


def power(topics, effect, level):
    """The power of a paired t-test by scipy's noncentral t distribution."""
    return 1 - nct.cdf(t.ppf(1 - level / 2, topics - 1), topics - 1, effect * topics**0.5)


@pytest.mark.parametrize("level", [0.05, 0.05 / 6, 0.05 / 1770])
@pytest.mark.parametrize("effect", [0.1, 0.3, 0.5, 0.8, 1.0, 1.3, 2.0, 5.0])
def test_topics_needed_are_within_two_of_the_noncentral_t(effect, level):
    found = topics_needed(effect, level=level)
    exact = next(n for n in range(2, 10_000) if power(n, effect, level) >= 0.8)
    assert abs(found - exact) <= (1 if effect <= 1.3 else 2)
    assert topics_needed(-effect, level=level) == found


def test_topics_needed_refuse_what_is_no_share():
    assert (topics_needed(0.0), topics_needed(inf)) == (inf, 0.0)
    for wrong in ({"level": 0.0}, {"power": 1.0}):
        with pytest.raises(ValueError, match="must be between 0 and 1"):
            topics_needed(0.5, **wrong)


def test_the_number_of_topics_needed_finds_the_difference_four_times_in_five():
    draw = np.random.default_rng(3)
    found = compare_runs(draw.normal(0.1, 0.3, 4000), np.zeros(4000), samples=1)
    number, told = int(found.needed), 0
    for _ in range(400):
        told += compare_runs(draw.normal(0.1, 0.3, number), np.zeros(number), samples=1).t_p < 0.05
    assert told / 400 == pytest.approx(0.8, abs=0.06)


def plain_tukey(table):
    """A two-way analysis of variance by loops: error, its degrees of freedom, and p of each pair."""
    topics, runs = len(table), len(table[0])
    whole = sum(map(sum, table)) / (topics * runs)
    by_run = [sum(row[j] for row in table) / topics for j in range(runs)]
    by_topic = [sum(row) / runs for row in table]
    left = sum(
        (table[i][j] - by_run[j] - by_topic[i] + whole) ** 2 for i in range(topics) for j in range(runs)
    )
    freedom = (topics - 1) * (runs - 1)
    error = left / freedom
    found = {}
    for i, j in product(range(runs), range(runs)):
        statistic = abs(by_run[i] - by_run[j]) / (error / topics) ** 0.5
        found[i, j] = studentized_range.sf(statistic, runs, freedom)
    return error, {pair: p for pair, p in found.items() if pair[0] > pair[1]}


def test_tukeys_test_is_the_analysis_of_variance_by_loops():
    draw = np.random.default_rng(5)
    table = draw.random((12, 4)) + np.array([0, 0.1, 0.3, 0.6])
    holes = np.vstack([table, [[nan, 0.1, 0.2, 0.3]]])
    found = tukey_test(holes)
    error, expected = plain_tukey(table.tolist())
    assert found.topics == 12
    assert found.error == pytest.approx(error)
    for (i, j), p in expected.items():
        assert found.p_value(i, j) == found.p_value(j, i) == pytest.approx(p)
        told = abs(found.means[i] - found.means[j]) >= found.critical()
        assert told == (p <= 0.05)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0, 1, width=16), st.floats(0, 1, width=16)), min_size=3, max_size=12))
def test_of_two_runs_tukeys_test_is_the_paired_t_test(rows):
    table = np.array(rows)
    found = tukey_test(table)
    if np.std(table[:, 0] - table[:, 1]) < 1e-6:
        return
    assert found.p_value(0, 1) == pytest.approx(compare_runs(*table.T).t_p, abs=1e-6)


def test_where_there_is_nothing_to_test():
    for table in (np.zeros((0, 3)), np.zeros((1, 3)), np.zeros((5, 1)), np.full((3, 2), nan)):
        found = tukey_test(table)
        assert isnan(found.critical())
        assert isnan(found.p_value(0, -1))
    equal = tukey_test([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert equal.p_value(0, 1) == 0.0
    assert tukey_test([[0.1, 0.1], [0.3, 0.3]]).p_value(0, 1) == 1.0


@pytest.mark.parametrize(
    ("first", "second", "options"),
    [
        ([1], [1, 2], {}),
        ([[1]], [[1]], {}),
        ([inf], [1], {}),
        ([1], [1], {"level": 1}),
        ([1], [1], {"samples": 0}),
    ],
)
def test_what_cannot_be_compared_is_refused(first, second, options):
    with pytest.raises(ValueError, match="must be"):
        compare_runs(first, second, **options)


def test_tables_that_cannot_be_tested_are_refused():
    for table in ([1, 2], [[inf, 1]]):
        with pytest.raises(ValueError, match="must be"):
            tukey_test(table)
    with pytest.raises(ValueError, match="must be"):
        tukey_test([[1, 2], [2, 4]]).critical(0)


def test_measures_are_compared_one_by_one_and_two_by_two():
    draw = np.random.default_rng(11)
    tables = draw.random((3, 9, 4))
    tables[1, 2, 3] = nan
    found = compare_measures(tables)
    for one, table in zip(found.sensitivities, tables, strict=True):
        assert (one.share, one.holm, one.pairs) == (sensitivity(table).share, sensitivity(table).holm, 6)
    means = np.nanmean(tables, axis=1)
    for i, j in product(range(3), range(3)):
        assert found.taus[i, j] == pytest.approx(kendalltau(means[i], means[j]).statistic)
    with pytest.raises(ValueError, match="must be of shape"):
        compare_measures(tables[0])
