"""Claims: the sentences of an answer that cite a source by its number, such as [2] or [1, 3].

Judgments name claims by their number in the answer, so what is a claim must stay as it is here: tests hold it
to that.
"""

import re
from collections import defaultdict
from html import unescape
from typing import NamedTuple

from django.core.cache import cache

from collection.material.hidden_parts import LONGEST
from collection.models import Item, Study
from prefir.formats import split_turns

KEPT_SECONDS = 600
# Of one answer; further ones are not asked about.
MOST = 20


class Claim(NamedTuple):
    """words: in plain letters. cites: numbers of its sources, from 1, each once."""

    words: str
    cites: tuple[int, ...]


_CITE = r"[\[【]\^?\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*[\]】](?:\([^()\s]*\))?"
_CITED = re.compile(_CITE)
_NUMBERS = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
# A full stop, with the signs and citations that follow it. Before a small letter it ends no sentence.
_END = re.compile(rf"[.!?…][\"'”’»)\]*_]*(?:\s*{_CITE})*(?=\s+[^\sa-z]|$)|[。！？](?:\s*{_CITE})*")
_SHORT = re.compile(r"\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|vs|No|Nr|Fig|cf|ca|approx|e\.g|i\.e|et al|bzw|z\.B)\.$")
# A line that begins something of its own, and the sign by which it does so; of a list of sources at the end.
_BEGINS = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>+)\s+|\|")
_LISTED = re.compile(rf"{_CITE}:?\s.*(?:https?://|www\.)|{_CITE}:")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_SIGNS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_BLOCK = re.compile(
    r"</?(?:p|div|br|hr|h\d|[uod]l|li|d[td]|t[rdh]|table|pre|blockquote|section|article)\b[^<>]*>", re.I
)


def claims_of(text: str, markup: str, sources: int) -> list[Claim]:
    """Return the claims of an answer with so many sources, in its order; none of a text that is very long."""
    if not sources or len(text) > LONGEST:
        return []
    parts = [turn.text for turn in split_turns(text)] or [text]
    found = []
    for block in (block for part in parts for block in _blocks(part, markup)):
        for sentence in _sentences(block):
            cites = _cites(sentence, sources)
            if cites:
                found.append(Claim(_plain(sentence) if markup == Study.Markup.MARKDOWN else sentence, cites))
    return found[:MOST]


def most_of_a_pair(study: Study) -> int:
    """Count the claims that a pair of the study's answers has at most: of the two of a topic that have most.

    Cached: a page says it, and answers do not change while they are judged.
    """
    return cache.get_or_set(f"most-claims:{study.pk}", lambda: _most_of_a_pair(study), KEPT_SECONDS) or 0


def _most_of_a_pair(study: Study) -> int:
    answers = Item.objects.filter(topic__study=study, sources__isnull=False)
    found: dict[int, list[int]] = defaultdict(list)
    for topic, text, sources in answers.values_list("topic", "text", "sources").iterator():
        found[topic].append(len(claims_of(text, study.markup, len(sources or ()))))
    return max((sum(sorted(numbers)[-2:]) for numbers in found.values()), default=0)


def _blocks(text: str, markup: str) -> list[str]:
    """Paragraphs, list items, headings and rows of tables, each in one line; without code."""
    if markup == Study.Markup.HTML:
        text = unescape(re.sub(r"<[^<>]*>", "", _BLOCK.sub("\n\n", text)))
    blocks: list[str] = []
    joins, fenced = False, False
    for line in (line.strip() for line in text.split("\n")):
        if markup == Study.Markup.MARKDOWN and line.startswith(("```", "~~~")):
            fenced, joins = not fenced, False
        elif fenced or not line or _LISTED.match(line):
            joins = False
        elif joins and not _BEGINS.match(line):
            blocks[-1] += f" {line}"
        else:
            blocks.append(_BEGINS.sub("", line, count=1) if _BEGINS.match(line) else line)
            joins = not line.startswith(("#", "|"))
    return blocks


def _sentences(block: str) -> list[str]:
    sentences, start = [], 0
    for end in _END.finditer(block):
        said = block[start : end.end()]
        if not _SHORT.search(said[-12:]):
            sentences.append(said.strip())
            start = end.end()
    return [*sentences, block[start:].strip()]


def _cites(sentence: str, sources: int) -> tuple[int, ...]:
    numbers: list[int] = []
    for cited in _CITED.findall(sentence):
        for first, last in _NUMBERS.findall(cited.partition("(")[0]):
            numbers += range(int(first), min(int(last or first), sources) + 1)
    return tuple(dict.fromkeys(one for one in numbers if 1 <= one <= sources))


def _plain(sentence: str) -> str:
    """Words without Markdown's signs; a citation keeps its brackets."""
    linked = _LINK.sub(lambda one: f"[{one[1]}]" if one[1].isdigit() else one[1], sentence)
    return _SIGNS.sub("", linked)
