"""Practice in Chromium: by keys alone, on the judging page, with feedback at once."""

from dataclasses import asdict

import pytest
from playwright.sync_api import expect

from collection.models import Item
from judging.batches import examples
from judging.models import Assignment, Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from tests.browser.accessibility import assert_accessible
from tests.makers import invite, make_study, open_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def address(live_server):
    study = make_study(topics=2)
    task = asking.task_of(study)
    uses = ("example", "practice", "practice")
    told = [
        one._replace(use=use, why="it is greener")
        for use, one in zip(uses, examples.candidates(task), strict=False)
    ]
    task.examples = examples.stored(told)
    task.save()
    open_study(study)
    return f"{live_server.url}/i/{invite(study).reference}/"


def test_the_practice_is_done_by_keys_and_then_judging_begins(page, address):
    page.goto(address)
    assert_accessible(page)
    expect(page.locator("[data-enter] kbd")).to_be_visible()
    page.keyboard.press("Enter")
    for at in (1, 2):
        expect(page.get_by_text(f"Practice {at} of 2.")).to_be_visible()
        expect(page.locator("body[data-ready]")).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_text(f"Practice {at} of 2.")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_text("because it is greener.")).to_be_visible()
        expect(page.locator(".side.left .yours")).to_be_visible()
        expect(page.locator(".side .better-one:visible")).to_have_count(1)
        expect(page.locator("body[data-ready]")).to_be_visible()
        assert_accessible(page)
        page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Practice is done.")
    # What is agreed to is open, the rest was read.
    expect(page.get_by_role("heading", name="What you agree to")).to_be_visible()
    expect(page.get_by_role("heading", name="What you do")).to_be_hidden()
    # A press of Enter out of habit is no consent.
    page.keyboard.press("Enter")
    assert not Assignment.objects.exists()
    page.get_by_role("button", name="I agree").click()
    expect(page.locator("body[data-ready='1']")).to_be_visible()
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_feedback_covers_nothing(page, address, width, height):
    """What is said stands above the question, and the choices are in the window."""
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}?practice=1&task={asking.Task.objects.get().pk}")
    expect(page.locator("body[data-ready]")).to_be_visible()
    assert page.locator("dialog[open]").count() == 0
    page.locator(".choice.left").click()
    expect(page.get_by_text("because it is greener.")).to_be_visible()
    band, head = page.locator(".practice").bounding_box(), page.locator(".asked").bounding_box()
    bar = page.locator(".bar").bounding_box()
    assert band["y"] + band["height"] <= head["y"] + 1
    assert bar["y"] + bar["height"] <= height + 1
    # What the head has last stands at its end, as in a batch.
    last = page.locator(".top > :is(.more, .aids):visible").last.bounding_box()
    assert last["x"] + last["width"] >= width - 24


def test_on_a_phone_the_side_that_was_chosen_stays_in_view(page, address):
    Item.objects.update(text="A long passage. " * 300)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}?practice=1&task={asking.Task.objects.get().pk}")
    page.wait_for_selector("body.heard")
    page.locator(".switch.right:visible").click()
    expect(page.locator("body[data-ready]")).to_be_visible()
    page.locator(".choice.right").click()
    expect(page.get_by_text("because it is greener.")).to_be_visible()
    expect(page.locator(".side.right")).to_be_visible()


@pytest.mark.parametrize("when", ["after", "before"])
def test_aspects_and_reasons_are_practised_and_stored_nowhere(page, address, when):
    task = asking.Task.objects.get()
    task.settings = asdict(AspectSettings(aspects="Correct\nClear", aspects_when=when, reasons="Too long"))
    task.save()
    page.goto(f"{address}?practice=1&task={task.pk}")
    expect(page.locator("body[data-ready]")).to_be_visible()
    answer, aspects = ["ArrowLeft"], ["ArrowRight", "t"]
    for key in [*(answer + aspects if when == "after" else aspects + answer), "1"]:
        page.keyboard.press(key)
    expect(page.locator(".aspect :checked")).to_have_count(2)
    expect(page.get_by_role("checkbox", name="Too long")).to_be_checked()
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(page.locator(".practice.told")).to_contain_text("because it is greener.")
    expect(page.locator(".details")).to_have_count(0)
    expect(page.locator("body[data-ready]")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Practice 2 of 2.")).to_be_visible()
    assert not Judgment.objects.exists()
