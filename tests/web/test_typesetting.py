"""Texts of items as pages set them: what is kept, what is thrown away, and what strangers may try."""

import re

import pytest

from collection.models import Study
from web.typesetting import letter, phrase, typeset

PLAIN, MARKDOWN, HTML = Study.Markup.PLAIN, Study.Markup.MARKDOWN, Study.Markup.HTML


def words(html: str) -> str:
    """What is left to read."""
    return re.sub(r"<[^>]+>", "", html).strip()


def test_plain_text_keeps_every_space_and_line_and_is_never_markup():
    text = "def f(x):\n    if x < 1:\n\treturn '<b>'  # two  spaces"
    assert typeset(text, PLAIN) == (
        '<p class="plain">def f(x):\n    if x &lt; 1:\n\treturn &#39;&lt;b&gt;&#39;  # two  spaces</p>'
    )


def test_no_text_stays_no_text():
    assert [typeset("", markup) for markup in Study.Markup] == ["", "", ""]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# One\n\n## Two", "<h3>One</h3>\n<h4>Two</h4>\n"),
        ("###### Six", "<h6>Six</h6>\n"),
        ("a *b* **c** ~~d~~", "<p>a <em>b</em> <strong>c</strong> <s>d</s></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>\n"),
        ("3. c", '<ol start="3">\n<li>c</li>\n</ol>\n'),
        ("`x < 1`", "<p><code>x &lt; 1</code></p>\n"),
        ("    x = 1\n      y", "<pre><code>x = 1\n  y\n</code></pre>\n"),
        # A link leads nowhere, and a picture is what it was called.
        ("see [the page](https://example.org/a)", "<p>see <a>the page</a></p>\n"),
        ("![a cat](https://example.org/cat.png)", "<p><em>[a cat]</em></p>\n"),
        ("![](x.png)", "<p><em>[picture]</em></p>\n"),
        # Prices are no formulas.
        ("from $5 to $10", "<p>from $5 to $10</p>\n"),
    ],
)
def test_markdown_is_set(source, expected):
    assert typeset(source, MARKDOWN) == expected


def test_tables_are_set():
    html = typeset("| a | b |\n|---|--:|\n| 1 | 2 |", MARKDOWN)
    assert re.sub(r"\s+", "", html) == (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
    )


def test_code_is_coloured_by_classes_and_says_the_same():
    html = typeset("```python\nfor x in range(3):\n    print('<b>')\n```", MARKDOWN)
    assert '<span class="k-k">for</span>' in html
    assert words(html) == "for x in range(3):\n    print(&#39;&lt;b&gt;&#39;)".replace("&#39;", "'")
    assert "style=" not in html


@pytest.mark.parametrize("fence", ["```nosuchlanguage\nx <b>\n```", "```\nx <b>\n```"])
def test_code_of_no_known_language_is_left_as_it_is(fence):
    assert typeset(fence, MARKDOWN) == "<pre><code>x &lt;b&gt;\n</code></pre>\n"


@pytest.mark.parametrize(
    ("source", "display"),
    [("$x^2$", "inline"), (r"\(x^2\)", "inline"), ("$$x^2$$", "block"), (r"\[x^2\]", "block")],
)
def test_formulas_become_mathml_however_they_are_written(source, display):
    html = typeset(f"So {source} holds", MARKDOWN)
    assert f'<math display="{display}"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>' in html
    assert words(html.replace("\n", "")).startswith("So ")


@pytest.mark.parametrize("source", [r"\frac{1", r"\nosuch{", "{" * 300, "x" * 2001])
def test_what_is_no_formula_is_shown_as_it_was_written(source):
    html = typeset(f"${source}$", MARKDOWN)
    assert source in words(html) or "<math" in html


ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)></svg>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='https://example.org'>x</a>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<p class='choice left' id='spoken' onclick='alert(1)'>x</p>",
    "<form action='/submit/'><button name=choice value=left>Left</button><input name=token></form>",
    "<iframe src='https://example.org'></iframe>",
    "<video src=x autoplay></video>",
    "<link rel=stylesheet href=x>",
    "<base href='https://example.org'>",
    "<meta http-equiv=refresh content='0;url=https://example.org'>",
    "<style>*{display:none}</style>",
    "<details ontoggle=alert(1) open><summary>x</summary></details>",
    "<div tabindex=0 accesskey=x contenteditable>x</div>",
    "<span class='k-k yours'>x</span>",
    "</div></article></main><button class='choice left'>Left</button>",
    "[x](javascript:alert(1))",
    "![x](javascript:alert(1))",
    "```python' onclick='alert(1)\nx\n```",
    "$\\href{javascript:alert(1)}{x}$",
    "<!-- x --><![CDATA[<script>]]>",
)
KNOWN = re.compile(
    r"</?(?:p|br|a|em|strong|code|pre|span|div|summary|details|ul|li|math|mrow|mi|mo|mn|mtext|mstyle)"
    r'(?: (?:display|class|mathvariant|stretchy)="(?:inline|math|k-\w+|[a-z]+)")*>'
)


@pytest.mark.parametrize("markup", [MARKDOWN, HTML])
@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_runs_loads_leads_away_or_looks_like_a_part_of_the_page(attack, markup):
    html = typeset(attack, markup)
    tags = re.findall(r"<[^>]*>", html)
    assert [tag for tag in tags if not KNOWN.fullmatch(tag)] == []
    assert "choice" not in "".join(tags)


def test_what_opens_is_closed_so_that_a_text_ends_where_its_place_ends():
    html = typeset("<div><p>a <strong>b</div></article>c", HTML)
    assert html == "<div><p>a <strong>b</strong></p></div><strong>c</strong>"


def test_letters_cannot_be_shown_in_another_order_than_they_are_written():
    assert [words(typeset("a\u202eb", markup)) for markup in Study.Markup] == ["ab", "ab", "ab"]


def test_deep_nesting_is_no_trouble():
    for source in (">" * 5000 + "x", "<div>" * 3000 + "x", "*" * 20000, "[" * 3000, "\\(" * 3000):
        for markup in (MARKDOWN, HTML):
            assert typeset(source, markup).count("<script") == 0


def test_what_is_very_long_is_shown_as_it_was_written():
    source = "*a* " * 8000
    assert typeset(source, MARKDOWN) == f'<p class="plain">{source}</p>'


def test_what_an_organizer_wrote_keeps_its_lines():
    assert letter("One\ntwo\n\n- **three**") == (
        "<p>One<br>\ntwo</p>\n<ul>\n<li><strong>three</strong></li>\n</ul>\n"
    )
    assert typeset("One\ntwo", MARKDOWN) == "<p>One\ntwo</p>\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("it **names** a *source*", "it <strong>names</strong> a <em>source</em>"),
        ("it has `x < 1` & more", "it has <code>x &lt; 1</code> &amp; more"),
        # What would begin a list or a heading elsewhere is a word within a sentence.
        ("# 1 is what was asked", "# 1 is what was asked"),
        ("see <script>alert(1)</script><b onclick='x()'>it</b>", "see <b>it</b>"),
        ("\u202eback", "back"),
        ("", ""),
    ],
)
def test_a_phrase_is_set_within_its_sentence(source, expected):
    assert phrase(source) == expected
