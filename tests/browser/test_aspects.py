"""Aspects and reasons in Chromium: asked after the answer, by the same keys, and sent with it."""

from dataclasses import asdict

import pytest

from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from tests.browser.batches import press, ready
from tests.judging.studies import invite

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_aspects_and_reasons_are_given_by_keys_and_changed_by_going_back(page, live_server, study):
    task = asking.task_of(study)
    task.settings = asdict(AspectSettings(aspects="Correct\nClear", reasons="Too long", remark="asked"))
    task.save()
    page.goto(f"{live_server.url}/i/{invite(study).reference}/")
    page.get_by_role("button", name="I agree").click()
    ready(page, 1)
    panel = page.locator(".question:not([hidden]) .details")
    assert panel.is_hidden()
    for key in ("ArrowLeft", "ArrowRight", "t", "1", "w"):
        page.keyboard.press(key)
    assert panel.is_visible()
    page.screenshot(path="/tmp/aspects-1280.png")
    page.keyboard.type("Tells it twice")
    assert not Judgment.objects.exists()
    press(page, "Enter")
    row = Judgment.objects.get()
    assert (row.value, row.details["aspects"]) == (1, {"Correct": -1, "Clear": 0})
    assert (row.details["reasons"], row.remark[16:]) == (["Too long"], "Tells it twice")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    press(page, "Enter")
    assert Judgment.objects.current().get().details["aspects"] == {"Correct": 1, "Clear": 0}
