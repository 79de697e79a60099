"""Distributions by numpy alone are scipy's, whose routines stand in for the tables of the books."""

import sys

import numpy as np
import pytest
from scipy import special, stats
from scipy.sparse import csr_array

from prefir.measures import bradley_terry, distributions, mean_intervals, sensitivity
from prefir.measures.topic_counts import TopicCounts

FREEDOM = np.array([1, 1.3, 2, 3, 4.7, 9, 30, 171, 400.5, 5000])


@pytest.fixture(params=[True, False], ids=["with scipy", "numpy alone"])
def _either(request, monkeypatch):
    if not request.param:
        monkeypatch.setitem(sys.modules, "scipy", None)


@pytest.mark.usefixtures("_either")
def test_tails_of_students_t_are_scipys():
    t = np.append(10 ** np.linspace(-3, 3, 60), [0, np.inf])[:, None]
    found, expected = distributions.student_tail(FREEDOM, -t), special.stdtr(FREEDOM, -t)
    there = expected > 1e-290
    np.testing.assert_allclose(found[there], expected[there], rtol=1e-11)
    assert (found[~there] < 1e-280).all()
    assert np.isnan(distributions.student_tail([0, -1, 3], [1, 1, np.nan])).all()


@pytest.mark.usefixtures("_either")
@pytest.mark.parametrize("share", [0.6, 0.9, 0.975, 0.9999, 1 - 1e-9])
def test_quantiles_of_students_t_are_scipys(share):
    found = distributions.student_quantile(FREEDOM, share)
    np.testing.assert_allclose(found, stats.t.ppf(share, FREEDOM), rtol=2e-8)
    np.testing.assert_allclose(distributions.student_tail(FREEDOM, found), 1 - share, rtol=1e-7)


@pytest.mark.usefixtures("_either")
@pytest.mark.parametrize(("hits", "trials"), [(1, 1), (3, 7), (50, 80), (501, 1000), (10_000, 19_500)])
def test_tails_of_the_binomial_distribution_are_scipys(hits, trials):
    expected = stats.binom.sf(hits - 1, trials, 0.5)
    assert distributions.binomial_tail(hits, trials) == pytest.approx(expected, rel=1e-10)


def test_intervals_and_tests_are_the_same_without_scipy(monkeypatch):
    rng = np.random.default_rng(3)
    values = rng.random((12, 4))
    duels = [(int(t), i, j, *rng.integers(0, 3, 3)) for t in range(9) for i, j in ((0, 1), (1, 2), (2, 0))]
    duels.append((3, 3, 0, 4, 0, 0))  # somebody who won everything

    def figures():
        ends, found = mean_intervals(values, bounds=(0, 1)), bradley_terry(duels, 4)
        tested = sensitivity(values)
        return [ends.lows, ends.highs, found.lows, found.highs, found.gaps, tested.p_values]

    expected = figures()
    monkeypatch.setitem(sys.modules, "scipy", None)
    for one, other in zip(figures(), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_a_root_is_found_between_ends_of_both_signs():
    assert distributions.find_root(lambda x: x**3 - 2, 0, 9) == pytest.approx(2 ** (1 / 3), abs=1e-15)
    assert distributions.find_root(lambda x: 1 - x, -5, 9) == pytest.approx(1, abs=1e-15)


def test_counts_by_topic_are_added_up_and_multiplied_as_the_full_table_is():
    rng = np.random.default_rng(8)
    full = rng.integers(0, 3, (6, 9)) * rng.integers(0, 2, (6, 9)).astype(float)
    sparse = csr_array(full).tocoo()
    topic, column = (part.astype(np.int64) for part in sparse.coords)
    counts = TopicCounts(topic, column, sparse.data, topics=6, columns=9)
    table = rng.random((9, 4)) * rng.integers(0, 2, (9, 4))
    np.testing.assert_array_equal(counts.dense(), full)
    np.testing.assert_array_equal(counts.sums(), full.sum(axis=0))
    np.testing.assert_allclose(counts.times(table), full @ table, rtol=1e-12)
    np.testing.assert_array_equal(counts.times(np.zeros((9, 2))), np.zeros((6, 2)))
    wanted = full.sum(axis=0) > 3
    np.testing.assert_array_equal(counts.only(wanted).dense(), full[:, wanted])
