"""Recognition of files: which kind a file is, by its content, with the reason in words."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import median
from typing import NamedTuple

from . import answer_columns as role
from .answer_columns import guess_roles
from .groups import has_groups
from .headers import (
    ALIASES,
    DELIMITERS,
    cells,
    delimiter_of,
    extra_columns,
    first_list,
    first_object,
    is_scored,
    named_columns,
    names_of,
    plain_name,
    prompted_votes,
)
from .layouts import mend_of, rename
from .lines import BINARY, drop_comments, first_text, is_binary, unreadable
from .problems import plain
from .rows import NESTED, first_rows, table_names

# Bytes of a file that are looked at. A first passage of the greatest length is whole in them.
HEAD = 640 * 1024
LINES = 40
# Of the lines, those that may be mistaken: one, or where there are more lines, such a share.
MISTAKEN = 0.2
# Where readers end a line; str.splitlines ends it at signs that texts may hold, too.
_ENDS = re.compile(r"\r\n|\n|\r")
_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
_PAIRS = "answers that people gave, or pairs with a known answer"
# Characters: questions are seldom longer, passages mostly are.
_LONG_TEXT = 200
_NO_FILE = (
    "these columns make no file that is known: answers need a prompt or its id; prompts an id; passages, "
    "grades and runs an id and a docno"
)
_LONG = "ids and long texts: topics, or passages, which need the columns docno, topic and text"
_RUN_FIELDS, _QREL_FIELDS, _TOPIC_FIELDS = 6, 4, 2


class Guess(NamedTuple):
    """What a file is taken for. kind: "" if nothing fits, or several kinds do. others: those that fit too.
    why: in words. votes: whether it has judgments too, as pairs of answers with a winner have. answered: of
    prompts with answers, whether it has the answers. headed: False where its first line is a record too.
    """

    kind: str
    why: str
    others: tuple[str, ...] = ()
    votes: bool = False
    answered: bool = True
    headed: bool = True


def recognize(head: bytes) -> Guess:
    """Recognize a file by its first bytes (HEAD are enough): topics, items, answers, images, descriptions,
    sources, qrels, run, grid, groups, judgments or challenges. Its name is not looked at: names promise
    anything.
    """
    guess = _recognize(head)
    return guess._replace(why=plain(guess.why))


def _recognize(head: bytes) -> Guess:
    if head.startswith(_ZIP):
        if b"xl/workbook.xml" in head:
            return Guess("", "a workbook; each of its sheets is taken for what it says")
        return Guess("images", "a zip, as pictures come in")
    if head.startswith(_PARQUET):
        return Guess("", "a Parquet file; it is taken for what its columns say")
    if told := unreadable(head):
        return Guess("", told)
    text = first_text(head)
    if not text and head.startswith(_GZIP):
        return Guess("", "a gzip file that is damaged or empty")
    if is_binary(text):
        return Guess("", BINARY)
    lines = [line for line in _ENDS.split(drop_comments(text), LINES)[:LINES] if line.strip()]
    if not lines:
        return Guess("", "the file is empty")
    # The last line may be cut off.
    whole = lines[:-1] if len(lines) > 1 and len(head) >= HEAD else lines
    named = table_names(text.lstrip())
    if roles := guess_roles(named, first_rows(text)):
        taken = {*roles, *extra_columns(named)}
        return _of_answers(roles, [name for name in named if name not in taken])
    if names := first_list(text.lstrip()):
        return _by_names(text, "rows with the columns", _lists(names, lines[1:]))
    if text.lstrip().startswith(("[", "{")):
        return _of_json(text, lines)
    headed = _of_header(text, lines)
    if headed and (headed.kind or headed.others):
        return headed
    if told := mend_of(text) or rename(text):
        return Guess("", told)
    guess = _of_fields(whole)
    if guess and guess.kind == "topics" and are_long([line.partition("\t")[2] for line in whole]):
        return Guess("", _LONG, ("topics",))
    return guess or headed or _unlike(lines[0])


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a text."""
    packed = head.startswith((_ZIP, _PARQUET)) or bool(unreadable(head))
    return not packed and not is_binary(first_text(head))


def recognize_columns(columns: Mapping[str, str]) -> Guess:
    """Recognize a table by what its columns are said to be: roles of `answer_columns`, or names of columns
    that `headers.ALIASES` has.
    """
    given = set(columns.values())
    for kind in ("items", "qrels", "run", "judgments"):
        if set(ALIASES[kind]) <= given and (kind != "run" or given & {"rank", "score"}):
            return Guess(kind, "as you said")
    votes = {role.MODEL_A, role.MODEL_B, role.WINNER} <= given and given & {role.TOPIC, role.PROMPT}
    if votes and not given & {role.TEXT_A, role.MESSAGES_A}:
        return Guess("judgments", "as you said")
    pairs = ({role.TEXT_A, role.TEXT_B}, {role.MESSAGES_A, role.MESSAGES_B}, {role.CHOSEN, role.REJECTED})
    if given & {role.TEXT, role.NAMED, role.MESSAGES} or any(pair <= given for pair in pairs):
        return Guess("answers", "as you said", votes=role.has_votes(given))
    if {role.TOPIC, role.PROMPT} <= given:
        return Guess("topics", "as you said")
    if {role.TOPIC, role.GROUP} <= given:
        return Guess("groups", "as you said")
    return Guess("", _NO_FILE)


def _of_answers(roles: Mapping[str, str], others: Sequence[str] = ()) -> Guess:
    """A table of answers, by the roles of its columns. others: columns that are taken for nothing."""
    if set(roles.values()) == {role.TOPIC, role.PROMPT_TURNS}:
        return Guess("answers", "questions of several turns, without answers", answered=False)
    named = [column for column, what in roles.items() if what == role.NAMED]
    told = ", ".join(
        f"{column} ({role.LABELS[what]})" for column, what in roles.items() if what != role.NAMED
    )
    out = f"; left out: {_first(others)}" if others else ""
    if named:
        said = f"a column of answers for each of {len(named)} models: {_first(named)}"
        return Guess("answers", f"{told}, and {said}{out}" if told else f"{said}{out}")
    votes = role.has_votes(roles.values())
    return Guess("answers", f"answers of models, in the columns {told}{out}", votes=votes)


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def are_long(texts: Iterable[object]) -> bool:
    """Whether texts of topics are as long as passages are: half of them or more."""
    lengths = [len(text) for text in texts if isinstance(text, str)]
    return bool(lengths) and median(lengths) >= _LONG_TEXT


def _unlike(line: str) -> Guess:
    return Guess("", f"nothing that is known begins like “{line[:60]}”")


def _of_json(text: str, lines: list[str]) -> Guess:
    """By the keys of the first object."""
    if NESTED.match(text):
        return Guess(
            "", "an object of topics, docnos and numbers: scores of a run, or grades", ("run", "qrels")
        )
    first = first_object(text)
    if first is None:
        return _no_objects(text)
    rows = [first] if text.lstrip().startswith("[") else list(filter(None, map(first_object, lines)))
    return _by_names(text, "objects of JSON with", rows)


def _no_objects(text: str) -> Guess:
    try:
        json.JSONDecoder().raw_decode(text.lstrip().removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return Guess("", "it begins like JSON, and its first object cannot be read")
    return Guess("", "JSON, but no objects")


def _of_header(text: str, lines: list[str]) -> Guess | None:
    """By a first line that names the columns, after one that says what separates them if there is one."""
    line = lines[0]
    if delimiter := delimiter_of(text, *ALIASES):
        what = "CSV with the columns"
        if delimiter != ",":
            what = f"columns separated by {DELIMITERS.get(delimiter, delimiter)}:"
        names = names_of(text)
        rows = [dict(zip(names, cells(row, delimiter), strict=False)) for row in lines]
        return _by_names(text, what, rows[2 if line.lower().startswith("sep=") else 1 :])
    if ("," not in line or "\t" in line) and not has_groups(names_of(text)):
        return None
    return _by_names(text, "CSV with the columns", [])


def _lists(names: Sequence[str], lines: Sequence[str]) -> list[Mapping[str, object]]:
    rows: list[Mapping[str, object]] = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, list):
                rows.append(dict(zip(names, row, strict=False)))
    return rows


def _by_names(text: str, what: str, rows: Sequence[Mapping[str, object]]) -> Guess:
    """By the names of columns, and by what stands in the first rows where that is not enough."""
    names = names_of(text)
    told = mend_of(text)
    if is_scored(names):
        return Guess("", "topics, docnos and numbers: scores of a run, or grades", ("run", "qrels"))
    if columns := prompted_votes(names):
        return _of_judgments(f"{what} {', '.join(columns.values())}", columns, rows)
    for kind in ("judgments", "items", "grid", "descriptions", "sources", "qrels", "run", "topics"):
        if (columns := named_columns(kind, names)) and not (told and kind == "topics"):
            more = extra_columns(names) if kind == "topics" else []
            said = f"{what} {', '.join(dict.fromkeys([*columns.values(), *more]))}"
            unread = [name for name in names if name not in {*columns.values(), *more}]
            if kind == "topics" and unread:
                said += f"; left out: {_first(unread)}"
            if kind == "topics" and plain_name(columns["topic"]) in ("id", "_id"):
                said += "; short texts beside an id are taken for topics"
            if kind == "judgments":
                return _of_judgments(said, columns, rows)
            if kind == "topics" and are_long(row.get(columns["text"]) for row in rows):
                return Guess("", _LONG, ("topics",))
            return Guess(kind, said)
    if told:
        return Guess("", told)
    if has_groups(names):
        return Guess("groups", f"{what} {', '.join(names)}: groups of topics")
    return Guess("", f"{what} {', '.join(names[:8])}: names that do not say what they are")


def _of_judgments(said: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, object]]) -> Guess:
    """Judgments name who gave them, or some are ties: challenges have neither."""
    ties = (str(row.get(columns["winner"], "")).lower().startswith("tie") for row in rows)
    if "assessor" in columns or any(ties):
        return Guess("judgments", said)
    return Guess("", f"{said}: {_PAIRS}", ("judgments", "challenges"))


def _of_fields(lines: list[str]) -> Guess | None:
    """By how many fields each line has, and what stands in them. If no kind fits them all, the one that most
    of them fit: the others are mistakes, which reading names.
    """
    for mostly in (False, True):
        if guess := _by_fields(
            [line.split() for line in lines], [line.split("\t") for line in lines], mostly
        ):
            why = f"most lines: {guess.why}" if mostly else guess.why
            return guess._replace(why=why, headed=False)
    for mark, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
        cells = [[cell.strip() for cell in line.split(mark)] for line in lines]
        topics = [row if row[0][:1].isdigit() else [] for row in ([c[0], mark.join(c[1:])] for c in cells)]
        if guess := _by_fields(cells, [row if row and row[1] else [] for row in topics], True):
            wanted = "a tab is" if guess.kind == "topics" else "spaces or tabs are"
            why = f"{guess.why}, with {name} where {wanted} expected"
            return Guess(guess.kind, why, headed=False)
    return None


def _by_fields(rows: list[list[str]], tabbed: list[list[str]], mostly: bool) -> Guess | None:
    def fit(lines: Iterable[bool]) -> bool:
        """Whether all fit, or most of them with the first two."""
        found = list(lines)
        wrong = found.count(False)
        return not wrong or (mostly and all(found[:2]) and wrong <= max(1, MISTAKEN * len(found)))

    if fit(len(row) >= _RUN_FIELDS and row[1].upper() == "Q0" and _number(row[4]) for row in rows):
        return Guess("run", "six fields with Q0, a rank and a score: a TREC run")
    if fit(len(row) == _RUN_FIELDS and row[3].isdigit() and _number(row[4]) for row in rows):
        return Guess("run", "six fields with a rank and a score: a TREC run")
    if fit(len(row) == _QREL_FIELDS and _number(row[3]) for row in rows):
        return Guess("qrels", "four fields, the last a number: TREC qrels")
    if fit(len(row) in (4, 5, 6) and row[3] in (row[1], row[2], "tie") for row in rows):
        why = "two docnos and the one that is better"
        if any(len(row) > _QREL_FIELDS or row[3:4] == ["tie"] for row in rows):
            return Guess("judgments", f"{why}, with ties or labels of assessors: recorded judgments")
        return Guess("", f"{why}: {_PAIRS}", ("judgments", "challenges"))
    if fit(len(cells) == _TOPIC_FIELDS for cells in tabbed):
        return Guess("topics", "an id, a tab and a text: topics")
    return None


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
