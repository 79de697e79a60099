"""Long passages on a phone, in Chromium: one is in view as large as can be, the other waits as a tab."""

import re

import pytest
from playwright.sync_api import expect

from collection.models import Item, Study
from prefir.formats.conversations import Turn, join_turns
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import ready, stored, tell_all

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE, SIDEWAYS = {"width": 390, "height": 844}, {"width": 844, "height": 390}
UPPER, LOWER = "[data-position='1'] .side.left", "[data-position='1'] .side.right"
GROUND = "one => getComputedStyle(one).background"
WAY = "one => one.scrollTop / (one.scrollHeight - one.clientHeight)"


@pytest.fixture
def phone(browser, address):
    """A function: the first question in a phone of this size, its passages so many sentences long."""
    contexts = []

    def open_page(sentences=300, size=PHONE, begins=""):
        tell_all(begins + "A long passage about a plant. " * sentences)
        contexts.append(browser.new_context(viewport=size, has_touch=True, is_mobile=True))
        page = contexts[-1].new_page()
        page.goto(address)
        page.wait_for_selector("body.heard")
        return page

    yield open_page
    for context in contexts:
        context.close()


def swipe(page, start, end) -> None:
    touch = page.context.new_cdp_session(page)
    for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        fingers = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def test_the_strip_says_how_the_other_text_begins_without_speakers_and_formulas(phone):
    Study.objects.update(markup=Study.Markup.MARKDOWN)
    said = join_turns([Turn("user", "Turn it."), Turn("assistant", "# Steps\n\n- Use $x^2$ *so*.\n\n")])
    page = phone(300, begins=said)
    expect(page.get_by_role("tab", name="Lower").locator(".begins")).to_have_text(
        re.compile(r"^Turn it\. Steps Use … so\. A long passage")
    )


def test_one_passage_has_the_room_and_the_other_waits_as_a_strip(phone):
    page = phone()
    expect(page.locator(LOWER)).to_be_hidden()
    assert page.locator(UPPER).bounding_box()["height"] > 490
    strip = page.get_by_role("tab", name="Lower")
    assert strip.bounding_box()["height"] >= 44
    expect(strip).to_contain_text("A long passage about a plant.")
    assert page.locator(".top").bounding_box()["height"] <= 44
    assert_accessible(page, "upper")
    strip.tap()
    expect(page.locator(UPPER)).to_be_hidden()
    expect(page.get_by_role("tabpanel", name="Lower")).to_be_visible()
    assert page.locator(LOWER).bounding_box()["height"] > 490
    assert_accessible(page, "lower")


def test_a_text_that_does_not_fill_the_window_leaves_tabs_as_high_as_their_line(phone):
    page = phone(sentences=19)
    expect(page.locator(LOWER)).to_be_hidden()
    text = page.locator(f"{UPPER} .passage")
    assert text.evaluate("one => one.scrollHeight === one.clientHeight")
    for tab in ("Upper", "Lower"):
        assert page.get_by_role("tab", name=tab).bounding_box()["height"] <= 48


def test_an_answer_is_taken_once_both_were_in_view(phone):
    page = phone()
    choice = page.locator("[data-position='1'] .choice.left")
    expect(choice).to_have_attribute("aria-disabled", "true")
    locked = choice.evaluate(GROUND)
    choice.hover(force=True)
    assert choice.evaluate(GROUND) == locked
    page.keyboard.press("ArrowLeft")
    assert stored() == {}
    expect(page.locator("[data-position='1'] .hold")).to_have_text("Look at both, then choose.")
    expect(page.locator("[data-position='1'] .hold")).to_be_visible()
    page.get_by_role("tab", name="Lower").tap()
    ready(page, 1)
    with page.expect_response("**/answer/"):
        choice.tap()
    assert stored() == {1: "left"}


def test_short_passages_both_stand_and_are_answered_at_once(phone):
    page = phone(sentences=3)
    ready(page, 1)
    expect(page.locator(UPPER)).to_be_visible()
    expect(page.locator(LOWER)).to_be_visible()
    expect(page.get_by_role("tab").first).to_be_hidden()


def test_texts_that_nearly_fit_are_set_closer_and_both_stand(phone):
    page = phone(sentences=13)
    ready(page, 1)
    expect(page.locator(UPPER)).to_be_visible()
    expect(page.locator(LOWER)).to_be_visible()
    cut = "all => all.filter(one => one.scrollHeight > one.clientHeight + 1).length"
    assert page.locator("[data-position='1'] .passage").evaluate_all(cut) == 0


def test_what_was_in_view_stays_so_when_the_phone_is_turned(phone):
    page = phone(sentences=15)
    expect(page.get_by_role("tab").first).to_be_hidden()
    ready(page, 1)
    page.set_viewport_size(SIDEWAYS)
    expect(page.locator(LOWER)).to_be_hidden()
    expect(page.locator("[data-position='1'] .hold")).to_be_hidden()
    with page.expect_response("**/answer/"):
        page.locator("[data-position='1'] .choice.left").tap()
    assert stored() == {1: "left"}


def test_whether_both_fit_is_measured_in_the_letters_of_the_text(browser, address):
    """Until its face has come another one stands in; here one in which the same words take more room."""
    Item.objects.update(text="A long passage about a plant. " * 15)
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    late = []

    def wide(route):
        sheet = route.fetch()
        route.fulfill(
            response=sheet,
            body=sheet.text().replace('Literata, "Literata\'s stand-in"', "Literata, monospace"),
        )

    page.route("**/tokens*.css", wide)
    page.route("**/*.woff2", lambda route: late.append(route))
    page.goto(address, wait_until="commit")
    page.wait_for_selector("body.heard")
    expect(page.get_by_role("tab").first).to_be_visible()
    for face in late:
        face.continue_()
    expect(page.get_by_role("tab").first).to_be_hidden()
    expect(page.locator(LOWER)).to_be_visible()
    ready(page, 1)
    context.close()


def test_the_share_of_the_text_in_view_is_kept_from_tab_to_tab(phone):
    """A passage that was not begun begins at its beginning; one that was glanced at gives nothing away."""
    page = phone()
    upper, lower = page.locator(f"{UPPER} .passage"), page.locator(f"{LOWER} .passage")
    half = "one => { one.scrollTop = (one.scrollHeight - one.clientHeight) / 2; }"
    upper.evaluate(half)
    page.keyboard.press("s")
    assert lower.evaluate("one => one.scrollTop") == 0
    page.keyboard.press("s")
    assert upper.evaluate(WAY) == pytest.approx(0.5, abs=0.01)
    upper.evaluate("one => { one.scrollTop = (one.scrollHeight - one.clientHeight) * 0.8; }")
    page.keyboard.press("s")
    assert lower.evaluate(WAY) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS], ids=["upright", "on its side"])
def test_a_swipe_turns_to_the_other_and_never_answers(phone, size):
    page = phone(size=size)
    expect(page.locator(LOWER)).to_be_hidden()
    swipe(page, (300, 250), (100, 250))
    expect(page.locator(LOWER)).to_be_visible()
    expect(page.locator(UPPER)).to_be_hidden()
    swipe(page, (200, 250), (350, 250))
    expect(page.locator(UPPER)).to_be_visible()
    swipe(page, (200, 250), (160, 150))
    expect(page.locator(UPPER)).to_be_visible()
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_arrows_on_a_tab_go_to_the_other_tab_and_do_not_answer(phone):
    page = phone()
    page.keyboard.press("s")
    ready(page, 1)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.switch')"):
            break
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Upper")).to_be_focused()
    expect(page.locator(UPPER)).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("tab", name="Lower")).to_be_focused()
    expect(page.locator(LOWER)).to_be_visible()
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""


def test_of_two_that_show_the_same_one_is_enough(phone):
    page = phone()
    Item.objects.update(text="The very same words. " * 300)
    page.reload()
    ready(page, 1)
    expect(page.locator(".same:visible")).to_have_count(1)
    expect(page.locator(".hold:visible")).to_have_count(0)


def test_the_head_is_one_line_that_unfolds(phone):
    page = phone()
    instructions = page.get_by_role("button", name="Instructions")
    expect(instructions).to_be_hidden()
    expect(page.locator(".where")).to_have_text("1 of 13")
    expect(page.locator(".minutes")).to_have_text(re.compile(r"^about \d+ min$"))
    more = page.get_by_role("button", name="More")
    assert more.bounding_box()["height"] >= 40
    place = page.locator(".question:visible").bounding_box()
    more.tap()
    # Until when is said in the foot, and once.
    expect(page.get_by_text("send by").locator("visible=true")).to_have_count(1)
    # A menu over the page: it moves nothing.
    assert page.locator(".question:visible").bounding_box() == place
    for one in page.locator(".aids .help:visible").all():
        assert one.bounding_box()["height"] >= 44
    instructions.tap()
    expect(page.locator("#what-to-do")).to_be_visible()
    expect(more).to_have_attribute("aria-expanded", "false")
