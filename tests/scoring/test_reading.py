"""How a leaderboard reads: the sentence over it, and where its marks stand. Boards made by hand."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.models import Study
from collection.models.study import WORDS
from scoring.analysis.measure_comparison import MeasureFigures, Measures
from scoring.analysis.run_comparison import ToBaseline
from scoring.board.leaderboard import Board, BoardRow, Mean
from web.coordinator.board.badge import leads
from web.coordinator.compare import baseline, measures_page
from web.live.axis import PARTS, STEPS, WHOLE, Axis, axis_of
from web.live.leaderboard_headline import Marks, drawing, verdict
from web.shared.phrases import ranks_said

ABSENT = Mean(None, None, None, 0, None)


def mean(value, ranks=None, topics=20, low=None, high=None) -> Mean:
    return Mean(value, low, high, topics, ranks)


def board(*means: Mean) -> Board:
    """Runs A, B, ... with these means of PGC, given best first."""
    rows = [
        BoardRow(n, name, {"pgc": value, "compatibility": ABSENT})
        for n, (name, value) in enumerate(zip("ABCDE", means, strict=False))
    ]
    return Board(rows, 0.95, 20, 20, 0, 100, 0, 0, "v")


def said(*means: Mean) -> str:
    found = verdict(board(*means))
    return f"{found.answer} {found.but}"


def test_a_run_that_is_surely_above_all_others_leads():
    sentence = said(mean(0.5, (1, 1), topics=6), mean(0.3, (2, 2)))
    assert sentence == "A leads. Its mean PGC, 0.500, is significantly higher than that of the other run."
    sentence = said(mean(0.5, (1, 1)), mean(0.3, (2, 3)), mean(0.3, (2, 3)))
    assert (
        sentence == "A leads. Its mean PGC, 0.500, is significantly higher than that of each of the 2 others."
    )


def test_a_run_that_may_be_overtaken_is_said_to_be_so_and_by_whom():
    sentence = said(mean(0.5, (1, 3)), mean(0.49, (1, 3)), mean(0.45, (2, 3)), mean(0.48, (1, 4)))
    assert "A has the highest mean PGC, 0.500, but the lead is not statistically significant." in sentence
    assert "its rank may be any from 1 to 3 (95 % range); B and D may come first too" in sentence


def test_runs_that_may_come_first_are_counted_and_the_others_marked():
    drawn = drawing(board(mean(0.5, (1, 2)), mean(0.49, (1, 3)), mean(0.45, (2, 3)), mean(0.1)))
    assert drawn.first == "2 of 3 runs may come first"
    assert [row.behind for row in drawn.rows] == [False, False, True, False]
    varied = "A run that varies much between topics may come first with a lower mean."
    assert varied not in drawn.tiers
    between = drawing(board(mean(0.5, (1, 2)), mean(0.49, (2, 4)), mean(0.45, (1, 3)), mean(0.4, (3, 4))))
    assert varied in between.tiers
    assert ranks_said((1, 60), 60) == "any"
    assert [ranks_said(place, 4) for place in ((1, 4), (2, 2), None)] == ["1–4", "2", "–"]
    alone, all_of_them = ((1, 1), (2, 2)), ((1, 2), (1, 2))
    for ranks in (alone, all_of_them):
        assert drawing(board(*(mean(0.5, place) for place in ranks))).first == ""


def test_below_a_decision_an_open_lead_is_said_to_be_one_among_all_runs():
    means = (mean(0.5, (1, 2)), mean(0.49, (1, 3)), mean(0.45, (2, 3)))
    found = verdict(board(*means), baseline="C")
    assert found.answer == "A has the highest mean PGC, 0.500."
    assert found.but == (
        "Among all runs its lead is not significant. By tests over 20 topics, its rank may be any "
        "from 1 to 2 (95 % range); B may come first too."
    )
    sure = verdict(board(mean(0.5, (1, 1)), mean(0.3, (2, 2))), baseline="B")
    assert sure.answer == "A leads."


def test_where_few_topics_are_judged_it_is_said_that_they_tell_little():
    sentence = said(mean(0.5, (1, 2), topics=6), mean(0.3, (1, 2)))
    assert sentence.endswith("Over only 6 topics, tests tell few runs apart.")
    assert "little" not in said(mean(0.5, (1, 2)), mean(0.3, (1, 2)))


def test_one_topic_tells_nothing_about_how_sure():
    for topics, over in ((1, "Over only 1 topic,"), (5, "Over only 5 topics,")):
        sentence = said(mean(0.5, (1, 2), topics=topics), mean(0.3, (1, 2), topics=topics))
        early = "Too early to say who leads: A has the highest mean PGC so far, 0.500."
        assert sentence == f"{early} {over} no test tells runs apart."


def test_a_run_that_is_first_over_the_other_topics_is_named_beside_the_leader():
    plain = board(mean(0.679, (1, 2)), mean(0.5, (3, 3)), mean(0.676, (1, 2)))

    def with_first(at: int) -> Board:
        rows = [replace(row, is_first_otherwise=n == at) for n, row in enumerate(plain.rows)]
        return replace(plain, rows=rows)

    even = with_first(2)
    over = "over those topics with a full round C is ahead"
    assert verdict(even).answer == f"A and C cannot be told apart (0.679 and 0.676 by mean PGC; {over})."
    rank = "By tests over 20 topics, the rank of A may be any from 1 to 2 (95 % range); C may come first too."
    assert verdict(even).but == verdict(even, baseline="B").but == rank
    assert "over all judged topics C is ahead" in verdict(replace(even, whole=True)).answer
    assert leads(even)[0] == "A or C leads, not sure"
    worse = with_first(1)
    assert "A has the highest mean PGC, 0.679, but" in verdict(worse).answer
    assert leads(worse)[0] == "A leads, not sure"


def test_equal_runs_share_the_lead():
    assert said(mean(0.5, (1, 2)), mean(0.5, (1, 2)), mean(0.4, (3, 3))).startswith(
        "A and B share the highest mean PGC, 0.500."
    )


def test_runs_without_a_mean_are_named_beside_the_headline():
    assert said(mean(0.5), ABSENT) == "A has a mean PGC of 0.500. B has none: no judgment gives them one."
    without = "C and D have none: no judgment gives them one."
    for ranks in ((1, 1), (1, 2), None):
        assert said(mean(0.5, ranks), mean(0.3, ranks), ABSENT, ABSENT).endswith(without)
    assert said(mean(0.5, (1, 2)), mean(0.5, (1, 2)), ABSENT, ABSENT).endswith(without)


def test_without_scores_nobody_leads():
    def told(**counts) -> str:
        found = verdict(replace(board(ABSENT, ABSENT), **counts))
        return f"{found.answer} {found.but}"

    nothing = "No judgment counts yet. Scores appear with the first one that does."
    assert told(judgments=0) == nothing
    computed = "Scores by PGC are being computed. They appear here by themselves, from 180 judgments."
    assert told(judgments=180, waiting=3) == computed
    assert told(judgments=180) == "No run has a mean PGC yet. 180 judgments so far give none."


def test_without_runs_there_is_nothing_to_compare():
    assert said().startswith("There are no runs yet.")
    assert "no other run" in said(mean(0.5))


@pytest.mark.parametrize(
    ("lowest", "highest", "ticks"),
    [
        (0.20, 0.45, ["0.2", "0.3", "0.4", "0.5"]),
        (0.16, 0.44, ["0.15", "0.20", "0.25", "0.30", "0.35", "0.40", "0.45"]),
        (0.19, 0.52, ["0", "0.2", "0.4", "0.6"]),
        (0.45, 0.451, ["0.42", "0.44", "0.46", "0.48"]),
        (0.0, 0.0, ["0", "0.02", "0.04", "0.06"]),
        (1.0, 1.0, ["0.94", "0.96", "0.98", "1"]),
        (0.01, 0.7, ["0", "0.25", "0.50", "0.75"]),
        (0.01, 0.99, ["0", "0.25", "0.50", "0.75", "1"]),
    ],
)
def test_an_axis_has_round_ends_and_is_used_in_its_width(lowest, highest, ticks):
    assert axis_of([mean(lowest), mean(highest), ABSENT]).ticks == ticks


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=9))
def test_an_axis_holds_every_mark_and_no_narrower_one_does(thousandths):
    found = axis_of([mean(value / 1000) for value in thousandths])
    low, high = min(thousandths), max(thousandths)
    assert 0 <= 10 * found.low <= low
    assert high <= 10 * found.high <= 1000
    for step, parts in product(STEPS, PARTS):
        if step * parts < found.width:
            starts = range(0, 101 - step * parts, step)
            assert not any(10 * start <= low and high <= 10 * (start + step * parts) for start in starts)


def test_an_axis_stays_unless_a_mark_leaves_it_or_three_fifths_of_it_would_do():
    before = axis_of([mean(0.3), mean(0.55)])
    assert before == Axis(30, 10, 3)
    for means in ([mean(0.31), mean(0.6)], [mean(0.31), mean(0.5)], [ABSENT]):
        assert axis_of(means, before) == before
    assert axis_of([mean(0.4, low=0.29, high=0.5)], before).low < 30
    assert axis_of([mean(0.4), mean(0.5)], before) == Axis(38, 2, 6)
    assert axis_of([mean(0.31), mean(0.71)], WHOLE).width == 60
    assert axis_of([mean(0.4, topics=9), mean(0.5, topics=9)], before) == before
    assert drawing(board(mean(0.31), mean(0.5)), before={"pgc": before}).axes["pgc"] == before


def test_marks_stand_in_per_cent_of_the_axis():
    drawn = drawing(board(mean(0.3, low=0.3, high=0.45), mean(0.6)))
    assert drawn.axes["pgc"] == Axis(30, 10, 3)
    assert drawn.rows[0].cells[0].marks == Marks("0.0", "0.0", "50.0")
    assert drawn.rows[1].cells[0].marks == Marks("100.0")
    assert not drawn.rows[1].cells[0].marks.spread


def test_what_is_absent_is_not_drawn():
    assert drawing(board(ABSENT)).rows[0].cells[0].marks is None


@pytest.mark.parametrize(
    ("ranks", "breaks"),
    [
        ([(1, 1), (2, 2), (3, 3)], {1, 2}),
        ([(1, 2), (1, 2), (3, 4), (3, 4)], {2}),
        ([(1, 3), (1, 2), (1, 3)], set()),
        ([(1, 1), (2, 4), (2, 3), (2, 4)], {1}),
        ([(1, 2), (1, 3), (2, 3)], set()),  # each overlaps the next
        ([(1, 1), (2, 2), None], {1}),
        ([None, None], set()),
    ],
)
def test_lines_are_drawn_where_nobody_above_may_come_below_and_the_other_way_round(ranks, breaks):
    """By hand: a line stands before place n where all above have ranks to n at most, all below from n + 1."""
    drawn = drawing(board(*(mean(0.9 - n / 10, found) for n, found in enumerate(ranks)))).rows
    assert {place for place, line in enumerate(drawn) if line.breaks} == breaks


def test_runs_that_cannot_be_held_against_the_baseline_are_named():
    def line(run, p=None):
        return ToBaseline(run, 0.5, 6, 4, 2, 0.1, 0.0, 0.2, p, p, False)

    names = {1: "A", 2: "B", 3: "C"}
    _, rest = baseline.answer([line(2, 0.5), line(3)], names, 1, "PGC")
    without = "C cannot be held against it: two topics with scores of both are needed."
    assert rest == f"Open: mean PGC does not tell it from A. {without}"


@pytest.mark.parametrize(("topics", "said"), [(5, "2 are open"), (6, "1 is at least as good within 0.02")])
def test_a_run_is_as_good_as_the_baseline_only_over_enough_topics(topics, said):
    lines = [
        ToBaseline(run, 0.5, topics, 4, 2, 0.0, low, 0.03, 0.5, 0.5, False)
        for run, low in ((2, -0.01), (3, -0.03))
    ]
    found = baseline.answer(lines, {1: "A", 2: "B", 3: "C"}, 1, "PGC", least=0.02)[0]
    assert said in found


def test_the_sentence_about_a_baseline_counts_better_worse_and_open():
    names = {1: "A", 2: "B", 3: "C", 4: "D"}

    def said(*found):
        lines = [
            ToBaseline(run, 0.5, 6, 4, 2, gap, 0.0, 0.2, 0.1, 0.1, sure)
            for run, (gap, sure) in enumerate(found, 2)
        ]
        return baseline.answer(lines, names, 1, "PGC", "model")

    better, worse, neither = (0.1, True), (-0.1, True), (0.1, False)
    assert said(better, worse, neither) == (
        "1 of 3 models is significantly better than A, 1 is significantly worse, 1 is open.",
        "Open: mean PGC does not tell it from A.",
    )
    assert said(worse, worse) == (
        "None of 2 models is significantly better than A, 2 are significantly worse.",
        "",
    )


def test_measures_that_rank_nothing_are_not_said_to_agree():
    lines = [MeasureFigures(name, 0.95, 6, 0.5, 0.5, 0.5) for name in ("pgc", "ndcg", "rbp")]
    taus = [[1.0, 1.0, None], [1.0, 1.0, None], [None, None, None]]
    found = Measures(True, 6, 2, 1, lines, taus, ["A", "B"], [])
    words = WORDS[Study.Case.RANKINGS]
    sentence = " ".join(measures_page.agreement(found, ["PGC", "nDCG", "RBP"], 0.95, words))
    assert sentence.startswith(
        "PGC and nDCG rank the runs in the same order. Not compared, as a run has no mean"
    )
    assert "the same: RBP." in sentence
