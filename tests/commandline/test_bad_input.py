"""Bad input: exit code 2, a sentence that names the offender, no traceback and no line of output."""

import os
import subprocess
import sys

import pytest

from tests.ground import ROOT

from .conftest import QRELS

CASES = [
    ("", "usage: prefir COMMAND"),
    ("compat qrels one", "there is no command 'compat'; did you mean compatibility?"),
    ("zzz", "there is no command 'zzz'; there are evaluate, compare, rank, compatibility,"),
    ("med", "usage: prefir med COMMAND"),
    ("med foo one two", "prefir med: there is no command 'foo'; there are precision, rbp,"),
    ("ndcg qrels", "the following arguments are required: RUN"),
    ("ndcg qrels one --deep", "unrecognized arguments: --deep"),
    ("ndcg qrels none", "none: cannot be read: No such file or directory"),
    ("ndcg none one", "none: cannot be read: No such file or directory"),
    ("ndcg qrels .", ".: cannot be read: Is a directory"),
    ("ndcg one qrels", "one, line 1: 6 fields where 4 are expected: topic 0 docno grade"),
    ("ndcg qrels prefs", "prefs, line 1: 4 fields where 6 are expected"),
    ("ndcg qrels one one", "the run one is given twice"),
    ("ndcg twice one", 'twice, line 2: docno "a" of topic "t1" was already graded on line 1'),
    ("ndcg other one", "one and other have no topic in common"),
    ("ndcg empty one", "empty: the file is empty"),
    ("ndcg qrels one -k 0", "k is 0; it must be a whole number of at least 1"),
    ("ndcg qrels one -k two", "argument -k: 'two' is not a whole number"),
    ("ndcg qrels one --gain cubic", "argument --gain: invalid choice: 'cubic'"),
    ("ndcg qrels one --ties none", "argument --ties: invalid choice: 'none'"),
    ("compatibility qrels one -p 1", "p is 1.0; the persistence must lie between 0 and 1"),
    ("compatibility none one -p 1", "p is 1.0"),
    ("compatibility qrels one -p nan", "p is nan"),
    ("compatibility qrels one --depth 0", "depth is 0; it must be at least 1"),
    ("rbp qrels one --relevant 0", "relevant is 0.0; it must be above 0"),
    ("err qrels one --max-grade 2", "topic t1: the grade of a is 3.0, above --max-grade 2.0"),
    ("pgc prefs", "give a file of preferences and at least one run"),
    ("pgc prefs one --without-zero", "--without-zero goes with --from-qrels"),
    ("pgc qrels one", "qrels: these are grades; write --from-qrels qrels"),
    ("pgc pairs one", "pairs, line 2: 4 fields where 3 are expected: topic preferred other"),
    ("pgc same one", 'same, line 1: docno "a" is compared with itself'),
    ("pgc prefs one -p 0", "p is 0.0"),
    ("ppref prefs one -k -1", "k is -1"),
    ("med rbp one", "the following arguments are required: RUN2"),
    ("med rbp one two --psi 1", "psi is 1.0"),
    ("med precision one two -k 0", "k is 0; it must be at least 1"),
    ("med precision one two --psi .5", "unrecognized arguments: --psi"),
    ("med map one two --relevant some", "relevant is 'some'"),
    ("med ndcg one two --qrels other", "other has none of the runs' topics"),
    ("med ndcg one alien", "one|alien: the runs have no topic in common"),
    ("hoeffding one two -q -1", "prefir hoeffding: q is -1.0"),
    ("hoeffding one two -n 2", "topic t1: n is 2; the lists hold 5 items"),
    ("hoeffding one two -k 0", "depth is 0"),
    ("hoeffding one two --floor 1", "floor is 1.0; it must be at least 0 and below 1"),
    ("hoeffding one two --top 0", "--top is 0; it must be at least 1"),
    ("hoeffding one two --topic-weights other", "other, line 1: 4 fields where 2 are expected: topic weight"),
    ("hoeffding one two --topic-weights heavy", "heavy has no weight of at least 0 for topic t2"),
    ("med u one two", "the following arguments are required: --lengths"),
    ("med u one two --lengths heavy", "topic t1: the length of 'b' is None"),
    ("med ndcg one two --shares 50", "--shares goes with --qrels"),
    ("med ndcg one two --qrels qrels --shares 101", "'101' is not a list of percentages"),
    ("overlap one two -k 0", "depth is 0; it must be at least 1"),
    ("overlap one two -p 1", "p is 1.0"),
    ("compatibility qrels one --top 0", "k is 0; it must be at least 1"),
    ("rbp qrels one --max-grade 2", "topic t1: the grade of a is 3.0, above --max-grade 2.0"),
    ("rbp qrels one --max-grade 0", "max_grade is 0.0; it must be a number above 0"),
    ("tops qrels other", "have no topic with a best item in common"),
    ("tops qrels qrels -k 0", "k is 0"),
    ("strength other prefs", "other has no grades of two items of a pair of prefs"),
    ("strength qrels prefs --intervals 0", "--intervals is 0"),
    ("strength qrels prefs --intervals 3 --highest 2", "a grade is not between 0 and 2"),
    ("pages pages qrels one two", "pages names none of the runs one, two"),
    ("distances one", "there is nothing to compare"),
    ("distances one two --distance ndcg", "there is no distance 'ndcg'; there are rbo,"),
    ("distances one two --distance rbo@x", "'rbo@x' is no distance"),
    ("distances one two --distance rbo@0", "k is 0; it must be at least 1"),
    ("distances one two --families kin", "--families goes with -o"),
    ("distances one two --families kin -o a.svg", "kin has no family of the run two"),
    ("distances one two --distance rbo -o a.svg", "-o takes the name of an .svg file, and two distances"),
    ("violations", "the following arguments are required: PREFS"),
    ("map one -o map.svg", "a map needs two runs or more"),
    ("map one two", "the following arguments are required: -o/--output"),
    ("map one two -o none/map.svg", "none/map.svg cannot be written: there is no such folder"),
    ("map one two -o .", ".: Is a directory"),
    ("map one two alien -o map.svg", "there is no topic that all the runs have"),
    ("map one two -o map.svg --seed -1", "seed is -1"),
    ("map one two -o map.svg --families heavy", "heavy, line 1: 2 fields where 3 are expected: run family"),
    ("map one two -o map.svg --families kin", "kin has no family of the run two"),
    ("agreement", "the following arguments are required: PREFS"),
    ("agreement one", "one: this is a run, no preferences"),
    ("sensitivity qrels one", "give two runs or more"),
    (
        "sensitivity qrels one two --measure rbo",
        "there is no measure 'rbo' of runs; did you mean rbp? There are compatibility,",
    ),
    ("evaluate qrels one -m ndcg@10 AP", "AP is a measure: -m ndcg@10,AP"),
    ("evaluate qrels one nDCG@10", "nDCG@10 is a measure: -m nDCG@10"),
    ("sensitivity qrels one two AP P@5", "AP, P@5 are measures: -m AP,P@5"),
    ("sensitivity qrels one two --measure ndcg@x", "'ndcg@x' is no measure"),
    ("sensitivity qrels one two --measure compatibility@3", "'compatibility@3' is no measure"),
    ("sensitivity qrels one two --measure ndcg@0", "k is 0"),
    ("sensitivity qrels one two --level 1", "the level is 1.0"),
    ("plan qrels -k 0", "'0' is not a list of whole numbers above 0"),
    ("plan qrels -k 3,,5", "'3,,5' is not a list of whole numbers"),
    ("plan qrels --pairings 0", "pairings is 0; it must be at least 1"),
    ("plan qrels --noise 2", "the noise is 2.0; it must lie between 0 and 1"),
    ("images none", "none is no folder"),
    ("images .", "has no Image_position.json; it must have Image_position.json, image_pairs_annotation,"),
    ("images . --gamma 2", "gamma is 2.0; it must lie between 0 and 1"),
    ("images . -p 1", "p is 1.0"),
]


@pytest.mark.parametrize(("words", "said"), CASES, ids=[words or "nothing" for words, _ in CASES])
def test_bad_input_ends_with_two_and_a_sentence(folder, call, words, said):
    (folder / "twice").write_text("t1 0 a 1\nt1 0 a 2\n")
    (folder / "other").write_text("t7 0 a 1\n")
    (folder / "empty").write_text("")
    (folder / "pages").write_text("t1 alien other other\n")
    (folder / "kin").write_text("one first plain\n")
    (folder / "heavy").write_text("t1 2\n")
    (folder / "pairs").write_text("t1 a b\nt1 a b a\n")
    (folder / "same").write_text("t1 a a\n")
    (folder / "alien").write_text("t7 Q0 a 1 1 alien\n")
    result = call(words)
    assert result.code == 2
    assert result.out == ""
    assert said in result.err
    assert "Traceback" not in result.err


def test_each_bad_line_is_named_up_to_ten(folder, call):
    (folder / "qrels").write_text("t1 0 a x\n" * 12)
    assert call("ap qrels one").err.splitlines() == [
        *(f'qrels, line {line}: the grade "x" is not a finite number' for line in range(1, 11)),
        "qrels: 2 more lines cannot be read",
    ]


def test_a_failing_command_prints_no_line_of_what_it_had(folder, call):
    """A bad second run is found before the first one's values are written."""
    (folder / "two").write_text("t1 Q0 a 1 high two\n")
    result = call("ap qrels one two --per-topic")
    assert (result.code, result.out) == (2, "")


def program(words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "prefir", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
        text=True,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.slow
@pytest.mark.parametrize("topics", [3, 2_000], ids=["less than a buffer", "more than a buffer"])
def test_a_reader_that_stops_early_is_no_error(folder, topics):
    (folder / "qrels").write_text("".join(f"q{number} 0 a 1\n" for number in range(topics)))
    (folder / "run").write_text("".join(f"q{number} Q0 a 1 1 x\n" for number in range(topics)))
    reader, writer = os.pipe()
    os.close(reader)
    process = program(["p", "qrels", "run", "--per-topic"], cwd=folder, stdout=writer)
    os.close(writer)
    said = process.communicate()[1]
    assert "Error" not in said, said  # a bar may be there, where a busy machine takes a second
    assert process.returncode == 0


@pytest.mark.slow
def test_the_program_ends_with_the_code_that_main_gives(folder):
    (folder / "qrels").write_text(QRELS)
    process = program(["ndcg", "qrels", "none"], cwd=folder, stdout=subprocess.PIPE)
    out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err == "none: cannot be read: No such file or directory\n"
