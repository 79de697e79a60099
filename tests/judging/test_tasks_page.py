"""What is asked: the tasks of a study in their order, how far each is, and changing which comes first."""

import pytest

from collection.models import Action
from judging.batches import answering
from judging.models import QuestionRole, Task
from judging.questions import grading, result_pages
from tests.judging.organizing import staff_of, text
from tests.makers import add_run, invite, make_study, open_study
from web.forecast.judging_cost import cost_of
from web.organizer.setup.grading import forecast

pytestmark = pytest.mark.django_db
PAGE = "/studies/pilot/settings/"
MOVE = "/studies/pilot/tasks/move/"


@pytest.fixture
def study():
    """Pairs, grades before them, and result pages after them; not open yet."""
    made = staff_of(make_study(topics=1, slug="pilot"))
    add_run(made, "oak", {"t1": ["t1-a", "t1-b", "t1-c"]})
    task = grading.usual(made)
    grading.put_first(task)
    task.settings["grades_first"] = False
    task.save()
    result_pages.usual(made).save()
    return made


def kinds(study) -> list[str]:
    return list(Task.objects.filter(study=study).order_by("position").values_list("kind", flat=True))


def move(alice, study, kind: str, how: str) -> None:
    task = Task.objects.get(study=study, kind=kind)
    assert alice.post(MOVE, {"task": task.pk, "move": how}).status_code == 302


def test_tasks_are_moved_one_place_and_the_trail_tells(alice, study):
    assert kinds(study) == ["grade", "pair", "pages"]
    move(alice, study, "grade", "later")
    assert kinds(study) == ["pair", "grade", "pages"]
    move(alice, study, "pages", "earlier")
    assert kinds(study) == ["pair", "pages", "grade"]
    noted = Action.objects.filter(about="which task is asked first").order_by("pk").last()
    assert (noted.before, noted.after) == ({"order": "pair, grade, pages"}, {"order": "pair, pages, grade"})
    assert noted.actor == "alice"


def test_the_first_is_not_moved_earlier_nor_the_last_later(alice, study):
    before = Action.objects.count()
    move(alice, study, "grade", "earlier")
    move(alice, study, "pages", "later")
    alice.post(MOVE, {"task": "x", "move": "later"})
    assert kinds(study) == ["grade", "pair", "pages"]
    assert Action.objects.count() == before


@pytest.mark.parametrize(("how", "first"), [("", "grade"), ("later", "pair")])
def test_after_opening_the_order_decides_which_batch_is_drawn(alice, study, how, first):
    open_study(study)
    if how:
        move(alice, study, "grade", how)
    assert answering.arrive(invite(study).pk).task.kind == first


def test_each_task_is_told_with_its_numbers_and_links(alice, study):
    page = alice.get(PAGE)
    assert text(page).count("Before opening") == 3
    open_study(study)
    batch = answering.arrive(invite(study).pk)
    grade = batch.task
    graded = batch.batch.filter(role=QuestionRole.COUNTS).count()
    page, said = alice.get(PAGE), text(alice.get(PAGE))
    numbers = page.context["lines"][0]
    assert numbers.taken == graded
    assert numbers.wanted == grade.questions.filter(wanted__gt=0).count()
    assert "1 being judged" in said
    assert "Nothing asked yet" in said
    html = page.content.decode()
    for address in ("grading/", "result-pages/", "examples/?asks=grade", "preview/?asks=pages"):
        assert f'href="/studies/pilot/{address}"' in html


def test_pairs_wait_for_grades(alice, study):
    Task.objects.filter(kind="grade").update(settings={"grades_first": True})
    open_study(study)
    assert [line.word for line in alice.get(PAGE).context["lines"]][1] == "Waits for grades"


def test_it_is_for_organizers(bob, charlie, study):
    assert [one.get(PAGE).status_code for one in (bob, charlie)] == [403, 404]


def test_before_opening_all_tasks_are_forecast_in_one_table(alice, study):
    """Expected: the forecasts of the tasks' own pages; of result pages all pairs of runs on the one topic."""
    page = alice.get("/studies/pilot/start/")
    works = page.context["works"]
    seen = page.context["outlook"]
    assert [work.name for work in works] == ["Grades", "Pairs", "Result pages"]
    grades = forecast(Task.objects.get(study=study, kind="grade"))
    assert works[0][1:5] == (grades.items, grades.answers, grades.batches, grades.hours)
    cost = cost_of(study)
    assert (works[1].answers, works[1].batches) == (
        seen.judgments.about,
        cost.batches(seen.judgments.about),
    )
    pairs = seen.task
    asked = works[1].batches * (pairs.batch_size + pairs.batch_challenges)
    assert works[1].hours == pytest.approx(asked * 30 / 3600)
    assert works[2][1:5] == (0, 0, 0, 0.0)
    for number in range(9):
        add_run(study, f"elm{number}", {"t1": ["t1-b", "t1-a"]})
    # 45 pairs of ten runs, in five batches with three challenges each, a minute each.
    assert alice.get("/studies/pilot/start/").context["works"][2][1:5] == (45, 45, 5, 0.975)
    assert "in the order of asking" in text(page)
