"""Win shares and weights of aspects, against plain second versions and known intervals."""

import numpy as np
import pytest
from scipy import optimize, stats

from prefir.measures import weigh_aspects, win_shares
from prefir.measures.aspects import PRIOR
from prefir.measures.strengths import half_widths


def answers(seed: int, n: int = 300, weights=(1.5, 0.5, 0.0), topics: int = 20, ties=0.1):
    """Answers that follow the aspects by these weights; some are ties."""
    chance = np.random.default_rng(seed)
    aspects = chance.integers(-1, 2, (n, len(weights)))
    prefers = chance.random(n) < 1 / (1 + np.exp(-(aspects @ np.array(weights))))
    chosen = np.where(chance.random(n) < ties, 0, np.where(prefers, 2, -1))
    return aspects, chosen, chance.integers(0, topics, n)


def slope_of(row, choice, own) -> list[float]:
    """How the log likelihood of one answer grows with each weight, a tie as half of each."""
    first = 1 / (1 + np.exp(-sum(x * b for x, b in zip(row, own, strict=True))))
    share = 1.0 if choice > 0 else 0.0 if choice < 0 else 0.5
    return [x * (share - first) for x in row]


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_the_maximum_of_the_penalized_likelihood(seed):
    aspects, chosen, topics = answers(seed)

    def lost(own) -> float:
        found = sum(b**2 for b in own) / (2 * PRIOR**2)
        for row, choice in zip(aspects, chosen, strict=True):
            odds = sum(x * b for x, b in zip(row, own, strict=True))
            share = 1.0 if choice > 0 else 0.0 if choice < 0 else 0.5
            found += share * np.log1p(np.exp(-odds)) + (1 - share) * np.log1p(np.exp(odds))
        return found

    found = weigh_aspects(aspects, chosen, topics)
    slow = optimize.minimize(lost, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    assert found.weights == pytest.approx(slow.x, abs=1e-4)
    assert found.answers == 300


@pytest.mark.parametrize("copies", [1, 9])
def test_intervals_are_those_of_topics_as_clusters_and_no_narrower_than_the_models_own(copies):
    """Of answers that are there nine times the model's own would be three times narrower."""
    aspects, chosen, topics = (np.concatenate([one] * copies) for one in answers(3))
    found = weigh_aspects(aspects, chosen, topics)
    curve = np.eye(3) / PRIOR**2
    slopes = np.zeros((20, 3))
    for row, choice, topic in zip(aspects, chosen, topics, strict=True):
        first = 1 / (1 + np.exp(-(row @ found.weights)))
        curve += first * (1 - first) * np.outer(row, row)
        slopes[topic] += slope_of(row, choice, found.weights)
    own = np.linalg.inv(curve)
    half = half_widths(slopes @ own, np.full(3, 20), 0.95, least=np.diag(own))
    assert found.highs - found.weights == pytest.approx(half)
    assert found.weights - found.lows == pytest.approx(half)
    of_model = stats.norm.ppf(0.975) * np.sqrt(np.diag(own))
    assert (half > of_model * (1 - 1e-9)).all()
    if copies == 9:
        assert (half[1:] > 1.4 * of_model[1:]).all()


def test_of_many_answers_the_intervals_hold_the_weights_that_they_were_drawn_by():
    found = weigh_aspects(*answers(1, n=6000, topics=200, ties=0))
    assert (found.lows < (1.5, 0.5, 0.0)).all()
    assert (found.highs > (1.5, 0.5, 0.0)).all()
    chance, low, high = found.chances(0)
    assert low < 1 / (1 + np.exp(-1.5)) < high
    assert chance == pytest.approx(1 / (1 + np.exp(-found.weights[0])))


def test_turning_pairs_changes_nothing():
    aspects, chosen, topics = answers(2)
    turn = np.where(np.random.default_rng(0).random(len(chosen)) < 0.5, -1, 1)
    one = weigh_aspects(aspects, chosen, topics)
    other = weigh_aspects(aspects * turn[:, None], chosen * turn, topics)
    assert one.weights == pytest.approx(other.weights)
    assert one.lows == pytest.approx(other.lows)


def test_an_aspect_that_decides_every_answer_has_a_weight_and_one_that_decides_none_has_none():
    found = weigh_aspects([[1, 0]] * 30 + [[-1, 0]] * 30, [1] * 30 + [-1] * 30, [0] * 60)
    assert 2 < found.weights[0] < 10
    assert np.isnan(found.weights[1])
    # Of one topic nothing tells how far topics differ.
    assert np.isnan(found.lows[0])
    nothing = weigh_aspects(np.empty((0, 2)), [], [])
    assert np.isnan(nothing.weights).all()


@pytest.mark.parametrize(
    ("aspects", "chosen", "topics"), [([[2]], [1], [0]), ([[1]], [1, 1], [0]), ([1], [1], [0])]
)
def test_what_does_not_fit_is_refused(aspects, chosen, topics):
    with pytest.raises(ValueError, match="aspect"):
        weigh_aspects(aspects, chosen, topics)


def test_a_share_of_one_duel_a_topic_has_the_interval_of_a_mean():
    won = np.random.default_rng(5).integers(0, 2, (200, 1)).astype(float)
    found = win_shares(won, np.ones_like(won))
    mean, error = won.mean(), won.std(ddof=1) / np.sqrt(200)
    assert found.shares[0] == mean
    assert found.highs[0] - mean == pytest.approx(stats.t.ppf(0.975, 199) * error, rel=0.02)


def test_shares_are_ratios_of_sums_and_who_won_all_is_still_unsure():
    won, met = [[3, 0, 0], [1, 0, 0]], [[4, 2, 0], [1, 3, 0]]
    found = win_shares(won, met)
    assert found.shares[:2].tolist() == [4 / 5, 0]
    assert np.isnan(found.shares[2])
    assert found.lows[1] == 0
    assert found.highs[1] > 0.2
    with pytest.raises(ValueError, match="nobody wins more"):
        win_shares([[2.0]], [[1.0]])
