"""Simulated tournaments: held against what the rules promise, and against a slow obvious count."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.rules import STRATEGIES, simulate

CROWD, DEDICATED = STRATEGIES["crowd"], STRATEGIES["dedicated"]


@given(size=st.integers(2, 9), seed=st.text(max_size=5))
def test_a_final_asks_every_pair_once_and_finds_the_true_top(size, seed):
    """A pool of F or fewer: all pairs, counted as combinations; without noise all is found."""
    found = simulate(CROWD, {"k": 3}, [float(n) for n in range(size)], seed=seed)
    assert found.judgments == len(list(combinations(range(size), 2)))
    assert (found.best, found.top, found.rounds) == (True, 1.0, 1)


@given(sizes=st.integers(2, 60), seed=st.integers(0, 99), noise=st.sampled_from([0.0, 0.3, 1.0]))
def test_judgments_lie_between_the_forecasts_bounds(sizes, seed, noise):
    settings_ = {"k": 2, "final_size": 5, "pairings": 3, "judgments_per_pair": 3}
    found = simulate(CROWD, settings_, [1.0] * sizes, noise=noise, seed=str(seed))
    bounds = CROWD.forecast([sizes], settings_)
    assert bounds.least <= found.judgments <= bounds.most


def test_dedicated_keeps_to_the_published_bound():
    """|C| + (k - 1) ceil(log2 |C|) judgments at most (Clarke et al., TOIS 2021, 4.2)."""
    found = [simulate(DEDICATED, {"k": 5}, list(range(32)), seed=str(seed)) for seed in range(20)]
    assert max(one.judgments for one in found) <= 32 + 4 * 5
    assert all(one.top == 1.0 for one in found)


def test_the_same_seed_gives_the_same_figures_and_another_others():
    grades = [n % 4 for n in range(40)]
    one, same, other = (simulate(CROWD, {}, grades, noise=0.5, seed=seed) for seed in ("a", "a", "b"))
    assert one == same
    assert one != other


def test_noise_costs_quality_and_more_judgments_of_each_pair_buy_it_back():
    """By the mean of 60 tournaments of 30 items: what anybody would expect, with room."""
    grades = list(range(30))

    def mean(noise, per_pair):
        settings_ = {"k": 5, "judgments_per_pair": per_pair}
        plays = [simulate(CROWD, settings_, grades, noise=noise, seed=str(n)) for n in range(60)]
        return sum(play.top for play in plays) / len(plays)

    sure, noisy, helped = mean(0.0, 1), mean(0.5, 1), mean(0.5, 5)
    assert sure > noisy + 0.1
    assert helped > noisy + 0.1


def test_one_who_always_guesses_finds_no_more_than_chance():
    """Of 20 items the best is in a top of 2 (with its ties) about one time in ten."""
    plays = [simulate(CROWD, {"k": 2}, list(range(20)), noise=1.0, seed=str(n)) for n in range(300)]
    assert 0.04 < sum(play.best for play in plays) / 300 < 0.25


def test_what_cannot_be_simulated():
    with pytest.raises(ValueError, match="asks no pairs"):
        simulate(STRATEGIES["picks"], {}, [1.0, 2.0], seed="s")
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        simulate(CROWD, {}, [1.0, 2.0], noise=1.5, seed="s")


def test_an_empty_pool_has_nothing_to_find():
    assert simulate(CROWD, {}, [], seed="s").judgments == 0
