"""Keys on the judging page in Chromium: those that scroll never answer, every other stands on its button."""

import pytest
from playwright.sync_api import expect

from collection.models import Item
from judging.models import Judgment
from judging.tasks import KINDS
from tests.browser.batches import press, ready, stored

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

DOWN = ("ArrowDown", "PageDown", "Space", "End")
UP = ("ArrowUp", "PageUp", "Shift+Space", "Home")
TOPS = """() => [...document.querySelectorAll("[data-position='1'] .passage")].map(e => e.scrollTop)"""
SHARES = """() => [...document.querySelectorAll("[data-position='1'] .passage")]
    .map(e => e.scrollTop / (e.scrollHeight - e.clientHeight))"""
CHOICES = "() => [...document.querySelectorAll('[data-choice]')].map(e => e.dataset.choice).join('')"
# Each key of each button: as it is announced, what the button answers, and all that is printed on it.
CAPS = """() => [...document.querySelectorAll("[data-position='1'] .choice")].flatMap(button =>
    button.getAttribute("aria-keyshortcuts").split(" ").map(key => [key, button.value,
        [...button.querySelectorAll("kbd")].map(cap => cap.textContent).join(" ")]))"""
# Whatever can have the focus while a question is in view.
FOCUS = {
    "body": "() => document.activeElement?.blur()",
    "heading": "() => document.querySelector('#q1').focus()",
    "left passage": "() => document.querySelectorAll('.passage')[0].focus()",
    "right passage": "() => document.querySelectorAll('.passage')[1].focus()",
    "left": "() => document.querySelector('.choice[value=left]').focus()",
    "tie": "() => document.querySelector('.choice[value=tie]').focus()",
    "right": "() => document.querySelector('.choice[value=right]').focus()",
    "definitely left": "() => document.querySelector('.choice').focus()",
    "instructions": "() => document.querySelector('[data-dialog=what-to-do]').focus()",
    "keys": "() => document.querySelector('[data-dialog=all-keys]').focus()",
}


@pytest.fixture
def long(study):
    """All passages long, and of different lengths; five levels, so as many buttons as can be."""
    study.tasks.update(scale="5")
    for number, item in enumerate(Item.objects.all()):
        Item.objects.filter(pk=item.pk).update(text=f"A long passage about {item.pk}. " * (200 + 10 * number))
    return study


def unanswered(page) -> None:
    """Nothing was chosen in the page and nothing posted: the question in view is still the first."""
    assert page.evaluate(CHOICES) == ""
    expect(page.locator(".where")).to_have_text("1 of 13")
    for dialog in page.locator("dialog[open]").all():
        dialog.evaluate("e => e.close()")


@pytest.mark.parametrize("focus", FOCUS)
def test_keys_and_wheel_that_scroll_never_answer(page, address, long, focus):
    """Each key at the beginning, in the middle, and at both ends, where it has nothing left to scroll."""
    page.goto(address)
    ready(page, 1)
    posted = []
    page.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
    for keys, end in ((DOWN, 1), (UP, 0)):
        for key in keys:
            page.evaluate(FOCUS[focus])
            page.keyboard.press(key)
            page.keyboard.press(key)
            unanswered(page)
        for position in ((300, 400), (900, 400), (640, 740)):
            page.mouse.move(*position)
            page.mouse.wheel(0, 100_000 if end else -100_000)
        page.evaluate(
            """end => document.querySelectorAll("[data-position='1'] .passage")
            .forEach(e => e.scrollTo({top: end * e.scrollHeight, behavior: "instant"}))""",
            end,
        )
        for key in keys:
            page.evaluate(FOCUS[focus])
            page.keyboard.press(key)
            unanswered(page)
    # Were an answer on its way, this one would not be the only one.
    page.evaluate(FOCUS["heading"])
    press(page, "ArrowRight")
    assert len(posted) == 1
    assert stored() == {1: "right"}
    assert Judgment.objects.count() == 1


def test_without_a_pointer_both_passages_scroll_together_by_share(page, address, long):
    page.goto(address)
    ready(page, 1)
    for key in ("ArrowDown", "PageDown", "PageDown"):
        before = page.evaluate(TOPS)
        page.keyboard.press(key)
        assert all(now > then for now, then in zip(page.evaluate(TOPS), before, strict=True))
        left, right = page.evaluate(SHARES)
        # Passages scroll by whole pixels, of which the shorter one has some 600.
        assert left == pytest.approx(right, abs=0.002)
    page.keyboard.press("End")
    assert page.evaluate(SHARES) == pytest.approx([1, 1], abs=0.001)
    page.keyboard.press("Home")
    assert page.evaluate(TOPS) == [0, 0]


def test_the_passage_under_the_pointer_scrolls_and_then_the_one_with_the_focus(page, address, long):
    page.goto(address)
    ready(page, 1)
    page.mouse.move(900, 400)
    page.keyboard.press("PageDown")
    left, right = page.evaluate(TOPS)
    assert (left, right > 0) == (0, True)
    page.locator(".passage:visible").first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(TOPS) == [40, right]


def test_where_nothing_else_scrolls_the_page_does(page, address):
    """Short passages in a low window."""
    page.set_viewport_size({"width": 320, "height": 200})
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("End")
    bottom = page.evaluate("() => document.documentElement.scrollHeight - innerHeight")
    assert page.evaluate("() => scrollY") == bottom > 0
    unanswered(page)


@pytest.mark.parametrize("scale", ["2", "3", "4", "5"])
def test_every_key_on_a_button_gives_its_answer_and_no_other_key_answers(page, address, study, scale):
    """Small letters and those of Caps Lock; each question is answered by the next of all the keys."""
    study.tasks.update(scale=scale)
    page.goto(address)
    ready(page, 1)
    caps = page.evaluate(CAPS)
    for key in set("0123456789tTxzq") - {key.lower() for key, *_ in caps} - {"T"}:
        page.keyboard.press(key)
    page.keyboard.press("Control+t")
    unanswered(page)
    expected = {}
    pressed = [(key, value) for key, value, _ in caps]
    if scale in "35":
        pressed.append(("t", "tie"))
    for position, (key, value) in enumerate(pressed, 1):
        ready(page, position)
        press(page, key)
        expected[position] = value
    ready(page, len(pressed) + 1)
    assert stored() == expected
    names = {"ArrowLeft": "←", "ArrowRight": "→"}
    for key, _, printed in caps:
        assert names.get(key, key) in printed.split()
    pair = KINDS["pair"]
    assert {value for _, value, _ in caps} == {pair.word(value) for value in pair.scales[scale]}


def test_instructions_open_over_the_question_and_close_without_losing_the_place(page, address, study):
    study.tasks.update(instructions="Prefer the plant that lives.\n\nNever both.")
    page.goto(address)
    ready(page, 1)
    press(page, "ArrowLeft")
    ready(page, 2)
    for close in ("Escape", "i", "I"):
        page.keyboard.press("i")
        dialog = page.get_by_role("dialog", name="What you do")
        expect(dialog).to_contain_text("Prefer the plant that lives.")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Backspace")
        page.keyboard.press(close)
        expect(dialog).to_be_hidden()
    expect(page.locator(".where")).to_have_text("2 of 13")
    assert page.content().count("Prefer the plant that lives.") == 1
    page.get_by_role("button", name="Instructions").click()
    expect(page.get_by_role("dialog", name="What you do")).to_be_visible()
    page.get_by_role("button", name="Go on").click()
    assert Judgment.objects.count() == 1


def test_on_a_phone_no_key_is_spoken_of(browser, address, study):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    page.get_by_role("button", name="More").tap()
    page.get_by_role("button", name="Instructions").tap()
    expect(page.get_by_role("dialog", name="What you do")).to_be_visible()
    assert page.locator("kbd:visible").count() == 0
    assert page.get_by_text("Keys").locator("visible=true").count() == 0
    context.close()


# What browsers report for keys of a Hebrew and an Arabic keyboard at the places of T, X and I.
ELSEWHERE = """([key, code]) => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", {key, code, bubbles: true, cancelable: true}))"""


def test_keys_are_known_by_their_place_where_the_keyboard_writes_another_script(page, address):
    page.goto(address)
    ready(page, 1)
    for key, code, dialog in (("ן", "KeyI", "#what-to-do"), ("ס", "KeyX", "#cannot")):
        page.evaluate(ELSEWHERE, [key, code])
        expect(page.locator(dialog)).to_be_visible()
        page.keyboard.press("Escape")
    assert stored() == {}
    with page.expect_response("**/answer/"):
        page.evaluate(ELSEWHERE, ["ف", "KeyT"])
    ready(page, 2)
    # A letter that is written is the key, wherever it lies.
    page.evaluate(ELSEWHERE, ["y", "KeyT"])
    page.evaluate(ELSEWHERE, ["à", "Digit0"])
    assert page.locator("[data-position='2']").get_attribute("data-choice") == ""
    assert stored() == {1: "tie"}
