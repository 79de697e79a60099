"""Intervals that allow looking: bets are worth 1 on average, exactly; errors by simulation; refusals."""

from itertools import product
from math import exp, isnan, log, prod

import numpy as np
import pytest

from prefir.measures import anytime_mean, anytime_share
from prefir.measures.anytime import _log_share_bet, _stakes, hedged_capital
from prefir.measures.shares import wilson_interval


@pytest.mark.parametrize("share", [0.1, 0.5, 0.73])
def test_the_bet_against_the_true_share_is_worth_1_on_average(share):
    """Over all sequences of nine answers."""
    worth = 0.0
    for answers in product((0, 1), repeat=9):
        won = sum(answers)
        worth += share**won * (1 - share) ** (9 - won) * exp(_log_share_bet(won, 9 - won, share))
    assert worth == pytest.approx(1, abs=1e-12)


def test_ties_as_halves_make_the_bet_worth_no_more():
    """Wins .3, ties .4, losses .3: the share is one half."""
    worth = 0.0
    for answers in product(((0.3, 1), (0.4, 0.5), (0.3, 0)), repeat=7):
        won = sum(value for _, value in answers)
        worth += prod(chance for chance, _ in answers) * exp(_log_share_bet(won, 7 - won, 0.5))
    assert 0 < worth <= 1


def test_the_bet_against_the_true_mean_is_worth_1_on_average():
    chances = {0.0: 0.2, 0.4: 0.5, 1.0: 0.3}
    mean = sum(value * chance for value, chance in chances.items())
    worth = np.zeros(6)
    for values in product(chances, repeat=6):
        own = np.array(values)
        worth += prod(chances[value] for value in values) * hedged_capital(own, _stakes(own, 0.05), mean)
    assert worth == pytest.approx(np.ones(6), abs=1e-12)


def test_ends_are_the_values_at_which_the_bet_reaches_its_goal():
    found = anytime_share(60, 35, 5)
    for end in (found.low, found.high):
        assert exp(_log_share_bet(62.5, 37.5, end)) == pytest.approx(20, rel=1e-6)
    assert found.share == 0.625
    assert found.p == pytest.approx(exp(-_log_share_bet(62.5, 37.5, 0.5)))
    values = np.random.default_rng(3).uniform(0, 1, 80)
    found = anytime_mean(values, bounds=(0, 1), null=0.5)
    alone = _stakes(values, 0.05)
    for end in (found.low, found.high):
        assert hedged_capital(values, alone, end)[-1] == pytest.approx(20, rel=0.01)


def test_a_look_after_every_answer_errs_no_more_often_than_said():
    """400 studies of two equal systems, looked at after each of 300 answers: at most one in twenty errs."""
    random = np.random.default_rng(11)
    wrong = fixed = 0
    for _ in range(400):
        won = np.cumsum(random.integers(0, 2, 300))
        looks = [(int(w), n - int(w)) for n, w in enumerate(won, 1)]
        wrong += any(_log_share_bet(w, lost, 0.5) >= log(20) for w, lost in looks)
        fixed += any(
            not low <= 0.5 <= high for low, high in (wilson_interval(w, w + lost) for w, lost in looks)
        )
    assert wrong <= 20
    # An interval for one look is wrong at some time in every other study.
    assert fixed > 100


def test_means_of_topics_err_no_more_often_than_said_and_find_a_difference():
    random = np.random.default_rng(12)
    wrong = found = 0
    for _ in range(300):
        values = random.normal(0, 0.3, 200).clip(-1, 1)
        wrong += anytime_mean(values).decided is not None
        better = anytime_mean((values + 0.15).clip(-1, 1))
        assert (better.decided is None) == (better.p > 0.05)
        found += better.decided is not None
    assert wrong <= 15
    assert found >= 270


def test_more_answers_narrow_the_interval_and_the_sides_may_be_swapped():
    few, many = anytime_share(6, 4), anytime_share(600, 400)
    assert few.low < many.low < 0.6 < many.high < few.high
    swapped = anytime_share(4, 6)
    assert (swapped.low, swapped.high) == pytest.approx((1 - few.high, 1 - few.low))
    one_sided = anytime_share(50, 0)
    assert 0.83 < one_sided.low < one_sided.high == 1


def test_nothing_is_known_without_answers():
    found = anytime_share(0, 0)
    assert isnan(found.share)
    assert (found.low, found.high, found.p) == (0, 1, 1)
    found = anytime_mean([])
    assert isnan(found.mean)
    assert (found.low, found.high, found.p, found.decided) == (-1, 1, 1, None)
    assert anytime_mean([0.0]).decided is None


def test_what_is_out_of_range_is_refused():
    with pytest.raises(ValueError, match="must be at least 0"):
        anytime_share(-1, 2)
    with pytest.raises(ValueError, match="level 1 must be between 0 and 1"):
        anytime_share(1, 2, level=1)
    with pytest.raises(ValueError, match="lie between 0 and 1"):
        anytime_mean([0.5, 1.2], bounds=(0, 1), null=0.5)
    with pytest.raises(ValueError, match="null 1 must lie"):
        anytime_mean([0.5], bounds=(0, 1), null=1)
    with pytest.raises(ValueError, match="level 0 must"):
        anytime_mean([0.5], level=0)
