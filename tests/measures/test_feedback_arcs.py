"""Preferences that an order violates, the sequences of Greedy FAS, and the exact minimum, by brute force."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures import (
    PreferenceGraph,
    fewest_violated,
    greedy_sequences,
    ideal_ranking,
    violated_preferences,
)

# Figure 3.2 of Luo's thesis.
THESIS = PreferenceGraph([(edge[0], edge[1]) for edge in ["HB", "AB", "AF", "AG", "BC", "CB", "BD"]])
few = st.lists(st.sampled_from([a + b for a, b in permutations("abcde", 2)]), max_size=14)


def brute(graph):
    """The least number of judgments that any order contradicts."""
    return min(
        sum(times for one, other, times in graph.edges() if order.index(one) > order.index(other))
        for order in permutations(graph.nodes)
    )


def test_greedy_fas_has_the_24_sequences_of_luos_thesis_with_one_backward_arc_each():
    sequences = list(greedy_sequences(THESIS))
    assert len(sequences) == len(set(sequences)) == 24
    assert {sum(violated_preferences(order, THESIS).values()) for order in sequences} == {1}
    assert tuple("AHBCDGF") in sequences  # the one that Greedy PGC takes


def test_contradictions_and_repeats_count_each_time_and_absent_items_are_last():
    graph = PreferenceGraph(["ab", "ab", "ba", "cd"], ties=["ac"])
    assert violated_preferences("ba", graph) == {("a", "b"): 2}
    assert violated_preferences("b", graph) == {("a", "b"): 2}
    assert violated_preferences("d", graph) == {("c", "d"): 1}
    assert violated_preferences("", graph) == {}


@settings(max_examples=60)
@given(few)
def test_no_order_violates_fewer_than_the_exact_one(judged):
    graph = PreferenceGraph(judged)
    best = fewest_violated(graph)
    assert sorted(best.order) == list(graph.nodes)
    assert best.violated == sum(violated_preferences(best.order, graph).values()) == brute(graph)
    assert sum(violated_preferences(ideal_ranking("", graph), graph).values()) >= best.violated


@settings(max_examples=60)
@given(few, st.permutations("abcde"))
def test_every_ideal_ranking_is_one_of_the_greedy_sequences(judged, run):
    graph = PreferenceGraph(judged)
    assert ideal_ranking(run, graph) in set(greedy_sequences(graph))


def test_large_circles_are_refused_and_empty_graphs_have_an_empty_order():
    ring = PreferenceGraph([(f"{i:02}", f"{(i + 1) % 9:02}") for i in range(9)])
    assert fewest_violated(ring, largest=9).violated == 1
    with pytest.raises(ValueError, match="9 items prefer one another in circles, more than largest, 8"):
        fewest_violated(ring, largest=8)
    assert fewest_violated(PreferenceGraph()) == ((), 0)
    assert list(greedy_sequences(PreferenceGraph())) == [()]
