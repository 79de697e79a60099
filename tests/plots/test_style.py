"""The common style: equal bytes, files that stand alone, text as text, and names that harm nothing."""

import subprocess
import sys
from itertools import combinations, pairwise

import pytest
from matplotlib.font_manager import findfont
from PIL import ImageFont

from prefir.plots import NARROW, Look, nothing, scatter
from prefir.plots.labels import spread
from prefir.plots.style import THEMES
from tests.ground import ROOT
from tests.plots.reading import Said, texts, words

AXES = {"x": "Mean PGC", "y": "Mean compatibility"}
LOOKS = [Look(), Look(theme="dark"), Look(width=NARROW, height=360), Look(kind="pdf")]
DRAWN = """
import hashlib
from prefir.plots import *
for look in (Look(), Look(kind="pdf")):
    a = scatter(list("abc"), [.1, .2, .3], [.3, .2, .4], x="x", y="y", look=look)
    b = differences(list("abc"), [.1, -.2, .3], first="one", second="two", measure="PGC", look=look)
    print(hashlib.sha256(a + b).hexdigest())
"""


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_equal_numbers_give_equal_bytes_in_every_process():
    first, second = run(DRAWN), run(DRAWN)
    assert first == second
    assert len(set(first.split())) == 2


def test_importing_plots_loads_nothing_heavy():
    names = "matplotlib", "numpy", "scipy"
    assert run(f"import sys, prefir.plots; print([n for n in {names} if n in sys.modules])") == "[]\n"


@pytest.mark.parametrize("look", LOOKS)
def test_a_plot_has_the_size_and_kind_that_is_asked_for(look):
    made = scatter(["one", "two"], [0.1, 0.5], [0.2, 0.4], **AXES, look=look)
    if look.kind == "pdf":
        assert made.startswith(b"%PDF-")
        assert b"CreationDate" not in made
        assert f"/MediaBox [ 0 0 {look.width * 0.75:g} {look.height * 0.75:g} ]".encode() in made
    else:
        assert f'width="{look.width}" height="{look.height}" role="img"'.encode() in made
        assert b"<title>Mean compatibility against Mean PGC</title>" in made
        assert THEMES[look.theme].paper.encode() in made


def test_an_svg_asks_nobody_for_anything():
    made = scatter(["one", "two"], [0.1, 0.5], [0.2, 0.4], **AXES, look=Look()).decode()
    assert "<script" not in made
    assert "<image" not in made
    assert "http" in made
    assert all(
        part.startswith(("://www.w3.org/", "://purl.org/", "://creativecommons.org/ns#"))
        for part in made.split("http")[1:]
    )
    assert all("font-family: system-ui" in said.style for said in texts(made.encode()))


@pytest.mark.parametrize("look", LOOKS)
def test_names_are_text_and_no_markup_whatever_they_are(look):
    names = ["<script>alert(1)</script>", "$x^2$ & 'co'", "a\x00b\x1b", "系统 甲", "ל" * 5, r"\frac{1}{2}"]
    made = scatter(names, [0.1, 0.3, 0.5, 0.7, 0.2, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], **AXES, look=look)
    if look.kind == "svg":
        assert {"$x^2$ & 'co'", "系统 甲", "a b ", r"\frac{1}{2}"} <= set(words(made))
        assert b"<script" not in made


def test_what_has_no_numbers_says_so():
    assert "Nothing yet." in words(nothing(Look(), "A figure", "Nothing yet."))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast of two colours."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_whatever_is_read_has_contrast(theme):
    found = {ink: contrast(ink, theme.paper) for ink in (theme.ink, theme.soft, *theme.inks)}
    assert {ink for ink, value in found.items() if value < 4.5} == set()


def test_colours_are_those_of_the_pages():
    tokens = (ROOT / "static/css/tokens.css").read_text()
    for name in ("paper", "ink", "soft", "line", "strong"):
        token = {"soft": "ink-soft", "strong": "line-strong"}.get(name, name)
        light, dark = (getattr(THEMES[theme], name) for theme in ("light", "dark"))
        assert f"--{token}: light-dark({light}, {dark});" in tokens
    pins = (ROOT / "static/css/workspace.css").read_text()
    for n, (light, dark) in enumerate(zip(THEMES["light"].pins, THEMES["dark"].pins, strict=True), 1):
        assert f".pin-{n} {{\n  --pin: light-dark({light}, {dark});\n" in pins


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([1.0, 5.0, 9.0], [1.0, 5.0, 9.0]),
        # By hand: three that want one place stand around it; at the edge they are pushed inside.
        ([5.0, 5.0, 5.0], [4.0, 5.0, 6.0]),
        ([9.9, 9.8], [10.0, 9.0]),
        ([0.0, 0.2, 5.0], [0.0, 1.0, 5.0]),
        ([], []),
    ],
)
def test_labels_along_a_line_are_moved_as_little_as_can_be(wanted, expected):
    assert spread(wanted, 1.0, 0.0, 10.0) == pytest.approx(expected)


def test_labels_along_a_line_keep_their_order_and_distance():
    for seed in range(50):
        wanted = [(seed * 37 + i * i * 11) % 97 / 10 for i in range(8)]
        found = spread(wanted, 1.0, 0.0, 10.0)
        order = sorted(range(8), key=lambda i: wanted[i])
        assert all(found[b] - found[a] >= 1.0 - 1e-9 for a, b in pairwise(order))
        assert all(-1e-9 <= place <= 10.0 + 1e-9 for place in found)


def span(said: Said) -> tuple[float, float]:
    """Where a text begins and ends, by Pillow's measure of the font."""
    font = ImageFont.truetype(findfont("DejaVu Sans"), 90)
    wide = font.getlength(said.text) / 10
    start = said.x - wide * (("text-anchor: end" in said.style) + 0.5 * ("text-anchor: middle" in said.style))
    return start, start + wide


def test_no_label_covers_another():
    names = [f"run-{i}" for i in range(40)]
    values = [(i * 13 % 40) / 40 for i in range(40)]
    for look in (Look(), Look(width=NARROW, height=360)):
        made = texts(scatter(names, values, [v * v for v in values], **AXES, look=look))
        named = [(said, span(said)) for said in made if said.text in names]
        assert 10 <= len(named) <= 40
        for (a, of_a), (b, of_b) in combinations(named, 2):
            if abs(a.y - b.y) < 6.5:  # of 9
                assert of_a[1] <= of_b[0] + 0.5 or of_b[1] <= of_a[0] + 0.5, (a, b)
