"""Sides that show the same or nothing: the page says so, and has the tie in reach."""

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import expect

from collection.models import Item
from judging.batches import answering
from judging.models import Judgment
from tests.browser.batches import press, ready, stored
from tests.judging.picking import pick_study
from tests.judging.studies import invite, make_study, picture
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

SAME = "Both sides show the same. Choose Tie."


@pytest.fixture
def begun(live_server, settings, tmp_path):
    """A function: the address of somebody who holds a batch of a study."""
    settings.MEDIA_ROOT = tmp_path

    def make(study):
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    return make


def give(colour_of) -> None:
    """Give every item a picture in place of its text, of the colour that a function of its number says."""
    for number, item in enumerate(Item.objects.order_by("pk")):
        item.image.save("x.png", picture(colour_of(number)), save=False)
        item.width, item.height, item.text = 40, 30, ""
        item.save()


@pytest.mark.parametrize("pictured", [False, True], ids=["texts", "pictures"])
def test_two_that_are_the_same_are_called_so_and_enter_gives_the_tie(page, begun, pictured):
    study = make_study(kind="image" if pictured else "text")
    if pictured:
        give(lambda _: (9, 99, 199))
    else:
        Item.objects.update(text="The same for all.")
    page.goto(begun(study))
    ready(page, 1)
    expect(page.locator(".same:visible")).to_have_text(SAME)
    expect(page.locator("#spoken")).to_contain_text(SAME)
    expect(page.locator("[data-position='1'] .choice.tie")).to_be_focused()
    press(page, "Enter")
    ready(page, 2)
    assert stored() == {1: "tie"}


def test_another_answer_than_the_tie_is_asked_about_once(page, begun):
    study = make_study()
    Item.objects.update(text="The same for all.")
    page.goto(begun(study))
    ready(page, 1)
    panel = page.get_by_role("dialog", name="Keep this answer?")
    page.keyboard.press("ArrowLeft")
    expect(panel).to_contain_text("Left chosen. Both sides show the same.")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert stored() == {}
    press(page, "ArrowRight")
    ready(page, 2)
    page.keyboard.press("ArrowLeft")
    expect(panel).to_be_visible()
    press(page, "Enter")
    ready(page, 3)
    page.keyboard.press("ArrowLeft")
    # It stands out, as the answer to expect.
    expect(panel.locator("button.main")).to_have_text("Choose Tie T")
    panel.get_by_role("button", name="Choose Tie").click()
    ready(page, 4)
    page.keyboard.press("ArrowLeft")
    press(page, "t")
    ready(page, 5)
    assert stored() == {1: "right", 2: "left", 3: "tie", 4: "tie"}


def test_pictures_of_one_size_in_bytes_that_differ_are_not_called_the_same(page, begun):
    """Files of one length: the second has another last byte."""
    study = make_study(kind="image")
    file = picture((9, 99, 199)).read()
    for number, item in enumerate(Item.objects.order_by("pk")):
        # What follows a picture's end is not shown.
        item.image.save("x.png", ContentFile(file + bytes([number])), save=False)
        item.width, item.height, item.text = 40, 30, ""
        item.save()
    compared = []
    page.on("request", lambda one: compared.append(one.url) if one.resource_type == "fetch" else None)
    page.goto(begun(study))
    ready(page, 1)
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(one => one.initiatorType === 'fetch')"
    )
    press(page, "ArrowLeft")
    ready(page, 2)
    assert compared
    expect(page.locator(".same:visible")).to_have_count(0)


def test_two_that_differ_are_not_called_the_same(page, begun):
    page.goto(begun(make_study()))
    ready(page, 1)
    expect(page.locator(".same:visible")).to_have_count(0)
    expect(page.locator("[data-position='1'] h1")).to_be_visible()


def test_picks_name_those_that_show_the_same(page, begun):
    study, _ = pick_study()
    Item.objects.filter(docno__lt="t1-c").update(text="Twins.")
    Item.objects.filter(docno__gt="t1-c").update(text="Others.")
    services.start(study.pk)
    services.catch_up()
    page.goto(begun(study))
    ready(page, 1)
    told = page.locator("[data-position='1'] .same")
    texts = page.locator("[data-position='1'] .passage").all_inner_texts()
    groups = [[str(n) for n, text in enumerate(texts, 1) if text == one] for one in dict.fromkeys(texts)]
    said = "; ".join(", ".join(group) for group in groups if len(group) > 1)
    expect(told).to_have_text(f"These show the same: {said}")


@pytest.mark.parametrize("nothing", ["   ", "\u200b", " \u2060\u200d "])
def test_a_text_of_which_nothing_can_be_seen_is_called_empty(page, begun, nothing):
    study = make_study()
    Item.objects.update(text=nothing)
    page.goto(begun(study))
    ready(page, 1)
    expect(page.locator("[data-position='1'] .passage")).to_have_text(["(this answer is empty)"] * 2)
    assert not Judgment.objects.exists()
