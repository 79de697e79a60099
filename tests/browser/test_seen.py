"""What the judging page tells of an answer: what came into view, how long, and how it was given."""

import json
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from collection.models import Item, Study
from judging.batches import answering
from judging.models import Judgment
from tests.browser.batches import ready, stored
from tests.judging.paged import GRIDS, RUNS, ask_all, paged_study
from tests.judging.studies import give_pictures
from tests.makers import invite

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def long(study):
    """All passages many screens long."""
    for item in Item.objects.all():
        Item.objects.filter(pk=item.pk).update(text=f"A long passage about {item.pk}. " * 400)
    return study


@pytest.fixture
def paged(live_server, settings, tmp_path):
    """A function: the address of somebody who holds a batch of result pages, of long passages."""
    settings.MEDIA_ROOT = tmp_path

    def make(*, pictures=False):
        kind = Study.Kind.IMAGE if pictures else Study.Kind.TEXT
        study, task = paged_study(topics=2, kind=kind, runs=GRIDS if pictures else RUNS)
        if pictures:
            give_pictures(study)
        Item.objects.update(text="" if pictures else "A long passage. " * 400)
        ask_all(task)
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    return make


def posted(page, key: str) -> dict[str, str]:
    """The fields of the answer that a key gives."""
    with page.expect_response("**/answer/") as response:
        page.keyboard.press(key)
    return dict(parse_qsl(response.value.request.post_data))


def shares(page, key: str) -> list[int]:
    return [int(share) for share in posted(page, key)["seen"].split()]


SCROLL = """([place, share]) => new Promise(done => {
    const passage = document.querySelectorAll(".question:not([hidden]) .passage")[place];
    passage.addEventListener("scroll", () => requestAnimationFrame(done), {once: true});
    passage.scrollTo({top: share * (passage.scrollHeight - passage.clientHeight), behavior: "instant"});
})"""


WAYS = "all => all.map(one => one.scrollTop / Math.max(1, one.scrollHeight - one.clientHeight))"


def test_a_text_that_is_in_view_to_its_end_was_seen_whole(page, address):
    """Though the room below it is cut: nothing more is to be read there."""
    Item.objects.update(text="One line.")
    page.goto(address)
    ready(page, 1)
    page.locator(".side").evaluate_all("all => all.forEach(one => one.style.maxHeight = '72px')")
    assert page.locator(".passage:visible").evaluate_all(
        "all => all.every(one => one.scrollHeight > one.clientHeight)"
    )
    page.set_viewport_size({"width": 1280, "height": 790})  # which looks again
    expect(page.locator(".passage[tabindex]:visible")).to_have_count(0)
    assert shares(page, "t") == [100, 100]


def turn(page) -> None:
    """Turn to the other passage, and wait until it was painted."""
    page.wait_for_selector("body.heard")
    page.keyboard.press("s")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_of_each_passage_the_furthest_that_was_seen_is_told(page, address, long):
    page.goto(address)
    ready(page, 1)
    page.evaluate(SCROLL, [1, 1])
    page.evaluate(SCROLL, [1, 0])
    page.evaluate(SCROLL, [0, 0.5])
    left, right = shares(page, "ArrowLeft")
    assert 45 < left < 75
    assert right == 100
    ready(page, 2)
    left, right = shares(page, "ArrowRight")
    assert 0 < left < 30
    assert 0 < right < 30
    assert stored() == {1: "left", 2: "right"}


def test_short_passages_are_seen_whole(page, address):
    page.goto(address)
    ready(page, 1)
    assert shares(page, "ArrowLeft") == [100, 100]


def test_what_lies_below_the_window_was_not_seen(page, address, long):
    """On a phone one passage is in view at a time."""
    page.set_viewport_size(PHONE)
    page.goto(address)
    turn(page)
    ready(page, 1)
    first, second = shares(page, "ArrowLeft")
    assert 0 < first < 30
    assert 0 < second < 30


def test_what_the_page_passed_over_was_not_seen(page, address, long):
    """The upper one is read to its end; the lower one, begun before, comes as far down, unread."""
    page.set_viewport_size(PHONE)
    page.goto(address)
    turn(page)
    ready(page, 1)
    turn(page)
    page.evaluate(SCROLL, [0, 1])
    turn(page)
    tops = page.locator("[data-position='1'] .passage").evaluate_all(WAYS)
    assert tops[1] == pytest.approx(1, abs=0.01)
    first, second = shares(page, "ArrowLeft")
    assert first == 100
    assert 5 < second < 60


READ = "all => all.map(one => one.style.getPropertyValue('--read'))"


def test_the_line_over_a_text_fills_as_it_is_read(page, address, long):
    page.goto(address)
    ready(page, 1)
    sides = page.locator("[data-position='1'] .side")
    first, second = (int(share.strip("%")) for share in sides.evaluate_all(READ))
    assert 0 < first < 30
    page.evaluate(SCROLL, [0, 1])
    expect(sides.first).to_have_attribute("style", "--read: 100%;")
    # A face that arrives in between breaks lines anew.
    assert abs(int(sides.evaluate_all(READ)[1].strip("%")) - second) < 5


def test_the_line_of_a_tab_fills_as_its_text_is_read(page, address, long):
    page.set_viewport_size(PHONE)
    page.goto(address)
    turn(page)
    ready(page, 1)
    tabs = page.locator("[data-position='1'] .switch")
    page.evaluate(SCROLL, [1, 1])
    expect(tabs.last).to_have_attribute("style", "--read: 100%;")
    assert 0 < int(tabs.evaluate_all(READ)[0].strip("%")) < 30
    drawn = "all => all.map(one => getComputedStyle(one).borderImageSource)"
    assert all("gradient" in one for one in tabs.evaluate_all(drawn))


def test_the_line_over_a_text_that_fits_is_full(page, address):
    page.goto(address)
    ready(page, 1)
    assert page.locator("[data-position='1'] .side").evaluate_all(READ) == ["", ""]


def test_a_correction_tells_its_own_time(page, address):
    """Most of a minute until the answer, three seconds at the next question, five until the correction."""
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.pause_at(600)
    first = posted(page, "ArrowLeft")
    page.clock.run_for(140)  # as long as the mark stands
    page.clock.run_for(3000)
    page.keyboard.press("Backspace")
    page.clock.run_for(5000)
    again = posted(page, "ArrowRight")
    assert float(first["seconds"]) > 50
    assert 4 < float(again["seconds"]) <= 5


@pytest.mark.parametrize("pictures", [False, True], ids=["lists", "grids"])
def test_of_result_pages_one_share_is_told_for_each_page(page, paged, pictures):
    """Whatever number of items they show: four, or of grids four and six pictures."""
    page.goto(paged(pictures=pictures))
    ready(page, 1)
    if not pictures:
        page.evaluate(SCROLL, [1, 1])
    left, right = shares(page, "ArrowLeft")
    ready(page, 2)
    assert [right, 0 < left < 30] == [100, True] if not pictures else left > 0 and right > 0
    told = Judgment.objects.get().seen
    assert told == f"{left} {right}"


def test_on_a_phone_the_page_that_was_turned_away_from_was_seen(browser, paged):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(paged())
    page.wait_for_selector("body.heard")
    page.keyboard.press("s")
    ready(page, 1)
    # Two frames: what follows a key press is looked at in the next.
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.keyboard.press("s")
    left, right = shares(page, "ArrowLeft")
    assert 0 < left < 30
    assert 0 < right < 30
    context.close()


def test_how_an_answer_was_given_is_told_and_begins_anew_with_each(page, address):
    """By key and by a mouse that moved; what a script presses is no input."""
    page.goto(address)
    ready(page, 1)
    told = [json.loads(posted(page, "ArrowLeft")["paradata"])]
    ready(page, 2)
    with page.expect_response("**/answer/") as response:
        page.locator(".question:not([hidden]) .choice").first.click()
    told.append(json.loads(dict(parse_qsl(response.value.request.post_data))["paradata"]))
    ready(page, 3)
    with page.expect_response("**/answer/") as response:
        page.evaluate("document.querySelector('.question:not([hidden]) .choice').click()")
    told.append(json.loads(dict(parse_qsl(response.value.request.post_data))["paradata"]))
    assert told[0] == {"by": "key", "keys": 1}
    assert told[1]["by"] == "mouse"
    assert set(told[1]) == {"by", "moves"}
    assert told[2] == {"by": "none"}
