"""Read tables of topics, items, grades, runs and answers: CSV by commas, semicolons or tabs, or JSON.

Each is converted to the lines that the readers of plain files parse.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

from .headers import (
    ALIASES,
    OPTIONAL,
    delimiter_of,
    first_list,
    named_columns,
    names_of,
    prompted_votes,
    topic_extras,
)
from .ids import MAX_ID, UNKNOWN_TOPIC, id_problem, number, quoted
from .lines import Source, drop_comments, first_text
from .problems import BadFile, Problems
from .rows import (
    NESTED,
    Row,
    csv_rows,
    first_rows,
    json_line_rows,
    json_rows,
    list_rows,
    nested_rows,
    table_names,
    widest_delimiter,
)
from .vote_cells import model_ids, names_models, vote_problem

if TYPE_CHECKING:
    from .parts import Part

R = TypeVar("R")
T = TypeVar("T")
_SHOWN = 5
_HEAD = 640 * 1024  # bytes in which a first passage of the greatest length is whole
_KEYS = re.compile(r'"(\w+)"\s*:')
# Kinds of TREC: fields of a line, and which of them, from 0, is a number.
_PLAIN = {"qrels": (4, 3), "run": (6, 4)}
# How programs write that a value is missing. No id; a text may be one of these words.
_MISSING = {"nan", "null", "none", "n/a", "#n/a", "<na>"}
_NUMBERS = {"grade", "score", "rank", "strength", "turn"}
# Kinds whose own format is JSON, since their texts may have ends of lines.
TEXTS = ("items", "descriptions")


class Table(NamedTuple):
    """An open table: its rows, what each column is, and whether rows are records of one JSON text."""

    rows: Iterator[Row]
    columns: Mapping[str, str]
    record: bool


def table_rows(
    problems: Problems,
    source: Source,
    columns_of: Callable[[list[str], list[dict[str, Any]]], Mapping[str, str]],
) -> Table | None:
    """Open a table of any kind whose columns are known; None if they are not.

    columns_of: takes the names of the columns and the first rows, and returns what each column is, if it is
    anything. The file may be one sheet of a workbook or one file of a zip. Raises BadFile if it cannot be
    read.
    """
    from .parts import parts_of

    if parts := parts_of(problems.file, source):
        if len(parts) > 1:
            raise problems.stop(_several(problems.file, parts))
        with parts[0].open() as file:
            return table_rows(problems, file.read(), columns_of)
    head = _head(source)
    names = table_names(head)
    columns = columns_of(names, first_rows(head)) if names else {}
    if not columns:
        return None
    if head.startswith("["):
        lists = first_list(head) is not None
        rows = list_rows(problems, source) if lists else json_rows(problems, source)
        return Table(rows, columns, not lists)
    if head.startswith("{"):
        return Table(json_line_rows(problems, source), columns, False)
    delimiter = widest_delimiter(head)
    return Table(csv_rows(problems, source, lambda header: columns, delimiter), columns, False)


def check_rows(name: str, source: Source, columns: Mapping[str, str]) -> None:
    """Read the rows of a table whose columns are known, whatever they say. Raises BadFile naming every row
    that is none.
    """
    problems = Problems(name)
    table = table_rows(problems, source, lambda names, rows: columns)
    for _ in table.rows if table else ():
        pass
    problems.settle()


def read_table(
    kind: str,
    name: str,
    source: Source,
    read: Callable[[Source], R],
    *,
    columns: Mapping[str, str] | None = None,
    topic_of: Callable[[str], str] | None = None,
    free: bool = False,
) -> R:
    """Read a file of a kind (a key of `headers.ALIASES`) by its reader, in its own format or as a table.

    A table is CSV with a header; JSON objects, in an array or one a line; JSON lists, one a line, the first
    with the names; or, for grades and runs, one JSON object, topic -> docno -> number. It may be gzipped, a
    sheet of a workbook (.xlsx), the only one with the columns of the kind, or the one file of a zip. Further
    columns are left out. columns: what each column of a table is, by names that `ALIASES` has first; by their
    own names if None. topic_of: of judgments whose topic is named by its text, the topic of a text, "" for
    none. free: as `Known` has it.
    Raises BadFile, which names bad lines of the table or records of the array, or says how to mend a layout
    of another program.
    """
    head = _head(source)
    if columns is None and _is_plain(kind, drop_comments(head) if free else head):
        return read(source)
    from .layouts import mend_of, rename  # only here: most files are plain, and reading takes less than this
    from .parts import parts_of

    if parts := parts_of(name, source):
        with _part_for(kind, name, parts) as file:
            return read_table(kind, name, file.read(), read, columns=columns, topic_of=topic_of, free=free)
    problems = Problems(name)
    if topic_of and columns is None and (prompted := prompted_votes(table_names(head))):
        columns = {column: own for own, column in prompted.items()}
    if columns is not None:
        table = table_rows(problems, source, lambda names, rows: columns)
        if table is None:
            raise problems.stop("no columns are known of it")
        named = {own: column for column, own in columns.items()}
        for column, other in (("text", "prompt"), ("a", "model_a"), ("b", "model_b")):
            if kind in ("topics", "judgments") and other in named:
                named[column] = named[other]
        if kind == "judgments" and "topic" not in named and "prompt" in named:
            named["topic"] = named["prompt"]
        else:
            topic_of = None
        return _read(
            table.rows,
            kind,
            problems,
            read,
            record=table.record,
            free=free,
            named=named,
            roles=columns,
            topic_of=topic_of,
        )
    delimiter = ""
    rows: Iterator[Row] | None = None
    record = False
    if kind in ("run", "qrels") and NESTED.match(head):
        rows, record = nested_rows(problems, source), True
    elif first_list(head) is not None:
        rows = list_rows(problems, source)
    elif head.startswith("["):
        rows, record = json_rows(problems, source), True
    elif head.startswith("{"):
        rows = json_line_rows(problems, source) if _other_names(kind, head) else None
    elif delimiter := delimiter_of(head, kind):
        rows = csv_rows(problems, source, lambda names: named_columns(kind, names).values(), delimiter)
    fits = bool(delimiter or named_columns(kind, names_of(head)) or (record and NESTED.match(head)))
    # Tables of other kinds have questions too, so topics are read from none that is known as another.
    told = mend_of(head) if kind == "topics" or not fits else ""
    if not fits:
        told = told or rename(head)
    if told:
        raise problems.stop(told)
    return read(source) if rows is None else _read(rows, kind, problems, read, record=record, free=free)


def read_rows(
    kind: str,
    name: str,
    rows: Iterable[Mapping[str, Any]],
    read: Callable[[Source], R],
    *,
    free: bool = False,
) -> R:
    """Read the rows of a table that is in memory, as `read_table` reads those of a file."""
    return _read(enumerate(rows, 1), kind, Problems(name), read, record=True, free=free)


def _is_plain(kind: str, head: str) -> bool:
    """Whether the first line is one of the kind's own format: its fields, and a number where one stands."""
    fields, place = _PLAIN.get(kind, (0, 0))
    cells = head.partition("\n")[0].split()
    return len(cells) == fields > 0 and number(cells[place]) is not None


def _part_for(kind: str, name: str, parts: "list[Part]") -> BinaryIO:
    """Open the one file of a zip, or the one sheet of a workbook that has the columns of a kind."""
    fitting = parts
    if len(parts) > 1:
        fitting = [part for part in parts if part.sheet and _fits(kind, part)]
    if len(fitting) == 1:
        return fitting[0].open()
    raise Problems(name).stop(_several(name, parts))


def _several(name: str, parts: "list[Part]") -> str:
    some = ", ".join(part.name.removeprefix(f"{name}/") for part in parts[:_SHOWN])
    more = ", ..." if len(parts) > _SHOWN else ""
    what = "sheets" if parts[0].sheet else "files"
    reason = (
        f"it holds {len(parts)} {what}, {some}{more}, and one is loaded at a time: drop it on Files, which"
    )
    return f"{reason} takes them all, or save the one that is meant in a file of its own"


def _fits(kind: str, part: "Part") -> bool:
    with part.open() as file:
        return bool(named_columns(kind, names_of(first_text(file.read(_HEAD)))))


def _head(source: Source) -> str:
    if isinstance(source, Path):
        if not source.is_file():
            return ""
        with source.open("rb") as file:
            raw = file.read(_HEAD)
    elif isinstance(source, bytes):
        raw = source[:_HEAD]
    else:
        raw = source.read(_HEAD)
        source.seek(0)
    return first_text(raw).lstrip()


def _other_names(kind: str, head: str) -> bool:
    """Whether lines of JSON are to be made into those of the reader: it knows texts by its own names."""
    if kind not in TEXTS:
        return True
    columns = named_columns(kind, _KEYS.findall(head.partition("\n")[0]))
    return any(own != name for name, own in columns.items())


def _read(
    rows: Iterator[Row],
    kind: str,
    problems: Problems,
    read: Callable[[Source], R],
    *,
    record: bool,
    free: bool,
    named: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    topic_of: Callable[[str], str] | None = None,
) -> R:
    """Let the reader read the rows as its own lines; its errors get the places of the rows."""
    # The reader of grids has a header, too.
    header = ["\t".join(ALIASES[kind])] if kind == "grid" else []
    places = [1] * len(header)
    lines = header.copy()
    turns: dict[str, str] = {}
    extras: list[dict[str, Any]] = []  # of topics
    tag = name_of_file(problems.file)
    known: dict[tuple[str, ...], dict[str, str]] = {}  # nearly all rows have the same names
    for place, row in rows:
        names = tuple(row)
        if (columns := known.get(names)) is None:
            own = named_columns(kind, names) if named is None else _named(kind, names, named)
            columns = known.setdefault(names, own)
        if not columns:
            wanted = ", ".join(ALIASES[kind])
            problems.add(0 if record else place, _said(record, place, f"it has not all of {wanted}"))
            continue
        values = {column: row[own] for column, own in columns.items()}
        wrong = [
            f"the {columns[column]} is {said}"
            for column, value in values.items()
            if (said := _wrong(column, value))
        ]
        if wrong:
            problems.add(0 if record else place, _said(record, place, "; ".join(wrong)))
            continue
        told = {
            name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()
        }
        reason = _find_topic(told, topic_of) if topic_of else None
        if not reason and kind in ("judgments", "votes"):
            told.setdefault("topic", str(place))
            if names_models(columns, named):
                told |= model_ids(told)
            reason = vote_problem(columns, told, turns)
        if reason := reason or _cell_problem(kind, columns, told, free):
            problems.add(0 if record else place, _said(record, place, reason))
            continue
        if kind == "topics":
            try:
                extras.append(topic_extras(row, roles))
            except ValueError as error:
                problems.add(0 if record else place, _said(record, place, str(error)))
                continue
        places.append(place)
        lines.append(_line(kind, told, tag))
    problems.settle()
    if lines == header:
        raise problems.stop("there is no row under the header" if not record else "the array is empty")
    with _placed(places, record):
        found = read("".join(f"{line}\n" for line in lines).encode())
    if isinstance(found, Iterator):
        return _each(found, places, record)  # type: ignore[return-value]
    if isinstance(found, list) and all(hasattr(one, "line") for one in found):
        more = [extras[one.line - 1] for one in found] if kind == "topics" else [{} for _ in found]
        return [_at(one, places)._replace(**own) for one, own in zip(found, more, strict=True)]  # type: ignore[return-value]
    return found


def _find_topic(told: dict[str, str], topic_of: Callable[[str], str]) -> str | None:
    """Put the topic in place of the text that a row names it by; say what is wrong, if so."""
    text, told["topic"] = told["topic"], topic_of(told["topic"])
    if told["topic"]:
        return None
    return f"{UNKNOWN_TOPIC} {quoted(text)}: no prompt or topic has this text; load it first"


def _named(kind: str, names: tuple[str, ...], named: Mapping[str, str]) -> dict[str, str]:
    """The columns of a row by what they are said to be; {} if one of the kind is missing."""
    wanted = (*ALIASES[kind], *OPTIONAL.get(kind, ()))
    found = {column: named[column] for column in wanted if named.get(column) in names}
    return found if found.keys() >= ALIASES[kind].keys() else {}


def _at(record: T, places: list[int]) -> T:
    """Give a record of a table the place of its row."""
    return record._replace(line=places[record.line - 1])  # type: ignore[attr-defined]


def _each(records: Iterator[T], places: list[int], record: bool) -> Iterator[T]:
    """Yield the records of a reader that reads while they are taken."""
    with _placed(places, record):
        for one in records:
            yield _at(one, places)


@contextmanager
def _placed(places: list[int], record: bool) -> Iterator[None]:
    """Give the errors of a reader the places of the rows that its lines were made from."""
    try:
        yield
    except BadFile as error:
        moved = [
            replace(
                one,
                line=0 if record or not one.line else places[one.line - 1],
                reason=_said(record, places[one.line - 1], one.reason) if one.line else one.reason,
            )
            for one in error.problems
        ]
        raise BadFile(moved, error.count) from error


def _said(record: bool, place: int, reason: str) -> str:
    return f"record {place}: {reason}" if record else reason


def _wrong(column: str, value: object) -> str:
    """What a value of JSON is that a column cannot hold; "" for one that it can."""
    if isinstance(value, str):
        return ""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite"
    if isinstance(value, float) and column not in _NUMBERS and column != "text":
        return f'{value}, a number with a decimal point; write it in quotation marks, such as "{value:g}"'
    return ""


def _cell_problem(kind: str, columns: Mapping[str, str], told: dict[str, str], free: bool) -> str | None:
    """What is wrong with a row's cells that its reader would not see; strips them where it cuts at spaces."""
    for column, value in told.items():
        if column != "text" and value.strip().lower() in _MISSING:
            return f"the {columns[column]} is {quoted(value)}, as programs write what is missing"
        if kind not in (*TEXTS, "topics"):
            told[column] = value.strip()
            if reason := id_problem(columns.get(column, column), told[column], free=free):
                return reason
    return None


def name_of_file(name: str) -> str:
    """Name a run after its file, for tables that name none."""
    stem = name.rpartition("/")[2].removesuffix(".gz")
    return re.sub(r"\s+", "-", stem.rpartition(".")[0] or stem)[:MAX_ID] or "run"


def _line(kind: str, told: Mapping[str, str], tag: str) -> str:
    if kind in TEXTS:
        return json.dumps(told, ensure_ascii=False)
    if kind == "topics":
        # A tab or a line end inside would be another field, or another line.
        return "\t".join(" ".join(told[column].split()) for column in ("topic", "text"))
    if kind == "qrels":
        return f"{told['topic']} 0 {told['docno']} {told['grade']}"
    if kind == "grid":
        return "\t".join(told[column] for column in ALIASES[kind])
    if kind in ("judgments", "votes"):
        more = [told[column] for column in ("assessor", "strength") if column in told]
        return " ".join([*(told[column] for column in ("topic", "a", "b", "winner")), *more])
    # Without scores it is the rank that counts, the first as the highest.
    rank = told.get("rank", "0")
    score = told.get("score", f"-{rank}")
    return f"{told['topic']} Q0 {told['docno']} {rank} {score} {told.get('tag', tag)}"
