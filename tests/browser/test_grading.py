"""Grades given in Chromium: by keys, by slider and by touch, without scripts, and for everybody."""

import pytest
from playwright.sync_api import expect

from collection.models import Grade, Item
from judging.batches import answering
from judging.models import Assignment, Judgment
from judging.questions import grading
from judging.transfer import judgment_export
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready
from tests.judging.studies import give_pictures
from tests.judging.test_grading import graded_study
from tests.makers import invite
from tests.servers import wait_until
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SCROLLING = ("ArrowDown", "ArrowUp", "Space", "PageDown", "PageUp", "Home", "End")


# Words that go on in a second line, without a hyphen between them.
CUT = """all => all.flatMap(one => [...one.lastChild.data.matchAll(/\\S+/g)].filter(({0: word, index}) => {
    const range = document.createRange();
    range.setStart(one.lastChild, index);
    range.setEnd(one.lastChild, index + word.length);
    return range.getClientRects().length > 1;
}).map(([word]) => word))"""


@pytest.fixture
def begun(live_server):
    """A function: a study that asks for grades, and the address of somebody who holds a batch of four."""

    def make(**fields):
        study, task = graded_study(grades_first=True, **fields)
        services.start(study.pk)
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return task, f"{live_server.url}/i/{assessor.reference}/"

    return make


def given() -> dict[int, int]:
    """The grades that stand in the ledger, by position."""
    positions = dict(Assignment.objects.get().batch.values_list("question_id", "position"))
    return {positions[judgment.question_id]: judgment.value for judgment in Judgment.objects.current()}


def test_a_batch_is_graded_by_the_keys_on_its_buttons_from_the_press_to_the_file(page, begun):
    """To the collected grades, their file, and the study's own grades; a grade is changed on the way."""
    task, address = begun()
    page.goto(address)
    for position, grade in enumerate("4021", 1):
        ready(page, position)
        button = page.locator(f'.choice[value="{grade}"]:visible')
        assert button.inner_text().split()[0] == grade
        press(page, grade)
    ready(page, 5)
    assert given() == {1: 4, 2: 0, 3: 2, 4: 1}
    page.keyboard.press("Backspace")
    ready(page, 4)
    expect(page.locator('.choice[aria-pressed="true"]:visible')).to_have_attribute("value", "1")
    press(page, "3")
    ready(page, 5)
    expect(page.locator('[data-go="4"] .label')).to_have_text("grade 3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert Assignment.objects.get().state == "kept"
    docnos = dict(Item.objects.values_list("pk", "docno"))
    asked = {place.position: place.question.key for place in Assignment.objects.get().batch.all()}
    expected = {docnos[int(asked[at])]: (grade, 1) for at, grade in {1: 4, 2: 0, 3: 2, 4: 3}.items()}
    assert {docnos[item]: tuple(one) for item, one in grading.collected(task).items()} == expected
    lines = [line.split() for line in judgment_export.collected_grades(task.study)]
    assert {docno: (int(grade), 1) for _, _, docno, grade in lines} == expected
    services.take_grades(task.study_id, task.pk)
    assert dict(Grade.objects.values_list("item__docno", "value")) == {
        docno: grade for docno, (grade, _) in expected.items()
    }


@pytest.mark.parametrize("scale", ["0-4", "0-100"])
def test_keys_that_scroll_and_keys_without_a_grade_give_none(page, begun, scale):
    _, address = begun(scale=scale)
    Item.objects.update(text="A long passage. " * 900)
    page.goto(address)
    ready(page, 1)
    for where in ("h1", ".passage", ".guidelines", ".choice", ".slider", ".number input"):
        if not page.locator(f"{where}:visible").count():
            continue
        page.locator(f"{where}:visible").first.focus()
        for key in (*SCROLLING, "t", "5" if scale == "0-4" else "t"):
            page.keyboard.press(key)
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    if scale == "0-100":
        assert page.locator(".number input:visible").input_value() == ""
    assert not Judgment.objects.exists()


def test_digits_type_a_grade_of_0_to_100_and_enter_gives_it(page, begun):
    _, address = begun(scale="0-100")
    page.goto(address)
    number, slider = page.locator(".number input:visible"), page.locator(".slider:visible")
    ready(page, 1)
    expect(slider).to_have_attribute("aria-valuetext", "not chosen yet")
    refused = page.locator(".no-grade:visible")
    page.keyboard.press("Enter")
    expect(refused).to_have_text("Tap the line, or type a grade from 0 to 100.")
    assert not Judgment.objects.exists()
    page.keyboard.type("73")
    expect(number).to_have_value("73")
    expect(slider).to_have_value("73")
    expect(refused).to_have_count(0)
    page.keyboard.press("Backspace")
    expect(number).to_have_value("7")
    page.keyboard.type("20")
    page.keyboard.press("Enter")
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    number.fill("")
    lit = page.locator(".meanings:visible [data-lit] dt")
    # A digit after an arrow begins another number, and a fourth one is none.
    page.keyboard.press("ArrowRight")
    page.keyboard.type("1000")
    expect(number).to_have_value("100")
    expect(lit).to_have_text("100")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("72")
    expect(lit).to_have_text("75")
    press(page, "Enter")
    ready(page, 2)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(number).to_have_value("60")
    press(page, "Enter")
    ready(page, 3)
    page.keyboard.type("0")
    press(page, "Enter")
    ready(page, 4)
    page.keyboard.type("100")
    press(page, "Enter")
    ready(page, 5)
    assert given() == {1: 72, 2: 60, 3: 0, 4: 100}


def test_a_phone_grades_by_touch(browser, begun):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    _, address = begun()
    page.goto(address)
    ready(page, 1)
    expect(page.locator(".guidelines:visible")).to_be_visible()
    boxes = [button.bounding_box() for button in page.locator(".choice:visible").all()]
    assert len(boxes) == 5
    assert all(box["height"] >= 44 and box["width"] >= 44 for box in boxes)
    with page.expect_response("**/answer/"):
        page.locator(".choice[value='3']:visible").tap()
    assert given() == {1: 3}
    context.close()


@pytest.mark.parametrize("scale", ["0-4", "0-100"])
def test_a_phone_shows_all_meanings_where_the_passage_leaves_room(browser, begun, scale):
    """They are folded at 320 px, and once opened stay open for every question."""
    _, address = begun(scale=scale)
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    legend = page.locator(".guidelines:visible")
    assert legend.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    Item.objects.update(text="A long passage. " * 900)
    page.reload()
    ready(page, 1)
    assert page.locator(".side:visible").bounding_box()["height"] > legend.bounding_box()["height"]
    page.set_viewport_size({"width": 320, "height": 568})
    page.reload()
    ready(page, 1)
    expect(legend.locator("dl")).to_be_hidden()
    # No word of a button is cut in two.
    assert page.locator(".choice:visible .name").evaluate_all(CUT) == []
    legend.locator("summary").tap()
    expect(legend.locator("dl")).to_be_visible()
    page.evaluate("document.querySelector('[data-go=\"2\"]').click()")
    ready(page, 2)
    expect(legend.locator("dl")).to_be_visible()
    context.close()


def test_a_slider_is_moved_by_touch(browser, begun):
    """A tap on a meaning or on a number below it moves it too; what is typed replaces what stands there."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    _, address = begun(scale="0-100")
    page.goto(address)
    ready(page, 1)
    number, hint = page.locator(".number input:visible"), page.get_by_text("Tap or drag").first
    expect(hint).to_be_visible()
    page.locator("[data-grade='75']:visible").tap()
    expect(number).to_have_value("75")
    ticks = page.locator(".ticks:visible")
    for tick in (100, 0, 50):
        ticks.tap(position={"x": max(1, ticks.bounding_box()["width"] * tick / 100 - 1), "y": 15})
        expect(number).to_have_value(str(tick))
    expect(hint).to_be_hidden()
    number.tap()
    page.keyboard.type("89")
    expect(number).to_have_value("89")
    give, action = page.locator(".choice:visible"), "one => getComputedStyle(one).backgroundColor"
    given_colour = give.evaluate(action)
    number.fill("")
    assert give.evaluate(action) != given_colour
    box = page.locator(".slider:visible").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    wait_until(lambda: page.locator(".number input:visible").input_value() != "", what="the slider is moved")
    with page.expect_response("**/answer/"):
        page.locator(".choice:visible").tap()
    assert 80 < given()[1] <= 100
    context.close()


def test_a_grade_that_is_not_stored_cannot_be_kept(page, begun):
    """Left without being given, it is forgotten, and the page shows the stored one again."""
    _, address = begun(scale="0-100")
    page.goto(address)
    ready(page, 1)
    number, keep = page.locator(".number input:visible"), page.locator(".keep:visible")
    page.keyboard.type("78")
    press(page, "Enter")
    ready(page, 2)
    page.locator("a.back").click()
    ready(page, 1)
    expect(keep).to_be_visible()
    number.fill("28")
    expect(keep).to_have_count(0)
    number.fill("78")
    expect(keep).to_be_visible()
    number.fill("28")
    page.evaluate("document.querySelector('[data-go=\"2\"]').click()")
    ready(page, 2)
    page.locator("a.back").click()
    ready(page, 1)
    expect(number).to_have_value("78")
    assert given() == {1: 78}


@pytest.mark.parametrize(("scale", "grade"), [("0-4", "3"), ("0-100", "85")])
def test_without_scripts_it_is_a_page_a_question(browser, begun, scale, grade):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    _, address = begun(scale=scale)
    page.goto(address)
    if scale == "0-4":
        page.locator(f".choice[value='{grade}']:visible").click()
    else:
        page.locator(".number input:visible").fill(grade)
        page.locator(".choice:visible").click()
    expect(page.locator(".where")).to_have_text("2 of 4")
    assert given() == {1: int(grade)}
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scale", ["0-4", "0-100"])
@pytest.mark.parametrize("pictures", [False, True], ids=["passages", "pictures"])
def test_grading_is_accessible(browser, begun, settings, tmp_path, width, scale, pictures):
    """axe finds nothing before and after a grade, light and dark; nothing is cut off at the side."""
    settings.MEDIA_ROOT = tmp_path
    task, address = begun(scale=scale)
    if pictures:
        give_pictures(task.study)
    else:
        Item.objects.update(text="A long passage. " * 900)
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    press_first = "3" if scale == "0-4" else "7"
    for state in ("no grade", "a grade"):
        assert_accessible(page, state)
        if state == "no grade":
            page.keyboard.press(press_first)
            if scale == "0-100":
                page.keyboard.press("Enter")
            ready(page, 2)
            page.locator("a.back").click()
            ready(page, 1)
    context.close()
