"""Tables: topics, items and grades in columns under a header, separated by commas, semicolons or tabs, or as
JSON objects, made into the lines that their readers know.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from .collection import unique_keys
from .lines import MAX_BYTES, Source, first_text, read_lines, text_bytes
from .problems import BadFile, Problems

R = TypeVar("R")
_HEAD = 640 * 1024  # bytes in which a first passage of the greatest length is whole
_KEYS = re.compile(r'"(\w+)"\s*:')
_TOPIC = ("topic", "topic_id", "qid", "query_id", "query-id", "topicid", "queryid")
_DOCNO = ("docno", "doc_id", "docid", "passage_id", "pid", "item", "item_id", "document_id", "corpus-id")
# Names of the columns of each kind, the one first that our own files have; in any case of letters.
ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "items": {
        "docno": (*_DOCNO, "id", "_id"),
        "topic": _TOPIC,
        "text": ("text", "passage", "body", "content"),
    },
    "qrels": {
        "topic": _TOPIC,
        "docno": _DOCNO,
        "grade": ("grade", "relevance", "rel", "label", "judgment", "score"),
    },
    "topics": {"topic": (*_TOPIC, "id", "_id"), "text": ("text", "query", "title", "question")},
}
# What separates columns, and what it is called. Of several in a line, the first that makes sense counts.
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
# A first line by which spreadsheets say what separates columns.
_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.I)


def named_columns(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Which of these names stand for which column of a kind; empty unless every column has one."""
    given = {name.strip().lower(): name for name in names}
    if kind == "qrels" and "rank" in given:
        return {}  # its scores are those of a run
    if kind == "topics" and is_corpus(given):
        return {}
    found = {
        column: given[alias]
        for column, aliases in ALIASES[kind].items()
        for alias in [next((alias for alias in aliases if alias in given), "")]
        if alias
    }
    return found if found.keys() == ALIASES[kind].keys() and len(set(found.values())) == len(found) else {}


def is_corpus(names: Iterable[str]) -> bool:
    """Whether these are the columns of a corpus as BEIR has it: passages that name no topic."""
    return {"_id", "title", "text"} <= {name.strip().lower() for name in names}


def read_table(kind: str, name: str, source: Source, read: Callable[[Source], R]) -> R:
    """Read a file of a kind ("topics", "items", "qrels") by its reader, whether it is in that reader's own
    format, in columns under a header, or JSON objects, in an array or one in each line. It may be gzipped.

    Further columns are left out. Raises BadFile, whose lines are those of the CSV, or records of the array.
    """
    problems = Problems(name)
    head = _head(source)
    if head.startswith("["):
        return _read(_json(problems, source), kind, problems, read, record=True)
    if head.startswith("{") and _other_names(kind, head):
        return _read(_json_lines(problems, source), kind, problems, read, record=False)
    if delimiter := "" if head.startswith("{") else delimiter_of(head, kind):
        return _read(_csv(problems, source, kind, delimiter), kind, problems, read, record=False)
    return read(source)


def delimiter_of(head: str, *kinds: str) -> str:
    """What separates the columns that a first line names for one of these kinds; "" if it names none."""
    lines = (head[said.end() :] if (said := _SEPARATOR.match(head)) else head).splitlines()
    first = lines[0] if lines else ""
    for delimiter in [said[1]] if said else DELIMITERS:
        names = _cells(first, delimiter) if delimiter in first else []
        if any(named_columns(kind, names) for kind in kinds):
            return delimiter
    return ""


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
    """Whether lines of JSON are to be made into those of the reader: it knows passages by its own names."""
    if kind != "items":
        return True
    columns = named_columns(kind, _KEYS.findall(head.partition("\n")[0]))
    return any(own != name for name, own in columns.items())


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _read(
    rows: Iterator[tuple[int, Mapping[str, Any]]],
    kind: str,
    problems: Problems,
    read: Callable[[Source], R],
    *,
    record: bool,
) -> R:
    """Let the reader read the rows as its own lines; its errors get the places of the rows."""
    places: list[int] = []
    lines: list[str] = []
    for place, row in rows:
        columns = named_columns(kind, row)
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
        places.append(place)
        lines.append(_line(kind, values))
    problems.settle()
    if not lines:
        raise problems.stop("there is no row under the header" if not record else "the array is empty")
    try:
        return read("".join(f"{line}\n" for line in lines).encode())
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
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite"
    if isinstance(value, float) and column in ("topic", "docno"):
        return f'{value}, a number with a decimal point; write it in quotation marks, such as "{value:g}"'
    return ""


def _line(kind: str, row: Mapping[str, Any]) -> str:
    told = {name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()}
    if kind == "items":
        return json.dumps(told, ensure_ascii=False)
    # A tab or a line end inside would be another field, or another line.
    told = {name: " ".join(value.split()) for name, value in told.items()}
    return (
        f"{told['topic']}\t{told['text']}"
        if kind == "topics"
        else f"{told['topic']} 0 {told['docno']} {told['grade']}"
    )


def _text(problems: Problems, source: Source) -> str:
    raw, _ = text_bytes(source, problems, MAX_BYTES)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise problems.stop(f"not UTF-8: byte 0x{raw[error.start]:02x}; save the file as UTF-8") from error


def _csv(
    problems: Problems, source: Source, kind: str, delimiter: str
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = io.StringIO(_text(problems, source), newline="")
    last = place = 0
    if _SEPARATOR.match(text.getvalue()[:16]):
        text.readline()
        last = place = 1
    # Tables with tabs are written without quotation marks around texts, which may hold some.
    if delimiter == "\t":
        rows = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(text, delimiter=delimiter, strict=True)
    skipped = last
    try:
        header = next(rows)
        names = [name.strip().lower() for name in header]
        for own in named_columns(kind, header).values():
            if names.count(own.strip().lower()) > 1:
                problems.add(1, f"the header has the column {own} twice")
        problems.settle()
        last = skipped + rows.line_num
        for cells in rows:
            place, last = last + 1, skipped + rows.line_num
            if not any(cells):
                continue
            if len(cells) != len(header):
                problems.add(place, f"it has {len(cells)} cells; the header has {len(header)}")
                continue
            yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        open_quote = "unexpected end" in str(error) or "field limit" in str(error)
        reason = "a quotation mark opens a text here that does not end" if open_quote else f"not CSV: {error}"
        problems.add(last + 1, reason)
        problems.settle()


def _json(problems: Problems, source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        rows = json.loads(_text(problems, source), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise problems.stop(_not_json(error)) from error
    for place, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            yield place, {str(name): value for name, value in row.items()}
        else:
            problems.add(0, f"record {place}: it is no object")


def _json_lines(problems: Problems, source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, text in read_lines(source, problems):
        try:
            row = json.loads(text, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            problems.add(number, _not_json(error))
            continue
        if isinstance(row, Mapping):
            yield number, {str(name): value for name, value in row.items()}
        else:
            problems.add(number, "it is no object")


def _not_json(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "not JSON that can be read: brackets too deep"
    # What Python says of it is advice to programmers.
    return "not JSON that can be read: a number too long" if "digits" in str(error) else f"not JSON: {error}"
