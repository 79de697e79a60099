"""The page of those for whom nothing waits: it looks on request, and says when there is something."""

import pytest
from playwright.sync_api import expect

from collection.models import Study
from collection.study import lifecycle
from judging.models import Question
from tests.judging.studies import invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def waiting(page, live_server):
    """The page of somebody for whom there is nothing now."""
    study = make_study()
    Question.objects.update(wanted=0)
    page.clock.install()
    page.goto(f"{live_server.url}/i/{invite(study).reference}/")
    return page


def test_it_looks_every_minute_and_says_that_questions_wait(waiting):
    expect(waiting.get_by_role("heading")).to_have_text("Nothing to judge right now")
    waiting.get_by_role("button", name="Tell me when there is more").click()
    expect(waiting.get_by_text("This page looks every minute")).to_be_visible()
    with waiting.expect_response("**/i/**"):
        waiting.clock.fast_forward("01:00")
    expect(waiting.get_by_text("There are questions for you now.")).to_be_hidden()
    Question.objects.update(wanted=3)
    with waiting.expect_response("**/i/**"):
        waiting.clock.fast_forward("01:00")
    expect(waiting.get_by_text("There are questions for you now.")).to_be_visible()
    expect(waiting).to_have_title("● Questions are waiting")
    waiting.get_by_role("link", name="Show them").click()
    expect(waiting.get_by_role("button", name="I agree, start judging")).to_be_visible()


def test_it_goes_on_after_the_page_was_loaded_again_and_looks_at_once_when_it_comes_into_view(waiting):
    waiting.get_by_role("button", name="Tell me when there is more").click()
    waiting.get_by_role("link", name="Check for more questions").click()
    expect(waiting.get_by_text("This page looks every minute")).to_be_visible()
    Question.objects.update(wanted=3)
    with waiting.expect_response("**/i/**"):
        waiting.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(waiting.get_by_text("There are questions for you now.")).to_be_visible()


def test_a_study_that_ends_is_no_news(waiting):
    """Nothing can be begun on the page that says so."""
    waiting.get_by_role("button", name="Tell me when there is more").click()
    lifecycle.close(Study.objects.get().pk)
    with waiting.expect_response("**/i/**"):
        waiting.clock.fast_forward("01:00")
    waiting.get_by_role("button", name="Tell me when there is more").click()
    expect(waiting.get_by_text("There are questions for you now.")).to_be_hidden()
    expect(waiting.get_by_text("This page looks every minute")).to_be_hidden()
