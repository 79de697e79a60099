"""Ceilings of measures against all rankings of small topics, one by one."""

from itertools import chain, permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures import MEASURES, PreferenceGraph, Rankings, measure_ceiling, pwp, pwp_ceiling, score
from prefir.measures.ceilings import INEXACT
from prefir.measures.measure import Inputs
from prefir.measures.measure_names import options_of

# One of them is never judged.
FEW = "abcd"
RANKINGS = list(chain.from_iterable(permutations(FEW + "z", n) for n in range(len(FEW) + 2)))
ALL = Rankings({str(n): {"t": ranking} for n, ranking in enumerate(RANKINGS)})
pairs = st.sampled_from([(a, b) for a in FEW for b in FEW if a != b])
graphs = st.builds(PreferenceGraph, st.lists(pairs, max_size=14), ties=st.lists(pairs, max_size=2))
grades = st.dictionaries(st.sampled_from(FEW), st.sampled_from([-1, 0, 0.5, 1, 2, 3]))
cuts = st.none() | st.integers(1, 5)
WITH_CUT = [name for name, each in MEASURES.items() if each.rows and name not in ("compatibility", "pgc")]


def best(name, judged, **options):
    """The highest value that the measure gives any of the rankings; nan where all are absent."""
    values = score(name, {"t": judged}, ALL, **options).values[0]
    return max((value for value in values.tolist() if not isnan(value)), default=float("nan"))


def agrees(name, judged, **options):
    """Compare with the best of all rankings; whether the ceiling is said to be exact."""
    found, slow = measure_ceiling(name, judged, **options), best(name, judged, **options)
    if isnan(slow):
        assert isnan(found.value)
        assert found.exact
    elif found.exact:
        assert found.value == pytest.approx(slow, abs=1e-12)
    else:
        assert name in INEXACT
        assert slow - 1e-12 <= found.value <= 1
    return found.exact


@pytest.mark.parametrize("name", [name for name in WITH_CUT if MEASURES[name].inputs is Inputs.GRADES])
@settings(max_examples=30)
@given(judged=grades, k=cuts)
def test_no_ranking_is_better_than_the_ceiling_on_grades_and_one_reaches_it(name, judged, k):
    options = options_of(MEASURES[name])
    assert agrees(name, judged, **({"k": k or options["k"].default} if "k" in options else {}))


@pytest.mark.parametrize("name", [name for name in WITH_CUT if MEASURES[name].inputs is Inputs.GRAPH])
@settings(max_examples=60)
@given(judged=graphs, k=cuts)
def test_no_ranking_is_better_than_the_ceiling_on_preferences(name, judged, k):
    """Where it is said to be exact one reaches it."""
    assert agrees(name, judged, k=k) or name in INEXACT


@settings(max_examples=60)
@given(judged=graphs, p=st.sampled_from([0.3, 0.8, 0.95]), depth=st.sampled_from([2, 4, 1000]))
def test_the_ceiling_of_pgc_is_reached_whatever_contradicts(judged, p, depth):
    assert agrees("pgc", judged, p=p, depth=depth)
    assert agrees("pgc", judged, p=p, depth=depth, normalize=False)


@given(judged=grades, p=st.sampled_from([0.3, 0.8, 0.95]), depth=st.sampled_from([2, 1000]))
@settings(max_examples=30)
def test_the_ceiling_of_compatibility_is_1_or_without_nrbo_that_of_rbo(judged, p, depth):
    assert agrees("compatibility", judged, p=p, depth=depth)
    assert agrees("compatibility", judged, p=p, depth=depth, nrbo=False)
    normalized = measure_ceiling("compatibility", judged, p=p, depth=depth).value
    assert isnan(normalized) or normalized == 1


def shares(graph, of):
    """The best share over all sets of items: `of` gives the two sums of a set."""
    found = []
    for bits in range(1, 2 ** len(graph.nodes)):
        among = {node for at, node in enumerate(graph.nodes) if bits >> at & 1}
        top, whole = of(among)
        if whole:
            found.append(top / whole)
    return max(found, default=float("nan"))


def random_graph(random, items):
    """Votes on most pairs, many of which contradict each other; some ties."""
    docnos = [f"d{n}" for n in range(items)]
    drawn = random.integers(0, items, (items * 6, 2))
    edges = [(docnos[min(a, b)], docnos[max(a, b)]) for a, b in drawn if a != b]
    edges = [edge if random.random() < 0.65 else edge[::-1] for edge in edges]
    return PreferenceGraph(edges[items:], ties=edges[:items])


@pytest.mark.parametrize("seed", range(12))
def test_best_sets_are_those_of_all_sets(seed):
    """The minimum cut against each of 511 sets."""
    graph = random_graph(np.random.default_rng(seed), 9)
    edges, ties = list(graph.edges()), list(graph.ties())

    def crossing(among):
        won = sum(n for u, v, n in edges if u in among and v not in among)
        lost = sum(n for u, v, n in edges if v in among and u not in among)
        tied = sum(n for u, v, n in ties if (u in among) != (v in among))
        return won + tied / 2, won + lost + tied

    def ordered(among):
        top = sum(n for u, v, n in edges if u in among and v not in among)
        inside = {(min(u, v), max(u, v)) for u, v, _ in edges if u in among and v in among}
        top += sum(max(graph.times(u, v), graph.times(v, u)) for u, v in inside)
        return top, sum(n for u, v, n in edges if u in among or v in among)

    assert measure_ceiling("win_rate", graph).value == pytest.approx(shares(graph, crossing), abs=1e-12)
    assert measure_ceiling("wpref", graph).value == pytest.approx(shares(graph, ordered), abs=1e-12)


def test_a_set_may_win_more_than_each_of_its_items():
    """Two items that beat each other equally often, and all others always."""
    graph = PreferenceGraph([("a", "b"), ("b", "a"), ("a", "c"), ("b", "c"), ("b", "d")])
    assert measure_ceiling("win_rate", graph, k=2) == (1.0, True)
    alone = measure_ceiling("win_rate", graph, k=1)
    assert alone == (1.0, False)
    assert best("win_rate", graph, k=1) == 3 / 4


@given(
    answers=st.dictionaries(
        st.sampled_from([(a, b) for a in "abcxy" for b in "abcxy" if a < b]), st.sampled_from([-1, 0, 1])
    ),
    form=st.sampled_from("DWMN"),
    lam=st.sampled_from([0.0, 0.7, 1.0]),
)
@settings(max_examples=80)
def test_no_order_in_a_grid_has_more_pwp(answers, form, lam):
    """Three items and an empty cell, in two rows of two."""
    other = [("x", 0, 0, 2), ("y", 0, 1, 2)]
    cells = [(0, 0, 2), (0, 1, 2), (1, 1, 2)]
    values = [
        pwp(
            [(item, *cell) for item, cell in zip(items, cells, strict=True)],
            other,
            answers,
            form=form,
            lam=lam,
        )
        for items in permutations("abc")
    ]
    given = [(item, *cell) for item, cell in zip("abc", cells, strict=True)]
    found = pwp_ceiling(given, other, answers, form=form, lam=lam)
    slow = max((value for value in values if not isnan(value)), default=float("nan"))
    if found.exact:
        assert found.value == pytest.approx(slow, nan_ok=True)
    else:
        assert isnan(slow) or slow <= found.value <= 1
    if not {("a", "b"), ("a", "c"), ("b", "c")} <= answers.keys() and not isnan(slow) and form in "DW":
        assert found.exact  # without a circle


def test_five_thousand_times_the_judgments_leave_the_shares_as_they_are():
    """Past the whole numbers of 32 bits."""
    once = random_graph(np.random.default_rng(3), 9)
    often = PreferenceGraph(
        ((u, v) for u, v, times in once.edges() for _ in range(5_000 * times)),
        ties=((a, b) for a, b, times in once.ties() for _ in range(5_000 * times)),
    )
    for name in ("win_rate", "wpref"):
        assert measure_ceiling(name, often) == measure_ceiling(name, once)
        assert 0.5 < measure_ceiling(name, once).value < 1


def test_what_has_no_ceiling_is_refused():
    with pytest.raises(ValueError, match="no measure 'rbo' of runs"):
        measure_ceiling("rbo", {})
    with pytest.raises(ValueError, match="no ceiling"):
        measure_ceiling("wpref", PreferenceGraph([("a", "b")]), normalize=False)
    with pytest.raises(ValueError, match="k is 0"):
        measure_ceiling("wpref", PreferenceGraph([("a", "b")]), k=0)
