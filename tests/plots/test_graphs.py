"""Preference graphs as drawings: items, counts and the order of the layers, read back from the SVG."""

import re
from itertools import pairwise

import pytest

from prefir.plots import NARROW, WIDE, Edge, Look, Node, preferences
from tests.plots.reading import texts, words

NODES = [Node(1, "doc-a", 0, top=True), Node(2, "doc-b", 1), Node(3, "doc-c", 1), Node(4, "doc-d", 2)]
EDGES = [
    Edge(1, 2, "preferred"),
    Edge(1, 3, "contradicted", "2:1"),
    Edge(2, 4, "cycle"),
    Edge(4, 3, "against"),
    Edge(2, 3, "tie", "1="),
]
LOOKS = [Look(height=520), Look(width=NARROW, height=640, theme="dark")]


def place(svg: bytes, said: str) -> tuple[float, float]:
    (found,) = [text for text in texts(svg) if text.text == said]
    return found.x, found.y


@pytest.mark.parametrize("look", LOOKS)
def test_layers_follow_each_other_from_the_best_on(look):
    drawn = preferences(NODES, EDGES, topic="t", look=look)
    along = [place(drawn, str(node.number))[1 if look.narrow else 0] for node in NODES]
    assert along[0] < along[1] < along[3]
    assert along[1] == pytest.approx(along[2])


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_odd_is_named_and_counted(look):
    said = words(preferences(NODES, EDGES, topic="t", look=look))
    named = {"contradicted", "on a cycle", "against the order", "tie", "preferred to"}
    assert {*named, "2:1", "1="} <= set(said)
    plain = words(preferences(NODES, EDGES[:1], topic="t", look=look))
    assert {"contradicted", "on a cycle", "tie"}.isdisjoint(plain)


@pytest.mark.parametrize("look", LOOKS)
def test_items_of_pinned_runs_bear_their_ranks_in_their_colours(look):
    nodes = [Node(1, "doc-a", 0, signs=((1, 13), (3, 22))), Node(2, "doc-b", 1)]
    drawn = preferences(nodes, EDGES[:1], topic="t", look=look)
    (x, y), (there, above) = place(drawn, "1"), place(drawn, "13")
    assert above < y
    assert abs(there - x) < 20
    assert place(drawn, "22")[0] > there
    pins = look.colours.pins
    assert [pin for pin in pins[1:] if pin.encode() in drawn] == [pins[2]]


def test_a_count_stands_at_its_line():
    """The two ends are on one height, so the middle of the bent line is between them."""
    nodes = [Node(1, "a", 0), Node(2, "b", 1)]
    drawn = preferences(nodes, [Edge(1, 2, "contradicted", "3:2")], topic="t", look=Look(height=520))
    (x1, y1), (x2, _), (x, y) = place(drawn, "1"), place(drawn, "2"), place(drawn, "3:2")
    assert x == pytest.approx((x1 + x2) / 2, abs=12)
    assert abs(y - y1) < 0.2 * abs(x2 - x1)


@pytest.mark.parametrize("look", LOOKS)
def test_no_line_goes_through_words(look):
    """Names and counts stand above the lines, on ground that covers them."""
    drawn = preferences(NODES, EDGES, topic="t", look=look).decode()
    assert re.findall(r"fill: (#\w+); opacity: [\d.]+", drawn).count(look.colours.paper) == 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_everything_stands_inside_however_many_items_there_are(width):
    nodes = [Node(n, f"a-long-name-of-a-document-{n}", (n - 1) // 5) for n in range(1, 41)]
    edges = [Edge(a, b, "preferred") for a in range(1, 41) for b in range(a + 1, 41, 7)]
    look = Look(width=width, height=640)
    drawn = preferences(nodes, edges, topic="t", look=look)
    shown = texts(drawn)
    assert {str(n) for n in range(1, 41)} <= {text.text for text in shown}
    # In points, of which a pixel has three quarters.
    assert all(0 < text.x < 0.75 * width and 0 < text.y < 0.75 * 640 for text in shown)


def test_names_keep_their_beginnings_and_the_ends_by_which_they_differ():
    nodes = [Node(n, f"MARCO_D000000000000{n}", n - 1) for n in range(1, 8)]
    said = [one for one in words(preferences(nodes, [], topic="t", look=Look(height=520))) if "…" in one]
    assert len(set(said)) == 7
    assert all(one.startswith("MARCO_") for one in said)


def test_names_of_a_layer_leave_each_other_room_on_a_narrow_drawing():
    """Items of a layer stand where their lines lead, not evenly."""
    ends = [(1, 5), (1, 6), (2, 7), (2, 5), (3, 7), (4, 8), (6, 9), (7, 10), (8, 10), (8, 9)]
    layers = enumerate((0, 0, 0, 0, 1, 1, 1, 1, 2, 2), 1)
    nodes = [Node(n, f"a-long-name-of-a-document-{n}", layer) for n, layer in layers]
    edges = [Edge(a, b, "preferred") for a, b in ends]
    drawn = preferences(nodes, edges, topic="t", look=Look(width=NARROW, height=640))
    names = sorted((one for one in texts(drawn) if "…" in one.text), key=lambda one: (one.y, one.x))
    beside = [(one, two) for one, two in pairwise(names) if one.y == two.y]
    assert beside
    for one, two in beside:
        assert two.x - one.x >= 0.75 * 7.2 * (1 + (len(one.text) + len(two.text)) / 2)


def test_equal_graphs_have_equal_bytes_and_nothing_says_so():
    look = Look(height=520)
    made = [preferences(NODES, EDGES, topic="t", look=look) for _ in range(2)]
    assert made[0] == made[1]
    assert "No pair of this topic is judged yet." in words(preferences([], [], topic="t", look=look))
    pdf = preferences(NODES, EDGES, topic="$x^2", look=Look(kind="pdf", height=520))
    assert pdf.startswith(b"%PDF")
