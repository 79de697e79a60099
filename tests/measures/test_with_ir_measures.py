"""Our measures through ir_measures: the same values as ours, beside its own, in each of its forms."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import MEASURES, Inputs, PreferenceGraph, compatibility, pgc

from .cases import ITEMS

ir_measures = pytest.importorskip("ir_measures")

from prefir.measures import with_ir_measures  # noqa: E402
from prefir.measures.with_ir_measures import PGC, Compatibility, DeltaERR, DeltaNDCG  # noqa: E402

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1}, "3": {"e": 0}}
RUN = {"1": {"b": 3.0, "a": 2.0, "c": 2.0}, "9": {"a": 1.0}}
grades = st.dictionaries(st.sampled_from(ITEMS), st.integers(-1, 3), min_size=1)
scores = st.dictionaries(st.sampled_from(ITEMS + "xyz"), st.integers(-2, 2).map(float))


def test_it_stands_beside_the_measures_of_ir_measures():
    found = ir_measures.calc_aggregate([PGC(p=0.8), ir_measures.nDCG @ 10, Compatibility], QRELS, RUN)
    assert set(map(str, found)) == {"PGC(p=0.8)", "nDCG@10", "Compatibility"}


def test_the_mean_is_over_topics_with_something_to_compare_and_a_topic_not_run_scores_0():
    """By hand: topic 1 is in both, 2 only in the qrels, 3 has nothing above 0, 9 is not judged."""
    first = pgc(["b", "c", "a"], PreferenceGraph.derived(QRELS["1"], with_zero=True))
    assert ir_measures.calc_aggregate([PGC], QRELS, RUN)[PGC] == pytest.approx(first / 2)
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([PGC], QRELS, RUN)}
    assert values == {"1": pytest.approx(first), "2": 0}


def test_equal_scores_go_by_docno_descending():
    run = {"1": {"a": 1.0, "b": 1.0}}
    expected = compatibility(["b", "a"], QRELS["1"], p=0.5)
    found = ir_measures.calc_aggregate([Compatibility(p=0.5)], {"1": QRELS["1"]}, run)
    assert found[Compatibility(p=0.5)] == pytest.approx(expected)


def test_measures_are_parsed_by_name_with_their_options():
    assert ir_measures.parse_measure("PGC(p=0.9,depth=50,without_zero=True)")["depth"] == 50
    assert ir_measures.parse_measure("DeltaNDCG@5")["k"] == 5
    assert str(DeltaERR @ 7) == "DeltaERR@7"


def test_rows_and_iterators_are_taken_as_dicts_are():
    rows = [ir_measures.Qrel(t, d, g) for t, found in QRELS.items() for d, g in found.items()]
    docs = [ir_measures.ScoredDoc(t, d, s) for t, found in RUN.items() for d, s in found.items()]
    measures = [PGC, DeltaNDCG @ 2]
    assert ir_measures.calc_aggregate(measures, iter(rows), iter(docs)) == ir_measures.calc_aggregate(
        measures, QRELS, RUN
    )


@given(grades, scores)
def test_values_are_those_of_the_library(qrels, run):
    ranking = sorted(run, key=lambda docno: (run[docno], docno), reverse=True)
    graph = PreferenceGraph.derived(qrels, with_zero=True)
    for name, called in with_ir_measures.NAMES.items():
        measure = getattr(with_ir_measures, called)
        judged = graph if MEASURES[name].inputs is Inputs.GRAPH else qrels
        expected = MEASURES[name].of(ranking, judged)
        found = [metric.value for metric in ir_measures.iter_calc([measure], {"t": qrels}, {"t": run})]
        assert found == ([] if isnan(expected) else [pytest.approx(expected, abs=1e-12)]), name
