"""Before the page's script has started nothing can be chosen, and nobody waits for ever."""

import re
from functools import partial

import pytest
from playwright.sync_api import expect

from collection.models import Study
from judging.batches import answering, examples
from judging.models import Assignment, Decline, Judgment
from judging.questions import asking
from tests import makers
from tests.browser.batches import ready
from tests.judging.paged import RUNS, ask_all, paged_study
from tests.judging.picking import pick_study
from tests.judging.studies import give_pictures, invite, make_study
from tests.judging.test_grading import graded_study
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

SCRIPTS = re.compile(r"/js/judge/")
LOADING = "Still loading. You can choose in a moment."
# As if the time had passed after which the page says that a part of it has not arrived.
LATER = "() => document.getAnimations().forEach(one => one.finish())"


def pairs(scale="3"):
    study = make_study()
    study.tasks.update(scale=scale)
    return study


def pictures():
    study = make_study(kind="image")
    give_pictures(study)
    return study


def picks(*, pictured=False, **fields):
    study, _ = pick_study(**fields)
    if pictured:
        Study.objects.update(kind="image")
        give_pictures(study)
    services.start(study.pk)
    services.catch_up()
    return study


def grades(**fields):
    study, _ = graded_study(grades_first=True, **fields)
    services.start(study.pk)
    return study


def result_pages():
    study, task = paged_study(topics=3, runs=RUNS)
    ask_all(task)
    return study


# How many pictures of a question are waited for, and a study of each way of asking.
STUDIES = {
    "pairs": (0, pairs),
    "five levels": (0, partial(pairs, scale="5")),
    "pictures": (2, pictures),
    "picks": (0, picks),
    "picks with the worst": (0, partial(picks, scale="best-worst")),
    "pictured picks": (4, partial(picks, pictured=True)),
    "grades": (0, grades),
    "grades to 100": (0, partial(grades, scale="0-100")),
    "result pages": (0, result_pages),
}


@pytest.fixture
def begun(live_server, settings, tmp_path):
    """A function: the address of somebody who holds a batch of a study."""
    settings.MEDIA_ROOT = tmp_path

    def make(study):
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    return make


@pytest.fixture
def release(page):
    """The page's scripts are held back until this function is called."""
    page.route(SCRIPTS, lambda route: None)
    return lambda: page.unroute(SCRIPTS)


def answer_at_once(page):
    """Press every choice by the pointer, and all of the answers' form that takes the focus by Enter."""
    here = page.url
    # Nothing is painted before the style sheets are there.
    expect(page.locator("[data-position='1'] .choice").first).to_have_css("position", "relative")
    for choice in page.locator("[data-position='1'] .choice").all():
        box = choice.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("[data-position='1'] h1").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-position] form :not(a)')"):
            page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    assert page.url == here


@pytest.mark.parametrize("asked", STUDIES)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_chosen_before_the_script_has_started(page, begun, release, asked, width):
    pictured, make = STUDIES[asked]
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(begun(make()), wait_until="commit")
    expect(page.locator("[data-position='1']")).to_be_visible()
    expect(page.get_by_text(LOADING)).to_be_visible()
    expect(page.locator("[data-position='1'] .waiting:visible")).to_have_count(pictured)
    answer_at_once(page)
    assert Judgment.objects.count() == 0
    release()
    page.wait_for_function("() => document.body?.classList.contains('heard')")
    expect(page.get_by_text(LOADING)).to_be_hidden()
    expect(page.locator("[data-position='1'] .choice").first).to_be_visible()


def test_practice_takes_no_answer_before_its_script_has_started(page, live_server, release):
    study = makers.make_study(topics=2)
    task = asking.task_of(study)
    known = examples.candidates(task)[0]._replace(use="practice", why="it is greener")
    task.examples = examples.stored([known])
    task.save()
    makers.open_study(study)
    address = f"{live_server.url}/i/{invite(study).reference}/?practice=1&task={task.pk}"
    page.goto(address, wait_until="commit")
    expect(page.locator("[data-position='1']")).to_be_visible()
    answer_at_once(page)
    release()
    ready(page, 1)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".practice.told")).to_be_visible()


def test_an_answer_that_is_looked_up_again_is_not_changed_before_the_script_has_started(page, begun, release):
    """As by Back, or from the list of a batch that was opened again."""
    address = begun(make_study())
    answering.answer(Assignment.objects.get().pk, position=1, value=0, kind="pair", seconds=2.0)
    page.goto(f"{address}?at=1", wait_until="commit")
    expect(page.locator("[data-position='1']")).to_be_visible()
    answer_at_once(page)
    assert Judgment.objects.count() == 1


def test_where_the_script_never_arrives_one_goes_on_without_it_and_the_answers_have_no_times(page, begun):
    page.route(SCRIPTS, lambda route: route.abort())
    page.goto(begun(make_study()))
    way = page.get_by_role("link", name="Go on without that part")
    expect(way).to_be_hidden()
    page.evaluate(LATER)
    way.click()
    for position in (1, 2):
        page.locator(f"[data-position='{position}'] .choice").first.click()
        expect(page.locator(f"[data-position='{position + 1}']")).to_be_visible()
    expect(way).to_be_hidden()
    assert list(Judgment.objects.values_list("seconds", "seen")) == [(None, None)] * 2


def test_cannot_judge_pressed_before_the_script_started_is_asked_for_then(page, begun, release):
    page.goto(begun(make_study()), wait_until="commit")
    page.get_by_role("button", name="Cannot judge").click()
    expect(page.locator("#cannot")).to_be_visible()
    release()
    ready(page, 1)
    page.get_by_label("It is broken, or cannot be read").check()
    # The next question is shown before this is stored.
    with page.expect_response("**/cannot/"):
        page.get_by_role("button", name="Send and go on").click()
    ready(page, 2)
    assert Judgment.objects.count() == 0
    assert Decline.objects.count() == 1


@pytest.mark.parametrize("plain", [True, False], ids=["asked for", "no JavaScript"])
def test_without_the_script_choices_stand_as_they_do_with_it(browser, begun, plain):
    """What says that there is no script, and the caps of its keys, take no room."""
    address = begun(make_study())
    boxes = []
    for scripted in (True, False):
        context = browser.new_context(java_script_enabled=scripted or plain)
        page = context.new_page()
        page.goto(address if scripted or not plain else f"{address}?plain=1")
        choices = page.locator("[data-position='1'] .choice")
        expect(choices).to_have_count(3)
        boxes.append([box["y"] for choice in choices.all() if (box := choice.bounding_box())])
        box, label = choices.first.bounding_box(), choices.first.locator(".label").bounding_box()
        middle = label["x"] + label["width"] / 2 - box["x"] - box["width"] / 2
        assert scripted or abs(middle) < 2
        context.close()
    assert boxes[0] == boxes[1]
    assert len(set(boxes[1])) == 1
