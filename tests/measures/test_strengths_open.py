"""Strengths without a finite value: why, in which order, and where their intervals are open."""

from itertools import permutations
from math import inf, isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import linprog, minimize

from prefir.measures import Fit, bradley_terry

from .test_winning import davidsons, rao_and_kuppers

NAN = float("nan")
# Three systems on eight topics: the first wins all 16, the second 5 of 8 against the third.
SWEEP = [
    row
    for topic in range(8)
    for row in ((topic, 0, 1, 1, 0, 0), (topic, 0, 2, 1, 0, 0), (topic, 1, 2, topic < 5, topic >= 5, 0))
]


def test_who_won_all_is_first_and_has_no_upper_end():
    found = bradley_terry(SWEEP, 3)
    assert found.statuses == (Fit.WON_ALL, Fit.FITTED, Fit.FITTED)
    assert found.strengths.tolist() == pytest.approx([inf, log(5 / 3) / 2, -log(5 / 3) / 2])
    assert found.order == [0, 1, 2]
    assert found.tops == [[0]]
    assert found.records.tolist() == [[16, 0, 0], [5, 11, 0], [3, 13, 0]]
    assert found.topics == 8
    assert [found.chance(0, 1), found.chance(1, 0)] == [1, 0]
    assert found.chance(1, 2) == pytest.approx(5 / 8)


def test_its_lower_end_is_where_eight_of_eight_topics_have_a_chance_of_one_in_forty():
    """Clopper and Pearson's end for one rival; for two, the mean of both duels' logarithms counts."""
    found = bradley_terry(SWEEP, 3)
    low, high = found.lows[0], found.highs[0]
    assert high == inf
    gaps = low - found.strengths[1:]
    assert 8 * np.mean(np.log(1 / (1 + np.exp(-gaps)))) == pytest.approx(log(0.025))
    pair = bradley_terry([(topic, 1, 0, 3, 0, 0) for topic in range(8)], 2)
    chance = 0.025 ** (1 / 8)
    assert pair.lows[1] == pytest.approx(log(chance / (1 - chance)) / 2)
    assert (pair.lows[0], pair.highs[0], pair.highs[1]) == (-inf, pytest.approx(-pair.lows[1]), inf)


def test_who_lost_all_is_last_and_who_met_nobody_is_said_so():
    """System 2 lost all; 3 met nobody; 0 and 1 won against each other."""
    found = bradley_terry([(0, 2, 0, 0, 2, 0), (0, 1, 2, 1, 0, 0), (0, 0, 1, 2, 1, 0)], 4)
    assert found.statuses == (Fit.FITTED, Fit.FITTED, Fit.LOST_ALL, Fit.MET_NOBODY)
    assert (found.order, found.groups.tolist()) == ([0, 1, 2, 3], [0, 0, 0, -1])
    assert found.strengths[2] == -inf
    assert isnan(found.strengths[3])
    assert isnan(found.chance(0, 3))


def test_a_chain_has_an_order_and_no_strengths():
    found = bradley_terry([(t, *pair, 1, 0, 0) for t in range(5) for pair in ((2, 0), (0, 1), (2, 1))], 3)
    assert found.statuses == (Fit.BETWEEN, Fit.LOST_ALL, Fit.WON_ALL)
    assert found.order == [2, 0, 1]
    assert (found.lows.tolist(), found.highs.tolist()) == ([-inf] * 3, [inf] * 3)


def test_groups_that_never_met_are_fitted_apart_and_none_is_preferred():
    """Two pairs of equal size: each has its own best and its own mean of 0."""
    found = bradley_terry([(0, 0, 2, 3, 1, 0), (0, 1, 3, 1, 2, 0), (1, 1, 3, 1, 2, 0)], 4)
    assert found.statuses == (Fit.FITTED,) * 4
    assert (found.groups.tolist(), found.tops) == ([0, 1, 0, 1], [[0], [3]])
    assert found.strengths.tolist() == pytest.approx([log(3) / 2, -log(2) / 2, -log(3) / 2, log(2) / 2])
    assert isnan(found.chance(0, 1))


def test_two_that_beat_all_others_and_never_met_are_both_best():
    found = bradley_terry([(0, 0, 2, 1, 0, 0), (0, 1, 2, 1, 0, 0)], 3)
    assert found.statuses == (Fit.WON_ALL, Fit.WON_ALL, Fit.LOST_ALL)
    assert found.tops == [[0, 1]]
    assert isnan(found.chance(0, 1))


def test_sets_of_which_one_won_all_against_the_other_are_each_fitted():
    """0 and 1 won all against 2 and 3."""
    across = [(0, a, b, 1, 0, 0) for a in (0, 1) for b in (2, 3)]
    found = bradley_terry([*across, (0, 0, 1, 1, 2, 0), (0, 2, 3, 2, 1, 0)], 4)
    assert found.strengths.tolist() == pytest.approx([-log(2) / 2, log(2) / 2, log(2) / 2, -log(2) / 2])
    assert (found.order, found.tops) == ([1, 0, 2, 3], [[1]])
    assert (found.chance(0, 2), found.chance(1, 0)) == (1, pytest.approx(2 / 3))


def test_a_tie_leads_back_only_where_ties_are_bounded():
    """A win and a tie: x ν / (x + 1 / x + ν)², x the root of the ratio of strengths, grows with x where
    ν = x + 1 / x, so that there is no maximum. Where two others show how likely ties are, there is one.
    """
    found = bradley_terry([(0, 0, 1, 1, 0, 1), (1, 0, 1, 1, 0, 1)], 2)
    assert (found.statuses, found.tie) == ((Fit.WON_ALL, Fit.LOST_ALL), inf)
    assert (found.lows.tolist(), found.highs.tolist()) == ([-inf, -inf], [inf, inf])
    bounded = bradley_terry([(0, 0, 1, 1, 0, 1), (0, 1, 2, 2, 2, 1)], 3)
    assert bounded.statuses == (Fit.FITTED,) * 3
    assert np.isfinite(bounded.strengths).all()
    tied = bradley_terry([(0, 0, 1, 0, 0, 3)], 2)
    assert tied.statuses == (Fit.TIED, Fit.TIED)


def test_without_duels_nobody_met():
    found = bradley_terry([], 3)
    assert found.statuses == (Fit.MET_NOBODY,) * 3
    assert (found.tops, found.order, found.topics) == ([], [0, 1, 2], 0)
    assert bradley_terry([], 0).order == []


def gap_range(duels, systems, one, other):
    """How far the gap of two strengths can move without the likelihood ever falling: least and most."""
    tied = any(ties for *_, ties in duels)
    rows = []

    def at_least_zero(*terms):
        row = np.zeros(systems + 1)
        for place, factor in terms:
            row[place] += factor
        rows.append(-row)

    for _, a, b, wins, losses, ties in duels:
        for first, second, times in ((a, b, wins), (b, a, losses)):
            if times:
                at_least_zero((first, 1), (second, -1))
                if tied:
                    at_least_zero((first, 0.5), (second, -0.5), (systems, -1))
        if ties:
            at_least_zero((systems, 1), (a, 0.5), (b, -0.5))
            at_least_zero((systems, 1), (a, -0.5), (b, 0.5))
    aim = np.zeros(systems + 1)
    aim[one], aim[other] = 1, -1
    limits = [(-9, 9)] * systems + [(-9, 9) if tied else (0, 0)]
    zeros = np.zeros(len(rows))
    ends = [linprog(sign * aim, A_ub=rows, b_ub=zeros, bounds=limits).fun for sign in (1, -1)]
    return round(ends[0], 6), round(-ends[1], 6)


duel = st.tuples(
    st.just(0), st.sampled_from([*permutations(range(4), 2)]), st.sampled_from(np.eye(3).tolist())
)


@given(st.lists(duel, min_size=1, max_size=9))
def test_statuses_are_those_of_a_linear_program(drawn):
    """A strength is fitted in a set if no gap in it can grow for ever without the likelihood falling."""
    duels = [(topic, *pair, *result) for topic, pair, result in drawn]
    found = bradley_terry(duels, 4, intervals=False)
    for one, other in permutations(range(4), 2):
        least, most = gap_range(duels, 4, one, other)
        # Where ν grows without end nobody is fitted.
        if np.isfinite(found.tie):
            assert (least == most == 0) == (found.sets[one] == found.sets[other])
            assert (least == 0 < most) == found.above[one, other]
    places = {system: place for place, system in enumerate(found.order)}
    assert all(places[one] < places[other] for one, other in zip(*np.nonzero(found.above), strict=True))
    assert np.isfinite(found.tie) or Fit.FITTED not in found.statuses
    assert np.isfinite(found.strengths).tolist() == [one is Fit.FITTED for one in found.statuses]


MODELS = {"davidson": davidsons, "rao-kupper": rao_and_kuppers}


def slow_interval(duels, systems, system, less=None, model=davidsons):
    """The model's likelihood by sums and logarithms alone, differentiated by small steps.

    Of a system's strength; less: of its strength less that of this other one.
    """
    topics = sorted({topic for topic, *_ in duels})

    def likelihood(values, of):
        strengths, log_tie = [*values[:-1], -sum(values[:-1])], values[-1]
        total = 0.0
        for topic, one, other, *counts in duels:
            if topic in of:
                total += float(np.array(counts) @ np.log(model(strengths[one] - strengths[other], log_tie)))
        return total

    best = minimize(lambda values: -likelihood(values, topics), np.zeros(systems), method="BFGS").x
    steps = 1e-4 * np.eye(systems)

    def slope(at, of):
        return np.array([likelihood(at + step, of) - likelihood(at - step, of) for step in steps]) / 2e-4

    curve = -np.array([slope(best + step, topics) - slope(best - step, topics) for step in steps]) / 2e-4
    # The last strength is what the others leave.
    aims = np.vstack([np.eye(systems)[:-1], [-1.0] * (systems - 1) + [0.0]])
    aim = aims[system] if less is None else aims[system] - aims[less]
    moved = np.array([aim @ np.linalg.solve(curve, slope(best, [topic])) for topic in topics])
    n = len(topics)
    alike = (moved**2).sum() ** 2 / (moved**4).sum()
    freedom = min(n - 2, 2 / (1 / alike - 1 / n))
    of_model = aim @ np.linalg.solve(curve, aim)
    by_topics = stats.t.ppf(0.975, freedom) * np.sqrt((moved**2).sum() * n / (n - 2))
    half = max(by_topics, stats.norm.ppf(0.975) * np.sqrt(of_model))
    middle = float(aim @ best)
    return middle - half, middle + half


def drawn_duels():
    random = np.random.default_rng(3)
    return [
        (t, *pair, *random.multinomial(3, (0.5, 0.3, 0.2)))
        for t in range(6)
        for pair in ((0, 1), (0, 2), (1, 2))
    ]


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize("system", range(3))
def test_intervals_are_those_of_a_slow_likelihood_with_topics_as_clusters(system, ties):
    found = bradley_terry(drawn_duels(), 3, ties=ties)
    expected = slow_interval(drawn_duels(), 3, system, model=MODELS[ties])
    assert (found.lows[system], found.highs[system]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize(("one", "other"), [(0, 1), (1, 2), (2, 0)])
def test_intervals_of_differences_are_those_of_a_slow_likelihood(one, other, ties):
    found = bradley_terry(drawn_duels(), 3, ties=ties)
    gap = found.strengths[one] - found.strengths[other]
    ends = gap - found.gaps[one, other], gap + found.gaps[one, other]
    assert ends == pytest.approx(
        slow_interval(drawn_duels(), 3, one, less=other, model=MODELS[ties]), abs=1e-3
    )
    low, high = found.chance_ends(one, other)
    assert low < found.chance(one, other) < high
    won, _, tied = MODELS[ties](gap, log(found.tie))
    assert found.chance(one, other) == pytest.approx(won + tied / 2)


def test_no_difference_between_two_groups_has_an_interval():
    """Two pairs of systems that never met each other."""
    duels = [(t, *pair, 2, 1, 0) for t in range(5) for pair in ((0, 1), (2, 3))]
    gaps = bradley_terry(duels, 4).gaps
    assert np.isfinite(gaps).tolist() == [
        [False, True, False, False],
        [True, False, False, False],
        [False, False, False, True],
        [False, False, True, False],
    ]
