"""Readers of runs: rankings (TREC format) and grids of images (TSV)."""

from collections import defaultdict
from dataclasses import dataclass, field
from operator import gt
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from .ids import (
    Known,
    docno_problem,
    id_problem,
    number,
    number_problem,
    quoted,
    topic_problem,
    whole_number,
)
from .lines import Progress, Source, most_bytes, read_bytes, read_fields, read_table
from .problems import Problems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .plain_runs import ItemLists, PlainRun

Ties = Literal["descending", "ascending", "rank"]
GRID_HEADER = ["topic", "docno", "row", "column"]
MAX_SIDE = 10_000  # rows or columns of a grid


class RunRecord(NamedTuple):
    """Rankings of one system: topic -> docnos, best first."""

    tag: str
    rankings: dict[str, list[str]]


class GridPlace(NamedTuple):
    """Place of an item in a grid: row and column from 0, and the number of items in its row."""

    docno: str
    row: int
    column: int
    row_length: int


class GridRecord(NamedTuple):
    """Grids of one system: topic -> places, left to right and top to bottom."""

    rankings: dict[str, list[GridPlace]]


@dataclass(slots=True)
class _Ranking:
    """Lines of one topic in file order, a list for each column.

    One object a line would keep the garbage collector busy: reading would take almost twice as long.
    """

    docnos: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


def read_run(
    name: str,
    source: Source,
    known: Known,
    ties: Ties = "descending",
    *,
    progress: Progress | None = None,
) -> RunRecord:
    """Read a run in TREC format, `topic Q0 docno rank score tag`; topics in file order.

    Rankings go by score, descending. ties: the order of equal scores. "descending": by docno, descending,
    as trec_eval does; "ascending": by docno; "rank": by the rank column (equal ranks: docno, descending).
    Docnos that the study does not have are accepted.
    Raises BadFile naming every bad line; ValueError for another `ties`.
    """
    (run,) = _read(name, source, known, ties, progress, several=False)
    return run


def read_runs(
    name: str,
    source: Source,
    known: Known,
    ties: Ties = "descending",
    *,
    progress: Progress | None = None,
) -> list[RunRecord]:
    """Read the runs of a file, which its tags tell apart: each as `read_run` reads one."""
    return _read(name, source, known, ties, progress, several=True)


def read_run_scores(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> tuple[str, dict[str, dict[str, float]]]:
    """Read a run in TREC format for its scores: the tag, and topic -> docno -> score. Raises BadFile."""
    problems = Problems(name)
    data = read_bytes(source, problems, most_bytes(known.free))
    found = _from_lines(data, problems, known, progress, several=known.free, ranks=False)
    (tag, topics), *others = found.items()
    if others:
        raise problems.stop(f"it holds {len(found)} runs, {tag} and {others[0][0]} among them; one is wanted")
    return tag, {topic: dict(zip(one.docnos, one.scores, strict=True)) for topic, one in topics.items()}


def _read(
    name: str, source: Source, known: Known, ties: Ties, progress: Progress | None, *, several: bool
) -> list[RunRecord]:
    if ties not in get_args(Ties):
        raise ValueError(f'ties must be "descending", "ascending" or "rank", not {ties!r}')
    problems = Problems(name)
    data = read_bytes(source, problems, most_bytes(known.free))
    if plain := _plain(data, problems, known):
        if progress:
            progress(len(data), len(data))
        return [RunRecord(plain.tag, plain.rankings(ties))]
    ranks = not known.free or ties == "rank"
    runs = _from_lines(data, problems, known, progress, several=several, ranks=ranks)
    return [
        RunRecord(tag, {topic: _ordered(ranking, ties) for topic, ranking in topics.items()})
        for tag, topics in runs.items()
    ]


def read_runs_places(
    name: str,
    source: Source,
    known: Known,
    lists: "ItemLists",
    ties: Ties = "descending",
    *,
    progress: Progress | None = None,
) -> list[tuple[str, dict[str, "NDArray[np.int32]"]]]:
    """Read what `read_runs` reads: of each run its tag, and topic -> places of its items in `lists`, -1 for
    others.
    """
    data = read_bytes(source, Problems(name), most_bytes(known.free))
    if plain := _plain(data, Problems(name), known):
        if progress:
            progress(len(data), len(data))
        return [(plain.tag, plain.places(ties, lists))]
    return [
        (tag, {topic: lists.find_all(topic, docnos) for topic, docnos in rankings.items()})
        for tag, rankings in read_runs(name, data, known, ties, progress=progress)
    ]


def _plain(data: bytes, problems: Problems, known: Known) -> "PlainRun | None":
    """Read a run quickly; None if any line may be bad, which `_from_lines` then finds."""
    from .columns import Columns  # only here: they load numpy
    from .plain_runs import PlainRun

    columns = Columns.of(data, problems, 6, most_bytes(known.free))
    return PlainRun.of(columns, known) if columns else None


def _from_lines(
    data: bytes, problems: Problems, known: Known, progress: Progress | None, *, several: bool, ranks: bool
) -> dict[str, dict[str, _Ranking]]:
    """Read any file of runs line by line: tag -> topic -> ranking. Raises BadFile naming every bad line.

    several: whether it may hold more than one. ranks: whether anything depends on the ranks.
    """
    tag = ""
    runs: dict[str, dict[str, _Ranking]] = {}
    first: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    columns, free = "topic Q0 docno rank score tag", known.free
    for line, fields in read_fields(
        data, problems, columns, counts=(6,), progress=progress, free=free, more=free
    ):
        # What follows the tag is left out, as by trec_eval.
        topic, _, docno, given_rank, given_score, given_tag, *rest = fields
        tag = tag or given_tag
        rank, score = whole_number(given_rank), number(given_score)
        # With more fields the docno may have a blank, and what stands at the rank may be its second half.
        if rank is None and not ranks and not rest:
            rank = 0
        reason = topic_problem(topic, known) or docno_problem(docno, free=free)
        if reason := reason or id_problem("tag", given_tag, free=free):
            problems.add(line, reason)
        elif rank is None:
            problems.add(line, f"the rank {quoted(given_rank)} is not a whole number from 0 up")
        elif score is None:
            problems.add(line, number_problem("score", given_score))
        elif given_tag != tag and not several:
            problems.add(
                line, f"the tag {quoted(given_tag)} differs from {quoted(tag)} above; a file holds one run"
            )
        elif (earlier := first[given_tag, topic].setdefault(docno, line)) != line:
            problems.add(
                line, f"docno {quoted(docno)} of topic {quoted(topic)} was already ranked on line {earlier}"
            )
        else:
            ranking = runs.setdefault(given_tag, {}).setdefault(topic, _Ranking())
            ranking.docnos.append(docno)
            ranking.ranks.append(rank)
            ranking.scores.append(score)
    problems.settle()
    return runs


def _ordered(ranking: _Ranking, ties: Ties) -> list[str]:
    """Order the docnos of a topic, best first."""
    docnos, ranks, scores = ranking.docnos, ranking.ranks, ranking.scores
    if all(map(gt, scores, scores[1:])):  # as in most files: nothing to sort
        return docnos
    order = sorted(range(len(docnos)), key=docnos.__getitem__, reverse=ties != "ascending")
    if ties == "rank":
        order.sort(key=ranks.__getitem__)
    order.sort(key=scores.__getitem__, reverse=True)  # keeps the order of equal scores
    return [docnos[place] for place in order]


def read_grid(name: str, source: Source, known: Known, *, progress: Progress | None = None) -> GridRecord:
    """Read the grids of one system from TSV with the header topic, docno, row, column; topics in file order.

    Rows and columns count from 0 without gaps. Docnos that the study does not have are accepted.
    Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    grids: dict[str, RunGrid] = defaultdict(RunGrid)
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
    # Where a line could not be split into cells, its item may be the one that fills a hole.
    for topic, grid in grids.items() if problems.count == named else ():
        for line, reason in grid.holes():
            problems.add(line, f"topic {quoted(topic)}: {reason}")
    problems.settle()
    return GridRecord({topic: grid.places() for topic, grid in grids.items()})


def _grid_header_problem(cells: list[str]) -> str | None:
    if cells == GRID_HEADER:
        return None
    return "the first line must be the header topic, docno, row, column with tabs between"


class RunGrid:
    """Grid of one topic while it is being read. `whole` is False once an item could not be placed."""

    def __init__(self) -> None:
        self.whole = True
        self._cells: dict[tuple[int, int], tuple[str, int]] = {}
        self._first: dict[str, int] = {}

    def put(self, docno: str, row: int, column: int, line: int) -> str | None:
        """Place an item; return what is wrong with it, or None."""
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
        """Find missing rows, and the first hole of each row: the line of the next item, and the reason."""
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
        """Places of all items, left to right and top to bottom."""
        lengths: dict[int, int] = defaultdict(int)
        for row, _ in self._cells:
            lengths[row] += 1
        return [
            GridPlace(docno, row, column, lengths[row])
            for (row, column), (docno, _) in sorted(self._cells.items())
        ]
