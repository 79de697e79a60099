"""Readers of topics (TSV), text items (JSONL) and grades (TREC qrels)."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .ids import Known, docno_problem, id_problem, number, number_problem, quoted, text_problem, topic_problem
from .lines import Progress, Source, most_bytes, read_bytes, read_fields, read_lines
from .problems import Problems

ITEM_KEYS = ("docno", "topic", "text")
DESCRIPTION_KEYS = ("docno", "topic", "description")
MAX_DESCRIPTION = 2_000  # characters; a screen reader takes two minutes for them


class TopicRecord(NamedTuple):
    """A topic: its id and the question or query that the assessor sees.

    groups: column -> group, such as a category or a language. description: what a good item should have.
    weight: how much it counts in means, above 0.
    """

    topic: str
    text: str
    line: int = 0
    groups: Mapping[str, str] = MappingProxyType({})
    description: str = ""
    weight: float = 1.0


class ItemRecord(NamedTuple):
    """A text item of a topic."""

    topic: str
    docno: str
    text: str
    line: int = 0


class DescriptionRecord(NamedTuple):
    """What a picture shows, in words, for people who cannot see it."""

    topic: str
    docno: str
    description: str
    line: int = 0


class GradeRecord(NamedTuple):
    """Grade of an item, an absolute relevance label: any finite number; 0 and below mean not relevant."""

    topic: str
    docno: str
    grade: float
    line: int = 0


def read_topics(
    name: str, source: Source, *, fixed: Mapping[str, str] | None = None, progress: Progress | None = None
) -> list[TopicRecord]:
    """Read topics, `id<TAB>text` lines, in file order. Raises BadFile naming every bad line.

    fixed: texts of topics about which people are asked already; a file may repeat them, and not change them.
    """
    problems = Problems(name)
    fixed = fixed or {}
    records: list[TopicRecord] = []
    first: dict[str, int] = {}
    for line, raw in read_lines(source, problems, progress=progress):
        cells = raw.split("\t")
        if len(cells) != 2:
            found = "no tab" if len(cells) == 1 else f"{len(cells) - 1} tabs"
            problems.add(line, f"expected an id, one tab and the text; found {found}")
            continue
        topic, text = cells[0].strip(), cells[1].strip()
        if reason := id_problem("topic", topic) or text_problem(text):
            problems.add(line, reason)
        elif (earlier := first.setdefault(topic, line)) != line:
            problems.add(line, f"topic {quoted(topic)} was already given on line {earlier}")
        elif fixed.get(topic, text) != text:
            problems.add(line, f"topic {quoted(topic)} is open for judging, so its text stands still")
        else:
            records.append(TopicRecord(topic, text, line))
    problems.settle()
    return records


def read_items(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[ItemRecord]:
    """Read text items from JSONL, one object with "docno", "topic" and "text" a line, in file order.

    Any other key is an error, so that nothing in the file is dropped silently.
    Raises BadFile naming every bad line, or saying that the study compares images.
    """
    problems = Problems(name)
    if known.kind != "text":
        what = "images" if known.kind == "image" else known.kind
        raise problems.stop(f"this study compares {what}; load a folder or a zip of {what}, not texts")
    records: list[ItemRecord] = []
    first: dict[tuple[str, str], int] = {}
    for line, (docno, topic, text) in _json_lines(source, problems, ITEM_KEYS, progress):
        reason = docno_problem(docno) or topic_problem(topic, known) or text_problem(text)
        if reason:
            problems.add(line, reason)
        elif (earlier := first.setdefault((topic, docno), line)) != line:
            problems.add(
                line, f"docno {quoted(docno)} of topic {quoted(topic)} was already given on line {earlier}"
            )
        else:
            records.append(ItemRecord(topic, docno, text.strip(), line))
    problems.settle()
    return records


def read_descriptions(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[DescriptionRecord]:
    """Read descriptions of pictures or recordings from JSONL: docno, topic and description, one a line.

    Raises BadFile naming every bad line, also those of files that the study does not have.
    """
    problems = Problems(name)
    if known.kind == "text":
        raise problems.stop("this study compares texts; descriptions are of pictures and recordings")
    records: list[DescriptionRecord] = []
    first: dict[tuple[str, str], int] = {}
    for line, (docno, topic, given) in _json_lines(source, problems, DESCRIPTION_KEYS, progress):
        description = " ".join(given.split())
        reason = docno_problem(docno) or topic_problem(topic, known) or description_problem(description)
        if not reason and not known.has_item(topic, docno):
            reason = f"topic {quoted(topic)} has no docno {quoted(docno)}; load its file first"
        if reason:
            problems.add(line, reason)
        elif (earlier := first.setdefault((topic, docno), line)) != line:
            problems.add(
                line,
                f"docno {quoted(docno)} of topic {quoted(topic)} was already described on line {earlier}",
            )
        else:
            records.append(DescriptionRecord(topic, docno, description, line))
    problems.settle()
    return records


def description_problem(text: str) -> str | None:
    """Check the description of a picture: the reason why it cannot be read out, or None."""
    if len(text) > MAX_DESCRIPTION:
        return f"the description has {len(text):,} characters; at most {MAX_DESCRIPTION:,} are allowed"
    return "the description is empty" if not text else text_problem(text)


def read_qrels(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> list[GradeRecord]:
    """Read grades from TREC qrels, `topic 0 docno grade`, in file order. The second field is ignored.

    Docnos that the study does not have are accepted. Raises BadFile naming every bad line.
    """
    problems = Problems(name)
    records: list[GradeRecord] = []
    first: dict[str, dict[str, int]] = defaultdict(dict)
    columns = "topic 0 docno grade"
    rows = read_fields(source, problems, columns, counts=(4,), progress=progress, free=known.free)
    for line, (topic, _, docno, given) in rows:
        grade = number(given)
        if reason := topic_problem(topic, known) or docno_problem(docno, free=known.free):
            problems.add(line, reason)
        elif grade is None:
            problems.add(line, number_problem("grade", given))
        elif (earlier := first[topic].setdefault(docno, line)) != line:
            problems.add(
                line, f"docno {quoted(docno)} of topic {quoted(topic)} was already graded on line {earlier}"
            )
        else:
            records.append(GradeRecord(topic, docno, grade, line))
    problems.settle()
    return records


def read_grades(
    name: str, source: Source, known: Known, *, progress: Progress | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Read what `read_qrels` reads as topic -> docno -> grade; plain files quickly and in little memory."""
    from .plain_grades import PlainGrades  # only here: it loads numpy

    data = read_bytes(source, Problems(name), most_bytes(known.free))
    plain = PlainGrades.of(data, Problems(name), known, progress)
    if plain is not None:
        return plain
    grades: dict[str, dict[str, float]] = {}
    for topic, docno, grade, _ in read_qrels(name, data, known, progress=progress):
        grades.setdefault(topic, {})[docno] = grade
    return grades


class _TwiceError(ValueError):
    """Raised for a key given twice in a JSON object; `json` alone would silently keep the last value."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of JSON pairs; a key given twice is a ValueError. For `object_pairs_hook` of json."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise _TwiceError(f"the key {quoted(key)} is given twice")
        values[key] = value
    return values


def _json_lines(
    source: Source, problems: Problems, keys: Sequence[str], progress: Progress | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each JSONL line and the values of its keys; name the lines that have not these."""
    for line, raw in read_lines(source, problems, progress=progress):
        values = _values(raw, keys)
        if isinstance(values, str):
            problems.add(line, values)
        else:
            yield line, values


def _values(raw: str, keys: Sequence[str]) -> list[str] | str:
    """Parse a JSONL line: the values of its keys, or what is wrong with it."""
    named = f"{', '.join(keys[:-1])} and {keys[-1]}"
    try:
        values = json.loads(raw, object_pairs_hook=unique_keys)
    except _TwiceError as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at character {error.pos + 1}; each line is one JSON object"
    except (ValueError, RecursionError):
        return "not JSON that can be read: a number too long or brackets too deep"
    if not isinstance(values, dict):
        return f"not a JSON object; each line is one object with {named}"
    if unknown := [key for key in values if key not in keys]:
        return f"unknown key {quoted(unknown[0])}; the keys are {named}"
    for key in keys:
        if key not in values:
            return f'the key "{key}" is missing'
        if not isinstance(values[key], str):
            return f'the value of "{key}" is not a string in quotes'
    return [values[key] for key in keys]
