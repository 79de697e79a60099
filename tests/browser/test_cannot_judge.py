"""Saying in a browser that a question cannot be judged: by key, by touch, and of a picture that is lost."""

import re

import pytest
from playwright.sync_api import expect

from judging.batches import answering
from judging.models import Decline
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import answer_from, press, ready, stored
from tests.judging.studies import give_pictures, invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def said() -> list[tuple[int, str, str]]:
    """What was said, as (position, reason, note)."""
    found = []
    for row in Decline.objects.order_by("pk"):
        [place] = row.assignment.batch.filter(question=row.question)
        found.append((place.position, row.reason, row.note))
    return found


def test_by_keyboard_alone_from_the_key_to_the_ledger(page, address):
    """X, a digit, Enter; arrows and the note; Escape sends nothing; and the batch is sent without it."""
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("x")
    panel = page.get_by_role("dialog", name="Why can you not judge this?")
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.keyboard.press("x")
    page.keyboard.press("2")
    expect(page.get_by_label("It is offensive")).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("It is in a language that I do not read")).to_be_checked()
    page.get_by_label("Anything to add?").focus()
    page.keyboard.type("x2 Greek")
    with page.expect_response("**/cannot/"):
        page.keyboard.press("Enter")
    ready(page, 2)
    assert said() == [(1, "language", "x2 Greek")]
    answer_from(page, 2)
    ready(page, 14)
    expect(page.get_by_text("One question that you could not judge goes to somebody else.")).to_be_visible()
    assert len(stored()) == 12
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_enter_sends_nothing_without_a_reason(page, address):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    # The page's own words: a browser's bubble would cover a reason.
    message = page.get_by_text("Choose a reason first.")
    expect(message).to_be_visible()
    page.keyboard.press("2")
    expect(message).to_be_hidden()
    assert said() == []


def test_going_back_it_can_be_answered_after_all(page, address):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("x")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    note = page.get_by_text("You said that you cannot judge this.")
    expect(note).to_be_visible()
    page.reload()
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    expect(note).to_be_visible()
    press(page, "ArrowLeft")
    ready(page, 2)
    assert stored() == {1: "left"}
    expect(note).to_be_hidden()


def test_the_reason_can_be_changed_by_key_and_by_its_button(page, address):
    """After a reload too, the panel opens with the one that was given."""
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("x")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    for digit, given, now in (
        ("2", "It is broken, or cannot be read", "It is offensive"),
        ("5", "It is offensive", "Something else"),
    ):
        ready(page, 2)
        page.keyboard.press("Backspace")
        ready(page, 1)
        if digit == "2":
            page.keyboard.press("x")
        else:
            page.get_by_role("button", name="Change the reason").click()
        expect(page.get_by_label(given)).to_be_checked()
        page.keyboard.press(digit)
        with page.expect_response("**/cannot/"):
            page.keyboard.press("Enter")
        ready(page, 2)
        page.reload()
        ready(page, 2)
        page.keyboard.press("Backspace")
        ready(page, 1)
        expect(page.locator(".could-not .reason")).to_have_text(now)
        page.keyboard.press("Enter")
    assert said() == [(1, "broken", ""), (1, "offensive", ""), (1, "other", "")]


def test_a_key_that_comes_while_the_closed_panel_still_has_the_focus_is_the_pages(page, address):
    page.goto(address)
    ready(page, 1)
    page.evaluate("""() => document.querySelector("#cannot [name=reason]").dispatchEvent(
        new KeyboardEvent("keydown", {key: "x", bubbles: true, cancelable: true}))""")
    expect(page.get_by_role("dialog", name="Why can you not judge this?")).to_be_visible()


def test_an_answer_is_changed_to_it_and_back(page, address):
    page.goto(address)
    ready(page, 1)
    press(page, "ArrowLeft")
    ready(page, 2)
    chosen = page.locator(".question:visible .choice[aria-pressed=true]")
    for given in ("Backspace", "reload"):
        if given == "reload":
            page.goto(f"{address}?at=1")
        else:
            page.keyboard.press("Backspace")
        ready(page, 1)
        expect(chosen).to_have_count(1)
        page.keyboard.press("x")
        expect(page.get_by_text("An answer that you gave does not enter the results.")).to_be_visible()
        page.keyboard.press("5")
        with page.expect_response("**/cannot/"):
            page.keyboard.press("Enter")
        ready(page, 2)
        page.keyboard.press("x")
        expect(page.get_by_text("An answer that you gave does not enter the results.")).to_be_hidden()
        page.keyboard.press("Escape")
        page.keyboard.press("Backspace")
        ready(page, 1)
        expect(page.get_by_text("You said that you cannot judge this.")).to_be_visible()
        expect(page.locator(".could-not .reason")).not_to_be_empty()
        expect(chosen).to_have_count(0)
        press(page, "ArrowRight")
        ready(page, 2)
    assert stored() == {1: "right"}
    assert said() == [(1, "other", ""), (1, "other", "")]


def test_by_touch_with_the_button(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    # Below the choices, without the menu.
    page.get_by_role("button", name="Cannot judge").tap()
    rows, tops = page.locator("#cannot :is(label, button)"), "all => all.map(one => one.offsetTop)"
    before = rows.evaluate_all(tops)
    page.get_by_role("button", name="Send and go on").tap()
    expect(page.get_by_text("Choose a reason first.")).to_be_visible()
    assert rows.evaluate_all(tops) == before
    page.get_by_label("Something else").tap()
    with page.expect_response("**/cannot/"):
        page.get_by_role("button", name="Send and go on").tap()
    ready(page, 2)
    assert said() == [(1, "other", "")]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


def test_a_picture_that_is_lost_for_good_can_be_passed(page, live_server):
    study = make_study(kind="image")
    give_pictures(study)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.route(re.compile("/image/"), lambda route: route.fulfill(status=404))
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    missing = page.locator(".question:visible .missing").first
    expect(missing.get_by_role("button", name="Try again")).to_be_visible()
    page.wait_for_timeout(400)  # a view takes nothing in its first quarter of a second
    missing.get_by_role("button", name="I cannot judge this").click()
    expect(page.get_by_label("It is broken, or cannot be read")).to_be_checked()
    with page.expect_response("**/cannot/"):
        page.keyboard.press("Enter")
    expect(page.locator(".where")).to_have_text("2 of 13")
    assert said() == [(1, "broken", "")]
    assert stored() == {}


def test_axe_finds_nothing(page, address):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("x")
    assert_accessible(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    assert_accessible(page)
