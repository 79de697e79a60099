"""Intervals of means against scipy's t, ranks against its tests one by one; absence, and coverage."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from prefir.measures import mean_intervals, rank_ranges, sensitivity

NAN = float("nan")


def tables(cells):
    """Up to 8 topics and 4 runs, some values absent."""
    row = st.one_of(st.just(NAN), cells)
    return st.integers(1, 4).flatmap(
        lambda runs: st.lists(st.lists(row, min_size=runs, max_size=runs), min_size=1, max_size=8)
    )


@settings(max_examples=50)
@given(tables(st.floats(0, 1)), st.floats(0.5, 0.99))
def test_intervals_agree_with_scipys(table, level):
    """`scipy.stats.ttest_1samp(...).confidence_interval`."""
    result = mean_intervals(table, level=level)
    for run, column in enumerate(zip(*table, strict=True)):
        values = [value for value in column if not np.isnan(value)]
        assert result.counts[run] == len(values)
        assert result.means[run] == pytest.approx(np.mean(values) if values else NAN, nan_ok=True)
        if len(values) < 2:
            assert np.isnan(result.lows[run])
            assert np.isnan(result.highs[run])
            assert result.ranks[run] is None
            continue
        mean, error = np.mean(values), stats.sem(values)
        ends = stats.t.interval(level, len(values) - 1, loc=mean, scale=error) if error else (mean, mean)
        assert [result.lows[run], result.highs[run]] == pytest.approx(list(ends), abs=1e-9)


@settings(max_examples=50)
@given(tables(st.floats(0, 1)), st.data())
def test_weights_count_topics_as_often_as_they_say(table, data):
    """Whole weights: the mean is that of topics that stand there so many times; the interval is wider than
    theirs, who would be more witnesses than there are, and by Cochran's formula, summed one by one.
    """
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(table), max_size=len(table)))
    result = mean_intervals(table, weights=weights, level=0.8)
    for run in range(len(table[0])):
        own = [(row[run], w) for row, w in zip(table, weights, strict=True) if not np.isnan(row[run])]
        values = [value for value, w in own for _ in range(w)]
        mean = np.mean(values) if values else NAN
        assert result.means[run] == pytest.approx(mean, nan_ok=True)
        if (n := len(own)) < 2:
            continue
        error = (n / (n - 1) * sum((w * (value - mean)) ** 2 for value, w in own)) ** 0.5 / len(values)
        assert result.highs[run] - mean == pytest.approx(stats.t.ppf(0.9, n - 1) * error, abs=1e-9)


def test_equal_weights_change_nothing():
    values = np.random.default_rng(2).random((9, 3))
    plain, weighted = mean_intervals(values), mean_intervals(values, weights=[0.3] * 9)
    assert_allclose(weighted.lows, plain.lows)
    assert weighted.ranks == plain.ranks


def test_ends_are_cut_at_one_bound():
    values = [[0.0, 0.5], [1.0, 0.5]]
    free, bound = mean_intervals(values), mean_intervals(values, bounds=(0, np.inf))
    assert free.lows[0] < 0
    assert bound.lows.tolist() == [0.0, 0.5]
    assert bound.highs.tolist() == free.highs.tolist()


def test_shares_of_nothing_but_0_and_1_have_wilsons_interval_with_t():
    """Wilson's formula for 9 of 10, with t for z and the unbiased variance, 10/9 of m (1 - m)."""
    found = mean_intervals([[1.0]] * 9 + [[0.0]], bounds=(0, 1))
    k = stats.t.ppf(0.975, 9) ** 2 / 9
    # The effective share of topics that deviate from 1 is .1, and D of the two topics more is 1, not 10/9.
    w = 4 * 0.9**3
    k *= (9 + w * 0.9) / (9 + w)
    middle, half = (0.9 + k / 2) / (1 + k), (k * 0.09 + k * k / 4) ** 0.5 / (1 + k)
    assert (found.lows[0], found.highs[0]) == pytest.approx((middle - half, middle + half))


@pytest.mark.parametrize("weights", [None, [1, 2, 1, 4, 1, 3]])
def test_between_bounds_it_is_the_means_that_a_test_does_not_refuse(weights):
    """Every mean from 0 to 1 in steps of 1e-5 tried."""
    column = np.array([0.9, 1.0, 0.75, 0.98, 1.0, 0.6])
    found = mean_intervals(column[:, None], weights=weights, bounds=(0, 1))
    w = np.array(weights or [1] * 6) / sum(weights or [1] * 6)
    mean = (w * column).sum()
    variance = 6 / 5 * (w**2 * (column - mean) ** 2).sum() / (mean * (1 - mean))
    lacking = 1 - column
    effective = (w * lacking).sum() ** 2 / (w * lacking**2).sum()
    more = 4 * (1 - effective) ** 3
    variance = (5 * variance + more * (w**2).sum()) / (5 + more)
    tried = np.linspace(0, 1, 100_001)
    kept = tried[np.abs(mean - tried) <= stats.t.ppf(0.975, 5) * np.sqrt(variance * tried * (1 - tried))]
    assert (found.lows[0], found.highs[0]) == pytest.approx((kept[0], kept[-1]), abs=2e-5)


def test_where_all_topics_agree_the_interval_says_what_was_not_seen():
    """Of 5 topics a share of 1 - .025 ** (1 / 5) may have been missed, whatever their values would be."""
    found = mean_intervals([[1.0, 0.0, 0.5]] * 5, bounds=(0, 1))
    seen = 0.025 ** (1 / 5)
    assert found.lows.tolist() == pytest.approx([seen, 0, seen / 2])
    assert found.highs.tolist() == pytest.approx([1, 1 - seen, 1 - seen / 2])


def test_rounding_makes_no_number_invalid():
    chooser = np.random.default_rng(1)
    for _ in range(200):
        topics = chooser.integers(1, 7)
        alike = np.full((topics, 1), round(chooser.random(), 3))
        with np.errstate(all="raise"):
            found = mean_intervals(alike, weights=chooser.random(topics) + 0.1, bounds=(0.0, 1.0))
        assert np.isfinite(found.lows).all() == np.isfinite(found.highs).all()


def test_other_bounds_only_change_the_scale():
    values = np.random.default_rng(5).random((7, 3))
    one, other = mean_intervals(values, bounds=(0, 1)), mean_intervals(8 * values - 3, bounds=(-3, 5))
    assert_allclose(other.lows, 8 * one.lows - 3)
    assert_allclose(other.highs, 8 * one.highs - 3)
    with pytest.raises(ValueError, match="within the bounds"):
        mean_intervals([[1.5], [0.5]], bounds=(0, 1))


@pytest.mark.parametrize("topics", [3, 5, 20])
def test_intervals_hold_the_truth_as_often_as_they_say(topics):
    """Scores like those of PGC (beta, mean .4): within two standard errors of .95 over 2,000 studies."""
    values = np.random.default_rng(topics).beta(4, 6, size=(topics, 2000))
    found = mean_intervals(values)
    assert np.mean((found.lows <= 0.4) & (found.highs >= 0.4)) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("weights", [[1], [1, 0], [1, -1], [1, NAN], [[1, 1]]])
def test_weights_that_weigh_nothing_are_refused(weights):
    with pytest.raises(ValueError, match="weights must be above 0, one for each of the 2 topics"):
        mean_intervals([[0.1], [0.2]], weights=weights)


def plain_ranks(table, weights, level):
    """Ranks by scipy's paired t-tests of one pair after another and Holm's correction, counted one by one.

    With weights scipy has no such test: a pair's t is that of Cochran's weighted mean, written out.
    """
    columns = [[row[run] for row in table] for run in range(len(table[0]))]
    tests = []
    for one, other in combinations(range(len(columns)), 2):
        rows = zip(columns[one], columns[other], weights, strict=True)
        gaps = [(a - b, w) for a, b, w in rows if not np.isnan(a - b)]
        if (n := len(gaps)) < 2:
            continue
        mean = sum(w * gap for gap, w in gaps) / (total := sum(w for _, w in gaps))
        error = (n / (n - 1) * sum((w * (gap - mean)) ** 2 for gap, w in gaps)) ** 0.5 / total
        if not any(abs(gap) > 1e-12 for gap, _ in gaps):
            p = 1.0
        elif len({w for _, w in gaps}) == 1:
            p = stats.ttest_1samp([gap for gap, _ in gaps], 0).pvalue
        else:
            p = 2 * stats.t.sf(abs(mean) / error, n - 1) if error else 0.0
        tests.append((p, one, other, mean, n))
    better = set()
    for step, (p, one, other, mean, n) in enumerate(sorted(tests)):
        if p * (len(tests) - step) >= 1 - level:
            break
        # Being ahead on all of n topics, or behind on all, is chance 2 times in 2^n.
        if 2 / 2**n < 1 - level:
            better.add((one, other) if mean > 0 else (other, one))
    ranked = [run for run, own in enumerate(columns) if sum(not np.isnan(x) for x in own) >= 2]
    return tuple(
        (1 + sum(b == run for _, b in better), len(ranked) - sum(a == run for a, _ in better))
        if run in ranked
        else None
        for run in range(len(columns))
    )


@pytest.mark.filterwarnings("ignore:Precision loss")
@settings(max_examples=100)
@given(
    tables(st.integers(0, 1000).map(lambda n: n / 1000)), st.booleans(), st.sampled_from([0.51, 0.83, 0.95])
)
def test_ranks_are_those_that_tests_one_by_one_leave_open(table, weighted, level):
    weights = [1 + n % 3 if weighted else 1 for n in range(len(table))]
    assert rank_ranges(table, weights=weights, level=level) == plain_ranks(table, weights, level)
    assert mean_intervals(table, weights=weights, level=level).ranks == plain_ranks(table, weights, level)


def test_ranges_hold_all_true_ranks_as_often_as_they_say():
    """Five runs, two of them alike, over 8 topics, 400 times: all ranges hold at once in 95 % or more."""
    draw, held = np.random.default_rng(4), 0
    true = np.array([0.3, 0.4, 0.4, 0.5, 0.7])
    for _ in range(400):
        found = rank_ranges(true + draw.normal(0, 0.1, size=(8, 5)))
        above = [(true > one).sum() for one in true]
        held += all(
            best <= 1 + n and worst >= (true >= one).sum()
            for (best, worst), one, n in zip(found, true, above, strict=True)
        )
    assert held >= 0.95 * 400 - 2 * (400 * 0.95 * 0.05) ** 0.5


def test_runs_are_compared_on_the_same_topics():
    """A run that is better by nearly the same on every topic is told apart, intervals overlapping."""
    draw = np.random.default_rng(0)
    worse = draw.random((10, 1))
    result = mean_intervals(np.hstack([worse, worse + 0.001 + draw.random((10, 1)) / 10_000]))
    assert result.ranks == ((2, 2), (1, 1))
    assert result.lows[1] < result.highs[0]


@pytest.mark.parametrize("topics", [2, 3, 5, 6])
def test_few_topics_tell_nothing_apart_however_alike_their_differences(topics):
    """Ahead by nearly .2 on each: five topics are so by chance 2 times in 32, six 2 times in 64."""
    table = [[0.5 + 0.2 + n / 1000, 0.5] for n in range(topics)]
    assert sensitivity(table).holm_p_values[0, 1] < 0.01
    assert rank_ranges(table) == (((1, 1), (2, 2)) if topics == 6 else ((1, 2), (1, 2)))


def test_a_further_run_leaves_the_others_intervals_alone():
    values = np.random.default_rng(0).random((20, 3))
    three, two = mean_intervals(values), mean_intervals(values[:, :2])
    assert_allclose(three.lows[:2], two.lows)
    assert_allclose(three.highs[:2], two.highs)


def test_topics_that_nobody_has_change_nothing():
    values = np.random.default_rng(0).random((20, 3))
    padded = np.vstack([np.full((5, 3), NAN), values])
    assert np.array_equal(mean_intervals(padded).lows, mean_intervals(values).lows)


def test_equal_runs_share_their_ranks():
    column = np.random.default_rng(0).random((15, 1))
    result = mean_intervals(np.hstack([column, column, column**2 - 1]))
    assert result.ranks == ((1, 2), (1, 2), (3, 3))


def test_runs_that_differ_by_a_rounding_are_equal():
    """0.1 + 0.2 is above 0.3 in floating point; no reader would call one run better for it."""
    result = mean_intervals([[0.1 + 0.2, 0.3]] * 2)
    assert result.ranks == ((1, 2), (1, 2))


def test_runs_with_no_value_or_one_have_no_interval():
    between = mean_intervals([[0.5, NAN, 0.25], [0.5, NAN, NAN]], bounds=(0, 1))
    assert np.isnan(between.lows).tolist() == np.isnan(between.highs).tolist() == [False, True, True]
    result = mean_intervals([[0.5, NAN, 0.25], [0.5, NAN, NAN]])
    assert result.counts.tolist() == [2, 0, 1]
    assert result.means.tolist() == pytest.approx([0.5, NAN, 0.25], nan_ok=True)
    assert result.lows.tolist() == pytest.approx([0.5, NAN, NAN], nan_ok=True)
    assert result.ranks == ((1, 1), None, None)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_topics_or_no_runs_give_empty_or_absent_results(shape):
    result = mean_intervals(np.empty(shape))
    assert result.counts.tolist() == [0] * shape[1]
    assert np.isnan(result.means).all()
    assert result.ranks == (None,) * shape[1]


def test_scores_stored_as_none_are_absent():
    values: list[Any] = [[None, 1.0], [0.5, 0.0]]
    assert mean_intervals(values).counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "options"),
    [([0.5], {}), ([[float("inf")]], {}), ([[0.5]], {"level": 1})],
)
def test_what_makes_no_interval_is_refused(values, options):
    with pytest.raises(ValueError, match="must be"):
        mean_intervals(values, **options)
