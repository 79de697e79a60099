"""Maps of systems and Shepard plots: places, circles and the scale, read back from the drawing."""

import pytest

from prefir.plots import NARROW, Look, shepard, system_map
from prefir.plots.maps import round_step
from tests.plots.reading import by_ticks, points, texts, words

NAMES = ["dense", "hybrid", "lexical", "shuffled"]
PLACES = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.1), (-0.2, -0.3)]


@pytest.mark.parametrize("look", [Look(height=560), Look(width=NARROW, height=400, theme="dark")])
def test_a_map_keeps_the_shape_of_what_it_is_given(look):
    made = system_map(NAMES, PLACES, [None] * 4, distance="1 − RBO", look=look)
    drawn = points(made)
    assert len(drawn) == 4
    (x0, y0), scale = drawn[0], (drawn[1][0] - drawn[0][0]) / 0.3
    assert scale > 0
    expected = [(x0 + scale * x, y0 - scale * y) for x, y in PLACES]
    assert [v for place in drawn for v in place] == pytest.approx([v for p in expected for v in p], abs=0.01)
    assert set(NAMES) <= set(words(made))
    said = next(said.text for said in texts(made) if said.text.startswith("distance "))
    assert round_step(float(said.split()[1])) == pytest.approx(float(said.split()[1]))


def test_circles_are_drawn_for_those_that_have_a_stability():
    with_circles = system_map(NAMES, PLACES, [0.1, 0.2, None, 0.0], distance="d", look=Look())
    assert len(points(with_circles)) == 6
    assert len(points(system_map(NAMES, PLACES, [0.0] * 4, distance="d", look=Look()))) == 4


def test_marked_systems_are_named_first_and_have_their_own_colour():
    many = 80
    names = [f"a-run-with-a-long-name-{i}" for i in range(many)]
    places = [(i % 9 / 100, i // 9 / 100) for i in range(many)]
    made = system_map(names, places, [None] * many, distance="d", look=Look(width=NARROW), marked=[77])
    assert names[77][:8] + "…" + names[77][-9:] in words(made)
    assert made.count(b"#d55e00") == 1


def test_of_many_systems_the_first_and_those_that_are_marked_are_named():
    names = [f"run-{i}" for i in range(60)]
    places = [(i % 8 / 10, i // 8 / 10) for i in range(60)]
    made = words(system_map(names, places, [None] * 60, distance="d", look=Look(), marked=[50], named=2))
    assert {one for one in made if one.startswith("run-")} == {"run-0", "run-1", "run-50"}


def test_pinned_systems_have_their_colours_and_are_named():
    look = Look(width=NARROW, theme="dark")
    made = system_map(NAMES, PLACES, [None] * 4, distance="d", look=look, pins={2: 3, 0: 5})
    pins = look.colours.pins
    assert [pin for pin in pins if pin.encode() in made] == [pins[2], pins[4]]
    assert {NAMES[0], NAMES[2]} <= set(words(made))


def test_marked_systems_are_named_where_there_is_no_room_for_any_name():
    names = [f"run-{i}" for i in range(400)]
    places = [(i % 20 / 100, i // 20 / 100) for i in range(400)]
    for marked in ([], [210, 250]):
        made = words(
            system_map(names, places, [None] * 400, distance="d", look=Look(width=NARROW), marked=marked)
        )
        assert [name for name in (names[210], names[250]) if name in made] == [names[i] for i in marked]


@pytest.mark.parametrize(("most", "expected"), [(1.0, 1.0), (0.99, 0.5), (0.034, 0.02), (70, 50), (0, 0)])
def test_round_lengths(most, expected):
    assert round_step(most) == pytest.approx(expected)


def test_a_shepard_plot_has_each_pair_where_its_distances_are():
    pairs = [(0.2, 0.25), (0.5, 0.4), (0.9, 0.9)]
    made = shepard(pairs, distance="1 − RBO", look=Look())
    for axis in (0, 1):
        offset, scale = by_ticks(made, axis)
        assert [place[axis] for place in points(made)] == pytest.approx(
            [offset + scale * pair[axis] for pair in pairs], abs=0.01
        )
    assert by_ticks(made, 0)[1] == pytest.approx(-by_ticks(made, 1)[1], rel=1e-3)  # alike on both axes


def test_too_few_systems_leave_a_sentence():
    for count in (0, 1):
        made = system_map(NAMES[:count], PLACES[:count], [None] * count, distance="d", look=Look())
        assert "A map takes two runs that rank a topic." in words(made)
    assert "A map takes two runs that rank a topic." in words(shepard([], distance="d", look=Look()))
    assert system_map(NAMES[:2], [(0.0, 0.0)] * 2, [None, None], distance="d", look=Look())
    assert shepard([(0.0, 0.0)], distance="d", look=Look())
