"""Effectiveness: against the plain forms and trec_eval, published and hand-worked values, refusals."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import effectiveness as fast

from . import plain_effectiveness as plain
from .cases import levels, persistences, rankings

cutoffs = st.none() | st.integers(1, 6) | st.just(15)
gains = st.sampled_from(["linear", "exponential"])
thresholds = st.sampled_from([0.5, 1, 2, 2.5, 4])
near = {"rel": 1e-12, "abs": 1e-12}


@given(rankings, levels, cutoffs, gains)
def test_dcg_and_ndcg_agree_with_the_plain_sums(run, grades, k, gain):
    value = fast.dcg(run, grades, k=k, gain=gain)
    assert value == pytest.approx(plain.dcg(run, grades, k, gain), **near)
    value = fast.ndcg(run, grades, k=k, gain=gain)
    assert value == pytest.approx(plain.ndcg(run, grades, k, gain), **near)
    assert 0 <= value <= 1


@given(rankings, levels, cutoffs)
def test_the_dcg_of_xie_agrees_with_the_plain_sum(run, grades, k):
    assert fast.xie_dcg(run, grades, k=k) == pytest.approx(plain.xie_dcg(run, grades, k), **near)


@given(rankings, levels, cutoffs, st.sampled_from([None, 3, 3.5, 60]))
def test_err_agrees_with_the_plain_sum(run, grades, k, max_grade):
    value = fast.err(run, grades, k=k, max_grade=max_grade)
    assert value == pytest.approx(plain.err(run, grades, k, max_grade), **near)
    assert 0 <= value < 1


@given(rankings, levels, cutoffs, thresholds, persistences)
def test_measures_of_binary_relevance_agree_with_the_plain_forms(run, grades, k, relevant, p):
    options = {"k": k, "relevant": relevant}
    value = fast.rbp(run, grades, p=p, **options)
    assert value == pytest.approx(plain.rbp(run, grades, p, k, relevant), **near)
    value = fast.average_precision(run, grades, **options)
    assert value == pytest.approx(plain.average_precision(run, grades, k, relevant), **near)
    assert fast.reciprocal_rank(run, grades, **options) == plain.reciprocal_rank(run, grades, k, relevant)
    k = k or 15
    value = fast.precision(run, grades, k=k, relevant=relevant)
    assert value == plain.precision(run, grades, k, relevant)


whole = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-2, 4))
# trec_eval itself crashes on a topic of negative grades only.
judged = whole.filter(lambda grades: max(grades.values(), default=-1) >= 0)


@given(rankings.filter(bool), judged, st.integers(1, 2))
def test_values_are_those_of_trec_eval(run, grades, relevant):
    """Expected values come from trec_eval itself, through pytrec_eval; it takes whole grades only."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    asked = {"ndcg", "ndcg_cut.1,3,20", "map", "map_cut.1,3,20", "P.1,3,20", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator({"1": grades}, asked, relevance_level=relevant)
    scores = {docno: float(-rank) for rank, docno in enumerate(run)}
    expected = evaluator.evaluate({"1": scores})["1"]
    ours = {
        "ndcg": fast.ndcg(run, grades),
        "map": fast.average_precision(run, grades, relevant=relevant),
        "recip_rank": fast.reciprocal_rank(run, grades, relevant=relevant),
    }
    for k in (1, 3, 20):
        ours[f"ndcg_cut_{k}"] = fast.ndcg(run, grades, k=k)
        ours[f"map_cut_{k}"] = fast.average_precision(run, grades, k=k, relevant=relevant)
        ours[f"P_{k}"] = fast.precision(run, grades, k=k, relevant=relevant)
    assert ours == pytest.approx(expected, **near)


def test_a_case_with_negative_grades_has_the_values_that_trec_eval_printed():
    """Written down from trec_eval 9 (pytrec_eval-terrier 0.5.11), so that it holds without it."""
    grades = {"a": -1, "b": 2, "c": 0, "d": -2, "e": 1}
    assert fast.ndcg("abdxe", grades) == pytest.approx(0.626665273802673, abs=1e-15)
    assert fast.ndcg("abdxe", grades, k=2) == pytest.approx(0.4796249331362629, abs=1e-15)
    assert fast.average_precision("abdxe", grades) == 0.45
    assert fast.average_precision("abdxe", grades, k=2) == 0.25
    assert fast.average_precision("abdxe", grades, relevant=2) == 0.5
    assert fast.precision("abdxe", grades, k=10) == 0.2
    assert fast.reciprocal_rank("abdxe", grades) == 0.5


def test_the_tables_of_luos_thesis_on_dcg():
    """Luo's thesis, tables 2.1 and 2.2: DCG 9.818, of the ideal ranking 10.348, nDCG 0.949."""
    grades = {"A": 4, "H": 4, "B": 3, "D": 2, "C": 2, "G": 1, "F": 1}
    assert round(fast.dcg("BAHDGCF", grades), 3) == 9.818
    assert round(fast.dcg("AHBCDGF", grades), 3) == 10.348
    assert round(fast.ndcg("BAHDGCF", grades), 3) == 0.949


def test_small_cases_by_hand():
    grades = {"a": 1, "b": 2}
    assert fast.dcg("axb", grades) == 1 + 2 / 2
    assert fast.dcg("axb", grades, gain="exponential") == 1 + 3 / 2
    assert fast.xie_dcg("abx", grades) == 1 + 2
    assert fast.xie_dcg("xab", grades) == pytest.approx(1 + 2 / log2(3))
    assert fast.err("axb", grades) == 0.25 + 0.75 * 0.75 / 3
    assert fast.err("axb", grades, max_grade=3) == 0.125 + 0.875 * 0.375 / 3
    assert fast.rbp("axb", grades, p=0.5) == 0.5 + 0.125
    assert fast.rbp("axb", grades, p=0.5, relevant=2) == 0.125
    assert fast.rbp("axb", grades, p=0.5, max_grade=2) == 0.5 * grades["a"] / 2 + 0.125 * grades["b"] / 2
    with pytest.raises(ValueError, match=r"the grade of item . is 2.0, above max_grade 1"):
        fast.rbp("axb", grades, max_grade=1)
    assert fast.average_precision("axb", grades) == pytest.approx((1 + 2 / 3) / 2)
    assert fast.precision("axb", grades, k=2) == 0.5
    assert fast.reciprocal_rank("xb", grades) == 0.5


@given(rankings, levels, cutoffs, gains)
def test_no_ranking_has_more_ndcg_than_the_ideal_and_that_one_has_1(run, grades, k, gain):
    ideal = sorted(grades, key=lambda docno: -grades[docno])
    best = fast.ndcg(ideal, grades, k=k, gain=gain)
    assert best == (1 if max(grades.values(), default=0) > 0 else 0)


def every(run, grades, **options):
    return {
        "dcg": fast.dcg(run, grades, **options),
        "ndcg": fast.ndcg(run, grades, **options),
        "xie_dcg": fast.xie_dcg(run, grades, **options),
        "err": fast.err(run, grades, **options),
        "rbp": fast.rbp(run, grades, **options),
        "average_precision": fast.average_precision(run, grades, **options),
        "precision": fast.precision(run, grades, **{"k": 5, **options}),
        "reciprocal_rank": fast.reciprocal_rank(run, grades, **options),
    }


@given(st.lists(rankings, max_size=4), levels, cutoffs)
def test_many_rows_at_once_have_the_values_of_their_runs(runs, grades, k):
    number = {docno: i for i, docno in enumerate(grades)}
    rows = np.full((len(runs), 20), -1)
    for row, run in zip(rows, runs, strict=True):
        row[: len(run)] = [number.get(docno, -1) for docno in run]
    options = {} if k is None else {"k": k}
    singles = [every(run, grades, **options) for run in runs]
    for name in every("", grades):
        cut = {"k": 5, **options} if name == "precision" else options
        values = getattr(fast, name + "_rows")(rows, list(grades.values()), **cut)
        assert values.tolist() == [single[name] for single in singles], name


@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -2, "b": 0}])
@pytest.mark.parametrize("run", ["", "ab"])
def test_a_topic_without_relevant_items_scores_0(run, grades):
    assert set(every(run, grades).values()) == {0}


def test_an_empty_run_scores_0():
    assert set(every([], {"a": 1}).values()) == {0}


def test_arrays_of_numpy_serve_as_runs():
    grades = {"a": 1, "b": 3}
    assert every(np.array(["b", "x", "a"]), grades) == every("bxa", grades)
    by_number = {1: np.int64(1), 2: np.float32(3)}
    assert every(np.array([2, 9, 1]), by_number) == every("bxa", grades)
    assert set(every(np.array([]), grades).values()) == {0}


def test_a_grade_that_is_no_finite_number_is_refused_by_name():
    for grade in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"grade of 'b' is (nan|inf), not a finite number"):
            fast.ndcg("ab", {"a": 1, "b": grade})
        with pytest.raises(ValueError, match="grade of item 1 is not a finite number"):
            fast.ndcg_rows([[0]], [1, grade])


def test_a_repeated_docno_is_refused_by_name():
    with pytest.raises(ValueError, match="'b' is in a ranking more than once"):
        fast.precision("abb", {"a": 1}, k=1)
    with pytest.raises(ValueError, match=r"^'b' is in a ranking more than once"):
        fast.precision(np.array(["a", "b", "b"]), {"a": 1}, k=1)


def test_a_grade_above_the_tracks_highest_is_refused():
    with pytest.raises(ValueError, match="grade of 'b' is 3, above max_grade 2"):
        fast.err("ab", {"a": 1, "b": 3}, max_grade=2)
    with pytest.raises(ValueError, match="grade of item 1 is 3"):
        fast.err_rows([[0]], [1, 3], max_grade=2)
    with pytest.raises(ValueError, match="max_grade is -1"):
        fast.err("ab", {}, max_grade=-1)
    with pytest.raises(ValueError, match=r"satisfies with 1\.5"):
        fast.cascade_rows([[0]], [1.5])


@pytest.mark.parametrize("k", [0, -3, 2.5, float("nan")])
def test_a_cutoff_that_is_no_rank_is_refused(k):
    for measure in (fast.dcg, fast.err, fast.average_precision, fast.precision, fast.reciprocal_rank):
        with pytest.raises(ValueError, match="k is"):
            measure("ab", {"a": 1}, k=k)


def test_options_out_of_their_range_are_refused():
    with pytest.raises(ValueError, match="no gain 'cubic'"):
        fast.dcg("ab", {}, gain="cubic")
    with pytest.raises(ValueError, match="2 to that power"):
        fast.dcg("ab", {"a": 2000}, gain="exponential")
    with pytest.raises(ValueError, match="relevant is 0"):
        fast.average_precision("ab", {}, relevant=0)
    with pytest.raises(ValueError, match="persistence"):
        fast.rbp("ab", {}, p=1)


@pytest.mark.parametrize("rows", [[[0, 2]], [[-2]], [0, 1]])
def test_rows_beyond_the_items_are_refused_and_not_read(rows):
    with pytest.raises(ValueError, match="rows"):
        fast.ndcg_rows(rows, [1.0, 2.0])
