"""Measures of what a run finds: against the plain forms, trec_eval and ir_measures; hand-worked values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import Rankings, measure_ceiling, score
from prefir.measures import set_measures as fast

from . import plain_effectiveness as plain
from .cases import levels, rankings

near = {"rel": 1e-12, "abs": 1e-12}
cutoffs = st.integers(1, 15)
thresholds = st.sampled_from([0.5, 1, 2, 2.5, 4])
with_unjudged = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-2, 4))
# trec_eval itself crashes on a topic of negative grades only.
judged_topics = with_unjudged.filter(lambda grades: max(grades.values(), default=-1) >= 0)
WITH_K = ("recall", "success", "judged")


def every(run, grades, k=5):
    names = {name: {"k": k} if name in WITH_K else {} for name in (*WITH_K, *WITHOUT_K)}
    return {name: getattr(fast, name)(run, grades, **options) for name, options in names.items()}


WITHOUT_K = ("r_precision", "bpref", "inferred_ap", "set_precision")
WITH_LENGTHS = ("set_precision",)


@given(rankings, levels, cutoffs, thresholds)
def test_values_agree_with_the_plain_forms(run, grades, k, relevant):
    for name in ("recall", "success"):
        value = getattr(fast, name)(run, grades, k=k, relevant=relevant)
        assert value == pytest.approx(getattr(plain, name)(run, grades, k, relevant), **near), name
    for name in WITHOUT_K:
        value = getattr(fast, name)(run, grades, relevant=relevant)
        assert value == pytest.approx(getattr(plain, name)(run, grades, relevant), **near), name
    assert fast.recall(run, grades, relevant=relevant) == pytest.approx(
        plain.recall(run, grades, None, relevant), **near
    )
    assert fast.judged(run, grades, k=k) == plain.judged(run, grades, k)


@given(rankings, levels, thresholds, st.floats(0, 8), st.floats(0, 1))
def test_f_and_interpolated_precision_agree_with_the_plain_forms(run, grades, relevant, beta, level):
    assert fast.set_f(run, grades, beta=beta, relevant=relevant) == pytest.approx(
        plain.set_f(run, grades, beta, relevant), **near
    )
    assert fast.interpolated_precision(run, grades, recall=level, relevant=relevant) == pytest.approx(
        plain.interpolated_precision(run, grades, level, relevant), **near
    )


@given(rankings.filter(bool), judged_topics, st.integers(1, 2))
def test_values_are_those_of_trec_eval(run, grades, relevant):
    """Expected values come from trec_eval itself, through pytrec_eval; it takes whole grades only."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    asked = {"recall.1,3,20", "success.1,3,20", "set_recall", "Rprec", "bpref", "infAP", "set_P", "set_F"}
    asked.add("iprec_at_recall")
    evaluator = pytrec_eval.RelevanceEvaluator({"1": grades}, asked, relevance_level=relevant)
    expected = evaluator.evaluate({"1": {docno: float(-rank) for rank, docno in enumerate(run)}})["1"]
    ours = {
        "set_recall": fast.recall(run, grades, relevant=relevant),
        "Rprec": fast.r_precision(run, grades, relevant=relevant),
        "bpref": fast.bpref(run, grades, relevant=relevant),
        "infAP": fast.inferred_ap(run, grades, relevant=relevant),
        "set_P": fast.set_precision(run, grades, relevant=relevant),
        "set_F": fast.set_f(run, grades, relevant=relevant),
    }
    for tenth in range(11):
        ours[f"iprec_at_recall_{tenth / 10:.2f}"] = fast.interpolated_precision(
            run, grades, recall=tenth / 10, relevant=relevant
        )
    for k in (1, 3, 20):
        ours[f"recall_{k}"] = fast.recall(run, grades, k=k, relevant=relevant)
        ours[f"success_{k}"] = fast.success(run, grades, k=k, relevant=relevant)
    assert ours == pytest.approx(expected, **near)


@given(rankings.filter(bool), levels.filter(bool), cutoffs)
def test_judged_items_are_those_of_ir_measures(run, grades, k):
    """It counts every grade as a judgment, and divides by the length of a run that is shorter than k."""
    ir_measures = pytest.importorskip("ir_measures")
    k = min(k, len(run))
    whole = {docno: int(max(grade, 0)) for docno, grade in grades.items()}
    scores = {docno: float(-rank) for rank, docno in enumerate(run)}
    judged = ir_measures.Judged @ k
    assert fast.judged(run, whole, k=k) == pytest.approx(
        judged.calc_aggregate({"1": whole}, {"1": scores}), **near
    )


@given(rankings.filter(bool), levels.filter(bool), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_f_is_that_of_ir_measures(run, grades, beta):
    """Its beta goes to trec_eval as it is, where it is the square of the usual one."""
    ir_measures = pytest.importorskip("ir_measures")
    whole = {docno: int(max(grade, 0)) for docno, grade in grades.items()}
    scores = {docno: float(-rank) for rank, docno in enumerate(run)}
    theirs = ir_measures.SetF(beta=beta**2).calc_aggregate({"1": whole}, {"1": scores})
    assert fast.set_f(run, whole, beta=beta) == pytest.approx(theirs, **near)


@given(st.lists(rankings, min_size=1, max_size=4), levels.filter(bool), st.booleans())
def test_runs_of_different_lengths_are_scored_together(runs, grades, judged_only):
    """Rows of runs are filled up; what is divided by is the length of each run itself."""
    made = Rankings(judged={"t": grades} if judged_only else None)
    for number, run in enumerate(runs):
        made.add(f"run{number}", {"t": run})
    for name in ("set_precision", "set_f"):
        found = score(name, {"t": grades}, made).values[0]
        assert found.tolist() == [getattr(fast, name)(run, grades) for run in runs], name


def test_the_ceiling_of_sets_is_reached_by_the_relevant_items_alone():
    grades = {"a": 1, "b": 2, "c": 0}
    for name in ("set_precision", "set_f"):
        assert measure_ceiling(name, grades).value == getattr(fast, name)("ab", grades) == 1
        assert measure_ceiling(name, {"c": 0}).value == 0


def test_options_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"^beta is -1; it must be a number of at least 0$"):
        fast.set_f("ab", {"a": 1}, beta=-1)
    with pytest.raises(ValueError, match=r"^recall is 1.5; it must lie between 0 and 1$"):
        fast.interpolated_precision("ab", {"a": 1}, recall=1.5)


def test_small_cases_by_hand():
    grades = {"a": 1, "b": 2, "c": 0, "d": 0, "e": 1, "f": -1}
    assert fast.recall("cxa", grades) == fast.recall("cxab", grades, k=3) == 1 / 3
    assert fast.success("cxa", grades, k=3) == 1
    assert fast.success("cxa", grades, k=2) == 0
    assert fast.r_precision("acb", grades) == 2 / 3
    assert fast.judged("axfc", grades, k=4) == 0.5
    # c stands above a, c and d above b; e is not found. min(R, N) is 2.
    assert fast.bpref("cafdxb", grades) == ((1 - 1 / 2) + (1 - 2 / 2)) / 3
    # f above a is unknown and counts half. Above b all that is judged, a, is relevant, so f counts whole.
    inferred = fast.inferred_ap("fab", {**grades, "e": 0})
    assert inferred == pytest.approx((0.5 * 1.5 + (1 + 2) / 3) / 2, abs=1e-4)


@given(rankings, st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 2)))
def test_inferred_ap_of_a_run_of_judged_items_is_average_precision(run, grades):
    run = [docno for docno in run if docno in grades]
    assert fast.inferred_ap(run, grades) == pytest.approx(plain.average_precision(run, grades), abs=1e-4)


@given(st.lists(rankings, max_size=4), levels, cutoffs)
def test_many_rows_at_once_have_the_values_of_their_runs(runs, grades, k):
    number = {docno: i for i, docno in enumerate(grades)}
    rows = np.full((len(runs), 20), -1)
    for row, run in zip(rows, runs, strict=True):
        row[: len(run)] = [number.get(docno, -1) for docno in run]
    singles = [every(run, grades, k) for run in runs]
    for name in every("", grades):
        cut = {"k": k} if name in WITH_K else {}
        if name in WITH_LENGTHS:
            cut["lengths"] = [len(run) for run in runs]
        values = getattr(fast, name + "_rows")(rows, list(grades.values()), **cut)
        assert values.tolist() == [single[name] for single in singles], name


@pytest.mark.parametrize("grades", [{}, {"a": -1}, {"x": 2}])
def test_a_run_without_relevant_or_judged_items_scores_0(grades):
    assert set(every("ab", grades).values()) == set(every("", grades).values()) == {0}
