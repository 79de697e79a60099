"""Both pictures of a pair in one frame, in Chromium: a curtain, and one after the other."""

import pytest
from playwright.sync_api import expect

from judging.models import Judgment
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, stored
from tests.browser.test_zoom import pictures

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

__all__ = ["pictures"]

CURTAIN = "() => document.querySelector('.both').style.getPropertyValue('--curtain')"

# Whether the curtain stands there, and the names that are seen are these.
SHOWN = f"""([share, names]) => ({CURTAIN})() === share
    && document.querySelector('.names').innerText.trim().split(/\\s+/).join(' ') === names"""


@pytest.fixture
def frame(pictures):
    """The dialog, open."""
    pictures.keyboard.press("b")
    found = pictures.get_by_role("dialog", name="Both in one frame")
    expect(found).to_be_visible()
    return found


def test_it_shows_both_pictures_of_the_question_in_view(pictures, frame):
    sides = pictures.locator("[data-position='1'] .side img").evaluate_all("all => all.map(one => one.src)")
    copies = frame.locator("img").evaluate_all("all => all.map(one => one.src)")
    assert copies == sides
    assert len(set(copies)) == 2
    assert_accessible(pictures)


def test_the_curtain_follows_arrows_and_the_pointer(pictures, frame):
    assert pictures.evaluate(CURTAIN) == "50%"
    frame.get_by_role("slider").focus()
    pictures.keyboard.press("ArrowLeft")
    assert pictures.evaluate(CURTAIN) == "49%"
    box = frame.locator(".both").bounding_box()
    pictures.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    assert pictures.evaluate(CURTAIN) == "25%"
    pictures.wait_for_function(SHOWN, arg=["25%", "Left Right"])
    frame.get_by_role("slider").focus()
    pictures.keyboard.press("End")
    assert pictures.evaluate(SHOWN, ["100%", "Left"])
    # Arrows there are no answer, nor is what was pressed to open it.
    assert not Judgment.objects.exists()


def test_they_blink_until_the_dialog_closes(pictures, frame):
    pictures.keyboard.press("b")
    expect(frame.get_by_role("button", name="Blink")).to_have_attribute("aria-pressed", "true")
    for share, name in (("100%", "Left"), ("0%", "Right"), ("100%", "Left")):
        pictures.wait_for_function(SHOWN, arg=[share, name])
    pictures.keyboard.press("Escape")
    expect(frame).to_be_hidden()
    press(pictures, "ArrowRight")
    ready(pictures, 2)
    assert stored() == {1: "right"}
    pictures.keyboard.press("b")
    expect(frame.get_by_role("button", name="Blink")).to_have_attribute("aria-pressed", "false")
    assert pictures.evaluate(CURTAIN) == "50%"


def test_its_button_opens_it_too(pictures):
    pictures.get_by_role("button", name="One frame").click()
    expect(pictures.get_by_role("dialog", name="Both in one frame")).to_be_visible()
