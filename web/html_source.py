"""HTML in the texts of items: which tags are markup, and marks in the place of what cannot be shown."""

import re
from html import escape, unescape
from typing import Any

# Elements of running text; no forms, frames, media, styles or scripts.
_TEXT = """
p br hr h1 h2 h3 h4 h5 h6 blockquote pre code kbd samp var em strong b i u s sub sup small mark del ins
ul ol li dl dt dd table caption thead tbody tfoot tr th td abbr cite q dfn span div a section article
figure figcaption details summary bdi ruby rt rp
"""
_MATH = """
math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup
munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose semantics
"""
TEXT, MATH = frozenset(_TEXT.split()), frozenset(_MATH.split())
VOID = frozenset({"br", "hr"})
# Elements that HTML closes by itself.
CLOSED_BY_THEMSELVES = frozenset(
    {"p", "li", "dt", "dd", "tr", "th", "td", "thead", "tbody", "tfoot", "rt", "rp"}
)
# What is shown in the place of an element. Nothing inside these is shown; what is in a form is.
MARKS = {
    "svg": "a drawing",
    "canvas": "a drawing",
    "iframe": "an embedded page",
    "object": "an embedded page",
    "embed": "an embedded page",
    "audio": "sound",
    "video": "a film",
}
FORM = frozenset({"form", "button", "input", "select", "textarea"})
WITHOUT_END = frozenset({"embed", "input"})
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)\b[^<>]*?(/?)>")
# A quoted value ends before the next tag, so that no text is gone through twice.
MARKED = re.compile(
    rf"""<(/?)({"|".join(sorted({"img", *MARKS, *FORM}))})\b(?>[^<>"']+|"[^"<]*"|'[^'<]*'|["'])*+>""", re.I
)
ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
CHECKBOX = '<input class="task-list-item-checkbox"'


def tag_tokens(state: Any) -> None:
    """Rule of markdown-it: escape each tag in Markdown that is no markup.

    Markup is a known element of running text that is opened and closed, a line break, and in a block what
    HTML closes by itself. Comments, declarations and other elements are words of the text.
    """
    tokens = [
        token
        for parent in state.tokens
        for token in (parent.children or [] if parent.type == "inline" else [parent])
        if token.type in ("html_inline", "html_block")
    ]
    pieces = [_pieces(token.content, block=token.type == "html_block") for token in tokens]
    _pair([piece for each in pieces for piece in each])
    for token, each in zip(tokens, pieces, strict=True):
        if token.content.startswith(CHECKBOX):
            token.content = "☑" if "checked=" in token.content else "☐"
        else:
            token.content = "".join(piece.html for piece in each)
            if token.type == "html_block" and not any(piece.name for piece in each):
                token.content = f"<p>{token.content.strip()}</p>\n"


class _Piece:
    """A tag, or what stands between two, and whether it is markup."""

    def __init__(self, source: str, name: str = "", *, closes: bool = False, alone: bool = False) -> None:
        self.source, self.name, self.closes = source, name, closes
        self.is_markup = alone

    @property
    def html(self) -> str:
        if self.name == "img":
            return described(self.source)
        return self.source if self.is_markup else escape(self.source, quote=False)


def _pieces(source: str, *, block: bool) -> list[_Piece]:
    found, end = [], 0
    for tag in TAG.finditer(source):
        found.append(_text(source[end : tag.start()]))
        name = tag[2].lower()
        alone = name in VOID or (block and name in CLOSED_BY_THEMSELVES)
        known = name in TEXT or name == "img"
        found.append(_Piece(tag[0], name if known else "", closes=bool(tag[1]), alone=alone and known))
        end = tag.end()
    return [*found, _text(source[end:])]


def _text(source: str) -> _Piece:
    # Entities in it stand for letters, as in the rest of Markdown.
    piece = _Piece(source.replace("<", "&lt;"))
    piece.is_markup = True
    return piece


def _pair(pieces: list[_Piece]) -> None:
    """Mark what is opened and closed as markup, whatever stands between."""
    opened: dict[str, list[_Piece]] = {}
    for piece in pieces:
        if not piece.name or piece.name in VOID:
            continue
        if not piece.closes:
            opened.setdefault(piece.name, []).append(piece)
        elif waiting := opened.get(piece.name):
            waiting.pop().is_markup = piece.is_markup = True


def described(tag: str) -> str:
    """The description of a picture in the place of its tag."""
    alt = ALT.search(tag)
    words = (alt[1] or alt[2] or alt[3] or "") if alt else ""
    return f"<em>[{escape(unescape(words)) or 'picture'}]</em>"


def marked(html: str) -> str:
    """Put a picture's description, or a mark such as [a drawing], in the place of what is not shown.

    What an element holds is left out with it only where it is closed. The result is as unsafe as before: it
    is for the cleaner. Time grows with the text.
    """
    tags = list(MARKED.finditer(html))
    ends = _ends(tags)
    parts, at, forms = [], 0, 0
    for tag in tags:
        if tag.start() < at:
            continue  # within what is left out
        name, closes = tag[2].lower(), bool(tag[1])
        parts.append(html[at : tag.start()])
        at = ends.get(tag.start(), tag.end())
        if name == "img":
            parts.append("" if closes else described(tag[0]))
        elif name in MARKS:
            parts.append("" if closes else f"<em>[{MARKS[name]}]</em>")
        else:
            if not closes and not forms:
                parts.append("<em>[a form]</em> ")
            if name not in WITHOUT_END:
                forms = max(0, forms - 1) if closes else forms + 1
    return "".join([*parts, html[at:]])


def _ends(tags: list[re.Match[str]]) -> dict[int, int]:
    """Where each element of `MARKS` that is closed begins, and where it ends."""
    opened: dict[str, list[int]] = {}
    ends = {}
    for tag in tags:
        name = tag[2].lower()
        if name not in MARKS or tag[0].endswith("/>"):
            continue
        if not tag[1]:
            opened.setdefault(name, []).append(tag.start())
        elif opened.get(name):
            ends[opened[name].pop()] = tag.end()
    return ends
