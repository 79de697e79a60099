"""A study that asks for grades: what is asked, how challenges are made, what was collected, and what becomes
of it. Each grade is followed from the posted form through ledger and median to the exported file.
"""

from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from collection.material import levels
from collection.models import Action, Grade, Item
from collection.study import lifecycle
from judging.batches import answering
from judging.models import Assignment, Judgment, Question, Task
from judging.questions import grading
from judging.tasks.grade import GradeSettings
from tests.judging.visiting import Visitor, begin, form, send
from tests.makers import add_items, add_run, invite, make_study
from tournament import services

pytestmark = pytest.mark.django_db
DOCNOS = ["t1-a", "t1-b", "t1-c", "t1-d"]


def graded_study(*, scale="0-4", challenges=0, **fields):
    """Not open: four items that a run ranks in their order, no grades, no challenges unless asked for."""
    study = make_study(items=0, junk=0)
    add_items(study.topics.get(), dict.fromkeys(DOCNOS))
    add_run(study, "r", {"t1": DOCNOS})
    own = {name: fields.pop(name) for name in GradeSettings.model_fields() if name in fields}
    made = {"kind": "grade", "scale": scale, "batch_challenges": challenges} | fields
    return study, Task.objects.create(study=study, position=0, settings=own, **made)


def give(study, grades: dict[str, int]) -> Assignment:
    """Somebody new gives these grades, all others 0, through the forms of the page, and sends the batch."""
    visitor = Visitor()
    assignment = begin(visitor, f"/i/{invite(study).reference}/")
    docnos = dict(Item.objects.values_list("pk", "docno"))
    for place in assignment.batch.all():
        docno = docnos[int(place.question.key)]
        given = form(assignment, place, str(grades.get(docno, 0)), kind="grade")
        assert visitor.post("/answer/", given).status_code == 303
    assert send(visitor, assignment).status_code == 303
    return Assignment.objects.get(pk=assignment.pk)


def test_a_grade_goes_from_the_form_through_the_ledger_to_the_file_and_is_loaded_again(
    capsys, tmp_path, settings
):
    settings.MEDIA_ROOT = tmp_path / "media"
    study, task = graded_study(assessors=3, grades_first=True)
    services.start(study.pk)
    given = [{"t1-a": 4, "t1-b": 1}, {"t1-a": 2, "t1-b": 1}, {"t1-a": 4, "t1-b": 3}]
    assert [give(study, grades).state for grades in given] == ["kept"] * 3
    items = dict(Item.objects.values_list("docno", "pk"))
    ledger = Judgment.objects.filter(question__key=str(items["t1-a"])).order_by("pk")
    assert list(ledger.values_list("value", "shown")) == [(4, "0"), (2, "0"), (4, "0")]
    assert grading.collected(task)[items["t1-a"]] == (4.0, 3)
    call_command("export", study.slug, "grades", "--assessors")
    lines = "t1 0 t1-a 4\nt1 0 t1-b 1\nt1 0 t1-c 0\nt1 0 t1-d 0\n"
    assert capsys.readouterr().out == lines.replace("\n", " 3\n")
    call_command("export", study.slug, "grades", output=tmp_path / "file")
    assert (tmp_path / "file").read_text() == lines
    other, _ = graded_study()
    call_command("load", other.slug, "qrels", str(tmp_path / "file"))
    assert levels.levels(other.topics.get().pk) == {"t1-a": 4, "t1-b": 1, "t1-c": 0, "t1-d": 0}


def test_the_command_that_opens_a_study_says_that_tournaments_wait_for_grades(capsys):
    study, task = graded_study(grades_first=True)
    call_command("start", study.slug)
    assert "the tournaments wait for the collected grades" in capsys.readouterr().out
    assert Question.objects.filter(task=task).exists()


def test_what_runs_place_down_to_the_depth_is_asked_of_so_many_assessors():
    study, task = graded_study(depth=2, assessors=3)
    add_run(study, "other", {"t1": ["t1-b", "t1-d", "t1-a"]})
    services.start(study.pk)
    asked = Question.objects.filter(task=task)
    assert sorted(q.subjects.get().item.docno for q in asked) == ["t1-a", "t1-b", "t1-d"]
    assert set(asked.values_list("wanted", flat=True)) == {3}
    services.start(study.pk)
    assert Question.objects.filter(task=task).count() == 3


@pytest.mark.parametrize(
    ("scale", "answers", "middle"),
    [("0-4", [4, 1], 1), ("0-4", [0, 3, 4, 2], 2), ("0-100", [10, 55], 32.5), ("0-100", [7, 90, 8], 8)],
)
def test_collected_grades_are_medians_and_of_0_to_4_the_lower_one(scale, answers, middle):
    study, task = graded_study(scale=scale, assessors=len(answers))
    services.start(study.pk)
    for answer in answers:
        give(study, {"t1-a": answer})
    item = Item.objects.get(docno="t1-a")
    assert grading.collected(task)[item.pk] == (middle, len(answers))


@pytest.mark.parametrize(("scale", "answers", "mean"), [("0-4", [4, 1], 2.5), ("0-100", [7, 90, 8], 35.0)])
def test_collected_grades_are_means_where_the_task_says_so(scale, answers, mean):
    study, task = graded_study(scale=scale, assessors=len(answers), average="mean")
    services.start(study.pk)
    for answer in answers:
        give(study, {"t1-a": answer})
    assert grading.collected(task)[Item.objects.get(docno="t1-a").pk] == (mean, len(answers))


def test_what_is_loaded_after_opening_is_asked_about_when_somebody_says_so(capsys):
    study, task = graded_study(depth=2, assessors=2)
    services.start(study.pk)
    before = set(Question.objects.filter(task=task).values_list("pk", flat=True))
    add_items(study.topics.get(), {"t1-late": None, "t1-deep": None})
    add_run(study, "late", {"t1": ["t1-a", "t1-late", "t1-deep"]})
    assert [len(items) for items in grading.not_asked(task).values()] == [1]
    with pytest.raises(CommandError, match="asks for no grades"):
        call_command("grading", make_study().slug)
    call_command("grading", study.slug)
    assert "Not asked about: 1 item, 2 answers" in capsys.readouterr().out
    call_command("grading", study.slug, "--ask-more")
    assert "1 more item asked about." in capsys.readouterr().out
    [new] = Question.objects.filter(task=task).exclude(pk__in=before)
    assert (new.subjects.get().item.docno, new.wanted) == ("t1-late", 2)
    said = Action.objects.filter(what="settings", about="grading")
    assert [row.after for row in said] == [{"items asked about since": 1}]
    assert grading.extend(study.pk, task.pk) == 0
    assert said.count() == 1
    lifecycle.close(study.pk)
    add_items(study.topics.get(), {"t1-last": None})
    add_run(study, "last", {"t1": ["t1-last"]})
    assert grading.extend(study.pk, task.pk) == 0
    with pytest.raises(CommandError, match="is closed"):
        call_command("grading", study.slug, "--ask-more")


def test_only_kept_batches_are_collected():
    study, task = graded_study()
    services.start(study.pk)
    assignment = answering.arrive(invite(study).pk)
    for place in assignment.batch.all():
        answering.record(assignment.pk, place.question_id, 3)
    assert grading.collected(task) == {}
    answering.submit(assignment.pk)
    assert {one.grade for one in grading.collected(task).values()} == {3.0}


# Challenges


def with_known(study, grades: list[float]) -> None:
    """Further items with known grades, which no run places."""
    add_items(study.topics.get(), {f"known-{n}": grade for n, grade in enumerate(grades)})


def test_clear_known_grades_become_challenges_as_many_low_as_high_and_in_turn():
    study, task = graded_study(challenges=2)
    with_known(study, [0, 0, 0, 1, 2, 3, 4])
    services.start(study.pk)
    known = Question.objects.filter(task=task, expected__isnull=False).order_by("draw_key")
    grades = [question.expected["grade"] for question in known]
    assert [grade >= 3 for grade in grades] == [False, True, False, True]
    assert known.filter(wanted__gt=0).count() == 0


@pytest.mark.parametrize(
    ("scale", "grades", "made"),
    [
        ("0-4", [0, 4], 2),
        ("0-4", [0, 5], 0),
        ("0-4", [0, 3.5], 0),
        ("0-4", [-1, 4], 0),
        ("0-4", [0, 1, 2, 3, 3, 4], 2),
        ("0-100", [0, 4], 0),
        ("0-100", [10, 60, 80.5], 2),
        ("0-100", [0, 101], 0),
    ],
)
def test_known_grades_of_another_scale_and_unclear_ones_make_no_challenges(scale, grades, made):
    study, task = graded_study(scale=scale)
    with_known(study, grades)
    assert grading.make_challenges(task) == made


def test_who_gives_one_grade_to_everything_is_not_kept():
    study, task = graded_study(challenges=2)
    with_known(study, [0, 0, 4, 4])
    services.start(study.pk)
    assert give(study, dict.fromkeys([*DOCNOS, *(f"known-{n}" for n in range(4))], 4)).state == "discarded"
    assert grading.collected(task) == {}
    assert give(study, {"known-2": 3, "known-3": 4}).state == "kept"


# Collected grades as the study's


def test_tournaments_that_wait_are_held_among_what_was_graded_best():
    study, task = graded_study(grades_first=True)
    services.start(study.pk)
    assert not services.Tournament.objects.exists()
    with pytest.raises(services.CannotStart, match="no collected grades"):
        services.take_grades(study.pk, task.pk)
    give(study, {"t1-a": 4, "t1-b": 4, "t1-c": 1})
    assert services.take_grades(study.pk, task.pk) == (4, 1)
    assert Counter(Grade.objects.values_list("value", flat=True)) == {4.0: 2, 1.0: 1, 0.0: 1}
    best = set(Item.objects.filter(docno__in=["t1-a", "t1-b"]).values_list("pk", flat=True))
    assert set(services.Tournament.objects.get().pool) == best
    pairs = Question.objects.filter(task__kind="pair", expected__isnull=False)
    assert pairs.count() == 2
    services.catch_up()
    assert Question.objects.filter(task__kind="pair", wanted__gt=0).count() == 1
    with pytest.raises(services.CannotStart, match="have begun"):
        services.take_grades(study.pk, task.pk)


def test_a_study_that_waits_for_grades_opens_only_if_there_is_something_to_grade():
    study, _ = graded_study(grades_first=True)
    study.runs.all().delete()
    with pytest.raises(services.CannotStart, match="load runs"):
        services.start(study.pk)
    study.refresh_from_db()
    assert study.opened_at is None
