"""Answers that come before anyone can have read: where the study asks whether they stand, in Chromium."""

from dataclasses import asdict
from functools import partial

import pytest
from playwright.sync_api import expect

from judging.batches import answering
from judging.models import Assignment, Judgment, Task
from judging.questions.reading_time import least_seconds
from judging.tasks.aspects import AspectSettings
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, stored, tell_all
from tests.browser.test_seen import SCROLL
from tests.judging.picking import pick_study
from tests.judging.test_grading import graded_study
from tests.makers import invite
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# Nobody reads a tenth of both in the seconds that a test takes.
LONG = "A long passage about something else. " * 4000


@pytest.fixture
def asks_again(study):
    Task.objects.update(confirm_hasty=True)
    tell_all(LONG)
    return study


@pytest.fixture
def panel(page):
    return page.get_by_role("dialog", name="Keep this answer?")


def test_a_hasty_answer_is_asked_about_once_and_kept_by_enter(page, address, asks_again, panel):
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    expect(panel).to_be_visible()
    expect(panel.get_by_role("button")).to_have_count(2)
    expect(panel).to_contain_text("per cent of what is shown was in view.")
    assert_accessible(page)
    assert not Judgment.objects.exists()
    # An answer that is given meanwhile by its key is none.
    page.keyboard.press("ArrowRight")
    expect(panel).to_be_visible()
    press(page, "Enter")
    expect(panel).to_be_hidden()
    ready(page, 2)
    assert stored() == {1: "left"}


@pytest.mark.parametrize(
    ("make", "key"),
    [(pick_study, "1"), (partial(graded_study, grades_first=True), "3")],
    ids=["pick", "grade"],
)
def test_picks_and_grades_are_asked_about_too(page, live_server, panel, make, key):
    study, _ = make(confirm_hasty=True)
    services.start(study.pk)
    services.catch_up()
    tell_all(LONG)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    page.keyboard.press(key)
    expect(panel).to_contain_text("per cent of what is shown was in view.")
    press(page, "Enter")
    ready(page, 2)


def test_an_answer_that_is_kept_is_named_and_leads_to_what_is_asked_besides(page, address, asks_again, panel):
    task = Task.objects.get()
    task.settings = asdict(AspectSettings(aspects="Correct", reasons="Too long"))
    task.save()
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    expect(panel).to_contain_text("Left chosen.")
    page.keyboard.press("Enter")
    expect(panel).to_be_hidden()
    expect(page.locator(".aspect[data-current] .name")).to_have_text("Correct")
    page.keyboard.press("ArrowRight")
    press(page, "Enter")
    assert Judgment.objects.get().details == {"aspects": {"Correct": -1}}


def test_who_reads_on_gives_the_answer_afterwards(page, address, asks_again, panel):
    page.goto(address)
    ready(page, 1)
    page.get_by_role("button", name="Left", exact=True).click()
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert page.locator("[data-position='1'] [aria-pressed='true']").count() == 0
    page.evaluate(SCROLL, [0, 1])
    # It was asked once.
    press(page, "ArrowRight")
    ready(page, 2)
    assert stored() == {1: "right"}


def test_an_answer_after_the_least_time_is_taken_at_once(page, address, asks_again, panel):
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.run_for(round(1000 * least_seconds(2 * len(f"{LONG}000000"), 0)))
    press(page, "ArrowLeft")
    expect(panel).to_be_hidden()
    assert stored() == {1: "left"}


def test_a_double_click_on_a_choice_keeps_nothing(page, address, asks_again, panel):
    page.goto(address)
    ready(page, 1)
    page.get_by_role("button", name="Right", exact=True).dblclick()
    expect(panel).to_be_visible()
    assert not Judgment.objects.exists()
    panel.get_by_role("button", name="Keep it").click()
    ready(page, 2)


def test_three_answers_in_a_run_under_a_second_are_remarked_once_and_taken(page, address, panel):
    """By a clock that the test turns, in a study that asks about none of them."""
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.pause_at(600)
    note = page.locator(".quick")

    def answer(position: int, seconds: int = 0) -> None:
        page.clock.run_for(1000 * seconds)
        press(page, "ArrowLeft")
        page.clock.run_for(500)
        ready(page, position + 1)

    # The first question's time is a minute: it begins no run, and a slow one ends it.
    for position, seconds in ((1, 0), (2, 0), (3, 0), (4, 2), (5, 0), (6, 0)):
        answer(position, seconds)
        expect(note).to_be_hidden()
    answer(7)
    expect(note).to_have_text(
        "Your last 3 answers took less than a second each. Take the time that you need."
    )
    expect(panel).to_be_hidden()
    for position in range(8, 12):
        answer(position)
        expect(note).to_be_hidden()
    assert len(stored()) == 11


def test_a_study_that_does_not_ask_takes_it_at_once(page, address, study, panel):
    tell_all(LONG)
    page.goto(address)
    ready(page, 1)
    press(page, "ArrowLeft")
    assert stored() == {1: "left"}
    expect(panel).to_be_hidden()


def test_a_text_of_a_few_words_is_read_at_once(page, address, study):
    """Short passages take a twentieth of a second: no answer that a person gives is hasty."""
    Task.objects.update(confirm_hasty=True)
    tell_all("Short.")
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    page.clock.run_for(50)
    press(page, "ArrowLeft")
    assert stored() == {1: "left"}
    assert Assignment.objects.get().batch.count() == 13
