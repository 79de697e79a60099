"""The demonstration material is complete, agrees with itself, and shows what it is meant to show."""

import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from statistics import correlation, mean

import pytest
from PIL import Image

from simulation.demo import make_runs, material
from simulation.demo.material import IMAGES, TEXT
from tests.demo import reading

HALVES = [TEXT, IMAGES]
PICTURES = IMAGES / "pictures"
TEXT_ORDER = ["hybrid", "dense", "lexical", "shuffled"]  # best system first, as make_runs builds them
GRID_ORDER = ["visual", "captions", "filenames"]

Rankings = dict[str, dict[str, list[str]]]


def rankings(half: Path) -> Rankings:
    """Every run of a half as run -> topic -> docnos, best first."""
    if half == TEXT:
        return reading.read_runs(TEXT)
    return {
        name: {topic: [cell.docno for cell in cells] for topic, cells in pages.items()}
        for name, pages in reading.read_grids(IMAGES).items()
    }


def pool(grades: dict[str, int]) -> set[str]:
    """The initial pool by its definition: whole grades from the top while it is smaller than 5, never 0."""
    chosen: set[str] = set()
    for grade in (3, 2, 1):
        if len(chosen) < 5:
            chosen |= {docno for docno, g in grades.items() if g == grade}
    return chosen


def top_five(run: dict[str, list[str]], truth: dict[str, dict[str, float]]) -> dict[str, float]:
    """Mean true quality of the first five items, by topic."""
    return {topic: mean(truth[topic][docno] for docno in docnos[:5]) for topic, docnos in run.items()}


@pytest.mark.parametrize(("half", "topics", "items"), [(TEXT, 8, 14), (IMAGES, 6, 15)])
def test_each_half_has_its_topics_and_items(half, topics, items):
    """The counts that README.md promises."""
    truth = material.read_truth(half)
    assert list(truth) == list(reading.read_topics(half))
    assert [len(found) for found in truth.values()] == [items] * topics
    assert all(docno.startswith(f"{topic}-") for topic in truth for docno in truth[topic])


def test_passages_and_truth_name_the_same_items():
    """Two files written by hand must agree."""
    passages, truth = reading.read_passages(TEXT), material.read_truth(TEXT)
    assert {t: set(found) for t, found in passages.items()} == {t: set(found) for t, found in truth.items()}


def test_passages_are_40_to_110_words_and_all_different():
    """Long enough to judge, short enough for two side by side."""
    texts = [text for found in reading.read_passages(TEXT).values() for text in found.values()]
    assert len(set(texts)) == 112
    assert [text for text in texts if not 40 <= len(text.split()) <= 110] == []


@pytest.mark.parametrize("half", HALVES)
def test_grades_are_the_whole_part_of_a_total_order(half):
    """README.md's definition of the grades; equal qualities would leave a pair without an answer."""
    truth, grades = material.read_truth(half), reading.read_grades(half)
    assert grades == {t: {d: int(q) for d, q in found.items()} for t, found in truth.items()}
    assert all(0 <= q < 4 for found in truth.values() for q in found.values())
    assert all(len(set(found.values())) == len(found) for found in truth.values())


@pytest.mark.parametrize("half", HALVES)
def test_docnos_do_not_give_the_quality_away(half):
    """Numbers were shuffled: they do not rise or fall with quality."""
    for found in material.read_truth(half).values():
        numbers = [int(docno.rsplit("-", 1)[1]) for docno in found]
        assert abs(correlation(numbers, list(found.values()))) < 0.25


@pytest.mark.parametrize("half", HALVES)
def test_some_pools_need_a_reduction_round_and_some_do_not(half):
    """With the default F of 9: more than 9 items need a round before the final."""
    sizes = [len(pool(grades)) for grades in reading.read_grades(half).values()]
    assert min(sizes) == 8
    assert max(sizes) == 11
    assert any(size == 9 for size in sizes)


@pytest.mark.parametrize(("half", "names", "length"), [(TEXT, TEXT_ORDER, 10), (IMAGES, GRID_ORDER, 12)])
def test_runs_rank_items_that_exist_once_each(half, names, length):
    """Every run ranks every topic, to the stated length."""
    truth, runs = material.read_truth(half), rankings(half)
    assert sorted(runs) == sorted(names)
    for run in runs.values():
        assert set(run) == set(truth)
        for topic, docnos in run.items():
            assert len(docnos) == len(set(docnos)) == length
            assert set(docnos) <= set(truth[topic])


@pytest.mark.parametrize("path", sorted((TEXT / "runs").glob("*.run")), ids=lambda path: path.stem)
def test_trec_runs_have_falling_scores_and_their_own_name(path):
    """Distinct scores: whichever rule a reader has for ties, it finds the same order as the rank column."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 80
    for above, below in pairwise(rows):
        if above[0] == below[0]:
            assert int(below[3]) == int(above[3]) + 1
            assert float(below[4]) < float(above[4])
    assert {(row[1], row[5]) for row in rows} == {("Q0", path.stem)}


def test_grids_fill_their_rows_from_the_left_and_differ_in_row_length():
    """Rows and columns count from 0 without holes; pages are not all of one shape."""
    shapes = set()
    for pages in reading.read_grids(IMAGES).values():
        for cells in pages.values():
            rows = [[c.column for c in cells if c.row == row] for row in range(cells[-1].row + 1)]
            assert rows == [list(range(len(row))) for row in rows]
            shapes.add(tuple(len(row) for row in rows))
    assert len(shapes) > 1
    assert all(sum(shape) == 12 and set(shape) <= {2, 3, 4, 5} for shape in shapes)


@pytest.mark.parametrize(("half", "order"), [(TEXT, TEXT_ORDER), (IMAGES, GRID_ORDER)])
def test_better_systems_find_better_items_on_average_but_not_for_every_topic(half, order):
    """The leaderboard must have an order to find, and noise to find it in."""
    truth, runs = material.read_truth(half), rankings(half)
    by_topic = [top_five(runs[name], truth) for name in order]
    means = [mean(found.values()) for found in by_topic]
    assert means == sorted(means, reverse=True)
    assert means[0] - means[-1] > 0.8
    upsets = [t for better, worse in pairwise(by_topic) for t in truth if worse[t] > better[t]]
    assert upsets


@pytest.mark.parametrize("half", HALVES)
def test_challenges_are_obvious_balanced_and_never_two_pool_items(half):
    """At least 5 a topic; the answer two whole grades better; as often first as second."""
    truth, grades = material.read_truth(half), reading.read_grades(half)
    rows = reading.read_challenges(half)
    assert len({(topic, frozenset((a, b))) for topic, a, b, _ in rows}) == len(rows)
    for topic in truth:
        own = [row[1:] for row in rows if row[0] == topic]
        assert len(own) >= 5
        assert sum(winner == a for a, _, winner in own) * 2 == len(own)
        for a, b, winner in own:
            loser = b if winner == a else a
            assert {winner, loser} == {a, b}
            assert truth[topic][winner] - truth[topic][loser] > 2
            assert loser not in pool(grades[topic])


def test_derived_files_come_out_of_the_truth_byte_for_byte(tmp_path):
    """The oracle is what is committed: grades, challenges and runs are never edited by hand."""
    for half in HALVES:
        (tmp_path / half.name).mkdir()
        shutil.copy(half / "truth.tsv", tmp_path / half.name)
    make_runs.write_all(tmp_path)
    written = [path for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert len(written) == 2 * 3 + 4 + 3
    for path in written:
        committed = TEXT.parent / path.relative_to(tmp_path)
        assert path.read_bytes() == committed.read_bytes(), committed


def test_there_is_one_picture_for_every_item_and_all_are_different():
    """480 x 360 RGB, in the folder of its topic, under its docno; small enough for a slow line."""
    items = material.read_truth(IMAGES)
    files = sorted(path for path in PICTURES.rglob("*") if path.is_file())
    assert [f.relative_to(PICTURES).as_posix() for f in files] == sorted(
        f"{topic}/{docno}.webp" for topic, docnos in items.items() for docno in docnos
    )
    for file in files:
        with Image.open(file) as picture:
            picture.load()
            assert (picture.format, picture.mode, picture.size) == ("WEBP", "RGB", (480, 360))
    assert max(f.stat().st_size for f in files) < 120_000
    assert len({f.read_bytes() for f in files}) == 90


def test_the_material_needs_no_django():
    """Runs and grades can be derived anew where nothing is set up."""
    check = "import sys, simulation.demo.make_runs; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], cwd=TEXT.parents[2]).returncode == 0
