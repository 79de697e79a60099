"""Intervals of shares and tests of places, against scipy's and against chance with a known share."""

import random
from math import isnan

import pytest
from scipy.stats import binomtest, chisquare

from prefir.measures.shares import place_bias, wilson_interval


@pytest.mark.parametrize("every", [1, 2, 7, 40, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_wilsons_interval_is_that_of_scipy(every, level):
    for some in {0, 1, every // 3, every // 2, every}:
        expected = binomtest(some, every).proportion_ci(level, method="wilson")
        found = wilson_interval(some, every, level=level)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert found[0] <= some / every <= found[1]


def test_of_nothing_any_share_is_possible():
    assert wilson_interval(0, 0) == (0, 1)


@pytest.mark.parametrize(("true", "every"), [(0.5, 30), (0.62, 200), (0.95, 60)])
def test_wilsons_interval_covers_the_true_share_about_as_often_as_it_says(true, every):
    chooser = random.Random(f"{true}:{every}")
    covered = 0
    for _ in range(2000):
        low, high = wilson_interval(sum(chooser.random() < true for _ in range(every)), every)
        covered += low <= true <= high
    assert 0.93 < covered / 2000 < 0.98


def test_places_of_one_size_are_tested_as_by_scipy():
    counts = [31, 20, 22, 19, 25, 40]
    expected = chisquare(counts)
    found = place_bias({6: counts})
    assert (found.chi2, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.freedom == 5


def test_sizes_add_up_and_no_place_of_a_smaller_grid_looks_avoided():
    """Every place of each size as often: added up by number alone, places 5 and 6 would stand out."""
    found = place_bias({4: [50] * 4, 6: [10] * 6})
    assert (found.chi2, found.freedom, found.p_value, found.expected) == (0, 8, 1, 10)
    both = place_bias({4: [30, 50, 60, 60], 6: [10, 20, 10, 10, 5, 5]})
    apart = chisquare([30, 50, 60, 60]).statistic + chisquare([10, 20, 10, 10, 5, 5]).statistic
    assert both.chi2 == pytest.approx(apart)


@pytest.mark.parametrize("counts", [{}, {6: [0] * 6}, {6: [4, 4, 5, 5, 5, 6]}])
def test_few_choices_have_no_p(counts):
    assert isnan(place_bias(counts).p_value)


def test_what_is_no_share_and_no_grid_is_refused():
    for some, every in ((-1, 3), (4, 3)):
        with pytest.raises(ValueError, match="is no share"):
            wilson_interval(some, every)
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson_interval(1, 2, level=1)
    for counts in ([1, 2], [1, -1, 3]):
        with pytest.raises(ValueError, match="no counts of the 3 places"):
            place_bias({3: counts})
