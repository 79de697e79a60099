"""Plain runs and grades are read all lines at once; they must read as they do line by line, good or bad."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.formats import BadFile, ItemLists, Known, plain_grades, read_grades, read_run, read_runs_places
from prefir.formats.columns import Columns
from prefir.formats.ids import number
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
    return spoiled(draw, lines)


def spoiled(draw, lines):
    """A file of these lines in which some cells are odd, and separators and line ends of every kind."""
    text = ""
    for line in lines:
        cells = [draw(ODD) if draw(st.integers(0, 20)) == 0 else cell for cell in line]
        text += cells[0] + "".join(draw(SEPARATORS) + cell for cell in cells[1:]) + draw(ENDS)
    data = text.encode()
    return gzip.compress(data) if draw(st.booleans()) else data


ITEMS = {"t1": ["b", "z" * 41, "a", "none"], "31_1": ["a1", "B"], "t8": ["a"]}


@st.composite
def grades(draw, *, strange):
    """Qrels; where `strange`, with cells, separators and line ends of every kind."""
    columns = st.tuples(TOPICS, st.sampled_from(["Q0", "0"]), DOCNOS, NUMBERS)
    lines = draw(st.lists(columns, min_size=1, max_size=12, unique_by=lambda line: line[:3:2]))
    if not strange:
        separator, end = draw(st.sampled_from(" \t")), draw(st.sampled_from(["\n", "\r\n"]))
        return "".join(separator.join(line) + end for line in lines).encode()
    return spoiled(draw, lines)


def outcome(*arguments):
    """What `read_run` returns, or what it says is wrong."""
    try:
        return repr(read_run("r", *arguments))
    except BadFile as error:
        return error.problems


def graded(data):
    """What `read_grades` returns, or what it says is wrong."""
    try:
        found = read_grades("q", data, OPEN)
        return repr({topic: found[topic] for topic in found})
    except BadFile as error:
        return error.problems


def line_by_line(*arguments, read=outcome):
    """The same with the way for plain files closed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Columns, "of", lambda *_: None)
        patch.setattr(Columns, "of_lines", lambda *_: None)
        return read(*arguments)


@given(runs(strange=False), TIES)
def test_a_plain_run_reads_as_it_does_line_by_line(data, ties):
    assert outcome(data, OPEN, ties) == line_by_line(data, OPEN, ties)


@given(runs(strange=True), TIES)
@examples(200)
def test_a_run_of_any_kind_reads_as_it_does_line_by_line(data, ties):
    assert outcome(data, OPEN, ties) == line_by_line(data, OPEN, ties)


@given(grades(strange=False), st.integers(4, 90))
def test_plain_grades_read_as_they_do_line_by_line_in_pieces_of_any_size(data, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_grades, "_PIECE", size)
        assert graded(data) == line_by_line(data, read=graded)


@given(grades(strange=True))
@examples(200)
def test_grades_of_any_kind_read_as_they_do_line_by_line(data):
    assert graded(data) == line_by_line(data, read=graded)


@given(runs(strange=False), runs(strange=True), TIES)
@examples(200)
def test_places_of_items_are_those_of_the_rankings(plain, strange, ties):
    lists = ItemLists(ITEMS)
    for data in (plain, strange):
        try:
            tag, rankings = read_run("r", data, OPEN, ties)
        except BadFile:
            continue
        place = {topic: {docno: at for at, docno in enumerate(items)} for topic, items in ITEMS.items()}
        expected = {topic: [place.get(topic, {}).get(d, -1) for d in run] for topic, run in rankings.items()}
        ((found_tag, found),) = read_runs_places("r", data, OPEN, lists, ties)
        assert (found_tag, {topic: places.tolist() for topic, places in found.items()}) == (tag, expected)


@given(st.from_regex(r"[+-]?[0-9]{0,17}\.?[0-9]{0,17}([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@examples(300)
def test_numbers_are_those_of_python(text):
    columns = Columns.of_lines(f"{text or '-'}\n".encode(), 1)
    values = columns.numbers(0)
    expected = number(text)
    assert (values is None) == (expected is None) or len(text) > 40
    assert values is None or (repr(values.tolist()) == repr([expected]))


def test_equal_keys_of_two_docnos_are_told_apart(monkeypatch):
    """Keys are made of the second character alone, so that some are equal."""
    monkeypatch.setattr("prefir.formats.plain_runs.keys_of", lambda words: (words[0] >> 8) % 256)
    monkeypatch.setattr("prefir.formats.runs._from_lines", None)
    docnos = [f"b{at}" for at in range(5)] + [f"a{at}" for at in range(5, 10)]
    data = "".join(f"t1 Q0 {docno} 0 {-at} x\n" for at, docno in enumerate(docnos)).encode()
    lists = ItemLists({"t1": [f"a{at}" for at in range(10)]})
    assert read_runs_places("r", data, OPEN, lists)[0][1]["t1"].tolist() == [-1] * 5 + [5, 6, 7, 8, 9]


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
    for column in range(4):
        fields = ["t1", "0", "d2", "1"]
        fields[column] = cell
        data = "\n".join(("t1 0 d1 1", " ".join(fields))).encode()
        assert graded(data) == line_by_line(data, read=graded)


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
    monkeypatch.setattr("prefir.formats.collection.read_qrels", None)
    assert read_grades("q", b"t1 0 d1 1\nt1 0 d2 0.5\n \n", KNOWN)["t1"] == {"d1": 1.0, "d2": 0.5}


def test_a_docno_graded_twice_in_another_piece_is_named(monkeypatch):
    monkeypatch.setattr(plain_grades, "_PIECE", 20)
    data = b"t1 0 d1 1\nt2 0 d1 1\nt1 0 d2 0\nt1 0 d1 0\n"
    assert graded(data) == line_by_line(data, read=graded)
    assert [problem.line for problem in graded(data)] == [4]


def test_topics_that_come_back_later_in_the_file_are_one_ranking():
    data = b"t1 Q0 d1 1 1 x\nt2 Q0 d1 1 5 x\nt1 Q0 d2 2 3 x\n"
    assert read_run("r", data, KNOWN).rankings == {"t1": ["d2", "d1"], "t2": ["d1"]}


def test_progress_of_a_plain_run_ends_at_its_size():
    data, calls = b"t1 Q0 d1 1 2 x\n", []
    read_run("r", data, KNOWN, progress=lambda *call: calls.append(call))
    assert calls == [(15, 15)]
