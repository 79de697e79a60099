"""Typesetting of texts: plain, Markdown or HTML, as safe HTML for pages; with formulas and code.

Texts come from strangers: systems that are compared, the web. Whatever they hold, nothing of it runs, is
loaded from elsewhere, leads away from the page or looks like a part of it: nh3 keeps elements of text and
throws away the rest with every attribute that is not named here. Links lose their address, since anyone who
judges should not be led away; pictures leave their description, and what cannot be shown leaves a mark.
Formulas become MathML, which browsers draw; code is coloured by classes. Headings begin below the page's.

Judges read what a system wrote, letter by letter. In Markdown only elements of running text that are closed
are markup; anything else in angle brackets is shown as it was written, since models write `List<String>` and
`<think>`.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from html import escape, unescape
from itertools import takewhile
from typing import Any

from django.utils.translation import get_language, gettext
from markupsafe import Markup

from collection.material.hidden_parts import LONGEST, OVERRIDES
from collection.material.html_source import MATH, TEXT, readable, tag_tokens
from collection.models import Item, Study
from collection.models.study import MARKDOWN_LINES
from prefir.formats import Turn, split_turns
from web.shared.footnotes import footnotes_of, read_footnotes
from web.shared.formulas import read_formulas
from web.shared.phrases import cut_docno, parted

ATTRIBUTES = {
    "*": {"dir", "lang"},
    "ol": {"start", "reversed"},
    "li": {"value"},
    "th": {"colspan", "rowspan", "scope"},
    "td": {"colspan", "rowspan"},
    "abbr": {"title"},
    "details": {"open"},
    "math": {"display"},
    "mo": {"stretchy", "fence", "separator", "form", "movablelimits"},
    "mi": {"mathvariant"},
    "mtable": {"columnalign"},
    "mspace": {"width"},
    "mfrac": {"linethickness"},
}
# What is longer is shown as it was written, as texts above LONGEST are.
LONGEST_CODE = 20_000
# Shown as written too: tables of more cells, texts of more brackets or list items, and what its markup makes
# so many times longer.
MOST_CELLS, MOST_BRACKETS, MOST_ITEMS = 2_000, 2_000, 2_000
GROWTH, FREE_GROWTH = 10, 40_000
LETTER, PHRASE = "letter", "phrase"
# Texts that a process keeps as they were set: anyone who comes next sees many of the same. By the limits
# above a short one has at most 80 KB of HTML and a long one 340.
SHORT, SHORT_KEPT, LONG_KEPT = 4_000, 1_000, 64


def in_order(text: str) -> str:
    """A text without what would show its letters in another order than they are written."""
    for override in OVERRIDES:
        text = text.replace(override, "")
    return text


def typeset(text: str, markup: str) -> Markup:
    """Set a text for a page by its markup, as `Study.set_as` says.

    Plain keeps every space and line, so that code can be read; so is set what is longer than LONGEST, and
    what would cost more than a page may take.
    Time grows with the text: some milliseconds for a thousand words of Markdown, nothing where the same was
    set lately.
    """
    if not text:
        return Markup("")
    if turns := split_turns(text):
        if len(turns) == 1:
            # An answer without a letter is stored as a turn, and is shown as empty.
            return typeset(turns[0].text, markup) or Markup('<p class="plain"></p>')
        return Markup("").join(_turn(turn, markup) for turn in turns)
    if markup == Study.Markup.PLAIN or len(text) > LONGEST:
        return Markup('<p class="plain">%s</p>') % in_order(text)
    return _set(in_order(text), markup)


def _turn(turn: Turn, markup: str) -> Markup:
    """Set one turn of a conversation, under the name of who speaks; an assistant's single turn has none."""
    said = {
        "user": gettext("User"),
        "assistant": gettext("Assistant"),
        "system": gettext("System"),
        "tool": gettext("Tool"),
    }[turn.role]
    frame = Markup('<div class="turn {}"><p class="speaker">{}</p>{}</div>')
    return frame.format(turn.role, said, typeset(turn.text, markup))


# Code and formulas as a whole, any other tag, or the number of one source with the blank before it.
CITATION = re.compile(r"<(code|pre|math)\b.*?</\1>|<[^>]*>|[ \n]?([\[【](\d{1,3})[\]】])", re.S)


def raise_citations(html: Markup, name: str, sources: int) -> Markup:
    """Raise the number of each source in what was set, as a link to it: to `name-2` for [2]. Tab passes over
    them, since a key unfolds all sources.
    """

    def raised(found: re.Match[str]) -> str:
        if not found[3] or not 1 <= int(found[3]) <= sources:
            return found[0]
        # Without the blank, so that no line begins with it.
        return f'<sup class="cite"><a href="#{name}-{int(found[3])}" tabindex="-1">{found[2]}</a></sup>'

    return Markup(CITATION.sub(raised, html)) if sources else html  # noqa: S704 - cleaned


# What letters alone would say wrongly: formulas of more than one line, and who speaks.
UNSAID = re.compile(r"<math\b(?:(?!</math>).)*<m(?:frac|table|su|under|over|root|sqrt).*?</math>", re.S)
SPEAKER = re.compile(r'<p class="speaker">.*?</p>')


def plain(html: str) -> str:
    """The words of what was set, without its elements, for an excerpt of one line; "…" for a formula that is
    no line of signs.
    """
    html = UNSAID.sub("…", SPEAKER.sub(" ", html))
    apart = re.sub(r"</?(?:p|div|br|h\d|li|t[dhr]|pre)\b[^>]*>", " ", html)
    return unescape(re.sub(r"<[^>]*>", "", apart))


def start(text: str, markup: str, letters: int = 70) -> str:
    """Return how a text begins, in one line of plain words."""
    # What is cut in the middle of its markup is set as far as it goes.
    words = " ".join(plain(typeset(text[: 8 * letters], markup)).split())
    return words if len(words) <= letters else f"{words[:letters].rsplit(' ', 1)[0]} …"


def first_words(text: str, docno: str, study: Study, letters: int = 40) -> str:
    """Name an item by how its text begins, an answer by its model too; by its docno where it has no text."""
    return _named(start(text, study.set_as, letters), docno, study)


def first_words_apart(items: Sequence[Item], study: Study, letters: int) -> list[str]:
    """Name some items that stand together, as `first_words`, by the words in which they differ."""
    texts = [start(item.text, study.set_as, 3 * letters) for item in items]
    return [
        _named(words, item.docno, study) for words, item in zip(parted(texts, letters), items, strict=True)
    ]


def _named(words: str, docno: str, study: Study) -> str:
    if study.case == Study.Case.ANSWERS:
        return f"{docno}: {words}" if words else docno
    return words or cut_docno(docno)


def shows_nothing(html: str) -> bool:
    """Whether what was set has nothing to see: blanks, or signs without width."""
    text = unescape(re.sub(r"<(?!math|hr|li)[^>]*>", "", html))
    return not any(unicodedata.category(sign)[0] not in "ZC" for sign in text)


def letter(text: str) -> Markup:
    """Set what an organizer wrote to assessors: Markdown in which every line stays a line of its own."""
    return _set(in_order(text), LETTER) if text else Markup("")


def phrase(text: str) -> Markup:
    """Set an organizer's words that stand within a sentence: Markdown without paragraphs and lists."""
    return _set(in_order(text), PHRASE) if text else Markup("")


def _set(text: str, markup: str) -> Markup:
    # Marks are in the language of the page.
    return (_set_short if len(text) <= SHORT else _set_long)(text, markup, get_language())


def _set_anew(text: str, markup: str, _language: str) -> Markup:
    if _costs_too_much(text):
        return _as_written(text)
    if markup == Study.Markup.HTML:
        html, _ = readable(text)
    elif markup == PHRASE:
        html = _markdown(breaks=False).renderInline(text, {})
    else:
        html = _markdown(breaks=markup in (LETTER, MARKDOWN_LINES)).render(_widened(text), footnotes_of(text))
    if len(html) > GROWTH * len(text) + FREE_GROWTH:
        return _as_written(text)
    return Markup(_framed(_below(_clean()(html))))  # noqa: S704 - cleaned


_set_short = lru_cache(maxsize=SHORT_KEPT)(_set_anew)
_set_long = lru_cache(maxsize=LONG_KEPT)(_set_anew)


def _as_written(text: str) -> Markup:
    return Markup('<p class="plain">{}</p>').format(text)


def _costs_too_much(text: str) -> bool:
    """Whether a parser would take long for a text, by what can be counted in it; in linear time."""
    if text.count("[") > MOST_BRACKETS or len(LIST_ITEM.findall(text)) > MOST_ITEMS:
        return True
    columns = rows = 0
    for line in text.split("\n"):
        if "|" in line and TABLE_RULE.fullmatch(line):
            columns, rows = line.count("|") + 1, 0
        elif not line.strip():
            columns = 0
        rows += 1
        if columns * rows > MOST_CELLS:
            return True
    return False


def _widened(text: str) -> str:
    """Markdown whose tables have as many columns as their longest row, since cells beyond would vanish."""
    lines, fence, end = text.split("\n"), "", 0
    for number, line in enumerate(lines):
        bare = line.lstrip(" >")
        if fence:
            fence = "" if bare.startswith(fence) else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[:3]
        elif number > end and "-" in line and "|" in lines[number - 1] and TABLE_RULE.fullmatch(line):
            rows = takewhile(
                lambda row: row.strip(" >\t"), map(lines.__getitem__, range(number + 1, len(lines)))
            )
            cells = [_cells(row) for row in rows]
            end = number + len(cells)
            more = max(cells, default=0) - _cells(line)
            if more > 0 and _cells(lines[number - 1]) == _cells(line):
                lines[number - 1] = _ended(lines[number - 1]) + " |" * more
                lines[number] = _ended(line) + "-|" * more
    return "\n".join(lines)


def _ended(line: str) -> str:
    return line if line.rstrip().endswith("|") else f"{line}|"


def _cells(line: str) -> int:
    """How many cells a line of a table has."""
    return len(PIPE.findall(line.strip(" >\t").removeprefix("|").removesuffix("|"))) + 1


PIPE = re.compile(r"(?<!\\)\|")
LIST_ITEM = re.compile(r"^[ \t>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)", re.M)
TABLE_RULE = re.compile(r"[ \t|:>-]+")


@cache
def _clean() -> Callable[[str], str]:
    import nh3  # only where a study needs it: a web process stays small

    cleaner = nh3.Cleaner(
        tags=set(TEXT | MATH),
        attributes=ATTRIBUTES,
        allowed_classes={
            "span": _colours(),
            "div": {"math"},
            "code": {"math"},
            "li": {"task-list-item"},
            "menclose": {"boxed", "struck"},
            **{cell: set(ALIGNED) for cell in ("th", "td", "mtd")},
        },
        # What a system folded away is its answer too, and is judged.
        set_tag_attribute_values={"details": {"open": ""}},
        clean_content_tags={"script", "style", "template", "noscript"},
        link_rel=None,
        url_schemes=set(),
        strip_comments=True,
    )
    return cleaner.clean


def _below(html: str) -> str:
    """Headings from the third level: the page's own are the question and the sides. Of cleaned HTML alone,
    where no sign < stands in the text.
    """
    html = re.sub(r'(<[a-z]+) class="">', r"\1>", html)
    lower = 3 - min(map(int, re.findall(r"<h([1-6])\b", html)), default=3)
    return re.sub(r"<(/?)h([1-6])\b", lambda found: f"<{found[1]}h{min(6, int(found[2]) + lower)}", html)


def _framed(html: str) -> str:
    """Frame tables and display formulas, to scroll where they do not fit; keep figures of cells on one line.
    Of cleaned HTML alone.
    """
    html = FIGURE.sub(lambda cell: f'<td class="{cell[1] or ""} figure">'.replace('" ', '"'), html)
    html = re.sub(r"<table\b[^>]*>", r'<div class="framed" tabindex="0">\g<0>', html)
    html = html.replace("</table>", "</table></div>")
    return re.sub(
        r'<math display="block">.*?</math>',
        r'<span class="framed" tabindex="0">\g<0></span>',
        html,
        flags=re.S,
    )


# A cell with a figure of several words: 62.9 %, 12 000 km.
FIGURE = re.compile(r'<td(?: class="(\w+)")?>(?=[^<\w]{0,2}\d[^<]{0,9} [^<]{1,9}</td>)')
ALIGNED = ("left", "center", "right")


@cache
def _markdown(*, breaks: bool) -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.tasklists import tasklists_plugin

    # HTML inside Markdown is cleaned like all else. An address is text, and becomes no link.
    options = {"html": True, "breaks": breaks, "highlight": _code}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    # A line such as "[Answer]: 42" defines a link, and would vanish.
    parser.disable("reference")
    read_formulas(parser)
    read_footnotes(parser)
    parser.use(tasklists_plugin)
    parser.core.ruler.push("tags", tag_tokens)
    parser.core.ruler.push("alignment", _align)
    parser.core.ruler.push("numbers", _number)
    parser.inline.ruler.before("emphasis", "operators", _operator)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("link_close", _render_link_close)
    parser.add_render_rule("fence", _render_fence)
    return parser


def _align(state: Any) -> None:
    """Say how a table's column is aligned by a class instead of a style."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", "")):
            token.attrs["class"] = style.removeprefix("text-align:")


def _number(state: Any) -> None:
    """Give items of a numbered list the numbers that were written, where HTML would count otherwise."""
    nexts: list[int] = []
    for token in state.tokens:
        if token.type == "ordered_list_open":
            nexts.append(int(token.attrs.get("start", 1)))
        elif token.type == "ordered_list_close":
            nexts.pop()
        elif token.type == "list_item_open" and token.info:
            if int(token.info) != nexts[-1]:
                token.attrs["value"] = token.info
            nexts[-1] = int(token.info) + 1


def _render_fence(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    """Code in a fence, after the words beside the fence, such as the name of its language."""
    words = tokens[index].info.strip()
    said = f"<p><small>{escape(words)}</small></p>\n" * bool(words)
    return said + str(self.fence(tokens, index, options, env))


def _render_link_close(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    """End a link with its address, which leads nowhere, where its words are others."""
    start = max(place for place in range(index) if tokens[place].type == "link_open")
    attributes = tokens[start].attrs
    said = "".join(token.content for token in tokens[start + 1 : index])
    address = str(attributes.get("href", ""))
    if address in (said, "") or tokens[start].info == "auto":
        address = ""
    beside = " ".join(part for part in (address, str(attributes.get("title", ""))) if part)
    return f"</a> <small>({escape(beside)})</small>" if beside else "</a>"


# Between a figure and another sign of a term, or between two letters that stand for numbers.
OPERATOR = re.compile(
    r"(?<=[0-9])\*+(?=[0-9A-Za-z])|(?<=[A-Za-z])\*+(?=[0-9])|(?<=\b[A-Za-z])\*+(?=[A-Za-z]\b)"
)
# Python's own names.
DUNDER = re.compile(r"(?<![\w*])__[a-z][a-z0-9]*(?:_[a-z0-9]+)*__(?!\w)")


def _operator(state, silent: bool) -> bool:  # type: ignore[no-untyped-def]  # markdown-it's own rule
    """Signs that CommonMark takes for emphasis and drops, in `2*3*4`, `x**2 + y**2` and `__init__`."""
    found = OPERATOR.match(state.src, state.pos) or DUNDER.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


def _render_image(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return f"<em>[{escape(tokens[index].content or gettext('picture'))}]</em>"


def _code(source: str, language: str, _: str) -> str:
    """Colour code by its language; "" leaves it to be shown as it is."""
    lexer = _lexer(language)
    if lexer is None or len(source) > LONGEST_CODE:
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    # As it is written: nothing is stripped from its ends.
    return str(highlight(source, lexer, HtmlFormatter(nowrap=True, classprefix="k-")))


def _lexer(language: str) -> Any:
    """What colours a language; None where there is no such language."""
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@cache
def _colours() -> set[str]:
    """Classes that code may have."""
    from pygments.token import STANDARD_TYPES

    short: Sequence[str] = list(STANDARD_TYPES.values())
    return {f"k-{name}" for name in short if name}
