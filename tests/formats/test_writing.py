"""What is written reads back the same, and what could not be read back is not written."""

import csv
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.formats import (
    GradeRecord,
    Known,
    PreferenceRecord,
    ScoreRecord,
    id_problem,
    read_preferences,
    read_qrels,
    read_run,
    read_scores,
    write_preferences,
    write_qrels,
    write_scores,
)


class Anything:
    """A container that has every topic, so that a test can use odd ones."""

    def __contains__(self, topic):
        return True


OPEN = Known(topics=Anything())

# Letters of many scripts, marks, emoji and their joiners; everything that stands in an id but spaces.
# Drawn from these letters, since a draw that meets a space in most of its texts is one that is given up.
letters = st.characters(exclude_categories=("Cc", "Cs", "Z"))
ids = st.text(letters, min_size=1, max_size=200).filter(lambda text: id_problem("id", text) is None)
docnos = ids.filter(lambda text: text != "tie")
numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def judgments(draw):
    a, b = draw(st.lists(docnos, min_size=2, max_size=2, unique=True))
    winner = draw(st.sampled_from([a, b, None]))
    return PreferenceRecord(draw(ids), a, b, winner, draw(st.none() | ids))


def written(lines):
    return "".join(lines).encode()


@given(st.lists(judgments(), min_size=1, max_size=20))
def test_judgments_survive_writing_and_reading(rows):
    found = read_preferences("p", written(write_preferences(rows)), OPEN)
    assert [record._replace(line=0) for record in found] == rows
    assert [record.line for record in found] == list(range(1, len(rows) + 1))


@given(st.lists(st.tuples(ids, docnos, numbers), min_size=1, max_size=20, unique_by=lambda row: row[:2]))
def test_grades_survive_writing_and_reading(rows):
    records = [GradeRecord(*row) for row in rows]
    found = read_qrels("q", written(write_qrels(records)), OPEN)
    assert [record._replace(line=0) for record in found] == records


@given(st.lists(st.tuples(docnos, numbers), min_size=1, max_size=20, unique_by=lambda row: row[0]), ids)
def test_a_run_reads_back_by_falling_score_and_docno(rows, tag):
    text = "".join(f"t Q0 {docno} 1 {score!r} {tag}\n" for docno, score in rows)
    found = read_run("r", text.encode(), OPEN)
    by_docno = sorted(rows, key=lambda row: row[0], reverse=True)
    assert found.rankings["t"] == [docno for docno, _ in sorted(by_docno, key=lambda row: -row[1])]
    assert found.tag == tag


names = st.text(" ,;\"'@aé=", min_size=1, max_size=10).filter(lambda text: text.strip())
chances = st.none() | st.floats(0, 1, exclude_min=True, exclude_max=True)


@given(
    st.lists(
        st.tuples(names, st.none() | ids, names, chances, st.none() | numbers),
        min_size=1,
        max_size=20,
        unique_by=lambda row: row[:4],
    )
)
def test_scores_survive_writing_and_reading(rows):
    records = [ScoreRecord(*row) for row in rows]
    found = read_scores("s", written(write_scores(records)))
    assert [record._replace(line=0) for record in found] == records


def test_grades_are_written_in_the_fewest_digits():
    rows = [GradeRecord("t", f"d{i}", grade) for i, grade in enumerate([20.0, 3, -2.0, 0.1, 1e300, 1 / 3])]
    assert [line.split()[3] for line in write_qrels(rows)] == [
        "20", "3", "-2", "0.1", "1e+300", "0.3333333333333333",
    ]  # fmt: skip


def test_ties_and_assessors_are_written_in_words():
    rows = [PreferenceRecord("t", "a", "b", None), PreferenceRecord("t", "a", "b", "a", "ann")]
    assert list(write_preferences(rows)) == ["t a b tie\n", "t a b a ann\n"]


FORMULAS = ["=cmd|'/C_calc'!A0", "@SUM(1)", "+x", "-0.5", "＝1", "'=1", "''", "'quoted'", "a=b"]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_score_file_begins_as_a_formula_and_names_are_read_back(name):
    """Numbers below 0 stay numbers."""
    record = ScoreRecord(name, name, "PGC", 0.95, -0.5)
    lines = list(write_scores([record]))
    run, topic, _, p, value = next(csv.reader([lines[1]]))
    assert run == topic
    assert run[0] not in "=+-@\t\r＝＋－＠"
    assert (p, value) == ("0.95", "-0.5")
    [found] = read_scores("s", "".join(lines).encode())
    assert found._replace(line=0) == record


def test_absent_scores_are_empty_cells():
    rows = [ScoreRecord("r", None, "nDCG@10", None, None), ScoreRecord("r", "t", "PGC", 0.95, 0.0)]
    assert list(write_scores(rows)) == [
        "run,topic,measure,p,value\n",
        "r,,nDCG@10,,\n",
        "r,t,PGC,0.95,0.0\n",
    ]


@pytest.mark.parametrize(
    ("write", "row", "message"),
    [
        (write_preferences, PreferenceRecord("t", "a b", "c", "c"), "contains a space"),
        (write_preferences, PreferenceRecord("t", "a", "tie", "a"), "cannot have the docno"),
        (write_preferences, PreferenceRecord("t", "a", "b", "c"), "no judgment of two items"),
        (write_preferences, PreferenceRecord("t", "a", "a", "a"), "no judgment of two items"),
        (write_preferences, PreferenceRecord("t", "a", "b", "a", ""), "the assessor is empty"),
        (write_qrels, GradeRecord("", "a", 1.0), "the topic is empty"),
        (write_qrels, GradeRecord("t", "a", math.nan), "the grade of a in topic t is nan"),
        (write_scores, ScoreRecord("r", "t", "PGC", 0.9, math.inf), "the PGC of r in topic t is inf"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(write, row, message):
    with pytest.raises(ValueError, match=message):
        list(write([row]))
