"""Typesetting of texts: plain, Markdown or HTML, as safe HTML for pages; with formulas and code.

Texts come from strangers: systems that are compared, the web. Whatever they hold, nothing of it runs, is
loaded from elsewhere, leads away from the page or looks like a part of it: nh3 keeps elements of text and
throws away the rest with every attribute that is not named here. Links lose their address, since whoever
judges should not be led away; pictures leave their description. Formulas become MathML, which browsers draw
themselves; code is coloured by classes, which code.css knows. Headings begin below those of the page.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from html import escape
from typing import Any

from markupsafe import Markup

from collection.models import Study

# Characters that show the letters after them in another order than they are written. The marks that belong
# to languages written from right to left are others.
OVERRIDES = ("\u202d", "\u202e")
# Elements of running text; no forms, frames, media, styles or scripts.
TEXT = (
    "p br hr h1 h2 h3 h4 h5 h6 blockquote pre code kbd samp var em strong b i u s sub sup small mark del ins "
    "ul ol li dl dt dd table caption thead tbody tfoot tr th td abbr cite q dfn span div a section article "
    "figure figcaption details summary bdi ruby rt rp"
)
MATH = (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup "
    "munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose semantics"
)
ATTRIBUTES = {
    "*": {"dir", "lang"},
    "ol": {"start", "reversed"},
    "th": {"colspan", "rowspan", "scope"},
    "td": {"colspan", "rowspan"},
    "abbr": {"title"},
    "math": {"display"},
    "mo": {"stretchy", "fence", "separator", "form"},
    "mi": {"mathvariant"},
    "mtable": {"columnalign"},
    "mspace": {"width"},
    "mfrac": {"linethickness"},
}
# What is longer is shown as it was written: there are texts on which a parser's time grows with the square.
LONGEST, LONGEST_CODE, LONGEST_FORMULA = 30_000, 20_000, 2_000
LETTER, PHRASE = "letter", "phrase"
# Texts that a process keeps as they were set: whoever comes next sees many of the same.
KEPT = 2_000


def in_order(text: str) -> str:
    """A text without what would show its letters in another order than they are written."""
    for override in OVERRIDES:
        text = text.replace(override, "")
    return text


def typeset(text: str, markup: str) -> Markup:
    """Set a text for a page by its markup, one of `Study.Markup`; plain for any other.

    Plain keeps every space and line, so that code can be read; so is set what is longer than LONGEST.
    Time grows with the text: some milliseconds for a thousand words of Markdown, nothing where the same was
    set lately.
    """
    if not text:
        return Markup("")
    if markup == Study.Markup.PLAIN or len(text) > LONGEST:
        return Markup('<p class="plain">{}</p>').format(in_order(text))
    return _set(in_order(text), markup)


def letter(text: str) -> Markup:
    """Set what an organizer wrote to assessors: Markdown in which every line stays a line of its own."""
    return _set(in_order(text), LETTER) if text else Markup("")


def phrase(text: str) -> Markup:
    """Set an organizer's words that stand within a sentence: Markdown without paragraphs and lists."""
    return _set(in_order(text), PHRASE) if text else Markup("")


@lru_cache(maxsize=KEPT)
def _set(text: str, markup: str) -> Markup:
    if markup == Study.Markup.HTML:
        html = text
    elif markup == PHRASE:
        html = _markdown(breaks=False).renderInline(text)
    else:
        html = _markdown(breaks=markup == LETTER).render(text)
    return Markup(_below(_clean()(html)))  # noqa: S704 - cleaned


@cache
def _clean() -> Callable[[str], str]:
    import nh3  # only where a study needs it: a web process stays small

    cleaner = nh3.Cleaner(
        tags={*TEXT.split(), *MATH.split()},
        attributes=ATTRIBUTES,
        allowed_classes={"span": _colours(), "div": {"math"}, "code": {"math"}},
        clean_content_tags={"script", "style", "template", "noscript"},
        link_rel=None,
        url_schemes=set(),
        strip_comments=True,
    )
    return cleaner.clean


def _below(html: str) -> str:
    """Headings two levels lower: the page's own are the question and the sides. Of cleaned HTML alone, where
    no sign < stands in the text.
    """
    html = re.sub(r'(<[a-z]+) class="">', r"\1>", html)
    return re.sub(r"<(/?)h([1-6])\b", lambda found: f"<{found[1]}h{min(6, int(found[2]) + 2)}", html)


@cache
def _markdown(*, breaks: bool) -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # HTML inside Markdown is cleaned like all else. An address is text, and becomes no link.
    options = {"html": True, "breaks": breaks, "highlight": _code}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.use(
        dollarmath_plugin,
        allow_space=False,
        allow_digits=False,
        double_inline=True,
        renderer=lambda content, options: _formula(content, block=options["display_mode"]),
    )
    parser.inline.ruler.before("escape", "brackets", _bracketed)
    parser.add_render_rule("brackets", _render_bracketed)
    parser.add_render_rule("image", _render_image)
    return parser


def _bracketed(state, silent: bool) -> bool:  # type: ignore[no-untyped-def]  # markdown-it's own rule
    r"""Formulas between \( and \) or \[ and \], as language models write them."""
    opening = state.src[state.pos : state.pos + 2]
    closing = {r"\(": r"\)", r"\[": r"\]"}.get(opening)
    if closing is None or (end := state.src.find(closing, state.pos + 2)) < 0 or end >= state.posMax:
        return False
    if not silent:
        token = state.push("brackets", "math", 0)
        token.content = state.src[state.pos + 2 : end]
        token.meta = {"block": opening == r"\["}
    state.pos = end + 2
    return True


def _render_bracketed(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return _formula(tokens[index].content, block=tokens[index].meta["block"])


def _render_image(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return f"<em>[{escape(tokens[index].content or 'picture')}]</em>"


def _formula(source: str, *, block: bool) -> str:
    """A formula as MathML; as it was written where it is too long or no LaTeX that is known."""
    from latex2mathml.converter import convert

    if len(source) <= LONGEST_FORMULA:
        with suppress(Exception):  # of any kind: the source is whatever a stranger wrote
            return convert(source.strip(), display="block" if block else "inline")
    return f'<code class="math">{escape(source)}</code>'


def _code(source: str, language: str, _: str) -> str:
    """Colour code by its language; "" leaves it to be shown as it is."""
    if not language or len(source) > LONGEST_CODE:
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return ""
    return str(highlight(source, lexer, HtmlFormatter(nowrap=True, classprefix="k-")))


@cache
def _colours() -> set[str]:
    """Classes that code may have."""
    from pygments.token import STANDARD_TYPES

    short: Sequence[str] = list(STANDARD_TYPES.values())
    return {f"k-{name}" for name in short if name}
