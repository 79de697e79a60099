"""Elo and PageRank by hand, and Newman's iteration, which comes to the strengths of `bradley_terry`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import bradley_terry, elo, pagerank

from .test_winning import TRUE, played


def test_elo_of_three_votes():
    """The favourite wins, then they tie, then the other wins; by the formula on a pocket calculator."""
    votes = [(0, 0, 1, 1, 0, 0), (1, 0, 1, 0, 0, 1), (2, 1, 0, 1, 0, 0)]
    found = elo(votes, 3, k=32)
    # 1016 and 984; .5459 is expected, so 1014.531; then .4583 of the second, so that it wins 17.335.
    assert found.tolist() == pytest.approx([997.196, 1002.804, 1000.0], abs=1e-3)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 2)), max_size=30))
def test_elo_keeps_the_sum_of_ratings(votes):
    rows = [(0, a, (a + b) % 4, *np.eye(3)[won]) for a, b, won in votes]
    assert elo(rows, 4).sum() == pytest.approx(4000)


def test_pagerank_is_that_of_the_surfer():
    """The share of time that one who follows losses to winners spends at each, by its linear equations."""
    votes = [(0, 0, 1, 3, 1, 0), (0, 1, 2, 2, 0, 1), (0, 2, 0, 1, 2, 0)]
    won = np.array([[0, 3, 2], [1, 0, 2.5], [1, 0.5, 0]])
    follow = won / won.sum(axis=0)
    expected = np.linalg.solve(np.eye(3) - 0.85 * follow, np.full(3, 0.05))
    assert pagerank(votes, 3).tolist() == pytest.approx(expected.tolist())


def test_newman_comes_to_the_same_strengths():
    """Newman, JMLR 24(238), 2023, equations 15 to 18 without a prior: his ν is half of Davidson's."""
    duels = np.array(played(0.5), float)
    systems = len(TRUE)
    won, tied = np.zeros((2, systems, systems))
    for _, a, b, *counts in duels.astype(int).tolist():
        won[a, b] += counts[0]
        won[b, a] += counts[1]
        tied[a, b] += counts[2]
        tied[b, a] += counts[2]
    powers, nu = np.ones(systems), 0.5
    for _ in range(500):
        root = np.sqrt(np.outer(powers, powers))
        below = powers[:, None] + powers + 2 * nu * root
        gained = (won + tied / 2) * (powers + nu * root) / below
        given_away = (won + tied / 2).T * (1 + nu * root / powers[:, None]) / below
        powers = gained.sum(axis=1) / given_away.sum(axis=1)
        root = np.sqrt(np.outer(powers, powers))
        sums = powers[:, None] + powers
        below = sums + 2 * nu * root
        nu = (tied * sums / below).sum() / 2 / (2 * (won * root / below).sum())
    found = bradley_terry(duels, systems)
    logs = np.log(powers)
    assert found.strengths.tolist() == pytest.approx((logs - logs.mean()).tolist(), abs=1e-6)
    assert found.tie == pytest.approx(2 * nu, rel=1e-6)


@pytest.mark.parametrize(
    ("rate", "options", "said"),
    [
        (elo, {"k": 0}, "above 0"),
        (elo, {"scale": -1}, "above 0"),
        (pagerank, {"damping": 1}, "between 0 and 1"),
    ],
)
def test_options_out_of_range_are_refused(rate, options, said):
    with pytest.raises(ValueError, match=said):
        rate([], 2, **options)
