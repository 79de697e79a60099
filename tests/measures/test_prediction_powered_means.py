"""Means from two judges: closed forms, coverage by simulation with a wrong judge, refusals."""

import numpy as np
import pytest

from prefir.measures import prediction_powered_mean
from prefir.measures.prediction_powered_means import _best_weight

PEOPLE, JUDGE, ELSEWHERE = [1.0, 0.0, 1.0, 0.5], [0.9, 0.2, 0.6, 0.7], [0.5, 0.8, 0.9, 0.3, 0.6]


def test_the_mean_is_that_of_people_moved_by_what_the_judge_says_elsewhere():
    found = prediction_powered_mean(PEOPLE, JUDGE, ELSEWHERE, weight=1)
    assert found.mean == pytest.approx(0.625 + 0.62 - 0.6)
    variance = np.var([0.1, -0.2, 0.4, -0.2], ddof=1) / 4 + np.var(ELSEWHERE, ddof=1) / 5
    # 3.1824 is Student's t for 3 degrees of freedom.
    assert found.half_width == pytest.approx(3.182446305 * variance**0.5, rel=1e-9)
    assert (found.low, found.high) == (found.mean - found.half_width, found.mean + found.half_width)
    assert found.bias == pytest.approx(0.6 - 0.625)


def test_a_judge_of_no_weight_leaves_the_interval_of_people_alone():
    found = prediction_powered_mean(PEOPLE, JUDGE, ELSEWHERE, weight=0)
    assert (found.mean, found.half_width, found.saved) == (0.625, found.people_alone, 0)
    assert prediction_powered_mean(PEOPLE, [0.5] * 4, [0.5] * 9).weight == 0
    against = [1 - value for value in PEOPLE]
    assert prediction_powered_mean(PEOPLE, against, ELSEWHERE).weight == 0


def test_the_weight_is_the_one_that_makes_the_variance_least():
    random = np.random.default_rng(5)
    truth = random.normal(size=8000)
    people, judge, elsewhere = truth + random.normal(size=8000), truth, random.normal(size=36_000)
    chosen = _best_weight(people, judge, elsewhere)
    widths = {
        weight: prediction_powered_mean(people, judge, elsewhere, weight=weight).half_width
        for weight in np.linspace(0, 1, 101)
    }
    assert abs(chosen - min(widths, key=widths.__getitem__)) < 0.03


@pytest.mark.parametrize(("bias", "noise"), [(0.0, 0.1), (0.4, 0.3), (-0.3, 2.0)])
def test_intervals_hold_the_mean_however_wrong_the_judge_is_and_are_narrower_where_it_is_good(bias, noise):
    random = np.random.default_rng(6)
    held, narrower = 0, 0
    for _ in range(600):
        truth = random.normal(0.3, 1, 340)
        judge = truth + bias + random.normal(0, noise, 340)
        people = truth[:40] + random.normal(0, 0.2, 40)
        found = prediction_powered_mean(people, judge[:40], judge[40:])
        held += found.low <= 0.3 <= found.high
        narrower += found.half_width < found.people_alone
    assert 0.93 <= held / 600 <= 0.97
    assert narrower / 600 > (0.99 if noise < 1 else 0.5)


def test_what_has_no_answer_is_refused():
    with pytest.raises(ValueError, match="n at least 3"):
        prediction_powered_mean([1, 0], [1, 0], ELSEWHERE)
    with pytest.raises(ValueError, match="m at least 1"):
        prediction_powered_mean(PEOPLE, JUDGE, [])
    with pytest.raises(ValueError, match="finite"):
        prediction_powered_mean(PEOPLE, JUDGE, [float("nan")])
    with pytest.raises(ValueError, match="weight 2 from 0 to 1"):
        prediction_powered_mean(PEOPLE, JUDGE, ELSEWHERE, weight=2)
