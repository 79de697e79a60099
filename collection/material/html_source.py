"""HTML in item texts: which tags are markup, and marks for content that cannot be shown."""

import re
from collections import Counter
from html import escape, unescape
from typing import Any

from django.utils.translation import gettext, gettext_noop

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
    "svg": gettext_noop("a drawing"),
    "canvas": gettext_noop("a drawing"),
    "iframe": gettext_noop("an embedded page"),
    "object": gettext_noop("an embedded page"),
    "embed": gettext_noop("an embedded page"),
    "audio": gettext_noop("sound"),
    "video": gettext_noop("a film"),
}
# The same in the plural, as loading counts them.
COUNTED = {
    name: {"sound": "sounds", "a film": "films"}.get(mark, mark.partition(" ")[2] + "s")
    for name, mark in MARKS.items()
}
A_FORM = gettext_noop("a form")
FORM = frozenset({"form", "button", "input", "select", "textarea"})
WITHOUT_END = frozenset({"embed", "input"})
TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)\b[^<>]*?(/?)>")
# A quoted value ends before the next tag, so that no text is gone through twice.
MARKED = re.compile(
    rf"""<(/?)({"|".join(sorted({"img", *MARKS, *FORM}))})\b(?>[^<>"']+|"[^"<]*"|'[^'<]*'|["'])*+>""", re.I
)
ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
# Other elements of HTML: what they hold is shown, in a block of its own or within its line.
_BLOCKS = "html body header footer main nav aside address hgroup search center fieldset legend dialog menu"
_INSIDE = """
head base link meta title font big tt strike acronym picture source track param map area col colgroup label
option optgroup datalist output progress meter data time wbr bdo slot dir frame frameset noframes noembed
marquee nobr basefont bgsound listing xmp plaintext rb rtc maction mlabeledtr mglyph maligngroup malignmark
"""
BLOCKS, INSIDE = frozenset(_BLOCKS.split()), frozenset(_INSIDE.split())
# Those that mark words: where they have no end they would mark all that follows, and are words themselves.
_PAIRED = "a b i u s em strong small mark del ins sub sup code kbd samp var abbr cite q dfn bdi ruby"
PAIRED = frozenset(_PAIRED.split())
HTML = TEXT | MATH | MARKS.keys() | FORM | BLOCKS | INSIDE | {"img"}
# What no browser shows, and how loading counts it.
UNSEEN = {
    "script": "scripts",
    "style": "style sheets",
    "template": "templates",
    "noscript": "words for browsers without scripts",
    "annotation": "sources of formulas",
    "annotation-xml": "sources of formulas",
}
HTML_TAG = re.compile(r"""<(/?)([A-Za-z][A-Za-z0-9-]*)(?=[\s/>])((?>[^<>"']+|"[^"<]*"|'[^'<]*'|["'])*+)>""")
DECLARATION = re.compile(r"<(?:!doctype|\?xml)\b[^<>]*>", re.I)
ADDRESS = re.compile(r"""(?<![\w-])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
# Pieces of a link in which its address is looked for.
PIECES_OF_A_LINK = 50
ALIGN = re.compile(r"""\balign\s*[=:]\s*["']?\s*(left|center|right)\b""", re.I)
CHECKBOX = '<input class="task-list-item-checkbox"'


def tag_tokens(state: Any) -> None:
    """Rule of markdown-it: escape each tag in Markdown that is no markup.

    Markup is a known element of running text that is opened and closed, a line break, and in a block what
    HTML closes by itself. Comments, declarations and other elements are words of the text.
    """
    for parent, cell in zip(state.tokens, [None, *state.tokens], strict=False):
        if parent.type == "inline" and (cell is None or cell.type not in ("td_open", "th_open")):
            _name_breaks(parent.children or [])
    tokens = [
        token
        for parent in state.tokens
        for token in (parent.children or [] if parent.type == "inline" else [parent])
    ]
    pieces = [
        _pieces(token.content, block=token.type == "html_block")
        if token.type in ("html_inline", "html_block")
        else [_text(token.content)]
        for token in tokens
    ]
    _pair([piece for each in pieces for piece in each])
    for token, each in zip(tokens, pieces, strict=True):
        if token.type not in ("html_inline", "html_block"):
            continue
        if token.content.startswith(CHECKBOX):
            token.content = "☑" if "checked=" in token.content else "☐"
        else:
            token.content = "".join(piece.html for piece in each)
            if token.type == "html_block" and not any(piece.name for piece in each):
                token.content = f"<p>{token.content.strip()}</p>\n"


def _name_breaks(tokens: list[Any]) -> None:
    """Turn a break that stands between two words of one sentence into a word: "Use <br> to end a line"."""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.type == "html_inline" and (tag := TAG.fullmatch(token.content)) and tag[2].lower() in VOID:
            in_a_line = before.type == after.type == "text" and before.content[-1:] == " "
            if in_a_line and (tag[2].lower() == "hr" or re.match(r" [a-z]", after.content)):
                token.type = "text"


class _Piece:
    """A tag, or what stands between two, and whether it is markup."""

    def __init__(self, source: str, name: str = "", *, closes: bool = False, alone: bool = False) -> None:
        self.source, self.name, self.closes = source, name, closes
        self.is_markup = alone
        self.shown = source  # where it is markup

    @property
    def html(self) -> str:
        if self.name == "img":
            return described(self.source)
        return self.shown if self.is_markup else escape(self.source, quote=False)


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
    """Mark what is opened and closed as markup, whatever stands between. A link's address is put beside its
    words, where it leads out of the text and is not what they say.
    """
    opened: dict[str, list[int]] = {}
    for end, piece in enumerate(pieces):
        if not piece.name or piece.name in VOID:
            continue
        if not piece.closes:
            opened.setdefault(piece.name, []).append(end)
        elif waiting := opened.get(piece.name):
            start = waiting.pop()
            pieces[start].is_markup = piece.is_markup = True
            if piece.name == "a" and (address := _value(ADDRESS, pieces[start].source)):
                # A few pieces are enough: links within links would else take long.
                words = "".join(one.source for one in pieces[start + 1 : min(end, start + PIECES_OF_A_LINK)])
                if address not in words and not address.lower().startswith(("#", "javascript:")):
                    piece.shown += f" <small>({escape(address)})</small>"


def described(tag: str) -> str:
    """The description of a picture in place of its tag."""
    return _mark(_value(ALT, tag) or gettext("picture"))


def bare_pictures(source: str) -> int:
    """Count the <img> tags without a description."""
    return sum(tag[2].lower() == "img" and not _value(ALT, tag[0]) for tag in TAG.finditer(source))


def _value(attribute: re.Pattern[str], tag: str) -> str:
    """The value of an attribute, in quotation marks or without; "" if a tag does not have it."""
    found = attribute.search(tag)
    return unescape(found[1] or found[2] or found[3] or "").strip() if found else ""


def _mark(words: str) -> str:
    return f"<em>[{escape(words)}]</em>"


def readable(html: str) -> tuple[str, Counter[str]]:
    """Turn what is no markup into text; return the HTML for the cleaner, and what it leaves out by kind.

    Tags that HTML does not know, and those that mark words and are never closed, are shown as they were
    written: systems write `List<String>` and `<think>`. A link's address stands beside its words. Time grows
    with the text.
    """
    reader = _HtmlReader(html)
    reader.read()
    _pair(reader.pieces)
    return marked("".join(piece.html for piece in reader.pieces)), reader.left_out


class _HtmlReader:
    """The pieces of HTML, and the counts of what is left out of them."""

    def __init__(self, html: str) -> None:
        self.html, self.pieces, self.left_out = html, list[_Piece](), Counter[str]()
        self._without_end = set[str]()  # what ends nowhere after here: it is looked for once

    def read(self) -> None:
        at = 0
        while (start := self.html.find("<", at)) >= 0:
            self.pieces.append(_text(self.html[at:start]))
            at = self._read_sign(start)
        self.pieces.append(_text(self.html[at:]))

    def _read_sign(self, start: int) -> int:
        """Read a tag, a comment or a lone sign <; return its end."""
        if self.html.startswith("<!--", start):
            if end := self._end("-->", start + 2):
                self.left_out["comments"] += 1
                return end
        elif found := DECLARATION.match(self.html, start):
            return found.end()
        elif tag := HTML_TAG.match(self.html, start):
            return self._read_tag(tag)
        self.pieces.append(_text("<"))
        return start + 1

    def _end(self, pattern: str, start: int) -> int:
        """Find the next match and return its end, 0 if there is none."""
        if pattern not in self._without_end:
            if found := re.compile(pattern, re.I).search(self.html, start):
                return found.end()
            self._without_end.add(pattern)
        return 0

    def _read_tag(self, tag: re.Match[str]) -> int:
        closes, name = bool(tag[1]), tag[2].lower()
        if name in UNSEEN:
            if not closes and (end := self._end(rf"</{name}\s*>", tag.end())):
                self.left_out[UNSEEN[name]] += 1
                return end
            name = ""
        if name in MARKS and not closes:
            self.left_out[COUNTED[name]] += 1
        elif name in FORM and not closes:
            self.left_out["parts of forms"] += 1
        elif name == "img" and not closes and not _value(ALT, tag[0]):
            self.left_out["pictures without a description"] += 1
        known = name in HTML
        alone = known and name not in PAIRED
        piece = _Piece(tag[0], name if known else "", closes=closes, alone=alone)
        if name in BLOCKS:
            piece.shown = f"<{tag[1]}div>"
        elif name in INSIDE or name == "a":
            piece.shown = ""
        elif name in ("td", "th") and (align := ALIGN.search(tag[3])):
            piece.shown = f'<{name} class="{align[1].lower()}"{tag[3]}>'
        self.pieces.append(piece)
        return tag.end()


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
            parts.append("" if closes else _mark(gettext(MARKS[name])))
        else:
            if not closes and not forms:
                parts.append(_mark(gettext(A_FORM)) + " ")
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
