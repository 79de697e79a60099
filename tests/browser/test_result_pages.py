"""Result pages judged in Chromium: by keys, by touch on a phone, without scripts, and for everybody."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from collection.models import Item, Run, Study, Topic
from judging.batches import answering
from judging.models import Assignment, Judgment
from judging.questions import result_pages
from judging.transfer import judgment_export
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, stored
from tests.judging.paged import GRIDS, RUNS, ask_all, paged_study
from tests.judging.studies import give_pictures
from tests.makers import invite

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SCROLLING = ("ArrowDown", "ArrowUp", "Space", "PageDown", "PageUp", "Home", "End")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def begun(live_server, settings, tmp_path):
    """A function: a task of result pages, and the address of somebody who holds a batch of its questions."""
    settings.MEDIA_ROOT = tmp_path

    def make(*, pictures=False, topics=3, text="", **fields):
        fields = {"runs": GRIDS if pictures else RUNS} | fields
        if pictures:
            fields["kind"] = Study.Kind.IMAGE
        study, task = paged_study(topics=topics, **fields)
        if pictures:
            give_pictures(study)
        elif text:
            Item.objects.update(text=text)
        ask_all(task)
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return task, f"{live_server.url}/i/{assessor.reference}/"

    return make


@pytest.mark.parametrize("pictures", [False, True], ids=["lists", "grids"])
def test_a_batch_is_judged_by_keys_alone_from_the_press_to_the_file(page, begun, pictures):
    """Through the ledger to the preferences of runs and their file; an answer is changed on the way."""
    task, address = begun(pictures=pictures)
    page.goto(address)
    for position, key in enumerate(("ArrowLeft", "t", "ArrowRight"), 1):
        ready(page, position)
        press(page, key)
    ready(page, 4)
    assert stored() == {1: "left", 2: "tie", 3: "right"}
    page.keyboard.press("Backspace")
    ready(page, 3)
    press(page, "ArrowLeft")
    ready(page, 4)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    batch = Assignment.objects.get()
    assert batch.state == "kept"
    names = dict(Run.objects.values_list("pk", "name"))
    places = {place.position: place for place in batch.batch.select_related("question")}

    def on_the_left(position):
        place = places[position]
        return names[place.question.subject_ids[int(place.shown[0])]]

    found = {one.compared.topic: names.get(one.winner or 0) for one in result_pages.collected(task)}
    assert found == {
        places[1].question.topic_id: on_the_left(1),
        places[2].question.topic_id: None,
        places[3].question.topic_id: on_the_left(3),
    }
    topics = dict(Topic.objects.values_list("name", "pk"))
    lines = [line.split() for line in judgment_export.run_preferences(task.study)]
    written = {topics[topic]: None if winner == "tie" else winner for topic, _, _, winner in lines}
    assert written == found


def test_five_levels_are_given_by_digits(page, begun):
    _, address = begun(scale="5")
    page.goto(address)
    for position, key in enumerate("152", 1):
        ready(page, position)
        press(page, key)
    ready(page, 4)
    assert stored() == {1: "definitely-left", 2: "definitely-right", 3: "left"}


@pytest.mark.parametrize("pictures", [False, True], ids=["lists", "grids"])
def test_keys_that_scroll_give_no_answer_and_scroll_both_pages(page, begun, pictures):
    _, address = begun(pictures=pictures, topics=1, text="A long passage. " * 300)
    page.set_viewport_size({"width": 1280, "height": 400 if pictures else 800})
    page.goto(address)
    ready(page, 1)
    if pictures:
        page.keyboard.press("+")
        page.keyboard.press("+")
    page.keyboard.press("End")
    tops = page.locator(".passage:visible").evaluate_all("all => all.map(one => one.scrollTop)")
    assert len(tops) == 2
    assert min(tops) > 0
    for where in ("h1", ".passage", ".choice"):
        page.locator(f"{where}:visible").first.focus()
        for key in SCROLLING:
            page.keyboard.press(key)
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    assert not Judgment.objects.exists()


def test_rows_stand_as_placed_and_within_their_page(page, begun):
    """Rows of 3 and 1, and of 1, 3 and 2 cells, in order; each row is one line, no wider than its page."""
    _, address = begun(pictures=True, topics=1)
    page.goto(address)
    ready(page, 1)
    batch = Assignment.objects.get().batch.get()
    rows = [[3, 1], [1, 3, 2]] if batch.shown == "01" else [[1, 3, 2], [3, 1]]
    for side, lengths in zip(("left", "right"), rows, strict=True):
        own = page.locator(f".side.{side} .row")
        assert own.evaluate_all("all => all.map(row => row.children.length)") == lengths
        boxes = own.evaluate_all(
            """all => all.map(row => [...row.children].map(cell => {
                const {top, bottom, right} = cell.getBoundingClientRect();
                return [top, bottom, right <= row.getBoundingClientRect().right + 1];
            }))"""
        )
        for cells in boxes:
            assert len({top for top, *_ in cells}) == 1
            assert all(within for *_, within in cells)
        assert all(above[0][1] <= below[0][0] for above, below in pairwise(boxes))


def test_what_both_pages_show_is_marked_only_where_the_reader_wishes(page, begun):
    _, address = begun(topics=1)
    page.goto(address)
    ready(page, 1)
    marked = "all => all.map(one => getComputedStyle(one).boxShadow !== 'none')"
    cells = page.locator(".cell:visible")
    assert not any(cells.evaluate_all(marked))
    page.keyboard.press("b")
    assert sum(cells.evaluate_all(marked)) == 4
    page.keyboard.press("b")
    assert not any(cells.evaluate_all(marked))


def test_choices_wait_for_the_pictures_in_view_and_not_for_those_below(page, begun):
    """A row far below is loaded when it is scrolled to; the ones in view are waited for."""
    held = []
    _, address = begun(pictures=True, topics=1, runs={"one": ["ab", *"cdefgh"], "two": ["h", "gfedcba"]})
    page.set_viewport_size({"width": 1280, "height": 500})
    page.route("**/image/**", lambda route: held.append(route) if held is not None else route.continue_())
    page.goto(address, wait_until="commit")
    left = page.locator(".choice.left:visible")
    expect(left).to_have_attribute("aria-disabled", "true")
    expect(page.locator("body.heard")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    lazy = page.locator("img[loading=lazy]").count()
    assert lazy > 0
    waiting, held = held, None
    for route in waiting:
        route.continue_()
    ready(page, 1)
    press(page, "ArrowLeft")
    assert list(stored().values()) == ["left"]


@pytest.mark.parametrize("pictures", [False, True], ids=["lists", "grids"])
def test_a_phone_shows_one_page_at_a_time_and_answers_once_both_were_seen(browser, begun, pictures):
    context = browser.new_context(**PHONE)
    page = context.new_page()
    _, address = begun(pictures=pictures)
    page.goto(address)
    left, right = (page.locator(f"[data-position='1'] .side.{side}") for side in ("left", "right"))
    expect(left).to_be_visible()
    expect(right).to_be_hidden()
    choice = page.locator(".choice.left:visible")
    expect(choice).to_have_attribute("aria-disabled", "true")
    expect(page.locator("body.heard")).to_be_visible()
    # It is off; a finger touches it all the same.
    box = choice.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    switch = page.get_by_role("tab", name="Right page")
    assert switch.bounding_box()["height"] >= 44
    switch.tap()
    expect(right).to_be_visible()
    expect(left).to_be_hidden()
    expect(switch).to_have_attribute("aria-selected", "true")
    ready(page, 1)
    with page.expect_response("**/answer/"):
        choice.tap()
    for position in (2, 3):
        page.locator(f"[data-position='{position}'] .switch.right").tap()
        ready(page, position)
        with page.expect_response("**/answer/"):
            page.locator(f"[data-position='{position}'] .choice.tie").tap()
    ready(page, 4)
    assert stored() == {1: "left", 2: "tie", 3: "tie"}
    context.close()


def test_a_narrow_window_is_switched_by_a_key(page, begun):
    page.set_viewport_size({"width": 390, "height": 844})
    _, address = begun(topics=1)
    page.goto(address)
    right = page.locator(".side.right")
    expect(right).to_be_hidden()
    expect(page.locator("body.heard")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    page.keyboard.press("s")
    expect(right).to_be_visible()
    ready(page, 1)
    press(page, "ArrowLeft")
    assert stored() == {1: "left"}


def test_without_scripts_it_is_a_page_a_question(browser, begun):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    _, address = begun(topics=2)
    page.goto(address)
    expect(page.locator("[data-position='1'] .side.right")).to_be_visible()
    page.locator(".choice.right:visible").click()
    expect(page.locator(".where")).to_have_text("2 of 2")
    assert stored() == {1: "right"}
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("pictures", [False, True], ids=["lists", "grids"])
def test_result_pages_are_accessible(browser, begun, width, pictures):
    """axe finds nothing before and after an answer, light and dark, with marks; nothing is cut off."""
    _, address = begun(pictures=pictures, scale="5", text="A long passage. " * 300)
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(address)
    for state in ("no answer", "an answer"):
        if width == 390 and state == "no answer":
            expect(page.locator("body.heard")).to_be_visible()
            assert_accessible(page, "one page seen")
            page.keyboard.press("s")
        ready(page, 1)
        assert_accessible(page, state)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        if state == "no answer":
            page.keyboard.press("b")
            press(page, "1")
            expect(page.locator("[data-position='1']")).to_be_hidden()
            page.keyboard.press("s")
            ready(page, 2)
            page.locator("a.back").click()
    context.close()
