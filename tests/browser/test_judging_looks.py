"""How the assessor's pages stand on the screen, wide and on a phone, light and dark, and for everybody."""

import pytest
from django.conf import settings
from playwright.sync_api import expect

from collection.models import Item, Study
from judging.batches import answering
from judging.models import Assessor, Question
from judging.verdicts import decisions
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import answer_from, look_at_both, press, ready, stored, tell_all
from tests.judging.studies import give_pictures, invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

SET = """# A heading

| a | b |
|---|--:|
| 1 | [a link](https://example.org) |

```python
def f(x):  # a comment
    return "a string of some length, " * 3 + str(1.5) + "and_a_long_word_without_a_single_space_in_it"
```

$$\\sum_{i=1}^{n} \\frac{1}{i} = \\sqrt{x}$$

> said

"""
# How many characters stand on each line of the first passage, its last line left out.
LINES = """() => {
    const text = document.querySelector("[data-position='1'] .passage p").firstChild;
    const range = document.createRange(), counts = new Map();
    for (let i = 0; i < text.length; i++) {
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const top = range.getClientRects()[0]?.top ?? null;
        if (top !== null) counts.set(top, (counts.get(top) ?? 0) + 1);
    }
    return [...counts.values()].slice(0, -1);
}"""


@pytest.mark.parametrize("font", ["DejaVu Sans", "Liberation Sans"])
def test_passages_are_read_in_lines_of_60_to_75_characters(page, address, font):
    """The mean of all full lines in a wide and in a narrow font, 1280 pixels and more; both start in view."""
    Item.objects.update(text="The plant answers by branching instead of going to seed, and so on. " * 9)
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(address)
        ready(page, 1)
        page.evaluate("font => document.documentElement.style.setProperty('--sans', font)", font)
        lines = page.evaluate(LINES)
        assert 60 <= sum(lines) / len(lines) <= 75
        tops = [box.bounding_box()["y"] for box in page.locator(".passage:visible").all()]
        assert tops[0] == tops[1] < 400


def test_choices_stand_near_short_texts_at_one_place_for_all_and_at_the_foot_below_long_ones(page, address):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(address)
    ready(page, 1)
    bar, text = page.locator(".bar:visible"), page.locator(".passage:visible p").first
    first = bar.bounding_box()
    assert first["y"] - text.bounding_box()["y"] < 250
    press(page, "ArrowLeft")
    ready(page, 2)
    assert bar.bounding_box() == first
    item = Item.objects.order_by("pk").last()
    Item.objects.filter(topic=item.topic_id).update(text="Something to read. " * 60)
    page.goto(address)
    ready(page, 2)
    assert bar.bounding_box()["y"] > 900


def test_pictures_stand_in_equal_frames_and_are_there_at_once(page, live_server, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    give_pictures(study)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.goto(f"{live_server.url}/i/{assessor.reference}/", wait_until="load")
    widths = "[...document.images].map(image => image.naturalWidth)"
    assert page.evaluate(widths)[:2] == [40] * 2
    ready(page, 1)
    # The whole batch, ahead of its turn: hidden pairs too.
    page.wait_for_function(f"() => {widths}.join() === '{','.join(['40'] * 26)}'")
    left, right = (frame.bounding_box() for frame in page.locator(".frame:visible").all())
    assert (left["width"], left["height"], left["y"]) == (right["width"], right["height"], right["y"])
    assert left["width"] > 560
    press(page, "ArrowLeft")
    ready(page, 2)


def test_a_picture_that_does_not_load_says_so_and_can_be_judged(page, live_server, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = make_study(kind="image")
    give_pictures(study)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.route("**/image/**", lambda route: route.abort())
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    missing = page.get_by_text("This picture did not load.").first
    expect(missing).to_be_visible()
    page.unroute("**/image/**")
    page.get_by_role("button", name="Try again").first.click()
    expect(page.locator(".missing:visible")).to_have_count(0)
    ready(page, 1)
    press(page, "ArrowLeft")


def test_on_a_phone_the_two_stack_and_a_swipe_is_no_choice(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    upper, lower = (side.bounding_box() for side in page.locator(".side:visible").all())
    bar = page.locator(".bar:visible").bounding_box()
    assert upper["y"] + upper["height"] <= lower["y"] < lower["y"] + lower["height"] <= bar["y"]
    foot = page.locator(".foot").bounding_box()
    assert (bar["y"] + bar["height"], foot["y"] + foot["height"]) == (foot["y"], 844)
    assert all(button.bounding_box()["height"] >= 44 for button in page.locator(".choice:visible").all())
    touch = context.new_cdp_session(page)
    for start, end in (((200, 300), (20, 300)), ((60, 800), (330, 800)), ((200, 600), (200, 200))):
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            fingers = [{"x": x, "y": y} for x, y in points]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    with page.expect_response("**/answer/"):
        page.locator(".choice.right:visible").tap()
    assert stored() == {1: "right"}
    context.close()


HOLDS_ITS_WORDS = "one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight"


@pytest.mark.parametrize(
    ("language", "width", "scale"),
    [("en", 390, scale) for scale in "2345"] + [(code, 320, "5") for code, _ in settings.LANGUAGES],
)
def test_on_a_phone_a_scale_is_one_row_that_holds_its_words(page, live_server, language, width, scale):
    study = make_study(language=language)
    study.tasks.update(scale=scale)
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/i/{assessor.reference}/")
    ready(page, 1)
    parts = page.locator(".choice:visible").all()
    boxes = [part.bounding_box() for part in parts]
    assert len(boxes) == int(scale)
    assert len({box["y"] for box in boxes}) == 1
    assert all(box["width"] >= 48 and box["height"] >= 44 for box in boxes)
    # They touch: each begins on the line with which the one before it ends.
    ends = [box["x"] + box["width"] for box in boxes]
    assert [box["x"] for box in boxes[1:]] == pytest.approx([end - 1 for end in ends[:-1]], abs=0.5)
    for part in parts:
        assert part.evaluate(HOLDS_ITS_WORDS)
    # Neither does the head widen the page, once it has all that it can have.
    page.locator(".choice:visible").first.click()
    ready(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") == width


DRAGS = {
    "from the middle to the right": ((195, 765), (330, 765), "right"),
    "from the middle to the left, below the bar a little": ((195, 765), (60, 808), "left"),
    "from the middle out of the bar": ((195, 765), (330, 600), ""),
    "from the left to the right": ((60, 765), (330, 765), ""),
}


@pytest.mark.parametrize("way", DRAGS)
@pytest.mark.parametrize("touched", [True, False], ids=["finger", "mouse"])
def test_a_drag_from_the_middle_of_the_scale_chooses_where_it_ends(browser, address, touched, way):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=touched, is_mobile=touched
    )
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    start, end, chosen = DRAGS[way]
    if touched:
        touch = context.new_cdp_session(page)

        def finger(kind: str, *points: tuple[int, int]) -> None:
            fingers = [{"x": x, "y": y} for x, y in points]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

        # Sideways first, as a finger goes: from then on it is no scrolling.
        finger("touchStart", start)
        finger("touchMove", ((start[0] + end[0]) // 2, start[1]))
        finger("touchMove", end)
        expect(page.locator("[data-under]")).to_have_count(1 if chosen else 0)
        finger("touchEnd")
    else:
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        expect(page.locator("[data-under]")).to_have_count(1 if chosen else 0)
        page.mouse.up()
    if chosen:
        ready(page, 2)
        assert stored() == {1: chosen}
    else:
        assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_accessible(browser, live_server, settings, tmp_path, width):
    """axe-core finds nothing on any page in any state, light and dark; and nothing is cut off at the side."""
    settings.MEDIA_ROOT = tmp_path
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()

    study = make_study(join_token="open-to-all", instructions="Read.", consent="Agree.")
    Study.objects.update(markup="markdown")
    tell_all(SET + "A long passage. " * 300, Item.objects.filter(pk__lte=Item.objects.latest("pk").pk - 3))
    assessor = invite(study)
    home = f"{live_server.url}/i/{assessor.reference}/"
    for state, address in (("joining", "/join/open-to-all/"), ("refused", "/i/nobody/")):
        page.goto(live_server.url + address)
        assert_accessible(page, state)
    page.goto(home)
    assert_accessible(page, "instructions")
    page.get_by_role("button", name="I agree").click()
    look_at_both(page, 1)
    assert_accessible(page, "judging")
    page.keyboard.press("?")
    assert_accessible(page, "keys")
    page.keyboard.press("Escape")
    for position, key in enumerate(("ArrowLeft", "t", "ArrowRight"), 1):
        press(page, key)
        look_at_both(page, position + 1)
        page.keyboard.press("Backspace")
        look_at_both(page, position)
        assert_accessible(page, f"looking back at {key}")
        page.keyboard.press("Enter")
        look_at_both(page, position + 1)
    page.context.set_offline(True)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".saving")).to_contain_text("No network")
    assert_accessible(page, "offline")
    page.context.set_offline(False)
    answer_from(page, 5, look=look_at_both)
    ready(page, 14)
    assert_accessible(page, "finish")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert_accessible(page, "thanks")
    Question.objects.update(wanted=0)
    page.goto(home)
    assert_accessible(page, "nothing left")
    Question.objects.update(wanted=2)
    Assessor.objects.update(excluded_at=None)
    give_pictures(study)
    page.goto(home)
    page.get_by_role("button", name="Judge another batch").click()
    ready(page, 1)
    assert_accessible(page, "pictures")
    decisions.exclude(assessor.pk, "x")
    page.reload()
    assert_accessible(page, "excluded")
    context.close()


MARKS = """question => new Promise(done => new MutationObserver(() => {
    const content = selector => getComputedStyle(question.querySelector(selector), "::before").content;
    const line = getComputedStyle(question.querySelector(".side.left"), "::after");
    done([
        content(".choice.left"), content(".choice.right"),
        content(".side.left h2"), content(".side.right h2"),
        line.borderTopStyle, question.hidden,
        document.querySelector("#spoken").textContent.trim(),
    ]);
}).observe(question, {subtree: true, attributeFilter: ["aria-pressed"]}))"""
TICK = '"✓\xa0" / ""'


@pytest.mark.parametrize(("way", "hold"), [("key", 140), ("mouse", 320)])
def test_what_was_chosen_has_a_tick_and_a_line_before_the_page_goes_on(page, address, way, hold):
    """Where a hand covers the bar the mark stands longer; keys are as quick as ever."""
    page.add_init_script("""const wait = setTimeout, waits = window.waits = [];
        window.setTimeout = (act, ms, ...rest) => { waits.push(ms); return wait(act, ms, ...rest); };""")
    page.goto(address)
    ready(page, 1)
    question = page.locator("[data-position='1']")
    question.evaluate(f"question => {{ window.marks = ({MARKS})(question); window.waits.length = 0; }}")
    with page.expect_response("**/answer/"):
        if way == "key":
            page.keyboard.press("ArrowLeft")
        else:
            page.locator(".choice.left:visible").click()
    assert page.evaluate("window.marks") == [TICK, "none", TICK, "none", "solid", False, ""]
    assert hold in page.evaluate("window.waits")
    ready(page, 2)
    expect(page.locator("#spoken")).to_contain_text("Left chosen")


def test_choices_stay_where_they_were_when_an_answered_pair_is_seen_again(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    tie = page.locator(".choice.tie:visible")
    before = page.locator(".choice.right:visible").bounding_box()
    with page.expect_response("**/answer/"):
        tie.tap()
    ready(page, 2)
    page.locator(".back").tap()
    ready(page, 1)
    expect(page.get_by_role("link", name="Keep this answer and go on")).to_be_in_viewport(ratio=1)
    assert page.locator(".choice.right:visible").bounding_box() == before
    # Its tick stands beside its word, not above it.
    [button, word] = [tie.bounding_box(), tie.locator(".label").bounding_box()]
    assert abs(button["y"] + button["height"] / 2 - word["y"] - word["height"] / 2) < 4
    context.close()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (320, 568)])
def test_what_keeps_an_answer_stands_apart_from_what_changes_it(page, address, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    choice = page.locator(".choice:visible").last.bounding_box()
    keep = page.get_by_role("link", name="Keep this answer").locator("visible=true").bounding_box()
    assert keep["y"] - choice["y"] - choice["height"] >= 12
