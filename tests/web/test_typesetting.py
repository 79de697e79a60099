"""Texts of items as pages set them: what is kept, what is thrown away, and what strangers may try."""

import re
from collections import Counter
from html import escape, unescape
from xml.etree import ElementTree

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from collection.models import Study
from prefir.formats.conversations import Turn, join_turns
from tests.examples import examples
from web.shared.typesetting import letter, phrase, plain, raise_citations, typeset

PLAIN, MARKDOWN, HTML = Study.Markup.PLAIN, Study.Markup.MARKDOWN, Study.Markup.HTML


def words(html: str) -> str:
    """What is left to read."""
    return re.sub(r"<[^>]+>", "", html).strip()


def test_plain_text_keeps_every_space_and_line_and_is_never_markup():
    text = "def f(x):\n    if x < 1:\n\treturn '<b>'  # two  spaces"
    assert typeset(text, PLAIN) == (
        '<p class="plain">def f(x):\n    if x &lt; 1:\n\treturn &#39;&lt;b&gt;&#39;  # two  spaces</p>'
    )


@pytest.mark.parametrize(
    ("source", "markup", "words"),
    [
        (
            "## Tides\n\n**Short:** the *moon*.\n\n- one\n- `a < b`",
            "markdown",
            "Tides Short: the moon. one a < b",
        ),
        ("<p>one</p><p>two <b>bold</b>.</p>", "html", "one two bold."),
        ("as *written* & so", "plain", "as *written* & so"),
        # Signs of a formula in a row say another one.
        ("So $x+y$ is $x'Ax^2$, and $\\frac{1}{2}$.", "markdown", "So x+y is …, and …."),
        (join_turns([Turn("user", "Turn it."), Turn("assistant", "So.")]), "plain", "Turn it. So."),
    ],
)
def test_an_excerpt_has_the_words_and_no_markup(source, markup, words):
    assert " ".join(plain(typeset(source, markup)).split()) == words


def test_no_text_stays_no_text():
    assert [typeset("", markup) for markup in Study.Markup] == ["", "", ""]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# One\n\n## Two", "<h3>One</h3>\n<h4>Two</h4>\n"),
        ("## One\n\n###### Six", "<h3>One</h3>\n<h6>Six</h6>\n"),
        ("###### Six", "<h3>Six</h3>\n"),
        ("a *b* **c** ~~d~~", "<p>a <em>b</em> <strong>c</strong> <s>d</s></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>\n"),
        ("3. c", '<ol start="3">\n<li>c</li>\n</ol>\n'),
        ("`x < 1`", "<p><code>x &lt; 1</code></p>\n"),
        ("    x = 1\n      y", "<pre><code>x = 1\n  y\n</code></pre>\n"),
        # The numbers that were written stay.
        ("1. a\n3. b\n4. c", '<ol>\n<li>a</li>\n<li value="3">b</li>\n<li>c</li>\n</ol>\n'),
        # A link leads nowhere and says where it would, and a picture is what it was called.
        (
            "see [the page](https://example.org/a)",
            "<p>see <a>the page</a> <small>(https://example.org/a)</small></p>\n",
        ),
        ("see <https://example.org/a>", "<p>see <a>https://example.org/a</a></p>\n"),
        # Its box is the mark of a task.
        (
            "- [x] done\n- plain",
            '<ul>\n<li class="task-list-item">☑ done</li>\n<li>plain</li>\n</ul>\n',
        ),
        # No line defines a link and vanishes.
        ("[Answer]: 42", "<p>[Answer]: 42</p>\n"),
        ("```Answer: 42\nx\n```", "<p><small>Answer: 42</small></p>\n<pre><code>x\n</code></pre>\n"),
        # Markup of running text that is closed is markup; what else stands in angle brackets is text.
        ("x<sup>2</sup>, a <b>b</b><br>c", "<p>x<sup>2</sup>, a <b>b</b><br>c</p>\n"),
        ("Use List<String> here", "<p>Use List&lt;String&gt; here</p>\n"),
        ("Vec<u> and Map<s, b>", "<p>Vec&lt;u&gt; and Map&lt;s, b&gt;</p>\n"),
        ("`cd` <folder> and wait", "<p><code>cd</code> &lt;folder&gt; and wait</p>\n"),
        ("<answer>42</answer>", "<p>&lt;answer&gt;42&lt;/answer&gt;</p>\n"),
        ("<Paris is the capital>", "<p>&lt;Paris is the capital&gt;</p>\n"),
        ("Use <br> to break, <hr> to rule.", "<p>Use &lt;br&gt; to break, &lt;hr&gt; to rule.</p>\n"),
        ("one <br> Two<br>three <br>", "<p>one <br> Two<br>three <br></p>\n"),
        ('<a href="http://e.x/y">here</a>.', "<p><a>here</a> <small>(http://e.x/y)</small>.</p>\n"),
        ('<a href="http://e.x">http://e.x</a>', "<p><a>http://e.x</a></p>\n"),
        (
            "<details><summary>a</summary>b</details>",
            '<details open=""><summary>a</summary>b</details>',
        ),
        ("a <!-- b --> c", "<p>a &lt;!-- b --&gt; c</p>\n"),
        ('a <img alt="a cat" src="x"> b', "<p>a <em>[a cat]</em> b</p>\n"),
        ("![a cat](https://example.org/cat.png)", "<p><em>[a cat]</em></p>\n"),
        ("![](x.png)", "<p><em>[picture]</em></p>\n"),
        # Prices are no formulas.
        ("from $5 to $10", "<p>from $5 to $10</p>\n"),
    ],
)
def test_markdown_is_set(source, expected):
    assert typeset(source, MARKDOWN) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "so[^1] and so[^b].\n\n[^1]: One *note*.\n[^b]: Two.",
            "<p>so<sup>1</sup> and so<sup>b</sup>.</p>\n<p><sup>1</sup> One <em>note</em>.</p>\n"
            "<p><sup>b</sup> Two.</p>\n",
        ),
        ("- so[^1]\n[^1]: One", "<ul>\n<li>so<sup>1</sup></li>\n</ul>\n<p><sup>1</sup> One</p>\n"),
        # A note without its number in the text, and a number without its note, stay as they were written.
        ("so\n[^1]: One", "<p>so\n[^1]: One</p>\n"),
        ("so[^1]", "<p>so[^1]</p>\n"),
        ("`[^1]` so[^1]\n\n[^1]: One", "<p><code>[^1]</code> so<sup>1</sup></p>\n<p><sup>1</sup> One</p>\n"),
    ],
)
def test_footnotes_are_numbers_above_the_line(source, expected):
    assert typeset(source, MARKDOWN) == expected


def test_tables_are_set():
    html = typeset("| a | b |\n|---|--:|\n| 1 | 2 |", MARKDOWN)
    assert re.sub(r"\s+", "", html) == (
        '<divclass="framed"tabindex="0"><table><thead><tr><th>a</th><thclass="right">b</th></tr></thead>'
        '<tbody><tr><td>1</td><tdclass="right">2</td></tr></tbody></table></div>'
    )


def test_a_figure_stays_on_one_line():
    html = typeset("| a | b | c |\n|---|--:|---|\n| 1 | 62.9 % | 12 of the towns by the sea |", MARKDOWN)
    assert '<td class="right figure">62.9 %</td>' in html
    assert "<td>1</td>" in html
    assert "<td>12 of" in html
    assert '<td class="figure">+7 500 m</td>' in typeset("|a|\n|-|\n|+7 500 m|", MARKDOWN)


@pytest.mark.parametrize(
    ("source", "cells"),
    [
        ("|a|b|\n|-|-|\n|1|2|3|4|", 8),
        ("a|b\n-|-\n1|2|3", 6),
        ("> |a|b|\n> |-|-|\n> |1|2|3|", 6),
        ("|a|b|\n|-|-|\n|1|2|\n\nx|y|z", 4),
        ("|a|b|\n|-|-|\n|1|2\\|3|", 4),
    ],
)
def test_cells_beyond_a_tables_columns_are_shown(source, cells):
    html = typeset(source, MARKDOWN)
    assert len(re.findall("<t[hd][ >]", html)) == cells
    assert not set(re.findall(r"\w", source)) - set(words(html))


def test_a_table_in_code_stays_as_it_was_written():
    source = "```\n|a|b|\n|-|-|\n|1|2|3|\n```"
    assert words(typeset(source, MARKDOWN)) == source.strip("`\n")


def test_code_is_coloured_by_classes_and_says_the_same_below_the_name_of_its_language():
    html = typeset("```python\nfor x in range(3):\n    print('<b>')\n```", MARKDOWN)
    assert '<span class="k-k">for</span>' in html
    assert words(html) == "python\nfor x in range(3):\n    print(&#39;&lt;b&gt;&#39;)".replace("&#39;", "'")
    assert "style=" not in html


def test_code_of_no_known_language_is_left_as_it_is_and_what_stands_beside_the_fence_is_shown():
    code = "<pre><code>x &lt;b&gt;\n</code></pre>\n"
    assert typeset("```\nx <b>\n```", MARKDOWN) == code
    assert typeset("```nosuch\nx <b>\n```", MARKDOWN) == f"<p><small>nosuch</small></p>\n{code}"


@pytest.mark.parametrize(
    ("source", "display"),
    [
        ("$x^2$", "inline"),
        (r"\(x^2\)", "inline"),
        ("$$x^2$$", "block"),
        (r"\[x^2\]", "block"),
        (r"\begin{equation}x^2\end{equation}", "block"),
        ("$x^2$, costs $3 or $4,", "inline"),
        ("the $x^2$th, (was $30). 100$", "inline"),
    ],
)
def test_formulas_become_mathml_however_they_are_written(source, display):
    html = typeset(f"So {source} holds", MARKDOWN)
    assert f'<math display="{display}"><mrow>' in html
    assert "<mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>" in html
    assert words(html.replace("\n", "")).startswith("So ")


@pytest.mark.parametrize(
    "source",
    [
        *("$x$", "$5$", "$n$th", "$E = mc^2$,", "$a + b$", "$(a, b]$", "$[0, 1)$", "$+$", "$x^+$", "$|x|$"),
        r"$5\$$",
        *(r"$x_1, \ldots, x_n$", r"\(n\)", r"\(f(x)\)", r"\[x + 1\]", r"$x \text{ if this is so}$"),
        *("$$\nx = 1\n$$", "$$\n\\frac{1}{2}\n$$"),
    ],
)
def test_what_can_be_a_formula_is_one(source):
    html = typeset(source, MARKDOWN)
    assert "<math" in html
    assert "$" not in words(html).removeprefix("5$")


@pytest.mark.parametrize(
    ("source", "drawn"),
    [
        (r"x \in \mathbb{R}", "x∈ℝ"),
        (r"\mathbf{v} = \mathcal{L}", "𝐯=ℒ"),
        (r"\begin{aligned}x&=1\\[4pt]y&=2\nonumber\end{aligned}", "x=1y=2"),
        (r"\begin{align}\mathbf{E}&=0\end{align}", "𝐄=0"),
        (r"\begin{alignedat}{2}x&=1\end{alignedat}", "x=1"),
        (r"\begin{eqnarray}x&=&1\\y&=&2\end{eqnarray}", "x=1y=2"),
        (r"\begin{gathered}x\\y\end{gathered}", "xy"),
    ],
)
def test_alphabets_and_aligned_lines_are_drawn(source, drawn):
    html = typeset(f"$${source}$$", MARKDOWN)
    assert words(html) == drawn
    assert ("<mtable" in html) == ("begin" in source)


def test_what_a_limit_is_taken_of_stands_under_it():
    html = typeset(r"$$\lim_{x_1 \to 0} y_2 = \max_i a_i$$", MARKDOWN)
    assert html.count('<munder><mo movablelimits="true">') == html.count("</munder>") == 2
    assert html.count("<msub>") == html.count("</msub>") == 3
    assert '<munder><mo movablelimits="true">lim</mo><mrow><msub><mi>x</mi>' in html


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("So.[1] And [2], [9].", "<p>So.{1} And{2}, [9].</p>\n"),
        ("`a[1]` 【2】", "<p><code>a[1]</code>{2}</p>\n"),
        ("So [1, 2].", "<p>So [1, 2].</p>\n"),
        ("So [1] [9]\n[2].", "<p>So{1} [9]{2}.</p>\n"),
    ],
)
def test_a_number_in_brackets_leads_to_its_source(source, raised):
    links = [
        f'<sup class="cite"><a href="#at-{n}" tabindex="-1">{sign}</a></sup>'
        for n, sign in ((0, ""), (1, "[1]"), (2, "【2】" if "【" in source else "[2]"))
    ]
    assert raise_citations(typeset(source, MARKDOWN), "at", 2) == raised.format(*links)


@pytest.mark.parametrize("kind", ["pmatrix", "bmatrix*", "vmatrix"])
def test_an_exponent_belongs_to_the_whole_matrix(kind):
    """By MathML an exponent has one base: with more children it is drawn beside the closing sign."""
    html = typeset(rf"$$\begin{{{kind}}}1&2\end{{{kind}}}^{{-1}}_3$$", MARKDOWN)
    (scripted,) = ElementTree.fromstring(html[html.index("<math") : html.index("</math>") + 7]).iter(
        "msubsup"
    )
    assert [child.tag for child in scripted] == ["mrow", "mn", "mrow"]


def test_a_box_and_a_stroke_are_drawn_by_classes():
    assert '<menclose class="boxed"><mrow><mn>42</mn>' in typeset(r"$\boxed{42}$", MARKDOWN)
    assert '<menclose class="struck"><mrow><mi>x</mi>' in typeset(r"$\cancel{x}$", MARKDOWN)


@pytest.mark.parametrize("source", [r"\ce{H2O}", r"x \\ y", r"x & y"])
def test_what_would_be_drawn_wrong_stays_as_it_was_written(source):
    assert f'<code class="math">{escape(source)}</code>' in typeset(f"$${source}$$", MARKDOWN)


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
    r"</?(?:p|br|a|em|small|strong|code|pre|span|div|summary|details|ul|li|math|mrow|mi|mo|mn|mtext|mstyle)"
    r'(?: (?:display|class|mathvariant|stretchy|open)="(?:inline|math|k-\w+|[a-z]*)")*>'
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
    assert html == "<div><p>a &lt;strong&gt;b</p></div>c"
    assert typeset("<div><p>a <strong>b</strong></div>c", HTML) == "<div><p>a <strong>b</strong></p></div>c"


def test_letters_cannot_be_shown_in_another_order_than_they_are_written():
    assert [words(typeset("a\u202eb", markup)) for markup in Study.Markup] == ["ab", "ab", "ab"]


def test_deep_nesting_is_no_trouble():
    for source in (">" * 5000 + "x", "<div>" * 3000 + "x", "*" * 20000, "[" * 3000, "\\(" * 3000):
        for markup in (MARKDOWN, HTML):
            assert typeset(source, markup).count("<script") == 0


@pytest.mark.parametrize(
    "source",
    [
        "*a* " * 8000,
        "a|" * 26 + "\n" + "-|" * 26 + "\n" + "a\n" * 1000,
        "![" * 3000,
        "- a\n" * 3000,
    ],
)
def test_what_is_very_long_or_would_take_long_is_shown_as_it_was_written(source):
    assert typeset(source, MARKDOWN) == f'<p class="plain">{source}</p>'


@pytest.mark.parametrize(
    ("source", "seen"),
    [("$5%+1%$", "5%+1%"), (r"\(\hspace{1cm} x\)", r"\hspace{1cm} x"), (r"\(\sqrt{x}\)", "x")],
)
def test_no_formula_loses_a_letter_or_digit(source, seen):
    assert unescape(words(typeset(source, MARKDOWN))) == seen


def test_a_few_hundred_formulas_are_set_and_the_rest_stays_as_written():
    html = typeset("$a$ " * 400, MARKDOWN)
    assert html.count("<math") == 300
    assert html.count('<code class="math">a</code>') == 100


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('see <img alt="antibody levels" src="x">', "see <em>[antibody levels]</em>"),
        ("a <svg><text>x</text></svg> b", "a <em>[a drawing]</em> b"),
        ("a <iframe src=x>y</iframe> b", "a <em>[an embedded page]</em> b"),
        ("a <audio src=x></audio><video>z</video> b", "a <em>[sound]</em><em>[a film]</em> b"),
        ("<form>Name <input> <button>Go</button></form>", "<em>[a form]</em> Name  Go"),
        ("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"),
        # What is not closed takes nothing with it.
        ("a <svg> b <p>c</p>", "a <em>[a drawing]</em> b <p>c</p>"),
        ("a <video src=x/> b", "a <em>[a film]</em> b"),
        ("<img src=x alt='a > b'> c", "<em>[a &gt; b]</em> c"),
        # So does what no browser shows.
        ("use the <script> tag", "use the &lt;script&gt; tag"),
        ("open <!-- and", "open &lt;!-- and"),
        ("<iframe><iframe>x</iframe></iframe>y", "<em>[an embedded page]</em>y"),
    ],
)
def test_html_leaves_a_mark_for_what_is_not_shown(source, expected):
    assert typeset(source, HTML) == expected


def test_marks_are_in_the_language_of_the_page():
    source = "<svg></svg> <img src=x> <form>a</form>"
    assert words(typeset(source, HTML)) == "[a drawing] [picture] [a form] a"
    with translation.override("de"):
        assert words(typeset(source, HTML)) == "[eine Zeichnung] [Bild] [ein Formular] a"
        assert words(typeset("![](x)", MARKDOWN)) == "[Bild]"


def assert_all_is_read(drawn, pieces, markup):
    """Each piece that was drawn, with what stands before it, is on the page where it stands in the source."""
    source = "".join(f"{between}word {piece}" for piece, between in drawn)
    page = unescape(words(typeset(source, markup)))
    for piece, _ in drawn:
        before, found, page = page.partition(pieces[piece])
        assert found, f"{piece!r} is not in what follows {before[:80]!r}"


# What models, programs and people write, and what of it must be read on the page.
PIECES = {
    "List<String>": "List<String>",
    "Map<K, V<T>>": "Map<K, V<T>>",
    "a<b && c>d": "a<b && c>d",
    "#include <stdio.h>": "#include <stdio.h>",
    "std::vector<int> x;": "std::vector<int> x;",
    "<think>": "<think>",
    "</think>": "</think>",
    "<|im_start|>user": "<|im_start|>user",
    "<answer>42</answer>": "<answer>42</answer>",
    "<tool_call name='x'>": "<tool_call name='x'>",
    "[INST] hi [/INST]": "[INST] hi [/INST]",
    "<s>": "<s>",
    "<svg>": "<svg>",
    "<script>": "<script>",
    "<!-- note -->": "<!-- note -->",
    "costs $5 or $6.50": "costs $5 or $6.50",
    "$1,000 and US$ 3": "$1,000 and US$ 3",
    "$20 (was $30). 100$ and 200$.": "$20 (was $30). 100$ and 200$.",
    "export PATH=$HOME/bin:$PATH": "export PATH=$HOME/bin:$PATH",
    "$a$b ${x}-$y $HOME,$USER $(pwd)/$x": "$a$b ${x}-$y $HOME,$USER $(pwd)/$x",
    "kill $$ and wait $$ now": "kill $$ and wait $$ now",
    "$$ done $$": "$$ done $$",
    "see \\[1\\], arr\\[0\\], \\[sic\\] and f\\(x\\)": "see [1], arr[0], [sic] and f(x)",
    "(\\(see below\\))": "((see below))",
    "$$x$$ (eq1)": "x (eq1)",
    "cd <folder>": "cd <folder>",
    "snake_case_name": "snake_case_name",
    "2 * 3 * 4 = 2*3*4": "2 * 3 * 4 = 2*3*4",
    "x**2 + y**2 = a*b*c": "x**2 + y**2 = a*b*c",
    "__init__(self) in __main__.py": "__init__(self) in __main__.py",
    "__two words__ and un*like*ly": "two words and unlikely",
    "cat a.txt | grep -v b > c": "cat a.txt | grep -v b > c",
    "ls ~/x 2>/dev/null": "ls ~/x 2>/dev/null",
    "x < y": "x < y",
    "[Answer]: 42": "[Answer]: 42",
    "[^1]: note": "[^1]: note",
    "**bold** and *thin*": "bold and thin",
    "`f(<x>)`": "f(<x>)",
    "H<sub>2</sub>O": "H2O",
    "[here](https://example.org/a)": "here (https://example.org/a)",
    "<me@example.org>": "me@example.org",
    "&lt;div&gt; &amp;": "<div> &",
    "C:\\Users\\me": "C:\\Users\\me",
    "日本語 عربي": "日本語 عربي",
}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(PIECES)), st.sampled_from([" ", "\n\n", "\n\n- ", "\n\n> "])))
)
@examples(300)
def test_every_word_of_a_text_can_be_read_where_it_stands(drawn):
    """Each piece is on the page, in order; what a piece shows is written beside it by hand."""
    assert_all_is_read(drawn, PIECES, MARKDOWN)


@given(st.text("xyzk 19<>/=\"'$_*`[]()|#-!;~.,:?{}^@+%\n", max_size=60))
@examples(500)
def test_no_letter_or_digit_of_any_text_is_lost(source):
    """Of texts made of all the signs that mean something in Markdown, and of no element's name."""
    html = typeset(source, MARKDOWN)
    page = Counter(unescape(words(html)) + "".join(re.findall(r'(?:start|value)="(\d+)"', html)))
    # A list counts by itself; formulas have their letters as elements' contents.
    numbered = Counter("".join(re.findall(r"^[ >]*(\d+)[.)](?:\s|$)", source, re.M)))
    lost = Counter(sign for sign in source if sign in "xyzk19") - page - numbered
    assert not lost, (lost, html)


# What the HTML of pages and models may hold, and what of it must be read.
HTML_PIECES = {
    "List<String> Map<K, V<T>>": "List<String> Map<K, V<T>>",
    "a<b && c>d": "a<b && c>d",
    "x <y": "x <y",
    "vector<i> v;": "vector<i> v;",
    "#include <stdio.h>": "#include <stdio.h>",
    "<think>why</think>": "<think>why</think>",
    "<|im_end|>": "<|im_end|>",
    "<s>": "<s>",
    "<![CDATA[x]]>": "<![CDATA[x]]>",
    "<a href=x": "<a href=x",
    "a</ b": "a</ b",
    "one<!-- two -->three": "onethree",
    "one<script>two()</script>three": "onethree",
    "<style>p { color: red }</style>four": "four",
    "<!DOCTYPE html>five": "five",
    "<b>bold</b> and <em class=x>thin</em>": "bold and thin",
    '<a href="https://example.org/a?b=1&amp;c=2">here</a>': "here (https://example.org/a?b=1&c=2)",
    "<a href='https://example.org/'>https://example.org/</a>.": "https://example.org/.",
    '<a href="#top">up</a>;': "up;",
    '<p title="a > b">six': "six",
    "<header>seven</header><main>eight": "seveneight",
    "<svg><path d='M0 0'/></svg>": "[a drawing]",
    "<img src=x>": "[picture]",
    "<font color=red>nine</font>": "nine",
    "<title>ten</title>": "ten",
    "H<sub>2</sub>O &lt; 3 &amp; 4": "H2O < 3 & 4",
    "<table><tr><td align=right>1<td>2</table>": "12",
    "<math><mi>x</mi><annotation encoding=tex>x</annotation></math>": "x",
    "$5 *six* `seven`": "$5 *six* `seven`",
    "日本語 عربي": "日本語 عربي",
}


@given(
    # Each once: what opens in one piece may end in another.
    st.lists(
        st.tuples(st.sampled_from(sorted(HTML_PIECES)), st.sampled_from([" ", "<p>", "<br>", "<li>"])),
        unique_by=lambda one: one[0],
    )
)
@examples(300)
def test_every_word_of_html_can_be_read_where_it_stands(drawn):
    assert_all_is_read(drawn, HTML_PIECES, HTML)


@given(st.text("xyzk 19<>/=\"'!-?;:[]\n", max_size=60))
@examples(500)
def test_no_letter_or_digit_of_any_html_is_lost_but_in_comments(source):
    page = Counter(unescape(words(typeset(source, HTML))))
    expected = Counter(re.sub(r"<!--(?:>|->|.*?-->)", "", source, flags=re.S))
    lost = Counter({sign: number for sign, number in expected.items() if sign in "xyzk19"}) - page
    assert not lost, (lost, typeset(source, HTML))


def test_cells_of_html_are_aligned_as_they_say():
    html = typeset("<table><tr><td align=RIGHT>1<td style='text-align: center'>2</table>", HTML)
    assert re.findall(r"<td[^>]*>", html) == ['<td class="right">', '<td class="center">']


def test_markdown_of_answers_keeps_its_lines_and_that_of_passages_flows():
    answers = Study(case=Study.Case.ANSWERS, markup=MARKDOWN)
    assert typeset("One\ntwo", answers.set_as) == "<p>One<br>\ntwo</p>\n"
    assert Study(markup=MARKDOWN).set_as == MARKDOWN
    assert Study(case=Study.Case.ANSWERS, markup=HTML).set_as == HTML


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
        (
            "see <script>alert(1)</script><b onclick='x()'>it</b>",
            "see &lt;script&gt;alert(1)&lt;/script&gt;<b>it</b>",
        ),
        ("\u202eback", "back"),
        ("", ""),
    ],
)
def test_a_phrase_is_set_within_its_sentence(source, expected):
    assert phrase(source) == expected
