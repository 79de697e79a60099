"""The organizer's page of grading: set up, opened, looked at, taken as the study's."""

import pytest
from django.core.management import CommandError, call_command

from collection.models import Grade
from judging.models import Task
from judging.questions import grading
from tests.judging.organizing import queries, staff_of, text
from tests.judging.test_grading import DOCNOS, give, graded_study
from tests.makers import add_items, add_run, make_study
from tournament.models import Tournament
from web.organizer.setup import grading as grading_page
from web.organizer.setup import result_pages as result_pages_page
from web.organizer.setup import settings_page

pytestmark = pytest.mark.django_db
FIELDS = {
    "wording": "How good?",
    "instructions": "",
    "scale": "0-4",
    "guidelines": "",
    "grades_first": "on",
    "depth": 3,
    "assessors": 2,
    "average": "median",
    "batch_size": 10,
    "batch_challenges": 0,
    "wrong_allowed": 0,
    "minutes": 60,
    "idle_minutes": 15,
}


@pytest.fixture
def study():
    """Alice's, not open: four items that a run ranks, and no grading yet."""
    study = staff_of(make_study(items=0, junk=0))
    add_items(study.topics.get(), dict.fromkeys(DOCNOS))
    add_run(study, "r", {"t1": DOCNOS})
    return study


@pytest.fixture
def address(study):
    return f"/studies/{study.slug}/grading/"


def test_from_the_form_to_the_tournament(alice, study, address):
    assert "Nothing is asked until this is saved" in text(alice.get(address))
    assert alice.post(address, FIELDS).status_code == 302
    assert [(task.kind, task.position) for task in study.tasks.all()] == [("grade", 0), ("pair", 1)]
    said = "items to be graded 3 answers 6 batch 1 of judging in all, about 3 minutes"
    assert said in text(alice.get(address))
    opening = text(alice.get(f"/studies/{study.slug}/start/"))
    assert "Grades are asked for first: 3 items, 6 answers in 1 batch" in opening
    assert alice.post(f"/studies/{study.slug}/start/").url == f"/studies/{study.slug}/send/"
    give(study, {"t1-a": 4, "t1-b": 2})
    give(study, {"t1-a": 4, "t1-b": 4})
    page = text(alice.get(address))
    assert "3 of 3 items have a collected grade." in page
    assert "the median of the answers of kept batches" in page
    assert "answers of kept batches 6" in page
    exported = alice.get(f"/studies/{study.slug}/collected.qrels?assessors=1")
    assert b"".join(exported.streaming_content) == b"t1 0 t1-a 4 2\nt1 0 t1-b 2 2\nt1 0 t1-c 0 2\n"
    alice.post(f"{address}take/")
    assert dict(Grade.objects.values_list("item__docno", "value")) == {"t1-a": 4, "t1-b": 2, "t1-c": 0}
    assert Tournament.objects.count() == 1
    assert "Take 3 grades" not in text(alice.get(address))
    trail = text(alice.get(f"/studies/{study.slug}/trail/"))
    assert "took collected grades as the study's" in trail


def test_what_was_loaded_since_opening_is_counted_and_asked_about_by_a_button(alice, study, address):
    alice.post(address, FIELDS)
    alice.post(f"/studies/{study.slug}/start/")
    assert "Ask about" not in text(alice.get(address))
    add_items(study.topics.get(), {"late": None})
    add_run(study, "other", {"t1": ["late"]})
    said = "1 item was loaded since judging was opened, and not asked about yet: 2 answers in 1 batch"
    assert said in text(alice.get(address))
    page = text(alice.post(f"{address}more/", follow=True))
    assert "1 more item is asked about." in page
    assert "0 of 4 items have a collected grade." in page
    assert "of 8 answers given or being given 0" in page
    assert "Ask about" not in page
    assert "nothing more to ask about" in text(alice.post(f"{address}more/", follow=True))


def test_it_is_edited_and_removed_until_the_study_is_open(alice, study, address):
    alice.post(address, FIELDS)
    alice.post(address, FIELDS | {"scale": "0-100", "guidelines": "More is better."})
    [task] = grading.tasks_of(study)
    assert (task.scale, task.settings["guidelines"], task.position) == ("0-100", "More is better.", 0)
    alice.post(f"{address}remove/")
    assert grading.tasks_of(study) == []
    alice.post(address, FIELDS)
    alice.post(f"/studies/{study.slug}/start/")
    alice.post(address, FIELDS | {"wording": "Other?"})
    alice.post(f"{address}remove/")
    assert [task.wording for task in grading.tasks_of(study)] == ["How good?"]


@pytest.mark.parametrize(
    ("form", "sections"),
    [
        (result_pages_page.PagesForm, result_pages_page.SECTIONS),
        (grading_page.GradingForm, grading_page.SECTIONS),
        (grading_page.TextsForm, grading_page.SECTIONS),
        (settings_page.StudyForm, settings_page.SECTIONS),
    ],
)
def test_every_field_of_a_form_in_folds_stands_in_one_of_them(form, sections):
    placed = [name for section in sections for name in section.fields]
    assert len(placed) == len(set(placed))
    assert set(form.base_fields) <= set(placed)


def test_guidelines_that_leave_a_grade_open_are_refused_in_a_sentence(alice, study, address):
    response = alice.post(address, FIELDS | {"guidelines": "4 Good\n0 Bad"})
    assert response.status_code == 200
    assert "No line begins with 1, 2, 3" in text(response)
    assert grading.tasks_of(study) == []


def test_nothing_is_taken_before_a_batch_is_kept(alice, study, address):
    alice.post(address, FIELDS)
    alice.post(f"/studies/{study.slug}/start/")
    assert "there are no collected grades" in text(alice.post(f"{address}take/", follow=True))
    assert not Tournament.objects.exists()


def test_pages_about_people_and_challenges_know_grades(alice):
    study, _ = graded_study(challenges=2, grades_first=True)
    staff_of(study)
    add_items(study.topics.get(), {"known-0": 0.0, "known-1": 0.0, "known-2": 4.0, "known-3": 4.0})
    alice.post(f"/studies/{study.slug}/start/")
    give(study, dict.fromkeys(["known-0", "known-1"], 4))
    pages = ["", "people/", "challenges/", "topics/", "settings/", "grading/", "leaderboard/"]
    pages.append(f"people/{study.assessors.get().pk}/")
    for page in pages:
        assert alice.get(f"/studies/{study.slug}/{page}").status_code == 200, page


def test_the_page_takes_as_many_queries_however_much_was_graded(alice, study, address):
    alice.post(address, FIELDS)
    alice.post(f"/studies/{study.slug}/start/")
    before = queries(alice, address)
    give(study, {})
    assert queries(alice, address) == before


def test_a_study_that_grades_is_made_on_the_command_line():
    call_command(
        "study", "cards", "--grade", "0-100", "--grade-depth", "5", "--grade-assessors", "3",
        "--grade-average", "mean",
    )  # fmt: skip
    task = Task.objects.get(study__slug="cards", kind="grade")
    assert task.scale == "0-100"
    assert task.settings == {
        "guidelines": "", "depth": 5, "assessors": 3, "average": "mean", "grades_first": True,
    }  # fmt: skip
    with pytest.raises(CommandError, match="less than or equal to 5"):
        call_command("study", "more", "--grade", "0-4", "--grade-assessors", "6")
