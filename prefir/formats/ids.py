"""What an id, a text and a number may look like, and which topics and items a study has."""

import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .problems import plain

MAX_ID = 200  # characters
MAX_TEXT = 100_000  # characters; more than anybody reads beside another passage
TIE = "tie"

# Anything that would make two ids look alike, turn the text around them, or end a line:
# control characters, every space but the plain one, zero-width and bidirectional marks.
# (Joiners are left alone: Persian and emoji need them.)
_HIDDEN = re.compile("[^\\S ]|[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Known:
    """What the study already has, filled by the caller; every lookup is O(1) for sets and dicts.

    topics: the ids of its topics. items: topic -> docnos.
    kind: what the study compares. new_items: whether preferences and challenges may name
    items that the study does not have (grades and runs always may).
    """

    topics: Container[str]
    items: Mapping[str, Container[str]] = field(default_factory=dict)
    kind: Literal["text", "image"] = "text"
    new_items: bool = True

    def has_item(self, topic: str, docno: str) -> bool:
        """Whether the study has this item."""
        return docno in self.items.get(topic, ())


def quoted(text: str) -> str:
    """Text in quotes, fit to be shown: at most 60 characters, invisible ones spelt out."""
    return f'"{plain(text if len(text) <= 60 else text[:57] + "...")}"'


def hidden_character(text: str) -> str | None:
    """The first character that may not stand in an id, as "U+200B"; None if there is none."""
    found = _HIDDEN.search(text)
    return f"U+{ord(found.group()):04X}" if found else None


def id_problem(what: str, text: str) -> str | None:
    """Why `text` cannot be an id (of a topic, run, assessor: `what` names it); None if it can.

    1 to 200 characters, no spaces, no control characters: the formats separate ids by spaces.
    """
    if text.isprintable() and " " not in text and 0 < len(text) <= MAX_ID:
        return None
    if not text:
        return f"the {what} is empty"
    if len(text) > MAX_ID:
        return f"the {what} {quoted(text)} has {len(text):,} characters; at most {MAX_ID} are allowed"
    if " " in text:
        return f"the {what} {quoted(text)} contains a space; ids are written without spaces"
    if hidden := hidden_character(text):
        return f"the {what} {quoted(text)} contains the control or invisible character {hidden}"
    return None


def docno_problem(text: str) -> str | None:
    """Why `text` cannot be a docno; None if it can. The word "tie" means no winner, so is taken."""
    if text == TIE:
        return 'an item cannot have the docno "tie": judgment files use this word for a tie'
    return id_problem("docno", text)


def topic_problem(text: str, known: Known) -> str | None:
    """Why a line cannot be about the topic `text`; None if it can."""
    if text in known.topics:
        return None
    return id_problem("topic", text) or f"unknown topic {quoted(text)}; load it with the topics first"


def text_problem(text: str) -> str | None:
    """Why `text` cannot be shown to an assessor; None if it can."""
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


def number(text: str) -> float | None:
    """A finite decimal number, or None. Python's own spellings (1_000, other scripts' digits) are none."""
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole_number(text: str) -> int | None:
    """A whole number from 0 to a billion, or None."""
    if text.isascii() and text.isdigit() and len(text) <= 10 and (value := int(text)) <= 1_000_000_000:
        return value
    return None
