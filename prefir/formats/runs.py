"""Readers of what systems return: ranked runs (TREC) and grids of images (TSV)."""

from collections import defaultdict
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from .ids import MAX_ID, TIE, Known, docno_problem, id_problem, number, quoted, topic_problem, whole_number
from .lines import MAX_BYTES, Columns, Progress, Source, read_bytes, read_fields, read_table
from .problems import Problems

Ties = Literal["descending", "ascending", "rank"]
GRID_HEADER = ["topic", "docno", "row", "column"]
MAX_SIDE = 10_000  # rows or columns of a grid


class RunRecord(NamedTuple):
    """One system's rankings: topic -> docnos, best first."""

    tag: str
    rankings: dict[str, list[str]]


class GridPlace(NamedTuple):
    """An item in a grid: row and column from 0, and how many items stand in its row."""

    docno: str
    row: int
    column: int
    row_length: int


class GridRecord(NamedTuple):
    """One system's grids: topic -> places, left to right and top to bottom."""

    rankings: dict[str, list[GridPlace]]


class _Ranked(NamedTuple):
    score: float
    rank: int
    docno: str


def read_run(
    name: str,
    source: Source,
    known: Known,
    ties: Ties = "descending",
    *,
    progress: Progress | None = None,
) -> RunRecord:
    """A run in TREC format, `topic Q0 docno rank score tag`; topics in file order.

    Each ranking goes by score, descending. Equal scores go by docno, descending (trec_eval's rule),
    by docno, `ties="ascending"`, or by the rank column, `ties="rank"` (equal ranks by docno, descending).
    Docnos that the study does not have are accepted.
    Raises BadFile naming every bad line; ValueError for another `ties`.
    """
    if ties not in get_args(Ties):
        raise ValueError(f'ties must be "descending", "ascending" or "rank", not {ties!r}')
    problems = Problems(name)
    data = read_bytes(source, problems, MAX_BYTES)
    columns = Columns.of(data, problems, 6)
    plain = _read_plain(columns, known, ties) if columns else None
    if plain:
        if progress:
            progress(len(data), len(data))
        return plain
    return _read_lines(data, problems, known, ties, progress)


def _read_lines(
    data: bytes, problems: Problems, known: Known, ties: Ties, progress: Progress | None
) -> RunRecord:
    """Any run, line by line; what is wrong with a line goes to `problems`."""
    tag = ""
    topics: dict[str, list[_Ranked]] = defaultdict(list)
    first: dict[tuple[str, str], int] = {}
    columns = "topic Q0 docno rank score tag"
    for line, fields in read_fields(data, problems, columns, counts=(6,), progress=progress):
        topic, _, docno, given_rank, given_score, given_tag = fields
        tag = tag or given_tag
        rank, score = whole_number(given_rank), number(given_score)
        if reason := topic_problem(topic, known) or docno_problem(docno) or id_problem("tag", given_tag):
            problems.add(line, reason)
        elif rank is None:
            problems.add(line, f"the rank {quoted(given_rank)} is not a whole number from 0 up")
        elif score is None:
            problems.add(line, f"the score {quoted(given_score)} is not a finite number")
        elif given_tag != tag:
            problems.add(
                line, f"the tag {quoted(given_tag)} differs from {quoted(tag)} above; a file holds one run"
            )
        elif (earlier := first.setdefault((topic, docno), line)) != line:
            problems.add(
                line, f"docno {quoted(docno)} of topic {quoted(topic)} was already ranked on line {earlier}"
            )
        else:
            topics[topic].append(_Ranked(score, rank, docno))
    problems.settle()
    return RunRecord(tag, {topic: _ordered(entries, ties) for topic, entries in topics.items()})


def _read_plain(columns: Columns, known: Known, ties: Ties) -> RunRecord | None:
    """A run without anything to complain of, all lines at once; None where it must be read line by line."""
    if max(columns.longest(2), columns.longest(0), columns.longest(5)) > MAX_ID or columns.longest(3) > 9:
        return None
    tags, _ = columns.blocks(5)
    blocks, lengths = columns.blocks(0)
    scores, ranks = columns.numbers(4), columns.cells(3)
    digits = (ranks >= ord("0")) & (ranks <= ord("9"))
    if scores is None or len(tags) > 1 or not (digits | (ranks == 0)).all():
        return None
    code = {topic: number for number, topic in enumerate(dict.fromkeys(blocks))}
    if any(topic_problem(topic, known) for topic in code):
        return None
    topic_of = np.repeat([code[topic] for topic in blocks], lengths)
    docnos = columns.texts(2)
    order = None
    follows = (topic_of[1:] > topic_of[:-1]) | ((topic_of[1:] == topic_of[:-1]) & (scores[1:] <= scores[:-1]))
    if not follows.all():
        order = np.lexsort((-scores, topic_of))
        docnos = [docnos[line] for line in order.tolist()]
        scores, topic_of = scores[order], topic_of[order]
    breaks = np.flatnonzero((topic_of[1:] != topic_of[:-1]) | (scores[1:] != scores[:-1])) + 1
    if len(breaks) + 1 < len(docnos):
        given = _whole_numbers(ranks) if ties == "rank" else np.zeros(len(docnos), np.int64)
        _settle_ties(docnos, breaks, given if order is None else given[order], ties)
    rankings = {}
    ends = np.searchsorted(topic_of, np.arange(len(code)), side="right").tolist()
    for topic, start, end in zip(code, [0, *ends], ends, strict=False):
        ranking = rankings[topic] = docnos[start:end]
        distinct = set(ranking)
        if len(distinct) < len(ranking) or TIE in distinct:
            return None
    return RunRecord(tags[0], rankings)


def _whole_numbers(cells: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Cells of up to nine digits as numbers."""
    values = np.zeros(len(cells), np.int64)
    for characters in cells.T:
        there = characters > 0
        values[there] = 10 * values[there] + (characters[there] - ord("0"))
    return values


def _settle_ties(docnos: list[str], breaks: NDArray[np.int64], ranks: NDArray[np.int64], ties: Ties) -> None:
    """Put each stretch of equal scores in its order; breaks: where the next stretch begins."""
    bounds = np.concatenate(([0], breaks, [len(docnos)]))
    for at in np.flatnonzero(np.diff(bounds) > 1).tolist():
        start, end = bounds[at : at + 2].tolist()
        tied = list(zip(ranks[start:end].tolist(), docnos[start:end], strict=True))
        tied.sort(key=lambda entry: entry[1], reverse=ties != "ascending")
        tied.sort(key=lambda entry: entry[0])
        docnos[start:end] = [docno for _, docno in tied]


def _ordered(entries: list[_Ranked], ties: Ties) -> list[str]:
    if ties == "ascending":
        entries.sort(key=lambda entry: (-entry.score, entry.docno))
    else:
        entries.sort(key=lambda entry: (entry.score, entry.docno), reverse=True)
    if ties == "rank":
        entries.sort(key=lambda entry: (-entry.score, entry.rank))
    return [entry.docno for entry in entries]


def read_grid(name: str, source: Source, known: Known, *, progress: Progress | None = None) -> GridRecord:
    """One system's grids from TSV with the header topic, docno, row, column; topics in file order.

    Rows and columns count from 0 and leave no hole. Docnos that the study does not have are accepted.
    Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    grids: dict[str, Grid] = defaultdict(Grid)
    named = 0
    for line, cells in read_table(source, problems, _grid_header_problem, 4, progress=progress):
        topic, docno, given_row, given_column = cells
        row, column = whole_number(given_row), whole_number(given_column)
        grid = grids[topic]
        reason = topic_problem(topic, known) or docno_problem(docno)
        if row is None or row >= MAX_SIDE:
            reason = reason or f"the row {quoted(given_row)} is not a whole number from 0 to {MAX_SIDE - 1:,}"
        elif column is None or column >= MAX_SIDE:
            reason = (
                reason
                or f"the column {quoted(given_column)} is not a whole number from 0 to {MAX_SIDE - 1:,}"
            )
        else:
            reason = reason or grid.put(docno, row, column, line)
        if reason:
            problems.add(line, reason)
            grid.whole = False
            named += 1
    # A line that could not be cut into cells may be the one that fills a hole.
    for topic, grid in grids.items() if len(problems.found) == named else ():
        for line, reason in grid.holes():
            problems.add(line, f"topic {quoted(topic)}: {reason}")
    problems.settle()
    return GridRecord({topic: grid.places() for topic, grid in grids.items()})


def _grid_header_problem(cells: list[str]) -> str | None:
    if cells == GRID_HEADER:
        return None
    return "the first line must be the header topic, docno, row, column with tabs between"


class Grid:
    """One topic's grid while it is read. `whole` is false once an item could not be placed."""

    def __init__(self) -> None:
        self.whole = True
        self._cells: dict[tuple[int, int], tuple[str, int]] = {}
        self._first: dict[str, int] = {}

    def put(self, docno: str, row: int, column: int, line: int) -> str | None:
        """Place an item; returns what is wrong with it, or None."""
        at = (row, column)
        if at in self._cells:
            other, earlier = self._cells[at]
            where = f" on line {earlier}" if earlier else ""
            return f"row {row}, column {column} already holds {quoted(other)}{where}"
        self._cells[at] = (docno, line)
        if (earlier := self._first.setdefault(docno, line)) != line:
            return f"docno {quoted(docno)} was already placed on line {earlier}"
        return None

    def holes(self) -> list[tuple[int, str]]:
        """For each first hole of a row, and each missing row: the line after it and a reason."""
        if not self.whole:
            return []  # the missing item may be the one that could not be placed
        found = []
        before = (-1, -1)
        holed = -1
        for row, column in sorted(self._cells):
            line = self._cells[row, column][1]
            if row > before[0] + 1:
                found.append((line, f"an item stands in row {row}, but row {row - 1} is empty"))
            expected = before[1] + 1 if row == before[0] else 0
            if column != expected and holed != row:
                found.append((line, f"row {row} has an item in column {column}, but none in {column - 1}"))
                holed = row
            before = (row, column)
        return found

    def places(self) -> list[GridPlace]:
        """The places, left to right and top to bottom."""
        lengths: dict[int, int] = defaultdict(int)
        for row, _ in self._cells:
            lengths[row] += 1
        return [
            GridPlace(docno, row, column, lengths[row])
            for (row, column), (docno, _) in sorted(self._cells.items())
        ]
