"""The preference graph: judgments in and out, ties, and the preferences that grades imply."""

import pytest
from hypothesis import given

from prefir.measures import PreferenceGraph

from .cases import judgments, levels, pairs, ties


def test_repeated_and_contradicting_judgments_are_all_kept():
    graph = PreferenceGraph([("a", "b"), ("a", "b"), ("b", "a")])
    assert (graph.times("a", "b"), graph.times("b", "a"), graph.edge_count) == (2, 1, 3)
    assert sorted(graph.edges()) == [("a", "b", 2), ("b", "a", 1)]


def test_ties_and_named_items_are_nodes_without_edges():
    graph = PreferenceGraph([("b", "a")], ties=[("d", "c")], items=["e", "a"])
    assert graph.nodes == ("a", "b", "c", "d", "e")
    assert graph.edge_count == 1


@given(judgments, ties, pairs)
def test_a_judgment_added_and_removed_leaves_no_trace(judgments, ties, pair):
    graph, untouched = (PreferenceGraph(judgments, ties=ties) for _ in range(2))
    graph.packed()
    graph.add(*pair)
    graph.add_tie(*pair)
    assert graph != untouched
    graph.remove(*pair)
    graph.remove_tie(*reversed(pair))
    assert graph == untouched
    assert graph.packed().graph.tolist() == untouched.packed().graph.tolist()


def test_an_item_leaves_with_the_last_judgment_that_names_it():
    graph = PreferenceGraph([("a", "b")], ties=[("b", "c")])
    graph.remove("a", "b")
    assert graph.nodes == ("b", "c")
    graph.remove_tie("c", "b")
    assert graph.nodes == ()


@given(levels)
def test_grades_imply_an_edge_for_every_pair_of_different_grades(grades):
    above = {item: grade for item, grade in grades.items() if grade > 0}
    edges = [(a, b) for a in above for b in above if above[a] > above[b]]
    assert PreferenceGraph.derived(grades) == PreferenceGraph(edges, items=above)


@given(levels)
def test_with_grade_0_the_ungraded_are_below_all_others(grades):
    raised = {item: max(grade, 0) for item, grade in grades.items()}
    edges = [(a, b) for a in raised for b in raised if raised[a] > raised[b]]
    expected = PreferenceGraph(edges, items=raised if any(raised.values()) else ())
    assert PreferenceGraph.derived(grades, with_zero=True) == expected


@given(levels, pairs)
def test_judgments_can_be_added_to_and_taken_from_a_derived_graph(grades, pair):
    graph = PreferenceGraph.derived(grades, with_zero=True)
    graph.add(*pair)
    graph.remove(*pair)
    assert graph == PreferenceGraph.derived(grades, with_zero=True)


def test_graded_items_stay_when_a_derived_edge_is_taken_away():
    graph = PreferenceGraph.derived({"a": 2, "b": 1})
    graph.remove("a", "b")
    assert graph == PreferenceGraph(items=["a", "b"])


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda graph: graph.add("a", "a"), "'a' cannot be compared with itself"),
        (lambda graph: graph.add_tie("a", "a"), "'a' cannot be compared with itself"),
        (lambda graph: graph.remove("b", "a"), "no judgment prefers 'b' to 'a'"),
        (lambda graph: graph.remove_tie("a", "b"), "no judgment says that 'a' and 'b' are equal"),
        (lambda graph: graph.derived({"a": float("nan")}), "grade of 'a' is not a number"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused_and_changes_nothing(act, says):
    graph = PreferenceGraph([("a", "b")])
    with pytest.raises(ValueError, match=says):
        act(graph)
    assert graph == PreferenceGraph([("a", "b")])
