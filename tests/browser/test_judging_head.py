"""The head of the judging page in Chromium: what is left, until when; nothing ever covers the question."""

from itertools import groupby

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from judging.models import Assignment
from tests.browser.batches import answer_from, press, ready, stored, tell_all
from tests.servers import wait_until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

COVERED = """() => {
    const over = document.querySelector(".saving").getBoundingClientRect();
    return [...document.querySelectorAll("[data-position]:not([hidden]) :is(.asked > *, .side)")]
        .map(e => e.getBoundingClientRect())
        .filter(r => r.left < over.right && over.left < r.right && r.top < over.bottom && over.top < r.bottom)
        .length;
}"""
BACKGROUND = "e => getComputedStyle(e).backgroundColor"


@pytest.mark.parametrize(("seconds", "told"), [(6, (7, 8, 8, 6)), (600, (7, 8, 9, 10))])
def test_the_head_says_what_is_left_by_the_persons_own_pace(page, address, seconds, told):
    """By hand: 13 questions of 30 s are 6.5 min, and that counts as five answers. The first answer's clock
    leaps, and no answer counts for more than 4: 12 are 6 min x (5 + 4) / 6 = 9. After two of 6 s, 10 are
    5 min x (5 + 4 + .4) / 8 = 5.9; of ten minutes, 5 min x (5 + 3 x 4) / 8 = 10.6. What is said grows by a
    minute an answer at most.
    """
    page.clock.install(time=0)
    page.goto(address)
    ready(page, 1)
    facts = page.locator(".minutes")
    expect(facts).to_have_text("about 7 min to go")
    page.clock.pause_at(600)
    for minutes in told[:3]:
        page.clock.run_for(1000 * seconds)
        expect(facts).to_have_text(f"about {minutes} min to go")
        # The reply is not waited for: a post that fails is sent again only when the clock runs.
        page.keyboard.press("ArrowLeft")
        page.clock.run_for(140)  # as long as the mark stands
    page.clock.run_for(1000)
    expect(page.locator(".where")).to_have_text("4 of 13")
    expect(facts).to_have_text(f"about {told[3]} min to go")
    page.clock.resume()
    wait_until(lambda: len(stored()) == 3, seconds=90)
    # One's pace is one's own after a reload too.
    page.reload()
    ready(page, 4)
    expect(facts).to_have_text(f"about {told[3]} min to go")


@pytest.mark.parametrize(("zone", "hours"), [("Asia/Tokyo", 9), ("Atlantic/Cape_Verde", -1)])
def test_the_time_to_send_by_is_the_readers(browser, address, zone, hours):
    context = browser.new_context(timezone_id=zone, locale="en-GB")
    page = context.new_page()
    page.goto(address)
    ready(page, 1)
    deadline = Assignment.objects.get().deadline
    minutes = [(deadline.hour + hours) % 24 * 60 + deadline.minute + late for late in (-1, 0, 1)]
    times = [f"{m // 60 % 24:02}:{m % 60:02}" for m in minutes]
    said = page.locator(".facts .by").inner_text()
    assert said.removeprefix("send by ").zfill(5) in times
    context.close()


def test_near_its_end_the_time_is_counted_down_in_the_head_and_said(page, address):
    page.clock.install()
    page.goto(address)
    ready(page, 1)
    page.clock.run_for(51 * 60_000)
    expect(page.locator(".facts .by")).to_have_text("send within 9 min")
    expect(page.locator(".minutes")).to_have_text("about 7 min to go")
    page.clock.run_for(4 * 60_000)
    expect(page.locator("#spoken")).to_have_text("send within 5 min.")
    # Less than the questions will take: it alone counts.
    expect(page.locator(".minutes")).to_be_empty()
    expect(page.locator(".saving")).to_be_empty()


@pytest.mark.parametrize(("given", "way"), [(1, "Your receipt"), (0, "Go on")])
def test_once_the_time_is_over_nothing_is_taken_and_the_way_on_stands_in_place_of_the_choices(
    page, address, given, way
):
    page.clock.install()
    page.goto(address)
    ready(page, 1)
    if given:
        page.locator(".choice.left:visible").click()
        wait_until(lambda: len(stored()) == given)
        page.clock.run_for(1000)
        ready(page, 2)
    page.keyboard.press("x")
    page.clock.run_for(60 * 60_000)
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator(".choice:visible")).to_have_count(0)
    expect(page.locator("#spoken")).to_have_text("Time is up.")
    page.keyboard.press("ArrowLeft")
    page.clock.run_for(1000)
    assert len(stored()) == given
    expect(page.locator("[data-refused]")).to_be_hidden()
    Assignment.objects.update(deadline=timezone.now())
    page.get_by_role("link", name=way).click()
    expect(page.get_by_text("The time was over before you had answered")).to_have_count(1 - given)


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (320, 568), (844, 390)])
def test_trouble_is_said_in_a_place_that_covers_nothing(page, address, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    ready(page, 1)
    page.context.set_offline(True)
    page.keyboard.press("ArrowLeft")
    note = page.locator(".saving")
    expect(note).to_contain_text("No network")
    ready(page, 2)
    assert note.bounding_box()["height"] > 0
    assert page.evaluate(COVERED) == 0
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("scale", ["3", "5"])
def test_at_400_percent_the_bar_covers_less_than_half_and_everything_is_reached(page, address, study, scale):
    """1280 x 800, enlarged four times; the bar with the link that an answered question has."""
    study.tasks.update(scale=scale)
    tell_all("A long passage. " * 300)
    page.set_viewport_size({"width": 320, "height": 200})
    page.goto(address)
    page.wait_for_selector("body.heard")
    page.keyboard.press("s")
    ready(page, 1)
    press(page, "ArrowLeft")
    expect(page.locator("[data-position='1']")).to_be_hidden()
    page.keyboard.press("Backspace")
    ready(page, 1)
    top = "() => document.querySelector('[data-position=\"1\"] .bar').getBoundingClientRect().top"
    assert page.evaluate(top) >= 100
    for _ in range(2):
        page.keyboard.press("End")
    page.locator(".choice:visible").last.click()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 320


def test_a_button_just_clicked_does_not_look_chosen_for_the_next_question(page, address):
    """Its tint comes back once the pointer moves."""
    page.goto(address)
    ready(page, 1)
    plain = page.locator(".choice.right:visible").evaluate(BACKGROUND)
    page.locator(".choice.right:visible").hover()
    tinted = page.locator(".choice.right:visible").evaluate(BACKGROUND)
    assert tinted != plain
    with page.expect_response("**/answer/"):
        page.mouse.down()
        page.mouse.up()
    ready(page, 2)
    box = page.locator(".choice.right:visible").bounding_box()
    assert page.locator(".choice.right:visible").evaluate(BACKGROUND) == plain
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.wait_for_function("() => document.body?.dataset.pointing !== undefined")
    assert page.locator(".choice.right:visible").evaluate(BACKGROUND) == tinted


def test_the_last_page_lists_what_was_chosen(page, address, study):
    """Answered now, and before a reload; the words are those of the buttons."""
    page.goto(address)
    answer_from(page, 1, 6)
    page.reload()
    answer_from(page, 7)
    ready(page, 14)
    chosen = page.locator("[data-position]").evaluate_all(
        "all => all.map(question => question.dataset.choice)"
    )
    told = [text.splitlines()[0] for text in page.locator(".again a").all_inner_texts()]
    assert told == [f"{n}. {side.capitalize()}" for n, side in enumerate(chosen, 1)]
    # Each topic is said once over its questions.
    topics = page.locator("h1 bdi").all_text_contents()
    assert page.locator(".again .topic").all_inner_texts() == [topic for topic, _ in groupby(topics)]
    # Below them the first words of what was chosen, of a tie those of both.
    counted = "all => all.map(one => one.querySelectorAll('.chosen').length)"
    assert page.locator(".again a").evaluate_all(counted) == [2 if side == "tie" else 1 for side in chosen]
