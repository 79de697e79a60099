"""Pictures on the judging page in Chromium: nothing is chosen before both can be seen, none is blown up."""

import io

import pytest
from django.core.files.base import ContentFile
from PIL import Image
from playwright.sync_api import expect

from collection.models import Item
from judging.batches import answering
from judging.models import Judgment
from tests.browser.batches import press, ready
from tests.judging.studies import give_pictures, invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WAITING = "The pictures are still on their way"
# The largest box in which a picture is painted, as shares of its natural size and of its frame.
PAINTED = """() => [...document.querySelectorAll("[data-position]:not([hidden]) .frame img")].map(img => {
    const box = img.getBoundingClientRect(), frame = img.parentElement;
    const style = getComputedStyle(img), width = parseFloat(style.width), height = parseFloat(style.height);
    const own = box.width / width;
    const fit = Math.min(1, width / img.naturalWidth, height / img.naturalHeight);
    return {size: [img.naturalWidth, img.naturalHeight], times: own * fit,
            across: own * fit * img.naturalWidth / frame.clientWidth,
            fills: Math.max(own * fit * img.naturalWidth / frame.clientWidth,
                            own * fit * img.naturalHeight / frame.clientHeight)};
})"""


@pytest.fixture
def pictured(live_server, settings, tmp_path):
    """The address of somebody with a batch of pictures."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    give_pictures(study)
    return started(live_server, study)


def started(live_server, study) -> str:
    assessor = invite(study)
    answering.arrive(assessor.pk)
    return f"{live_server.url}/i/{assessor.reference}/"


def choices(page):
    return page.locator("[data-position='1'] .choice")


def test_choices_are_off_until_both_pictures_have_come(page, pictured):
    """One comes late, the other later; keys, clicks and Enter do nothing meanwhile, and that is said."""
    held = []
    page.route("**/image/**", lambda route: held.append(route))
    page.goto(pictured, wait_until="commit")
    expect(page.locator(".waiting:visible")).to_have_text([WAITING] * 2)
    page.wait_for_function("() => document.body?.classList.contains('heard')")
    sources = page.locator("[data-position='1'] .frame img").evaluate_all("all => all.map(img => img.src)")
    for source, left in zip(sources, (1, 0), strict=True):
        for choice in choices(page).all():
            expect(choice).to_have_attribute("aria-disabled", "true")
            choice.click(force=True)
            choice.press("Enter")
        for key in ("ArrowLeft", "t", "0", "ArrowRight"):
            page.keyboard.press(key)
        assert Judgment.objects.count() == 0
        [route] = [route for route in held if route.request.url == source]
        route.continue_()
        expect(page.locator(".waiting:visible")).to_have_count(left)
    ready(page, 1)
    expect(page.locator("[data-position='1'] .choice[aria-disabled]")).to_have_count(0)
    page.unroute("**/image/**")  # what is held goes on
    press(page, "ArrowLeft")
    ready(page, 2)
    assert Judgment.objects.count() == 1


def test_pictures_of_later_questions_are_fetched_in_turn_and_all_of_them_ahead(page, pictured):
    """A slow line carries the question in view first, then two further ones at a time."""
    held, asked = [], []

    def hold(route):
        held.append(route)
        asked.append(route.request.url)

    page.route("**/image/**", hold)
    page.goto(pictured, wait_until="commit")
    page.wait_for_function("() => document.body?.classList.contains('heard')")
    sources = page.locator("[data-position] .frame img").evaluate_all("all => all.map(img => img.src)")
    later = page.locator("img[data-later]")
    expect(later).to_have_count(26 - 2)
    assert asked == sources[:2]
    for route in list(held):
        route.continue_()
    ready(page, 1)
    expect(later).to_have_count(26 - 6)
    assert set(asked) <= set(sources[:6])
    page.unroute("**/image/**")  # what is held goes on
    all_come = "() => [...document.querySelectorAll('.frame img')].every(img => img.naturalWidth)"
    page.wait_for_function(all_come)


def test_a_picture_that_does_not_load_offers_a_retry_and_nothing_is_chosen_before(page, pictured):
    page.clock.install(time=0)
    page.route("**/image/**", lambda route: route.abort())
    page.goto(pictured)
    expect(page.get_by_text("This picture did not load.").locator("visible=true")).to_have_count(2)
    page.clock.run_for(20_000)  # all tries that the page makes by itself
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-position='1']")).to_have_attribute("data-choice", "")
    page.unroute("**/image/**")
    for left in (1, 0):
        expect(choices(page).first).to_have_attribute("aria-disabled", "true")
        page.get_by_role("button", name="Try again").first.click()
        expect(page.locator(".missing:visible")).to_have_count(left)
    expect(choices(page).first).not_to_have_attribute("aria-disabled", "true")
    page.clock.run_for(1000)
    press(page, "ArrowLeft")


def test_the_pictures_of_the_next_questions_are_unpacked_ahead(page, pictured):
    """Those of the question in view and of the next two: their frames wait for nothing; further ones do."""
    page.goto(pictured)
    ready(page, 1)
    unpacked = (
        "n => [...document.querySelectorAll(`[data-position='${n}'] .frame`)].every(f => !f.dataset.state)"
    )
    for position in (1, 2, 3):
        page.wait_for_function(unpacked, arg=position)
    assert page.evaluate(unpacked, 4) is False
    press(page, "ArrowLeft")
    page.wait_for_function(unpacked, arg=4)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_picture_is_shown_beyond_150_percent_of_its_size(page, live_server, settings, tmp_path, width):
    """64 x 64 stops there; 1600 x 1200 fills its frame in height or width, and a strip in width."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    for number, item in enumerate(Item.objects.order_by("pk")):
        file = io.BytesIO()
        size = ((64, 64), (400, 3000), (1600, 1200))[number % 3]
        Image.new("RGB", size, (9, 99, 199)).save(file, "PNG")
        item.image.save("x.png", ContentFile(file.getvalue()), save=False)
        item.width, item.height = size
        item.text = ""
        item.save()
    page.set_viewport_size({"width": width, "height": 844})
    address = started(live_server, study)
    met = set()
    for position in range(1, 14):
        page.goto(f"{address}?at={position}")
        ready(page, position)
        for found in page.evaluate(PAINTED):
            assert found["times"] <= 1.5001
            if found["size"] == [64, 64]:
                assert found["times"] == pytest.approx(1.5, abs=0.005)
            else:
                # Beside a strip another picture begins as wide as its frame, too.
                reached = {"times": found["times"] / 1.5, "fills": found["fills"], "across": found["across"]}
                assert pytest.approx(min(reached.values(), key=lambda one: abs(one - 1)), abs=0.005) == 1
            met.add(tuple(found["size"]))
        if len(met) == 3:
            break
    assert len(met) == 3


def test_a_picture_is_called_by_its_place_on_the_page(page, pictured):
    """Upper and lower where the two are stacked, by style alone."""
    page.goto(pictured)
    for width, names in (
        (1280, ["Left picture, 40 by 30", "Right picture, 40 by 30"]),
        (390, ["Upper picture, 40 by 30", "Lower picture, 40 by 30"]),
    ):
        page.set_viewport_size({"width": width, "height": 844})
        for name in names:
            expect(page.get_by_role("img", name=name, exact=True)).to_have_count(1)
