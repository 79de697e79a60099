"""Delta measures: gains by hand and against the plain form, in nDCG and ERR; absence where nothing scales."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import PreferenceGraph
from prefir.measures.delta import delta_err, delta_gains, delta_ndcg

from . import plain_effectiveness as plain
from .cases import judgments, rankings, ties

cutoffs = st.none() | st.integers(1, 6) | st.just(15)


def test_gains_are_differences_of_degrees_between_0_and_1():
    """Differences: a 2 - 0, b 1 - 1, c 0 - 3, d 1 - 0 (its tie counts nothing), e 0."""
    graph = PreferenceGraph(["ab", "ac", "bc", "dc"], ties=["de"])
    assert delta_gains(graph) == pytest.approx({"a": 1, "b": 3 / 5, "c": 0, "d": 4 / 5, "e": 3 / 5})


def test_repeats_count_each_time_and_contradictions_cancel():
    graph = PreferenceGraph(["ab", "ab", "bc", "cb"])
    assert delta_gains(graph) == {"a": 1, "b": 0, "c": 0.5}


@given(rankings, judgments, ties, cutoffs)
def test_both_measures_agree_with_the_plain_forms(run, judged, tied, k):
    graph = PreferenceGraph(judged, ties=tied)
    gains = plain.delta_gains(graph.nodes, judged) if graph.nodes else {}
    assert delta_gains(graph) == pytest.approx(gains, abs=1e-12)
    values = delta_ndcg(run, graph, k=k), delta_err(run, graph, k=k)
    if any(gains.values()):
        stops = plain.gains(run, gains, k)
        assert values == pytest.approx((plain.ndcg(run, gains, k), plain.cascade(stops)), abs=1e-12)
        assert 0 <= min(values) <= max(values) <= 1
    else:
        assert [isnan(value) for value in values] == [True, True]


def test_the_best_item_first_satisfies_for_sure():
    graph = PreferenceGraph(["ab", "bc", "ac"])
    assert delta_gains(graph) == {"a": 1, "b": 0.5, "c": 0}
    assert delta_err("abc", graph) == delta_ndcg("abc", graph) == 1
    assert delta_err("bac", graph) == 0.5 + 0.5 / 2
    assert delta_err("bac", graph, k=1) == 0.5


@pytest.mark.parametrize("judged", ["", ["ab", "ba"], ["ab", "bc", "ca"]])
@pytest.mark.parametrize("tied", ["", ["ab"]])
@pytest.mark.parametrize("run", ["", "abc"])
def test_equal_differences_have_no_gain_and_the_measures_are_absent(judged, tied, run):
    for graph in (PreferenceGraph(judged, ties=tied), PreferenceGraph(judged, ties=tied, items="a")):
        assert delta_gains(graph) == dict.fromkeys(graph.nodes, 0)
        assert isnan(delta_ndcg(run, graph))
        assert isnan(delta_err(run, graph))


def test_a_run_without_the_items_scores_0():
    for run in ("", "xyz", "b"):
        assert delta_ndcg(run, PreferenceGraph(["ab"])) == delta_err(run, PreferenceGraph(["ab"])) == 0


def test_arrays_of_numpy_serve_as_runs():
    graph = PreferenceGraph(["ab", "bc", "ac"])
    assert delta_err(np.array(["b", "a", "c"]), graph) == 0.75


def test_bad_input_is_refused_even_where_the_value_is_absent():
    for measure in (delta_ndcg, delta_err):
        with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
            measure("aa", PreferenceGraph())
        with pytest.raises(ValueError, match="k is 0"):
            measure("ab", PreferenceGraph(), k=0)
