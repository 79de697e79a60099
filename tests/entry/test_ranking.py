"""`prefir.rank`: votes by name, in every form, are ranked by the strengths of `bradley_terry`."""

import random
from math import exp, isnan

import numpy as np
import pandas
import pytest

import prefir
from prefir.cli.program import main
from prefir.measures import bradley_terry, penalized_bradley_terry

VOTES = [
    *[(f"q{n}", "x", "y", "x", "kim") for n in range(6)],
    *[(f"q{n}", "y", "x", "y", "lee") for n in range(2)],
    *[(f"q{n}", "z", "x", "x", "kim") for n in range(4)],
    *[(f"q{n}", "z", "y", "z", "lee") for n in range(3)],
    *[(f"q{n}", "y", "z", "y", "ann") for n in range(3)],
    ("q9", "x", "z", "tie", "ann"),
    ("q8", "z", "x", "z", "lee"),
]


def duels(by):
    """The votes as rows of `bradley_terry`, by topic or person."""
    names, groups, rows = ["x", "y", "z"], {}, []
    for topic, a, b, winner, person in VOTES:
        group = groups.setdefault({"topic": topic, "person": person, "vote": len(rows)}[by], len(groups))
        result = [winner == a, winner == b, winner == "tie"]
        rows.append([group, names.index(a), names.index(b), *result])
    return rows


@pytest.mark.parametrize("by", ["topic", "person", "vote"])
def test_strengths_and_intervals_are_those_of_the_library(by):
    found = prefir.rank(VOTES, by=by, level=0.9)
    expected = bradley_terry(duels(by), 3, level=0.9)
    assert found.systems == ("x", "y", "z")
    for row in found.to_dicts():
        place = found.systems.index(row["system"])
        assert row["strength"] == expected.strengths[place]
        assert (row["low"], row["high"]) == (expected.lows[place], expected.highs[place])
        assert [row["won"], row["lost"], row["tied"]] == expected.records[place].tolist()
    assert [row["system"] for row in found.to_dicts()] == [found.systems[i] for i in expected.order]
    assert found.chance("x", "y") == expected.chance(0, 1)


def test_judges_have_weights():
    """A vote that counts twice is two votes, and one of weight 0 is none."""
    found = prefir.rank(VOTES, weights={"kim": 2, "lee": 0.0}, by="vote")
    twice = [vote for vote in VOTES for _ in range({"kim": 2, "lee": 0}.get(vote[4], 1))]
    expected = prefir.rank(twice, by="vote")
    for row, same in zip(found.to_dicts(), expected.to_dicts(), strict=True):
        assert row["strength"] == pytest.approx(same["strength"])
        assert (row["won"], row["lost"], row["tied"]) == (same["won"], same["lost"], same["tied"])
    half = prefir.rank(VOTES, weights={"lee": 0.5}, by="vote").to_dicts()
    assert {row["system"]: row["lost"] for row in half}["y"] == 6 + 1.5


def test_ties_may_be_those_of_rao_and_kupper(capsys, tmp_path):
    votes = [("t1", "a", "b", "a"), ("t1", "a", "b", "b"), ("t2", "a", "b", "a"), ("t2", "a", "b", "tie")]
    found = prefir.rank(votes, ties="rao-kupper")
    expected = bradley_terry([(0, 0, 1, 1, 1, 0), (1, 0, 1, 1, 0, 1)], 2, ties="rao-kupper")
    assert found.strengths.strengths.tolist() == pytest.approx(expected.strengths.tolist())
    assert "ties by Rao and Kupper" in found.caption
    path = tmp_path / "votes.txt"
    path.write_text("".join(f"{topic} {a} {b} {winner}\n" for topic, a, b, winner in votes))
    main(["rank", str(path), "--ties", "rao-kupper"])
    assert "ties by Rao and Kupper" in capsys.readouterr().out
    with pytest.raises(ValueError, match="with a penalty, ties are davidson's, not 'rao-kupper'"):
        prefir.rank(votes, ties="rao-kupper", penalty="firth")


@pytest.mark.parametrize("penalty", ["firth", "ridge"])
def test_a_penalty_gives_who_won_all_a_strength(penalty, capsys, tmp_path):
    votes = [("x", "y", "x"), ("x", "z", "x"), ("y", "z", "y"), ("z", "y", "z")]
    assert prefir.rank(votes).to_dicts()[0]["strength"] == np.inf
    found = prefir.rank(votes, penalty=penalty, ridge=0.5)
    rows = [(n, *["xyz".index(name) for name in vote[:2]], 1, 0, 0) for n, vote in enumerate(votes)]
    expected = penalized_bradley_terry(rows, 3, penalty=penalty, weight=0.5)
    assert found.to_dicts()[0]["strength"] == expected.strengths[0]
    assert f"{penalty} penalty" in found.caption
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "".join(f"{','.join(vote)}\n" for vote in votes))
    main(["rank", str(path), "--penalty", penalty, "--ridge", "0.5"])
    assert capsys.readouterr().out == f"{found}\n"


SIDES = {"x": "model_a", "y": "model_b"}


@pytest.mark.parametrize(
    "form",
    [
        lambda folder: [vote[1:4] for vote in VOTES],
        lambda folder: [vote[:4] for vote in VOTES],
        lambda folder: VOTES,
        lambda folder: pandas.DataFrame(
            VOTES, columns=["question_id", "model_a", "model_b", "winner", "judge"]
        ),
        lambda folder: pandas.DataFrame([v[1:4] for v in VOTES], columns=["model_a", "model_b", "winner"]),
        lambda folder: folder / "lines",
        lambda folder: folder / "votes.csv",
        lambda folder: folder / "prompted.csv",
        lambda folder: prefir.read(folder / "votes.csv"),
    ],
)
def test_votes_may_have_every_form(tmp_path, form):
    (tmp_path / "lines").write_text("".join(" ".join(vote) + "\n" for vote in VOTES))
    table = "model_a,model_b,winner\n"
    for _, a, b, winner, _ in VOTES:
        table += f"{a},{b},{'model_a' if winner == a else 'model_b' if winner == b else 'tie (bothbad)'}\n"
    (tmp_path / "votes.csv").write_text(table)
    prompts = "".join(f"Why {n}?,{row}\n" for n, row in enumerate(table.splitlines()))
    (tmp_path / "prompted.csv").write_text(prompts.replace("Why 0?", "prompt", 1))
    found, expected = prefir.rank(form(tmp_path)), prefir.rank(VOTES)
    np.testing.assert_allclose(found.strengths.strengths, expected.strengths.strengths, rtol=1e-9)


def test_ranks_are_those_that_intervals_of_differences_leave_open():
    draw = random.Random(4)
    true = {"best": 2.0, "good": 1.9, "bad": 0.0}
    votes = []
    for topic in range(300):
        a, b = draw.sample(list(true), 2)
        won = a if draw.random() < 1 / (1 + exp(true[b] - true[a])) else b
        votes.append((str(topic), a, b, won))
    ranks = {row["system"]: (row["best"], row["worst"]) for row in prefir.rank(votes).to_dicts()}
    assert ranks == {"best": (1, 2), "good": (1, 2), "bad": (3, 3)}


def test_who_won_all_is_first_with_an_open_end_and_who_met_nobody_else_says_so():
    found = prefir.rank(
        [("a", "b", "a"), ("a", "c", "a"), ("b", "c", "b"), ("c", "b", "c"), ("d", "e", "tie")]
    )
    rows = {row["system"]: row for row in found.to_dicts()}
    assert rows["a"]["status"] == "won all"
    assert rows["a"]["high"] == float("inf")
    assert (rows["a"]["best"], rows["b"]["best"]) == (1, 2)
    assert isnan(found.chance("a", "d"))
    assert '"high": null' in found.to_json()


@pytest.mark.parametrize(
    ("votes", "options", "said"),
    [
        ([], {}, "there is no vote"),
        ([("a", "b", "c")], {}, "vote 1: .* is no vote between two systems"),
        ([("a", "b", "a"), ("a", "b")], {}, "vote 2: .* is no \\(a, b, winner\\)"),
        ([("a", "b", "a")], {"by": "person"}, "the vote between a and b names no person"),
        ([("a", "b", "a")], {"by": "day"}, "by is 'day'; votes vary together by topic, person, vote"),
        ([("a", "b", "a")], {"level": 1}, "level 1 must be between 0 and 1"),
        (7, {}, "votes are a file, a frame or rows, no int"),
    ],
)
def test_what_are_no_votes_is_refused_with_a_sentence(votes, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        prefir.rank(votes, **options)


def test_the_command_writes_the_same_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes").write_text("".join(" ".join(vote) + "\n" for vote in VOTES))
    assert main(["rank", "votes", "--by", "person", "--level", ".9", "--format", "csv"]) == 0
    assert capsys.readouterr().out == prefir.rank(VOTES, by="person", level=0.9).to_csv()
    assert main(["rank", "none"]) == 2
    assert capsys.readouterr().err == "none: cannot be read: No such file or directory\n"
