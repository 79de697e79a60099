"""Rank-biased overlap: against the plain loop, worked values, limits and refusals."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import overlaps, rbo, rbo_depths, rbo_ps

from . import plain
from .cases import depths, persistences, rankings


@given(rankings, rankings, persistences, depths, st.booleans())
def test_rbo_agrees_with_the_plain_loop(run, ideal, p, depth, normalize):
    value = rbo(run, ideal, p=p, depth=depth, normalize=normalize)
    assert value == pytest.approx(plain.rbo(run, ideal, p, depth, normalize), abs=1e-12)


@given(rankings, rankings, persistences, depths, st.booleans())
def test_what_depths_add_is_the_overlap_counted_anew_at_each(run, ideal, p, depth, normalize):
    found = rbo_depths(run, ideal, p=p, depth=depth, normalize=normalize)
    scale = 1 / sum(p**i for i in range(depth)) if normalize else 1 - p
    shared = [len(set(run[:d]) & set(ideal[:d])) / d for d in range(1, depth + 1)]
    assert overlaps(run, ideal, depth=depth).tolist() == pytest.approx(shared, abs=1e-12)
    expected = [scale * p**place * share for place, share in enumerate(shared)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    whole = rbo(run, ideal, p=p, depth=depth, normalize=normalize)
    assert found.sum() == pytest.approx(whole, abs=1e-12)


@given(rankings, rankings, persistences, depths, st.booleans())
def test_rbo_lies_between_0_and_1_and_is_symmetric(run, ideal, p, depth, normalize):
    value = rbo(run, ideal, p=p, depth=depth, normalize=normalize)
    assert 0 <= value <= 1
    assert value == rbo(ideal, run, p=p, depth=depth, normalize=normalize)


@given(rankings, rankings, st.lists(persistences, max_size=4), depths)
def test_several_persistences_at_once_are_the_single_ones(run, ideal, ps, depth):
    each = tuple(rbo(run, ideal, p=p, depth=depth) for p in ps)
    assert rbo_ps(run, ideal, ps, depth=depth) == each


def test_rbo_of_two_swapped_items_by_hand():
    """Overlap 0 at depth 1, 2 of 2 at depth 2: weights 1 and 1/2, so 1/2 of 3/2, or times 1 - p."""
    assert rbo("ab", "ba", p=0.5, depth=2) == pytest.approx(1 / 3)
    assert rbo("ab", "ba", p=0.5, depth=2, normalize=False) == 0.25


def test_the_tables_of_luos_thesis_on_rbo():
    """Tables 2.3 and 2.4: run B A H D G C F against two ideal rankings, p .95, depth 7, truncated.

    The thesis prints .457 in table 2.4, which is the value at p = .8.
    """
    truncated = partial(rbo, "BAHDGCF", depth=7, normalize=False)
    assert round(truncated("AHBCDGF", p=0.95), 3) == 0.209
    assert round(truncated("HABCDFG", p=0.95), 4) == 0.2026
    assert round(truncated("HABCDFG", p=0.8), 3) == 0.457
    agreement = [0, 0.5, 1, 0.75, 0.8]
    assert overlaps("BAHDGCF", "AHBCDGF", depth=7).tolist() == [*agreement, 1, 1]
    assert overlaps("BAHDGCF", "HABCDFG", depth=7).round(3).tolist() == [*agreement, 0.833, 1]


def test_thesis_figure_5_4_value():
    """Luo's thesis, figure 5.4: ideal A H C B D F G, list C A B x y D F z, p .95, depth 7: 0.162."""
    value = rbo("CABxyDFz", "AHCBDFG", p=0.95, depth=7, normalize=False)
    assert round(value, 3) == 0.162


@given(rankings)
def test_a_ranking_as_long_as_the_depth_is_wholly_like_itself(run):
    assert rbo(run, run, depth=max(1, len(run))) == pytest.approx(1 if run else 0)


def test_depth_1_compares_the_first_items_only():
    assert rbo("abc", "acb", depth=1) == 1
    assert rbo("abc", "bac", depth=1) == 0


def test_items_below_the_depth_count_for_nothing():
    assert rbo("abx", "aby", depth=2) == rbo("ab", "ab", depth=2) == pytest.approx(1)


@pytest.mark.parametrize(
    ("run", "ideal", "p", "depth", "says"),
    [
        ("ab", "ab", 0.0, 10, "persistence must lie between 0 and 1"),
        ("ab", "ab", 1.0, 10, "persistence must lie between 0 and 1"),
        ("ab", "ab", float("nan"), 10, "persistence must lie between 0 and 1"),
        ("ab", "ab", 0.5, 0, "depth is 0; it must be at least 1"),
        ("aba", "ab", 0.5, 10, "'a' is in a ranking more than once"),
        ("ab", "abb", 0.5, 10, "'b' is in a ranking more than once"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(run, ideal, p, depth, says):
    with pytest.raises(ValueError, match=says):
        rbo(run, ideal, p=p, depth=depth)
