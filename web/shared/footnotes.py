"""Footnotes in Markdown: `[^1]` as a superscript, and the notes where they were written, each a paragraph."""

import re
from html import escape
from typing import Any

DEFINED = re.compile(r"^[ >]*\[\^([^\]\s]{1,60})\]:[ \t]", re.M)
USED = re.compile(r"\[\^([^\]\s]{1,60})\](?!:)")
USED_OR_DEFINED = re.compile(r"\[\^([^\]\s]{1,60})\]:?")


def read_footnotes(parser: Any) -> None:
    """Make a Markdown parser read the footnotes that `footnotes_of` found, and no others."""
    parser.block.ruler.before("paragraph", "footnote", _begins, {"alt": ["paragraph"]})
    parser.inline.ruler.before("link", "footnote", _numbered)
    parser.add_render_rule("footnote", _render)


def footnotes_of(text: str) -> dict[str, Any]:
    """The environment of a text for its parser: labels of notes that it has and refers to."""
    return {"footnotes": {*DEFINED.findall(text)} & {*USED.findall(text)}}


def _begins(state: Any, first: int, _last: int, silent: bool) -> bool:
    """End a paragraph where a note begins; the note itself is a paragraph like any other."""
    found = silent and DEFINED.match(state.src, state.bMarks[first] + state.tShift[first])
    return bool(found and found[1] in state.env.get("footnotes", ()))


def _numbered(state: Any, silent: bool) -> bool:
    found = USED_OR_DEFINED.match(state.src, state.pos)
    if not found or found[1] not in state.env.get("footnotes", ()) or (found[0][-1] == ":" and state.pos):
        return False
    if not silent:
        state.push("footnote", "sup", 0).content = found[1]
    state.pos = found.end()
    return True


def _render(_self: Any, tokens: Any, index: int, _options: Any, _env: Any) -> str:
    return f"<sup>{escape(tokens[index].content)}</sup>"
