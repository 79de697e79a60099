"""Checks of ids, texts and numbers in files, and the topics and items that a study has."""

import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .problems import plain

MAX_ID = 200  # characters
MAX_TEXT = 100_000  # characters; more than anybody reads beside another passage
MAX_GROUPS, MAX_GROUP = 20, 80  # columns; characters of a group
MAX_WEIGHT = 1e6
TIE = "tie"
UNKNOWN_TOPIC = "unknown topic"  # how a reason begins

# Characters that make two ids look alike, reorder the text around them, or end a line:
# control characters, all spaces but the plain one, zero-width and bidirectional marks.
# (Joiners are allowed: Persian and emoji need them.)
_HIDDEN = re.compile("[^\\S ]|[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Known:
    """Topics and items that a study already has, given by the caller; sets and dicts make lookups O(1).

    topics: their ids. items: topic -> docnos. kind: what the study compares.
    new_items: whether preferences and challenges may name items that the study does not have
    (grades and runs always may). new_topics: whether images bring their topics: each folder becomes one.
    fixed: topics about which people are asked already, so that they take no
    further items or grades. free: whether no database sets limits, as on the command line: ids of any length,
    any docno, comment lines, several runs in a file, ranks that are no whole numbers.
    """

    topics: Container[str]
    items: Mapping[str, Container[str]] = field(default_factory=dict)
    kind: Literal["text", "image", "sound", "film"] = "text"
    new_items: bool = True
    new_topics: bool = False
    fixed: Container[str] = ()
    free: bool = False

    def has_item(self, topic: str, docno: str) -> bool:
        """Check whether the study has this item."""
        return docno in self.items.get(topic, ())


def quoted(text: str) -> str:
    """Quote text for a message: at most 60 characters, invisible ones escaped."""
    return f'"{plain(text if len(text) <= 60 else text[:57] + "...")}"'


def hidden_character(text: str) -> str | None:
    """Find the first character that an id must not contain, as "U+200B"; None if there is none."""
    found = _HIDDEN.search(text)
    return f"U+{ord(found.group()):04X}" if found else None


class _AnyTopic:
    """A container of every text."""

    def __contains__(self, topic: object) -> bool:
        return isinstance(topic, str)


ANYTHING = Known(topics=_AnyTopic(), free=True)
"""Topics and items of files that belong to no study: whatever they name."""


def id_problem(what: str, text: str, *, free: bool = False) -> str | None:
    """Check an id of a topic, run or assessor (`what`): the reason why it is not valid, or None.

    Valid ids have no spaces or control characters, by which files separate ids, and 1 to 200 characters, or
    any number where they are `free`.
    """
    if text.isprintable() and " " not in text and text and (free or len(text) <= MAX_ID):
        return None
    if not text:
        return f"the {what} is empty"
    if len(text) > MAX_ID and not free:
        return f"the {what} {quoted(text)} has {len(text):,} characters; at most {MAX_ID} are allowed"
    if " " in text:
        return f"the {what} {quoted(text)} contains a space; ids are written without spaces"
    if hidden := hidden_character(text):
        return f"the {what} {quoted(text)} contains the control or invisible character {hidden}"
    return None


def joined_id(cell: Any) -> str:
    """Make an id of a cell, with hyphens for blanks: "GPT 4" is GPT-4; "" for an empty cell."""
    if cell is None or isinstance(cell, bool | list | dict) or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "-".join(str(cell).split())[:MAX_ID]


def docno_problem(text: str, *, free: bool = False) -> str | None:
    """Check a docno: the reason why it is not valid, or None.

    "tie" is none in a study: in files of judgments it means no winner. free: as `Known` has it.
    """
    return (None if free else tie_problem(text)) or id_problem("docno", text, free=free)


def tie_problem(text: str) -> str | None:
    """Check that a docno is not the word for a tie."""
    if text == TIE:
        return 'an item cannot have the docno "tie": judgment files use this word for a tie'
    return None


def topic_problem(text: str, known: Known) -> str | None:
    """Check the topic that a line names: the reason why it is not valid or not known, or None."""
    if text in known.fixed:
        return f"topic {quoted(text)} is open for judging, so its items and grades stand still"
    if text in known.topics:
        return id_problem("topic", text, free=True) if known.free else None
    return id_problem("topic", text) or f"{UNKNOWN_TOPIC} {quoted(text)}; load it with the topics first"


def text_problem(text: str) -> str | None:
    """Check a text for assessors: the reason why it cannot be shown, or None."""
    if not text or text.isspace():
        return "the text is empty"
    if len(text) > MAX_TEXT:
        return f"the text has {len(text):,} characters; at most {MAX_TEXT:,} are allowed"
    if "\0" in text:
        return "the text contains a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"the text contains half a character (U+{ord(text[error.start]):04X})"
    return None


def groups_problem(groups: object) -> str | None:
    """Check the groups of a topic, column -> group: the reason why they are not valid, or None."""
    if not isinstance(groups, Mapping) or len(groups) > MAX_GROUPS:
        return f"groups are an object with at most {MAX_GROUPS} columns"
    for cell in (*groups.keys(), *groups.values()):
        if not isinstance(cell, str) or not 0 < len(cell) <= MAX_GROUP or not cell.isprintable():
            return (
                f"the group {quoted(str(cell))} is empty, longer than {MAX_GROUP} characters or not printable"
            )
    return None


def weight_problem(weight: object) -> str | None:
    """Check the weight of a topic: the reason why it is not valid, or None."""
    if isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight <= MAX_WEIGHT:
        return None
    return f"the weight {quoted(str(weight))} is not a number above 0, at most {MAX_WEIGHT:g}"


def number(text: str) -> float | None:
    """Parse a finite decimal number, or return None. 1_000 and digits of other scripts are not accepted."""
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def number_problem(what: str, text: str) -> str:
    """Say why a text is no number, as the reason of a bad line."""
    comma = "; write decimals with a point, as 0.5" if re.fullmatch(r"[+-]?\d*,\d+", text) else ""
    return f"the {what} {quoted(text)} is not a finite number{comma}"


def whole_number(text: str) -> int | None:
    """Parse a whole number from 0 to a billion, or return None."""
    if text.isascii() and text.isdigit() and len(text) <= 10 and (value := int(text)) <= 1_000_000_000:
        return value
    return None
