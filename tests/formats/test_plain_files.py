"""Plain runs are read all lines at once; they must read as they do line by line, good or bad."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.formats import BadFile, Known, read_run
from prefir.formats.columns import Columns
from prefir.formats.problems import Problems
from tests.examples import examples

from .helpers import KNOWN

OPEN = Known(topics={"t1", "t2", "31_1"})
TOPICS = st.sampled_from(["t1", "t2", "31_1"])
DOCNOS = st.sampled_from(["a", "b", "B", "a1", "d_1", "-", "0", '"', "clueweb09-en0000-00-00000", "z" * 41])
NUMBERS = st.sampled_from(["0", "-0", "0.0", "1", "1.0", "-2.5", "1e1", ".5", "+3", "12345678901234567890"])
ODD = st.sampled_from(
    ["tie", "nan", "inf", "1_0", "é", "\u0663", "\xa0", "d" * 201, "x\x00", "t9", "", "1 1"]
)
SEPARATORS = st.sampled_from([" ", " ", " ", "\t", "  "])
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\r"])
TIES = st.sampled_from(["descending", "ascending", "rank"])


@st.composite
def runs(draw, *, strange):
    """A run; where `strange`, with cells, separators and line ends of every kind."""
    ranks = st.sampled_from(["0", "1", "1", "2", "10", "007", "999999999", "1000000000"])
    tags = st.just("x") if not strange else st.sampled_from(["x"] * 20 + ["y"])
    columns = st.tuples(TOPICS, st.sampled_from(["Q0", "0"]), DOCNOS, ranks, NUMBERS, tags)
    lines = draw(st.lists(columns, min_size=1, max_size=12, unique_by=lambda line: line[:3:2]))
    if not strange:
        separator, end = draw(st.sampled_from(" \t")), draw(st.sampled_from(["\n", "\r\n"]))
        return "".join(separator.join(line) + end for line in lines).encode()
    text = ""
    for line in lines:
        cells = [draw(ODD) if draw(st.integers(0, 20)) == 0 else cell for cell in line]
        text += cells[0] + "".join(draw(SEPARATORS) + cell for cell in cells[1:]) + draw(ENDS)
    data = text.encode()
    return gzip.compress(data) if draw(st.booleans()) else data


def outcome(*arguments):
    """What `read_run` returns, or what it says is wrong."""
    try:
        return repr(read_run("r", *arguments))
    except BadFile as error:
        return error.problems


def line_by_line(*arguments):
    """The same with the way for plain files closed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Columns, "of", lambda *_: None)
        return outcome(*arguments)


@given(runs(strange=False), TIES)
def test_a_plain_run_reads_as_it_does_line_by_line(data, ties):
    assert outcome(data, OPEN, ties) == line_by_line(data, OPEN, ties)


@given(runs(strange=True), TIES)
@examples(200)
def test_a_run_of_any_kind_reads_as_it_does_line_by_line(data, ties):
    assert outcome(data, OPEN, ties) == line_by_line(data, OPEN, ties)


CELLS = [
    "tie",
    "nan",
    "inf",
    "1_0",
    "é",
    "d" * 201,
    "x\x00",
    "t9",
    "",
    "1 1",
    "one",
    "-1",
    "1.0",
    "1000000001",
]
CELLS += ["9" * 12, "0x1", "1e400", "1" * 41, "\x07", "\x7f", "\x0b", "\r"]


@pytest.mark.parametrize("cell", CELLS)
def test_one_odd_cell_in_a_plain_run_reads_as_it_does_line_by_line(cell):
    for column in range(6):
        fields = ["t1", "Q0", "d2", "2", "1", "x"]
        fields[column] = cell
        for lines in (("t1 Q0 d1 2 1 x", " ".join(fields)), (" ".join(fields),)):
            data = "\n".join(lines).encode()
            assert outcome(data, OPEN) == line_by_line(data, OPEN)


@pytest.mark.parametrize(
    "lines",
    [
        ["t1 Q0 d1 1 2", "t1 t2 Q0 d2 2 1 t1"],
        ["t1 Q0 d1 1 2 x", "t1 Q0 d1 2 1 x"],
        ["t1 Q0 d1 1 2 x", "t2 Q0 d1 1 2 x", "t1 Q0 d1 2 1 x"],
    ],
    ids=["a field on the wrong line", "a docno twice", "a docno twice, another topic between"],
)
def test_plain_lines_that_do_not_fit_together_are_refused_as_they_are_line_by_line(lines):
    data = "\n".join(lines).encode()
    assert outcome(data, OPEN) == line_by_line(data, OPEN)
    assert isinstance(outcome(data, OPEN), list)


@given(st.text(st.sampled_from("ab1 \t\r\n.-"), max_size=40))
@examples(300)
def test_any_few_characters_read_as_they_do_line_by_line(text):
    known = Known(topics={"a", "b", "1", "-"})
    data = text.encode()
    assert outcome(data, known) == line_by_line(data, known)


@pytest.mark.parametrize(
    "data",
    [
        b"t1 Q0 d1 1 2 x\nt1 Q0 d2 2 1 x\n",
        b"t1\tQ0\td1\t1\t2\tx\r\nt1 Q0 d2 2 1 x\r\n \r\n",
        gzip.compress(b"\xef\xbb\xbft1 Q0 d1 1 2 x\nt1 Q0 d2 2 1 x"),
    ],
    ids=["spaces", "tabs, CRLF and a blank end", "gzip, BOM, no last line end"],
)
def test_usual_files_are_taken_as_plain(data, monkeypatch):
    """Or the tests above would compare one way with itself."""
    assert len(Columns.of(data, Problems("r"), 6)) == 2
    monkeypatch.setattr("prefir.formats.runs._from_lines", None)
    assert read_run("r", data, KNOWN).rankings == {"t1": ["d1", "d2"]}


def test_topics_that_come_back_later_in_the_file_are_one_ranking():
    data = b"t1 Q0 d1 1 1 x\nt2 Q0 d1 1 5 x\nt1 Q0 d2 2 3 x\n"
    assert read_run("r", data, KNOWN).rankings == {"t1": ["d2", "d1"], "t2": ["d1"]}


def test_progress_of_a_plain_run_ends_at_its_size():
    data, calls = b"t1 Q0 d1 1 2 x\n", []
    read_run("r", data, KNOWN, progress=lambda *call: calls.append(call))
    assert calls == [(15, 15)]
