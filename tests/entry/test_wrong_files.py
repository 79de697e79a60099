"""Files, frames and arguments of another kind than is wanted: sentences that say what is wanted."""

import numpy as np
import pandas
import pytest

import prefir
from prefir.cli.program import main
from prefir.measures import (
    compare_runs,
    compare_to_baseline,
    fleiss_kappa,
    kendall_tau_b,
    krippendorff_alpha,
    raw_agreement,
)

FILES = {
    "wrong": "model_a,model_b,winer\ng,c,model_a\n",
    "headless": "g,c,model_a\nc,g,model_b\n",
    "votes": "model_a,model_b,winner\ng,c,model_a\n",
    "qrels": "t1 0 a 1\nt1 0 b 0\n",
    "both": "t1 Q0 a 1 2 one\nt1 Q0 b 1 2 two\n",
    "run": "t1 Q0 a 1 2 run\n",
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("rank wrong", "has model_a, model_b, winer; it must name columns: votes have model_a, model_b and"),
        ("rank headless", "its first line has g, c, model_a; it must name columns: votes have model_a"),
        ("agreement votes", "votes that name no topic, as prefir rank takes them"),
        ("agreement qrels", "qrels: these are grades, no preferences"),
        ("rank run", "run: this is a run, no preferences"),
        ("agreement run", "run: this is a run, no preferences"),
        ("rank qrels", "qrels: these are grades, no preferences"),
        ("compare qrels run", "two runs are compared or more, and there is 1"),
        ("compare qrels both --baseline three", "there is no run 'three'; there are one, two"),
        ("pgc qrels run", "qrels: these are grades; write --from-qrels qrels"),
        ("rbo both run", "both: it holds 2 runs, one and two among them; one is wanted"),
        ("overlap both run", "both: it holds 2 runs, one and two among them; one is wanted"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_one_line(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert main(words.split()) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_docnos_that_are_numbers_are_no_grades(tmp_path):
    (tmp_path / "prefs").write_text("t1 12 13 12\nt1 14 13 13\n")
    assert main(["agreement", str(tmp_path / "prefs")]) == 0


def test_a_frame_without_the_columns_says_which_are_wanted():
    frame = pandas.DataFrame({"model_a": ["g"], "model_b": ["c"], "winer": ["g"]})
    with pytest.raises(ValueError, match="holds no votes; votes have model_a, model_b and winner"):
        prefir.rank(frame)
    with pytest.raises(ValueError, match="holds no grades, run or votes: grades have topic, docno and grade"):
        prefir.read(frame)


@pytest.mark.parametrize("statistic", [krippendorff_alpha, raw_agreement])
def test_a_frame_of_labels_has_a_row_for_each_unit(statistic):
    rows = [[1, 1, 2], [2, 2, None], [1, 2, 1], [3, 3, 3]]
    expected = statistic(rows)
    assert statistic(pandas.DataFrame(rows, columns=["ann", "bob", "cy"])) == expected
    assert statistic(pandas.DataFrame(rows, columns=["ann", "bob", "cy"], dtype="Int64")) == expected
    assert statistic(np.array(rows, dtype=float)) == expected


@pytest.mark.parametrize("statistic", [krippendorff_alpha, raw_agreement, fleiss_kappa])
@pytest.mark.parametrize(
    ("units", "said"),
    [
        ("labels.csv", "units are a table with a row of labels for each, no str"),
        (["ab", "ba"], "unit 0 is 'ab'; a unit is a row of the labels"),
        ([1, 2], "unit 0 is 1; a unit is a row of the labels"),
        ({"ann": [1, 2], "bob": [1, 1]}, "a dictionary of units is unit -> assessor -> label"),
    ],
)
def test_what_holds_no_units_is_refused(statistic, units, said):
    with pytest.raises(TypeError, match=said):
        statistic(units)


def test_runs_are_compared_by_their_names():
    grades = {"t1": {"a": 1}, "t2": {"b": 1}, "t3": {"c": 1}}
    runs = {"one": {"t1": ["a"], "t2": ["x", "b"]}, "two": {"t1": ["x", "a"], "t2": ["b"], "t3": ["x", "c"]}}
    found = prefir.evaluate(grades, runs, "RR", present_only=True)["RR"]
    assert compare_runs(found.of("two"), found.of("one")) == compare_runs(*found.values.T[::-1])
    by_name, by_column = compare_to_baseline(found, "two"), compare_to_baseline(found, 1)
    assert by_name.p_values.tolist()[0] == by_column.p_values.tolist()[0]
    with pytest.raises(ValueError, match="there is no run 'bm25'; there are one, two"):
        compare_to_baseline(found, "bm25")
    with pytest.raises(ValueError, match="values are no Scores, so give its column"):
        compare_to_baseline(found.values, "two")
    with pytest.raises(ValueError, match="there is no run 'bm25'; there are one, two"):
        found.of("bm25")
    with pytest.raises(TypeError, match="two arrays, or two dictionaries"):
        compare_runs(found.of("two"), found.values[:, 0])
    with pytest.raises(TypeError, match="two sequences in one order of items"):
        kendall_tau_b(found.means, found.means)
    with pytest.raises(ValueError, match="there is no system 'foo'; there are c, g"):
        prefir.rank([("g", "c", "g"), ("c", "g", "c")]).chance("g", "foo")


def test_help_begins_with_the_commands_that_most_want(capsys):
    main(["-h"])
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert listed[:3] == ["evaluate", "compare", "rank"]
