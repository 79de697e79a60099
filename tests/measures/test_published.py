"""Published figures, recomputed from the public data: CAsT 2019 and the image preferences."""

import json
from collections import Counter

import pytest

from prefir.measures import PreferenceGraph, compatibility, pgc, pgc_grid
from tests.public_data import DATA, needs_data

pytestmark = needs_data


@pytest.fixture(scope="module")
def grades():
    by_topic: dict[str, dict[str, int]] = {}
    for line in (DATA / "cast2019/2019qrels.txt").open():
        topic, _, docno, grade = line.split()
        by_topic.setdefault(topic, {})[docno] = int(grade)
    return by_topic


def test_graphs_derived_from_cast_grades_have_5552_edges_a_topic(grades):
    """Luo's thesis: 5,552.38 edges per topic of CAsT 2019 with grade 0, over 173 topics."""
    edges = [PreferenceGraph.derived(grade, with_zero=True).edge_count for grade in grades.values()]
    assert len(edges) == 173
    assert round(sum(edges) / 173, 2) == 5552.38


def test_crowd_judgments_are_84_a_topic():
    """Luo's thesis: 84.24 crowd judgments per topic, over 173."""
    graphs: dict[str, PreferenceGraph] = {}
    for line in (DATA / "cast2019/TREC-CAsT-2019.pref").open():
        topic, a, b, winner = line.split()
        graphs.setdefault(topic, PreferenceGraph()).add(winner, b if winner == a else a)
    assert round(sum(graph.edge_count for graph in graphs.values()) / 173, 2) == 84.24


def test_on_cast_grades_pgc_is_compatibility_without_nrbo(grades):
    """The thesis's identity, on real grades; a run in docno order stands in for a system."""
    for grade in list(grades.values())[:20]:
        run = sorted(grade)
        assert pgc(run, PreferenceGraph.derived(grade)) == compatibility(run, grade, nrbo=False)


def image_graphs():
    graphs: dict[str, PreferenceGraph] = {}
    lines = (DATA / "image-preferences/image_pairs_annotation").open(encoding="utf-8")
    next(lines)
    for line in lines:
        topic, pair, *labels = line.rstrip("\n").split("\t")
        left, right = pair.split(",")
        graph = graphs.setdefault(topic, PreferenceGraph())
        for label in map(float, labels):
            if label:
                graph.add(*((left, right) if label < 0 else (right, left)))
            else:
                graph.add_tie(left, right)
    return graphs


def test_image_grids_agree_with_the_page_preferences_as_published():
    """Luo's thesis, figure 5.8, default order. Rows: PGC is higher for Sogou, for Baidu; columns: the
    page that people preferred was Sogou's, Baidu's, neither. Each of three labels makes an edge."""
    folder = DATA / "image-preferences"
    graphs = image_graphs()
    positions = json.loads((folder / "Image_position.json").read_text())
    table: Counter[tuple[str, str]] = Counter()
    for line in (folder / "SERP_level_preference").read_text(encoding="utf-8").splitlines()[1:]:
        topic, preferred = line.split("\t")
        grids = {
            name: [
                (f"{name}/{topic}_{image}.jpg", *place) for image, place in positions[topic][engine].items()
            ]
            for engine, name in (("0", "sogou"), ("1", "baidu"))
        }
        values = pgc_grid(grids, graphs[topic], order="default", p=0.95, depth=1000)
        table[max(values, key=values.__getitem__), preferred] += values["sogou"] != values["baidu"]
    assert [table["sogou", preferred] for preferred in "021"] == [6, 3, 4]
    assert [table["baidu", preferred] for preferred in "021"] == [22, 25, 42]
