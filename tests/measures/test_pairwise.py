"""Precision and recall of preferences: against the plain forms, by hand, published counts, absence."""

from math import isnan, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import PreferenceGraph
from prefir.measures import pairwise as fast

from .cases import judgments, rankings, ties
from .plain_effectiveness import Preferences

NAMES = ("ppref", "rpref", "wpref", "appref")
cutoffs = st.none() | st.integers(1, 6) | st.just(15)


@given(rankings, judgments.filter(bool), ties, cutoffs)
def test_all_four_agree_with_the_plain_forms(run, judged, tied, k):
    graph = PreferenceGraph(judged, ties=tied)
    plain = Preferences(run, judged)
    for name in NAMES:
        value = getattr(fast, name)(run, graph, k=k)
        expected = getattr(plain, name)(k or len(run))
        assert value == pytest.approx(expected, abs=1e-12), name
        assert 0 <= value <= 1
    weight = fast.wpref(run, graph, k=k, normalize=False)
    assert weight == pytest.approx(plain.wpref(k or len(run), normalize=False), abs=1e-12)


JUDGED = [("a", "b"), ("c", "a"), ("b", "d"), ("d", "e"), ("f", "g"), ("f", "a")]


def test_a_small_case_by_hand():
    """Of a, b, c, d: at 2, a > b and b > d are right, c > a and f > a wrong, the other two not ordered."""
    graph = PreferenceGraph(JUDGED)
    low = 1 / log2(3)
    assert fast.ppref("abcd", graph, k=2) == 2 / 4
    assert fast.rpref("abcd", graph, k=2) == 2 / 6
    assert fast.wpref("abcd", graph, k=2) == pytest.approx((1 + low) / (3 + low))
    assert fast.wpref("abcd", graph, k=2, normalize=False) == pytest.approx(1 + low)
    # Recall rises at ranks 1, 2 and 4.
    assert fast.appref("abcd", graph) == pytest.approx((1 / 3 + 2 / 4 + 3 / 5) / 3)
    assert fast.appref("abcd", graph, k=2) == pytest.approx((1 / 3 + 2 / 4) / 2)


@given(st.integers(2, 10), st.integers(1, 12), st.randoms())
def test_a_run_of_n_items_orders_as_many_pairs_as_carterette_and_bennett_count(n, k, random):
    """Their poster: k(2n - k - 1)/2 of n(n - 1)/2 pairs; in the preferred order all of these are correct."""
    items = "abcdefghij"[:n]
    graph = PreferenceGraph((a, b) for a in items for b in items if a < b)
    pairs = min(k, n) * (2 * n - min(k, n) - 1) / 2
    assert fast.rpref(items, graph, k=k) == pairs / (n * (n - 1) / 2)
    assert fast.ppref(items, graph, k=k) == fast.wpref(items, graph, k=k) == fast.appref(items, graph) == 1
    shuffled = random.sample(items, n)
    right = fast.rpref(shuffled, graph, k=k) * n * (n - 1) / 2
    assert fast.ppref(shuffled, graph, k=k) == pytest.approx(right / pairs)


def test_repeats_count_each_time_and_of_a_contradiction_one_is_right():
    graph = PreferenceGraph([("a", "b"), ("a", "b"), ("b", "a"), ("c", "b")], ties=[("a", "c")])
    assert fast.ppref("abc", graph) == fast.rpref("abc", graph) == 2 / 4
    assert fast.ppref("bac", graph) == 1 / 4


@pytest.mark.parametrize("tied", ["", ["ab"]])
@pytest.mark.parametrize("run", ["", "ab"])
def test_without_preferences_all_are_absent(tied, run):
    graph = PreferenceGraph(ties=tied)
    assert all(isnan(getattr(fast, name)(run, graph, k=3)) for name in NAMES)


def test_a_run_that_orders_nothing_correctly_scores_0():
    graph = PreferenceGraph(["ab"])
    for run in ("", "xyz", "ba"):
        assert {getattr(fast, name)(run, graph) for name in NAMES} == {0}


@given(st.lists(rankings, max_size=4), judgments, ties, cutoffs)
def test_many_rows_at_once_have_the_values_of_their_runs(runs, judged, tied, k):
    graph = PreferenceGraph(judged, ties=tied)
    docnos = graph.nodes
    rows = np.full((len(runs), 20), -1)
    for row, run in zip(rows, runs, strict=True):
        row[: len(run)] = [docnos.index(docno) if docno in docnos else -1 for docno in run]
    for name in NAMES:
        values = getattr(fast, name + "_rows")(rows, graph, k=k)
        each = [getattr(fast, name)(run, graph, k=k) for run in runs]
        assert values.tolist() == pytest.approx(each, abs=1e-12, nan_ok=True), name


def test_arrays_of_numpy_serve_as_runs():
    assert fast.ppref(np.array(["a", "b", "c", "d"]), PreferenceGraph(JUDGED), k=2) == 2 / 4


def test_bad_input_is_refused():
    graph = PreferenceGraph(["ab"])
    for name in NAMES:
        with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
            getattr(fast, name)("aa", graph)
        with pytest.raises(ValueError, match="k is 0"):
            getattr(fast, name)("ab", graph, k=0)
    with pytest.raises(ValueError, match="rows must be of shape"):
        fast.ppref_rows([0], graph)
