"""Commands that score runs: their values, their lines, and what they leave out."""

import gzip
import json
import random
from math import isnan
from statistics import mean

import pytest

from prefir.measures import MEASURES, Inputs, PreferenceGraph, compatibility, delta_ndcg, pgc, rbo

from .conftest import QRELS, RUNS, trec

GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}}
GRAPHS = {
    "t1": PreferenceGraph([("a", "b"), ("b", "a"), ("b", "c"), ("d", "a")]),
    "t2": PreferenceGraph([("e", "a"), ("e", "a")], ties=[("a", "b")]),
}
OF_RUNS = [measure for measure in MEASURES.values() if measure.rows]


@pytest.mark.parametrize("measure", OF_RUNS, ids=lambda measure: measure.name)
def test_each_measure_has_a_command_that_gives_its_values(values, measure):
    """Expected: the measure by docno, topic by topic; ERR's highest grade is the track's."""
    graphs = measure.inputs is Inputs.GRAPH
    found = values(f"{measure.name} {'prefs' if graphs else 'qrels'} one two --per-topic")
    name = f"{measure.name}@10" if measure.name in ("p", "success", "judged") else measure.name
    options = {"max_grade": 3} if measure.name == "err" else {}
    for run, rankings in RUNS.items():
        expected = {
            topic: measure.of(ranking, (GRAPHS if graphs else GRADES)[topic], **options)
            for topic, ranking in rankings.items()
        }
        # What is absent has no line.
        present = {topic: value for topic, value in expected.items() if not isnan(value)}
        lines = present | {"all": mean(present.values())} if present else {}
        own = {topic: value for (named, topic, _), value in found.items() if named == run}
        assert own == pytest.approx(lines, abs=1e-12)
    assert {called for _, _, called in found} == {name}


@pytest.mark.parametrize("measure", OF_RUNS, ids=lambda measure: measure.name)
def test_each_command_has_help_with_an_example(call, measure):
    result = call(f"{measure.name} -h")
    assert result.code == 0
    assert f"example:\n  prefir {measure.name} " in result.out


@pytest.mark.parametrize(
    ("words", "label", "value"),
    [
        (
            "compatibility -p .8 --depth 5",
            "compatibility(p=0.8,depth=5)",
            lambda r, g: compatibility(r, g, p=0.8, depth=5),
        ),
        (
            "compatibility --no-normalize",
            "compatibility(nrbo=False)",
            lambda r, g: compatibility(r, g, nrbo=False),
        ),
        (
            "compatibility --truncated",
            "compatibility(normalize=False,nrbo=False)",
            lambda r, g: compatibility(r, g, nrbo=False, normalize=False),
        ),
        (
            "ndcg -k 2 --gain exponential",
            "ndcg(gain=exponential)@2",
            lambda r, g: MEASURES["ndcg"].of(r, g, k=2, gain="exponential"),
        ),
        ("err --max-grade 4", "err(max_grade=4.0)", lambda r, g: MEASURES["err"].of(r, g, max_grade=4)),
        (
            "rbp -p .5 --relevant 2",
            "rbp(p=0.5,relevant=2.0)",
            lambda r, g: MEASURES["rbp"].of(r, g, p=0.5, relevant=2),
        ),
        ("ap --relevant 2 -k 3", "ap(relevant=2.0)@3", lambda r, g: MEASURES["ap"].of(r, g, k=3, relevant=2)),
        ("p -k 2", "p@2", lambda r, g: MEASURES["p"].of(r, g, k=2)),
    ],
)
def test_options_reach_the_measure(values, words, label, value):
    found = values(f"{words} qrels one --per-topic")
    for topic in ("t1", "t2"):
        assert found["one", topic, label] == pytest.approx(
            value(RUNS["one"][topic], GRADES[topic]), abs=1e-12
        )


def test_measures_of_grades_take_gains_from_preferences(values, folder, call):
    (folder / "prefs2").write_text("t1 a b a\nt1 a c a\nt1 b c b\nt2 a b a\nt2 a b b\n")
    graph = PreferenceGraph([("a", "b"), ("a", "c"), ("b", "c")])
    run = RUNS["one"]["t1"]
    found = values("ndcg --deltas prefs2 one -k 3 --per-topic")
    assert found["one", "t1", "delta(ndcg@3)"] == delta_ndcg(run, graph, k=3)
    found = values("rbp --deltas prefs2 one --max-grade 1 --per-topic")
    gains = {"a": 1, "b": 0.5, "c": 0}
    (value,) = {value for (_, topic, _), value in found.items() if topic == "t1"}
    assert value == MEASURES["rbp"].of(run, gains, max_grade=1)
    assert "left out 1 of 2 topics, in which no item has a gain" in call("ndcg --deltas prefs2 one").err


def test_pgc_without_normalisation_is_truncated(values):
    found = values("pgc prefs one --no-normalize -p .9 --depth 4 --per-topic")
    expected = pgc(RUNS["one"]["t1"], GRAPHS["t1"], p=0.9, depth=4, normalize=False)
    assert found["one", "t1", "pgc(p=0.9,depth=4,normalize=False)"] == pytest.approx(expected, abs=1e-12)


def test_preferences_from_grades_are_all_pairs_of_different_grades_and_zero_is_a_grade(values):
    found = values("pgc --from-qrels qrels one two --per-topic")
    graph = PreferenceGraph([("a", "d"), ("a", "b"), ("a", "c"), ("d", "b"), ("d", "c"), ("b", "c")])
    for run in RUNS:
        assert found[run, "t1", "pgc"] == pytest.approx(pgc(RUNS[run]["t1"], graph), abs=1e-12)


def test_pgc_of_grades_without_zero_prints_what_compatibility_prints_without_nrbo(folder, call):
    """Luo's thesis: the two are equal; here to the last digit, ties, absences and empty topics included."""
    random.seed(5)
    docnos = [f"d{number}" for number in range(40)]
    qrels, runs = "", {"r1": {}, "r2": {}}
    for topic in range(30):
        judged = random.sample(docnos, random.randrange(1, 25))
        qrels += "".join(f"q{topic} 0 {docno} {random.randrange(-1, 4)}\n" for docno in judged)
        for run in runs.values():
            run[f"q{topic}"] = random.sample(docnos, random.randrange(1, 40))
    (folder / "qrels").write_text(qrels)
    for tag, rankings in runs.items():
        (folder / tag).write_text(trec(rankings, tag))
    for options in ("", "-p .8", "--depth 10"):
        by_grades = call(f"compatibility qrels r1 r2 --no-normalize --per-topic {options}")
        by_graph = call(f"pgc --from-qrels qrels --without-zero r1 r2 --per-topic {options}")
        assert [line.value for line in by_graph.lines] == [line.value for line in by_grades.lines]
        assert len(by_grades.lines) > 50


def test_only_means_are_printed_unless_topics_are_asked_for(values):
    assert list(values("ap qrels one two")) == [("one", "all", "ap"), ("two", "all", "ap")]


def test_topics_come_in_file_order_and_their_mean_last(values):
    assert [topic for _, topic, _ in values("ap qrels one --per-topic")] == ["t1", "t2", "all"]


def test_reading_a_printed_value_gives_the_same_float(folder, call):
    (line,) = call("compatibility qrels one").out.splitlines()
    expected = [compatibility(RUNS["one"][topic], GRADES[topic]) for topic in GRADES]
    assert line.split("\t")[3] == repr(mean(expected))


def test_json_is_one_list_of_objects(folder, call):
    found = json.loads(call("p qrels one two -k 1 --json").out)
    assert found == [
        {"run": "one", "topic": "all", "measure": "p@1", "value": 1.0},
        {"run": "two", "topic": "all", "measure": "p@1", "value": 0.0},
    ]


def test_a_value_that_is_absent_is_nan_in_lines_and_null_in_json(folder, call):
    (folder / "qrels").write_text("t1 0 a 0\nt2 0 a 0\n")
    result = call("compatibility qrels one")
    assert result.out == "one\tall\tcompatibility\tnan\n"
    assert "2 of 2 topics have no value" in result.err
    assert json.loads(call("compatibility qrels one --json").out)[0]["value"] is None


def test_topics_without_a_value_are_out_of_the_mean(folder, call):
    """Nothing above grade 0: the authors' compatibility.py leaves such a topic out as well."""
    (folder / "qrels").write_text("t1 0 a 0\nt2 0 e 2\n")
    result = call("compatibility qrels one --per-topic")
    assert [line.topic for line in result.lines] == ["t2", "all"]
    assert result.lines[0].value == result.lines[1].value
    assert result.err == (
        "compatibility: 1 of 2 topics have no value, as nothing in them is graded above 0\n"
    )


def test_trec_measures_take_a_topic_without_relevant_items_as_zero(values, folder):
    (folder / "qrels").write_text("t1 0 a 0\nt2 0 a 1\n")
    assert values("ap qrels one")["one", "all", "ap"] == 0.5


def test_topics_of_one_side_only_are_said(folder, call):
    (folder / "qrels").write_text(QRELS + "t3 0 a 1\n")
    (folder / "two").write_text(trec({"t1": ["a"], "t8": ["a"], "t9": ["a"]}, "two"))
    result = call("ap qrels one two --per-topic --present-only")
    assert result.code == 0
    assert [line.topic for line in result.lines] == ["t1", "t2", "all", "t1", "all"]
    assert result.err.splitlines() == [
        "one: left out 1 topic only in qrels",
        "two: left out 2 topics only in qrels and 2 topics only in the run",
    ]
    result = call("ap qrels one two --per-topic")
    assert [line.topic for line in result.lines] == 2 * ["t1", "t2", "t3", "all"]
    assert result.err.splitlines() == [
        "one: scored as empty 1 topic only in qrels",
        "two: scored as empty 2 topics only in qrels; left out 2 topics only in the run",
    ]


def test_runs_with_the_same_tag_are_named_by_their_paths(values, folder):
    (folder / "other").write_text(trec(RUNS["two"], "one"))
    (folder / "third").write_text(trec(RUNS["two"], "neural"))
    assert [run for run, _, _ in values("ap qrels one other third")] == ["one", "other", "neural"]
    (folder / "one.gz").write_bytes(gzip.compress((folder / "one").read_bytes()))
    assert [run for run, _, _ in values("ap qrels ./one one.gz two")] == ["./one", "one.gz", "two"]


def test_runs_are_named_by_paths_where_a_tag_is_another_runs_path(values, folder):
    (folder / "first").write_text(trec(RUNS["one"], "second"))
    (folder / "second").write_text(trec(RUNS["one"], "same"))
    (folder / "third").write_text(trec(RUNS["one"], "same"))
    assert [run for run, _, _ in values("ap qrels first second third")] == ["first", "second", "third"]


def test_gzipped_files_are_read_as_they_are(folder, call):
    for name in ("qrels", "one"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    assert call("ndcg qrels.gz one.gz").out == call("ndcg qrels one").out != ""


@pytest.mark.parametrize(
    ("ties", "best"), [("", "c"), ("--ties descending", "c"), ("--ties ascending", "a"), ("--ties rank", "b")]
)
def test_equal_scores_go_by_the_rule_asked_for(values, folder, ties, best):
    (folder / "run").write_text("t1 Q0 c 3 1 x\nt1 Q0 a 2 1 x\nt1 Q0 b 1 1 x\n")
    (folder / "qrels").write_text(f"t1 0 {best} 1\n")
    assert values(f"rr qrels run {ties}")["x", "all", "rr"] == 1


def test_preferences_may_be_pairs_of_the_preferred_item_and_the_other(values, folder):
    (folder / "pairs").write_text("t1 a b\nt1 b a\nt1 b c\nt1 d a\nt2 e a\nt2 e a\n")
    found = values("pgc pairs one --per-topic")
    assert found["one", "t1", "pgc"] == values("pgc prefs one --per-topic")["one", "t1", "pgc"]


def test_options_may_stand_anywhere(folder, call):
    assert call("ndcg -k 2 qrels one --gain exponential two").out == (
        call("ndcg qrels one two --gain exponential -k 2").out
    )


def test_a_perfect_run_has_compatibility_one_with_and_below_one_without_nrbo(values, folder):
    (folder / "best").write_text(trec({"t1": ["a", "d", "b"], "t2": ["e", "a"]}, "best"))
    assert values("compatibility qrels best")["best", "all", "compatibility"] == 1
    found = values("compatibility qrels best --no-normalize --per-topic")
    assert found["best", "t2", "compatibility(nrbo=False)"] == pytest.approx(
        rbo(["e", "a"], ["e", "a"]), abs=1e-15
    )


@pytest.mark.parametrize("measure", OF_RUNS, ids=lambda measure: measure.name)
def test_a_topic_that_a_run_lacks_is_an_empty_ranking(values, folder, measure):
    """Expected: the measure of an empty ranking by docno, which is 0 or absent, in the mean too."""
    (folder / "half").write_text(trec({"t1": RUNS["one"]["t1"]}, "half"))
    graphs = measure.inputs is Inputs.GRAPH
    found = values(f"{measure.name} {'prefs' if graphs else 'qrels'} half --per-topic")
    judged = GRAPHS if graphs else GRADES
    options = {"max_grade": 3} if measure.name == "err" else {}
    expected = [
        measure.of(RUNS["one"]["t1"], judged["t1"], **options),
        measure.of([], judged["t2"], **options),
    ]
    present = [value for value in expected if not isnan(value)]
    means = [value for (_, topic, _), value in found.items() if topic == "all"]
    assert means == pytest.approx([mean(present)] if present else [], abs=1e-12)


def test_a_run_that_skips_topics_gains_nothing(values, call, folder):
    """nDCG of one of two topics is halved, as trec_eval -c has it; the note says so."""
    (folder / "half").write_text(trec({"t1": RUNS["one"]["t1"]}, "half"))
    whole, present = (values(f"ndcg qrels half {option}") for option in ("", "--present-only"))
    assert whole["half", "all", "ndcg"] == present["half", "all", "ndcg"] / 2
    for command in ("ndcg qrels half", "sensitivity qrels half one --measure ndcg"):
        assert call(command).err.startswith("half: scored as empty 1 topic")
        assert call(f"{command} --present-only").err.startswith("half: left out 1 topic")


@pytest.mark.parametrize("measure", OF_RUNS, ids=lambda measure: measure.name)
def test_ceilings_are_printed_beside_the_runs(values, measure):
    """None of them is below a run; without the option the lines are the same but for theirs."""
    judged = "prefs" if measure.inputs is Inputs.GRAPH else "qrels"
    with_them = values(f"{measure.name} {judged} one two --per-topic --ceilings")
    bare = values(f"{measure.name} {judged} one two --per-topic")
    most = {topic: value for (run, topic, _), value in with_them.items() if run.startswith("(ceiling")}
    assert {key: value for key, value in with_them.items() if not key[0].startswith("(ceiling")} == bare
    assert "all" in most
    assert all(value <= most[topic] + 1e-12 for (_, topic, _), value in bare.items() if topic != "all")
