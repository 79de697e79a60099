"""Why a topic scores as it does: parts of scores against the stored ones, and windows of its graph."""

import pytest

from collection.models import Run, Study, Topic
from scoring import jobs
from scoring.analysis import explanation
from scoring.compute.graph_layout import MOST_ITEMS, picture
from scoring.compute.score_breakdown import WITH_PARTS, parts
from tests.makers import add_run, finish, whim
from tests.measures.plain import rbo as plain_rbo
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.topic.preference_graph import graph_shown

pytestmark = pytest.mark.django_db


def made(*, topics=2, choose=whim) -> Study:
    """Judged to its end; three runs, and one that ranks what nobody judged, too."""
    study = with_runs(topics=topics, runs=3)
    Study.objects.filter(pk=study.pk).update(measures=" ".join(WITH_PARTS))
    study.refresh_from_db()
    odd = {t.name: [f"{t.name}-junk0", f"{t.name}-b", f"{t.name}-a"] for t in Topic.objects.all()}
    add_run(study, "odd", odd)
    finish(study, choose=choose)
    jobs.sweep()
    return study


@pytest.mark.parametrize("measure", WITH_PARTS)
@pytest.mark.parametrize("p", [0.8, 0.95])
def test_the_parts_of_a_score_add_up_to_what_the_leaderboard_shows(measure, p):
    study = made()
    runs = list(Run.objects.filter(study=study).order_by("name"))
    for topic in study.topics.all():
        for run, found in zip(runs, explanation.run_parts(study, topic, runs, measure, p), strict=True):
            shown = stored.value(run.name, measure, p, topic.name)
            assert found.value == pytest.approx(shown, abs=1e-12)
            assert sum(found.adds) + found.deeper == pytest.approx(shown, abs=1e-12)
            # The page has a line for each depth of the longer list, and one for what is below it.
            assert len(found.adds) == max(len(found.ideal), len(found.ranking))


def test_each_depth_adds_what_the_overlap_there_is_worth():
    """Against the plain loop of the tests, cut off at each depth."""
    from prefir.measures import PreferenceGraph

    graph = PreferenceGraph([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    (found,) = parts(graph, {}, {}, [["b", "x", "a", "d"]], "pgc", 0.8, 4)
    assert found.ideal == ("a", "b", "c", "d")
    run = ["b", "x", "a", "d"]
    whole = sum(0.8**i for i in range(1000))
    expected = [0.8 ** (d - 1) * len({*run[:d]} & {*"abcd"[:d]}) / d / whole for d in range(1, 5)]
    assert found.adds == pytest.approx(expected)
    assert found.value == pytest.approx(plain_rbo(run, "abcd", 0.8, 1000, True))
    assert found.known == {*"abcd"}
    assert (found.at_run["a"], found.at_ideal["a"], "x" in found.at_ideal) == (3, 1, False)


def test_without_a_judgment_there_is_no_score_though_there_are_grades():
    from prefir.measures import PreferenceGraph

    for measure in WITH_PARTS:
        (found,) = parts(PreferenceGraph(), {"a": 1.0}, {"a": 1.0}, [["a"]], measure, 0.8, 4)
        assert (found.value, found.ideal, found.deeper) == (None, (), 0.0)


def test_a_large_graph_is_shown_in_windows_that_hold_every_item_once():
    from prefir.measures import PreferenceGraph

    judgments = [(f"d{i:02}", f"d{(i * 7 + j) % 80:02}") for i in range(80) for j in (1, 2, 5)]
    graph = PreferenceGraph([(u, v) for u, v in judgments if u < v])
    first = picture(graph, {"d05": 1}, 1)
    windows = [picture(graph, {"d05": 1}, part) for part in range(1, first.parts + 1)]
    assert first.parts > 1
    assert max(len(window.items) for window in windows) <= MOST_ITEMS
    numbers = [item.number for window in windows for item in window.items]
    assert numbers == list(range(1, len(graph.nodes) + 1))
    assert (first.items[0].docno, first.items[0].top) == ("d05", True)
    inside = sum(len(window.lines) for window in windows)
    assert 2 * (first.all_pairs - inside) == sum(window.outside for window in windows)
    assert picture(graph, {}, 99).part == picture(graph, {}, 99).parts


def test_items_that_never_met_are_said_to_be_so():
    from prefir.measures import PreferenceGraph

    graph = PreferenceGraph([(f"a{i:02}", f"b{i:02}") for i in range(60)])
    first = picture(graph, {}, 1)
    assert (len(first.items), first.lines, first.outside) == (40, (), 40)
    caption = graph_shown(Study(slug="s"), Topic(pk=1), first, {}).caption
    assert caption.startswith("Items 1 to 40 of 120 are drawn, the best first. 40 pairs with items of other ")
    assert "None of these was judged against another of them." in caption


def test_the_lines_of_a_graph_say_what_is_odd():
    from prefir.measures import PreferenceGraph

    graph = PreferenceGraph(
        [("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "b"), ("x", "a")],
        ties=[("a", "c")],
    )
    found = picture(graph, {"a": 1}, 1)
    named = {item.number: item.docno for item in found.items}
    lines = {(named[line.first], named[line.second]): line for line in found.lines}
    assert (lines["a", "b"].for_first, lines["a", "b"].for_second, lines["a", "b"].cyclic) == (2, 1, False)
    assert lines["x", "a"].against
    assert {pair for pair, line in lines.items() if line.cyclic} == {("b", "c"), ("c", "d"), ("d", "b")}
    assert lines["a", "c"].ties == 1
    assert (found.contradicted, found.cyclic, found.outside) == (1, 3, 0)
