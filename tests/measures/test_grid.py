"""Grids: distances under each examination order, the lists they give, and PGC of several systems."""

from math import isnan, sqrt

import pytest
from hypothesis import given

from prefir.measures import ORDERS, PreferenceGraph, distances, grid_to_list, pgc, pgc_grid, pgc_grid_ps

from .cases import judgments, rankings

# a b c
# d e     rows of 3 and 2
GRID = [("a", 0, 0, 3), ("b", 0, 1, 3), ("c", 0, 2, 3), ("d", 1, 0, 2), ("e", 1, 1, 2)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("default", [0, 1, 2, 3, 4]),
        ("reverse", [0, -1, -2, -3, -4]),
        ("middle", [1, 0, 1, 2, 1]),  # the centre of three is column 1, of two column 1 as well
        ("manhattan", [0, 1, 2, 1, 2]),
        ("euclidean", [0, 1, 2, 1, sqrt(2)]),
    ],
)
def test_each_order_measures_its_distance(order, expected):
    """Worked by hand from the definitions (Luo's thesis, 5.3)."""
    assert list(distances(GRID, order).values()) == expected


def test_all_orders_are_tested_here():
    assert set(ORDERS) == {"default", "reverse", "middle", "manhattan", "euclidean"}


def test_a_missing_cell_still_counts_in_the_default_order():
    assert distances([("e", 1, 1, 2), ("a", 0, 0, 3)]) == {"e": 4, "a": 0}


def test_equal_distances_go_by_the_ideal_ranking_and_then_by_docno():
    distance = distances(reversed(GRID), "manhattan")
    assert grid_to_list(distance, "edcba") == ("a", "d", "b", "e", "c")
    assert grid_to_list(distance, "") == ("a", "b", "d", "c", "e")


def test_two_systems_meet_one_ideal_ranking_by_hand():
    """Places: a and s 0, b and t 1, so the run is a s b t. The sinks are a and t; t is taken, being last;
    now s is one too and, after a in docno order, taken; then b, and a is left for the front."""
    graph = PreferenceGraph([("b", "s"), ("s", "t")], items=["a"])
    grids = {"one": [("a", 0, 0, 2), ("b", 0, 1, 2)], "two": [("s", 0, 0, 2), ("t", 0, 1, 2)]}
    results = pgc_grid_ps(grids, graph, (0.5,), depth=2)
    assert {result.ideal for result in results.values()} == {("a", "b", "s", "t")}
    assert [result.ranking for result in results.values()] == [("a", "b"), ("s", "t")]
    assert pgc_grid(grids, graph, p=0.5, depth=2) == pytest.approx({"one": 1, "two": 0})


def test_the_examination_order_decides_where_judgments_do_not():
    """Ties only, so the ideal is the list itself, seen under the order that was asked."""
    graph = PreferenceGraph(ties=[("a", "b"), ("c", "d"), ("d", "e")])
    for order, ideal in (("default", "abcde"), ("reverse", "edcba"), ("middle", "baced")):
        result = pgc_grid_ps({"only": GRID}, graph, (0.5,), order=order, depth=5)["only"]
        assert result.ideal == result.ranking == tuple(ideal)


@pytest.mark.parametrize(("order", "value"), [("default", 0), ("reverse", 1)])
def test_pgc_of_a_grid_is_under_the_order_asked(order, value):
    """e is preferred to a: the page as read from its start begins with a, from its end with e."""
    graph = PreferenceGraph([("e", "a")])
    assert pgc_grid({"only": GRID}, graph, order=order, depth=1) == {"only": value}


def test_an_item_in_two_grids_stands_in_the_ideal_at_its_nearer_place():
    graph = PreferenceGraph(items="abc")
    grids = {"one": [("c", 0, 0, 2), ("a", 0, 1, 2)], "two": [("b", 0, 1, 3), ("c", 0, 2, 3)]}
    results = pgc_grid_ps(grids, graph, (0.5,))
    assert results["one"].ideal == results["two"].ideal == ("c", "a", "b")
    assert results["two"].ranking == ("b", "c")


@given(judgments, rankings)
def test_a_single_row_in_the_default_order_is_plain_pgc(judgments, run):
    grid = [(item, 0, column, len(run)) for column, item in enumerate(run)]
    graph = PreferenceGraph(judgments)
    value = pgc_grid({"only": grid}, graph)["only"]
    assert value == pytest.approx(pgc(run, graph), abs=0, nan_ok=True)


def test_a_topic_without_judgments_is_absent_for_every_system():
    assert isnan(pgc_grid({"one": GRID, "two": []}, PreferenceGraph())["one"])


@pytest.mark.parametrize(
    ("grid", "order", "says"),
    [
        (GRID, "spiral", "no examination order 'spiral'; there are default, reverse"),
        ([("a", 0, 0, 2), ("a", 0, 1, 2)], "default", "'a' is in a ranking more than once"),
        ([("a", 0, 2, 2)], "default", "'a' is at row 0, column 2 of 2: outside its grid"),
        ([("a", 0, 0, 2), ("b", 0, 0, 2)], "default", "'a' and 'b' are both at row 0, column 0"),
        ([("a", 0, 0, 2), ("b", 0, 1, 3)], "default", "row 0 has 2 items by one item and 3 by 'b'"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_with_a_sentence(grid, order, says):
    with pytest.raises(ValueError, match=says):
        distances(grid, order)
