"""Properties that every measure of the table has: range, symmetry, names, depth; and that none is missing."""

import ast
import re
from collections.abc import Callable
from functools import partial
from inspect import signature
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import prefir.measures
from prefir.measures import MEASURES, GridPlacement, Inputs, Judgment, Measure, PreferenceGraph
from prefir.measures.measure import declared
from prefir.measures.measure import measure as declare
from prefir.measures.registry import _MODULES
from tests.ground import ROOT

from .cases import ITEMS, judgments, levels, pairs, rankings, ties

FOLDER = Path(prefir.measures.__file__).parent
everything = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)

# Public functions that give a number and are no measures: parts of one, or other forms of it.
PARTS = {
    "binomial_p": "tests a share against one half",
    "cohen_kappa": "a form of Fleiss' κ, of two assessors",
    "compare_agreement": "tests two measures against each other",
    "diversity_compatibility": "a form of compatibility, of items that answer subtopics",
    "free_marginal_kappa": "a form of Fleiss' κ, with equal chances of all options",
    "gwet_ac1": "a form of Fleiss' κ, with another chance",
    "second_preferred": "turns two values of PWP into a probability",
    "sign_test": "tests how often one of two was preferred",
    "topics_needed": "plans a study, from the effect of two runs",
}


class Case(NamedTuple):
    """Random inputs of a measure, and how the same inputs look when every item is called otherwise."""

    inputs: tuple
    renamed: Callable[[Callable[[str], str]], tuple]


def plain(ranking, new):
    return [new(item) for item in ranking]


def graph_case(draw):
    edges, even = draw(judgments), draw(ties)

    def made(new):
        return PreferenceGraph([(new(a), new(b)) for a, b in edges], ties=[(new(a), new(b)) for a, b in even])

    return made


def grid_of(items, width):
    """The items in rows of `width`, the last one maybe shorter."""
    lengths = [min(width, len(items) - start) for start in range(0, len(items), width)]
    return [
        GridPlacement(item, at // width, at % width, lengths[at // width]) for at, item in enumerate(items)
    ]


answers = st.dictionaries(pairs.map(lambda pair: tuple(sorted(pair))), st.sampled_from([-1, 0, 1]))
few = st.lists(st.sampled_from(ITEMS), unique=True)


@st.composite
def rankings_case(draw):
    a, b = draw(rankings), draw(rankings)
    return Case((a, b), lambda new: (plain(a, new), plain(b, new)))


@st.composite
def lengths_case(draw):
    a, b = draw(rankings), draw(rankings)
    lengths = {item: draw(st.integers(1, 5000)) for item in sorted({*a, *b})}
    return Case(
        (a, b, lengths),
        lambda new: (plain(a, new), plain(b, new), {new(item): n for item, n in lengths.items()}),
    )


@st.composite
def rankings_and_grades_case(draw):
    a, b, grades = draw(rankings), draw(rankings), draw(levels)
    return Case(
        (a, b, grades),
        lambda new: (plain(a, new), plain(b, new), {new(docno): grade for docno, grade in grades.items()}),
    )


@st.composite
def grades_case(draw):
    run, grades = draw(rankings), draw(levels)
    return Case((run, grades), lambda new: (plain(run, new), {new(d): g for d, g in grades.items()}))


@st.composite
def run_and_graph_case(draw):
    run, graph = draw(rankings), graph_case(draw)
    return Case((run, graph(str)), lambda new: (plain(run, new), graph(new)))


@st.composite
def grids_case(draw):
    graph, width = graph_case(draw), draw(st.integers(1, 4))
    shown = {system: draw(few) for system in ("one", "two")}

    def made(new):
        return {system: grid_of(plain(items, new), width) for system, items in shown.items()}, graph(new)

    return Case(made(str), made)


def named_answers(found, new):
    return {(new(a), new(b)): answer for (a, b), answer in found.items()}


@st.composite
def grid_case(draw):
    items, found, width = draw(few), draw(answers), draw(st.integers(1, 4))

    def made(new):
        return grid_of(plain(items, new), width), named_answers(found, new)

    return Case(made(str), made)


@st.composite
def systems_case(draw, as_grid=False):
    shown, found, width = draw(few), draw(answers), draw(st.integers(1, 4))
    first, second = shown[: len(shown) // 2], shown[len(shown) // 2 :]

    def made(new):
        both = (plain(first, new), plain(second, new))
        return *(grid_of(part, width) if as_grid else part for part in both), named_answers(found, new)

    return Case(made(str), made)


@st.composite
def preferences_case(draw):
    found = draw(answers)
    return Case((found,), lambda new: (named_answers(found, new),))


@st.composite
def judgments_case(draw):
    given = [
        (*draw(pairs), draw(st.sampled_from([-2, -1, 0, 1, 2])), draw(st.sampled_from(["ann", "bob"])))
        for _ in range(draw(st.integers(0, 20)))
    ]

    def made(new):
        return ([Judgment("t", new(a), new(b), choice, who) for a, b, choice, who in given],)

    return Case(made(str), made)


def without_names(strategy):
    """Inputs in which no item is named: called otherwise they are what they were."""
    return strategy.map(lambda inputs: Case(inputs, lambda new: inputs))


vectors = st.integers(1, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=n, max_size=n)] * 2)
)
tables = st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=6)
counts = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)
units = st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), max_size=12)
CASES = {
    Inputs.RANKINGS: rankings_case(),
    Inputs.LENGTHS: lengths_case(),
    Inputs.RANKINGS_AND_GRADES: rankings_and_grades_case(),
    Inputs.GRADES: grades_case(),
    Inputs.GRAPH: run_and_graph_case(),
    Inputs.GRIDS: grids_case(),
    Inputs.GRID: grid_case(),
    Inputs.SYSTEMS: systems_case(),
    Inputs.TWO_GRIDS: systems_case(as_grid=True),
    Inputs.UNITS: without_names(st.tuples(units)),
    Inputs.JUDGMENTS: judgments_case(),
    Inputs.PREFERENCES: preferences_case(),
    Inputs.CHOICES: without_names(st.tuples(st.lists(st.integers(-2, 2)))),
    Inputs.SCORES: without_names(st.tuples(tables)),
    Inputs.MEANS: without_names(vectors),
    Inputs.TABLE: without_names(st.tuples(counts)),
}


def same(value: float, other: float) -> bool:
    return (isnan(value) and isnan(other)) or value == pytest.approx(other, abs=1e-12)


def options_of(measure: Measure) -> set[str]:
    return set(signature(measure.function).parameters)


def takes(*names: str):
    """The measures that compare a run with something and have all these options."""
    found = [m for m in MEASURES.values() if set(names) <= options_of(m)]
    return pytest.mark.parametrize("measure", found, ids=[m.name for m in found])


@everything
@given(data=st.data())
def test_values_are_in_the_range_that_the_table_gives(measure, data):
    value = measure.of(*data.draw(CASES[measure.inputs]).inputs)
    assert isnan(value) or measure.low <= value <= measure.high


@everything
@given(data=st.data())
def test_items_may_be_called_otherwise(measure, data):
    """Names that keep their order: where nothing else decides, docno order does."""
    case = data.draw(CASES[measure.inputs])
    renamed = case.renamed(lambda item: f"doc-{item}")
    assert same(measure.of(*case.inputs), measure.of(*renamed))


@everything
@given(data=st.data(), names=st.permutations(ITEMS))
def test_items_may_be_called_otherwise_in_any_order_where_every_item_is_ranked(measure, data, names):
    case = data.draw(CASES[measure.inputs])
    new = dict(zip(ITEMS, names, strict=True))
    inputs, renamed = case.inputs, case.renamed(lambda item: new.get(item, item))
    if measure.inputs in (Inputs.GRADES, Inputs.GRAPH):
        whole = [*inputs[0], *(item for item in ITEMS if item not in inputs[0])]
        inputs = (whole, *inputs[1:])
        renamed = ([new.get(item, item) for item in whole], *renamed[1:])
    elif measure.inputs is Inputs.GRIDS:
        return  # equal places of two grids go by docno
    assert same(measure.of(*inputs), measure.of(*renamed))


symmetric = [m for m in MEASURES.values() if m.symmetric]


@pytest.mark.parametrize("measure", symmetric, ids=[m.name for m in symmetric])
@given(data=st.data())
def test_a_symmetric_measure_lets_its_sides_be_swapped(measure, data):
    a, b, *rest = data.draw(CASES[measure.inputs]).inputs
    assert same(measure.of(a, b, *rest), measure.of(b, a, *rest))


distance = [m for m in MEASURES.values() if m.distance]


@pytest.mark.parametrize("measure", distance, ids=[m.name for m in distance])
@given(data=st.data())
def test_a_distance_is_0_from_a_ranking_to_itself(measure, data):
    a, _, *rest = data.draw(CASES[measure.inputs]).inputs
    value = measure.of(a, a, *rest)
    assert value == 0 or isnan(value)


ranked = [m for m in MEASURES.values() if m.inputs in (Inputs.RANKINGS, Inputs.GRADES, Inputs.GRAPH)]


@pytest.mark.parametrize("measure", ranked, ids=[m.name for m in ranked])
@given(data=st.data())
def test_rankings_may_be_numpy_arrays(measure, data):
    run, other = data.draw(CASES[measure.inputs]).inputs
    arrays = (np.array(run, dtype="<U5"), np.array(other, dtype="<U5") if isinstance(other, list) else other)
    assert same(measure.of(*arrays), measure.of(run, other))


@pytest.mark.parametrize("measure", ranked, ids=[m.name for m in ranked])
def test_a_repeated_docno_is_refused_by_name(measure):
    other = {
        Inputs.RANKINGS: ["a", "b"],
        Inputs.GRADES: {"a": 1},
        Inputs.GRAPH: PreferenceGraph([("a", "b")]),
    }
    with pytest.raises(ValueError, match="'b'"):
        measure.of(["a", "b", "b"], other[measure.inputs])


@takes("p", "depth")
@given(data=st.data())
def test_at_depth_1_only_the_first_items_count(measure, data):
    value = measure.of(*data.draw(CASES[measure.inputs]).inputs, p=0.9, depth=1)
    assert isnan(value) or value in (0, 1)


@takes("p", "depth")
@given(data=st.data())
def test_a_reader_without_persistence_sees_only_the_first_items(measure, data):
    """As p goes to 0 all weight comes to stand on the first rank."""
    inputs = data.draw(CASES[measure.inputs]).inputs
    first, impatient = measure.of(*inputs, depth=1), measure.of(*inputs, p=1e-13)
    assert same(impatient, first)


@takes("p", "depth")
@given(data=st.data())
def test_depths_that_nobody_reaches_count_nothing(measure, data):
    """0.8^1000 is 1e-97: twice the depth changes nothing that a float can hold."""
    inputs = data.draw(CASES[measure.inputs]).inputs
    assert same(measure.of(*inputs, p=0.8, depth=1000), measure.of(*inputs, p=0.8, depth=2000))


@takes("p")
@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5, float("nan")])
@settings(max_examples=5)
@given(data=st.data())
def test_a_persistence_outside_0_and_1_is_refused(measure, p, data):
    with pytest.raises(ValueError, match=r"\bp\b"):
        measure.of(*data.draw(CASES[measure.inputs]).inputs, p=p)


@takes("k")
@settings(max_examples=5)
@given(data=st.data())
def test_a_cut_at_0_is_refused(measure, data):
    with pytest.raises(ValueError, match=r"\bk\b"):
        measure.of(*data.draw(CASES[measure.inputs]).inputs, k=0)


@takes("k")
@given(data=st.data())
def test_a_cut_below_the_last_item_counts_nothing(measure, data):
    """No list here has more than 13 items, no topic more than 10."""
    if measure.name in ("p", "judged", "med_precision", "med_ndcg", "med_map"):
        return  # they divide by what k items could give
    inputs = data.draw(CASES[measure.inputs]).inputs
    assert same(measure.of(*inputs, k=40), measure.of(*inputs, k=80))


def functions_that_give_a_number() -> set[str]:
    """Public functions of the library that return a float, by what stands in the code."""
    found = set()
    for path in FOLDER.rglob("*.py"):
        if "kernels" in path.parts:
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                returns = ast.unparse(node.returns) if node.returns else ""
                if returns == "float" and path.name not in INNER:
                    found.add(node.name)
    return found


INNER = {"inputs.py", "distributions.py"}  # med's checks of its arguments; chances, where scipy is not there


def test_every_measure_is_in_the_table():
    """A public function that gives a number is a measure in the table, or is named above as a part of one."""
    tabled = {
        (m.function.func if isinstance(m.function, partial) else m.function).__name__.removeprefix("_")
        for m in MEASURES.values()
    }
    assert functions_that_give_a_number() - tabled - set(PARTS) == set()


def test_every_measure_can_be_imported_from_the_package():
    assert functions_that_give_a_number() <= set(prefir.measures.__all__)


def test_the_papers_behind_the_measures_are_in_the_citation_file():
    """By first author and year, where a measure's source is a paper."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
    known = {(reference["authors"][0]["family-names"], str(reference["year"])) for reference in cited}
    sources = {measure.source for measure in MEASURES.values()}
    years = {source: re.search(r"\b(?:19|20)\d\d\b", source) for source in sources}
    papers = {(re.match(r"[^\s,]+", source)[0], year[0]) for source, year in years.items() if year}
    assert papers - known == set()


def test_the_table_names_what_its_modules_declare():
    for module, names in _MODULES.items():
        assert [*declared(f"prefir.measures.{module}")] == names.split(), module


def test_every_kind_of_input_is_tried():
    assert {measure.inputs for measure in MEASURES.values()} <= set(CASES)


def test_names_are_written_once_and_as_the_command_line_writes_them():
    assert all(name == measure.name for name, measure in MEASURES.items())
    assert all(name.isidentifier() and name == name.lower() for name in MEASURES)
    assert all(m.title and m.source and m.low < m.high for m in MEASURES.values())


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="there is a measure 'rbo' already"):
        declare(name="rbo", title="Another", inputs=Inputs.RANKINGS, source="nobody")(len)
