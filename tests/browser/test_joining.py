"""The open link in Chromium: the browser that joined by it is offered to go on, and nothing else changes."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from judging.batches import answering
from judging.models import Assessor, Assignment, Question, Task
from judging.people.receipt_numbers import receipt_number
from tests.browser.batches import answer_from, press, ready, stored
from tests.judging.picking import pick_study
from tests.judging.studies import invite
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


FORBIDDEN = """
Object.defineProperty(window, "localStorage", {get() { throw new DOMException("", "SecurityError"); }});
"""


@pytest.fixture
def link(live_server, study):
    study.join_token = "open-to-all"
    study.save()
    return f"{live_server.url}/join/open-to-all/"


def join(page, link) -> str:
    """Join by the open link; the personal address."""
    page.goto(link)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="I agree, start judging").wait_for()
    page.wait_for_load_state()  # by then the page has remembered its address
    return page.url


def send(page) -> None:
    """Send the answers of a batch, and wait for the page after it."""
    page.get_by_role("button", name="Send my answers").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    page.wait_for_load_state()


def test_the_browser_that_joined_goes_on_where_it_was(page, link):
    home = join(page, link)
    # However long the instructions, what they lead to is in view; of the keys those that answer.
    expect(page.get_by_role("button", name="I agree, start judging")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("a tie: neither is better")).to_be_visible()
    expect(page.get_by_text("the question before")).to_be_hidden()
    # What it means to agree is below the window, and one press away.
    terms = page.get_by_role("heading", name="What you agree to")
    expect(terms).not_to_be_in_viewport()
    page.get_by_role("link", name="What you agree to").click()
    expect(terms).to_be_in_viewport()
    page.goto(home)
    page.get_by_role("button", name="I agree, start judging").click()
    answer_from(page, 1, 2)
    ready(page, 3)
    page.goto(link)
    expect(page.get_by_text("You are at 3 of 13.")).to_be_visible()
    until = page.get_by_text(re.compile(r"You have until .*\d\d:\d\d\.$"))
    expect(until).to_be_visible()
    page.get_by_role("link", name="Go on where you were").click()
    ready(page, 3)
    assert page.url == home
    # Once the server has waited for long it may have given them to others: nothing is promised.
    page.clock.set_fixed_time(timezone.now() + timedelta(minutes=Task.objects.get().idle_minutes + 1))
    page.goto(link)
    expect(page.get_by_text("You are at 3 of 13.")).to_be_visible()
    expect(until).to_have_count(0)
    assert Assessor.objects.count() == 1


def test_begin_is_in_view_on_a_phone_also_where_six_are_shown_in_small(page, live_server):
    study, _ = pick_study()
    study.join_token = "six"
    study.save()
    services.start(study.pk)
    services.catch_up()
    page.set_viewport_size({"width": 390, "height": 664})
    page.goto(f"{live_server.url}/join/six/")
    expect(page.locator(".miniature .one")).to_have_count(6)
    expect(page.get_by_role("button", name="Begin")).to_be_in_viewport(ratio=1)


def test_enter_begins_and_later_goes_on_but_never_consents(page, link):
    page.goto(link)
    expect(page.get_by_role("button", name="Begin")).to_be_focused()
    page.keyboard.press("Enter")
    agree = page.get_by_role("button", name="I agree, start judging")
    expect(agree).to_be_visible()
    expect(agree).not_to_be_focused()
    page.goto(link)
    expect(page.get_by_role("link", name="Go on where you were")).to_be_focused()


def test_the_back_button_leaves_and_returns_without_harm(page, address):
    page.goto("about:blank")
    page.goto(address)
    answer_from(page, 1, 2)
    ready(page, 3)
    page.go_back()
    page.go_forward()
    ready(page, 3)
    assert list(stored()) == [1, 2]


def test_somebody_else_at_the_same_browser_joins_and_is_remembered_then(page, link):
    first = join(page, link)
    page.goto(link)
    page.get_by_role("button", name="I am somebody else").click()
    expect(page.get_by_text("What you began stays in this browser")).to_be_visible()
    assert Assessor.objects.count() == 1
    page.get_by_role("button", name="Begin as somebody else").click()
    page.get_by_role("button", name="I agree, start judging").wait_for()
    page.wait_for_load_state()
    assert page.url != first
    second = page.url
    # The last one comes first, and nobody loses what they began.
    for number, home in enumerate((second, first)):
        page.goto(link)
        page.get_by_role("link", name="Go on where you were").nth(number).click()
        page.wait_for_url(home)
    assert Assessor.objects.count() == 2


def test_the_link_says_what_was_sent_and_what_can_be_done_now(page, link):
    home = join(page, link)
    page.get_by_role("button", name="I agree, start judging").click()
    answer_from(page, 1, 13)
    ready(page, 14)
    page.goto(link)
    expect(page.get_by_text("All your answers are given, and not sent yet.")).to_be_visible()
    # The figures of a batch for somebody new say nothing of the one that is open.
    expect(page.get_by_text("Who asks")).to_be_hidden()
    page.get_by_role("link", name="Go on where you were").click()
    ready(page, 14)
    send(page)
    page.goto(link)
    expect(page.get_by_text("You sent 13 answers at")).to_be_visible()
    # Who has judged here is not told again what it is about; the figures are those of what is offered.
    expect(page.get_by_text("You see two passages of text at a time")).to_be_hidden()
    expect(page.get_by_role("heading", name="The next batch")).to_be_visible()
    expect(page.get_by_role("button", name="Judge another batch")).to_be_focused()
    expect(page.get_by_role("link", name="Go on where you were")).to_have_count(0)
    page.get_by_role("link", name="Read your answers").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    page.goto(link)
    # Where its texts are others by now, its page has them.
    Task.objects.update(version=2)
    page.goto(link)
    page.get_by_role("link", name="Judge another batch").click()
    expect(page.get_by_text("The instructions have been changed since your last batch")).to_be_visible()
    assert page.url == home
    Task.objects.update(version=1)
    page.goto(link)
    page.get_by_role("button", name="Judge another batch").click()
    ready(page, 1)
    assert page.url == home
    # A batch that was closed meanwhile is not offered, once its page was looked at.
    page.goto(link)
    expect(page.get_by_text("You are at 1 of")).to_be_visible()
    Assignment.objects.filter(submitted_at=None).update(state=Assignment.State.LAPSED)
    page.goto(home)
    expect(page.get_by_role("heading", name="Nothing to judge right now")).to_be_visible()
    page.wait_for_load_state()
    # Nothing is offered where nothing is left.
    Question.objects.update(wanted=0)
    page.goto(link)
    expect(page.get_by_role("heading", name="Nothing to judge right now")).to_be_visible()
    expect(page.get_by_text("You sent 13 answers at")).to_be_visible()
    expect(page.get_by_role("button", name="Judge another batch")).to_have_count(0)
    expect(page.get_by_role("link", name="Go on where you were")).to_have_count(0)
    expect(page.get_by_role("link", name="Read your answers")).to_be_visible()


def test_no_batch_is_offered_to_a_person_who_was_told_that_there_is_none(page, link):
    home = join(page, link)
    page.get_by_role("button", name="I agree, start judging").click()
    answer_from(page, 1, 13)
    ready(page, 14)
    page.get_by_role("button", name="Send my answers").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    Assessor.objects.update(excluded_at=timezone.now())
    page.goto(home)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.get_by_text("Judge another batch")).to_have_count(0)
    page.wait_for_load_state()
    page.goto(link)
    expect(page.get_by_text("You sent 13 answers at")).to_be_visible()
    expect(page.get_by_text("Judge another batch")).to_have_count(1)
    expect(page.get_by_text("Judge another batch")).to_be_hidden()
    expect(page.get_by_role("heading", name="The next batch")).to_be_hidden()
    page.get_by_role("link", name="Check for more questions").click()
    page.wait_for_url(home)


def test_who_holds_the_last_questions_can_go_on_where_nobody_else_can_join(page, link, study):
    """The page of the link says that nothing is left, and has the way back to what is theirs."""
    home = join(page, link)
    answering.arrive(Assessor.objects.get().pk)
    Question.objects.filter(taken=0).update(wanted=0)
    page.goto(link)
    expect(page.get_by_role("heading", name="Nothing to judge right now")).to_be_visible()
    page.get_by_role("link", name="Go on where you were").click()
    ready(page, 1)
    assert page.url == home


def test_another_browser_and_one_without_storage_join_as_before(page, link, browser):
    join(page, link)
    other = browser.new_context().new_page()
    other.add_init_script(FORBIDDEN)
    complaints = []
    other.on("pageerror", lambda error: complaints.append(str(error)))
    join(other, link)
    other.goto(link)
    expect(other.get_by_role("button", name="Begin")).to_be_visible()
    expect(other.get_by_role("link", name="Go on where you were")).to_be_hidden()
    assert not complaints
    other.context.close()


def test_what_is_stored_leads_nowhere_else(page, link):
    page.goto(link)
    for address in ("https://example.org/", "//example.org/", "javascript:alert(1)", "/\\example.org"):
        page.evaluate(
            "address => localStorage.setItem('faceoff:joined:' + location.pathname, address)", address
        )
        page.reload()
        expect(page.get_by_role("button", name="Begin")).to_be_visible()
        expect(page.get_by_role("link", name="Go on where you were")).to_be_hidden()


def test_the_end_shows_what_was_chosen_and_a_number_to_copy(browser, live_server, study):
    """Tiles differ by the first words of what was chosen; those of a tie have those of both."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    assessor = invite(study)
    batch = answering.arrive(assessor.pk)
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    press(page, "t")
    answer_from(page, 2)
    ready(page, 14)
    expect(page.locator("[data-go='1'] .chosen")).to_have_count(2)
    for place in batch.batch.filter(position__gt=1):
        side = {"left": 0, "right": 1}[stored()[place.position]]
        items = [subject.item for subject in place.question.subjects.all()]
        text = items[int(place.shown[side])].text
        expect(page.locator(f"[data-go='{place.position}'] .chosen")).to_have_text(text)
    page.get_by_role("button", name="Send my answers").click()
    page.get_by_role("button", name="Copy the number").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == receipt_number(Assignment.objects.get().pk)
    context.close()


def test_who_has_judged_all_finds_the_receipt_and_a_link_that_is_off_leads_on(page, link, study):
    study.batches_each = 1
    study.save()
    home = join(page, link)
    page.goto(home)
    page.get_by_role("button", name="I agree, start judging").click()
    answer_from(page, 1, 13)
    ready(page, 14)
    send(page)
    page.goto(link)
    expect(page.get_by_text("You have judged all that one person can.")).to_be_visible()
    for gone in ("There is nothing to sign up for", "none needed", "Check for more questions"):
        expect(page.get_by_text(gone)).not_to_be_visible()
    expect(page.get_by_text("Questions? Write to")).to_be_visible()
    page.get_by_role("link", name="Your receipt").click()
    page.wait_for_url(home)
    study.join_token, study.former_join_token = None, study.join_token
    study.save()
    page.goto(link)
    expect(page.get_by_role("heading", name="This study takes nobody new")).to_be_visible()
    page.get_by_role("link", name="Go on where you were").click()
    page.wait_for_url(home)
