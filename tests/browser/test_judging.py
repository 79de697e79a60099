"""A batch judged in Chromium by keyboard: from invitation to thanks, its times, and without scripts."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from judging.models import Assignment, Judgment, QuestionRole
from tests.browser.batches import KEYS, answer_from, press, ready, stored
from tests.browser.navigation import follow
from tests.judging.studies import invite
from tests.servers import wait_until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

HIDE = """hidden => {
    Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""

# A kind of question as somebody would add it.
NUMBERED = """import { add } from "./kinds.js";

add("numbered", {
    keys: {1: "left", 2: "right"},
    buttons: ".choice",
    answer: (question, pressed) => pressed,
    mark: (question, answer) => (question.title = answer),
    words: (answer) => `The ${answer} one.`,
});"""


# By keyboard


def test_a_batch_is_judged_by_keyboard_alone(page, live_server, study):
    """From the invitation to the thanks: every answer as pressed, no cookie, nothing from elsewhere."""
    addresses, complaints = [], []
    page.on("request", lambda request: addresses.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    # What the window of tests says of the service worker that it does not let in.
    blocked = "Service Worker registration blocked by Playwright"
    page.goto(f"{live_server.url}/i/{invite(study).reference}/")
    button = page.get_by_role("button", name="I agree")
    for _ in range(3):  # past the address of those who ask
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Enter")
    ready(page, 1)
    pressed = {}
    for place in Assignment.objects.get().batch.all():
        side = ("left", "right", "tie")[place.position % 3]
        if place.role == "challenge":
            side = "left" if place.shown == "01" else "right"
        ready(page, place.position)
        press(page, KEYS[side])
        pressed[place.position] = side
    ready(page, 14)
    assert stored() == pressed
    plain = Assignment.objects.get().batch.filter(role=QuestionRole.COUNTS).latest("position").position
    for position in range(13, plain - 1, -1):
        page.keyboard.press("Backspace")
        ready(page, position)
    expect(page.locator(f'.choice[value="{pressed[plain]}"][aria-pressed="true"]:visible')).to_have_count(1)
    pressed[plain] = "left" if pressed[plain] != "left" else "right"
    press(page, KEYS[pressed[plain]])
    ready(page, 14)
    assert stored() == pressed
    assert Judgment.objects.count() == 14
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert Assignment.objects.get().state == "kept"
    assert {address for address in addresses if not address.startswith(live_server.url)} == set()
    assert (page.context.cookies(), [told for told in complaints if told != blocked]) == ([], [])


def test_the_choice_is_marked_before_the_next_pair_comes(page, address):
    """In the very task of the key press, so in the next frame that is painted."""
    page.goto(address)
    ready(page, 1)
    marks = page.evaluate("""() => {
        document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
        const question = document.querySelector("[data-position]:not([hidden])");
        return [question.dataset.position, question.dataset.choice];
    }""")
    assert marks == ["1", "right"]
    ready(page, 2)


def test_focus_and_words_follow_the_question(page, address):
    page.goto(address)
    ready(page, 1)
    press(page, "ArrowLeft")
    ready(page, 2)
    assert page.evaluate("document.activeElement.id") == "q2"
    expect(page.locator("#spoken")).to_have_text("Left chosen. Question 2 of 13.")
    expect(page.locator(".where")).to_have_text("2 of 13")
    assert page.title().startswith("2 of 13")


def test_enter_keeps_an_earlier_answer(page, address):
    page.goto(address)
    answer_from(page, 1, 3)
    ready(page, 4)
    for position in (3, 2):
        page.keyboard.press("Backspace")
        ready(page, position)
    page.keyboard.press("Enter")
    ready(page, 4)
    assert Judgment.objects.count() == 3


def test_the_question_mark_shows_the_keys_and_nothing_is_chosen_meanwhile(page, address):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("[data-position='1']")).to_have_attribute("data-choice", "")


def test_the_key_for_a_tie_is_no_answer_where_there_are_none(page, address, study):
    study.tasks.update(scale="2")
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("t")
    press(page, "ArrowRight")
    ready(page, 2)
    assert stored() == {1: "right"}


def test_time_out_of_view_is_not_counted(page, address):
    """Five seconds in view and a minute in another tab, by a clock that the test turns."""
    page.clock.install()
    page.goto(address)
    page.clock.run_for(1000)
    ready(page, 1)
    page.clock.run_for(4000)
    page.evaluate(HIDE, True)
    page.clock.run_for(60_000)
    page.evaluate(HIDE, False)
    press(page, "ArrowLeft")
    assert 4 <= (Judgment.objects.get().seconds or 0) < 60


def test_time_out_of_view_is_posted_apart(page, address):
    """Away twice from the first question; the second comes while the page is hidden and is seen later."""

    def posted(key):
        with page.expect_request("**/answer/") as request:
            page.keyboard.press(key)
        return dict(parse_qsl(request.value.post_data))

    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.pause_at(600)
    for milliseconds in (7000, 5000):
        page.evaluate(HIDE, True)
        page.clock.run_for(milliseconds)
        page.evaluate(HIDE, False)
        page.clock.run_for(1000)
    assert posted("ArrowLeft")["away"] == "12.00"
    page.evaluate(HIDE, True)
    page.clock.run_for(140)  # as long as the mark stands
    page.clock.run_for(30_000)
    page.evaluate(HIDE, False)
    page.clock.run_for(3000)
    second = posted("ArrowRight")
    assert (second["seconds"], second["away"]) == ("3.00", "30.00")
    page.clock.resume()  # a post that failed is sent again
    wait_until(lambda: stored() == {1: "left", 2: "right"}, seconds=90)


def test_a_further_kind_of_question_is_one_file_and_one_line(page, address):
    """The kind that the page names is used: its keys answer and a pair's do not, its mark, its words."""

    def edit(pattern, change):
        def reply(route):
            response = route.fetch()
            route.fulfill(response=response, body=change(response.text()))

        page.route(pattern, reply)

    edit(
        address,
        lambda html: html.replace('data-kind="pair"', 'data-kind="numbered"').replace(
            "/pair.js", "/numbered.js"
        ),
    )
    page.route(
        "**/js/judge/numbered.js", lambda route: route.fulfill(body=NUMBERED, content_type="text/javascript")
    )
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowRight")
    press(page, "1")
    ready(page, 2)
    expect(page.locator("[data-position='1']")).to_have_attribute("title", "left")
    expect(page.locator("#spoken")).to_have_text("The left one. Question 2 of 13.")
    press(page, "2")
    assert stored() == {1: "left", 2: "right"}


def test_without_javascript_it_is_a_page_a_question(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    for position in range(1, 14):
        expect(page.locator(".where")).to_have_text(f"{position} of 13")
        follow(page.locator(".choice.left:visible"))
        if position == 5:
            follow(page.locator(".back"))
            follow(page.locator(".choice.right:visible"))
    assert [side for _, side in sorted(stored().items())] == ["left"] * 4 + ["right"] + ["left"] * 8
    page.get_by_role("button", name="Send my answers").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    context.close()
