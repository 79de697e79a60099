"""Ceilings beside the scores: stored by topic, averaged as the means are, and unknown in older rows."""

import re
from math import nan

import numpy as np
import pytest
from django.urls import reverse

from collection.models import Study
from prefir.measures import PreferenceGraph, Rankings, measure_ceiling
from prefir.measures.ceilings import INEXACT
from scoring.board import leaderboard, standings
from scoring.board.leaderboard import Mean
from scoring.models import StoredScores
from scoring.scores import score_rows
from scoring.scores.stored_measures import (
    AT_MOST,
    BY_PERSISTENCE,
    CEILINGS,
    CUTS,
    MEASURED,
    Evidence,
    values_and_ceilings,
)
from tests.judging.organizing import logged_in, text
from tests.scoring.test_chosen_measures import ALL, judged
from web.live.leaderboard_headline import best_possible, share_of_possible
from web.shared.measure_names import FORMULAS, SAYS, formula

GRAPH = PreferenceGraph(
    [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("a", "d"), ("d", "b")], ties=[("d", "e")]
)
# As a finished tournament leaves them: the top above the grades.
TOPS = {"d": 4.0, "e": 3.0}
GRADES = {"a": 2.0, "b": 1.0, "c": 0.0, "f": 1.0}


def evidence(*rankings) -> Evidence:
    runs = {f"r{n}": {"t": list(ranking)} for n, ranking in enumerate(rankings)}
    return Evidence("t", GRAPH, GRADES | TOPS, Rankings(runs, judged={"t": (*GRAPH.nodes, "f")}), GRADES)


def test_every_measure_has_a_ceiling():
    assert list(CEILINGS) == list(MEASURED)
    assert INEXACT & MEASURED.keys() == AT_MOST


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_stored_is_the_librarys_ceiling_and_no_score_is_above_it(name):
    rankings = ("abcdef", "fedcba", "a", "dacf", "")
    lines, ceilings = values_and_ceilings(evidence(*rankings), Study.PERSISTENCES, [name])
    edges = [(u, v) for u, v, times in GRAPH.edges() for _ in range(times)]
    own = {
        "pgc_derived": PreferenceGraph.derived(GRADES),
        "pgc_combined": PreferenceGraph.combined(edges, GRADES),
        "compatibility": GRADES | TOPS,
        "compatibility_top": TOPS,
        "compatibility_best": {"d": 4.0},
        **dict.fromkeys(("ndcg", "rbp"), GRADES),
    }.get(name, GRAPH)
    plain = name.partition("_")[0] if name.startswith(("pgc", "compatibility")) else name
    for p, line, ceiling in zip(Study.PERSISTENCES, lines, ceilings, strict=True):
        option = {"p": p} if name in BY_PERSISTENCE else {"k": CUTS[p]}
        # PGC on both kinds lacks the graph's tied items, as its scores do.
        assert ceiling == measure_ceiling(plain, own, **option).value
        assert all(value <= ceiling + 1e-12 for value in line if value == value)


def test_where_each_system_gives_one_answer_another_may_win_every_duel():
    _, ceilings = values_and_ceilings(evidence("a", "b", "c"), [0.95], ["win_rate"])
    assert ceilings == [1.0]
    assert measure_ceiling("win_rate", GRAPH, k=20).value < 1


def test_a_mean_ceiling_is_over_the_topics_of_the_mean_with_their_weights():
    table = np.array([[0.2, nan], [0.4, 0.3], [nan, nan]])
    found = standings.mean_ceilings(table, np.array([1.0, 3.0, 1.0]), np.array([0.5, 0.9, nan]))
    assert found.tolist() == pytest.approx([(0.5 + 3 * 0.9) / 4, 0.9])
    # One of its topics was scored before there were ceilings.
    assert np.isnan(standings.mean_ceilings(table, np.ones(3), np.array([nan, 0.9, nan]))).tolist() == [
        True,
        False,
    ]


@pytest.mark.django_db
def test_the_board_has_the_ceiling_of_each_mean():
    study = judged(measures=ALL)
    topics = list(study.topics.values_list("pk", flat=True))
    stored = score_rows.read(topics)
    for p in Study.PERSISTENCES:
        for row in leaderboard.board(study, p).rows:
            for name, mean in row.means.items():
                own = [
                    stored[score.topic_id].ceiling((name, f"p={p:g}"))
                    for topic in topics
                    for score in stored[topic].rows(topic)
                    if score[1:4] == (row.run_id, name, f"p={p:g}") and score.value is not None
                ]
                assert mean.at_most == (name in AT_MOST)
                if not own:
                    assert mean.ceiling is mean.value is None
                    continue
                assert mean.ceiling == pytest.approx(sum(own) / len(own))
                assert mean.value <= mean.ceiling + 1e-12
    assert leaderboard.board(study, 0.95).rows[0].means["pgc"].is_limited


@pytest.mark.django_db
def test_rows_and_standings_that_are_older_have_no_ceiling():
    study = judged()
    board = leaderboard.board(study, 0.95)
    StoredScores.objects.update(ceilings=b"", revision=99)
    standing = standings.write(study)
    older = leaderboard.board_of(standing, 0.95)
    assert [row.means["pgc"].value for row in older.rows] == [row.means["pgc"].value for row in board.rows]
    assert older.rows[0].means["pgc"].ceiling is None
    assert not older.rows[0].means["pgc"].is_limited
    for run in standing.board["runs"]:
        for means in run["means"].values():
            means.update({option: mean[:5] for option, mean in means.items()})
    assert leaderboard.board_of(standing, 0.95).rows == older.rows


def test_a_share_of_what_is_possible_needs_a_ceiling_that_is_known_and_above_0():
    assert Mean(0.4, None, None, 3, None, 0.8).of_possible == 0.5
    assert Mean(0.4, None, None, 3, None).of_possible is None
    assert Mean(0.0, None, None, 3, None, 0.0).of_possible is None
    assert not Mean(0.4, None, None, 3, None, 1.0).is_limited


def test_a_share_of_a_bound_is_a_share_at_least():
    exact, bound = (Mean(0.3, None, None, 3, None, 0.6, at_most) for at_most in (False, True))
    assert share_of_possible(exact) == "50 % of what is possible here"
    assert share_of_possible(bound) == "at least 50 % of what is possible here"
    assert best_possible([exact, exact]) == "0.600"
    assert best_possible([bound, Mean(0.3, None, None, 2, None, 0.7, True)]) == ("at most 0.600–0.700")
    for whole in (Mean(0.3, None, None, 3, None, 1.0), Mean(0.3, None, None, 3, None)):
        assert share_of_possible(whole) == best_possible([whole]) == ""


def test_every_measure_has_words_and_a_formula():
    assert SAYS.keys() == FORMULAS.keys() == MEASURED.keys()
    for latex, _ in FORMULAS.values():
        assert formula(latex).startswith("<math")
        assert "\\" not in formula(latex)


@pytest.mark.django_db
def test_pages_say_what_is_possible_where_it_is_less_than_1():
    study = judged(measures="pgc compatibility rbp")
    alice = logged_in("alice")
    mean = leaderboard.board(study, 0.95).rows[0].means["pgc"]
    share, most = f"{100 * mean.value / mean.ceiling:.0f} %", f"{mean.ceiling:.3f}"
    pages = {
        name: text(alice.get(f"{reverse(name, args=[study.slug, *args])}?p=0.95"))
        for name, *args in (
            ("leaderboard",),
            ("leaderboard-topics",),
            ("compare",),
            ("topic", study.topics.first().pk),
        )
    }
    assert re.search(rf"{mean.value:.3f} ([\d.]+–[\d.]+ )?{share} ", pages["leaderboard"])
    assert f"% of the possible {most}" in pages["leaderboard"]
    # Of PGC and RBP, not of compatibility.
    assert len(re.findall(r"% of the possible \d", pages["leaderboard"])) == 2
    assert "Possible is the best score that any ranking could have there" in pages["leaderboard-topics"]
    assert f"Of the best mean that is possible here, {most}, all has {share}" in pages["compare"]
    assert "best possible on this topic" in pages["topic"]
