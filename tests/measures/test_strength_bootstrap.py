"""Bootstrap intervals of strengths against the binomial distribution of what is drawn."""

from math import comb, inf, log

import numpy as np
import pytest

from prefir.measures import Fit, bootstrap_strengths, bradley_terry

from .test_winning import TRUE, played


def quantile(duels, share, end):
    """The least number of wins whose binomial distribution reaches a quantile."""
    below = 0.0
    for wins in range(duels + 1):
        below += comb(duels, wins) * share**wins * (1 - share) ** (duels - wins)
        if below >= end:
            return wins
    raise AssertionError(end)


def test_two_systems_have_the_quantiles_of_a_binomial_distribution():
    duels = [(topic, 0, 1, int(topic < 28), int(topic >= 28), 0) for topic in range(40)]
    found = bootstrap_strengths(duels, 2, samples=20_000)
    low, high = (quantile(40, 0.7, end) for end in (0.025, 0.975))
    half_odds = [log(wins / (40 - wins)) / 2 for wins in (low, high)]
    assert [found.lows[0], found.highs[0]] == pytest.approx(half_odds)
    assert [-found.highs[1], -found.lows[1]] == pytest.approx(half_odds)
    gap = found.strengths[0] - found.strengths[1]
    assert (
        found.gaps[0, 1]
        == found.gaps[1, 0]
        == pytest.approx(max(2 * half_odds[1] - gap, gap - 2 * half_odds[0]))
    )


def test_an_end_is_open_where_too_many_samples_hold_wins_alone():
    """Of three topics with two wins, 8 samples of 27 hold no loss, 1 of 27 no win: both above .025."""
    found = bootstrap_strengths([(0, 0, 1, 1, 0, 0), (1, 0, 1, 1, 0, 0), (2, 0, 1, 0, 1, 0)], 2)
    assert (found.lows[0], found.highs[0], found.gaps[0, 1]) == (-inf, inf, inf)
    # Of eight with four, 1 of 256.
    even = bootstrap_strengths([(topic, 0, 1, topic % 2, 1 - topic % 2, 0) for topic in range(8)], 2)
    assert np.isfinite([even.lows[0], even.highs[0], even.gaps[0, 1]]).all()


def test_topics_are_drawn_whole():
    """One topic of many duels, drawn n times or not at all: strengths are the same in each sample."""
    found = bootstrap_strengths([(0, 0, 1, 30, 10, 0)], 2, samples=50)
    assert found.lows.tolist() == found.highs.tolist() == pytest.approx(found.strengths.tolist())


def test_strengths_are_those_of_bradley_terry_and_widths_near_its_own():
    duels = played(0.4, topics=60)
    formula, drawn = bradley_terry(duels, len(TRUE)), bootstrap_strengths(duels, len(TRUE), samples=400)
    assert drawn.strengths.tolist() == formula.strengths.tolist()
    assert (drawn.tie, drawn.topics, drawn.records.tolist()) == (
        formula.tie,
        formula.topics,
        formula.records.tolist(),
    )
    wide, wider = drawn.highs - drawn.lows, formula.highs - formula.lows
    assert 0.8 < (wide / wider).mean() < 1.1


def test_what_has_no_strength_has_no_interval_and_sets_no_gap():
    duels = [(t, *pair, t % 2, 1 - t % 2, 0) for t in range(12) for pair in ((0, 1), (2, 3))]
    found = bootstrap_strengths([*duels, (0, 4, 0, 1, 0, 0)], 6, samples=60)
    assert found.statuses[4:] == (Fit.WON_ALL, Fit.MET_NOBODY)
    assert np.isnan(found.lows).tolist() == [False] * 4 + [True] * 2
    assert np.isfinite(found.gaps[0, 1])
    assert np.isnan([found.gaps[0, 2], found.gaps[0, 4]]).all()


def test_the_same_seed_draws_the_same_and_no_samples_are_refused():
    duels = played(0.4, topics=5)
    one, again = (bootstrap_strengths(duels, len(TRUE), samples=30, seed=3) for _ in range(2))
    assert one.lows.tolist() == again.lows.tolist()
    assert one.lows.tolist() != bootstrap_strengths(duels, len(TRUE), samples=30, seed=4).lows.tolist()
    with pytest.raises(ValueError, match="samples 0 must be at least 1"):
        bootstrap_strengths(duels, len(TRUE), samples=0)
    nobody = bootstrap_strengths([], 2, samples=5)
    assert np.isnan(nobody.lows).all()
