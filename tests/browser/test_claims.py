"""Sentences that cite, in Chromium: marked after the answer by keys, touch and click beside their sources."""

from dataclasses import asdict

import pytest
from playwright.sync_api import expect

from collection.models import Item
from judging.batches import answering
from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import look_at_both, press, ready
from tests.judging.studies import invite

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
TEXT = "Ferns like shade.[1] They are older than most plants that have flowers [2]. Nobody knows why."
SOURCES = [{"title": "Flora", "text": "Ferns grow in shade. " * 40}, {"text": "Older than flowers."}]


def own_sources(docno: str) -> list[dict[str, str]]:
    """These sources with words of an item's own: what two answers both say by the same is asked once."""
    return [one | {"text": one["text"] + docno} for one in SOURCES]


ROW = ".question:not([hidden]) .claim[data-current]"
FOLD = ".question:not([hidden]) .fold:visible"
MARKED = "() => [...CSS.highlights.get('claim') ?? []].map(String)"


@pytest.fixture
def address(live_server, study):
    """Of somebody who is asked about each claim, after the answer."""
    task = asking.task_of(study)
    task.settings = asdict(AspectSettings(claims="asked"))
    task.save()
    for item in Item.objects.all():
        item.text, item.sources = f"{TEXT} {item.docno}", own_sources(item.docno)
        item.save()
    assessor = invite(study)
    answering.arrive(assessor.pk)
    return f"{live_server.url}/i/{assessor.reference}/"


def test_the_keys_that_answer_mark_each_claim_beside_what_it_cites(page, address):
    page.goto(address)
    ready(page, 1)
    expect(page.locator(".claim:visible")).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    row = page.locator(ROW)
    expect(row.locator(".name")).to_have_text("Ferns like shade.[1]")
    expect(row.locator(".beside li")).to_have_count(1)
    expect(row.locator(".beside")).to_contain_text("Ferns grow in shade.")
    expect(page.locator(".claim:visible")).to_have_count(1)
    assert page.evaluate(MARKED) == ["Ferns like shade.[1"]
    assert_accessible(page, "a claim")
    page.keyboard.press("ArrowLeft")
    expect(row.locator(".beside li")).to_have_attribute("value", "2")
    expect(row.locator(".place")).to_contain_text("2 of 4")
    for key in ("ArrowRight", "t", "n"):
        page.keyboard.press(key)
    assert page.evaluate(MARKED) == []
    # What was said of all stays in one line, which leads to a line of each.
    expect(page.locator(".claim:visible")).to_have_count(0)
    said = "Supported 1 · Not supported 1 · Cannot tell 1 · Skipped 1 Change"
    expect(page.locator(FOLD)).to_have_accessible_name(said)
    page.locator(FOLD).click()
    # Open, it folds them again, and nothing else is asked.
    expect(page.locator(FOLD)).to_have_accessible_name("Done")
    expect(page.locator(".why:visible")).to_have_count(0)
    expect(page.locator(".claim:visible")).to_have_count(4)
    expect(page.locator(".claim kbd:visible, .beside:visible")).to_have_count(0)
    said = ["Supported", "Not supported", "Cannot tell", "Skip"]
    expect(page.locator(".claim label:visible > span")).to_have_text(said)
    expect(page.locator(".closed-claims:visible")).to_have_count(1)
    assert_accessible(page, "all are marked")
    page.locator(".claim:visible").nth(2).get_by_text("Cannot tell").click(force=True)
    expect(row.locator(".place")).to_contain_text("3 of 4")
    page.keyboard.press("t")
    assert not Judgment.objects.exists()
    press(page, "Enter")
    assert Judgment.objects.get().details == {"claims": [[1, -1], [0]]}
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    page.locator(FOLD).click()
    expect(page.locator(".claim:visible")).to_have_count(4)
    assert_accessible(page, "answered")
    for number, answer in ((1, "Not supported"), (0, "Cannot tell")):
        page.locator(".claim:visible .name").nth(number).click()
        expect(row.locator(".beside li")).to_have_attribute("value", str(number + 1))
        row.locator("label", has_text=answer).click()
        expect(row).to_have_count(0)
    press(page, "Enter")
    assert Judgment.objects.current().get().details == {"claims": [[0, -1], [0]]}


@pytest.mark.parametrize("size", [(390, 844), (320, 568)])
def test_on_a_phone_they_are_marked_by_touch(browser, address, size):
    window = {"width": size[0], "height": size[1]}
    page = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    page.goto(address)
    look_at_both(page, 1)
    page.locator(".choice.left:visible").tap()
    for answer in ("Not supported", "Supported", "Cannot tell", "Skip"):
        expect(page.locator(ROW)).to_be_visible()
        assert_accessible(page, answer)
        side = page.locator(ROW).get_attribute("data-place")
        expect(page.locator(f".side.{side}:visible .passage")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        before = page.locator(f"{ROW} .name").get_attribute("id")
        page.locator(ROW).get_by_text(answer, exact=True).tap()
        expect(page.locator(f"{ROW} #{before}")).to_have_count(0)
    # A tap at once on what stands where the last one was is a double tap, which sends nothing.
    with page.expect_response("**/answer/"):
        page.locator(".send:visible").click()
    assert Judgment.objects.get().details == {"claims": [[-1, 1], [0]]}
    page.context.close()


@pytest.mark.parametrize("width", [1280, 320])
def test_all_that_a_sentence_cites_is_in_view_and_the_sentence_too(page, address, width):
    page.set_viewport_size({"width": width, "height": 700})
    long = "Nobody knows why. " * 120
    for item in Item.objects.all():
        item.text = f"{long}Ferns like shade [1][2]. {long}{item.docno}"
        item.save()
    page.goto(address)
    look_at_both(page, 1)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f"{ROW} .beside li")).to_have_count(2)
    for source in page.locator(f"{ROW} .beside li").all():
        expect(source).to_be_in_viewport(ratio=0.99)
    assert_accessible(page, "two sources")
    box = page.evaluate("() => [...CSS.highlights.get('claim')][0].getBoundingClientRect().toJSON()")
    place = page.locator(ROW).get_attribute("data-place")
    passage = page.locator(f".question:not([hidden]) .side.{place} .passage").bounding_box()
    assert passage["y"] <= box["top"] < box["bottom"] <= passage["y"] + passage["height"]


def test_the_rest_can_be_skipped_at_once(page, address):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Skip the rest").click()
    expect(page.locator(FOLD)).to_have_accessible_name("Supported 1 · Skipped 3 Change")
    press(page, "Enter")
    assert Judgment.objects.get().details == {"claims": [[1], []]}


def test_the_same_sentence_by_the_same_source_is_asked_once(page, address):
    for item in Item.objects.all():
        item.sources = [SOURCES[0], own_sources(item.docno)[1]]
        item.save()
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    for place in ("1 of 4", "2 of 4", "4 of 4"):
        expect(page.locator(f"{ROW} .place")).to_contain_text(place)
        page.keyboard.press({"1 of 4": "ArrowRight", "2 of 4": "ArrowLeft", "4 of 4": "t"}[place])
    # It can be looked up and answered by itself.
    press(page, "Enter")
    assert Judgment.objects.get().details == {"claims": [[-1, 1], [-1, 0]]}
    ready(page, 2)


def test_where_nothing_cites_an_answer_is_sent_at_once(page, address):
    for item in Item.objects.all():
        item.text = f"No source. {item.docno}"
        item.save()
    page.goto(address)
    ready(page, 1)
    press(page, "ArrowLeft")
    assert Judgment.objects.get().details is None
    ready(page, 2)


def test_of_two_that_are_the_same_no_sentence_is_asked(page, address):
    Item.objects.update(text=TEXT)
    page.goto(address)
    ready(page, 1)
    expect(page.locator(".same:visible")).to_contain_text("Both sides show the same.")
    press(page, "t")
    assert Judgment.objects.get().details is None
    ready(page, 2)
