"""Rows of tables in CSV and JSON: each its place in the file, and its cells by the names of their columns."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

from .collection import unique_keys
from .headers import DELIMITERS, SEPARATOR, cells, first_line, first_list, names_of, plain_name
from .ids import quoted
from .lines import MAX_BYTES, Source, read_lines, text_bytes
from .problems import Problems

# The place counts lines of the file, or records of an array or object.
Row = tuple[int, Mapping[str, Any]]
# One object of rankings, topic -> docno -> score, as Python's tools write runs and grades.
NESTED = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*-?\d|\})')


def _text(problems: Problems, source: Source) -> str:
    raw, _ = text_bytes(source, problems, MAX_BYTES)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise problems.stop(f"not UTF-8: byte 0x{raw[error.start]:02x}; save the file as UTF-8") from error


def first_rows(head: str, most: int = 20) -> list[dict[str, Any]]:
    """Read the first rows of a table by the start of its file, as far as they are whole; [] for no table."""
    text = head.lstrip()
    if (names := first_list(text)) is not None:
        lines = [row for row in _whole_lines(text)[1 : most + 1] if isinstance(row, list)]
        return [dict(zip(names, row, strict=False)) for row in lines]
    if text.startswith("["):
        return list(islice(_objects(text[1:]), most))
    if text.startswith("{"):
        return [row for row in _whole_lines(text)[:most] if isinstance(row, dict)] or list(
            islice(_objects(text), 1)
        )
    delimiter = widest_delimiter(head)
    if not delimiter:
        return []
    lines_of = io.StringIO(head, newline="")
    if SEPARATOR.match(head[:16]):
        lines_of.readline()
    if delimiter == "\t":
        rows = csv.reader(lines_of, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(lines_of, delimiter=delimiter)
    found: list[list[str]] = []
    with suppress(csv.Error):
        found.extend(islice(rows, most + 1))
    if len(found) > 1 and not head.endswith(("\n", "\r")) and next(rows, None) is None:
        found = found[: max(2, len(found) - 1)]  # the last may be cut off
    return [dict(zip(found[0], row, strict=False)) for row in found[1:]] if found else []


def table_names(head: str) -> list[str]:
    """Read the names of the columns at the start of a file, as its rows have them; [] if there are none."""
    if not head.startswith(("[", "{")):
        _, line = first_line(head)
        delimiter = widest_delimiter(head)
        return cells(line, delimiter) if delimiter else []
    return list(dict.fromkeys(name for row in first_rows(head) for name in row)) or names_of(head)


def widest_delimiter(head: str) -> str:
    """The delimiter by which the first line of a table has most columns; "" if it has one column."""
    said, line = first_line(head)
    if said:
        return said
    widest = max(DELIMITERS, key=lambda delimiter: len(cells(line, delimiter)))
    return widest if widest in line else ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield JSON objects that follow each other, with commas between, until one is not whole."""
    decoder = json.JSONDecoder()
    with suppress(ValueError, RecursionError):
        while text := text.lstrip(" \t\r\n,"):
            row, end = decoder.raw_decode(text)
            if not isinstance(row, dict):
                return
            yield row
            text = text[end:]


def _whole_lines(text: str) -> list[Any]:
    """The JSON values of lines, without a last one that is cut off."""
    found = []
    for line in text.split("\n", 60)[:60]:
        with suppress(ValueError, RecursionError):
            found.append(json.loads(line))
    return found


def csv_rows(
    problems: Problems, source: Source, needed: Callable[[list[str]], Iterable[str]], delimiter: str
) -> Iterator[Row]:
    """Yield the rows of a table in CSV. needed: of the names of its columns, those that may stand once."""
    text = io.StringIO(_text(problems, source), newline="")
    last = place = 0
    if SEPARATOR.match(text.getvalue()[:16]):
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
        names = list(map(plain_name, header))
        for own in needed(header):
            if names.count(plain_name(own)) > 1:
                problems.add(1, f"the header has the column {own} twice")
        problems.settle()
        last = skipped + rows.line_num
        for cells in rows:
            place, last = last + 1, skipped + rows.line_num
            if not any(cells):
                continue
            if len(cells) != len(header):
                problems.add(place, _miscounted(len(cells), len(header)))
                continue
            yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        open_quote = "unexpected end" in str(error) or "field limit" in str(error)
        reason = "a quotation mark opens a text here that does not end" if open_quote else f"not CSV: {error}"
        problems.add(last + 1, reason)
        problems.settle()


def json_rows(problems: Problems, source: Source) -> Iterator[Row]:
    try:
        rows = json.loads(_text(problems, source), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise problems.stop(_not_json(error)) from error
    for place, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            yield place, {str(name): value for name, value in row.items()}
        else:
            problems.add(0, f"record {place}: it is no object")


def nested_rows(problems: Problems, source: Source) -> Iterator[Row]:
    """Rows of one object: topic -> docno -> number, which stands for a score or a grade."""
    try:
        topics = json.loads(_text(problems, source), object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise problems.stop(_not_json(error)) from error
    place = 0
    for topic, docnos in topics.items():
        if not isinstance(docnos, Mapping):
            problems.add(0, f"topic {quoted(topic)}: it is no object of docnos with numbers")
            continue
        for docno, value in docnos.items():
            place += 1
            yield place, {"topic": topic, "docno": docno, "score": value}


def list_rows(problems: Problems, source: Source) -> Iterator[Row]:
    """Rows of lists, one a line; the first has the names of the columns."""
    names: list[str] = []
    for number, text in read_lines(source, problems):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            problems.add(number, _not_json(error))
            continue
        if not isinstance(row, list):
            problems.add(number, "it is no list, as the first line is")
        elif not names:
            names = list(map(str, row))
        elif not any(cell not in (None, "") for cell in row):
            continue
        elif len(row) != len(names):
            problems.add(number, _miscounted(len(row), len(names)))
        else:
            yield number, dict(zip(names, row, strict=True))


def json_line_rows(problems: Problems, source: Source) -> Iterator[Row]:
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


def _miscounted(found: int, wanted: int) -> str:
    return f"it has {found} cell{'' if found == 1 else 's'}; the header has {wanted}"


def _not_json(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "not JSON that can be read: brackets too deep"
    # What Python says of it is advice to programmers.
    return "not JSON that can be read: a number too long" if "digits" in str(error) else f"not JSON: {error}"
