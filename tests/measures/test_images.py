"""PMR, WR, PB and PWP: by hand, against the plain versions, and what is refused."""

from math import exp, isnan, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures.images import (
    PMR_FORMS,
    compare_pwp,
    majority,
    majority_preferences,
    pb,
    pmr,
    preference_table,
    pwp,
    second_preferred,
    win_ratio,
)

from .plain_images import plain_pb, plain_pmr, plain_win_ratio

ITEMS = "abcdefghijkl"
pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)).filter(lambda pair: pair[0] < pair[1])
turned = st.tuples(pairs, st.booleans()).map(lambda drawn: drawn[0][::-1] if drawn[1] else drawn[0])
answers = st.sampled_from([-2, -1, 0, 0.5, 1])
preferences = st.dictionaries(turned, answers, max_size=80).map(
    lambda given: {pair: said for pair, said in given.items() if pair[0] < pair[1] or pair[::-1] not in given}
)
unshown = st.sets(st.integers(0, 11))
items = st.lists(st.sampled_from(ITEMS), unique=True, max_size=5)


@st.composite
def grids(draw, names=ITEMS):
    """Rows of 1 to 6 cells, some without an item that is known."""
    lengths = draw(st.lists(st.integers(1, 6), max_size=5))
    cells = [(row, column, length) for row, length in enumerate(lengths) for column in range(length)]
    shuffled = draw(st.permutations(cells))[: draw(st.integers(0, len(names)))]
    return [(name, *cell) for name, cell in zip(names, shuffled, strict=False)]


# Reading order a b c d e: rows of 4 and 1.
GRID = [("a", 0, 0, 4), ("b", 0, 1, 4), ("c", 0, 2, 4), ("d", 0, 3, 4), ("e", 1, 0, 1)]
UPHELD, AGAINST, TIE = -1, 1, 0


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("D", 1 / 2),  # a d and b e fit, a b and c e do not
        ("W", (1 / 2 + 1 / log2(5)) / (1 + 1 / 2 + 2 / log2(5))),  # later places: b 1, d 3, e 4 twice
        ("M", 2 / 3),  # b is nearer to the centre than a, so that a b fits; a and d are equally near
        ("N", 1 / 3),  # a and d are three columns apart
    ],
)
def test_each_form_of_pmr_by_hand(form, expected):
    told = {("a", "b"): AGAINST, ("d", "a"): AGAINST, ("b", "e"): TIE, ("e", "c"): UPHELD}
    assert pmr(GRID, told, form=form) == pytest.approx(expected)


def test_all_forms_are_tested_here():
    assert set(PMR_FORMS) == {"D", "W", "M", "N"}


def test_near_neighbours_are_at_most_two_rows_apart():
    column = [(name, row, 0, 1) for row, name in enumerate("abcd")]
    told = {("a", "d"): AGAINST, ("a", "c"): UPHELD}
    assert pmr(column, told, form="N") == 1
    assert pmr(column, told, form="D") == 1 / 2


@given(grids(), preferences, st.sampled_from(PMR_FORMS))
def test_pmr_agrees_with_the_plain_version(grid, told, form):
    assert pmr(grid, told, form=form) == pytest.approx(plain_pmr(grid, told, form), nan_ok=True)


@given(grids(), preferences, st.sampled_from(PMR_FORMS))
def test_pmr_does_not_depend_on_how_pairs_and_grids_are_written(grid, told, form):
    other_way = {(b, a): -said for (a, b), said in told.items()}
    value = pmr(grid, told, form=form)
    assert pmr(grid[::-1], other_way, form=form) == pytest.approx(value, abs=0, nan_ok=True)
    assert pmr(grid, told | other_way, form=form) == pytest.approx(value, abs=0, nan_ok=True)


@given(items, items, preferences, st.floats(0, 1))
def test_wins_and_penalties_agree_with_the_plain_versions(own, other, told, gamma):
    """The two may share items, and either may be empty."""
    assert win_ratio(own, other, told) == pytest.approx(plain_win_ratio(own, other, told), nan_ok=True)
    assert pb(own, other, told, gamma=gamma) == pytest.approx(plain_pb(own, other, told, gamma))


def test_the_win_ratio_counts_ties_but_not_as_wins():
    told = {("a", "x"): -2, ("y", "a"): 1, ("b", "x"): 0, ("b", "y"): 1}
    assert win_ratio("ab", "xy", told) == 1 / 2
    assert win_ratio("xy", "ab", told) == 1 / 4
    assert win_ratio("ab", "xyz", told) == 1 / 2, "z was not judged, so it is left out"


def test_an_item_of_both_systems_is_a_tie_with_itself():
    assert win_ratio("ab", "a", {("b", "a"): -1}) == 1 / 2
    assert pb("ab", "a", {("b", "a"): 1}) == 0.1


def test_each_item_that_loses_to_all_of_the_others_costs_a_factor():
    told = {("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 1, ("y", "b"): -1, ("c", "x"): 1, ("c", "y"): 0}
    assert pb("abc", "xy", told, gamma=0.5) == 0.25
    assert pb("abc", "xyz", told) == 1, "nothing was said about z"
    assert pb("xy", "abc", told) == 1
    assert pb("a", "", told) == 1


@given(
    grids("abcdef"),
    grids("ghijkl"),
    preferences,
    st.floats(0.01, 0.99),
    st.floats(0, 1),
    st.sampled_from(PMR_FORMS),
)
def test_pwp_puts_the_three_together(grid, other, told, lam, gamma, form):
    own, others = [place[0] for place in grid], [place[0] for place in other]
    expected = lam * plain_pmr(grid, told, form) + (1 - lam) * plain_win_ratio(own, others, told)
    expected *= plain_pb(own, others, told, gamma)
    value = pwp(grid, other, told, lam=lam, form=form, gamma=gamma)
    assert value == pytest.approx(expected, nan_ok=True)
    assert isnan(value) or 0 <= value <= 1


def test_the_defaults_are_those_of_the_paper():
    """lam .7, PMR_N and gamma .1 (Xie et al.): a's only loss is to all, and its neighbour b fits."""
    told = {("a", "b"): -1, ("a", "d"): 1, ("a", "x"): 1, ("b", "x"): -1}
    grid, other = GRID[:4], [("x", 0, 0, 1)]
    assert pwp(grid, other, told) == pytest.approx((0.7 * 1 + 0.3 * 1 / 2) * 0.1)
    assert pb("ab", "x", told) == 0.1
    assert pmr(grid, told) == 1


def test_a_part_without_weight_is_not_asked_for():
    told = {("a", "b"): -1}
    assert pwp(GRID, [("x", 0, 0, 1)], told, lam=1) == 1
    assert isnan(pwp(GRID, [("x", 0, 0, 1)], told, lam=0.5))
    assert pwp([("a", 0, 0, 1)], [("b", 0, 0, 1)], told, lam=0) == 1
    assert isnan(pwp([("a", 0, 0, 1)], [("b", 0, 0, 1)], told, lam=0.5))


def test_two_systems_are_compared_by_a_logistic_of_the_difference():
    told = {("a", "b"): -1, ("x", "y"): 1, ("a", "x"): -1}
    one, two = [("a", 0, 0, 2), ("b", 0, 1, 2)], [("x", 0, 0, 2), ("y", 0, 1, 2)]
    result = compare_pwp(iter(one), iter(two), told, lam=0.6, form="D", gamma=0.5)
    assert (result.first, result.second) == (pytest.approx(0.6 * 1 + 0.4 * 1), 0)
    assert result.probability == pytest.approx(1 / (1 + exp(1)))
    swapped = compare_pwp(two, one, told, lam=0.6, form="D", gamma=0.5)
    assert (swapped.first, swapped.second) == (result.second, result.first)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_the_probabilities_of_both_orders_make_one(first, second):
    assert second_preferred(first, second) + second_preferred(second, first) == pytest.approx(1)


def test_the_better_second_system_is_the_likelier_one():
    assert second_preferred(0, 1) > 1 / 2 == second_preferred(3, 3)
    assert second_preferred(1000, 0) == 0
    assert isnan(second_preferred(float("nan"), 1))


@pytest.mark.parametrize(
    ("labels", "tie", "left"),
    [
        ([-2, -1, 2], -1, -1),
        ([1, 0, 2], 1, 1),
        ([0, 0, -2], 0, 0),
        ([1, 0, -1], 0, -1),  # three answers: split
        ([1, 0], 0, 0),
        ([2, -1], 0, -1),
        ([2.0], 1, 1),
    ],
)
def test_the_majority_and_what_a_split_vote_gives(labels, tie, left):
    """The program of Xie et al. takes the first of left, tie and right among the most frequent."""
    assert majority(labels) == majority(labels, split="tie") == tie
    assert majority(labels, split="left") == left


def test_judgments_of_a_pair_shown_both_ways_are_one_vote():
    judgments = [("a", "b", -1), ("b", "a", 2), ("b", "a", -1), ("c", "a", 0), ("a", "d", 1), ("d", "a", 1)]
    assert majority_preferences(judgments) == {("a", "b"): -1, ("c", "a"): 0, ("a", "d"): 0}
    assert majority_preferences(judgments, split="left")["a", "d"] == -1


def test_the_table_of_agreement_by_hand():
    nan = float("nan")
    first = [0.9, 0.9, 0.1, 0.3, 0.1 + 0.2, 0.5, nan, 0.5]
    second = [0.1, 0.1, 0.9, 0.9, 0.3, 0.5, 0.5, 0.1]
    pages = [-1, 0, 2, -1, 1, 0, -1, nan]
    assert preference_table(first, second, pages) == ((1, 0, 1), (1, 1, 0), (0, 1, 1))
    assert preference_table(first, second, pages, tolerance=0)[0] == (1, 1, 1)
    assert preference_table([], [], []) == ((0, 0, 0),) * 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: pmr(GRID, {}, form="Q"), "no form 'Q' of PMR; there are D, W, M, N"),
        (lambda: pmr([("a", 0, 1, 1)], {}), "'a' is at row 0, column 1 of 1: outside its grid"),
        (lambda: pmr(GRID, {("b", "a"): float("nan")}), "between 'b' and 'a' is not a number"),
        (lambda: pmr(GRID, {("b", "a"): 1, ("a", "b"): 1}), "'a' and 'b' differ by which stands first"),
        (lambda: win_ratio("aa", "x", {}), "'a' is in a ranking more than once"),
        (lambda: pb("a", "xx", {}), "'x' is in a ranking more than once"),
        (lambda: pb("a", "x", {}, gamma=1.1), "gamma is 1.1; it must lie between 0 and 1"),
        (lambda: pwp(GRID, GRID, {}, lam=-0.1), "lam is -0.1; it must lie between 0 and 1"),
        (lambda: majority([]), "there is no label"),
        (lambda: majority([1, float("nan")]), "a label is not a number"),
        (lambda: majority([1], split="right"), "no rule 'right' for split votes"),
        (lambda: majority_preferences([("a", "a", 1)]), "'a' cannot be compared with itself"),
        (lambda: preference_table([1], [1, 2], [0]), r"the shapes are \(1,\), \(2,\) and \(1,\)"),
        (lambda: preference_table([1], [1], [0], tolerance=-1), "tolerance is -1"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
