"""Rankings as numbers, and scores made of them: every value is that of the single form."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import MEASURES, Inputs, PreferenceGraph, Rankings, Scores, score
from prefir.measures.rankings import ranked

from .cases import judgments, levels, rankings

RUNS = {"good": {"t1": ["a", "b"], "t2": ["c"]}, "bad": {"t1": ["b", "x", "a"], "t3": []}}
topics = st.dictionaries(st.sampled_from(["t1", "t2"]), rankings)
docno_scores = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([-1.0, 0.0, 0.5, 2, np.inf]))


def test_rows_are_places_among_the_items_asked_for():
    rows = Rankings(RUNS).rows("t1", ["b", "a", "z"])
    assert rows.tolist() == [[1, 0, -1], [0, -1, 1]]


def test_a_topic_that_no_run_has_gives_empty_rows():
    assert Rankings(RUNS).rows("t9", ["a"]).shape == (2, 0)
    assert Rankings(RUNS).having("t9").tolist() == [False, False]


def test_an_empty_ranking_is_a_ranking():
    assert Rankings(RUNS).having("t3").tolist() == [False, True]


@given(st.lists(topics, max_size=3))
def test_what_goes_in_comes_out(runs):
    made = Rankings({f"r{i}": run for i, run in enumerate(runs)})
    assert [{t: made.ranking(f"r{i}", t) for t in run} for i, run in enumerate(runs)] == runs
    own = {topic: made.rows(topic).max(initial=-1) for topic in made.topics}
    assert own == {topic: len({d for run in runs for d in run.get(topic, ())}) - 1 for topic in own}


def test_arrays_of_docnos_may_be_rankings():
    made = Rankings({"r": {"t": np.array([30, 10, 20])}})
    assert made.rows("t", [10, 20, 30]).tolist() == [[2, 0, 1]]


def test_a_repeated_docno_is_named_and_nothing_is_added():
    made = Rankings()
    with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
        made.add("r", {"t1": ["b"], "t2": ["a", "b", "a"]})
    assert (made.runs, made.topics) == ((), ())


def test_a_run_comes_once():
    made = Rankings(RUNS)
    with pytest.raises(ValueError, match="'good' is there already"):
        made.add("good", {})


@given(docno_scores)
def test_scores_are_ranked_as_trec_eval_ranks_them(scores):
    """By falling score, equal ones by falling docno: the plain sort of pairs."""
    pairs = sorted(((score, docno) for docno, score in scores.items()), reverse=True)
    assert ranked(scores) == [docno for _, docno in pairs]


@given(st.lists(st.floats(-9, 9), unique=True, max_size=8), st.sets(st.sampled_from("abcdefghxy")))
def test_a_run_of_scores_is_the_run_of_its_ranking(values, items):
    scores = dict(zip("abcdefgh", values, strict=False))
    judged = sorted(items)
    expected = Rankings({"r": {"t": ranked(scores)}}).rows("t", judged).tolist()
    assert rows_of_scores(scores, None, judged) == rows_of_scores(scores, {"t": judged}, judged) == expected


@given(docno_scores, st.sets(st.sampled_from("abcdefghxy")))
def test_so_it_is_with_equal_scores(scores, items):
    judged = sorted(items)
    expected = Rankings({"r": {"t": ranked(scores)}}).rows("t", judged).tolist()
    assert rows_of_scores(scores, None, judged) == rows_of_scores(scores, {"t": judged}, judged) == expected


def rows_of_scores(scores, judged, items):
    made = Rankings(judged=judged)
    made.add_scores("r", {"t": scores})
    return made.rows("t", items).tolist()


@pytest.mark.parametrize("judged", [None, {"t1": "a"}])
@pytest.mark.parametrize(
    "scores", [{"a": float("nan")}, {"a": 3.0, "b": 1.0, "c": float("nan")}, {"a": 3, "b": "1"}]
)
def test_a_score_that_is_no_number_is_named_and_nothing_is_added(scores, judged):
    made = Rankings(judged=judged)
    odd = list(scores)[-1]
    with pytest.raises(ValueError, match=f"the score of '{odd}' is not a number"):
        made.add_scores("r", {"t1": {"a": 1.0}, "t2": scores})
    assert (made.runs, made.topics) == ((), ())


def test_a_run_of_scores_comes_once():
    made = Rankings(RUNS)
    with pytest.raises(ValueError, match="'good' is there already"):
        made.add_scores("good", {})


def test_rankings_of_judged_items_know_no_others():
    made = Rankings(RUNS, judged={"t1": ["a", "a", "b"]})
    assert made.rows("t1", ["b", "a"]).tolist() == [[1, 0, -1], [0, -1, 1]]
    assert made.rows("t1", ["a"]).tolist() == [[0, -1, -1], [-1, -1, 0]]
    assert made.having("t3").tolist() == [False, True]
    with pytest.raises(ValueError, match="'x' is not among the items of 't1'"):
        made.rows("t1", ["a", "x"])
    with pytest.raises(ValueError, match="'c' is not among the items of 't2'"):
        made.rows("t2", ["c"])
    with pytest.raises(ValueError, match="only the judged items have numbers"):
        made.rows("t1")
    with pytest.raises(ValueError, match="only the judged items of a ranking are kept"):
        made.ranking("good", "t1")


@given(st.data(), st.lists(topics, min_size=1, max_size=3))
def test_rankings_of_judged_items_only_score_as_whole_ones(data, runs):
    whole = {f"r{i}": run for i, run in enumerate(runs)}
    grades = {t: data.draw(levels) for t in ("t1", "t2")}
    found = score("compatibility", grades, Rankings(whole, judged=grades))
    expected = score("compatibility", grades, Rankings(whole))
    assert (found.topics, found.runs) == (expected.topics, expected.runs)
    assert np.array_equal(found.values, expected.values, equal_nan=True)


@given(st.data(), st.lists(topics, min_size=1, max_size=3))
def test_scores_of_many_runs_are_the_single_ones(data, runs):
    """Each measure that compares a run with grades or a graph, on all runs and topics at once."""
    many = Rankings({f"r{i}": run for i, run in enumerate(runs)})
    graphs = {t: PreferenceGraph(data.draw(judgments)) for t in ("t1", "t2")}
    grades = {t: data.draw(levels) for t in ("t1", "t2")}
    for name, measure in MEASURES.items():
        if measure.rows is None:
            continue
        judged = graphs if measure.inputs is Inputs.GRAPH else grades
        options = measure.track(judged) if measure.track else {}
        whole, present = score(name, judged, many), score(name, judged, many, present_only=True)
        assert whole.topics == tuple(judged)
        assert present.topics == tuple(topic for topic in judged if any(topic in run for run in runs))
        for found, lacking in ((whole, None), (present, float("nan"))):
            for (i, run), topic in product(enumerate(runs), found.topics):
                expected = measure.of(run.get(topic, []), judged[topic], **options)
                expected = expected if topic in run or lacking is None else lacking
                value = found.values[found.topics.index(topic), i]
                assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_the_highest_grade_of_err_is_the_tracks():
    """Chapelle et al.: an item of grade 1 satisfies with 1/2 where 1 is the highest, with 1/8 under 3."""
    many = Rankings({"r": {"t1": ["a"], "t2": ["b"]}})
    assert score("err", {"t1": {"a": 1}, "t2": {"b": 3}}, many).of("r") == {"t1": 1 / 8, "t2": 7 / 8}
    assert score("err", {"t1": {"a": 1}}, many).of("r") == {"t1": 1 / 2}
    assert score("err", {"t1": {"a": 1}}, many, max_grade=2).of("r") == {"t1": 1 / 4}


def test_an_unknown_measure_is_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"no measure 'med_rbp' of runs; .*here are compatibility, pgc"):
        score("med_rbp", {}, Rankings())


def made_scores():
    values = np.array([[0.5, np.nan], [1.0, np.nan], [np.nan, 0.25]])
    return Scores("pgc", ("t1", "t2", "t3"), ("good", "bad"), values)


def test_means_are_over_the_topics_with_a_value():
    assert made_scores().means == {"good": 0.75, "bad": 0.25}
    nothing = Scores("pgc", ("t1",), ("r",), np.array([[np.nan]]))
    assert np.isnan(nothing.means["r"])


def test_lines_are_topics_then_all():
    good, bad = [("t1", 0.5), ("t2", 1.0), ("all", 0.75)], [("t3", 0.25), ("all", 0.25)]
    expected = [("good", t, "pgc", v) for t, v in good] + [("bad", t, "pgc", v) for t, v in bad]
    assert list(made_scores().lines()) == expected
    assert [line.topic for line in made_scores().lines(per_topic=False)] == ["all", "all"]


def test_pandas_gets_a_row_for_each_value():
    frame = made_scores().to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "value"]
    assert frame.groupby("run")["value"].mean().to_dict() == {"good": 0.75, "bad": 0.25}
    assert len(frame) == 3


def test_a_notebook_shows_runs_by_their_means_and_no_markup_of_theirs():
    values = np.array([[0.25, 0.5, np.nan]])
    shown = Scores("pgc", ("t",), ("b", "<i>a", "none"), values)._repr_html_()
    assert shown.index("&lt;i&gt;a</td><td>0.5000") < shown.index("b</td><td>0.2500") < shown.index("none")
    assert repr(made_scores()) == "<Scores: pgc of 2 runs on 3 topics>"


def test_a_runs_mean_is_the_same_whatever_runs_stand_beside():
    """Sums of floats depend on their order; an exact one does not."""
    values = np.random.default_rng(5).random((173, 42))
    topics = tuple(map(str, range(173)))
    beside = Scores("pgc", topics, tuple(map(str, range(42))), values).means
    alone = {run: Scores("pgc", topics, (run,), values[:, [i]]).means[run] for i, run in enumerate(beside)}
    assert beside == alone
