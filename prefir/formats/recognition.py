"""Recognition of files: which kind a file is, by its content, with the reason in words."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .lines import first_text
from .problems import plain
from .tables import ALIASES, DELIMITERS, delimiter_of, is_corpus, named_columns

# Bytes of a file that are looked at. A first passage of the greatest length is whole in them.
HEAD = 640 * 1024
LINES = 40
# Of the lines, those that may be mistaken: one, or where there are more lines, such a share.
MISTAKEN = 0.2
# Where readers end a line; str.splitlines ends it at signs that texts may hold, too.
_ENDS = re.compile(r"\r\n|\n|\r")
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_RUN_FIELDS, _QREL_FIELDS, _TOPIC_FIELDS = 6, 4, 2


class Guess(NamedTuple):
    """What a file is taken for. kind: "" if nothing fits, or several kinds do. others: those that fit too.
    why: in words.
    """

    kind: str
    why: str
    others: tuple[str, ...] = ()


def recognize(head: bytes) -> Guess:
    """Recognize a file by its first bytes (HEAD are enough): topics, items, images, qrels, run, grid,
    judgments or challenges. Its name is not looked at: names promise what they like.
    """
    guess = _recognize(head)
    return guess._replace(why=plain(guess.why))


def _recognize(head: bytes) -> Guess:
    if head.startswith(_ZIP):
        return Guess("images", "a zip, as pictures come in")
    text = first_text(head)
    if not text and head.startswith(_GZIP):
        return Guess("", "a gzip file that is damaged or empty")
    lines = [line for line in _ENDS.split(text, LINES)[:LINES] if line.strip()]
    if not lines:
        return Guess("", "the file is empty")
    # The last line may be cut off.
    whole = lines[:-1] if len(lines) > 1 and len(head) >= HEAD else lines
    if text.lstrip().startswith("["):
        return _of_json(text.lstrip()[1:])
    if lines[0].lstrip().startswith("{"):
        return _of_json(lines[0])
    headed = _of_header(lines)
    return headed if headed and headed.kind else _of_fields(whole) or headed or _unlike(lines[0])


def _unlike(line: str) -> Guess:
    return Guess("", f"nothing that is known begins like “{line[:60]}”")


def _of_json(text: str) -> Guess:
    """By the keys of the first object."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return Guess("", "it begins like JSON, and its first object cannot be read")
    if not isinstance(first, Mapping):
        return Guess("", "JSON, but no objects")
    return _by_names(list(map(str, first)), "objects of JSON with")


def _of_header(lines: list[str]) -> Guess | None:
    """By a first line that names the columns, after one that says what separates them if there is one."""
    line = lines[0]
    if delimiter := delimiter_of("\n".join(lines[:2]) + "\n", "items", "qrels", "topics"):
        names = lines[1] if line.lower().startswith("sep=") else line
        what = (
            "CSV with"
            if delimiter == ","
            else f"columns separated by {DELIMITERS.get(delimiter, delimiter)}:"
        )
        return _by_names(
            [cell.strip().strip('"') for cell in names.split(delimiter)],
            f"{what} the columns" if delimiter == "," else what,
        )
    if line.strip().lower().split("\t") == ["topic", "docno", "row", "column"]:
        return Guess("grid", "a header with topic, docno, row and column")
    if "," not in line or "\t" in line:
        return None
    return _by_names([cell.strip().strip('"') for cell in line.split(",")], "CSV with the columns")


def _by_names(names: list[str], what: str) -> Guess:
    for kind in ("items", "qrels", "topics"):
        if columns := named_columns(kind, names):
            return Guess(kind, f"{what} {', '.join(columns.values())}")
    if is_corpus(names):
        return Guess(
            "", "passages that name no topic, as in a corpus of BEIR: add the topic of each as “topic”"
        )
    known = ", ".join(ALIASES["items"])
    return Guess("", f"{what} {', '.join(names[:8])}, where {known} were looked for")


def _of_fields(lines: list[str]) -> Guess | None:
    """By how many fields each line has, and what stands in them. If no kind fits them all, the one that most
    of them fit: the others are mistakes, which reading names.
    """
    for mostly in (False, True):
        if guess := _by_fields(
            [line.split() for line in lines], [line.split("\t") for line in lines], mostly
        ):
            return guess._replace(why=f"most lines: {guess.why}") if mostly else guess
    for mark, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
        cells = [[cell.strip() for cell in line.split(mark)] for line in lines]
        topics = [row if row[0][:1].isdigit() else [] for row in ([c[0], mark.join(c[1:])] for c in cells)]
        if guess := _by_fields(cells, [row if row and row[1] else [] for row in topics], True):
            wanted = "a tab is" if guess.kind == "topics" else "spaces or tabs are"
            return Guess(guess.kind, f"{guess.why}, with {name} where {wanted} expected")
    return None


def _by_fields(rows: list[list[str]], tabbed: list[list[str]], mostly: bool) -> Guess | None:
    def fit(lines: Iterable[bool]) -> bool:
        """Whether all fit, or most of them with the first two."""
        found = list(lines)
        wrong = found.count(False)
        return not wrong or (mostly and all(found[:2]) and wrong <= max(1, MISTAKEN * len(found)))

    if fit(len(row) == _RUN_FIELDS and row[1].upper() == "Q0" and _number(row[4]) for row in rows):
        return Guess("run", "six fields with Q0, a rank and a score: a TREC run")
    if fit(len(row) == _RUN_FIELDS and row[3].isdigit() and _number(row[4]) for row in rows):
        return Guess("run", "six fields with a rank and a score: a TREC run")
    if fit(len(row) == _QREL_FIELDS and _number(row[3]) for row in rows):
        return Guess("qrels", "four fields, the last a number: TREC qrels")
    if fit(len(row) in (4, 5, 6) and row[3] in (row[1], row[2], "tie") for row in rows):
        why = "two docnos and the one that is better"
        if any(len(row) > _QREL_FIELDS or row[3:4] == ["tie"] for row in rows):
            return Guess("judgments", f"{why}, with ties or labels of assessors: recorded judgments")
        return Guess(
            "", f"{why}: answers that people gave, or pairs with a known answer", ("judgments", "challenges")
        )
    if fit(len(cells) == _TOPIC_FIELDS for cells in tabbed):
        return Guess("topics", "an id, a tab and a text: topics")
    return None


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
