"""What goes wrong between a press and the ledger, in Chromium: reloads, lost connections, second tabs, double
and hasty presses.
"""

import pytest
from playwright.sync_api import expect

from judging.models import Assignment, Judgment
from tests.browser.batches import KEYS, answer_from, press, ready, stored

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# Left for the question in view, and left again in the moment in which the next one is shown.
PRESS_AND_AGAIN_AT_THE_NEXT = """() => {
    const press = () => document.body.dispatchEvent(
        new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true}));
    const next = document.querySelector("[data-position='2']");
    new MutationObserver((_, observer) => {
        observer.disconnect();
        press();
    }).observe(next, {attributeFilter: ["hidden"]});
    press();
}"""


def test_a_reload_continues_at_the_first_unanswered(page, address):
    page.goto(address)
    answer_from(page, 1, 5)
    ready(page, 6)
    before = stored()
    page.reload()
    ready(page, 6)
    page.keyboard.press("Backspace")
    ready(page, 5)
    marked = page.locator('.choice[aria-pressed="true"]:visible')
    assert marked.get_attribute("value") == before[5]
    assert stored() == before


def test_offline_answers_are_kept_and_sent_later(page, address):
    page.goto(address)
    ready(page, 1)
    page.context.set_offline(True)
    for position, key in enumerate(("ArrowLeft", "ArrowRight", "t"), 1):
        ready(page, position)
        page.keyboard.press(key)
    ready(page, 4)
    expect(page.locator(".saving")).to_contain_text("No network")
    assert stored() == {}
    page.context.set_offline(False)
    expect(page.locator(".saving")).to_be_empty()
    assert stored() == {1: "left", 2: "right", 3: "tie"}
    assert Judgment.objects.count() == 3


def test_sending_waits_for_answers_that_are_on_their_way(page, address):
    page.goto(address)
    answer_from(page, 1, 12)
    ready(page, 13)
    page.context.set_offline(True)
    page.keyboard.press("ArrowLeft")
    ready(page, 14)
    page.keyboard.press("Enter")
    expect(page.locator(".saving")).to_contain_text("No network")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert len(stored()) == 13


def test_a_lost_reply_is_asked_for_again_and_stored_once(page, address):
    """The server stores the answer, the browser hears a broken connection, then a server that is down."""
    replies: list[int] = []

    def lose(route):
        if len(replies) < 2:
            replies.append(route.fetch().status)
            return route.abort() if len(replies) == 1 else route.fulfill(status=502, body="{}")
        return route.continue_()

    page.route("**/answer/", lose)
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".saving")).to_contain_text("Not saved yet")
    expect(page.locator(".saving")).to_be_empty()
    assert replies == [200, 200]
    expect(page.locator("[data-refused]")).to_be_hidden()
    assert Judgment.objects.count() == 1


def test_leaving_is_warned_about_only_while_an_answer_is_not_saved(page, address):
    page.goto(address)
    ready(page, 1)
    leaving = "() => !dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert page.evaluate(leaving) is False
    page.context.set_offline(True)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".saving")).to_contain_text("No network")
    assert page.evaluate(leaving) is True
    page.context.set_offline(False)
    expect(page.locator(".saving")).to_be_empty()
    assert page.evaluate(leaving) is False


def test_double_presses_and_clicks_answer_one_question(page, address):
    """A second press as soon as the next pair stands there, a key held down, a double click, a slow one."""
    page.goto(address)
    ready(page, 1)
    with page.expect_response("**/answer/"):
        page.evaluate(PRESS_AND_AGAIN_AT_THE_NEXT)
    ready(page, 2)
    with page.expect_response("**/answer/"):
        page.keyboard.down("ArrowLeft")
    ready(page, 3)
    page.keyboard.down("ArrowLeft")  # still down: Chromium calls this one a repeat
    page.keyboard.up("ArrowLeft")
    with page.expect_response("**/answer/"):
        page.locator(".choice.right:visible").dblclick()
    ready(page, 4)
    page.locator(".choice.right:visible").dispatch_event("click", {"detail": 2})
    assert page.locator("[data-position='4']").get_attribute("data-choice") == ""
    assert stored() == {1: "left", 2: "left", 3: "right"}


def test_a_pair_that_has_just_come_takes_no_answer(page, address):
    """A second press 200 ms after the first, by a clock that the test turns: the pair is not read yet."""
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)  # while the clock still runs: a stopped one would never make it ready
    page.clock.pause_at(600)  # far beyond the time that a slow machine takes to load the page
    press(page, "ArrowLeft")
    page.clock.run_for(200)
    second = page.locator("[data-position='2']")
    expect(second).to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert second.get_attribute("data-choice") == ""
    page.clock.run_for(400)
    ready(page, 2)
    press(page, "ArrowLeft")
    assert second.get_attribute("data-choice") == "left"


def test_one_can_go_back_from_a_pair_that_has_just_come(page, address):
    """A mistake is often seen at once: Back works before the pair takes an answer."""
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.pause_at(600)
    press(page, "ArrowLeft")
    page.clock.run_for(160)
    expect(page.locator("[data-position='2']")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.locator("[data-position='1']")).to_be_visible()
    page.clock.run_for(200)  # the second would take an answer now
    page.keyboard.press("ArrowRight")
    assert stored() == {1: "left"}
    page.clock.run_for(400)
    ready(page, 1)
    press(page, "ArrowRight")
    assert stored() == {1: "right"}


def test_a_habitual_enter_after_a_batch_neither_sends_it_nor_begins_another(page, address):
    """By a clock that the test turns. The cap of the key appears when it does something."""
    page.clock.install(time=0)
    page.goto(address)
    answer_from(page, 1)
    page.clock.pause_at(600)
    page.keyboard.press("Backspace")
    page.clock.run_for(500)
    page.keyboard.press("Enter")
    # Each of a run is waited after anew, however long the run is.
    for waited in (300, 300, 300, 1100, 1100, 1100):
        page.clock.run_for(waited)
        page.keyboard.press("Enter")
    cap = page.locator("[data-finish] button kbd")
    expect(cap).to_be_hidden()
    page.clock.run_for(1400)
    ready(page, 14)
    expect(cap).to_be_visible()
    assert Assignment.objects.get().state == Assignment.State.WORKING
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    page.clock.pause_at(1200)
    page.reload()
    page.keyboard.press("Enter")
    page.clock.run_for(1000)
    page.keyboard.press("Enter")
    expect(page.locator("[data-enter] kbd")).to_be_hidden()
    page.clock.run_for(300)
    expect(page.locator("[data-enter] kbd")).to_be_visible()
    assert Assignment.objects.count() == 1
    page.clock.resume()
    page.keyboard.press("Enter")
    ready(page, 1)
    assert Assignment.objects.count() == 2


def test_a_double_press_of_the_last_answer_sends_nothing_and_a_click_soon_after_it_does(page, address):
    """By a clock that the test turns. One can still go back: nobody has seen yet that it was the last."""
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    for at in range(1, 13):
        ready(page, at)
        press(page, "ArrowLeft")
    ready(page, 13)
    page.clock.pause_at(600)
    press(page, "ArrowLeft")
    page.clock.run_for(140)
    button = page.locator("[data-finish] button")
    expect(button).to_be_visible()
    unready = button.evaluate("button => getComputedStyle(button).backgroundColor")
    page.clock.run_for(1300)
    ready(page, 14)
    expect(button).to_contain_text("Send my answers")
    assert unready != button.evaluate("button => getComputedStyle(button).backgroundColor")
    for going_back in (True, False):
        page.keyboard.press("Backspace")
        page.clock.run_for(500)
        ready(page, 13)
        page.keyboard.press("Enter")
        page.clock.run_for(400)
        button.click()
        expect(button).to_contain_text("Sending")
        assert Assignment.objects.get().state == Assignment.State.WORKING
        if going_back:
            page.keyboard.press("Backspace")
            page.clock.run_for(1200)
            assert Assignment.objects.get().state == Assignment.State.WORKING
            page.keyboard.press("Enter")
            page.clock.run_for(1300)
            ready(page, 14)
            expect(button).to_contain_text("Send my answers")
    page.clock.run_for(900)
    page.clock.resume()
    expect(page.locator("[data-finish]")).to_have_count(0)
    assert Assignment.objects.get().state != Assignment.State.WORKING


def test_a_second_tab_does_no_harm(page, address):
    """It may answer as well; once the batch is sent from the first, it is told so and how to go on."""
    page.goto(address)
    other = page.context.new_page()
    other.goto(address)
    page.bring_to_front()
    answer_from(page, 1)
    other.bring_to_front()
    ready(other, 1)
    press(other, KEYS[stored()[1]])
    assert Judgment.objects.count() == 13
    ready(other, 2)
    page.bring_to_front()
    ready(page, 14)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    other.bring_to_front()
    press(other, "t")
    expect(other.get_by_role("heading", name="This batch is over")).to_be_visible()
    other.get_by_role("link", name="Go on").click()
    expect(other.get_by_role("heading", name="Thank you")).to_be_visible()
