"""Runs and grids: their order, and each way in which a line can be wrong."""

import pytest

from prefir.formats import read_grid, read_run

from .helpers import KNOWN, refused


def run(text, ties="descending"):
    return read_run("run.txt", text.encode(), KNOWN, ties)


def grid(text, header="topic\tdocno\trow\tcolumn\n"):
    return read_grid("grid.tsv", (header + text.replace(" ", "\t")).encode(), KNOWN)


def test_a_run_goes_by_score_whatever_its_ranks_and_lines_say():
    found = run("t1 Q0 d1 1 0.5 bm25\nt2 Q0 d1 1 -3 bm25\nt1 Q0 d2 2 1e1 bm25\nt1 Q0 new 3 2 bm25\n")
    assert found.tag == "bm25"
    assert found.rankings == {"t1": ["d2", "new", "d1"], "t2": ["d1"]}


TIED = "t1 Q0 a 3 1 x\nt1 Q0 c 1 1 x\nt1 Q0 b 2 1 x\nt1 Q0 z 9 2 x\nt1 Q0 B 3 1 x\n"


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("descending", ["z", "c", "b", "a", "B"]),  # trec_eval compares bytes: small letters come after
        ("ascending", ["z", "B", "a", "b", "c"]),
        ("rank", ["z", "c", "b", "a", "B"]),
    ],
)
def test_equal_scores_go_by_the_rule_asked_for(ties, expected):
    assert run(TIED, ties).rankings["t1"] == expected


def test_ties_by_rank_differ_from_ties_by_docno():
    text = "t1 Q0 c 2 1 x\nt1 Q0 b 1 1 x\nt1 Q0 a 3 7 x\n"
    assert run(text).rankings["t1"] == ["a", "c", "b"]
    assert run(text, "rank").rankings["t1"] == ["a", "b", "c"]


def test_another_word_for_ties_is_the_callers_mistake():
    with pytest.raises(ValueError, match='ties must be "descending", "ascending" or "rank"'):
        run(TIED, "best")


def test_every_bad_line_of_a_run_is_named():
    text = (
        "t1 Q0 d1 1 2 x\n"
        "t1 Q0 d2 one 2 x\n"
        "t1 Q0 d3 1.0 2 x\n"
        "t1 Q0 d4 -1 2 x\n"
        "t1 Q0 d5 2 nan x\n"
        "t1 Q0 d6 2 inf x\n"
        "t1 Q0 d7 2 high x\n"
        "t1 Q0 d8 2 1 y\n"
        "t1 Q0 d1 2 1 x\n"
        "t9 Q0 d1 2 1 x\n"
        "t1 Q0 d9 2 1\n"
        "t1 Q0 tie 2 1 x\n"
    )
    assert refused(run, text) == [
        'run.txt, line 2: the rank "one" is not a whole number from 0 up',
        'run.txt, line 3: the rank "1.0" is not a whole number from 0 up',
        'run.txt, line 4: the rank "-1" is not a whole number from 0 up',
        'run.txt, line 5: the score "nan" is not a finite number',
        'run.txt, line 6: the score "inf" is not a finite number',
        'run.txt, line 7: the score "high" is not a finite number',
        'run.txt, line 8: the tag "y" differs from "x" above; a file holds one run',
        'run.txt, line 9: docno "d1" of topic "t1" was already ranked on line 1',
        'run.txt, line 10: unknown topic "t9"; load it with the topics first',
        "run.txt, line 11: 5 fields where 6 are expected: topic Q0 docno rank score tag",
        'run.txt, line 12: an item cannot have the docno "tie": judgment files use this word for a tie',
    ]


def test_a_tag_too_long_is_refused():
    (problem,) = refused(run, f"t1 Q0 d1 1 2 {'x' * 201}\n")
    assert problem.endswith("has 201 characters; at most 200 are allowed")


def test_a_grid_goes_left_to_right_and_top_to_bottom_with_the_length_of_each_row():
    found = grid("t1 d3 1 0\nt1 d2 0 1\nt1 d1 0 0\nt2 d1 0 0\n")
    assert found.rankings == {
        "t1": [("d1", 0, 0, 2), ("d2", 0, 1, 2), ("d3", 1, 0, 1)],
        "t2": [("d1", 0, 0, 1)],
    }


def test_every_bad_line_of_a_grid_is_named():
    text = "t1 d1 0 0\nt1 d2 0 0\nt1 d1 0 1\nt1 d3 a 0\nt1 d4 0 -1\nt1 d5 0\nt9 d1 0 0\nt1 d6 0 10000\n"
    assert refused(grid, text) == [
        'grid.tsv, line 3: row 0, column 0 already holds "d1" on line 2',
        'grid.tsv, line 4: docno "d1" was already placed on line 2',
        'grid.tsv, line 5: the row "a" is not a whole number from 0 to 9,999',
        'grid.tsv, line 6: the column "-1" is not a whole number from 0 to 9,999',
        "grid.tsv, line 7: 3 cells between tabs where 4 are expected",
        'grid.tsv, line 8: unknown topic "t9"; load it with the topics first',
        'grid.tsv, line 9: the column "10000" is not a whole number from 0 to 9,999',
    ]


def test_the_holes_of_a_grid_are_named_by_the_item_after_them():
    assert refused(grid, "t1 d1 0 1\nt1 d2 0 3\nt2 d1 0 0\nt2 d2 2 0\n") == [
        'grid.tsv, line 2: topic "t1": row 0 has an item in column 1, but none in 0',
        'grid.tsv, line 5: topic "t2": an item stands in row 2, but row 1 is empty',
    ]


def test_holes_are_named_beside_the_bad_lines_of_other_topics():
    assert refused(grid, "t1 d1 0 1\nt2 d1 x 0\nt2 d2 0 5\n") == [
        'grid.tsv, line 2: topic "t1": row 0 has an item in column 1, but none in 0',
        'grid.tsv, line 3: the row "x" is not a whole number from 0 to 9,999',
    ]


def test_holes_are_not_looked_for_while_a_line_cannot_be_read():
    """The line with too few cells may be the item that seems to be missing."""
    assert refused(grid, "t1 d1 0\nt1 d2 0 1\n") == [
        "grid.tsv, line 2: 3 cells between tabs where 4 are expected"
    ]


def test_a_grid_needs_its_header_and_a_line_after_it():
    assert refused(grid, "t1 d1 0 0\n", header="") == [
        "grid.tsv, line 1: the first line must be the header topic, docno, row, column with tabs between"
    ]
    assert refused(grid, "") == ["grid.tsv: nothing follows the header"]
