"""Judging by touch, in Chromium: no key is drawn, and what a finger presses is 44 px high."""

import pytest
from playwright.sync_api import expect

from collection.models import Item
from judging.batches import answering
from judging.models import Task
from tests.browser.batches import look_at_all, press, ready
from tests.judging.picking import pick_study
from tests.judging.studies import give_pictures, make_study
from tests.judging.test_grading import graded_study
from tests.makers import invite
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# What can be pressed and is lower than a finger needs. The tab of the side in view does nothing.
LOW = """() => [...document.querySelectorAll("a, button, summary, .reading label")]
    .filter(one => one.checkVisibility({visibilityProperty: true}))
    .filter(one => !one.matches(".switch[aria-selected='true']"))
    .filter(one => one.getBoundingClientRect().height < 43.5)
    .map(one => `${one.className} ${one.innerText.trim()}`)"""
# Keys that are drawn as such, and what arrows do.
KEYS = """() => [...document.querySelectorAll("kbd, .by-ten")]
    .filter(one => one.checkVisibility({visibilityProperty: true}))
    .filter(one => one.matches(".by-ten") || getComputedStyle(one).borderTopWidth !== "0px")
    .map(one => one.parentElement.innerText)"""


def study_of(kind: str):
    if kind in ("0-4", "0-100"):
        study, _ = graded_study(grades_first=True, scale=kind)
    elif kind == "picks":
        study, _ = pick_study(k=1, items=8)
    else:
        study = make_study(kind="image" if kind == "pictures" else "text")
    if kind == "pictures":
        give_pictures(study)
    else:
        Item.objects.update(sources=[{"title": "Flora", "text": "Ferns.", "address": ""}])
    if kind in ("0-4", "0-100", "picks"):
        services.start(study.pk)
        services.catch_up()
    return study


@pytest.mark.parametrize(
    "size", [(390, 844), (844, 390), (320, 568)], ids=["upright", "on its side", "small"]
)
@pytest.mark.parametrize("kind", ["pairs", "pictures", "0-4", "0-100", "picks"])
def test_no_key_is_drawn_and_what_is_pressed_has_a_finger_s_height(
    browser, live_server, settings, tmp_path, kind, size
):
    settings.MEDIA_ROOT = tmp_path
    assessor = invite(study_of(kind))
    answering.arrive(assessor.pk)
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    if kind == "0-100":
        ready(page, 1)
        page.locator(".number input:visible").fill("40")
    if page.locator(".which:visible button").count():
        page.locator(".switch[aria-selected='false']:visible").tap()
    if kind == "picks":
        look_at_all(page)
    ready(page, 1)

    def check(where: str) -> None:
        assert page.evaluate(LOW) == [], where
        assert page.evaluate(KEYS) == [], where

    check("before an answer")
    with page.expect_response("**/answer/"):
        page.locator(".choice:visible").first.tap()
    expect(page.locator("[data-position='2']")).to_be_visible()
    page.locator(".back").tap()
    ready(page, 1)
    expect(page.locator(".keep:visible")).to_have_count(1)
    check("after it")
    if page.locator(".more:visible").count():
        page.locator(".more").tap()
    check("with the menu")
    if page.get_by_role("button", name="Reading").count():
        page.get_by_role("button", name="Reading").tap()
        check("with aids for reading")
        page.get_by_role("dialog").get_by_role("button", name="Close").tap()
    context.close()


# The only answer of a topic.
ALONE = ".topic + li:not(:has(+ :not(.topic)))"


def test_answers_on_the_last_page_stand_in_columns_of_one_width(page, address):
    Task.objects.update(scale="5")
    page.goto(address)
    for position in range(1, 14):
        ready(page, position)
        press(page, str(position % 5 + 1))
    ready(page, 14)
    boxes = [one.bounding_box() for one in page.locator(f".again li:not({ALONE}) a").all()]
    assert len({round(box["width"]) for box in boxes}) == 1
    assert len({round(box["x"]) for box in boxes}) > 2
    # The only one of a topic has the whole width.
    page.evaluate(
        "() => document.querySelectorAll('.again li:not(.topic, .topic + li)').forEach(o => o.remove())"
    )
    rows = [one.bounding_box()["width"] for one in page.locator(".again a, .again .topic").all()]
    assert len({round(width) for width in rows}) == 1
