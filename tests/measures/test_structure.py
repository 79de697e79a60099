"""The shape of preference graphs: against networkx's own graphs, brute force, and by hand."""

from itertools import combinations, permutations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import (
    PreferenceGraph,
    contradicted_pairs,
    cycles,
    cyclic_edges,
    graph_transitivity,
    has_cycle,
    judged_pairs,
    layered,
    repeated_pairs,
    strong_components,
)

from .cases import judgments, levels, pairs, ties

few = st.lists(
    st.tuples(*[st.sampled_from("abcde")] * 2).filter(lambda pair: pair[0] != pair[1]), max_size=12
)


@given(judgments, ties)
def test_a_graph_comes_back_from_networkx(judgments, ties):
    graph = PreferenceGraph(judgments, items=[item for pair in ties for item in pair])
    assert PreferenceGraph.from_networkx(graph.to_networkx()).nodes == graph.nodes
    assert sorted(PreferenceGraph.from_networkx(graph.to_networkx()).edges()) == sorted(graph.edges())


def test_networkx_gets_an_edge_for_each_judgment():
    made = PreferenceGraph([("a", "b"), ("a", "b"), ("b", "a")], ties=[("c", "d")]).to_networkx()
    assert made.is_directed()
    assert made.number_of_edges("a", "b") == 2
    assert sorted(made) == ["a", "b", "c", "d"]


def test_weights_are_numbers_of_judgments():
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", weight=3)
    assert PreferenceGraph.from_networkx(graph).times("a", "b") == 3


def test_what_states_no_preference_is_refused():
    with pytest.raises(ValueError, match="undirected"):
        PreferenceGraph.from_networkx(networkx.Graph([("a", "b")]))
    with pytest.raises(ValueError, match="'a' cannot be compared with itself"):
        PreferenceGraph.from_networkx(networkx.DiGraph([("a", "a")]))


@given(levels, judgments)
def test_a_combined_graph_has_the_derived_edges_and_the_judgments(grades, judgments):
    """Luo, thesis: Real, Derived, and both."""
    derived, real = PreferenceGraph.derived(grades), PreferenceGraph(judgments)
    both = PreferenceGraph.combined(judgments, grades)
    assert set(both.nodes) == {*derived.nodes, *real.nodes}
    assert all(n == derived.times(a, b) + real.times(a, b) for a, b, n in both.edges())
    assert both.edge_count == derived.edge_count + real.edge_count


@given(levels, pairs)
def test_a_derived_graph_is_the_same_before_and_after_its_edges_are_asked_for(grades, pair):
    """The edges of a derived graph are made late."""
    asked = PreferenceGraph.derived(grades, with_zero=True)
    list(asked.edges())
    fresh = PreferenceGraph.derived(grades, with_zero=True)
    assert fresh.packed().docnos == asked.packed().docnos
    rows = [sorted(zip(*(e.tolist() for e in g.numbered()[1:]), strict=True)) for g in (fresh, asked)]
    assert rows[0] == rows[1]
    fresh.add(*pair)
    asked.add(*pair)
    assert fresh == asked


@given(few)
def test_cycles_are_those_that_trying_everything_finds(judgments):
    graph = PreferenceGraph(judgments)
    preferred = set(judgments)
    found = {
        walk
        for n in range(2, 6)
        for walk in permutations("abcde", n)
        if walk[0] == min(walk) and all(p in preferred for p in zip(walk, walk[1:] + walk[:1], strict=True))
    }
    assert sorted(cycles(graph)) == sorted(found)
    assert sorted(cycles(graph, longest=3)) == sorted(walk for walk in found if len(walk) <= 3)
    assert has_cycle(graph) == bool(found)


@given(few)
def test_components_are_items_that_reach_each_other(judgments):
    reach = {item: {item} for item in "abcde"}
    for _ in range(5):
        for u, v in judgments:
            reach[u] |= reach[v]
            for item in "abcde":
                if u in reach[item]:
                    reach[item] |= reach[u]
    classes = {tuple(b for b in "abcde" if b in reach[a] and a in reach[b]) for a in "abcde"}
    expected = sorted((part for part in classes if len(part) > 1), key=lambda part: (-len(part), part))
    assert strong_components(PreferenceGraph(judgments)) == expected


def test_pairs_are_counted_by_what_their_judgments_say():
    graph = PreferenceGraph([("b", "a"), ("a", "b"), ("a", "b"), ("a", "c")], ties=[("b", "a"), ("c", "d")])
    assert judged_pairs(graph) == [("a", "b", 2, 1, 1), ("a", "c", 1, 0, 0), ("c", "d", 0, 0, 1)]
    assert [pair[:2] for pair in contradicted_pairs(graph)] == [("a", "b")]
    assert [pair[:2] for pair in repeated_pairs(graph)] == [("a", "b")]
    assert repeated_pairs(graph)[0].judgments == 4


@given(few, few)
def test_transitive_triples_are_those_of_the_majorities(judgments, ties):
    """Xie et al. 3.3: with no tie not a cycle; with one, the third on one side of both; three ties."""
    graph = PreferenceGraph(judgments, ties=ties)
    votes = {}
    for a, b, for_a, for_b, even in judged_pairs(graph):
        counts = {-1: for_a, 0: even, 1: for_b}
        first = [answer for answer, n in counts.items() if n == max(counts.values())]
        votes[a, b] = first[0] if len(first) == 1 else 0
        votes[b, a] = -votes[a, b]
    counted = {0: [0, 0], 1: [0, 0], 2: [0, 0], 3: [0, 0]}
    for a, b, c in combinations("abcde", 3):
        if not all(pair in votes for pair in ((a, b), (b, c), (a, c))):
            continue
        # Transitive: at least as good and at least as good is at least as good, whichever way one goes.
        fine = all(
            votes[x, z] <= 0 for x, y, z in permutations((a, b, c)) if votes[x, y] <= 0 and votes[y, z] <= 0
        )
        n = [votes[a, b], votes[b, c], votes[a, c]].count(0)
        counted[n][0] += fine
        counted[n][1] += 1
    found = graph_transitivity(graph)
    assert found.asym == tuple(counted[0])
    assert found.s2a == tuple(counted[1])
    assert found.s2s == (counted[2][0] + counted[3][0], counted[2][1] + counted[3][1])


@given(few)
def test_edges_are_on_a_cycle_where_networkx_finds_one_of_three_items_or_more(judgments):
    found = [c for c in networkx.simple_cycles(networkx.DiGraph(judgments)) if len(c) > 2]
    expected = {(cycle[i - 1], cycle[i]) for cycle in found for i in range(len(cycle))}
    assert cyclic_edges(PreferenceGraph(judgments)) == expected


def test_a_contradicted_pair_alone_is_on_no_cycle_of_three():
    assert cyclic_edges(PreferenceGraph([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")])) == set()


@given(few)
def test_without_cycles_layers_are_the_longest_paths_of_networkx(judgments):
    graph = networkx.DiGraph([(min(pair), max(pair)) for pair in judgments])
    found = layered(PreferenceGraph(graph.edges))
    expected = {
        item: number for number, layer in enumerate(networkx.topological_generations(graph)) for item in layer
    }
    assert found.layer == expected
    assert [found.layer[item] for item in found.order] == sorted(expected.values())


@given(few, st.permutations("abcde"), st.integers(0, 3))
def test_items_with_a_place_are_above_all_others_whatever_was_judged(judgments, order, top):
    graph = PreferenceGraph(judgments)
    placed = [item for item in order[:top] if item in graph.nodes]
    found = layered(graph, {item: place for place, item in enumerate(placed, 1)})
    assert list(found.order[: len(placed)]) == placed
    assert sorted(found.order) == sorted(found.layer) == list(graph.nodes)
    assert all(found.layer[item] >= len(placed) for item in found.order[len(placed) :])


def test_an_item_that_only_tied_stands_beside_what_it_tied_with():
    graph = PreferenceGraph([("a", "b"), ("b", "c")], ties=[("x", "b"), ("y", "z")])
    assert layered(graph).layer == {"a": 0, "b": 1, "c": 2, "x": 1, "y": 2, "z": 2}
