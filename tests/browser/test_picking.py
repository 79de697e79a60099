"""Picks made in Chromium: by keys, by touch, without scripts, and for everybody; one followed to the file."""

import re

import pytest
from playwright.sync_api import expect

from collection.models import Item, Topic
from judging import ledger
from judging.batches import answering
from judging.models import Assignment, Judgment, QuestionRole
from judging.transfer import judgment_export
from scoring.models import StoredScores
from scoring.scores import topic_scores as scoring
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import look_at_all, press, ready
from tests.judging.picking import pick_study, shown
from tests.judging.studies import give_pictures
from tests.makers import add_run, invite
from tournament import services
from tournament.models import Round

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SCROLLING = ("ArrowDown", "ArrowUp", "Space", "PageDown", "PageUp", "Home", "End")


@pytest.fixture
def begun(live_server):
    """A function: a study of picks, and the address of somebody who holds a batch of four and a challenge."""

    def make(**fields):
        study, _ = pick_study(**fields)
        services.start(study.pk)
        services.catch_up()
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return study, f"{live_server.url}/i/{assessor.reference}/"

    return make


def given() -> dict[int, list[int]]:
    """The picks that stand in the ledger, by position."""
    positions = dict(Assignment.objects.get().batch.values_list("question_id", "position"))
    return {positions[judgment.question_id]: judgment.value for judgment in Judgment.objects.current()}


def best_of(position: int) -> str:
    """The number on the page of the best item of a grid: that with the least docno."""
    items = shown(Assignment.objects.get().batch.get(position=position))
    return str(min(range(len(items)), key=lambda at: items[at].docno) + 1)


def test_a_batch_by_keys_from_the_press_to_the_file(page, begun):
    """Every press is in the ledger; what it implies in the graph, the score and the file of judgments."""
    study, address = begun(k=1, items=8)
    letters = [f"t1-{letter}" for letter in "abcdefgh"]
    add_run(study, "right", {"t1": letters})
    add_run(study, "wrong", {"t1": letters[::-1]})
    total = Assignment.objects.get().batch.count()
    page.goto(address)
    for position in range(1, total + 1):
        ready(page, position)
        assert page.locator(".pick:visible").count() == 4
        press(page, best_of(position))
    ready(page, total + 1)
    page.keyboard.press("Backspace")
    ready(page, total)
    number = best_of(total)
    expect(page.locator('.pick[aria-pressed="true"]:visible')).to_have_attribute("value", number)
    page.keyboard.press("Enter")
    ready(page, total + 1)
    expect(page.locator(f'[data-go="{total}"] .label')).to_have_text(f"best {number}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    batch = Assignment.objects.get()
    assert batch.state == "kept"
    expected = set()
    for place in batch.batch.filter(role=QuestionRole.COUNTS):
        best, *others = sorted(item.docno for item in shown(place))
        expected |= {(place.question_id, best, other) for other in others}
    lines = [tuple(line.split()) for line in judgment_export.judgments(study)]
    said = sorted((winner, b if winner == a else a) for _, a, b, winner in lines)
    assert said == sorted((best, other) for _, best, other in expected)
    topic = study.topics.get()
    docnos = dict(Item.objects.values_list("pk", "docno"))
    asked = dict(Judgment.objects.values_list("pk", "question_id"))
    edges = {
        (asked[one.judgment], docnos[one.first], docnos[one.second]) for one in ledger.counting(topic.pk)
    }
    assert edges == expected
    scoring.rescore(topic.pk)
    assert StoredScores.objects.get(topic=topic).judgments == total - 1
    services.catch_up()
    assert Round.objects.earliest("number").answered == total - 1


def test_the_worst_has_a_stage_of_its_own_and_the_best_can_be_taken_back(page, begun):
    _, address = begun(scale="best-worst")
    page.goto(address)
    ready(page, 1)
    stage, third = page.locator(".stage:visible"), page.locator('.item[data-item="3"]:visible')
    expect(stage).to_contain_text("Pick the best")
    page.keyboard.press("3")
    expect(stage).to_contain_text("Now pick the worst")
    expect(third.get_by_role("button", name="Passage 3: The best", pressed=True)).to_be_visible()
    expect(page.get_by_role("button", name="Passage 1: The worst", pressed=False)).to_be_visible()
    page.keyboard.press("3")
    expect(stage).to_contain_text("Pick the best")
    assert not Judgment.objects.exists()
    page.keyboard.press("4")
    page.keyboard.press("9")
    press(page, "1")
    ready(page, 2)
    assert given() == {1: [3, 0]}
    page.keyboard.press("2")
    page.keyboard.press("Backspace")
    ready(page, 1)
    expect(page.locator('.item[data-picked="worst"]:visible')).to_have_attribute("data-item", "1")
    # Nothing that is not stored can be kept.
    page.keyboard.press("2")
    expect(page.locator(".keep:visible")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".item[data-picked='best']:visible")).to_have_attribute("data-item", "2")
    page.keyboard.press("2")
    expect(page.locator(".keep:visible")).to_have_count(0)
    page.keyboard.press("4")
    press(page, "1")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    page.keyboard.press("Enter")
    ready(page, 2)
    expect(page.locator(".item[data-picked='best']:visible")).to_have_count(0)
    assert given() == {1: [3, 0]}


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_no_key_that_scrolls_or_moves_the_focus_answers(page, begun, scale):
    _, address = begun(scale=scale)
    Item.objects.update(text="A long passage. " * 900)
    page.goto(address)
    ready(page, 1)
    for where in ("h1", ".passage", ".pick", ".full"):
        page.locator(f"{where}:visible").first.focus()
        for key in (*SCROLLING, "ArrowLeft", "ArrowRight", "ArrowRight", "t", "0", "5", "9"):
            page.keyboard.press(key)
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    assert page.locator("[data-position='1']").get_attribute("data-stage") == "best"
    assert not Judgment.objects.exists()


def test_only_a_text_that_is_cut_has_a_way_to_read_it_in_full(page, begun):
    _, address = begun()
    Item.objects.update(text="A long passage. " * 900)
    page.goto(address)
    ready(page, 1)
    expect(page.locator(".full:visible")).to_have_count(4)
    Item.objects.update(text="A short passage.")
    page.reload()
    ready(page, 1)
    expect(page.locator(".full:visible")).to_have_count(0)


def test_arrows_go_from_item_to_item_and_o_opens_one_in_full(page, begun):
    _, address = begun()
    Item.objects.update(text="A long passage. " * 900)
    page.goto(address)
    ready(page, 1)
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    focused = "document.activeElement.closest('.item').dataset.item"
    assert page.evaluate(focused) == "2"
    page.keyboard.press("o")
    dialog = page.locator("#in-full")
    expect(dialog.get_by_role("heading")).to_have_text("Passage 2 · 2 of 4")
    page.keyboard.press("9")
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("heading")).to_have_text("Passage 3 · 3 of 4")
    page.keyboard.press("o")
    expect(dialog).not_to_be_visible()
    page.wait_for_function(f"() => {focused} === '3'")  # a browser tells of the closing a moment after it
    assert not Judgment.objects.exists()
    page.locator('[data-full="4"]:visible').click()
    expect(dialog.get_by_role("heading")).to_have_text("Passage 4 · 4 of 4")
    # The number of another one, which nobody sees there.
    page.keyboard.press("2")
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("heading")).to_have_text("Passage 1 · 1 of 4")
    dialog.get_by_role("button", name="Previous").click()
    expect(dialog.get_by_role("heading")).to_have_text("Passage 4 · 4 of 4")
    assert not Judgment.objects.exists()
    press(page, "4")
    expect(dialog).not_to_be_visible()
    assert given() == {1: [3]}
    ready(page, 2)
    page.locator('[data-full="2"]:visible').click()
    with page.expect_response("**/answer/"):
        dialog.get_by_role("button", name="Choose this one").click()
    assert given() == {1: [3], 2: [1]}


def test_the_best_and_the_worst_are_picked_in_full(page, begun):
    _, address = begun(scale="best-worst")
    Item.objects.update(text="A long passage. " * 900)
    page.goto(address)
    ready(page, 1)
    button = page.locator("#in-full [data-pick]")
    page.locator('[data-full="3"]:visible').click()
    expect(button).to_have_text("The best 3")
    button.click()
    page.locator('[data-full="2"]:visible').click()
    expect(button).to_have_text("The worst 2")
    press(page, "2")
    assert given() == {1: [2, 1]}


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_no_pick_is_taken_until_every_picture_can_be_seen(page, begun, settings, tmp_path, scale):
    settings.MEDIA_ROOT = tmp_path
    study, address = begun(scale=scale, kind="image")
    give_pictures(study)
    held = []
    page.route("**/image/**", lambda route: held.append(route) if not held else route.continue_())
    page.goto(address, wait_until="commit")
    seen = "() => document.querySelectorAll('.question:not([hidden]) [data-state=\"\"]').length === 3"
    page.wait_for_function(seen)
    expect(page.locator(".pick:visible").first).to_have_attribute("aria-disabled", "true")
    # Long enough for a question to take answers, by the page's own clock.
    page.evaluate("() => new Promise((done) => setTimeout(done, 600))")
    for key in ("1", "2", "3"):
        page.keyboard.press(key)
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    expect(page.locator(".item[data-picked='best']:visible")).to_have_count(0)
    held[0].continue_()
    ready(page, 1)
    expect(page.locator(".pick:visible").first).not_to_have_attribute("aria-disabled", "true")
    if scale == "best-worst":
        page.keyboard.press("2")
    press(page, "1")
    assert given() == {1: [0] if scale == "best" else [1, 0]}


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_a_phone_picks_by_touch(browser, begun, scale):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    _, address = begun(scale=scale)
    page.goto(address)
    total = Assignment.objects.get().batch.count()
    for position in range(1, total + 1):
        ready(page, position)
        boxes = [button.bounding_box() for button in page.locator(".pick:visible").all()]
        assert len(boxes) == 4
        assert all(box["height"] >= 44 and box["width"] >= 44 for box in boxes)
        if scale == "best-worst":
            page.locator(".pick[value='4']:visible").tap()
        with page.expect_response("**/answer/"):
            page.locator(".pick[value='2']:visible").tap()
    value = [1] if scale == "best" else [3, 1]
    assert given() == dict.fromkeys(range(1, total + 1), value)
    context.close()


def test_a_pick_is_taken_once_each_item_was_in_view(page, begun):
    _, address = begun()
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(address)
    page.wait_for_selector("body.heard")
    stage = page.locator(".stage:visible")
    expect(stage).to_have_text("Look at all, then choose.", use_inner_text=True)
    expect(page.locator(".pick:visible").first).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("1")
    assert not Judgment.objects.exists()
    look_at_all(page)
    ready(page, 1)
    expect(stage).to_have_text("Pick the best: press its number", use_inner_text=True)
    press(page, "1")
    # One that was open in full was looked at.
    expect(page.locator("[data-position='2']")).to_be_visible()
    page.keyboard.press("o")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    ready(page, 2)
    assert given() == {1: [0]}


def test_passages_stand_in_one_column_on_a_phone(page, begun):
    """Four of them too, which stand two by two on a wide window."""
    _, address = begun()
    for width, columns in ((1280, 2), (390, 1)):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(address)
        ready(page, 1)
        boxes = [item.bounding_box() for item in page.locator(".item:visible").all()]
        assert len(boxes) == 4
        assert len({box["x"] for box in boxes}) == columns


def test_the_page_alone_scrolls_on_a_phone_and_each_question_begins_at_its_top(page, begun):
    _, address = begun()
    Item.objects.update(text="A long passage. " * 60)
    Topic.objects.update(text="A question that is much longer than a line of a phone is wide, and goes on")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    page.wait_for_selector("body.heard")
    scrolling = "all => all.filter((one) => one.scrollHeight > one.clientHeight).length"
    assert page.locator(".passage:visible").evaluate_all(scrolling) == 0
    look_at_all(page)
    ready(page, 1)
    asks = "element => getComputedStyle(element, '::before').content"
    assert (
        page.locator(".stage:visible").evaluate(asks).strip('"') == page.locator("h1 bdi").first.inner_text()
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    press(page, "4")
    expect(page.locator("[data-position='2']")).to_be_visible()
    assert page.evaluate("scrollY") == 0


def test_on_a_phone_numbers_say_which_items_were_not_seen_and_lead_to_them(browser, begun):
    _, address = begun()
    Item.objects.update(text="A long passage. " * 60)
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("body.heard")
    unseen = page.locator("[data-jump]:not([data-seen]):visible")
    expect(unseen).to_have_count(4)
    # They are dots, beside how many were seen, and answer nothing.
    expect(page.get_by_text("0 of 4 seen").filter(visible=True)).to_have_count(1)
    page.locator("[data-jump='1']:visible").tap()
    expect(page.locator("[data-jump][aria-current]:visible")).to_have_attribute("data-jump", "1")
    assert page.locator("[data-position='1']").get_attribute("data-choice") == ""
    # In full it cannot be picked either.
    page.keyboard.press("o")
    give = page.locator("#in-full [data-pick]")
    expect(give).to_be_disabled()
    for _ in range(3):
        page.locator("#in-full [data-step='1']").tap()
    expect(give).to_be_enabled()
    # A reload would restore where the page was scrolled to, and with it what was seen.
    page.close()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("body.heard")
    page.get_by_role("button", name="Passage 3", exact=True).tap()
    expect(page.locator("[data-item='3']:visible h2")).to_be_in_viewport()
    expect(page.locator("[data-jump='1']:not([data-seen]):visible")).to_have_count(1)
    # A press that comes too early leads to the first that was not seen.
    # In its first moment a question takes no press at all, so it is pressed until it does.
    page.wait_for_function(
        """() => {
            const item = number => document.querySelector(`[data-position='1'] [data-item='${number}']`);
            item(3).querySelector(".pick").click();
            return Math.abs(item(1).getBoundingClientRect().top) < 200;
        }"""
    )
    expect(page.locator("[data-item='1']:visible h2")).to_be_in_viewport()
    expect(page.locator("[data-jump='1']:visible")).to_have_attribute("aria-current", "true")
    assert not Judgment.objects.exists()
    look_at_all(page)
    expect(page.locator("[data-jump]:not([data-seen]):visible")).to_have_count(0)
    expect(page.get_by_text(re.compile(r"\d of 4 seen")).filter(visible=True)).to_have_count(0)
    ready(page, 1)
    context.close()


def test_no_item_becomes_smaller_where_its_question_is_answered(page, begun):
    _, address = begun()
    page.goto(address)
    ready(page, 1)
    heights = "all => all.map((one) => one.offsetHeight)"
    before = page.locator(".item:visible").evaluate_all(heights)
    press(page, "3")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    expect(page.locator(".keep:visible")).to_have_count(1)
    expect(page.locator(".item[data-item='3']:visible h2")).to_contain_text("your choice")
    assert page.locator(".item:visible").evaluate_all(heights) == before


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_without_scripts_it_is_a_page_a_question(browser, begun, scale):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    _, address = begun(scale=scale)
    page.goto(address)
    if scale == "best":
        page.locator(".pick[value='3']:visible").click()
    else:
        page.locator("[name=best][value='3']:visible").check()
        page.locator("[name=worst][value='1']:visible").check()
        page.get_by_role("button", name="Give this answer").locator("visible=true").click()
    expect(page.locator(".where")).to_contain_text("2 of")
    assert given() == {1: [2] if scale == "best" else [2, 0]}
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scale", ["best", "best-worst"])
@pytest.mark.parametrize("pictures", [False, True], ids=["passages", "pictures"])
def test_picking_is_accessible(browser, begun, settings, tmp_path, width, scale, pictures):
    """axe finds nothing before, between, after and in full, light and dark; nothing is cut off at a side."""
    settings.MEDIA_ROOT = tmp_path
    kind = "image" if pictures else "text"
    study, address = begun(scale=scale, kind=kind, grid_size=9, items=12, junk=9)
    if pictures:
        give_pictures(study)
    else:
        Item.objects.update(text="A long passage. " * 900)
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("body.heard")
    look_at_all(page)
    ready(page, 1)
    assert_accessible(page, "nothing picked")
    page.keyboard.press("o")
    assert_accessible(page, "one in full")
    page.keyboard.press("o")
    if scale == "best-worst":
        page.keyboard.press("9")
        assert_accessible(page, "the best picked")
    press(page, "5")
    expect(page.locator("[data-position='2']")).to_be_visible()
    page.locator("a.back").click()
    ready(page, 1)
    assert_accessible(page, "answered")
    context.close()
