"""Intervals of means against scipy's t, of ranks against a plain loop; absence, pairing, and coverage."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from prefir.measures import mean_intervals

NAN = float("nan")


def tables(cells):
    """Up to 8 topics and 4 runs, some values absent."""
    row = st.one_of(st.just(NAN), cells)
    return st.integers(1, 4).flatmap(
        lambda runs: st.lists(st.lists(row, min_size=runs, max_size=runs), min_size=1, max_size=8)
    )


def plain_means(table, resamples, seed):
    """Each resample's means, one topic and one run at a time; the draws are the library's."""
    table = [row for row in table if not np.isnan(row).all()]
    if not table:
        return
    picks = np.random.default_rng(seed).integers(len(table), size=(resamples, len(table)))
    for drawn in picks:
        columns = zip(*(table[topic] for topic in drawn), strict=True)
        yield [np.mean(kept) if (kept := [x for x in c if not np.isnan(x)]) else NAN for c in columns]


@settings(max_examples=50)
@given(tables(st.floats(0, 1)), st.floats(0.5, 0.99))
def test_intervals_agree_with_scipys(table, level):
    """`scipy.stats.ttest_1samp(...).confidence_interval`."""
    result = mean_intervals(table, level=level, resamples=10)
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
    result = mean_intervals(table, weights=weights, level=0.8, resamples=10)
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


def test_ends_are_cut_at_bounds():
    values = [[0.0, 0.5], [1.0, 0.5]]
    free, bound = mean_intervals(values), mean_intervals(values, bounds=(0, 1))
    assert free.lows[0] < 0 < 1 < free.highs[0]
    assert (bound.lows.tolist(), bound.highs.tolist()) == ([0.0, 0.5], [1.0, 0.5])


@pytest.mark.parametrize("topics", [3, 5, 20])
def test_intervals_hold_the_truth_as_often_as_they_say(topics):
    """Scores like those of PGC (beta, mean .4): within two standard errors of .95 over 2,000 studies."""
    values = np.random.default_rng(topics).beta(4, 6, size=(topics, 2000))
    found = mean_intervals(values, resamples=1)
    assert np.mean((found.lows <= 0.4) & (found.highs >= 0.4)) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize("weights", [[1], [1, 0], [1, -1], [1, NAN], [[1, 1]]])
def test_weights_that_weigh_nothing_are_refused(weights):
    with pytest.raises(ValueError, match="weights must be above 0, one for each of the 2 topics"):
        mean_intervals([[0.1], [0.2]], weights=weights)


@settings(max_examples=50)
@given(tables(st.sampled_from([0, 0.25, 0.5, 1])), st.integers(0, 5))
def test_ranks_agree_with_the_plain_loop(table, seed):
    """One resample: the best rank is 1 + the runs above, the worst that and the runs level with it."""
    result = mean_intervals(table, resamples=1, seed=seed)
    drawn = next(plain_means(table, 1, seed), [NAN] * len(table[0]))
    row = [round(mean, 12) if count >= 2 else NAN for mean, count in zip(drawn, result.counts, strict=True)]
    for mean, ends in zip(row, result.ranks, strict=True):
        level = (1 + sum(x > mean for x in row), sum(x >= mean for x in row))
        assert ends == (None if np.isnan(mean) else level)


def test_the_same_seed_gives_the_same_ranks_and_another_seed_others():
    values = np.random.default_rng(0).random((30, 12))
    first, again, other = (mean_intervals(values, resamples=100, seed=seed) for seed in (7, 7, 8))
    assert first.ranks == again.ranks
    assert first.ranks != other.ranks


def test_every_run_meets_the_same_topics():
    """A run that is better by the same on every topic is first in every resample, intervals overlapping."""
    worse = np.random.default_rng(0).random((10, 1))
    result = mean_intervals(np.hstack([worse, worse + 0.001]), seed=1)
    assert result.ranks == ((2, 2), (1, 1))
    assert result.lows[1] < result.highs[0]


def test_a_further_run_leaves_the_others_intervals_alone():
    values = np.random.default_rng(0).random((20, 3))
    three, two = mean_intervals(values, seed=1), mean_intervals(values[:, :2], seed=1)
    assert_allclose(three.lows[:2], two.lows)
    assert_allclose(three.highs[:2], two.highs)


def test_topics_that_nobody_has_change_nothing():
    values = np.random.default_rng(0).random((20, 3))
    padded = np.vstack([np.full((5, 3), NAN), values])
    assert np.array_equal(mean_intervals(padded, seed=1).lows, mean_intervals(values, seed=1).lows)


def test_equal_runs_share_their_ranks():
    column = np.random.default_rng(0).random((15, 1))
    result = mean_intervals(np.hstack([column, column, column - 1]), seed=1)
    assert result.ranks == ((1, 2), (1, 2), (3, 3))


def test_runs_that_differ_by_a_rounding_are_equal():
    """0.1 + 0.2 is above 0.3 in floating point; no reader would call one run better for it."""
    result = mean_intervals([[0.1 + 0.2, 0.3]] * 2, seed=1)
    assert result.ranks == ((1, 2), (1, 2))


def test_runs_with_no_value_or_one_have_no_interval():
    result = mean_intervals([[0.5, NAN, 0.25], [0.5, NAN, NAN]], seed=1)
    assert result.counts.tolist() == [2, 0, 1]
    assert result.means.tolist() == pytest.approx([0.5, NAN, 0.25], nan_ok=True)
    assert result.lows.tolist() == pytest.approx([0.5, NAN, NAN], nan_ok=True)
    assert result.ranks == ((1, 1), None, None)


def test_a_run_that_no_resample_draws_has_no_ranks():
    """One resample of three topics; at some of 50 seeds it misses both of the run's, and does not fail."""
    table = [[0.5, NAN], [0.5, NAN], [NAN, 0.5]]
    ranks = {mean_intervals(table, resamples=1, seed=seed).ranks for seed in range(50)}
    assert ranks == {((1, 1), None), (None, None)}


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_no_topics_or_no_runs_give_empty_or_absent_results(shape):
    result = mean_intervals(np.empty(shape), seed=1)
    assert result.counts.tolist() == [0] * shape[1]
    assert np.isnan(result.means).all()
    assert result.ranks == (None,) * shape[1]


def test_scores_stored_as_none_are_absent():
    values: list[Any] = [[None, 1.0], [0.5, 0.0]]
    assert mean_intervals(values, seed=1).counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "options"),
    [([0.5], {}), ([[float("inf")]], {}), ([[0.5]], {"level": 1}), ([[0.5]], {"resamples": 0})],
)
def test_what_makes_no_interval_is_refused(values, options):
    with pytest.raises(ValueError, match="must be"):
        mean_intervals(values, **options)
