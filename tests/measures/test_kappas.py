"""Cohen's, free-marginal and Gwet's coefficients: published tables, and scikit-learn's values."""

from math import isnan
from random import Random

import pytest
from sklearn.metrics import cohen_kappa_score

from prefir.measures import cohen_kappa, free_marginal_kappa, gwet_ac1

# Gwet, 2008: two raters who agree on 118 of 125 subjects, nearly always on the first label.
FIRST = [1] * 118 + [1] * 5 + [2] * 2
SECOND = [1] * 118 + [2] * 5 + [1] * 2
UNITS = list(zip(FIRST, SECOND, strict=True))


def test_the_paradox_of_kappa_is_gwets():
    """Kappa falls below 0 where agreement is .944; AC1 and free-marginal kappa do not."""
    assert cohen_kappa(FIRST, SECOND) == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac1(UNITS) == pytest.approx(0.9408, abs=5e-5)
    assert free_marginal_kappa(UNITS) == pytest.approx(2 * 0.944 - 1)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(5))
def test_cohens_kappa_is_that_of_scikit_learn(weights, seed):
    draw = Random(seed)
    first = [0, 1, 2, 3, *(draw.randrange(4) for _ in range(60))]
    second = [grade if draw.random() < 0.5 else draw.randrange(4) for grade in first]
    expected = cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
    assert cohen_kappa(first, second, weights=weights) == pytest.approx(expected)
    assert cohen_kappa([*first, None, 1], [*second, 2, None], weights=weights) == pytest.approx(expected)


def test_units_may_have_any_number_of_labels():
    """By hand: agreement (1 + 1/3 + 0) / 3; shares of a over all four units (1 + 2/3 + 1/2 + 1) / 4."""
    units = [["a", "a"], ["a", "b", "a"], ["a", "b"], ["a"]]
    observed, share = (1 + 1 / 3) / 3, (1 + 2 / 3 + 1 / 2 + 1) / 4
    chance = 2 * share * (1 - share)
    assert gwet_ac1(units) == pytest.approx((observed - chance) / (1 - chance))
    assert free_marginal_kappa(units, options=4) == pytest.approx((observed - 1 / 4) / (3 / 4))
    assert gwet_ac1(units, options=4) == pytest.approx((observed - chance / 3) / (1 - chance / 3))


def test_where_there_is_nothing_to_measure_there_is_no_value():
    assert isnan(cohen_kappa([], []))
    assert isnan(cohen_kappa([1, 1], [1, 1]))
    for measure in (free_marginal_kappa, gwet_ac1):
        assert isnan(measure([]))
        assert isnan(measure([["a"], ["b"]]))
        assert isnan(measure([["a", "a"]]))
        assert measure([["a", "a"]], options=2) == 1


@pytest.mark.parametrize(
    ("measure", "labels", "options", "said"),
    [
        (cohen_kappa, ([1], [1, 2]), {}, "one assessor has 1 labels, the other 2"),
        (cohen_kappa, ([1], [2]), {"weights": "cubic"}, "there are no weights 'cubic'"),
        (cohen_kappa, (["a"], ["b"]), {"weights": "linear"}, "weights need labels that are finite numbers"),
        (gwet_ac1, ([["a", "b"]],), {"options": 1}, "there are 2 different labels, more than the 1 options"),
    ],
)
def test_what_has_no_meaning_is_refused(measure, labels, options, said):
    with pytest.raises(ValueError, match=said):
        measure(*labels, **options)
