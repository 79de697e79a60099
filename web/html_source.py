"""HTML in the texts of items: which tags are markup, and marks in the place of what cannot be shown."""

import re
from html import escape
from html.parser import HTMLParser
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
    parser = _Alt()
    parser.feed(tag)
    return f"<em>[{escape(parser.alt or 'picture')}]</em>"


class _Alt(HTMLParser):
    alt = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.alt = dict(attributes).get("alt") or ""


def marked(html: str) -> str:
    """Put a picture's description, or a mark such as [a drawing], in the place of what is not shown.

    The result is as unsafe as before: it is for the cleaner. Time grows with the text.
    """
    parser = _Marking()
    parser.feed(html)
    parser.close()
    return "".join(parser.parts)


class _Marking(HTMLParser):
    """Copies a source, but for elements that leave a mark."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self.hidden: list[str] = []  # elements of MARKS that are open
        self.forms = 0

    def _copy(self, source: str) -> None:
        if not self.hidden:
            self.parts.append(source)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self.hidden:
            if tag == self.hidden[-1]:
                self.hidden.append(tag)
        elif tag == "img":
            self._copy(f"<em>[{escape(dict(attributes).get('alt') or 'picture')}]</em>")
        elif tag in MARKS:
            self._copy(f"<em>[{MARKS[tag]}]</em>")
            if tag not in WITHOUT_END:
                self.hidden.append(tag)
        elif tag in FORM:
            if not self.forms:
                self._copy("<em>[a form]</em> ")
            if tag not in WITHOUT_END:
                self.forms += 1
        else:
            self._copy(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag in self.hidden[-1:]:
            self.hidden.pop()
        elif tag in FORM and tag not in WITHOUT_END:
            self.forms -= 1

    def handle_endtag(self, tag: str) -> None:
        if self.hidden:
            if tag == self.hidden[-1]:
                self.hidden.pop()
        elif tag in FORM:
            self.forms = max(0, self.forms - 1)
        elif tag not in MARKS:
            self._copy(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._copy(data)

    def handle_entityref(self, name: str) -> None:
        self._copy(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._copy(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        pass

    def handle_decl(self, decl: str) -> None:
        pass

    def unknown_decl(self, data: str) -> None:
        pass

    def handle_pi(self, data: str) -> None:
        pass
