"""Names of columns: which of them peers give to ours, and which kind of file they make."""

import csv
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .ids import groups_problem, number, weight_problem

_TOPIC = (
    "topic",
    "topic_id",
    "qid",
    "query_id",
    "query-id",
    "question_id",
    "prompt_id",
    "topicid",
    "queryid",
)
_DOCNO = (
    *("docno", "doc_id", "docid", "passage_id", "pid", "item", "item_id", "document_id", "corpus-id"),
    "product_id",
)
PROMPTS = ("prompt", "instruction", "question", "query", "input", "user_input", "task")
_SYSTEM = ("system", "model", "generator")
_ASSESSOR = ("assessor", "judge", "annotator", "annotator_id", "worker", "worker_id", "user_id", "user")
# Names of the columns of each kind, the one first that our own files have; in any case of letters.
ALIASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "items": {
        "docno": (*_DOCNO, "id", "_id", *_SYSTEM),
        "topic": _TOPIC,
        "text": (
            "text",
            "passage",
            "body",
            "content",
            "contents",
            "output",
            "response",
            "answer",
            "actual_output",
        ),
    },
    "descriptions": {
        "docno": _DOCNO,
        "topic": _TOPIC,
        "description": ("description", "alt", "alt_text", "alttext", "caption"),
    },
    "sources": {
        "docno": ("docno",),
        "topic": ("topic",),
        "sources": ("sources", "citations", "contexts", "retrieved_contexts", "passages"),
    },
    "run": {"topic": _TOPIC, "docno": _DOCNO},
    "grid": {"topic": _TOPIC, "docno": _DOCNO, "row": ("row",), "column": ("column",)},
    "judgments": {
        "topic": _TOPIC,
        "a": ("a", "docno_a", "doc_id_a", "item_a", "model_a", "system_a", "run_a", "item_x", "left"),
        "b": ("b", "docno_b", "doc_id_b", "item_b", "model_b", "system_b", "run_b", "item_y", "right"),
        "winner": ("winner", "preferred", "preference"),
    },
    "votes": {
        "a": ("a", "model_a", "system_a", "run_a", "item_a", "docno_a", "left"),
        "b": ("b", "model_b", "system_b", "run_b", "item_b", "docno_b", "right"),
        "winner": ("winner", "preferred", "preference"),
    },
    "qrels": {
        "topic": _TOPIC,
        "docno": _DOCNO,
        "grade": ("grade", "relevance", "rel", "label", "judgment", "score"),
    },
    "topics": {
        "topic": (*_TOPIC, "id", "_id"),
        "text": ("text", "query", "title", "question", "prompt", "instruction"),
    },
}
# Single letters, left and right are ids as well.
_ALL = {
    name
    for columns in ALIASES.values()
    for names in columns.values()
    for name in names
    if len(name) > 1 and name not in ("left", "right")
}
# Columns that a kind may have besides.
OPTIONAL: Mapping[str, Mapping[str, Sequence[str]]] = {
    "run": {"rank": ("rank",), "score": ("score",), "tag": ("tag", "run", "run_id", "runid", *_SYSTEM)},
    "judgments": {"assessor": _ASSESSOR, "strength": ("strength",), "turn": ("turn",)},
    # Of systems, where each row without a topic is one of its own.
    "votes": {"topic": _TOPIC, "assessor": _ASSESSOR, "strength": ("strength",), "turn": ("turn",)},
}
# Answers may also name who won and who lost.
_LOSERS = {"a": ("winner",), "b": ("loser",), "winner": ("winner",), **OPTIONAL["judgments"]}
# Columns that say more of topics: any number of groups.
EXTRAS: Mapping[str, Sequence[str]] = {
    "group": (
        *("group", "category", "language", "lang", "query_type", "question_type", "domain", "intent"),
        "difficulty",
    ),
    "description": ("description", "narrative", "desc"),
    "weight": ("weight",),
}
# What separates columns, and what it is called. Of several in a line, the first that makes sense counts.
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
# A first line by which spreadsheets say what separates columns.
SEPARATOR = re.compile(r"sep=(.)\r?\n", re.I)


def plain_name(name: str) -> str:
    """A column's name as the aliases are written: small letters, and _ for spaces."""
    return "_".join(name.lower().split())


def named_columns(kind: str, names: Iterable[str]) -> dict[str, str]:
    """Which of these names stand for which column of a kind; empty unless every column has one."""
    given = {plain_name(name): name for name in names}
    if kind == "qrels" and "rank" in given:
        return {}  # its scores are those of a run
    if kind == "topics" and is_corpus(given):
        return {}
    needed = ALIASES[kind]
    found = _found(needed, given)
    lost = not found.keys() & {"a", "b"} and {"winner", "loser"} <= given.keys()
    if lost and (kind == "votes" or (kind == "judgments" and "topic" in found)):
        return _found({"topic": _TOPIC, **_LOSERS}, given)
    if found.keys() != needed.keys() or len(set(found.values())) < len(found):
        return {}
    more = _found(OPTIONAL.get(kind, {}), given)
    if kind == "run" and not more.keys() & {"rank", "score"}:
        return {}
    return found | {column: name for column, name in more.items() if name not in found.values()}


def prompted_votes(names: Iterable[str]) -> dict[str, str]:
    """Which of these names stand for which column of votes that name their prompt by its text; {} for any
    other table.
    """
    given = {plain_name(name): name for name in names}
    prompt = next((given[name] for name in PROMPTS if name in given), "")
    found = named_columns("votes", given.values()) if prompt else {}
    return {"prompt": prompt} | found if found and "topic" not in found else {}


def extra_columns(names: Iterable[str]) -> list[str]:
    """Which of these names say more of topics: groups, a description, a weight."""
    known = {one for own in EXTRAS.values() for one in own}
    return [name for name in names if plain_name(name) in known]


def topic_extras(row: Mapping[str, object], columns: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The groups, the description and the weight of a topic's row, as fields of `TopicRecord`.

    columns: what each column is, "group", "description" or "weight"; by its name if None. Raises ValueError.
    """
    found: dict[str, Any] = {"groups": {}}
    for column, value in row.items():
        name = plain_name(column)
        if columns is not None:
            what = columns.get(column, "")
        else:
            what = next((w for w, own in EXTRAS.items() if name in own), "")
        if what not in EXTRAS or value is None or isinstance(value, list | dict) or not str(value).strip():
            continue
        text = " ".join(str(value).split())
        if what == "group":
            found["groups"][" ".join(column.split())] = text
        elif what == "description":
            found.setdefault("description", str(value).strip())
        else:
            found["weight"] = _weight(text)
    if reason := groups_problem(found["groups"]):
        raise ValueError(reason)
    return found


def _weight(text: str) -> float:
    weight = number(text)
    if weight is None or weight_problem(weight):
        raise ValueError(weight_problem(text))
    return weight


def _found(aliases: Mapping[str, Sequence[str]], given: Mapping[str, str]) -> dict[str, str]:
    return {
        column: given[name]
        for column, names in aliases.items()
        if (name := next((name for name in names if name in given), "")) in given
    }


def is_corpus(names: Collection[str]) -> bool:
    """Whether these are the columns of a corpus: passages without a topic."""
    given = {plain_name(name) for name in names}
    if given & set(_TOPIC) or not given & set(ALIASES["items"]["text"]):
        return False
    return bool(given & set(_DOCNO)) or (bool(given & {"_id", "id"}) and bool(given & {"title", "contents"}))


def is_header(names: Sequence[str]) -> bool:
    """Whether a first line that names no kind's columns names some column, so that it is no record.

    Ids have digits, names of columns have none: a first query may well be “model”.
    """
    known = any(plain_name(name) in _ALL for name in names)
    return known and len(names) > 1 and not any(letter.isdigit() for name in names for letter in name)


def is_scored(names: Iterable[str]) -> bool:
    """Whether these are topics, docnos and scores, as runs have and grades may. BEIR's are grades."""
    given = {plain_name(name) for name in names}
    columns = named_columns("run", names)
    return (
        "score" in columns
        and not given & {"rank", "corpus-id"}
        and not given & set(ALIASES["qrels"]["grade"][:-1])
    )


def cells(line: str, delimiter: str) -> list[str]:
    """Split a line of a table, which may have cells in quotation marks."""
    return next(csv.reader([line], delimiter=delimiter), [])


def delimiter_of(head: str, *kinds: str) -> str:
    """What separates the columns that a first line names for one of these kinds; "" if it names none."""
    said, first = first_line(head)
    for delimiter in said or DELIMITERS:
        names = cells(first, delimiter) if delimiter in first else []
        if any(named_columns(kind, names) for kind in kinds):
            return delimiter
    return ""


def first_line(head: str) -> tuple[str, str]:
    """What separates columns, where a line says so, and the first line of the table."""
    said = SEPARATOR.match(head)
    lines = re.split(r"\r\n|\n|\r", head[said.end() :] if said else head, maxsplit=1)
    return (said[1] if said else ""), lines[0]


def names_of(head: str) -> list[str]:
    """Read the names of the columns at the start of a file; empty if there are none.

    They are the keys of a first JSON object, the strings of a first JSON list on its own line, or the cells
    of the first line.
    """
    head = head.lstrip()
    if (row := first_list(head)) is not None:
        return row
    if head.startswith(("{", "[")):
        first = first_object(head)
        return list(first) if first is not None else []
    said, line = first_line(head)
    delimiter = said or next((one for one in DELIMITERS if one in line), "")
    return [name.strip() for name in cells(line, delimiter)] if delimiter else []


def first_object(head: str) -> dict[str, object] | None:
    """Read the JSON object at the start of a file, alone or first in an array; None if there is none."""
    try:
        first, _ = json.JSONDecoder().raw_decode(head.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return None
    return first if isinstance(first, dict) else None


def first_list(head: str) -> list[str] | None:
    """The names in the first line of a table whose rows are lists of JSON, one a line; None for others."""
    if not head.startswith("["):
        return None
    line, end, _ = head.partition("\n")
    try:
        names = json.loads(line) if end else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return None
    return [str(name) for name in names]
