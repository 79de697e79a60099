"""The ground of pictures: what is transparent looks the same to every reader."""

import io

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from PIL import Image

from collection.models import Item, Study
from judging.batches import answering
from tests.browser.batches import ready
from tests.judging.organizing import logged_in, staff_of
from tests.judging.studies import invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

GROUNDS = {"light": {(227, 229, 231)}, "white": {(255, 255, 255)}, "grey": {(138, 141, 145)}}
GROUNDS["checker"] = {(195, 199, 204), (255, 255, 255)}


@pytest.fixture
def see_through(settings, tmp_path):
    """A study of pictures that are transparent all over."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    file = io.BytesIO()
    Image.new("RGBA", (400, 300), (0, 0, 0, 0)).save(file, "PNG")
    for item in Item.objects.all():
        item.image.save("x.png", ContentFile(file.getvalue()), save=False)
        item.width, item.height, item.text = 400, 300, ""
        item.save()
    return study


def colours(page, locator) -> set:
    """The colours of an element as it is painted, without its edge."""
    image = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
    width, height = image.size
    return {colour for _, colour in image.crop((9, 9, width - 9, height - 9)).getcolors(width * height) or []}


@pytest.mark.parametrize("ground", GROUNDS)
def test_transparent_pictures_lie_on_the_study_s_ground_in_light_and_dark(
    browser, live_server, see_through, ground
):
    Study.objects.update(ground=ground)
    assessor = invite(see_through)
    answering.arrive(assessor.pk)
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(f"{live_server.url}/i/{assessor.reference}/")
        ready(page, 1)
        found = colours(page, page.locator("[data-position='1'] .frame").first)
        # Where two checks meet, browsers mix them.
        assert found >= GROUNDS[ground]
        assert ground == "checker" or found == GROUNDS[ground]
        page.keyboard.press("z")
        assert colours(page, page.locator("[data-position='1'] .frame").first) >= GROUNDS[ground]
        context.close()


def test_coordinators_see_items_on_the_same_ground(browser, live_server, see_through):
    Study.objects.update(ground="grey")
    staff_of(see_through)
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        cookie = logged_in("alice").cookies["sessionid"]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        page = context.new_page()
        item = Item.objects.first()
        for name, args in (
            ("data-item", [see_through.slug, item.pk]),
            ("data-topic", [see_through.slug, item.topic_id]),
        ):
            page.goto(live_server.url + reverse(name, args=args))
            assert colours(page, page.locator("img[src*='/image/']").first) == GROUNDS["grey"]
        page.goto(live_server.url + reverse("challenges", args=[see_through.slug]))
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        assert colours(page, page.locator("img[src*='/image/']").first) == GROUNDS["grey"]
        context.close()
