"""Aids for reading long passages in Chromium: words marked, what is alike paler, both scrolled together."""

import pytest
from playwright.sync_api import expect

from collection.models import Item, Study, Topic
from judging.models import BatchQuestion
from tests.browser.batches import ready, stored

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# The texts that a highlight draws over, of the question in view.
DRAWN = """name => [...(CSS.highlights.get(name) ?? [])].map(range => range.toString())"""
WAY = """() => [...document.querySelectorAll(".question:not([hidden]) .passage")].map(
    one => Math.round(100 * one.scrollTop / (one.scrollHeight - one.clientHeight)))"""


@pytest.fixture
def long(page, address):
    """A batch of long passages, half of which say the same; its first question is in view."""
    Topic.objects.update(text="Which plants survive in dry deserts?")
    same = "A cactus keeps its water for months. "
    for number, item in enumerate(Item.objects.order_by("pk")):
        own = f"This is what passage number {number} says of a plant in the desert. " * (60 + number % 2 * 80)
        item.text = f"{own}\n\n{same}"
        item.save()
    page.goto(address)
    ready(page, 1)
    return page


MATRIX = r"$$\left(\begin{matrix}1&2\\3&4\\5&6\\7&8\end{matrix}\right)$$"
# The faces of texts and controls are fetched on every page; that of formulas is asked for here.
FONT = """() => document.fonts.ready.then(() =>
    [...document.fonts].filter(font => font.family.includes("Math")).map(font => font.status))"""


def test_brackets_of_a_formula_grow_with_what_they_hold(page, address):
    Study.objects.update(markup="markdown")
    Item.objects.update(text=MATRIX)
    page.goto(address)
    ready(page, 1)
    assert page.evaluate(FONT) == ["loaded"]
    formula = page.locator("[data-position='1'] math").first
    whole = formula.locator("mtable").bounding_box()["height"]
    brackets = [box["height"] for one in formula.locator("mo").all() if (box := one.bounding_box())]
    assert len(brackets) == 2
    assert min(brackets) > 0.9 * whole


def test_a_page_without_a_formula_loads_no_font(long):
    assert long.evaluate(FONT) == ["unloaded"]


# How far from the left the lines begin that the first line of code is shown in.
BEGINNINGS = """() => {
    const code = document.querySelector(".question:not([hidden]) pre code"), range = document.createRange();
    range.selectNodeContents(code);
    const lines = Object.groupBy(range.getClientRects(), ({top}) => Math.round(top));
    return Object.values(lines).map((line) => Math.min(...line.map(({left}) => left)));
}"""


def test_long_lines_of_code_turn_over_further_in_or_scroll_where_the_reader_wishes(page, address):
    Study.objects.update(markup="markdown")
    Item.objects.update(text="```\n" + "a_name = another_name + " * 9 + "1\n```")
    page.goto(address)
    ready(page, 1)
    first, *turned = page.evaluate(BEGINNINGS)
    assert turned
    assert min(turned) > first + 20
    page.keyboard.press("r")
    page.get_by_label("Let long lines of code scroll").check()
    assert len(page.evaluate(BEGINNINGS)) == 1
    Item.objects.update(text="No code.")
    page.reload()
    ready(page, 1)
    page.keyboard.press("r")
    expect(page.get_by_label("Scroll both together")).to_be_visible()
    expect(page.get_by_label("Let long lines of code scroll")).to_be_hidden()


def test_the_words_of_the_question_are_marked_in_both_in_whatever_form(long):
    assert long.evaluate(DRAWN, "asked") == []
    long.keyboard.press("m")
    assert set(long.evaluate(DRAWN, "asked")) == {"plant", "desert"}
    long.keyboard.press("m")
    assert long.evaluate(DRAWN, "asked") == []


@pytest.mark.parametrize(
    ("question", "passage", "marked"),
    [
        (
            "Welche Tiere leben in der Wüste?",
            "Die Tiere, welche in der Wüste leben.",
            ["Tiere", "Wüste", "leben"],
        ),
        ("Which plants die in deserts?", "A plant which may die in the desert.", ["plant", "die", "desert"]),
        ("什么植物能在沙漠中生存？", "这是什么植物？它能在沙漠的中间生存。", ["植物", "沙漠", "生存"]),
        ("ما هي النباتات في الصحراء؟", "هي النباتات في الصحراء", ["النباتات", "الصحراء"]),
    ],
)
def test_words_that_say_nothing_are_not_marked_in_other_languages(page, address, question, passage, marked):
    Topic.objects.update(text=question)
    Item.objects.update(text=passage)
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("m")
    assert page.evaluate(DRAWN, "asked") == marked * 2


def test_the_readers_own_words_are_marked_and_kept(long):
    long.keyboard.press("f")
    expect(long.get_by_role("dialog", name="Reading")).to_be_visible()
    long.keyboard.type("waters CACTUS")
    long.keyboard.press("Enter")
    expect(long.get_by_role("dialog", name="Reading")).to_be_hidden()
    assert long.evaluate(DRAWN, "own") == ["cactus", "water"] * 2
    long.reload()
    ready(long, 1)
    assert long.evaluate(DRAWN, "own") == ["cactus", "water"] * 2


NEARLY = {
    "a word replaced, one left out": (
        "Water the plant once a week in summer, and never in winter.",
        "Water the plant twice a week in summer, never in winter.",
        ["once", "and", "twice"],
    ),
    "the same but for case and signs": ("Prices rose by 62.00 francs.", "prices rose by 62.00 francs!", []),
    "a figure": ("Prices rose by 62.00 francs.", "Prices rose by 26.00 francs.", ["62.00", "26.00"]),
    "far apart": ("Prices rose by 62.00 francs.", "It rains in Genoa, says a man by the sea.", []),
}


@pytest.mark.parametrize("which", NEARLY)
def test_words_that_only_one_of_two_nearly_equal_texts_has_are_underlined(page, address, which):
    one, other, differing = NEARLY[which]
    asked = BatchQuestion.objects.get(position=1).question
    for item, text in zip(asked.key.split(), (one, other), strict=True):
        Item.objects.filter(pk=item).update(text=text)
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("d")
    assert sorted(page.evaluate(DRAWN, "changed")) == sorted(differing)
    said = page.get_by_text("These texts say nothing alike.")
    expect(said).to_have_count(int(which == "far apart"))
    page.keyboard.press("d")
    assert page.evaluate(DRAWN, "changed") == []
    expect(said).to_have_count(0)


def test_what_both_say_alike_is_paler(long):
    long.keyboard.press("d")
    assert long.evaluate(DRAWN, "alike") == ["A cactus keeps its water for months."] * 2


def test_marks_follow_to_the_next_question(long):
    long.keyboard.press("d")
    Item.objects.all()  # nothing changes on the server
    long.keyboard.press("ArrowLeft")
    ready(long, 2)
    assert long.evaluate(DRAWN, "alike") == ["A cactus keeps its water for months."] * 2


def test_both_are_scrolled_together_by_share_or_apart(long):
    left = long.locator(".passage:visible").first
    scroll = "(one, share) => { one.scrollTop = share * (one.scrollHeight - one.clientHeight); }"
    left.evaluate(scroll, 0.5)
    assert long.evaluate(WAY) == [50, 0]
    long.keyboard.press("l")
    for share in (0.25, 1.0, 0.0):
        left.evaluate(scroll, share)
        long.wait_for_function(f"() => ({WAY})().every(way => way === {round(100 * share)})")


def test_the_button_names_what_is_on_and_after_a_reload_too(long):
    button = long.locator("[data-dialog=reading]")
    expect(button).to_have_attribute("data-on", "")
    for key in ("l", "d"):
        long.keyboard.press(key)
    expect(button).to_have_attribute("data-on", "D L")
    long.reload()
    ready(long, 1)
    expect(button).to_have_attribute("data-on", "D L")


def test_letters_grow_and_stay_so(long):
    size = "() => parseFloat(getComputedStyle(document.querySelector('.passage .set p')).fontSize)"
    usual = long.evaluate(size)
    long.keyboard.press("+")
    large = long.evaluate(size)
    long.reload()
    ready(long, 1)
    assert (large > usual, long.evaluate(size)) == (True, large)
    long.keyboard.press("-")
    assert long.evaluate(size) == usual


def test_the_keys_work_in_the_panel_that_names_them(long):
    """M, D, L, + and - as beside it, R to close it; in the field for one's own words they are letters."""
    long.keyboard.press("r")
    dialog = long.locator("#reading")
    expect(dialog).to_be_visible()
    for key, name in (("m", "marks"), ("d", "alike"), ("l", "together")):
        long.keyboard.press(key)
        expect(dialog.locator(f"[name={name}]")).to_be_checked()
    long.keyboard.press("+")
    expect(dialog.locator("[name=size]:checked")).to_have_value("2")
    long.keyboard.press("f")
    long.keyboard.type("moldr+")
    expect(dialog.locator("[name=own]")).to_have_value("moldr+")
    expect(dialog.locator("[name=marks]")).to_be_checked()
    long.keyboard.press("Tab")
    long.keyboard.press("r")
    expect(dialog).to_be_hidden()


def test_none_of_these_keys_is_an_answer(long):
    for key in "mdlr":
        long.keyboard.press(key)
    long.keyboard.press("Escape")
    long.keyboard.press("f")
    long.keyboard.type("t012345x")
    long.keyboard.press("ArrowLeft")
    long.keyboard.press("Escape")
    long.evaluate("new Promise(done => setTimeout(done, 0))")
    assert stored() == {}
    expect(long.locator(".where")).to_contain_text("1 of 13")


def test_a_browser_that_cannot_find_words_still_changes_the_letters(page, address):
    page.add_init_script("delete Intl.Segmenter")
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("+")
    expect(page.locator("body")).to_have_attribute("data-letters", "2")
    page.keyboard.press("r")
    expect(page.get_by_label("Scroll both together")).to_be_visible()
    expect(page.get_by_label("Mark the question's words")).to_be_hidden()


FACES = """() => document.fonts.ready.then((all) =>
    [...all].filter((f) => f.family === "Literata" && f.status === "loaded").map((f) => f.weight))"""


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("Plain words, a tree’s.", ["400"]),
        # Accented letters are a small file of their own.
        ("A café’s.", ["400", "400"]),
        ("**Bold** words.", ["400", "700"]),
        ("Ő, Ł and words.", ["400", "400"]),
        ("£ 5 and words.", ["400", "400"]),
    ],
)
def test_texts_are_read_in_the_face_of_the_product_and_no_more_of_it_is_fetched(page, address, text, weights):
    Study.objects.update(markup="markdown")
    Item.objects.update(text=text)
    page.goto(address)
    ready(page, 1)
    assert sorted(page.evaluate(FACES)) == weights
