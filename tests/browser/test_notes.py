"""Marks and notes at questions in Chromium: by keys alone, kept by the server, shown when one comes back."""

import pytest
from playwright.sync_api import expect

from judging.models import AnswerNote
from tests.browser.batches import press, ready, stored
from tests.judging.test_desk_pages import begin, seated

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(page, live_server, study, settings):
    """The judging page of somebody with an account, in a batch of a topic."""
    browser = seated(study)
    begin(browser, study, study.topics.first())
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie.value, "url": live_server.url}]
    )
    page.goto(f"{live_server.url}/desk/{study.slug}/judge/")
    ready(page, 1)
    return page


def save(page, key: str) -> None:
    with page.expect_response("**/note/"):
        page.keyboard.press(key)


def test_a_question_is_marked_by_two_keys_and_a_note_by_typing(desk):
    desk.keyboard.press("u")
    save(desk, "Enter")
    expect(desk.locator("[data-note]")).to_have_attribute("data-marked", "")
    press(desk, "ArrowLeft")
    ready(desk, 2)
    expect(desk.locator("[data-note]")).not_to_have_attribute("data-marked", "")
    desk.keyboard.press("u")
    desk.keyboard.type("x 1 ← both left;")
    desk.keyboard.press("Shift+Enter")
    desk.keyboard.type("ask Erik")
    save(desk, "Enter")
    assert list(AnswerNote.objects.order_by("pk").values_list("uncertain", "text")) == [
        (True, ""),
        (True, "x 1 ← both left;\nask Erik"),
    ]
    # Typing answers nothing.
    assert stored() == {1: "left"}
    desk.reload()
    ready(desk, 2)
    desk.keyboard.press("u")
    expect(desk.locator("#note textarea")).to_have_value("x 1 ← both left;\nask Erik")


def test_a_mark_that_cannot_be_saved_is_said_and_holds_up_no_answer(desk):
    desk.context.clear_cookies()
    desk.keyboard.press("u")
    desk.keyboard.press("Enter")
    expect(desk.locator(".saving")).to_have_text("Your mark was not saved. Press U to try again.")
    press(desk, "ArrowLeft")
    assert stored() == {1: "left"}
