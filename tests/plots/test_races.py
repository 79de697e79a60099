"""Races: lines and bands stand where the axes say, gaps stay gaps, and names stand beside their ends."""

import re
from itertools import pairwise

import pytest

from prefir.plots import MOST_RACERS, NARROW, Look, race
from tests.plots.reading import by_ticks, texts, words

STEPS = [0, 100, 250, 400]
AXES = {"across": "Judgments", "measure": "Mean PGC"}


def lines(svg: bytes, hue: str) -> list[tuple[float, float]]:
    """Corners of what is drawn as a line in a colour."""
    found = []
    for path in re.findall(rf'<path d="([^"]*)"[^>]*style="fill: none; stroke: {hue}', svg.decode()):
        found += [(float(x), float(y)) for x, y in re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path)]
    return found


def test_means_and_intervals_stand_where_the_axes_say():
    values = [(0.4, 0.36, 0.44), (0.3, 0.25, 0.35), (0.5, 0.45, 0.6), (0.4, 0.38, 0.42)]
    made = race(STEPS, {"dense": values}, **AXES, look=Look())
    (x0, across), (y0, up) = by_ticks(made, 0), by_ticks(made, 1)
    expected = [
        (x0 + across * step, y0 + up * mean) for step, (mean, _, _) in zip(STEPS, values, strict=True)
    ]
    drawn = lines(made, "#0072b2")
    assert [v for point in drawn for v in point] == pytest.approx([v for p in expected for v in p], abs=0.01)
    band = re.search(r'id="FillBetweenPolyCollection_1">(.*?)</g>\s*</g>', made.decode(), re.S).group(1)
    height = 315.0  # the y of definitions counts from the lower edge
    ys = {round(height + float(y), 1) for y in re.findall(r"[ML] [-\d.]+ ([-\d.]+)", band)}
    for low_or_high in (0.36, 0.44, 0.45, 0.6, 0.38, 0.42):
        assert any(abs(y0 + up * low_or_high - y) < 0.2 for y in ys), low_or_high


def test_more_than_two_lines_have_their_last_interval_beside_the_plot():
    """Three bands would cover each other; a bar ends where the axis says, each at a place of its own."""
    last = {"a": (0.5, 0.44, 0.56), "b": (0.45, 0.4, 0.5), "c": (0.4, None, None)}
    runs = {name: [(0.5, 0.4, 0.6)] * 3 + [end] for name, end in last.items()}
    made = race(STEPS, runs, **AXES, look=Look())
    assert b"FillBetweenPolyCollection" not in made
    (x0, across), (y0, up) = by_ticks(made, 0), by_ticks(made, 1)
    right = x0 + across * STEPS[-1]
    bars = [
        sorted(point for point in lines(made, hue) if point[0] > right + 1)
        for hue in ("#0072b2", "#d55e00", "#009e73")
    ]
    for (_, low, high), bar in zip(last.values(), bars, strict=True):
        expected = [] if low is None else sorted([y0 + up * low, y0 + up * high])
        assert sorted(y for _, y in bar) == pytest.approx(expected, abs=0.05)
    assert bars[0][0][0] < bars[1][0][0]


def test_early_values_may_leave_the_scale_and_later_ones_do_not():
    later = [(0.5, 0.1, 0.9), (0.52, 0.45, 0.6), (0.51, 0.48, 0.55)]
    made = race(STEPS, {"dense": [(0.95, 0.0, 1.0), *later]}, **AXES, look=Look())
    at, up = by_ticks(made, 1)
    inside = range(284)  # the axes end above the words below them
    assert all(round(at + up * value) in inside for value in (0.5, 0.52, 0.45, 0.6))
    assert not any(round(at + up * value) in inside for value in (0.95, 0.1, 0.9))


def test_the_axis_begins_where_the_first_line_does():
    """Before 250 nobody has a mean: what is drawn is what the later steps alone give."""
    none = (None, None, None)
    lines_of = {
        "dense": [none, none, (0.4, 0.3, 0.5), (0.5, 0.4, 0.6)],
        "sparse": [none, none, none, (0.2, 0.1, 0.3)],
    }
    later = {name: line[2:] for name, line in lines_of.items()}
    made, expected = race(STEPS, lines_of, **AXES, look=Look()), race(STEPS[2:], later, **AXES, look=Look())
    assert by_ticks(made, 0) == pytest.approx(by_ticks(expected, 0))
    assert lines(made, "#0072b2") == lines(expected, "#0072b2") != []


def test_one_moment_has_one_number_below_it():
    made = race([631], {"dense": [(0.4, 0.3, 0.5)], "sparse": [(0.2, 0.1, 0.3)]}, **AXES, look=Look())
    assert [said.text for said in texts(made)].count("631") == 1
    assert not {"630", "632"} & {said.text for said in texts(made)}


def test_what_is_absent_is_a_gap():
    none = (None, None, None)
    values = [(0.2, 0.1, 0.3), none, (0.4, None, None), (0.5, None, None)]
    made = race(STEPS, {"late": values}, **AXES, look=Look()).decode()
    path = re.search(r'<path d="([^"]*)"[^>]*style="fill: none; stroke: #0072b2', made).group(1)
    assert path.count("L ") == 1


@pytest.mark.parametrize("look", [Look(), Look(width=NARROW, height=360, theme="dark")])
def test_names_stand_beside_the_ends_and_apart(look):
    runs = {f"run-{i}": [(0.5, 0.4, 0.6)] * 3 + [(0.5 + i / 1000, 0.4, 0.6)] for i in range(8)}
    made = race(STEPS, runs, **AXES, look=look)
    named = [said for said in texts(made) if said.text.startswith("run-")]
    assert [said.text for said in named] == [f"run-{i}" for i in range(MOST_RACERS)]
    heights = [said.y for said in named]
    assert heights == sorted(heights, reverse=True)  # the highest mean on top
    assert min(a - b for a, b in pairwise(heights)) > 9
    assert len({said.style for said in named}) == MOST_RACERS


def test_marks_say_what_happened_while_they_are_few():
    values = {"a": [(0.5, None, None)] * 4}
    made = race(STEPS, values, **AXES, look=Look(), marks=[(250, "1 excluded")])
    assert "1 excluded" in words(made)
    many = race(STEPS, values, **AXES, look=Look(), marks=[(i, f"mark {i}") for i in range(20)])
    assert not [said for said in words(many) if said.startswith("mark")]
    assert many.count(b"stroke-dasharray") == 20


@pytest.mark.parametrize("look", [Look(), Look(width=NARROW, height=360)])
def test_what_happened_at_the_first_step_is_said_above_the_frame(look):
    """There the axis and the first values, which swing, would go through its words."""
    values = {"a": [(0.9, None, None), *[(0.5, None, None)] * 3]}
    marks = [(0, "1 excluded"), (4, "2 let back"), (250, "later")]
    made = race(STEPS, values, **AXES, look=look, marks=marks)
    dashed = re.findall(r'<path d="([^"]*)"[^>]*stroke-dasharray', made.decode())
    frame = min(float(y) for line in dashed for y in re.findall(r"[ML] [-\d.]+ ([-\d.]+)", line))
    said = {one.text: one for one in texts(made)}
    assert said["1 excluded, 2 let back"].y < frame < said["later"].y


def test_one_moment_and_none_are_drawn_too():
    assert race([7], {"a": [(0.5, 0.4, 0.6)]}, **AXES, look=Look())
    for racers in ({}, {"a": [(None, None, None)]}):
        assert "No run has a mean yet." in words(race([1], racers, **AXES, look=Look()))
