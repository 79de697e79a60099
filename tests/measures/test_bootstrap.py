"""Bootstrap intervals: against a plain loop and theory; absence, pairing, and ranks."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

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
@given(tables(st.floats(0, 1)), st.integers(0, 5))
def test_intervals_agree_with_the_plain_loop(table, seed):
    result = mean_intervals(table, resamples=40, level=0.8, seed=seed)
    for run, column in enumerate(zip(*table, strict=True)):
        values = [value for value in column if not np.isnan(value)]
        assert result.counts[run] == len(values)
        assert result.means[run] == pytest.approx(np.mean(values) if values else NAN, nan_ok=True)
        if len(values) < 2:
            assert np.isnan(result.lows[run])
            assert np.isnan(result.highs[run])
            assert result.ranks[run] is None
            continue
        means = [row[run] for row in plain_means(table, 40, seed) if not np.isnan(row[run])]
        assert [result.lows[run], result.highs[run]] == pytest.approx(list(np.quantile(means, [0.1, 0.9])))


@settings(max_examples=50)
@given(tables(st.floats(0, 1)), st.data())
def test_weights_count_topics_as_often_as_they_say(table, data):
    """Whole weights: the means, and each resample's, are those of topics that stand there so many times."""
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(table), max_size=len(table)))
    result = mean_intervals(table, weights=weights, resamples=40, level=0.8, seed=1)
    kept = [(row, w) for row, w in zip(table, weights, strict=True) if not np.isnan(row).all()]
    picks = np.random.default_rng(1).integers(max(1, len(kept)), size=(40, len(kept)))
    for run in range(len(table[0])):
        values = [row[run] for row, w in kept for _ in range(w) if not np.isnan(row[run])]
        assert result.means[run] == pytest.approx(np.mean(values) if values else NAN, nan_ok=True)
        if result.counts[run] < 2:
            continue
        drawn = [[kept[topic] for topic in resample] for resample in picks]
        each = [[row[run] for row, w in own for _ in range(w) if not np.isnan(row[run])] for own in drawn]
        ends = np.quantile([np.mean(own) for own in each if own], [0.1, 0.9])
        assert [result.lows[run], result.highs[run]] == pytest.approx(list(ends))


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


def test_the_interval_is_as_wide_as_theory_says():
    """The mean of 400 values has a standard error of s / 20; 95 % lie within 1.96 of it."""
    values = np.random.default_rng(3).normal(0.5, 0.1, size=(400, 1))
    result = mean_intervals(values, resamples=4000, seed=1)
    half = 1.96 * values.std() / 20
    assert values.mean() - result.lows[0] == pytest.approx(half, rel=0.06)
    assert result.highs[0] - values.mean() == pytest.approx(half, rel=0.06)


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    values = np.random.default_rng(0).random((30, 2))
    first, again, other = (mean_intervals(values, resamples=100, seed=seed) for seed in (7, 7, 8))
    assert np.array_equal(first.lows, again.lows)
    assert not np.array_equal(first.lows, other.lows)


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


def test_a_run_that_no_resample_draws_has_no_interval():
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
