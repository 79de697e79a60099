"""Questions that are not finished, in Chromium: what was chosen, marked and typed is there later."""

from dataclasses import asdict

import pytest
from playwright.sync_api import Page, expect

from collection.models import Item
from judging.batches import answering
from judging.models import Assignment, Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from tests.browser.batches import look_at_both, press, ready
from tests.browser.test_aspects import FOR_OR_AGAINST
from tests.browser.test_claims import TEXT, own_sources
from tests.judging.picking import pick_study
from tests.judging.studies import invite, make_study
from tests.judging.test_grading import graded_study
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
IN_VIEW = ".question:not([hidden])"
ASKED = AspectSettings(
    aspects="Correct\nClear", reasons="Too long\nOff topic", remark="asked", claims="asked"
)
PICKED = f"{IN_VIEW} .choice[aria-pressed=true]"


@pytest.fixture
def begun(live_server):
    """A function: the address of somebody who holds a batch of a study."""

    def make(study) -> str:
        services.start(study.pk)
        services.catch_up()
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    return make


def rich_study(sentences=1):
    """A study whose pairs ask aspects, sentences that cite, reasons and a note."""
    study = make_study()
    task = asking.task_of(study)
    task.settings = asdict(ASKED)
    task.save()
    for item in Item.objects.all():
        item.text, item.sources = f"{TEXT} {item.docno} " * sentences, own_sources(item.docno)
        item.save()
    return study


def reload(page: Page, position: int) -> None:
    page.reload()
    ready(page, position)


def test_a_pair_with_aspects_sentences_reasons_and_a_note_stands_as_it_was(page, begun):
    page.goto(begun(rich_study()))
    ready(page, 1)
    for key in ("ArrowRight", "ArrowLeft", "t", "ArrowLeft", "ArrowRight", "t"):
        page.keyboard.press(key)
    reload(page, 1)
    expect(page.locator(PICKED)).to_have_attribute("value", "right")
    expect(page.locator(f"{IN_VIEW} .aspect[data-current] .place")).to_contain_text("4 of 4")
    for key in ("n", "2", "w"):
        page.keyboard.press(key)
    page.keyboard.type("Too short")
    reload(page, 1)
    press(page, "Enter")
    row = Judgment.objects.get()
    assert (row.value, row.remark[16:]) == (-1, "Too short")
    assert row.details["aspects"] == {"Correct": 1, "Clear": 0}
    assert (row.details["claims"], row.details["reasons"]) == ([[1, -1], [0]], ["Off topic"])
    ready(page, 2)
    # It is over: the next question has nothing of it, and nothing comes back.
    reload(page, 2)
    expect(page.locator(f"{IN_VIEW} .bar :is(:checked, [aria-pressed=true])")).to_have_count(0)
    # A change of an answer is not lost either, and is in view again.
    page.keyboard.press("Backspace")
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    reload(page, 1)
    expect(page.locator(PICKED)).to_have_attribute("value", "left")
    press(page, "Enter")
    assert Judgment.objects.current().get().value == 1


def test_a_half_answer_stands_as_it_was_after_the_page_was_closed(page, begun):
    address = begun(rich_study())
    page.goto(address)
    ready(page, 1)
    for key in ("ArrowRight", "ArrowLeft", *"nnnnn", "1", "w"):
        page.keyboard.press(key)
    page.keyboard.type("Too short")
    page.close(run_before_unload=True)
    # A panel's address that is opened anew is another visit.
    Assignment.objects.update(visit=1)
    again = page.context.new_page()
    again.goto(address)
    ready(again, 1)
    expect(again.locator(PICKED)).to_have_attribute("value", "right")
    expect(again.get_by_label("In your own words").locator("visible=true")).to_have_value("Too short")
    press(again, "Enter")
    row = Judgment.objects.get()
    assert (row.value, row.remark[16:]) == (-1, "Too short")
    assert (row.details["aspects"], row.details["reasons"]) == ({"Correct": 1}, ["Too long"])


def test_another_answer_drops_the_reasons_of_the_one_before_which_come_back_with_it(page, begun):
    page.goto(begun(rich_study()))
    ready(page, 1)
    for key in ("ArrowLeft", *"nnnnnn", "1", "w"):
        page.keyboard.press(key)
    page.keyboard.type("Too short")
    expect(page.get_by_role("group", name=FOR_OR_AGAINST)).to_be_visible()
    page.locator(f"{IN_VIEW} .choice.left").click()
    too_long, note = page.get_by_label("Too long"), page.get_by_label("In your own words")
    gone = page.locator(f"{IN_VIEW} .went")
    expect(too_long.locator("visible=true")).to_be_checked()
    expect(gone.locator("visible=true")).to_have_count(0)
    page.locator(f"{IN_VIEW} .choice.right").click()
    expect(too_long.locator("visible=true")).not_to_be_checked()
    expect(note.locator("visible=true")).to_have_value("")
    expect(gone.locator("visible=true")).to_have_count(1)
    expect(page.locator("#spoken")).to_contain_text("are gone")
    page.locator(f"{IN_VIEW} .choice.left").click()
    expect(too_long.locator("visible=true")).to_be_checked()
    expect(note.locator("visible=true")).to_have_value("Too short")
    expect(gone.locator("visible=true")).to_have_count(0)
    page.locator(f"{IN_VIEW} .choice.right").click()
    press(page, "Enter")
    row = Judgment.objects.get()
    assert (row.value, row.details, row.remark) == (-1, None, None)


def test_a_way_back_to_the_answer_that_was_sent_has_its_reasons_again(page, begun):
    page.goto(begun(rich_study()))
    ready(page, 1)
    for key in ("ArrowLeft", *"nnnnnn", "1"):
        page.keyboard.press(key)
    press(page, "Enter")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    too_long = page.get_by_label("Too long").locator("visible=true")
    page.keyboard.press("ArrowRight")
    expect(too_long).not_to_be_checked()
    while page.locator(f"{IN_VIEW}[data-pending]").count():
        page.keyboard.press("Backspace")
    expect(page.locator(PICKED)).to_have_attribute("value", "left")
    expect(too_long).to_be_checked()


def test_on_a_phone_that_both_sides_were_seen_is_known_after_a_reload(browser, begun):
    window = {"width": 390, "height": 844}
    page = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    page.goto(begun(rich_study(sentences=60)))
    look_at_both(page, 1)
    reload(page, 1)
    page.context.close()


def test_a_grade_of_0_to_100_that_was_not_given_stands_as_it_was(page, begun):
    study, _ = graded_study(grades_first=True, scale="0-100")
    page.goto(begun(study))
    ready(page, 1)
    page.keyboard.type("73")
    reload(page, 1)
    expect(page.locator(f"{IN_VIEW} .slider")).to_have_js_property("value", "73")
    expect(page.locator(f"{IN_VIEW} .slider.unset")).to_have_count(0)
    press(page, "Enter")
    assert Judgment.objects.get().value == 73


def test_a_best_that_waits_for_its_worst_stands_as_it_was(page, begun):
    study, _ = pick_study(scale="best-worst")
    page.goto(begun(study))
    ready(page, 1)
    page.keyboard.press("2")
    reload(page, 1)
    expect(page.locator(f"{IN_VIEW} .item[data-picked=best]")).to_have_attribute("data-item", "2")
    press(page, "1")
    assert Judgment.objects.count() == 1
