"""docs/measures.md is true: its table is the registry's, its examples run, its sections are complete."""

import re
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, DocTestRunner
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import prefir.measures
from prefir.cli.program import _Commands
from prefir.formats.xie import read_xie_annotations, read_xie_positions, read_xie_serp_preferences
from prefir.measures import (
    MEASURES,
    Judgment,
    Measure,
    PreferenceGraph,
    compare_pwp,
    fleiss_kappa,
    label_units,
    majority_preferences,
    pgc_grid,
    pmr,
    second_preferred,
)
from tests.public_data import DATA

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measures.md"
PAPERS = PAGE.with_suffix("") / "papers.md"
IMAGES = DATA / "image-preferences"
COMMANDS = _Commands()
PRINT = "PYTHONPATH=. .venv/bin/python -m tests.test_measures_page"
SAYS = ("Range", "Ties", "Missing items", "Empty input", "Short lists", "Source")


class Section(NamedTuple):
    """A page's text under one heading, down to the next heading of any level. line: the heading's own."""

    page: str
    heading: str
    text: str
    line: int

    @property
    def measure(self) -> str:
        """The measure that the heading names at its end, as in "### RBO, `rbo`"; else nothing."""
        named = re.fullmatch(r"### .+, `(\w+)`", self.heading)
        return named[1] if named else ""

    @property
    def anchor(self) -> str:
        """The heading's address in its page, as GitHub makes it."""
        return re.sub(r"[^\w\- ]", "", self.heading.lstrip("# ").lower()).replace(" ", "-")


def sections() -> list[Section]:
    found = []
    for path in (PAGE, *sorted(PAGE.with_suffix("").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        starts = [0, *(match.start() for match in re.finditer(r"^##+ ", text, re.M)), len(text)]
        for start, end in pairwise(starts):
            heading = text[start:end].partition("\n")[0]
            page = path.relative_to(PAGE.parent).as_posix()
            found.append(Section(page, heading, text[start:end], 1 + text.count("\n", 0, start)))
    return found


SECTIONS = sections()
BY_MEASURE = {section.measure: section for section in SECTIONS if section.measure}
everything = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def range_of(measure: Measure) -> str:
    low, high = (str(end).replace("inf", "∞") for end in (measure.low, measure.high))
    return f"{'(' if measure.low == -inf else '['}{low}, {high}{')' if measure.high == inf else ']'}"


def table() -> str:
    """The table of measures as the page should have it."""
    lines = ["| name | measure | compares | range | symmetric | source |", "|---|---|---|---|---|---|"]
    for measure in MEASURES.values():
        section = BY_MEASURE.get(measure.name)
        name = f"[`{measure.name}`]({section.page}#{section.anchor})" if section else f"`{measure.name}`"
        symmetric = "yes" if measure.symmetric else "no"
        cells = (name, measure.title, measure.inputs, range_of(measure), symmetric, measure.source)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def test_the_table_is_what_the_registry_gives():
    """The page's own, so that it can be read where nothing runs."""
    written = re.search(r"^\| name \|.*\n(?:\|.*\n)*", PAGE.read_text(encoding="utf-8"), re.M)
    fresh = table()
    assert written is not None, f"the page has no table; `{PRINT}` prints it"
    assert written[0] == fresh, f"paste what `{PRINT}` prints into {PAGE.name}:\n\n{fresh}"


@everything
def test_each_measure_has_a_section_that_says_all_of_it(measure):
    section = BY_MEASURE.get(measure.name)
    assert section, f"no page has a heading '### {measure.title}, `{measure.name}`'"
    assert section.heading == f"### {measure.title}, `{measure.name}`"
    points = dict(re.findall(r"^- \*\*(.+?)\*\*: ((?:.+\n)+?)(?=- |\n)", section.text, re.M))
    assert tuple(points) == SAYS
    assert points["Range"].startswith(range_of(measure))
    assert measure.source in " ".join(points["Source"].split())
    assert "```text\n" in section.text, "no formula"
    assert "\n>>> " in section.text, "no example"


def test_no_section_is_about_a_measure_that_is_not_there():
    assert set(BY_MEASURE) <= set(MEASURES)
    assert len(BY_MEASURE) == sum(bool(section.measure) for section in SECTIONS)


def examples(section: Section) -> Iterator[tuple[str, int]]:
    """Each block of examples and the line that it begins at."""
    for block in re.finditer(r"^```python\n(.*?)^```$", section.text, re.M | re.S):
        yield block[1], section.line + section.text.count("\n", 0, block.start(1)) - 1


def failures_of(section: Section, names: dict[str, Any]) -> str:
    """What the examples gave instead of what they should; `names` is what they may use and add to."""
    said: list[str] = []
    runner = DocTestRunner(optionflags=NORMALIZE_WHITESPACE | ELLIPSIS, verbose=False)
    for source, line in examples(section):
        test = DocTestParser().get_doctest(source, names, section.heading, f"docs/{section.page}", line)
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    return "".join(said)


worked = [section for section in SECTIONS if next(examples(section), None)]


@pytest.mark.parametrize("section", worked, ids=[f"{s.page}#{s.anchor}" for s in worked])
def test_the_examples_give_what_they_show(section):
    """What the page sets up above a section, outside other measures' sections, is there."""
    names: dict[str, Any] = {}
    for earlier in worked:
        if earlier.page == section.page and earlier.line < section.line and not earlier.measure:
            failures_of(earlier, names)
    failures = failures_of(section, names)
    assert not failures, failures


def test_every_block_of_python_is_an_example_that_runs():
    for section in SECTIONS:
        for source, line in examples(section):
            assert source.startswith(">>> "), f"{section.page}, line {line}: nothing would run it"
        assert section.text.count("```python") == sum(1 for _ in examples(section)), section.heading


def test_links_lead_to_pages_and_headings_that_are_there():
    anchors = {(section.page, section.anchor) for section in SECTIONS}
    for section in SECTIONS:
        here = PAGE.parent / section.page
        for link in re.findall(r"\]\((?!https?:)(.+?)\)", section.text):
            path, _, anchor = link.partition("#")
            target = (here.parent / path).resolve() if path else here
            assert target.exists(), f"{section.page}: {link}"
            if anchor:
                page = target.relative_to(PAGE.parent.resolve()).as_posix()
                assert (page, anchor) in anchors, f"{section.page}: {link}"


def test_the_tests_that_hold_the_figures_are_there():
    """`folder/file.py::test` under tests/, in the last column of the tables of figures and of rows."""
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE.read_text("utf-8") + PAPERS.read_text("utf-8"))
    assert len(named) > 80
    for file, test in named:
        assert f"def {test}(" in (ROOT / "tests" / file).read_text(), f"{file}::{test}"


def test_each_row_of_the_tables_of_figures_is_held_by_a_test():
    """By one that it names, by that of the row above, or by one named over the table."""
    figures = PAGE.read_text(encoding="utf-8").partition("## Figures of the papers beside ours")[2]
    for section in figures.split("\n### ")[1:]:
        over, *rows = re.split(r"\n(?=\| )", section)
        held = "::test_" in over
        for row in rows[2:]:
            named = "::test_" in row or "the same test" in row or "the example there" in row
            assert named or held, f"{section.splitlines()[0]}: {row}"


def test_every_row_of_the_five_papers_has_its_place_and_what_works_a_test():
    """Rows, their states, the commands and functions that they name."""
    text = PAPERS.read_text(encoding="utf-8")
    rows = [re.split(r" ?\| ?", line)[1:-1] for line in re.findall(r"^\| [A-Z]\d+ \|.*$", text, re.M)]
    counts = {"L": 20, "X": 10, "M": 8, "S": 10, "C": 17}
    assert [row[0] for row in rows] == [f"{of}{n}" for of, most in counts.items() for n in range(1, most + 1)]
    for name, _, state, where, held in rows:
        assert state in ("Y", "P", "N"), name
        assert state == "N" or "::test_" in held or held == "the same test", name
        for command in re.findall(r"`prefir (\w+)", where):
            assert command in COMMANDS, f"{name}: {command}"
        for function in re.findall(r"`(\w+)(?:\([^`]*)?`", where):
            assert function in prefir.measures.__all__, f"{name}: {function}"


# What is said of figures that differ from the printed ones.


needs_data = pytest.mark.skipif(not IMAGES.is_dir(), reason="needs the public data in ../shared/data")


@pytest.fixture(scope="module")
def study():
    """Pages (-1 Sogou's is preferred, 1 Baidu's), grids of both and labels, topic by topic."""
    pages = {"sogou": -1, "baidu": 1, None: 0}
    serp = read_xie_serp_preferences("pages", IMAGES / "SERP_level_preference")
    sogou, baidu = read_xie_positions("positions", IMAGES / "Image_position.json")
    return (
        [pages[record.winner] for record in serp],
        [(sogou.rankings[record.topic], baidu.rankings[record.topic]) for record in serp],
        [record.topic for record in serp],
    )


def labels() -> Iterator[tuple[str, str, str, list[str]]]:
    """Topic, left, right, and the three labels as they are written."""
    with (IMAGES / "image_pairs_annotation").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            topic, pair, *written = line.rstrip("\n").split("\t")
            left, right = pair.split(",")
            yield topic, left, right, written


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(
    ("skipping", "rows"), [(True, [[8, 4, 5], [20, 24, 41]]), (False, [[9, 4, 5], [19, 24, 41]])]
)
def test_the_printed_euclidean_figures_leave_200_preferences_out(study, skipping, rows):
    """Luo's thesis, figure 5.8: its program skips labels written as 1.0; ours reads them."""
    graphs: dict[str, PreferenceGraph] = {}
    skipped = 0
    for topic, left, right, written in labels():
        graph = graphs.setdefault(topic, PreferenceGraph())
        for label in written:
            if skipping and "." in label:
                skipped += float(label) != 0
            elif float(label):
                graph.add(*((left, right) if float(label) < 0 else (right, left)))
            else:
                graph.add_tie(left, right)
    found = [[0, 0, 0], [0, 0, 0]]
    for page, grids, topic in zip(*study, strict=True):
        named = dict(zip(("sogou", "baidu"), grids, strict=True))
        values = pgc_grid(named, graphs[topic], order="euclidean")
        found[values["baidu"] > values["sogou"]][(-1, 1, 0).index(page)] += 1
    assert found == rows
    assert skipped == (200 if skipping else 0)


@pytest.fixture(scope="module")
def judgments():
    return [
        Judgment(topic, a, b, -strength if winner == a else strength, assessor)
        for topic, a, b, winner, assessor, _, strength in read_xie_annotations(
            "pairs", IMAGES / "image_pairs_annotation"
        )
    ]


@pytest.mark.data
@needs_data
@pytest.mark.parametrize(("split", "spearman", "pearson"), [("left", 0.210, 0.4763), ("tie", 0.209, 0.4764)])
def test_two_figures_of_xie_et_al_turn_on_split_votes(study, judgments, split, spearman, pearson):
    """PMR_M's Spearman correlation and PWP's Pearson correlation: the last digit."""
    from scipy.stats import pearsonr, spearmanr

    by_topic: dict[str, list[tuple[str, str, float]]] = {}
    for topic, left, right, choice, _ in judgments:
        by_topic.setdefault(topic, []).append((left, right, choice))
    pages, grids, topics = study
    told = [majority_preferences(by_topic[topic], split=split) for topic in topics]
    middle = [
        second_preferred(*(pmr(grid, answers, form="M") for grid in pair))
        for pair, answers in zip(grids, told, strict=True)
    ]
    whole = [compare_pwp(*pair, answers).probability for pair, answers in zip(grids, told, strict=True)]
    assert round(spearmanr(middle, pages).statistic, 3) == spearman
    assert round(pearsonr(whole, pages).statistic, 4) == pearson


@pytest.mark.data
@needs_data
def test_no_way_to_count_kappa_comes_near_the_printed_one(judgments):
    """Five options or three, pairs as shown or in docno order: .48 to .51, not .605."""
    turned = [
        Judgment(topic, *sorted((left, right)), choice if left < right else -choice, assessor)
        for topic, left, right, choice, assessor in judgments
    ]
    found = [
        round(fleiss_kappa(unit.values() for unit in label_units(given, merge=merge).values()), 3)
        for given in (judgments, turned)
        for merge in (True, False)
    ]
    assert found == [0.509, 0.478, 0.507, 0.476]


if __name__ == "__main__":
    print(table(), end="")
