"""`prefir.evaluate`: every form of grades, preferences and runs gives the library's values, in one table."""

import csv
import io
import json

import numpy as np
import pandas
import pytest

import prefir
from prefir.cli.program import main
from prefir.measures import PreferenceGraph, Rankings, compare_runs, mean_intervals, score, sensitivity

GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}, "t3": {"a": 1}}
RUNS = {
    "one": {"t1": ["b", "a", "x", "d"], "t2": ["a", "e", "b"]},
    "two": {"t1": ["c", "d", "a"], "t2": ["x", "b", "a", "e"], "t3": ["a"]},
}
MEASURES = ["nDCG@2", "PGC(p=0.9)", "Compat"]
PAIRS = {"t1": [("a", "b"), ("d", "c")], "t2": [("e", "a")]}


def scored(run):
    """A run as topic -> docno -> score."""
    return {topic: {docno: -rank for rank, docno in enumerate(docnos)} for topic, docnos in run.items()}


def text(run, tag):
    return "".join(
        f"{topic} Q0 {docno} 1 {score} {tag}\n"
        for topic, scores in scored(run).items()
        for docno, score in scores.items()
    )


def frame(name, run):
    rows = [(name, t, docno, value) for t, scores in scored(run).items() for docno, value in scores.items()]
    return pandas.DataFrame(rows, columns=["tag", "qid", "docno", "score"])


FORMS = {
    "docnos": lambda folder: RUNS,
    "scores": lambda folder: {name: scored(run) for name, run in RUNS.items()},
    "paths": lambda folder: [folder / "one", str(folder / "two")],
    "one file of both": lambda folder: folder / "both",
    "frame of both": lambda folder: pandas.concat([frame(name, run) for name, run in RUNS.items()]),
    "named frames": lambda folder: {name: frame("x", run).drop(columns="tag") for name, run in RUNS.items()},
    "named paths": lambda folder: {name: folder / name for name in RUNS},
    "read": lambda folder: prefir.read(folder / "both"),
    "list": lambda folder: [folder / "one", {"two": RUNS["two"]}],
    "rankings": lambda folder: Rankings(RUNS),
}


@pytest.fixture
def folder(tmp_path):
    for name, run in RUNS.items():
        (tmp_path / name).write_text(text(run, name))
    (tmp_path / "both").write_text("".join(text(run, name) for name, run in RUNS.items()))
    lines = (f"{topic} 0 {docno} {g}\n" for topic, own in GRADES.items() for docno, g in own.items())
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "prefs").write_text("".join(f"{t} {a} {b}\n" for t, own in PAIRS.items() for a, b in own))
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_runs_of_every_form_have_the_librarys_values_and_intervals(folder, form):
    found = prefir.evaluate(folder / "qrels", FORMS[form](folder), MEASURES)
    graphs = {topic: PreferenceGraph.derived(own, with_zero=True) for topic, own in GRADES.items()}
    cases = [("ndcg@2", GRADES, {"k": 2}), ("pgc(p=0.9)", graphs, {"p": 0.9}), ("compatibility", GRADES, {})]
    for label, judged, options in cases:
        expected = score(label.partition("(")[0].partition("@")[0], judged, Rankings(RUNS), **options)
        np.testing.assert_array_equal(found[label].values, expected.values)
        ends = mean_intervals(expected.values, bounds=(0, 1))
        rows = [row for row in found.to_dicts() if row["measure"] == label]
        assert [row["run"] for row in rows] == ["one", "two"]
        assert [row["mean"] for row in rows] == ends.means.tolist()
        assert [row["low"] for row in rows] == ends.lows.tolist()
        assert [row["topics"] for row in rows] == [3, 3]  # a topic that a run lacks counts 0
        assert [(row["best"], row["worst"]) for row in rows] == list(ends.ranks)


@pytest.mark.parametrize(
    "judged",
    [
        lambda folder: folder / "qrels",
        lambda folder: GRADES,
        lambda folder: prefir.read(folder / "qrels"),
        lambda folder: pandas.DataFrame(
            [(topic, docno, grade) for topic, own in GRADES.items() for docno, grade in own.items()],
            columns=["qid", "docno", "label"],
        ),
    ],
)
def test_grades_may_have_every_form(folder, judged):
    assert prefir.evaluate(judged(folder), RUNS).rows == prefir.evaluate(GRADES, RUNS).rows


@pytest.mark.parametrize(
    "judged",
    [
        lambda folder: folder / "prefs",
        lambda folder: PAIRS,
        lambda folder: {topic: PreferenceGraph(pairs) for topic, pairs in PAIRS.items()},
        lambda folder: pandas.DataFrame(
            [(topic, a, b, a) for topic, pairs in PAIRS.items() for a, b in pairs],
            columns=["topic", "a", "b", "winner"],
        ),
    ],
)
def test_preferences_may_have_every_form(folder, judged):
    graphs = {topic: PreferenceGraph(pairs) for topic, pairs in PAIRS.items()}
    found = prefir.evaluate(judged(folder), RUNS, ["pgc", "ppref"])
    for name in ("pgc", "ppref"):
        np.testing.assert_array_equal(found[name], score(name, graphs, Rankings(RUNS)).values)


def test_a_topic_that_a_run_lacks_is_left_out_if_so_wanted():
    one, two = prefir.evaluate(GRADES, RUNS, "p@1", present_only=True).to_dicts()
    assert (one["mean"], one["topics"], two["mean"], two["topics"]) == (1, 2, pytest.approx(1 / 3), 3)


def test_the_table_is_written_as_csv_json_latex_and_frame():
    found = prefir.evaluate(GRADES, RUNS, MEASURES)
    rows = found.to_dicts()
    assert json.loads(found.to_json()) == rows
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [float(row["mean"]) for row in read] == [row["mean"] for row in rows]
    assert found.to_pandas().to_dict("records") == rows
    assert rf"one & {rows[0]['mean']:.4f} & {rows[1]['mean']:.4f}" in found.to_latex()
    assert f"one  ndcg@2         {rows[0]['mean']:.4f}" in str(found)
    assert found.per_topic().to_dicts()[0] == {
        "run": "one",
        "topic": "t1",
        "measure": "ndcg@2",
        "value": found["nDCG@2"].of("one")["t1"],
    }
    assert "<td>compatibility</td>" in found._repr_html_()


def test_names_that_latex_or_a_spreadsheet_would_read_are_written_as_they_are_meant():
    found = prefir.evaluate({"t": {"a": 1}}, {"=a_1&b": {"t": ["a"]}}, "rr")
    assert r"=a\_1\&b & 1.0000" in found.to_latex()
    assert "\n'=a_1&b,rr,1.0,,,1,," in found.to_csv()


def test_functions_of_comparison_take_the_scores():
    found = prefir.evaluate(GRADES, RUNS, "ndcg")["ndcg"]
    assert sensitivity(found).share == sensitivity(found.values).share
    values = np.asarray(found)
    assert compare_runs(values[:, 0], values[:, 1]).difference == pytest.approx(
        found.means["one"] - found.means["two"]
    )


@pytest.mark.parametrize(
    ("judged", "runs", "measures", "said"),
    [
        (GRADES, RUNS, ["ndgc"], "there is no measure 'ndgc' of runs; did you mean ndcg. There are"),
        (GRADES, RUNS, ["ndcg(k=x)"], "'x' is not a whole number"),
        (GRADES, RUNS, ["ndcg(depth=3)"], "the options of ndcg are k, gain, once each"),
        (GRADES, RUNS, ["pgc(normalize=2)"], "'2' is neither true nor false"),
        (PAIRS, RUNS, ["ndcg"], "ndcg takes grades, and these are preferences; pgc takes them"),
        (GRADES, {"x": {"t9": ["a"]}}, [], "x has no topic that is judged"),
        (GRADES, {}, [], "there is no run"),
        (GRADES, [RUNS["one"], RUNS["two"]], [], "the run 'run' is there already"),
        (GRADES, RUNS, 7, "a measure is a name, such as 'nDCG@10', no int"),
        (GRADES, RUNS, ["ndcg", None], "a measure is a name, such as 'nDCG@10', no NoneType"),
        (GRADES, RUNS, ["p@0.1"], "write a whole number after @"),
        (GRADES, 7, [], "runs are files, frames, dictionaries or a list of these, no int"),
        (7, RUNS, [], "grades or preferences are a file, a frame or a dictionary, no int"),
        (prefir.Runs(RUNS), RUNS, [], "grades or preferences come first, then runs"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(judged, runs, measures, said):
    with pytest.raises((ValueError, TypeError), match=said):
        prefir.evaluate(judged, runs, measures)


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("nDCG@10", "ndcg@10"),
        ("NDCG(cutoff=10)", "ndcg@10"),
        ("ndcg@10(gain=exponential)", "ndcg(gain=exponential)@10"),
        ("P(rel=2)@5", "p(relevant=2.0)@5"),
        ("MAP", "ap"),
        ("MRR", "rr"),
        ("Compat(p=0.95)", "compatibility"),
        ("R@100", "recall@100"),
        ("SetR", "recall"),
        ("Rprec", "r_precision"),
        ("infAP", "inferred_ap"),
        ("SetP", "set_precision"),
        ("SetF(beta=4.0)", "set_f(beta=2.0)"),
        ("IPrec@0.1", "interpolated_precision(recall=0.1)"),
        ("recip_rank", "rr"),
        ("P_10", "p@10"),
        ("P.5", "p@5"),
        ("ndcg_cut_10", "ndcg@10"),
        ("recall_100", "recall@100"),
        ("set_P", "set_precision"),
        ("set_recall", "recall"),
        ("iprec_at_recall_0.10", "interpolated_precision(recall=0.1)"),
        ("hit_rate@5", "success@5"),
        ("pgc(p=0.8, normalize=False)", "pgc(p=0.8,normalize=False)"),
    ],
)
def test_a_score_keeps_its_options_in_its_name(written, label):
    judged = {t: PreferenceGraph.derived(g) for t, g in GRADES.items()} if "pgc" in label else GRADES
    assert score(written, judged, Rankings(RUNS)).measure == label
    assert score(label, judged, Rankings(RUNS)).measure == label


def test_names_of_trec_eval_give_its_values():
    import pytrec_eval

    asked = "recip_rank P ndcg_cut recall map map_cut set_P set_recall set_F infAP iprec_at_recall Rprec"
    own = scored(RUNS["two"])
    theirs = pytrec_eval.RelevanceEvaluator(GRADES, set(asked.split())).evaluate(own)
    names = [name for name in theirs["t1"] if not name.endswith(("000", "200", "500"))]
    for name in names:
        found = prefir.evaluate(GRADES, own, name).per_topic().to_dicts()
        expected = [theirs[topic][name] for topic in GRADES]
        assert [row["value"] for row in found] == pytest.approx(expected, abs=1e-9), name


def test_measures_of_ir_measures_give_its_values():
    import ir_measures
    from ir_measures import AP, RR, IPrec, P, R, Rprec, SetF, SetP, infAP, nDCG

    asked = [nDCG @ 10, AP, RR, P(rel=2) @ 2, R @ 2, Rprec, infAP, SetP, SetF(beta=4.0), IPrec @ 0.1]
    theirs = ir_measures.calc_aggregate(asked, GRADES, scored(RUNS["two"]))
    for measure in asked:
        found = prefir.evaluate(GRADES, {"two": RUNS["two"]}, measure)
        assert found[measure].means["two"] == pytest.approx(theirs[measure], abs=1e-9), measure
    assert len(prefir.evaluate(GRADES, RUNS, asked)) == 2 * len(asked)


@pytest.mark.parametrize(
    "names", ["AP,MAP", "RR,MRR", "ndcg@10,nDCG@10", "P(rel=1)@5,P@5", "PGC(p=0.95),PGC"]
)
def test_two_spellings_of_a_measure_give_it_once(folder, names, capsys):
    from prefir.cli.program import main

    once = prefir.evaluate(GRADES, RUNS, names.split(",")[0])
    assert prefir.evaluate(GRADES, RUNS, names.split(",")).rows == once.rows
    words = [str(folder / "qrels"), str(folder / "one"), str(folder / "two")]
    assert main(["evaluate", *words, "-m", names]) == 0
    assert capsys.readouterr().out == f"{once}\n"
    assert main(["sensitivity", *words, "-m", names]) == 0


def test_measures_may_be_asked_for_one_by_one(folder, capsys):
    from prefir.cli.program import main

    words = ["evaluate", str(folder / "qrels"), str(folder / "one"), str(folder / "two")]
    assert main([*words, "-m", "nDCG@10", "-m", "AP"]) == 0
    assert capsys.readouterr().out == f"{prefir.evaluate(GRADES, RUNS, ['nDCG@10', 'AP'])}\n"


def test_runs_of_one_tag_are_told_apart_by_their_paths(folder):
    (folder / "two").write_text(text(RUNS["two"], "one"))
    found = prefir.evaluate(GRADES, [str(folder / "one"), str(folder / "two")], "AP")
    assert found["AP"].runs == (str(folder / "one"), str(folder / "two"))
    with pytest.raises(KeyError, match="there are no values of p@5; there are those of ap"):
        found["P@5"]


def test_the_command_writes_the_same_table(folder, capsys, monkeypatch):
    from prefir.cli.program import main

    monkeypatch.chdir(folder)
    words = "evaluate qrels one two -m nDCG@2,PGC(p=0.9,depth=10),Compat"
    found = prefir.evaluate(GRADES, RUNS, ["nDCG@2", "PGC(p=0.9,depth=10)", "Compat"])
    for form, written in (("text", str(found) + "\n"), ("csv", found.to_csv()), ("json", found.to_json())):
        assert main([*words.split(), "--format", form]) == 0
        assert capsys.readouterr().out == written
    assert main([*words.split(), "--per-topic", "--format", "latex"]) == 0
    assert capsys.readouterr().out == found.per_topic().to_latex()
    assert main(["evaluate", "prefs", "one", "-m", "ndcg"]) == 2
    assert "these are preferences" in capsys.readouterr().err


def test_differences_are_those_of_the_paired_tests_corrected_for_all_pairs(folder, capsys):
    three = {**RUNS, "three": {"t1": ["a", "d", "b"], "t2": ["e", "a"], "t3": ["x", "a"]}}
    found = prefir.evaluate(GRADES, three, ["nDCG", "AP"], level=0.9, weights={"t1": 2.0})
    rows = found.compare().to_dicts()
    assert [(row["run"], row["other"]) for row in rows[:3]] == [
        ("one", "two"), ("one", "three"), ("two", "three"),
    ]  # fmt: skip
    for row in rows:
        scores = found[row["measure"]]
        own = [scores.values[:, scores.runs.index(row[name])] for name in ("run", "other")]
        plain = compare_runs(*own, level=0.9, weights=[2.0, 1.0, 1.0])
        assert (row["difference"], row["low"], row["t_p"]) == (plain.difference, plain.low, plain.t_p)
        assert (row["wins"], row["ties"], row["losses"]) == (plain.wins, plain.ties, plain.losses)
    # By hand: the least p of three counts three times, the next twice, and none is below an earlier one.
    small, middle, large = sorted(row["t_p"] for row in rows if row["measure"] == "ap")
    steps = np.minimum(np.maximum.accumulate([3 * small, 2 * middle, large]), 1)
    assert sorted(row["holm_p"] for row in rows if row["measure"] == "ap") == pytest.approx(list(steps))
    # To a baseline there are two comparisons, so that the correction is for two.
    against = prefir.evaluate(folder / "qrels", three, "AP").compare("two").to_dicts()
    assert [(row["run"], row["other"]) for row in against] == [("one", "two"), ("three", "two")]
    assert min(row["holm_p"] for row in against) == min(1, 2 * min(row["t_p"] for row in against))
    words = ["compare", str(folder / "qrels"), str(folder / "one"), str(folder / "two"), "-m", "AP", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == prefir.evaluate(folder / "qrels", RUNS, "AP").compare().to_dicts()
