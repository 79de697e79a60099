"""Compatibility: against the plain form, its ideal ranking by hand, absence and refusals."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import compatibility, compatibility_ps, compatibility_rows, ideal_from_levels, rbo

from . import plain
from .cases import depths, levels, persistences, rankings


@given(rankings, levels, persistences, depths)
def test_compatibility_agrees_with_the_plain_form(run, levels, p, depth):
    """Clarke, Vtyurina & Smucker 2021: RBO(ideal, run) / RBO(ideal, ideal)."""
    ideal = plain.levels_ideal(run, levels)
    assert ideal_from_levels(run, levels) == tuple(ideal)
    value = compatibility(run, levels, p=p, depth=depth)
    if ideal:
        best = plain.rbo(ideal, ideal, p, depth, True)
        assert value == pytest.approx(plain.rbo(run, ideal, p, depth, True) / best, abs=1e-12)
    else:
        assert isnan(value)


@given(rankings, levels, persistences, depths, st.booleans())
def test_without_nrbo_it_is_rbo_with_the_ideal_ranking(run, levels, p, depth, normalize):
    ideal = ideal_from_levels(run, levels)
    value = compatibility(run, levels, p=p, depth=depth, normalize=normalize, nrbo=False)
    expected = rbo(run, ideal, p=p, depth=depth, normalize=normalize) if ideal else float("nan")
    assert value == pytest.approx(expected, abs=0, nan_ok=True)


@given(rankings, levels, persistences, depths)
def test_compatibility_lies_between_0_and_1_and_the_ideal_itself_reaches_1(run, levels, p, depth):
    value = compatibility(run, levels, p=p, depth=depth)
    if not isnan(value):
        assert 0 <= value <= 1
        assert compatibility(ideal_from_levels(run, levels), levels, p=p, depth=depth) == 1


def test_the_ideal_has_levels_first_then_the_runs_order_then_docnos():
    levels = {"a": 1, "b": 1, "c": 3, "d": 1, "e": 0, "f": 1, "g": 3}
    assert ideal_from_levels(["e", "f", "x", "b", "g"], levels) == ("g", "c", "f", "b", "a", "d")


@pytest.mark.parametrize("levels", [{}, {"a": 0}, {"a": -2, "b": 0}])
@pytest.mark.parametrize("run", ["", "ab"])
def test_nothing_above_level_0_gives_absent_and_not_0(run, levels):
    result = compatibility_ps(run, levels, (0.8, 0.95))
    assert [isnan(value) for value in result.values] == [True, True]
    assert result.ideal == ()


def test_a_run_without_the_items_scores_0():
    assert compatibility("", {"a": 1}) == 0
    assert compatibility("xyz", {"a": 1}) == 0


@given(rankings, levels, st.lists(persistences, max_size=4))
def test_several_persistences_at_once_are_the_single_ones(run, levels, ps):
    result = compatibility_ps(run, levels, ps)
    assert result.ideal == ideal_from_levels(run, levels)
    each = [compatibility(run, levels, p=p) for p in ps]
    assert list(result.values) == pytest.approx(each, abs=0, nan_ok=True)


def test_a_truncated_nrbo_is_refused():
    with pytest.raises(ValueError, match="nrbo=False"):
        compatibility("ab", {"a": 1}, normalize=False)


def test_a_level_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="level of 'a' is not a number"):
        compatibility("ab", {"a": float("nan")})


def test_a_bad_persistence_is_refused_even_where_the_value_is_absent():
    with pytest.raises(ValueError, match="persistence"):
        compatibility("ab", {}, p=2)


@pytest.mark.parametrize("rows", [[[2]], [[-2]], [0]])
def test_rows_that_number_no_item_are_refused(rows):
    """Compiled code looks at no bounds by itself."""
    with pytest.raises((IndexError, ValueError), match="row"):
        compatibility_rows(rows, [1.0, 2.0])
