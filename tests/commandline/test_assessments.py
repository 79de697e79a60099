"""tops and strength: assessments beside each other, and pairs beside grades; compatibility of tops alone."""

import pytest

from prefir.measures import Judgment, compatibility, correlate_with_grades, grade_heat_map, pair_figures

from .conftest import RUNS

GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}}


def test_tops_are_compared_and_held_against_grades(values, folder):
    (folder / "best").write_text("t1 0 d 1\nt2 0 a 5\nt2 0 b 7\n")
    found = values("tops best qrels -k 2 --grades qrels --per-topic")
    assert found["best|qrels", "all", "topics"] == 2
    assert found["best|qrels", "all", "same_top"] == 0
    assert found["best|qrels", "all", "within_top@2"] == 1
    assert found["best|qrels", "all", "outside_top@2"] == 1
    assert found["best|qrels", "t1", "within_top@2"] == found["best|qrels", "t2", "outside_top@2"] == 1
    assert found["best", "all", "below(1)"] == found["best", "all", "below(2)"] == 0.5
    assert found["qrels", "all", "below(0)"] == 1


def test_strength_is_the_librarys(values):
    found = values("strength qrels prefs --intervals 3")
    judged = [("a", "b", -1), ("a", "b", 1), ("b", "c", -1), ("d", "a", -1)]
    judgments = [Judgment("t1", *answer, "") for answer in judged]
    judgments += [Judgment("t2", *answer, "") for answer in [("a", "b", 0), ("e", "a", -1), ("e", "a", -1)]]
    figures = pair_figures(judgments, GRADES)
    assert found["all", "all", "pairs"] == len(figures) == 5
    for relation, one in correlate_with_grades(figures).items():
        values_of = [found["all", "all", f"{name}({relation})"] for name in one._fields[1:]]
        assert values_of == pytest.approx(list(one[1:]), nan_ok=True)
    cells = grade_heat_map(figures, highest=3, intervals=3)
    assert found["all", "all", "strength(2,3)"] == cells[1, 2]


@pytest.mark.parametrize(("top", "kept"), [(1, "a"), (2, "ad"), (9, "adb")])
def test_compatibility_of_the_top_alone_leaves_the_other_items_out(values, top, kept):
    found = values(f"compatibility qrels one --top {top} --per-topic")
    levels = {item: GRADES["t1"][item] for item in kept}
    assert found["one", "t1", "compatibility"] == compatibility(RUNS["one"]["t1"], levels)


def test_pages_pools_the_preferences_between_runs(values, folder):
    (folder / "pages").write_text("t1 one two one\nt2 one two two\nt2 two one tie\nt2 one three one\n")
    found = values("pages pages qrels one two --measure ndcg@10,rr")
    counts = [found["all", "all", f"{name}(ndcg@10)"] for name in ("agree", "disagree", "even", "absent")]
    assert counts == [1, 1, 1, 1]
    assert found["all", "all", "share(ndcg@10)"] == 0.5
    assert found["all", "all", "p(ndcg@10,rr)"] == 1
