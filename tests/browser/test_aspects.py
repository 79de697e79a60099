"""Aspects and reasons in Chromium: asked before or after the answer, by the same keys, and sent with it."""

from dataclasses import asdict

import pytest
from playwright.sync_api import expect

from judging.batches import answering
from judging.models import Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import look_at_both, press, ready, tell_all
from tests.judging.studies import invite

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ALL = AspectSettings(aspects="Correct\nClear", reasons="Too long\nOff topic", remark="asked")
FIRST = AspectSettings(aspects="Correct\nClear", aspects_when="before", aspects_needed="all")
IN_VIEW = ".question:not([hidden])"
NOT_YET = "Answer every aspect, then choose."
FOR_OR_AGAINST = "What speaks for your choice, or against the other?"


@pytest.fixture
def asks(live_server, study):
    """A function: the address of somebody who is asked these aspects, in texts so long."""

    def begin(settings, sentences=1):
        task = asking.task_of(study)
        task.settings = asdict(settings)
        task.save()
        tell_all("A passage about a plant. " * sentences)
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    return begin


def test_after_the_answer_they_are_given_by_keys_and_changed_by_going_back(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    panel = page.locator(f"{IN_VIEW} .details")
    expect(panel).to_be_hidden()
    for key in ("ArrowLeft", "ArrowRight", "t", "1", "w"):
        page.keyboard.press(key)
    expect(panel).to_be_visible()
    expect(page.get_by_role("group", name=FOR_OR_AGAINST)).to_be_visible()
    assert_accessible(page, "asked after")
    # In a sentence letters are letters, whatever they do elsewhere.
    page.keyboard.type("Tells it twice, x?")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert not Judgment.objects.exists()
    press(page, "Enter")
    row = Judgment.objects.get()
    assert (row.value, row.details["aspects"]) == (1, {"Correct": -1, "Clear": 0})
    assert (row.details["reasons"], row.remark[16:]) == (["Too long"], "Tells it twice, x?")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    press(page, "Enter")
    assert Judgment.objects.current().get().details["aspects"] == {"Correct": 1, "Clear": 0}


def test_while_an_aspect_is_asked_it_is_plain_which_line_is_the_answer_itself(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    whole = page.get_by_text("Your choice on the whole").locator("visible=true")
    expect(whole).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(whole).to_have_count(1)


def test_words_of_one_s_own_may_take_several_lines(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    for key in ("ArrowLeft", "n", "n", "w"):
        page.keyboard.press(key)
    field = page.get_by_label("In your own words").locator("visible=true")
    before = field.bounding_box()["height"]
    page.keyboard.type("Tells it twice,")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("and late")
    assert field.bounding_box()["height"] > before
    press(page, "Enter")
    assert Judgment.objects.get().remark[16:] == "Tells it twice, and late"


def test_who_can_judge_a_pair_after_all_is_asked_about_it_too(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    for key in ("x", "1", "Enter"):
        page.keyboard.press(key)
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    note = page.get_by_text("You said that you cannot judge this.")
    panel = page.locator(f"{IN_VIEW} .details")
    page.keyboard.press("ArrowLeft")
    expect(panel).to_be_visible()
    expect(note).to_be_hidden()
    # A way back leaves it as it was.
    page.keyboard.press("Backspace")
    expect(note).to_be_visible()
    expect(panel).to_be_hidden()
    for key in ("ArrowLeft", "ArrowRight", "t"):
        page.keyboard.press(key)
    press(page, "Enter")
    ready(page, 2)
    row = Judgment.objects.current().get()
    assert (row.value, row.details["aspects"]) == (1, {"Correct": -1, "Clear": 0})


@pytest.mark.parametrize("settings", [ALL, FIRST])
def test_an_answered_pair_that_is_looked_up_marks_no_aspect_and_shows_what_is_chosen(page, asks, settings):
    page.goto(asks(settings))
    ready(page, 1)
    first = ("ArrowRight", "ArrowRight", "ArrowLeft")
    for key in first[1:] + first[:1] if settings.first else first:
        page.keyboard.press(key)
    if not settings.first:
        expect(page.locator(f"{IN_VIEW} .bar > .choice kbd:visible")).to_have_count(0)
        press(page, "Enter")
    ready(page, 2)
    page.keyboard.press("Backspace")
    ready(page, 1)
    expect(page.locator(f"{IN_VIEW} .details")).to_be_visible()
    expect(page.locator(f"{IN_VIEW} .aspect[data-current]")).to_have_count(0)
    expect(page.locator(f"{IN_VIEW} .details kbd:visible", has_not_text="W")).to_have_count(0)
    expect(page.locator(f"{IN_VIEW} .steps")).to_be_hidden()
    expect(page.locator(f"{IN_VIEW} .choice kbd:visible").first).to_be_visible()
    expect(page.locator(f"{IN_VIEW} .side.right .yours")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    if settings.first:
        ready(page, 2)
        page.keyboard.press("Backspace")
        ready(page, 1)
    else:
        expect(page.locator(f"{IN_VIEW} .aspect[data-current] .name")).to_have_text("Correct")
        caps = page.locator(f"{IN_VIEW} .aspect[data-current] kbd:visible")
        expect(caps).to_have_text(["←", "T", "→", "N"])
        expect(page.locator(f"{IN_VIEW} .steps")).to_contain_text("one step back")
    # The side is called what the bar shows, also while the answer waits.
    expect(page.locator(f"{IN_VIEW} .side.left .yours")).to_be_visible()
    expect(page.locator(f"{IN_VIEW} .side.right .yours")).to_be_hidden()


def test_what_was_left_out_is_skipped_where_the_pair_is_looked_up_and_not_before(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    skipped = page.locator(f"{IN_VIEW} .skip :checked")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(skipped).to_have_count(0)
    press(page, "Enter")
    ready(page, 2)
    expect(skipped).to_have_count(0)
    page.keyboard.press("Backspace")
    ready(page, 1)
    expect(skipped).to_have_count(1)
    expect(page.locator(".keep")).to_be_visible()


def test_a_click_on_one_aspect_leads_to_the_next_without_an_answer(page, asks):
    page.goto(asks(AspectSettings(aspects="Correct\nClear\nKind")))
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    rows = page.locator(f"{IN_VIEW} .aspect")
    marked = page.locator(f"{IN_VIEW} .aspect[data-current] .name")
    for number, name in ((1, "Kind"), (2, "Correct")):
        rows.nth(number).locator("label.left").click()
        expect(marked).to_have_text(name)
    rows.nth(0).locator("label.tie").click()
    expect(marked).to_have_count(0)


def test_a_key_that_has_nothing_left_to_answer_says_what_goes_on_and_what_goes_back(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    for key in ("ArrowLeft", "ArrowRight", "t"):
        page.keyboard.press(key)
    said = "Your answer waits: Enter goes on, Backspace takes a step back."
    expect(page.locator(f"{IN_VIEW} .steps > :visible")).to_have_text(said)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#spoken")).to_have_text(said)
    expect(page.locator(f"{IN_VIEW} [data-told]")).to_have_count(1)
    assert_accessible(page, "a key does nothing")
    for _ in range(3):
        page.keyboard.press("Backspace")
    expect(page.locator(f"{IN_VIEW} .choice[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"{IN_VIEW} .choice[aria-pressed=true]")).to_have_attribute("value", "right")


def test_back_takes_an_aspect_back_then_the_answer_and_then_leaves_the_question(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    press(page, "Enter")
    ready(page, 2)
    marked = page.locator(f"{IN_VIEW} .aspect[data-current] .name")
    for key in ("ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    expect(marked).to_have_text("Clear")
    page.keyboard.press("Backspace")
    expect(marked).to_have_text("Correct")
    page.keyboard.press("Backspace")
    expect(marked).to_have_count(0)
    expect(page.locator(f"{IN_VIEW} .choice[aria-pressed=true]")).to_have_count(0)
    page.keyboard.press("Backspace")
    ready(page, 1)
    assert Judgment.objects.count() == 1


def test_before_the_answer_each_that_is_needed_is_waited_for(page, asks):
    page.goto(asks(FIRST))
    ready(page, 1)
    assert_accessible(page, "asked before")
    page.keyboard.press("ArrowRight")
    page.locator(f"{IN_VIEW} .choice.left").click()
    expect(page.locator("#spoken")).to_have_text(NOT_YET)
    page.keyboard.press("n")
    expect(page.locator(f"{IN_VIEW} .aspect[data-current] .name")).to_have_text("Clear")
    page.keyboard.press("ArrowLeft")
    assert not Judgment.objects.exists()
    # Nothing is asked after it.
    press(page, "t")
    row = Judgment.objects.get()
    assert (row.value, row.details) == (0, {"aspects": {"Correct": -1, "Clear": 1}})
    ready(page, 2)


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390)])
def test_on_a_phone_one_at_a_time_is_asked_and_none_before_both_sides_were_seen(browser, asks, size):
    window = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=window, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(asks(AspectSettings(**asdict(ALL) | {"aspects_when": "before"}), sentences=200))
    page.wait_for_selector("body.heard")
    row = page.locator(f"{IN_VIEW} .aspect:visible")
    row.locator("label.left").tap()
    expect(row.locator(":checked")).to_have_count(0)
    page.locator(f"{IN_VIEW} .switch.right").tap()
    ready(page, 1)
    assert page.locator(f"{IN_VIEW} .side.right .passage").bounding_box()["height"] > size[1] * 0.25
    assert_accessible(page, "aspects")
    row.locator("label.left").tap()
    expect(row.locator(".name")).to_have_text("Clear")
    # What nobody has skipped yet does not look so.
    expect(page.locator(f"{IN_VIEW} .skip :checked")).to_have_count(0)
    row.locator("label.skip").tap()
    expect(row).to_have_count(0)
    expect(page.locator(f"{IN_VIEW} .skip :checked")).to_have_count(1)
    page.locator(".choice:visible").last.tap()
    page.locator(f"{IN_VIEW} .chips label").last.tap()
    page.locator(f"{IN_VIEW} .remark textarea").fill("So")
    assert_accessible(page, "reasons")
    with page.expect_response("**/answer/"):
        page.locator(f"{IN_VIEW} .send").tap()
    row = Judgment.objects.get()
    assert (row.value, row.details["aspects"]) == (-1, {"Correct": 1})
    assert (row.details["reasons"], row.remark[16:]) == (["Off topic"], "So")
    context.close()


def test_on_a_phone_the_rest_can_be_skipped_and_reasons_for_a_tie_are_about_both(browser, asks):
    window = {"width": 390, "height": 844}
    page = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    page.goto(asks(AspectSettings(aspects="Correct\nClear\nShort", reasons="Too long")))
    look_at_both(page, 1)
    page.locator(".choice.tie:visible").tap()
    page.locator(f"{IN_VIEW} .aspect:visible label.left").tap()
    expect(page.locator(f"{IN_VIEW} .aspect:visible .name")).to_have_text("Clear")
    page.get_by_role("button", name="Skip the rest").tap()
    expect(page.get_by_role("group", name="What holds for both?")).to_be_visible()
    with page.expect_response("**/answer/"):
        page.locator(f"{IN_VIEW} .send").click()
    assert Judgment.objects.get().details == {"aspects": {"Correct": 1}}
    page.context.close()


@pytest.mark.parametrize("size", [(390, 844), (320, 568), (844, 390)])
def test_on_a_phone_the_first_tap_after_back_changes_an_aspect(browser, asks, size):
    window = {"width": size[0], "height": size[1]}
    page = browser.new_context(viewport=window, has_touch=True, is_mobile=True).new_page()
    page.goto(asks(ALL, sentences=200))
    look_at_both(page, 1)
    page.locator(".choice.left:visible").tap()
    for _ in range(2):
        page.locator(f"{IN_VIEW} .aspect:visible label.left").tap()
    with page.expect_response("**/answer/"):
        page.locator(f"{IN_VIEW} .send").click()
    page.locator(".back").tap()
    ready(page, 1)
    expect(page.locator(f"{IN_VIEW} .aspect:visible")).to_have_count(0)
    page.locator(f"{IN_VIEW} .fold").tap()
    for number in (0, 1):
        changed = page.locator(f"{IN_VIEW} .aspect").nth(number).locator("label.right")
        changed.tap()
        expect(changed.locator("input")).to_be_checked()
    page.context.close()


def test_what_was_said_while_there_was_no_network_is_sent_later_and_stored_once(page, asks):
    page.goto(asks(ALL))
    ready(page, 1)
    lost = []

    def lose_the_reply(route):
        lost.append(route.fetch())
        route.abort()

    page.route("**/answer/", lose_the_reply, times=1)
    for key in ("ArrowLeft", "ArrowLeft", "n", "2"):
        page.keyboard.press(key)
    with page.expect_response("**/answer/"):
        page.keyboard.press("Enter")
    assert lost
    row = Judgment.objects.get()
    assert row.details == {"aspects": {"Correct": 1}, "reasons": ["Off topic"]}


def test_without_javascript_they_are_in_the_form_and_what_is_needed_is_asked_for(browser, asks):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(asks(AspectSettings(**asdict(ALL) | {"aspects_needed": "all"})))
    choice = page.locator(f"{IN_VIEW} .choice.left")
    choice.click()
    expect(page).to_have_title("1 of 13 · Garden study")
    assert not Judgment.objects.exists()
    for name, side in (("Correct", "Left"), ("Clear", "Tie")):
        page.get_by_role("radiogroup", name=name).locator("visible=true").get_by_label(side).check()
    page.get_by_label("Off topic").locator("visible=true").check()
    choice.click()
    expect(page).to_have_title("2 of 13 · Garden study")
    assert Judgment.objects.get().details == {
        "aspects": {"Correct": 1, "Clear": 0},
        "reasons": ["Off topic"],
    }
    context.close()
