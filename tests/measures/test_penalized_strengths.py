"""Penalized strengths against choix, a closed form and the slopes of a plain likelihood."""

from functools import partial
from math import log

import choix
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefir.measures import Fit, bradley_terry, penalized_bradley_terry
from prefir.measures.topic_counts import TopicCounts

from .test_winning import TRUE, played

SWEEP = [(topic, 0, 1, 1, 0, 0) for topic in range(8)]


def test_ridge_is_that_of_choix():
    """`choix.opt_pairwise`, whose penalty has no half."""
    duels = [*played(0.0, topics=3), (3, 0, 5, 4, 0, 0)]
    data = [
        (a, b) if side == 0 else (b, a)
        for _, a, b, *won in duels
        for side in (0, 1)
        for _ in range(int(won[side]))
    ]
    theirs = choix.opt_pairwise(len(TRUE), data, alpha=0.7)
    found = penalized_bradley_terry(duels, len(TRUE), penalty="ridge", weight=1.4)
    assert found.strengths.tolist() == pytest.approx(theirs.tolist(), abs=1e-5)


@pytest.mark.parametrize(("wins", "losses"), [(8, 0), (0, 3), (5, 2), (1, 1)])
def test_firth_of_two_systems_adds_half_a_duel_to_each(wins, losses):
    """Jeffreys' prior of a share: its mode on the scale of log odds is (wins + 1/2) / (duels + 1)."""
    found = penalized_bradley_terry([(0, 0, 1, wins, losses, 0)], 2, penalty="firth")
    assert found.strengths[0] - found.strengths[1] == pytest.approx(log((wins + 0.5) / (losses + 0.5)))


def log_likelihood(parameters, counts):
    """Log likelihood and information of three systems, their strengths and log ν, result by result."""
    strengths, log_tie = np.array([0.0, *parameters[:2]]), parameters[2] if len(parameters) == 3 else -np.inf
    value, information = 0.0, np.zeros((len(parameters), len(parameters)))
    for (i, j), won in counts.items():
        logs = np.array([(strengths[i] - strengths[j]) / 2, (strengths[j] - strengths[i]) / 2, log_tie])
        chances = np.exp(logs - np.logaddexp.reduce(logs))
        value += sum(n * log(chance) for n, chance in zip(won, chances, strict=True) if n)
        slopes = np.zeros((3, 4))
        slopes[0, i], slopes[0, j], slopes[1, i], slopes[1, j], slopes[2, 3] = 0.5, -0.5, -0.5, 0.5, 1.0
        slopes = slopes[:, 1 : 1 + len(parameters)]
        mean = chances @ slopes
        information += sum(won) * (np.einsum("o,oa,ob->ab", chances, slopes, slopes) - np.outer(mean, mean))
    return value, information


votes = st.tuples(
    st.integers(0, 25), st.permutations(range(3)).map(lambda two: two[:2]), st.sampled_from(range(3))
)


@given(st.lists(votes, min_size=4, max_size=30))
# Two systems that topics move alike, but for rounding.
@example([(0, [1, 2], 1), (1, [0, 2], 2), (1, [1, 2], 0), (1, [1, 2], 0)])
def test_votes_that_are_topics_of_their_own_are_added_up_alike(given):
    """Topics with the same one vote stand in one row: as if each had a row of its own."""
    duels = [(topic, *two, *(int(won == side) for side in range(3))) for topic, two, won in given]
    for rank in (bradley_terry, partial(penalized_bradley_terry, penalty="ridge")):
        found = rank(duels, 3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TopicCounts, "joined", lambda self: (self, np.ones(self.topics)))
            plain = rank(duels, 3)
        for name in ("strengths", "lows", "highs", "gaps"):
            np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-9, atol=1e-12)


results = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)).filter(any)


@given(results, results, results)
def test_firth_is_the_maximum_of_the_penalized_likelihood(ab, ac, bc):
    counts = {(0, 1): ab, (0, 2): ac, (1, 2): bc}
    duels = [(0, *pair, *won) for pair, won in counts.items()]
    found = penalized_bradley_terry(duels, 3, penalty="firth")
    if found.tie == np.inf:
        assert not np.isfinite(found.strengths).any()
        return
    tied = any(won[2] for won in counts.values())
    own = found.strengths[1:] - found.strengths[0]
    at = np.array([*own, *([log(found.tie)] if tied else [])])

    def loss(parameters):
        value, information = log_likelihood(parameters, counts)
        return -value - np.linalg.slogdet(information)[1] / 2

    steps = 1e-4 * np.eye(len(at))
    slopes = [(loss(at + step) - loss(at - step)) / 2e-4 for step in steps]
    assert slopes == pytest.approx([0.0] * len(at), abs=1e-5)


@pytest.mark.parametrize("penalty", ["ridge", "firth"])
def test_who_won_all_has_a_finite_strength_and_interval(penalty):
    assert bradley_terry(SWEEP, 2).strengths[0] == np.inf
    found = penalized_bradley_terry(SWEEP, 3, penalty=penalty)
    assert found.statuses == (Fit.FITTED, Fit.FITTED, Fit.MET_NOBODY)
    assert 0 < found.strengths[0] < found.highs[0] < np.inf
    assert found.order == [0, 1, 2]
    assert np.isnan(found.strengths[2])


@pytest.mark.parametrize("penalty", ["ridge", "firth"])
def test_groups_that_never_met_are_apart(penalty):
    """Each as it is alone."""
    found = penalized_bradley_terry([*SWEEP, (0, 2, 3, 2, 1, 0)], 4, penalty=penalty)
    alone = penalized_bradley_terry(SWEEP, 2, penalty=penalty)
    assert found.strengths[:2].tolist() == pytest.approx(alone.strengths.tolist())
    assert np.isnan(found.gaps[0, 2])
    assert found.chance(0, 2) != found.chance(0, 2)  # unknown


def test_a_light_ridge_changes_little():
    duels = played(0.5)
    plain = bradley_terry(duels, len(TRUE))
    found = penalized_bradley_terry(duels, len(TRUE), penalty="ridge", weight=1e-9)
    for name in ("strengths", "lows", "highs", "tie"):
        assert np.allclose(getattr(found, name), getattr(plain, name), atol=1e-6), name


def test_all_ties_bound_no_strength():
    found = penalized_bradley_terry([(0, 0, 1, 0, 0, 3)], 2, penalty="ridge")
    assert found.statuses == (Fit.TIED, Fit.TIED)
    assert found.tie == np.inf


@pytest.mark.parametrize(
    ("options", "said"),
    [({"penalty": "lasso"}, "ridge, firth"), ({"penalty": "ridge", "weight": 0}, "above 0")],
)
def test_other_penalties_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        penalized_bradley_terry(SWEEP, 2, **options)
