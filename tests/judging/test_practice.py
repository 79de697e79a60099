"""Examples and practice: chosen by organizers, told to assessors, and stored nowhere as answers."""

import re
from html import unescape

import pytest

from collection.models import Grade
from judging.batches import examples
from judging.models import Assignment, Decision, Judgment, Question, Task, TextVersion
from judging.questions import asking, grading
from tests.judging.organizing import staff_of, text
from tests.judging.picking import pick_study
from tests.judging.test_preview import everything
from tests.judging.visiting import Visitor, agreeing, text_of
from tests.makers import add_run, invite, make_study, open_study

pytestmark = pytest.mark.django_db
PAGE = "/studies/pilot/examples/"


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def study():
    return staff_of(make_study(topics=2, slug="pilot"))


def choose(alice, study, *, asks: str = "pair", change: str = "", why: str = "it is greener") -> list:
    """Choose by the page the first question offered as an example, and the next two for practice."""
    task = Task.objects.get(study=study, kind=asks)
    found = examples.candidates(task)
    sent = {"change": change}
    for use, one in zip(("example", "practice", "practice"), found, strict=False):
        key = one.key.replace(" ", "-")
        sent |= {f"use-{key}": use, f"why-{key}": why}
    assert alice.post(f"{PAGE}?asks={asks}", sent).status_code == 302
    return found[:3]


def token_of(page) -> str:
    return unescape(re.findall(r'name="token" value="([^"]+)"', page.content.decode())[0])


def better(page) -> str:
    """The side on which the item stands that is not junk."""
    html = page.content.decode()
    return "right" if html.index("-junk") < html.index('class="side right"') else "left"


def practise(visitor, address: str, choice: str, kind: str = "pair"):
    """Answer a practice question by its form, and see what is said."""
    page = visitor.get(address)
    fields = {"token": token_of(page), "kind": kind, "position": "1", "choice": choice, "plain": "browser"}
    return visitor.get(visitor.post("/answer/", fields)["Location"])


@pytest.fixture
def address(alice, study):
    """Of somebody new, in an open study with an example and two practice questions."""
    choose(alice, study)
    open_study(study)
    return f"/i/{invite(study).reference}/"


def test_the_first_page_shows_the_example_and_leads_to_practice(visitor, study, address):
    page = visitor.get(address)
    said = text_of(page)
    assert "because it is greener." in said
    assert "The better one" in said
    assert "First 2 questions to practise" in said
    assert "I agree, start judging" not in said
    html = page.content.decode()
    marked = re.findall(r'<figure class="(?:left|right) better">.*?</figure>', html, re.DOTALL)
    assert len(marked) == 1
    assert "-junk" not in marked[0]


def test_reasons_are_set_from_markdown_in_the_example_and_in_practice(visitor, alice, study):
    choose(alice, study, why="it is **greener** <i onclick='x()'>by far</i>")
    open_study(study)
    address = f"/i/{invite(study).reference}/"
    html = visitor.get(address).content.decode()
    assert "because it is <strong>greener</strong> <i>by far</i>." in html
    first = re.findall(r'href="(\?practice=[^"]+)"', html)[0].replace("&amp;", "&")
    told = practise(visitor, address + first, better(visitor.get(address + first)))
    assert "Yes, because it is <strong>greener</strong> <i>by far</i>." in told.content.decode()


def test_practice_tells_at_once_and_stores_nothing(visitor, study, address):
    first = re.findall(r'href="(\?practice=[^"]+)"', visitor.get(address).content.decode())[0]
    first = address + first.replace("&amp;", "&")
    before = everything()
    page = visitor.get(first)
    assert "Practice 1 of 2." in text_of(page)
    right = better(page)
    wrong = "left" if right == "right" else "right"
    assert "Yes, because it is greener." in text_of(practise(visitor, first, right))
    mistaken = practise(visitor, first, wrong)
    stacked = {"left": "Upper", "right": "Lower"}[wrong]
    assert f"You chose: {wrong.capitalize()} {stacked} . Most people find the {right}" in text_of(mistaken)
    # The better side is marked, whatever was chosen; in its head, and in its tab where the sides have tabs.
    assert re.search(rf'side {right}".*?The better one</strong>.*?<h2|$', mistaken.content.decode(), re.S)[0]
    assert mistaken.content.decode().count("better-one") == 2
    tie = practise(visitor, first, "tie")
    assert f"Most people find the {right}" in text_of(tie)
    second = re.findall(r'data-next href="([^"]+)"', tie.content.decode())[0].replace("&amp;", "&")
    last = practise(visitor, second, "left")
    done = re.findall(r'data-next href="([^"]+)"', last.content.decode())[0]
    said = text_of(visitor.get(done))
    assert "I agree, start judging" in said
    # One thing to press.
    assert "Practise again" not in said
    assert everything() == before


def test_practice_can_be_skipped_once_seen_and_repeated_in_the_middle(visitor, study, address):
    task = asking.task_of(study)
    first = f"{address}?practice=1&task={task.pk}"
    page = visitor.get(first)
    skip = re.findall(r'href="([^"]+)">Skip the practice', page.content.decode())[0]
    assert "I agree, start judging" in text_of(visitor.get(skip))
    visitor.post(address, agreeing(address))
    batch = visitor.get(address)
    assert f"?practice=1&amp;task={task.pk}" in batch.content.decode()
    assert "Practice 1 of 2." in text_of(visitor.get(first))
    assert "1 of " in text_of(visitor.get(address))
    assert Assignment.objects.get().state == "working"


def test_what_is_told_is_asked_of_nobody(alice, study):
    told = choose(alice, study)
    open_study(study)
    aside = Question.objects.filter(set_aside_at__isnull=False)
    assert set(aside.values_list("key", flat=True)) == {one.key for one in told}
    assert Decision.objects.filter(what="set aside").count() == 3
    assert not Question.objects.filter(key__in=[one.key for one in told], wanted__gt=0).exists()


def test_chosen_after_opening_it_is_another_version_and_challenges_are_set_aside(alice, study):
    open_study(study)
    told = choose(alice, study, change="Two practice questions.")
    assert TextVersion.objects.get(number=2).examples == asking.task_of(study).examples
    keys = [one.key for one in told]
    assert Question.objects.filter(key__in=keys, set_aside_at__isnull=False).count() == 3


@pytest.mark.parametrize(("why", "change", "said"), [("", "x", "Say why"), ("green", "", "what changes")])
def test_a_choice_without_its_reason_is_refused(alice, study, why, change, said):
    open_study(study)
    key = examples.candidates(asking.task_of(study))[0].key.replace(" ", "-")
    sent = {f"use-{key}": "practice", f"why-{key}": why, "change": change}
    assert said in text(alice.post(f"{PAGE}?asks=pair", sent))
    assert asking.task_of(study).examples == []


def test_each_question_is_a_line_that_unfolds_the_chosen_ones_first(alice, study):
    page = alice.get(f"{PAGE}?asks=pair")
    assert "Use Topic Known to be better Than" in text(page)
    assert text(page).count("✓") == len(page.context["choices"])
    assert page.context["chosen"] == []
    assert "No question is chosen yet." in text(page)
    told = choose(alice, study)
    page = alice.get(f"{PAGE}?asks=pair")
    assert [one.example.key for one in page.context["chosen"]] == [one.key for one in told]
    html = page.content.decode()
    first = page.context["choices"][: len(told)]
    assert [one.example.key for one in first] == [one.key for one in told]
    assert html.count("<li><details>") == len(page.context["choices"])
    assert html.count("<fieldset>") == len(page.context["choices"])


def test_grades_are_practised_too(alice, visitor, study):
    Grade.objects.filter(value=1).update(value=4)
    task = grading.usual(study)
    grading.put_first(task)
    task.settings["grades_first"] = False
    task.save()
    # More than examples and challenges can take.
    add_run(study, "run", {t: [f"{t}-{item}" for item in (*"abcde", "junk0")] for t in ("t1", "t2")})
    told = choose(alice, study, asks="grade")
    open_study(study)
    assert not Question.objects.filter(task=task, key__in=[o.key for o in told], wanted__gt=0).exists()
    address = f"/i/{invite(study).reference}/"
    assert "Most people give it grade 0, because it is greener." in text_of(visitor.get(address))
    first = f"{address}?practice=1&task={task.pk}"
    known = told[1].expected["grade"]
    assert f"Most people give it {known:g}, because" in text_of(
        practise(visitor, first, str(4 - int(known)), "grade")
    )
    assert f"Yes: most people give it {known:g}" in text_of(
        practise(visitor, first, str(int(known)), "grade")
    )
    assert not Judgment.objects.exists()


def test_without_known_answers_the_page_says_what_to_load(alice):
    staff_of(make_study(slug="pilot", junk=0))
    assert "Load grades, or challenges, first" in text(alice.get(f"{PAGE}?asks=pair"))


def test_it_is_for_organizers(bob, study):
    assert bob.get(PAGE).status_code == 403


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_picks_are_practised_too(alice, visitor, scale, opened):
    """Chosen among the grids that its grades make, or among its challenges once these are made."""
    made, task = pick_study(slug="pilot", scale=scale)
    staff_of(made)
    if opened:
        open_study(made)
    assert "Most people find it the best, because" in text(alice.get(f"{PAGE}?asks=pick"))
    told = choose(alice, made, asks="pick", change="Practice.")
    if not opened:
        open_study(made)
    task.refresh_from_db()
    address = f"/i/{invite(made).reference}/"
    page = visitor.get(address)
    assert "The best one" in text_of(page)
    assert text_of(page).count("Another one") == len(told[0].subjects) - 1
    marked = re.findall(r'<figure class="\d better">.*?</figure>', page.content.decode(), re.DOTALL)
    assert len(marked) == 1
    assert "-junk" not in marked[0]
    address = f"{address}?practice=1&task={task.pk}"
    html = visitor.get(address).content.decode()
    items = re.findall(
        r'aria-labelledby="q1-\d" dir="auto">\s*<div class="set">(?:<p>)?\D*?t1-([a-z]+)', html
    )
    assert len(items) == len(told[1].subjects)
    best = 1 + next(place for place, name in enumerate(items) if name != "junk")
    other = best % len(items) + 1
    before = everything()
    ends = ("", "") if scale == "best" else (f"-{other}", f"-{best}")
    right = text_of(practise(visitor, address, f"{best}{ends[0]}", "pick"))
    assert "Yes, because it is greener." in right
    wrong = text_of(practise(visitor, address, f"{other}{ends[1]}", "pick"))
    assert f"You chose: {other}. Most people find number {best} the best, because it is greener." in wrong
    assert "Practice 1 of 2." in text_of(practise(visitor, address, f"9{ends[0]}", "pick"))
    assert everything() == before


def test_without_scripts_the_worst_is_a_field_of_its_own(alice, visitor):
    made, task = pick_study(slug="pilot", scale="best-worst")
    staff_of(made)
    choose(alice, made, asks="pick")
    open_study(made)
    address = f"/i/{invite(made).reference}/?practice=1&task={task.pk}"
    fields = {"token": token_of(visitor.get(address)), "kind": "pick", "position": "1", "plain": "browser"}
    gone = visitor.post("/answer/", fields | {"best": "1", "worst": "2"})["Location"]
    assert gone.endswith("answer=1-2")


def test_examples_of_pairs_are_none_of_picks(alice, study):
    choose(alice, study)
    task = asking.asking_for(asking.task_of(study), "pick")
    assert (task.kind, task.examples) == ("pick", [])
