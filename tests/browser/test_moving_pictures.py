"""Pictures that move: stills until somebody plays them, in step, and no answer before."""

import io

import pytest
from django.core.files.base import ContentFile
from PIL import Image
from playwright.sync_api import expect

from collection.models import Item, Study
from judging.batches import answering
from judging.models import Judgment
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready
from tests.judging.picking import pick_study
from tests.judging.studies import invite, make_study
from tests.servers import wait_until
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

RED, BLUE = (254, 0, 0), (0, 0, 254)
# Pictures of the question in view that are kept under an address of the page's own: they play.
PLAYS = "() => document.querySelectorAll('[data-position]:not([hidden]) img[src^=\"blob:\"]').length"


def film(kind: str) -> bytes:
    """Red for a tenth of a second, then blue for a minute."""
    frames = [Image.new("RGB", (80, 60), colour) for colour in (RED, BLUE)]
    file = io.BytesIO()
    lossless = {"lossless": True} if kind == "WEBP" else {}
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=[100, 60_000], **lossless)
    return file.getvalue()


@pytest.fixture(params=["GIF", "WEBP", "PNG"])
def kind(request):
    return request.param


def give_films(kind: str) -> None:
    for item in Item.objects.all():
        item.image.save(f"x.{kind.lower()}", ContentFile(film(kind)), save=False)
        item.width, item.height, item.text = 80, 60, ""
        item.save()
    Study.objects.update(kind="image")


def started(live_server, study) -> str:
    assessor = invite(study)
    answering.arrive(assessor.pk)
    return f"{live_server.url}/i/{assessor.reference}/"


def colour(page) -> object:
    """What stands in the middle of the first frame."""
    image = Image.open(io.BytesIO(page.locator("[data-position]:not([hidden]) .frame").first.screenshot()))
    return image.convert("RGB").getpixel((image.width // 2, image.height // 2))


def test_nothing_moves_until_it_is_played_and_no_answer_is_taken_before(
    page, live_server, settings, tmp_path, kind
):
    """Also of pictures that were loaded before stills were stored."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study()
    give_films(kind)
    page.goto(started(live_server, study))
    button = page.get_by_role("button", name="Play both")
    expect(button).to_be_visible()
    assert colour(page) == RED

    def refused() -> bool:
        page.keyboard.press("ArrowLeft")
        return page.locator("#spoken").inner_text() == "Play what moves, then choose."

    wait_until(refused)
    assert not Judgment.objects.exists()
    page.keyboard.press("p")
    page.wait_for_function(f"() => ({PLAYS})() === 2")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.keyboard.press("p")
    page.wait_for_function(f"() => ({PLAYS})() === 0")
    ready(page, 1)
    assert colour(page) == RED
    press(page, "t")
    page.wait_for_selector("[data-position='2']:not([hidden])")
    assert page.evaluate(PLAYS) == 0
    assert Judgment.objects.count() == 1


def test_a_grid_is_played_by_its_button(page, live_server, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study, _ = pick_study()
    give_films("GIF")
    services.start(study.pk)
    services.catch_up()
    page.goto(started(live_server, study))
    page.get_by_role("button", name="Play all").click()
    page.wait_for_function(f"() => ({PLAYS})() === 4")
    ready(page, 1)
    press(page, "1")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_with_pictures_that_move_is_accessible(page, live_server, settings, tmp_path, width):
    settings.MEDIA_ROOT = tmp_path
    page.set_viewport_size({"width": width, "height": 844})
    study = make_study()
    give_films("GIF")
    page.goto(started(live_server, study))
    expect(page.get_by_role("button", name="Play both")).to_be_visible()
    assert_accessible(page)


def test_pictures_that_stand_still_have_no_button(page, live_server, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = make_study()
    for item in Item.objects.all():
        file = io.BytesIO()
        Image.new("RGB", (80, 60), RED).save(file, "GIF")
        item.image.save("x.gif", ContentFile(file.getvalue()), save=False)
        item.width, item.height, item.text = 80, 60, ""
        item.save()
    Study.objects.update(kind="image")
    page.goto(started(live_server, study))
    ready(page, 1)
    press(page, "t")
    ready(page, 2)
    expect(page.locator("[data-play]:visible")).to_have_count(0)
