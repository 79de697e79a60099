"""The preview in Chromium: live beside its settings, answered by keys, kept nowhere."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from collection.models import Membership
from judging.models import Assignment, Judgment, Task
from tests.browser.test_organizer_pages import log_in
from tests.makers import make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def settings_page(page, live_server):
    study = make_study(topics=3, slug="pilot", instructions="Choose the fern.")
    alice = User.objects.create_user("alice", password="a long password", is_staff=True)
    Membership.objects.create(study=study, user=alice, role=Membership.Role.ORGANIZER)
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/pilot/settings/")
    page.get_by_role("heading", name="What assessors read").click()
    return page


def frame_of(page):
    return page.frame_locator("iframe[name=preview]")


def test_changes_show_without_saving_and_cost_no_way_back(settings_page):
    page, frame = settings_page, frame_of(settings_page)
    expect(frame.get_by_text("Which one answers the question better?").first).to_be_visible()
    steps = page.evaluate("history.length")
    page.get_by_label("Question to the assessor").fill("Which is the greener fern?")
    expect(frame.get_by_text("Which is the greener fern?").first).to_be_visible()
    page.get_by_label("Left or right", exact=True).check()
    expect(frame.locator(".choice.tie")).to_have_count(0)
    expect(frame.locator(".choice").first).to_be_visible()
    marked = page.locator(".preview [aria-current]")
    expect(marked).to_have_text("Questions")
    page.get_by_role("button", name="Instructions and consent").click()
    expect(frame.get_by_text("Choose the fern.")).to_be_visible()
    expect(marked).to_have_text("Instructions and consent")
    page.get_by_role("heading", name="What they agree to").click()
    page.get_by_label("Consent").fill("I take part gladly.")
    expect(frame.get_by_text("I take part gladly.")).to_be_visible()
    frame.get_by_role("link", name="I agree, start judging").click()
    expect(frame.locator(".choice").first).to_be_visible()
    assert page.evaluate("history.length") - steps <= 1  # the link that was followed
    assert Task.objects.get().wording == "Which one answers the question better?"


def test_keys_answer_to_the_end_and_begin_again_and_nothing_is_stored(settings_page):
    page, frame = settings_page, frame_of(settings_page)
    expect(frame.locator("body[data-ready='1']")).to_be_visible()
    frame.locator(".question:not([hidden]) h1").click()
    for at, key in enumerate(["ArrowLeft", "t", "ArrowRight", "ArrowLeft"], 1):
        expect(frame.locator(f"body[data-ready='{at}']")).to_be_visible()
        page.keyboard.press(key)
    expect(frame.locator("body[data-ready='5']")).to_be_visible()
    page.keyboard.press("Enter")
    expect(frame.locator("body[data-ready='1']")).to_be_visible()
    assert not Judgment.objects.exists()
    assert not Assignment.objects.exists()


def test_without_scripts_a_button_shows_the_settings(browser, live_server, settings_page):
    context = browser.new_context(
        java_script_enabled=False, storage_state=settings_page.context.storage_state()
    )
    page = context.new_page()
    page.goto(f"{live_server.url}/studies/pilot/settings/")
    page.get_by_role("heading", name="What assessors read").click()
    page.get_by_label("Question to the assessor").fill("Which is the greener fern?")
    page.get_by_role("button", name="Questions", exact=True).click()
    expect(frame_of(page).get_by_text("Which is the greener fern?").first).to_be_visible()
    frame_of(page).locator(".choice").first.click()
    expect(frame_of(page).get_by_text("2 of 4", exact=True)).to_be_visible()
    context.close()
