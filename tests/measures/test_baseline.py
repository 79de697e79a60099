"""Runs against a baseline: scipy's paired test and interval, and Holm's steps one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from prefir.measures import compare_to_baseline

NAN = float("nan")
cells = st.one_of(st.just(NAN), st.floats(0, 1).map(lambda value: round(value, 3)))
tables = st.integers(2, 5).flatmap(
    lambda runs: st.lists(st.lists(cells, min_size=runs, max_size=runs), min_size=1, max_size=9)
)


@given(tables, st.data())
def test_differences_intervals_and_p_are_scipys(table, data):
    base = data.draw(st.integers(0, len(table[0]) - 1))
    found = compare_to_baseline(table, base)
    for run in range(len(table[0])):
        both = [(row[run], row[base]) for row in table if not np.isnan(row[run] - row[base])]
        assert found.topics[run] == len(both)
        if run == base:
            assert np.isnan(found.differences[run])
            assert np.isnan(found.holm_p_values[run])
            continue
        gaps = [own - other for own, other in both]
        assert found.differences[run] == pytest.approx(np.mean(gaps) if gaps else NAN, nan_ok=True)
        assert (found.wins[run], found.losses[run]) == (sum(g > 0 for g in gaps), sum(g < 0 for g in gaps))
        if len(both) < 2:
            assert np.isnan(found.p_values[run])
            continue
        if np.std(gaps) < 1e-9:  # scipy divides by rounding here
            assert found.p_values[run] == (1.0 if abs(gaps[0]) < 1e-12 else 0.0)
            continue
        test = ttest_rel(*zip(*both, strict=True))
        assert found.p_values[run] == pytest.approx(test.pvalue, abs=1e-9)
        ends = test.confidence_interval(1 - 0.05 / found.steps()[run])
        assert (found.lows[run], found.highs[run]) == pytest.approx((ends.low, ends.high), abs=1e-9)


def test_holm_steps_over_all_runs_but_the_baseline():
    """Three runs: the smallest p three times, the next twice, never below the one before."""
    values = np.random.default_rng(5).random((12, 4)) + np.array([0.0, 0.1, 0.2, 0.6])
    found = compare_to_baseline(values, 0)
    order = sorted((1, 2, 3), key=lambda run: found.p_values[run])
    before = 0.0
    for times, run in zip((3, 2, 1), order, strict=True):
        before = max(before, min(1.0, times * found.p_values[run]))
        assert found.holm_p_values[run] == pytest.approx(before)


@pytest.mark.parametrize(
    ("values", "base", "level"),
    [([0.5], 0, 0.95), ([[0.5, 0.1]], 2, 0.95), ([[0.5, 0.1]], 0, 1.0), ([[float("inf"), 0.1]], 0, 0.9)],
)
def test_what_cannot_be_compared_is_refused(values, base, level):
    with pytest.raises(ValueError, match=r"must be|there are columns"):
        compare_to_baseline(values, base, level=level)


def slow_steps(p_values, level=0.05):
    """Holm's procedure as it is told: the smallest p first, until one is not below its share."""
    left = dict(enumerate(p_values))
    steps = {}
    while left:
        run = min(left, key=left.get)
        if left[run] >= level / len(left):
            return steps | dict.fromkeys(left, len(left))
        steps[run] = len(left)
        del left[run]
    return steps


@given(st.lists(st.floats(-0.4, 0.4).map(lambda gap: round(gap, 2)), min_size=1, max_size=6))
def test_the_interval_at_holms_step_leaves_0_out_just_where_the_test_tells_apart(gaps):
    noise = np.array([0.1, -0.12, 0.05, -0.06, 0.11, -0.08, 0.02, -0.02])
    table = np.stack([0 * noise, *(gap + noise * (1 + n / 3) for n, gap in enumerate(gaps))], axis=1)
    found = compare_to_baseline(table, 0)
    slow = slow_steps(found.p_values[1:].tolist())
    assert found.steps().tolist() == [0, *(slow[run] for run in range(len(gaps)))]
    for run in range(1, len(gaps) + 1):
        assert (found.lows[run] > 0 or found.highs[run] < 0) == found.sure()[run]
