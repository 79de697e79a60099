"""agreement and sensitivity: counted by hand on small files, and published figures of CAsT 2019."""

from math import isnan

import pytest

from prefir.measures import PreferenceGraph, compatibility, pgc
from prefir.measures.effectiveness import ndcg
from prefir.measures.significance import sensitivity

from .conftest import CAST, RUNS, on_data, trec

GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}}


def of_all(found):
    return {measure: value for (_, topic, measure), value in found.items() if topic == "all"}


def test_agreement_counts_judgments_pairs_repeats_and_contradictions(values):
    """PREFS: t1 a>b, b>a, b>c, d>a; t2 a=b, e>a twice."""
    found = of_all(values("agreement prefs"))
    assert [found[name] for name in ("judgments", "ties", "pairs")] == [7, 1, 5]
    assert [found[name] for name in ("repeated_pairs", "contradicted_pairs")] == [2, 1]
    assert found["raw_agreement"] == 0.5  # of a and b no two answers are equal, of e and a all
    assert [found[name] for name in ("cyclic", "items_in_cycles")] == [1, 2]
    assert [found[name] for name in ("left", "right", "left_share")] == [5, 1, 5 / 6]
    assert found["left_p"] == pytest.approx(2 * 7 / 64)


@pytest.mark.parametrize(
    ("prefs", "why"),
    [
        ("t1 a b tie\nt1 a b tie\n", "all answers are the same, so that agreement by chance is 1"),
        ("t1 a b a\nt1 b c b\n", "nothing was answered twice"),
    ],
)
def test_why_alpha_has_no_value_is_said(folder, call, prefs, why):
    (folder / "prefs").write_text(prefs)
    for words in ("agreement prefs", "agreement prefs --json"):
        assert call(words).err == f"krippendorff_alpha has no value: {why}.\n"


def test_agreement_is_told_by_topic(values):
    found = values("agreement prefs --per-topic")
    assert found["all", "t1", "judgments"] == 4
    assert found["all", "t2", "judgments"] == 3
    assert [found["all", topic, "cyclic"] for topic in ("t1", "t2", "all")] == [1, 0, 1]
    assert found["all", "t1", "raw_agreement"] == 0


def test_transitive_triples_are_counted_by_their_ties(values, folder):
    cycle = "t1 a b a\nt1 b c b\nt1 a c c\n"
    order = "t2 a b a\nt2 b c b\nt2 a c a\n"
    tied = "t3 a b tie\nt3 a c a\nt3 b c c\n"
    (folder / "prefs").write_text(cycle + order + tied)
    found = of_all(values("agreement prefs"))
    assert found["triples"] == 3
    assert found["transitive"] == pytest.approx(1 / 3)
    assert found["transitive_asym"] == 0.5
    assert found["transitive_s2a"] == 0
    assert isnan(found["transitive_s2s"])
    assert found["items_in_cycles"] == 3


def test_assessors_own_repeats_are_told_where_the_file_names_assessors(values, folder):
    (folder / "prefs").write_text("t1 a b a kim\nt1 b a a kim\nt1 a c a kim\nt1 c a c kim\nt1 a b b lee\n")
    found = of_all(values("agreement prefs"))
    assert [found[name] for name in ("assessors", "own_repeats", "own_consistency")] == [2, 2, 0.5]
    (folder / "prefs").write_text("t1 a b a\n")
    assert "assessors" not in of_all(values("agreement prefs"))


def test_a_file_that_does_not_say_sides_has_no_position_bias(values, folder):
    (folder / "prefs").write_text("t1 a b\nt1 b a\n")
    found = of_all(values("agreement prefs"))
    assert found["contradicted_pairs"] == 1
    assert "left_share" not in found


def test_sensitivity_is_the_librarys_of_each_measures_values(values, folder):
    (folder / "three").write_text(trec({"t1": ["a"], "t2": ["b", "c"]}, "three"))
    runs = {**RUNS, "three": {"t1": ["a"], "t2": ["b", "c"]}}
    found = of_all(values("sensitivity qrels one two three --measure compatibility,ndcg@2 --level .3"))
    for label, function in (
        ("compatibility", compatibility),
        ("ndcg@2", lambda run, grades: ndcg(run, grades, k=2)),
    ):
        table = [[function(run[topic], GRADES[topic]) for run in runs.values()] for topic in GRADES]
        expected = sensitivity(table, level=0.3)
        assert found[f"sensitivity({label})"] == expected.share
        assert found[f"holm({label})"] == expected.holm
        assert found[f"bonferroni({label})"] == expected.bonferroni
        assert found[f"pairs({label})"] == 3
    assert "tau(compatibility,ndcg@2)" in found


PREFERENCES = [("t1", "a", "b"), ("t1", "b", "a"), ("t1", "b", "c"), ("t1", "d", "a")] + [
    ("t2", "e", "a")
] * 2


@pytest.mark.parametrize("options", ["", "--prefs prefs", "--prefs prefs --combined"])
def test_sensitivity_of_pgc_takes_derived_real_or_combined_preferences(values, folder, options):
    """The rows of table 4.2 of Luo's thesis, which has p = .8; its runs are not public."""
    (folder / "three").write_text(trec({"t1": ["a"], "t2": ["b", "c"]}, "three"))
    runs = {**RUNS, "three": {"t1": ["a"], "t2": ["b", "c"]}}
    graphs = {topic: PreferenceGraph() for topic in GRADES}
    if "combined" in options or not options:
        graphs = {topic: PreferenceGraph.derived(grades, with_zero=True) for topic, grades in GRADES.items()}
    if options:
        for topic, preferred, other in PREFERENCES:
            graphs[topic].add(preferred, other)
        graphs["t2"].add_tie("a", "b")
    found = of_all(values(f"sensitivity qrels one two three --measure pgc -p .8 --level .4 {options}"))
    table = [[pgc(run[topic], graphs[topic], p=0.8) for run in runs.values()] for topic in GRADES]
    expected = sensitivity(table, level=0.4)
    assert [found["sensitivity(pgc(p=0.8))"], found["pairs(pgc(p=0.8))"]] == [expected.share, 3]
    assert found["holm(pgc(p=0.8))"] == expected.holm


def test_combining_needs_a_file_of_preferences(call):
    assert "--combined goes with --prefs" in call("sensitivity qrels one two --combined").err


def test_tau_compares_the_orders_that_two_measures_give(values, folder):
    """Means of one, two, three: p@1 1, 0, 0; rr 1, 1/2, 1/2; p@3 1/3, 1/3, 2/3."""
    (folder / "qrels").write_text("t1 0 a 1\nt1 0 b 1\nt1 0 c 1\n")
    (folder / "one").write_text(trec({"t1": ["a", "x"]}, "one"))
    (folder / "two").write_text(trec({"t1": ["x", "b"]}, "two"))
    (folder / "three").write_text(trec({"t1": ["x", "c", "b"]}, "three"))
    found = of_all(values("sensitivity qrels one two three --measure p@1,p@1,rr,p@3"))
    assert found["tau(p@1,rr)"] == pytest.approx(1)
    assert found["tau(rr,p@3)"] == pytest.approx(-0.5)
    assert "tau(p@1,p@1)" not in found


@on_data
def test_crowd_judgments_of_cast_are_84_a_topic(values):
    """Luo's thesis: 84.24 crowd judgments per topic, over 173; 1,806 pairs were judged more than once."""
    found = of_all(values(f"agreement {CAST}/TREC-CAsT-2019.pref"))
    assert round(found["judgments"] / 173, 2) == 84.24
    assert found["ties"] == 0
    assert found["left"] + found["right"] == found["judgments"]
