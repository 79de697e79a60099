"""med, hoeffding and overlap over several runs, topics, weights and shares; violations of preferences."""

from dataclasses import asdict
from functools import partial
from itertools import combinations, pairwise

import pytest

from prefir.measures import (
    MEASURES,
    PreferenceGraph,
    hoeffding,
    ideal_ranking,
    keep_judgments,
    lexiprecision,
    lexirecall,
    med_ndcg,
    med_precision,
    med_u,
    overlaps,
    rank_correlation,
    rbo,
    rbo_bounds,
    recall_paired_preference,
    violated_preferences,
)

from .conftest import CAST, RUNS, on_data, trec

ONE, TWO = RUNS["one"], RUNS["two"]
GRADES = {"t1": {"a": 3, "b": 1, "c": 0, "d": 2}, "t2": {"a": 1, "b": 0, "e": 2}}
LENGTHS = {"a": 100, "b": 2000, "c": 30, "d": 4, "e": 500, "x": 10}


def test_overlap_is_the_librarys_at_each_depth(values):
    found = values("overlap one two -k 2 -p .8 --per-topic")
    for topic in ("t1", "t2"):
        own = overlaps(ONE[topic], TWO[topic], depth=2).tolist()
        assert [found["one|two", topic, f"overlap@{d}"] for d in (1, 2)] == own
        assert found["one|two", topic, "rbo"] == rbo(ONE[topic], TWO[topic], p=0.8)
    assert len(found) == 9


def test_rbo_beyond_the_ends_takes_items_of_one_score_as_tied(values, folder):
    (folder / "tied").write_text("t1 Q0 a 1 3 tied\nt1 Q0 b 2 2 tied\nt1 Q0 c 3 2 tied\n")
    (folder / "short").write_text("".join(f"t1 Q0 {docno} 1 1.5 short\n" for docno in "ba"))
    for ties in ("w", "a", "b"):
        found = values(f"rbo tied short -p .9 --ties {ties}")
        expected = rbo_bounds(["a", {"b", "c"}], [{"a", "b"}], p=0.9, ties=ties)
        for name, value in asdict(expected).items():
            assert found["tied|short", "all", f"rbo_{name}"] == value
    assert len(found) == 4


def test_levels_of_recall_are_the_librarys_and_topics_without_a_relevant_item_are_left_out(
    values, folder, call
):
    functions = {
        "rpp": partial(recall_paired_preference, weights="dcg"),
        "lexiprecision": lexiprecision,
        "lexirecall": lexirecall,
    }
    found = values("rpp qrels one two --weights dcg --per-topic")
    for name, function in functions.items():
        own = [found["one|two", topic, name] for topic in ("t1", "t2")]
        assert own == [function(ONE[topic], TWO[topic], GRADES[topic]) for topic in ("t1", "t2")]
        assert found["one|two", "all", name] == sum(own) / 2
    few = call("rpp qrels one two --relevant 3 --per-topic")
    assert {line.topic for line in few.lines} == {"t1", "all"}
    assert "left out 1 of 2 topics, which have no relevant item" in few.err
    assert "no item with a grade of at least 9" in call("rpp qrels one two --relevant 9").err


def test_med_u_reads_the_lengths_of_items(values, folder):
    (folder / "lengths").write_text("".join(f"{docno} {length}\n" for docno, length in LENGTHS.items()))
    found = values("med u one two --lengths lengths --limit 1500 --qrels qrels --per-topic")
    for topic in ("t1", "t2"):
        assert found["one|two", topic, "med_u"] == med_u(
            ONE[topic], TWO[topic], LENGTHS, GRADES[topic], limit=1500
        )


def test_the_topics_in_which_a_change_matters_most_come_first(call, folder):
    lines = call("med ndcg one two --top 1").lines
    largest = max(("t1", "t2"), key=lambda topic: med_ndcg(ONE[topic], TWO[topic]))
    assert [line.topic for line in lines] == [largest, "all"]
    every = call("med ndcg one two --top 9").lines[:-1]
    assert [line.value for line in every] == sorted((line.value for line in every), reverse=True)


def test_further_runs_are_compared_with_the_first_or_each_with_each(values, folder):
    (folder / "three").write_text(trec({"t1": ["a", "c"], "t2": ["b"]}, "three"))
    from_first = {pair for pair, _, _ in values("hoeffding one two three -n 50")}
    every = {pair for pair, _, _ in values("hoeffding one two three -n 50 --all-pairs")}
    assert from_first == {"one|two", "one|three"}
    assert every == from_first | {"two|three"}


def test_topics_weigh_as_their_file_says(values, folder):
    (folder / "weights").write_text("t1 3\nt2 1\n")
    found = values("hoeffding one two --topic-weights weights --floor .1")
    t1, t2 = (hoeffding(ONE[topic], TWO[topic], floor=0.1) for topic in ("t1", "t2"))
    assert found["one|two", "all", "hoeffding"] == pytest.approx((3 * t1 + t2) / 4, abs=1e-15)


def test_shares_of_the_judgments_stand_beside_the_actual_difference(values):
    """All items of the second topic are judged: of it the distance is the difference itself."""
    found = values("med ndcg one two -k 3 --qrels qrels --shares 0,50,100 --seed 3")
    for share in (0, 50, 100):
        kept = keep_judgments(GRADES, share / 100, seed=3)
        each = [med_ndcg(ONE[topic], TWO[topic], kept[topic], k=3) for topic in ("t1", "t2")]
        assert found["one|two", "all", f"med_ndcg@3({share}%)"] == pytest.approx(sum(each) / 2, abs=1e-15)
    means = [
        sum(MEASURES["ndcg"].of(run[topic], GRADES[topic], k=3, gain="exponential") for topic in GRADES) / 2
        for run in (ONE, TWO)
    ]
    assert found["one|two", "all", "difference"] == pytest.approx(abs(means[0] - means[1]), abs=1e-15)


def test_a_larger_share_of_judgments_holds_the_smaller_ones():
    kept = [keep_judgments(GRADES, share, seed=5) for share in (0, 0.3, 0.6, 1)]
    counts = [sum(map(len, own.values())) for own in kept]
    assert counts == [0, 2, 4, 7]
    for less, more in pairwise(kept):
        assert all(less[topic].items() <= more[topic].items() for topic in GRADES)
    assert kept[-1] == GRADES
    with pytest.raises(ValueError, match="share is 2"):
        keep_judgments(GRADES, 2)


def test_violations_are_those_of_runs_of_their_ideal_rankings_and_the_fewest(values, folder):
    found = values("violations prefs one two --per-topic")
    graph = PreferenceGraph(["ab", "ba", "bc", "da"])  # of t1
    for name, run in RUNS.items():
        own = violated_preferences(run["t1"], graph)
        assert found[name, "t1", "violated"] == sum(own.values())
        ideal = violated_preferences(ideal_ranking(run["t1"], graph), graph)
        assert found[name, "t1", "ideal_violated"] == sum(ideal.values())
    assert found["(fewest)", "t1", "violated"] == found["(fewest)", "t1", "ideal_violated"] == 1
    assert found["(fewest)", "all", "preferences"] == 6
    alone = values("violations prefs")
    assert {run for run, _, _ in alone} == {"(fewest)"}


def test_circles_that_are_too_large_are_left_out_and_said(folder, call):
    (folder / "ring").write_text("t1 a b\nt1 b c\nt1 c a\nt2 a b\n")
    result = call("violations ring --largest 2 --per-topic")
    assert "left out 1 of 2 topics, in which more than 2 items prefer one another" in result.err
    assert ("(fewest)", "t1", "violated") not in {line[:3] for line in result.lines}


def test_distances_are_those_of_all_pairs_and_go_together_as_their_orders_do(values, folder):
    (folder / "three").write_text(trec({"t1": ["a", "c"], "t2": ["b", "x", "e"]}, "three"))
    runs = {**RUNS, "three": {"t1": ["a", "c"], "t2": ["b", "x", "e"]}}
    found = values("distances one two three --distance med-precision,med-ndcg@2 -k 3 -o points.svg")
    by = {"med-precision": [], "med-ndcg@2": []}
    for one, other in combinations(runs, 2):
        both = [(runs[one][topic][:3], runs[other][topic][:3]) for topic in ("t1", "t2")]
        by["med-precision"].append(sum(med_precision(a, b, k=3) for a, b in both) / 2)
        by["med-ndcg@2"].append(sum(med_ndcg(a[:2], b[:2], k=2) for a, b in both) / 2)
    for name, expected in by.items():
        own = [found[f"{one}|{other}", "all", name] for one, other in combinations(runs, 2)]
        assert own == pytest.approx(expected, abs=1e-12)
    tau = found["all", "all", "tau(med-precision,med-ndcg@2)"]
    assert tau == pytest.approx(rank_correlation(*by.values()))
    assert (folder / "points.svg").read_text().startswith("<?xml")


def test_bars_are_of_the_pairs_within_each_family(values, folder):
    (folder / "three").write_text(trec({"t1": ["a", "c"], "t2": ["b", "x", "e"]}, "three"))
    (folder / "families").write_text("one IBM T\ntwo UIC D\nthree IBM D\n")
    values("distances one two three --distance med-rbp --families families -o bars.svg")
    drawing = (folder / "bars.svg").read_text()
    assert "one|three" in drawing
    assert "D and T" in drawing
    assert "one|two" not in drawing


@pytest.mark.slow
@on_data
def test_greedy_orders_of_cast_violate_a_fifth_more_than_they_must(call):
    """As docs/measures/similarity.md says; no paper has these figures."""
    result = call(f"violations {CAST / 'TREC-CAsT-2019.pref'}")
    assert "left out 5 of 171 topics" in result.err
    assert [line.value for line in result.lines] == [14_573, 1866, 2232]
