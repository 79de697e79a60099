"""The ideal ranking and PGC: against repeated scans, by hand, and against compatibility."""

from math import isnan
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefir.measures import (
    PreferenceGraph,
    compatibility_ps,
    ideal_ranking,
    pgc,
    pgc_grid_ps,
    pgc_ps,
    pgc_rows,
    rbo,
)
from tests.examples import examples

from . import plain
from .cases import ITEMS, depths, judgments, levels, persistences, rankings, ties

# Luo's thesis, figure 3.2: vertices A to H without E.
FIGURE_3_2 = PreferenceGraph([(a, b) for a, b in ("HB", "AB", "AF", "AG", "BC", "CB", "BD")])


def test_the_worked_example_of_luos_thesis():
    """Figure 3.5: ideal A H B C D G F, RBO .146 at p .95, depth 7, truncated."""
    assert "".join(ideal_ranking("BAxDGyz", FIGURE_3_2)) == "AHBCDGF"
    assert round(pgc("BAxDGyz", FIGURE_3_2, p=0.95, depth=7, normalize=False), 3) == 0.146


def test_the_grid_of_luos_thesis():
    """Figure 5.4: two rows, C B y F and A x D z, by the distance from the top left corner: .162."""
    rows = ("CByF", "AxDz")
    grid = [(item, row, column, 4) for row, items in enumerate(rows) for column, item in enumerate(items)]
    [found] = pgc_grid_ps(
        {"one": grid}, FIGURE_3_2, [0.95], order="euclidean", depth=7, normalize=False
    ).values()
    assert ("".join(found.ideal), "".join(found.ranking)) == ("AHCBDFG", "CABxyDFz")
    assert round(found.values[0], 3) == 0.162


@examples(500)
@given(judgments, ties, rankings)
def test_the_ideal_ranking_agrees_with_repeated_scans(judgments, ties, run):
    """Luo's algorithms 1-7, scanned anew at each step."""
    graph = PreferenceGraph(judgments, ties=ties)
    assert list(ideal_ranking(run, graph)) == plain.graph_ideal(graph.nodes, judgments, run)


@examples(30)
@given(st.randoms(use_true_random=False), st.integers(2, 40), st.integers(0, 400))
def test_larger_graphs_agree_too(random, count, edges):
    """Many cycles, so that the queue of degree differences is used over and over."""
    items = [f"d{i:02}" for i in range(count)]
    judgments = [tuple(random.sample(items, 2)) for _ in range(edges)]
    run = random.sample(items, random.randrange(count))
    graph = PreferenceGraph(judgments, items=items)
    assert list(ideal_ranking(run, graph)) == plain.graph_ideal(items, judgments, run)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "edges"), [(513, 900), (700, 2500), (64, 200), (65, 200), (4200, 300)])
def test_graphs_of_many_words_and_blocks_agree_too(count, edges):
    """Sizes about those at which the compiled sets and the blocks of differences grow by one."""
    random = Random(count)
    items = [f"d{i:04}" for i in range(count)]
    # Where most items have no edge at all, the others make cycles.
    judged = items if edges > count else items[:: count // 100]
    judgments = [tuple(random.sample(judged, 2)) for _ in range(edges)]
    run = random.sample(items, count // 2)
    graph = PreferenceGraph(judgments, items=items)
    assert list(ideal_ranking(run, graph)) == plain.graph_ideal(items, judgments, run)


def test_a_cycle_is_opened_where_the_run_begins():
    """By hand: d is edgeless, so a sink; all differences are 0, so c; then b and a are sinks in turn."""
    graph = PreferenceGraph([("a", "b"), ("b", "c"), ("c", "a")], ties=[("c", "d")])
    assert ideal_ranking("cabd", graph) == ("c", "a", "b", "d")


def test_repeated_judgments_count_in_the_degrees():
    """By hand: in the cycle b has won twice against c (difference 1), so it opens the cycle."""
    graph = PreferenceGraph([("a", "b"), ("b", "c"), ("b", "c"), ("c", "a")])
    assert ideal_ranking("abc", graph) == ("b", "c", "a")


def test_items_that_the_run_lacks_come_in_docno_order():
    graph = PreferenceGraph(items=["n", "m", "o", "k"])
    assert ideal_ranking("o", graph) == ("o", "k", "m", "n")
    cycle = PreferenceGraph([("n", "m"), ("m", "o"), ("o", "n")])
    assert ideal_ranking("", cycle) == ("m", "o", "n")


@given(judgments, rankings)
def test_without_cycles_no_preference_is_violated(judgments, run):
    forward = [(min(pair), max(pair)) for pair in judgments]
    place = {item: i for i, item in enumerate(ideal_ranking(run, PreferenceGraph(forward)))}
    assert all(place[a] < place[b] for a, b in forward)


@given(levels, rankings, st.lists(persistences, max_size=3), depths, st.booleans())
@example({"a": 1, "b": 1}, ["b", "a"], [0.95], 10, True)
def test_on_derived_graphs_pgc_is_compatibility_without_nrbo(grades, run, ps, depth, normalize):
    options = {"depth": depth, "normalize": normalize}
    by_graph = pgc_ps(run, PreferenceGraph.derived(grades), ps, **options)
    by_level = compatibility_ps(run, grades, ps, nrbo=False, **options)
    assert by_graph.ideal == by_level.ideal
    assert list(by_graph.values) == pytest.approx(list(by_level.values), abs=0, nan_ok=True)


@given(judgments.filter(bool), rankings, persistences, depths, st.booleans())
def test_pgc_is_rbo_with_the_ideal_ranking(judgments, run, p, depth, normalize):
    graph = PreferenceGraph(judgments)
    value = pgc(run, graph, p=p, depth=depth, normalize=normalize)
    assert 0 <= value <= 1
    assert value == rbo(run, ideal_ranking(run, graph), p=p, depth=depth, normalize=normalize)


@given(judgments.filter(bool), rankings, st.permutations(ITEMS))
def test_renaming_the_items_changes_nothing_where_the_run_has_them_all(judgments, run, names):
    """Where the run lacks items docno order decides, so there names may only change in order."""
    whole = run + [item for item in ITEMS if item not in run]
    renamed = dict(zip(ITEMS, names, strict=True)) | {item: item for item in "xyz"}
    again = PreferenceGraph((renamed[a], renamed[b]) for a, b in judgments)
    assert pgc([renamed[item] for item in whole], again) == pgc(whole, PreferenceGraph(judgments))
    longer = PreferenceGraph((f"doc-{a}", f"doc-{b}") for a, b in judgments)
    assert pgc([f"doc-{item}" for item in run], longer) == pgc(run, PreferenceGraph(judgments))


@given(judgments, rankings, st.randoms(use_true_random=False))
def test_the_order_in_which_judgments_come_changes_nothing(judgments, run, random):
    shuffled = random.sample(judgments, len(judgments))
    assert ideal_ranking(run, PreferenceGraph(shuffled)) == ideal_ranking(run, PreferenceGraph(judgments))


def test_a_graph_without_judgments_gives_absent_and_not_0():
    result = pgc_ps("ab", PreferenceGraph(), (0.8, 0.95))
    assert [isnan(value) for value in result.values] == [True, True]
    assert pgc("", PreferenceGraph([("a", "b")])) == 0


def test_a_judgment_added_later_counts():
    """The numbered form of the graph is kept between runs and must not outlive a change."""
    graph = PreferenceGraph([("a", "b")])
    assert ideal_ranking("ab", graph) == ("a", "b")
    graph.remove("a", "b")
    graph.add("b", "a")
    assert ideal_ranking("ab", graph) == ("b", "a")


@pytest.mark.parametrize("rows", [[[2]], [[-2]], [0]])
def test_rows_that_number_no_node_are_refused(rows):
    """Compiled code looks at no bounds by itself."""
    with pytest.raises((IndexError, ValueError), match="row"):
        pgc_rows(rows, PreferenceGraph([("a", "b")]))


def test_a_node_twice_in_a_row_counts_at_its_first_place():
    graph = PreferenceGraph([("a", "b")])
    assert pgc_rows([[0, 0, 0, 1]], graph) == pgc_rows([[0, -1, -1, 1]], graph)
