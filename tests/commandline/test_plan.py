"""plan: the published bounds, and a simulation that keeps to them."""

import pytest

from prefir import rules

from .conftest import CAST, on_data


def qrels(folder, *grades):
    text = "".join(f"t1 0 d{number} {grade}\n" for number, grade in enumerate(grades))
    (folder / "qrels").write_text(text)


@on_data
def test_the_bounds_of_cast_are_the_published_ones(values):
    """Clarke, Vtyurina & Smucker, table 2; the pools are made anew for each k."""
    found = values(f"plan {CAST}/2019qrels.txt")
    assert [found["dedicated", "all", f"bound@{k}"] for k in (3, 5, 10)] == [3456, 5429, 10691]
    assert found["dedicated", "all", "pool@5"] == found["crowd", "all", "pool@5"] == 2673
    for k in (3, 5, 10):
        assert found["dedicated", "all", f"judgments@{k}"] < found["dedicated", "all", f"bound@{k}"]


def test_pools_are_made_anew_for_each_k_and_grades_of_zero_stay_out(values, folder):
    qrels(folder, 3, 2, 2, 1, 0, -1)
    found = values("plan qrels -k 1,2,3,9")
    assert [found["crowd", "all", f"pool@{k}"] for k in (1, 2, 3, 9)] == [1, 3, 3, 4]


def test_a_small_pool_is_a_final_of_all_pairs(values, folder):
    qrels(folder, *[1] * 9)
    found = values("plan qrels -k 5")
    assert found["crowd", "all", "judgments@5"] == 36
    assert found["crowd", "all", "rounds@5"] == 1
    assert values("plan qrels -k 5 --judgments-per-pair 3")["crowd", "all", "judgments@5"] == 108


def test_the_settings_of_a_crowd_tournament_are_options(values, folder):
    """Ten items: one round in which each meets P others, unless the final may be as large."""
    qrels(folder, *[1] * 10)
    assert values("plan qrels -k 5 --final-size 10")["crowd", "all", "judgments@5"] == 45
    assert values("plan qrels -k 5 --pairings 9 --final-size 9")["crowd", "all", "rounds@5"] == 2


def test_nine_of_ten_by_knock_out_need_the_best_of_each_first(values, folder):
    """The best of n takes n - 1 judgments, anyone who the assessor prefers."""
    qrels(folder, *range(1, 17))
    assert values("plan qrels -k 1")["dedicated", "all", "judgments@1"] == 0  # one item has the top grade
    qrels(folder, *[1] * 16)
    found = values("plan qrels -k 1")
    assert found["dedicated", "all", "judgments@1"] == 15
    assert found["dedicated", "all", "bound@1"] == 16
    assert found["dedicated", "all", "rounds@1"] == 4


def test_sums_over_topics_and_the_most_rounds(values, folder):
    (folder / "qrels").write_text(
        "".join(f"t1 0 d{n} 1\n" for n in range(4))
        + "".join(f"t2 0 d{n} 1\n" for n in range(16))
        + "t3 0 d 0\n"
    )
    found = values("plan qrels -k 1 --per-topic")
    assert [found["dedicated", topic, "judgments@1"] for topic in ("t1", "t2", "t3", "all")] == [3, 15, 0, 18]
    assert [found["dedicated", topic, "rounds@1"] for topic in ("t1", "t2", "t3", "all")] == [2, 4, 0, 4]


@pytest.mark.slow
def test_the_seed_and_the_noise_decide_the_simulation_and_nothing_else_does(folder, call):
    qrels(folder, *[2] * 30, *[1] * 30)
    words = "plan qrels -k 40 --noise .3"
    assert call(f"{words} --seed 1").out == call(f"{words} --seed 1").out
    outs = {call(f"{words} --seed {seed}").out for seed in range(4)}
    assert len(outs) > 1
    assert call("plan qrels -k 40 --seed 1").out != call(f"{words} --seed 1").out


def test_simulated_assessors_follow_the_grades(values, folder):
    """Without equal grades there is one order, and the rules alone give the judgments, played out here."""
    qrels(folder, *range(1, 31))
    found = values("plan qrels -k 30")
    for run, play in (("dedicated", rules.play_dedicated), ("crowd", rules.play)):
        answers = {}
        while not (state := play(range(30), answers, k=30, seed="0:t1")).finished:
            for pair in state.open_pairs:
                answers.setdefault(pair, []).append(rules.Choice.SECOND)  # the larger grade is the second's
        assert found[run, "all", "judgments@30"] == sum(map(len, answers.values()))
        assert found[run, "all", "rounds@30"] == len(state.rounds)


def test_whole_numbers_are_printed_without_a_point(folder, call):
    qrels(folder, 1, 1)
    assert "dedicated\tall\tbound@3\t4\n" in call("plan qrels").out
