"""med, hoeffding and map: the library's values over the topics that runs share."""

from itertools import combinations
from statistics import mean
from xml.etree import ElementTree

import pytest

from prefir.measures import med
from prefir.measures.hoeffding import hoeffding
from prefir.measures.system_map import distance_matrix, stability

from .conftest import RUNS, trec

GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}}
ONE, TWO = RUNS["one"], RUNS["two"]


@pytest.mark.parametrize(
    ("words", "label", "function", "options"),
    [
        ("precision", "med_precision@20", med.med_precision, {}),
        ("precision -k 2", "med_precision@2", med.med_precision, {"k": 2}),
        ("rbp", "med_rbp", med.med_rbp, {}),
        (
            "rbp --psi .5 --no-tail --max-grade 3",
            "med_rbp",
            med.med_rbp,
            {"psi": 0.5, "tail": False, "max_grade": 3},
        ),
        ("ndcg", "med_ndcg@20", med.med_ndcg, {}),
        ("ndcg -k 3 --max-grade 4", "med_ndcg@3", med.med_ndcg, {"k": 3, "max_grade": 4}),
        ("err", "med_err", med.med_err, {}),
        ("err --depth 2 --bound none", "med_err", med.med_err, {"depth": 2, "bound": None}),
        ("map", "med_map@100", med.med_map, {}),
        ("map -k 3 --relevant assigned", "med_map@3", med.med_map, {"k": 3, "relevant": "assigned"}),
        (
            "map -k 3 --relevant 2 --exact 0 --seed 7",
            "med_map@3",
            med.med_map,
            {"k": 3, "relevant": 2, "exact": 0, "seed": 7},
        ),
    ],
)
@pytest.mark.parametrize("known", [False, True], ids=["nothing known", "with qrels"])
def test_med_is_the_librarys_for_each_topic_and_on_average(values, words, label, function, options, known):
    found = values(f"med {words} one two --per-topic" + " --qrels qrels" * known)
    expected = {t: function(ONE[t], TWO[t], GRADES[t] if known else None, **options) for t in ("t1", "t2")}
    assert found == {
        **{("one|two", topic, label): value for topic, value in expected.items()},
        ("one|two", "all", label): pytest.approx(mean(expected.values()), abs=1e-15),
    }


def test_the_mean_alone_is_printed_unless_topics_are_asked_for(values):
    assert list(values("med rbp one two")) == [("one|two", "all", "med_rbp")]
    assert list(values("hoeffding one two")) == [("one|two", "all", "hoeffding")]


@pytest.mark.parametrize(
    ("words", "label", "cut", "options"),
    [
        ("", "hoeffding", None, {}),
        ("-q 2 -n 100", "hoeffding", None, {"q": 2, "n": 100}),
        ("-q 1.5 -k 1 -n 9", "hoeffding@1", 1, {"q": 1.5, "n": 9}),
    ],
)
def test_hoeffding_is_the_librarys_for_each_topic(values, words, label, cut, options):
    found = values(f"hoeffding one two --per-topic {words}")
    for topic in ("t1", "t2"):
        assert found["one|two", topic, label] == hoeffding(ONE[topic][:cut], TWO[topic][:cut], **options)
    assert found["one|two", "all", label] == pytest.approx(
        mean(value for (_, topic, _), value in found.items() if topic != "all"), abs=1e-15
    )


@pytest.mark.parametrize("command", ["med precision", "hoeffding"])
def test_topics_of_one_run_only_are_left_out_and_said(folder, call, command):
    (folder / "two").write_text(trec({"t2": TWO["t2"], "t8": ["a"]}, "two"))
    result = call(f"{command} one two --per-topic")
    assert [line.topic for line in result.lines] == ["t2", "all"]
    assert result.err == "one|two: left out 2 topics that only one of the runs has\n"


def test_topics_without_grades_are_said_where_relevance_is_known(folder, call):
    (folder / "qrels").write_text("t1 0 a 1\n")
    result = call("med precision one two --qrels qrels")
    assert result.code == 0
    assert result.err == "qrels has no grades for 1 of 2 topics; there nothing is known\n"


def test_two_runs_with_one_tag_are_named_by_their_paths(values, folder):
    (folder / "other").write_text(trec(TWO, "one"))
    assert ("one|other", "all", "med_rbp") in values("med rbp one other")


def test_equal_scores_go_by_the_rule_asked_for(values, folder):
    for name, docnos in (("x", "ab"), ("y", "ba")):
        lines = [f"t1 Q0 {docno} {rank} 1 {name}\n" for rank, docno in enumerate(docnos)]
        (folder / name).write_text("".join(lines))
    assert values("med precision x y -k 1")["x|y", "all", "med_precision@1"] == 0
    assert values("med precision x y -k 1 --ties rank")["x|y", "all", "med_precision@1"] == 1
    assert values("hoeffding x y -n 2")["x|y", "all", "hoeffding"] == 0
    assert values("hoeffding x y -n 2 --ties rank")["x|y", "all", "hoeffding"] == 1


@pytest.fixture
def three(folder):
    """A third run for maps."""
    third = {"t1": ["x", "y"], "t2": ["y", "b"]}
    (folder / "three").write_text(trec(third, "three"))
    return {**RUNS, "three": third}


@pytest.mark.parametrize(
    ("words", "cut", "options"), [("", None, {}), ("-k 2 -q 2 -n 50", 2, {"q": 2, "n": 50})]
)
def test_a_map_prints_the_librarys_distances_and_stabilities(values, three, words, cut, options):
    found = values(f"map one two three -o map.svg {words}")
    distances = distance_matrix(three, depth=cut, **options)
    for (i, a), (j, b) in combinations(enumerate(three), 2):
        assert found[f"{a}|{b}", "all", "hoeffding"] == pytest.approx(distances.matrix[i, j], abs=1e-15)
    for name, value in zip(three, stability(distances), strict=True):
        assert found[name, "all", "stability"] == pytest.approx(value, abs=1e-12)
    # Three points can show any three distances that are a metric, so the map is true.
    assert found["all", "all", "stress"] < 1e-3


def test_a_map_tells_each_topics_distances_where_asked(values, three):
    found = values("map one two three -o map.svg --per-topic")
    distances = distance_matrix(three)
    assert found["two|three", "t2", "hoeffding"] == pytest.approx(distances.by_topic[1, 1, 2], abs=1e-15)
    assert ("one|two", "t1", "hoeffding") not in values("map one two three -o map.svg")


def test_a_map_is_written_as_svg_with_the_runs_names(folder, call, three):
    result = call("map one two three -o map.svg")
    assert result.err == "wrote map.svg\n"
    drawing = ElementTree.fromstring((folder / "map.svg").read_text(encoding="utf-8"))
    assert set(three) <= {text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")}
    assert "Metric" in (folder / "map.svg").read_text(encoding="utf-8")
    assert call("map one two three -o map.svg --non-metric").code == 0
    assert "Non-metric" in (folder / "map.svg").read_text(encoding="utf-8")


def test_the_same_seed_draws_the_same_map(folder, call, three):
    for name in ("first.svg", "second.svg"):
        assert call(f"map one two three -o {name} --seed 3").code == 0
    assert (folder / "first.svg").read_bytes() == (folder / "second.svg").read_bytes()


def test_topics_that_a_run_lacks_are_not_on_the_map(folder, call, three):
    (folder / "three").write_text(trec({"t2": ["y", "b"]}, "three"))
    result = call("map one two three -o map.svg")
    assert "left out 1 of 2 topics, which some run lacks" in result.err
    value = next(line.value for line in result.lines if line.run == "one|two")
    items = {docno for run in three.values() for docno in run["t2"]}
    assert value == pytest.approx(hoeffding(ONE["t2"], TWO["t2"], n=len(items)), abs=1e-15)
