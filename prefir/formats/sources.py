"""Reader of the sources that answers cite: JSON lines of docno, topic and a list of sources."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .collection import unique_keys
from .ids import MAX_TEXT, Known, docno_problem, hidden_character, quoted, topic_problem
from .lines import Progress, Source, read_lines
from .problems import Problems

MAX_SOURCES = 50  # of one answer
MAX_TITLE, MAX_ADDRESS = 300, 2_000  # characters
# What a source may be called in a file: the field -> names for it.
_NAMES = {
    "text": ("text", "passage", "content", "contents", "snippet", "page_content"),
    "title": ("title", "name", "id", "docno"),
    "address": ("address", "url", "link", "source"),
}
_LISTS = ("sources", "citations", "contexts", "retrieved_contexts", "passages")


class CitedSource(NamedTuple):
    """A source as an answer cites it; its number is its place in the list, from 1."""

    text: str
    title: str = ""
    address: str = ""


class SourcesRecord(NamedTuple):
    """The sources of one answer, in the order of their numbers."""

    topic: str
    docno: str
    sources: tuple[CitedSource, ...]
    line: int = 0


def read_sources(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[SourcesRecord]:
    """Read the sources of answers from JSONL, one object with "docno", "topic" and "sources" a line.

    A source is a text, or an object with text and perhaps title and url. Other keys of the line are left
    out. Raises BadFile naming every bad line, also those of answers that the study does not have.
    """
    problems = Problems(name)
    if known.kind != "text":
        raise problems.stop("this study compares no texts; sources are of answers in words")
    records: list[SourcesRecord] = []
    first: dict[tuple[str, str], int] = {}
    for line, raw in read_lines(source, problems, progress=progress):
        row = _row(raw)
        if isinstance(row, str):
            problems.add(line, row)
            continue
        docno, topic, listed = row
        found = sources_of(listed)
        reason = docno_problem(docno) or topic_problem(topic, known)
        if not reason and not known.has_item(topic, docno):
            reason = f"topic {quoted(topic)} has no docno {quoted(docno)}; load the answers first"
        if reason or isinstance(found, str):
            problems.add(line, reason or str(found))
        elif (earlier := first.setdefault((topic, docno), line)) != line:
            told = f"docno {quoted(docno)} of topic {quoted(topic)} was already given on line {earlier}"
            problems.add(line, told)
        else:
            records.append(SourcesRecord(topic, docno, found, line))
    problems.settle()
    return records


def sources_of(listed: Any) -> tuple[CitedSource, ...] | str:
    """The sources of a list, or what is wrong with it."""
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_SOURCES:
        return f"sources are a list of 1 to {MAX_SOURCES}"
    found = []
    for number, one in enumerate(listed, 1):
        cited = _cited(one)
        if isinstance(cited, str):
            return f"source {number}: {cited}"
        found.append(cited)
    return tuple(found)


def _row(raw: str) -> tuple[str, str, Any] | str:
    """Docno, topic and the list of a line, or what is wrong with it."""
    try:
        row = json.loads(raw, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at character {error.pos + 1}; each line is one JSON object"
    except (ValueError, RecursionError) as error:
        return str(error) or "not JSON that can be read"
    if not isinstance(row, dict):
        return "not a JSON object; each line is one object with docno, topic and sources"
    lists = [row[key] for key in _LISTS if key in row]
    if not lists:
        return 'the key "sources" is missing'
    for key in ("docno", "topic"):
        if not isinstance(row.get(key), str):
            return f'the value of "{key}" is not a string in quotes'
    return row["docno"], row["topic"], lists[0]


def _cited(one: Any) -> CitedSource | str:
    if isinstance(one, str):
        one = {"text": one}
    if not isinstance(one, Mapping):
        return "neither a text nor an object"
    given = {field: _first(one, names) for field, names in _NAMES.items()}
    if not given["text"] and not given["title"]:
        return "it has neither a text nor a title"
    for field, most in (("text", MAX_TEXT), ("title", MAX_TITLE), ("address", MAX_ADDRESS)):
        if len(given[field]) > most:
            return f"its {field} has {len(given[field]):,} characters; at most {most:,} are allowed"
        if field != "text" and (hidden := hidden_character(given[field])):
            return f"its {field} has {hidden}"
    return CitedSource(given["text"], given["title"], given["address"])


def _first(one: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((str(one[name]).strip() for name in names if isinstance(one.get(name), str | int)), "")
