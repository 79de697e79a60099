"""Copeland, Borda and the Markov chain by hand and by simulation; incomplete and contradictory judgments."""

from math import isnan
from random import Random

import numpy as np
import pytest

from prefir.measures import PreferenceGraph, borda, copeland, fewest_violated, merge_qrels, rank_centrality

# a beats b twice of three times, b beats c, c beats a, d ties with a; e met nobody.
GRAPH = PreferenceGraph(
    [("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")], ties=[("a", "d")], items=["e"]
)


def test_copeland_counts_majorities():
    assert copeland(GRAPH) == {"a": 0, "b": 0, "c": 0, "d": 0, "e": 0}
    chain = PreferenceGraph([("a", "b"), ("a", "c"), ("b", "c"), ("c", "b"), ("c", "b")])
    assert list(copeland(chain).items()) == [("a", 2), ("c", 0), ("b", -2)]


def test_borda_is_the_mean_share_over_the_items_met():
    found = borda(GRAPH)
    assert found["a"] == pytest.approx((2 / 3 + 0 + 1 / 2) / 3)
    assert found["b"] == pytest.approx((1 / 3 + 1) / 2)
    assert (found["c"], found["d"]) == (0.5, 0.5)
    assert isnan(found["e"])
    assert list(found) == ["b", "c", "d", "a", "e"]


def test_the_chain_is_where_a_walk_is_in_the_long_run():
    found = rank_centrality(GRAPH, restart=0.1)
    prefer = {"a": {"b": 1 / 3, "c": 1, "d": 1 / 2}, "b": {"a": 2 / 3}, "c": {"b": 1}, "d": {"a": 1 / 2}}
    draw, at, visits = Random(5), "a", dict.fromkeys("abcde", 0)
    for _ in range(200_000):
        if draw.random() < 0.1:
            at = draw.choice("abcde")
        else:
            chance = draw.random() * 3  # as many as the most that an item met
            for other, share in prefer.get(at, {}).items():
                chance -= share
                if chance < 0:
                    at = other
                    break
        visits[at] += 1
    for item, share in found.items():
        assert visits[item] / 200_000 == pytest.approx(share, abs=0.01)
    assert sum(found.values()) == pytest.approx(1)


def test_all_find_the_order_that_judgments_follow():
    """Noisy and incomplete judgments of twelve items whose true order is that of their names."""
    draw, items = Random(2), [f"i{number:02}" for number in range(12)]
    graph = PreferenceGraph()
    for _ in range(3000):
        better, worse = sorted(draw.sample(items, 2))
        graph.add(*((better, worse) if draw.random() < 0.8 else (worse, better)))
    for order in (borda(graph), rank_centrality(graph), copeland(graph), fewest_violated(graph).order):
        places = [int(item[1:]) for item in order]
        assert np.abs(np.diff(places) - 1).mean() < 0.6
        assert (places[0], places[-1]) == (0, 11)


def test_an_empty_graph_ranks_nothing():
    for rank in (copeland, borda, rank_centrality):
        assert rank(PreferenceGraph()) == {}
    with pytest.raises(ValueError, match="restart is 0"):
        rank_centrality(GRAPH, restart=0)


def test_merged_qrels_have_the_best_above_all_grades():
    grades = {"a": 3, "b": 3, "c": 2, "d": 0}
    assert merge_qrels(grades, ["b", {"a", "x"}]) == {"b": 5, "a": 4, "x": 4, "c": 2, "d": 0}
    assert list(merge_qrels(grades, ["b", "a"])) == ["b", "a", "c", "d"]
    assert merge_qrels({"a": 0.5, "b": 2.5}, ["a"]) == {"a": 3, "b": 2.5}
    assert merge_qrels(grades, ["a", "b"], lowest=3) == {"a": 4, "b": 3, "c": 2, "d": 0}
    with pytest.raises(ValueError, match="lowest is 3; a graded item below the top is as high"):
        merge_qrels(grades, ["a"], lowest=3)
    with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
        merge_qrels(grades, ["a", "a"])
