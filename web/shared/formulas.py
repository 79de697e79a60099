"""Formulas in Markdown as MathML, told apart from prices, paths and escaped brackets."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from html import escape, unescape
from typing import Any

# A longer formula stays LaTeX, and so do those above this number in a text.
LONGEST_FORMULA, MOST_FORMULAS = 2_000, 300
WORDS = re.compile(r"\s[^\W\d_]{3,}|[^\W\d_]{3,}\s")
SHORT_WORDS = re.compile(r"\s[^\W\d_]{2,}|[^\W\d_]{2,}\s")
# No formula ends so, unless the sign stands alone or is an index.
NO_END = re.compile(r"(?<=.)(?<![\^_])[-/:=({[&]\Z", re.S)
A_WORD = re.compile(r"\s+[^\W\d_]{3,}\s+")
# A variable's name goes on after the second dollar sign; the ending of a word may stand after a formula.
GOES_ON = re.compile(r"(?!(?:s|st|nd|rd|th)\b)[A-Za-z_{(]")


def read_formulas(parser: Any) -> None:
    """Make a Markdown parser read formulas and render them as MathML.

    Formulas stand between $ $, $$ $$, round or square brackets behind backslashes, or in an environment of
    amsmath.
    """
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar

    dollars = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
    parser.inline.ruler.before("escape", "math_inline", _checked(dollars))
    parser.inline.ruler.before("escape", "brackets", _bracketed)
    parser.inline.ruler.before("escape", "environment", _environment)
    parser.block.ruler.before("fence", "math_block", _checked_block(math_block_dollar(allow_labels=False)))
    parser.use(amsmath_plugin)
    parser.add_render_rule("math_inline", _render_formula)
    for display in ("math_inline_double", "math_block", "amsmath"):
        parser.add_render_rule(display, _render_display)
    parser.add_render_rule("brackets", _render_bracketed)


def _render_formula(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return _formula(tokens[index].content, env, block=False)


def _render_display(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return _formula(tokens[index].content, env, block=True)


def _render_bracketed(self, tokens, index, options, env) -> str:  # type: ignore[no-untyped-def]
    return _formula(tokens[index].content, env, block=tokens[index].meta["block"])


def _checked(rule: Callable[[Any, bool], bool]) -> Callable[[Any, bool], bool]:
    """The rule for formulas between dollar signs, without prices and shell variables."""

    def checked(state, silent: bool) -> bool:  # type: ignore[no-untyped-def]  # markdown-it's own rule
        start = state.pos
        if not rule(state, True):
            return False
        end, state.pos = state.pos, start
        signs = 2 if state.src.startswith("$$", start) else 1
        source = state.src[start + signs : end - signs]
        doubtful = A_WORD.fullmatch(source) if signs == 2 else GOES_ON.match(state.src, end)
        if doubtful or not _is_formula(source):
            return False
        if silent:
            state.pos = end
        return silent or rule(state, False)

    return checked


def _checked_block(rule: Callable[..., bool]) -> Callable[..., bool]:
    """The rule for formulas on their own lines between $$ and $$."""

    def checked(state, first: int, last: int, silent: bool) -> bool:  # type: ignore[no-untyped-def]
        line, tokens = state.line, len(state.tokens)
        if not rule(state, first, last, silent):
            return False
        if len(state.tokens) == tokens or _is_formula(state.tokens[-1].content):
            return True
        state.line = line
        del state.tokens[tokens:]
        return False

    return checked


def _is_formula(source: str) -> bool:
    """Tell whether the text between a formula's signs can be a formula, and not prose or a path."""
    text = source.strip()
    if not text or NO_END.search(text):
        return False
    depth = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 and sign == ")":
            return False
    if re.search(r"\\[A-Za-z]", text):
        return True
    return not WORDS.search(text) and (bool(re.search(r"[\^_=]", text)) or not SHORT_WORDS.search(text))


def _bracketed(state, silent: bool) -> bool:  # type: ignore[no-untyped-def]  # markdown-it's own rule
    r"""The rule for formulas between \( and \) or \[ and \], as language models write them."""
    opening = state.src[state.pos : state.pos + 2]
    closing = {r"\(": r"\)", r"\[": r"\]"}.get(opening)
    if closing is None or state.env.get(closing) is state.src:
        return False
    end = state.src.find(closing, state.pos + 2)
    if end < 0:
        state.env[closing] = state.src  # looked for once
    if end < 0 or end >= state.posMax:
        return False
    source = state.src[state.pos + 2 : end]
    # Brackets are also escaped so that they are no link: [1], [sic], list[0], f(x).
    if not _is_formula(source) or (opening == r"\[" and source.strip().isalnum()):
        return False
    if state.pos and (before := state.src[state.pos - 1]).isascii() and before.isalnum():
        return False
    if not silent:
        token = state.push("brackets", "math", 0)
        token.content = source
        token.meta = {"block": opening == r"\["}
    state.pos = end + 2
    return True


def _environment(state, silent: bool) -> bool:  # type: ignore[no-untyped-def]  # markdown-it's own rule
    r"""The rule for an environment of amsmath within a paragraph."""
    from mdit_py_plugins.amsmath import RE_OPEN

    if state.src[state.pos] != "\\" or not (opening := re.compile(RE_OPEN).match(state.src, state.pos)):
        return False
    closing = rf"\end{{{opening[1]}{opening[2]}}}"
    if state.env.get(closing) is state.src:
        return False
    end = state.src.find(closing, opening.end())
    if end < 0:
        state.env[closing] = state.src  # looked for once
    if end < 0 or end + len(closing) > state.posMax:
        return False
    if not silent:
        token = state.push("brackets", "math", 0)
        token.content = state.src[state.pos : end + len(closing)]
        token.meta = {"block": True}
    state.pos = end + len(closing)
    return True


def _formula(source: str, env: dict[str, Any], *, block: bool) -> str:
    """A formula as MathML; as written if it is too long, one of too many, unknown LaTeX, or would lose a
    character.
    """
    from latex2mathml.converter import convert

    env["formulas"] = env.get("formulas", 0) + 1
    if len(source) <= LONGEST_FORMULA and env["formulas"] <= MOST_FORMULAS:
        # A sign of per cent would begin a comment.
        latex = _known(re.sub(r"(?<!\\)%", r"\%", source.strip()))
        with suppress(Exception):  # of any kind: the source is whatever a stranger wrote
            html = convert(latex, display="block" if block else "inline")
            lost = _signs(COMMANDS.sub(" ", latex)) - _signs(unescape(re.sub(r"<[^>]*>", "", html)))
            if not lost and not MISREAD.search(html):
                return _drawn(html)
    return f'<code class="math">{escape(source)}</code>'


def _known(latex: str) -> str:
    """LaTeX with environments that latex2mathml knows, in place of others that mean the same."""
    latex = re.sub(r"(\\\\)\[-?[\d.]+ ?[a-z]{2}\]|\\(?:nonumber|notag)(?![A-Za-z])", r"\1", latex)
    for known, arguments, names in ENVIRONMENTS:
        ending = known.partition("}")[0]
        latex = re.sub(rf"\\begin\{{(?:{names})\}}{arguments}", rf"\\begin{{{known}}}", latex)
        latex = re.sub(rf"\\end\{{(?:{names})\}}", rf"\\end{{{ending}}}", latex)
    # In braces an exponent belongs to the whole matrix, not to the sign that closes it.
    return re.sub(rf"\\begin\{{{MATRIX}\}}|\\end\{{{MATRIX}\}}", _in_braces, latex)


def _in_braces(edge: re.Match[str]) -> str:
    return f"{{{edge[0]}" if edge[0].startswith(r"\begin") else f"{edge[0]}}}"


def _drawn(html: str) -> str:
    """MathML with classes for what browsers draw by no attribute, columns, boxes and strokes, and with what
    belongs under a limit there.
    """
    html = re.sub(r'<mtd columnalign="(\w+)"', r'<mtd class="\1"', html)
    html = _limits(html.replace('<menclose notation="box"', '<menclose class="boxed"'))
    return re.sub(r'<menclose notation="[a-z ]*strike"', '<menclose class="struck"', html)


# What has its index below where it stands on a line of its own, as in LaTeX.
LIMIT = re.compile(r"<msub><mo>(?=(?:lim|max|min|sup|inf|det|gcd|Pr|lim sup|lim inf)</mo>)")


def _limits(html: str) -> str:
    """MathML in which the index of a limit, a maximum and the like stands under it in a displayed formula."""
    while found := LIMIT.search(html):
        depth, end = 1, found.end()
        while depth:
            tag = MSUB.search(html, end)
            if tag is None:
                return html
            depth, end = depth + (1 if tag[0] == "<msub>" else -1), tag.end()
        inside = html[found.end() : end - len("</msub>")]
        under = f'<munder><mo movablelimits="true">{inside}</munder>'
        html = html[: found.start()] + under + html[end:]
    return html


MSUB = re.compile("</?msub>")


def _signs(text: str) -> Counter[str]:
    """Count each letter and digit of a text, in whatever alphabet of mathematics."""
    return Counter(sign for sign in unicodedata.normalize("NFKC", text) if sign.isalnum())


# What is written for others, what follows their names, and they: without numbers that the text does not have.
ENVIRONMENTS = (
    ("align*", r"(?:\[\w\])?", r"align|aligned|split|flalign\*?"),
    ("align*", r"\{\d\}", r"alignat\*?|alignedat"),
    ("array}{c", r"(?:\[\w\])?", r"gather\*?|gathered|multline\*?"),
    ("array}{rcl", "", r"eqnarray\*?"),
    ("cases", "", "[dr]cases"),
)
MATRIX = r"[pbBvV]matrix\*?"
# A sign of columns, a new line or a command that was taken for something to draw.
MISREAD = re.compile(r'<mi>(?:&<|\\[A-Za-z])|linebreak="newline"')
COMMANDS = re.compile(r"\\(?:begin|end)\{\w+\*?\}(?:\{[lcr|]*\})?|\\[A-Za-z]+")
