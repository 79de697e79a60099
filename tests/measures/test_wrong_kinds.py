"""What is taken for something else: refused with a sentence, or read as it was meant."""

import networkx
import numpy as np
import pytest

from prefir.measures import (
    Judgment,
    PreferenceGraph,
    Rankings,
    appref,
    compatibility,
    fleiss_kappa,
    hoeffding,
    ideal_ranking,
    kendall_tau,
    krippendorff_alpha,
    label_units,
    med_rbp,
    ndcg,
    pgc,
    pgc_grid,
    raw_agreement,
    rbo,
    score,
)

GRAPH = PreferenceGraph([("a", "b")])
ONE_RUN = {
    "rbo": lambda run: rbo(run, ["a"]),
    "ndcg": lambda run: ndcg(run, {"a": 1}),
    "compatibility": lambda run: compatibility(run, {"a": 1}),
    "pgc": lambda run: pgc(run, GRAPH),
    "ideal": lambda run: ideal_ranking(run, GRAPH),
    "appref": lambda run: appref(run, GRAPH),
    "med": lambda run: med_rbp(run, ["a"]),
    "hoeffding": lambda run: hoeffding(run, ["a"]),
    "tau": lambda run: kendall_tau(run, ["a"], conjoint=True),
    "rankings": lambda run: Rankings({"r": {"t": run}}),
}


@pytest.mark.parametrize("measured", ONE_RUN.values(), ids=ONE_RUN)
@pytest.mark.parametrize("run", [{"a", "b"}, {"a": 2.0, "b": 1.0}, (item for item in "ab")])
def test_what_has_no_order_is_no_ranking(measured, run):
    """A set's order is an accident, and a dictionary of scores goes by score, not by who came first."""
    with pytest.raises(TypeError, match="a ranking is a sequence of docnos, best first, not a"):
        measured(run)


def test_graph_and_run_the_wrong_way_round_are_told_apart():
    with pytest.raises(TypeError, match="the run comes first, then the graph; a list is no"):
        pgc(GRAPH, ["a", "b"])
    with pytest.raises(TypeError, match="the run comes first, then the graph; a list is no"):
        appref(GRAPH, ["a", "b"])
    with pytest.raises(TypeError, match="the grids come first, then the graph; a dict is no"):
        pgc_grid(GRAPH, {"one": []})


def test_labels_by_assessor_are_labels():
    """Two assessors who always agree, one of them shown a pair the other way round."""
    judgments = [("a", "b", -1, "ann"), ("b", "a", 1, "bob"), ("a", "c", 1, "ann"), ("a", "c", 1, "bob")]
    units = label_units([Judgment("t", *judgment) for judgment in judgments])
    for statistic in (raw_agreement, fleiss_kappa, krippendorff_alpha):
        assert statistic(units) == statistic(units.values()) == 1


@pytest.mark.parametrize("weight", [0, -3, 2.5])
def test_weights_that_count_no_judgments_are_refused(weight):
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", weight=weight)
    with pytest.raises(ValueError, match=f"the weight of 'a' -> 'b' is {weight}"):
        PreferenceGraph.from_networkx(graph)


def test_a_grade_that_is_no_number_is_named():
    with pytest.raises(ValueError, match="the grade of 'b' is 'x', not a number"):
        ndcg(["a"], {"a": 1, "b": "x"})


def test_what_nobody_could_wait_for_is_refused():
    with pytest.raises(ValueError, match="depth is 10000001; it must be at most 10,000,000"):
        rbo("ab", "ba", depth=10_000_001)
    with pytest.raises(ValueError, match="n is 1000000000000; it must be at most 100,000,000"):
        hoeffding("ab", "ba", n=10**12)


def test_rankings_as_plain_dictionaries_are_told_from_rankings():
    with pytest.raises(TypeError, match="rankings are made by Rankings"):
        score("ndcg", {"t": {"a": 1}}, {"r": {"t": ["a"]}})


def test_scores_are_named_by_their_cut_and_cannot_be_changed():
    scores = score("ndcg", {"t": {"a": 1}}, Rankings({"r": {"t": ["a"]}}), k=5)
    assert scores.measure == "ndcg@5"
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = np.nan
