"""The drawing of a map of systems."""

from math import dist
from xml.etree import ElementTree

import numpy as np
import pytest

from prefir.cli.map_svg import map_svg
from prefir.measures import system_map

POINTS = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (0.0, 1.0), (5.0, 0.5)]
FIVE = system_map([[dist(one, other) for other in POINTS] for one in POINTS])


def drawn(labels, stabilities=None):
    return ElementTree.fromstring(map_svg(FIVE, labels, stabilities))


def test_the_drawing_is_xml_with_a_title_a_description_and_every_name():
    names = ["a & b", "<script>", "one \x00 two", '"q"', "检索"]
    svg = drawn(names, [0.1, 0.2, 0, float("nan"), 0.4])
    texts = ["".join(node.itertext()) for node in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a & b", "<script>", "one   two", '"q"', "检索"} <= set(texts)
    heads = [svg.find(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc")]
    assert svg.get("aria-labelledby").split() == [head.get("id") for head in heads]
    assert all(head.text for head in heads)
    assert {node.tag.partition("}")[2] for node in svg.iter()}.isdisjoint({"script", "image", "style"})


def test_radii_are_proportional_to_the_stabilities():
    svg = drawn("vwxyz", [0.1, 0.2, 0, float("nan"), 0.4])
    circles = list(svg.iter("{http://www.w3.org/2000/svg}circle"))
    radii = [float(circle.get("r")) for circle in circles if circle.get("stroke")]
    assert radii == [7.5, 15, 30, 30]  # the last is the key's


def test_labels_stay_apart_even_where_the_points_do_not():
    """Five systems in one place: no two labels start on the same spot."""
    svg = ElementTree.fromstring(map_svg(system_map(np.zeros((5, 5))), ["system"] * 5))
    texts = [node for node in svg.iter("{http://www.w3.org/2000/svg}text") if node.text == "system"]
    assert len({(node.get("x"), node.get("y")) for node in texts}) == 5


def test_the_key_says_what_the_circles_are():
    assert "sum of variances 0.4" in map_svg(
        FIVE, "vwxyz", [0.1, 0.2, 0, 0.3, 0.4], spread="sum of variances"
    )
    assert "standard deviation 0.4" in map_svg(FIVE, "vwxyz", [0.1, 0.2, 0, 0.3, 0.4])


def test_families_have_a_colour_and_a_line_and_variants_a_shape():
    families = [("A", "plain"), ("A", "quoted"), ("B & C", "plain"), ("B & C", "quoted"), ("D", "plain")]
    svg = ElementTree.fromstring(map_svg(FIVE, "vwxyz", families=families))
    tag = "{http://www.w3.org/2000/svg}"
    signs = [node for node in svg.iter(f"{tag}path") if node.get("transform")]
    points, key = signs[:5], signs[5:]
    hues, shapes = ([node.get(name) for node in points] for name in ("fill", "d"))
    assert (hues[0] == hues[1]) & (hues[2] == hues[3]) & (len(set(hues)) == 3)
    assert (shapes[0] == shapes[2] == shapes[4]) & (shapes[1] == shapes[3]) & (len(set(shapes)) == 2)
    lines = [node.get("stroke") for node in svg.iter(f"{tag}polyline") if node.get("stroke") in hues]
    assert lines[:2] == [hues[0], hues[2]]
    assert len(key) == 5
    assert {"A", "B & C", "D", "plain", "quoted"} <= {node.text for node in svg.iter(f"{tag}text")}
    with pytest.raises(ValueError, match=r"5 points need as many families \(1\)"):
        map_svg(FIVE, "vwxyz", families=families[:1])


def test_a_drawing_needs_a_label_and_a_stability_for_each_point():
    with pytest.raises(ValueError, match=r"5 points need as many labels \(2\)"):
        drawn("ab")
    with pytest.raises(ValueError, match=r"stabilities \(1\)"):
        drawn("abcde", [0.1])
    with pytest.raises(ValueError, match="negative"):
        drawn("abcde", [-0.1, 0, 0, 0, 0])


@pytest.mark.parametrize("metric", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_systems_and_systems_in_one_place_are_drawn_too(count, metric):
    for given in (np.zeros((count, count)), 1 - np.eye(count)):
        svg = map_svg(system_map(given, metric=metric), ["x"] * count, [0.0] * count)
        assert len(ElementTree.fromstring(svg).findall("{http://www.w3.org/2000/svg}text")) > count
