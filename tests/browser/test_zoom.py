"""Pictures looked at closely in Chromium: both at the same place, by keys, wheel, buttons and fingers."""

import io

import pytest
from django.core.files.base import ContentFile
from PIL import Image
from playwright.sync_api import expect

from collection.models import Item, Study
from judging.batches import answering
from tests.browser.batches import ready, stored
from tests.judging.studies import give_pictures, invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# How the pictures of the question in view are looked at.
LOOKED = """() => [...document.querySelectorAll(".question:not([hidden]) .frame img")]
    .map(one => one.style.transform)"""
# The point of a picture, in shares of it from its middle, that lies at a share of its frame.
UNDER = """share => [...document.querySelectorAll(".question:not([hidden]) .frame")].map(frame => {
    const [box, at] = [frame, frame.querySelector("img")].map(one => one.getBoundingClientRect());
    return Math.round(1000 * ((box.left + share * box.width - at.left) / at.width));
})"""


@pytest.fixture
def pictures(page, live_server, settings, tmp_path):
    """A batch of pictures; its first question is in view."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    give_pictures(study)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    expect(page.locator(".zoom")).to_be_visible()  # its script listens
    return page


def both(page) -> str:
    """How both pictures are looked at, which is alike."""
    left, right = page.evaluate(LOOKED)
    assert left == right
    return left


def test_z_goes_close_and_back_and_the_next_question_is_whole(pictures):
    pictures.keyboard.press("z")
    assert both(pictures) == "scale(3) translate(0%, 0%)"
    pictures.keyboard.press("Z")
    assert both(pictures) == ""
    pictures.keyboard.press("z")
    pictures.keyboard.press("ArrowLeft")
    ready(pictures, 2)
    assert both(pictures) == ""
    assert stored() == {1: "left"}


def test_arrows_move_both_while_close_and_answer_nothing(pictures):
    pictures.keyboard.press("z")
    for key in ("ArrowDown", "Shift+ArrowRight", "ArrowUp", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowLeft"):
        before = both(pictures)
        pictures.keyboard.press(key)
        assert both(pictures) != before
    for key in ("+", "-", "r", "Space", "PageDown", "End"):
        pictures.keyboard.press(key)
    assert both(pictures) == ""
    assert stored() == {}
    expect(pictures.locator(".where")).to_have_text("1 of 13")


def test_the_wheel_keeps_the_point_under_it_in_both(pictures):
    box = pictures.locator(".frame:visible").first.bounding_box()
    pictures.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    before = pictures.evaluate(UNDER, 0.75)
    pictures.mouse.wheel(0, -400)
    pictures.wait_for_function(f"() => ({LOOKED})().every(one => one.startsWith('scale(2.2'))")
    assert pictures.evaluate(UNDER, 0.75) == before
    assert pictures.evaluate("scrollY") == 0
    pictures.mouse.wheel(0, 4000)
    pictures.wait_for_function(f"() => ({LOOKED})().every(one => one === '')")


def test_a_drag_moves_both_and_no_further_than_the_edge(pictures):
    pictures.keyboard.press("z")
    frame = pictures.locator(".frame:visible").first
    box, inside = frame.bounding_box(), frame.evaluate("one => one.clientWidth")
    pictures.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    pictures.mouse.down()
    pictures.mouse.move(box["x"] + 0.5 * box["width"] - 0.3 * inside, box["y"] + 0.5 * box["height"], steps=3)
    pictures.mouse.up()
    assert both(pictures) == "scale(3) translate(-10%, 0%)"
    for _ in range(40):
        pictures.keyboard.press("Shift+ArrowRight")
    assert both(pictures) == "scale(3) translate(-33.3333%, 0%)"


def test_buttons_do_the_same_and_say_it(pictures):
    pictures.get_by_role("button", name="Closer").click()
    assert both(pictures) == "scale(1.5) translate(0%, 0%)"
    expect(pictures.locator("#spoken")).to_have_text("Shown at 225% of actual size.")
    pictures.get_by_role("button", name="Whole").click()
    assert both(pictures) == ""
    expect(pictures.get_by_role("button", name="Further")).to_have_attribute("aria-disabled", "true")
    pictures.get_by_role("button", name="Full screen").click()
    pictures.wait_for_function("() => document.fullscreenElement !== null")
    assert pictures.locator(".choice:visible").count() == 3
    pictures.keyboard.press("f")
    pictures.wait_for_function("() => document.fullscreenElement === null")


# How wide the pictures in view are painted, in pixels.
WIDTHS = """() => [...document.querySelectorAll(".question:not([hidden]) .frame img")].map(one => {
    const box = one.getBoundingClientRect(), style = getComputedStyle(one);
    const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
    const fits = Math.min(1, width / one.naturalWidth, height / one.naturalHeight);
    return Math.round(fits * one.naturalWidth * box.width / width);
})"""


def test_actual_size_is_each_pictures_own_and_said_in_per_cent(pictures):
    """Pictures of 40 by 30; one is declared as a copy of a larger picture."""
    size = pictures.locator(".zoom output")
    expect(size).to_have_text("150%")
    pictures.keyboard.press("a")
    expect(size).to_have_text("100%")
    assert pictures.evaluate(WIDTHS) == [40, 40]
    pictures.keyboard.press("+")
    expect(size).to_have_text("150%")
    pictures.keyboard.press("r")
    pictures.locator(".frame:visible img").last.evaluate("one => one.setAttribute('width', 80)")
    pictures.keyboard.press("a")
    expect(size).to_have_text("100%")
    assert pictures.evaluate(WIDTHS) == [40, 80]
    pictures.keyboard.press("r")
    expect(size).to_have_text("150% · 75%")
    assert stored() == {}


# The point of each picture, in per cent of it, that lies in the middle of its loupe.
GLASSES = """() => [...document.querySelectorAll(".question:not([hidden]) .loupe")].map(glass => {
    const style = getComputedStyle(glass);
    const numbers = (text) => text.split(" ").map(parseFloat);
    const [size, from] = [numbers(style.backgroundSize), numbers(style.backgroundPosition)];
    const point = [glass.clientWidth, glass.clientHeight].map((side, n) => (side / 2 - from[n]) / size[n]);
    return point.map(share => Math.round(100 * share));
})"""


def test_the_loupe_is_over_the_same_place_of_both(pictures):
    pictures.keyboard.press("l")
    assert pictures.evaluate(GLASSES) == [[50, 50]] * 2
    expect(pictures.get_by_role("button", name="Loupe")).to_have_attribute("aria-pressed", "true")
    box = pictures.locator(".frame:visible").first.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # Painted half as large again, it is 60 pixels wide: 15 of them are a quarter.
    pictures.mouse.move(middle[0] + 15, middle[1])
    assert pictures.evaluate(GLASSES) == [[75, 50]] * 2
    pictures.keyboard.press("ArrowDown")
    assert pictures.evaluate(GLASSES) == [[75, 54]] * 2
    pictures.keyboard.press("a")
    assert pictures.evaluate(GLASSES) == [[75, 54]] * 2
    pictures.mouse.move(middle[0] - 10, middle[1])
    assert pictures.evaluate(GLASSES) == [[25, 50]] * 2
    pictures.keyboard.press("l")
    assert pictures.evaluate(GLASSES) == []
    pictures.keyboard.press("l")
    pictures.keyboard.press("ArrowLeft")
    ready(pictures, 2)
    assert pictures.evaluate(GLASSES) == []
    assert stored() == {1: "left"}


def test_on_a_phone_the_tools_are_one_row_and_the_rest_comes_with_the_menu(browser, pictures):
    window = {"width": 320, "height": 568}
    phone = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    phone.goto(pictures.url)
    ready(phone, 1)
    tools = phone.locator(".zoom button:visible")
    expect(tools).to_have_text(["Closer +", "Further -", "Whole R", "One frame B"])
    places = [one.bounding_box() for one in tools.all()]
    tools.first.tap()
    expect(tools.nth(1)).to_have_attribute("aria-disabled", "false")
    assert [one.bounding_box() for one in tools.all()] == places
    assert len({one.bounding_box()["y"] for one in tools.all()}) == 1
    phone.get_by_role("button", name="More").tap()
    phone.get_by_role("button", name="Fit to width").tap()
    expect(phone.locator(".aids")).to_be_hidden()
    expect(tools.filter(has_text="Fit to width")).to_have_attribute("aria-pressed", "true")
    # On its side there is room, and no menu; where that is wide, the tools stand in the row of the head.
    phone.set_viewport_size({"width": 568, "height": 320})
    expect(tools.filter(has_text="Actual size")).to_be_visible()
    phone.set_viewport_size({"width": 844, "height": 390})
    expect(tools.filter(has_text="Actual size")).to_have_count(0)
    assert {round(one.bounding_box()["y"]) for one in tools.all()} == {0}
    assert phone.locator(".question:visible").bounding_box()["y"] <= 48
    phone.context.close()


def test_of_strips_a_phone_offers_the_width_in_place_of_what_is_off(browser, pictures):
    Item.objects.update(width=300, height=3000)
    strip = io.BytesIO()
    Image.new("RGB", (30, 300), (90, 60, 30)).save(strip, "PNG")
    window = {"width": 390, "height": 844}
    phone = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    phone.route("**/image/**", lambda route: route.fulfill(body=strip.getvalue(), content_type="image/png"))
    phone.goto(pictures.url)
    ready(phone, 1)
    # As thin lines they would tell nothing: they begin as wide as their frames, as the button says.
    expect(phone.get_by_role("button", name="Fit to width")).to_have_attribute("aria-pressed", "true")
    phone.get_by_role("button", name="Whole").tap()
    expect(phone.locator(".zoom button:visible")).to_have_text(["Closer +", "Fit to width W", "One frame B"])
    # The ground fills the frame, and is seen all round.
    frame = phone.locator(".frame:visible").first
    assert frame.evaluate("one => one.clientLeft") == 4
    assert frame.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(227, 229, 231)"
    phone.context.close()


def test_two_fingers_pinch_both(browser, pictures):
    """Two touches that move apart on one picture, as the browser sends them."""
    client = pictures.context.new_cdp_session(pictures)
    box = pictures.locator(".frame:visible").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind: str, apart: float) -> None:
        points = [{"x": x - apart, "y": y, "id": 1}, {"x": x + apart, "y": y, "id": 2}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})

    touch("touchStart", 40)
    touch("touchMove", 60)
    touch("touchMove", 80)
    touch("touchEnd", 0)
    pictures.wait_for_function(f"() => ({LOOKED})().every(one => one.startsWith('scale(2)'))")
    assert stored() == {}


@pytest.fixture
def large(page, live_server, settings, tmp_path):
    """A batch of pictures that are said to be large; what is asked for with them, in order."""
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study := make_study(kind="image"))
    Item.objects.filter(topic__study=study).update(width=2400, height=1800)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    expect(page.locator(".zoom")).to_be_visible()  # its script listens
    return page


SOURCES = """() => [...document.querySelectorAll(".question:not([hidden]) .frame img")].map(one => one.src)"""


# The whole pictures that are still to come, or to be asked for again.
NOT_WHOLE = SOURCES.replace("one.src", "one.dataset.whole")


def test_the_whole_pictures_come_when_somebody_looks_closely(large):
    copies = large.evaluate(SOURCES)
    assert not any(source.endswith("?whole") for source in copies)
    large.keyboard.press("z")
    large.wait_for_function(f"() => ({SOURCES})().every(source => source.endsWith('?whole'))")
    large.keyboard.press("z")
    assert large.evaluate(SOURCES) == [f"{source}?whole" for source in copies]
    large.keyboard.press("ArrowLeft")
    ready(large, 2)
    assert stored() == {1: "left"}


def test_a_whole_picture_that_does_not_come_leaves_its_copy_and_is_asked_for_again(large, tmp_path):
    copies = large.evaluate(SOURCES)
    answers: list[tuple[str, int]] = []
    large.on("response", lambda answer: answers.append((answer.url, answer.status)))
    away = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-away"))
    large.keyboard.press("z")
    large.wait_for_function(f"() => ({NOT_WHOLE})().every(Boolean)")
    # The copy of a later question may come at the same time.
    whole = [answer for answer in answers if answer[0].endswith("?whole")]
    assert sorted(whole) == sorted((f"{source}?whole", 404) for source in copies)
    assert large.evaluate(SOURCES) == copies
    expect(large.locator(".missing:visible")).to_have_count(0)
    away.rename(tmp_path)
    large.keyboard.press("+")
    large.wait_for_function(f"() => ({SOURCES})().every(source => source.endsWith('?whole'))")


# Whether both strips, 20 times as high as wide, fill their frames' width inside the edge from the top.
WIDE = """() => [...document.querySelectorAll(".question:not([hidden]) .frame")].every(frame => {
    const [box, at] = [frame, frame.querySelector("img")].map(one => one.getBoundingClientRect());
    const edge = frame.clientLeft;
    return Math.abs(at.height / 20 - box.width + 2 * edge) < 1 && Math.abs(at.top - box.top - edge) < 1;
})"""


def test_w_fits_both_to_the_width_from_their_top_as_the_next_question_then_begins(pictures):
    """Of strips: in a new batch, since a browser keeps the pictures that it has."""
    tall = io.BytesIO()
    Image.new("RGB", (500, 10_000), (90, 60, 30)).save(tall, "PNG")
    for item in Item.objects.all():
        item.image.save("tall.png", ContentFile(tall.getvalue()), save=False)
        item.width, item.height = 500, 10_000
        item.save()
    person = invite(Study.objects.get())
    answering.arrive(person.pk)
    pictures.goto(pictures.url.replace(pictures.url.split("/")[-2], person.reference))
    ready(pictures, 1)
    # Thin lines while whole: they begin as wide as their frames.
    pictures.wait_for_function(WIDE)
    pictures.keyboard.press("w")
    assert both(pictures) == ""
    pictures.keyboard.press("w")
    pictures.wait_for_function(WIDE)
    expect(pictures.get_by_role("button", name="Fit to width")).to_have_attribute("aria-pressed", "true")
    pictures.keyboard.press("ArrowDown")
    pictures.wait_for_function(f"() => !({WIDE})()")
    pictures.keyboard.press("t")
    ready(pictures, 2)
    pictures.wait_for_function(WIDE)
    pictures.reload()
    ready(pictures, 2)
    pictures.wait_for_function(WIDE)
    pictures.get_by_role("button", name="Fit to width").click()
    assert both(pictures) == ""
    pictures.keyboard.press("t")
    ready(pictures, 3)
    assert both(pictures) == ""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (844, 390)])
def test_pictures_that_are_looked_up_again_are_as_large_as_before(pictures, size):
    pictures.set_viewport_size({"width": size[0], "height": size[1]})
    places = "() => [...document.querySelectorAll(\"[data-position='1'] .frame\")].map(o => o.clientHeight)"
    before = pictures.evaluate(places)
    pictures.keyboard.press("ArrowLeft")
    ready(pictures, 2)
    pictures.keyboard.press("Backspace")
    ready(pictures, 1)
    expect(pictures.get_by_role("link", name="Keep this answer").locator("visible=true")).to_have_count(1)
    assert pictures.evaluate(places) == before
