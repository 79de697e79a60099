"""Recognition of files: which kind a file is, by its content, with the reason in words."""

import gzip
import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from .problems import plain
from .tables import ALIASES, named_columns

HEAD = 64 * 1024  # bytes of a file that are looked at
LINES = 40
_GZIP, _ZIP, _BOM = b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"
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
    if head.startswith(_GZIP):
        head = _unpacked(head)
    text = head.removeprefix(_BOM).decode(errors="replace")
    lines = [line for line in text.splitlines()[:LINES] if line.strip()]
    if not lines:
        return Guess("", "the file is empty")
    # The last line may be cut off.
    whole = lines[:-1] if len(lines) > 1 and len(head) >= HEAD else lines
    if text.lstrip().startswith("["):
        return _of_json(text.lstrip()[1:])
    if lines[0].lstrip().startswith("{"):
        return _of_json(lines[0])
    return _of_header(lines[0]) or _of_fields(whole)


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, HEAD)
    except (zlib.error, gzip.BadGzipFile):
        return b""


def _of_json(text: str) -> Guess:
    """By the keys of the first object."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except ValueError:
        return Guess("", "it begins like JSON, and its first object cannot be read")
    if not isinstance(first, Mapping):
        return Guess("", "JSON, but no objects")
    return _by_names(list(map(str, first)), "objects of JSON with")


def _of_header(line: str) -> Guess | None:
    """By a first line that names the columns."""
    if line.strip().lower().split("\t") == ["topic", "docno", "row", "column"]:
        return Guess("grid", "a header with topic, docno, row and column")
    if "," not in line or "\t" in line:
        return None
    found = _by_names([cell.strip().strip('"') for cell in line.split(",")], "CSV with the columns")
    return found if found.kind else None


def _by_names(names: list[str], what: str) -> Guess:
    for kind in ("items", "qrels", "topics"):
        if columns := named_columns(kind, names):
            return Guess(kind, f"{what} {', '.join(columns.values())}")
    known = ", ".join(ALIASES["items"])
    return Guess("", f"{what} {', '.join(names[:8])}, where {known} were looked for")


def _of_fields(lines: list[str]) -> Guess:
    """By how many fields each line has, and what stands in them."""
    rows = [line.split() for line in lines]
    tabbed = [line.split("\t") for line in lines]
    if all(len(row) == _RUN_FIELDS and row[1].upper() == "Q0" and _number(row[4]) for row in rows):
        return Guess("run", "six fields with Q0, a rank and a score: a TREC run")
    if all(len(row) == _RUN_FIELDS and row[3].isdigit() and _number(row[4]) for row in rows):
        return Guess("run", "six fields with a rank and a score: a TREC run")
    if all(len(row) == _QREL_FIELDS and _number(row[3]) for row in rows):
        return Guess("qrels", "four fields, the last a number: TREC qrels")
    if all(len(row) in (4, 5, 6) and row[3] in (row[1], row[2], "tie") for row in rows):
        ties = any(row[3] == "tie" or len(row) > _QREL_FIELDS for row in rows)
        why = "two docnos and the one that is better"
        if ties:
            return Guess("judgments", f"{why}, with ties or labels of assessors: recorded judgments")
        return Guess(
            "", f"{why}: answers that people gave, or pairs with a known answer", ("judgments", "challenges")
        )
    if all(len(cells) == _TOPIC_FIELDS for cells in tabbed):
        return Guess("topics", "an id, a tab and a text: topics")
    return Guess("", f"nothing that is known begins like “{lines[0][:60]}”")


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
