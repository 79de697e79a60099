"""Scatter plots and bars: every value stands where the axes say, read back from the drawing."""

import re

import pytest

from prefir.plots import NARROW, Look, differences, pair_bars, per_day, scatter
from tests.plots.reading import by_ticks, points, words


def test_every_run_stands_at_its_two_values():
    xs, ys = [0.31, 0.42, 0.77, 0.5], [0.2, 0.35, 0.9, float("nan")]
    made = scatter(["a", "b", "c", "d"], xs, ys, x="Mean PGC", y="Mean nDCG", look=Look())
    found = points(made)
    assert len(found) == 3
    for axis, values in ((0, xs), (1, ys)):
        offset, scale = by_ticks(made, axis)
        assert [place[axis] for place in found] == pytest.approx(
            [offset + scale * value for value in values[:3]], abs=0.01
        )
    assert by_ticks(made, 0)[1] > 0 > by_ticks(made, 1)[1]  # y goes down in an SVG, and up on the axis
    assert {"a", "b", "c", "Mean PGC", "Mean nDCG"} <= set(words(made))
    assert "d" not in words(made)


def test_only_some_runs_are_named_where_asked():
    xs, ys = [0.1, 0.4, 0.7], [0.2, 0.35, 0.9]
    made = scatter(["a", "b", "c"], xs, ys, x="x", y="y", look=Look(), named=[2, 0])
    assert len(points(made)) == 3
    assert {"a", "b", "c"} & set(words(made)) == {"a", "c"}


@pytest.mark.parametrize("ys", [[100.0, 100.0, 100.0], [40.0, 99.0, 100.0], [10.0, 20.0, 30.0]])
def test_an_axis_has_no_ticks_above_what_can_be(ys):
    made = scatter(["a", "b", "c"], [1.0, 2.0, 3.0], ys, x="x", y="Share, %", look=Look(), most=100.0)
    ticks = [float(word) for word in words(made) if re.fullmatch(r"[\d.]+", word)]
    assert max(ticks) <= 100
    assert len(points(made)) == 3


def test_runs_without_both_values_leave_a_sentence():
    nan = float("nan")
    made = scatter(["a"], [nan], [0.5], x="x", y="y", look=Look())
    assert "No run has both figures yet." in words(made)
    assert scatter(["a"], [0.5], [0.5], x="x", y="y", look=Look())


def heights(svg: bytes, hue: str) -> set[float]:
    """The y of every corner of what is filled in a colour."""
    found = set()
    for path in re.findall(rf'<path d="([^"]*)"[^>]*style="fill: {hue}', svg.decode()):
        found |= {round(float(y), 3) for y in re.findall(r"[ML] [-\d.]+ ([-\d.]+)", path)}
    return found


def test_bars_are_as_long_as_the_differences_and_begin_at_zero():
    gaps = [0.1, -0.25, 0.3, 0.0]
    made = differences(
        ["t1", "t2", "t3", "t4"], gaps, first="BM25", second="dense", measure="PGC", look=Look()
    )
    offset, scale = by_ticks(made, 1)
    up, down = heights(made, "#0072b2"), heights(made, "#d55e00")
    for value in (0.0, 0.1, 0.3):
        assert any(abs(offset + scale * value - y) < 0.01 for y in up), value
    assert len(up) == 3
    assert sorted(down) == pytest.approx([offset, offset - 0.25 * scale], abs=0.01)
    said = words(made)
    assert {"BM25 higher on 2", "dense higher on 1", "t3", "t2"} <= set(said)
    assert "4 topics, the largest difference first" in said


def test_a_thousand_topics_stay_two_shapes():
    gaps = [((i * 7919) % 1000 - 400) / 1000 for i in range(1000)]
    names = [f"topic {i}" for i in range(1000)]
    made = differences(names, gaps, first="a", second="b", measure="PGC", look=Look())
    assert len(made) < 150_000
    assert made.count(b"fill: #0072b2") == 1


@pytest.mark.parametrize("gaps", [[], [0.0], [0.0, 0.0], [0.2], [-0.2]])
def test_few_topics_and_no_differences_are_drawn_too(gaps):
    names = [f"t{i}" for i in range(len(gaps))]
    made = differences(names, gaps, first="a", second="b", measure="PGC", look=Look())
    expected = (
        "No topic has a score of both runs yet." if not gaps else f"a higher on {sum(g > 0 for g in gaps)}"
    )
    assert expected in words(made)


def test_six_bars_are_all_named_on_a_narrow_drawing():
    names = ["onions", "jetlag", "bread", "moon", "purr", "wine"]
    gaps = [0.3, 0.2, 0.1, 0.05, -0.1, -0.2]
    made = differences(names, gaps, first="a", second="b", measure="PGC", look=Look(width=NARROW))
    assert set(names) <= set(words(made))


def test_days_have_bars_and_some_of_them_names():
    days = [f"{n}-Jan" for n in range(1, 29)]
    made = per_day(days, list(range(28)), of="Judgments", look=Look())
    named = [word for word in words(made) if word in days]
    assert named[-1] == "28-Jan"
    assert 5 <= len(named) <= 8
    assert "Judgments a day" in " ".join(words(made))
    assert "No judgments yet." in " ".join(words(per_day([], [], of="Judgments", look=Look())))


def test_pairs_of_a_group_have_bars_by_their_distances_in_the_colours_of_their_kinds():
    made = pair_bars(
        ["IBM", "IBM", "IBM", "UIC"],
        ["T1|D1", "T1|T2", "D1|T2", "T1|T2"],
        ["D and T", "T and T", "D and T", "T and T"],
        [0.6, 0.2, 0.4, float("nan")],
        of="MED-nDCG",
        look=Look(),
    )
    assert {"IBM", "T1|D1", "T1|T2", "D and T", "T and T", "MED-nDCG"} <= set(words(made))
    assert "UIC" not in words(made)  # its only pair has no distance
    corners = {hue: sorted(heights(made, hue)) for hue in ("#0072b2", "#d55e00")}  # the key's, too
    bottom = corners["#d55e00"][1]
    one = bottom - corners["#d55e00"][0]
    assert [round(bottom - y, 2) for y in corners["#0072b2"][:2]] == [round(3 * one, 2), round(2 * one, 2)]
    assert pair_bars([], [], [], [], of="MED", look=Look())
