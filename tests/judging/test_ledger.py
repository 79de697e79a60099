"""What the database itself refuses, whatever the code above it does; and the links by which people enter."""

import pytest
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from judging.batches import answering
from judging.models import Assessor, Assignment, Judgment, Question, QuestionRole
from judging.verdicts import decisions
from panels import local
from tests.makers import Choice, answer, invite, make_study, open_study, record, sit

pytestmark = pytest.mark.django_db
A, B = Choice.A, Choice.B


@pytest.fixture
def study():
    return open_study(make_study())


@pytest.fixture
def assignment(study):
    return answering.arrive(invite(study).pk)


@pytest.fixture
def question(assignment):
    """The first question of the batch that is no challenge."""
    return assignment.batch.filter(role=QuestionRole.COUNTS).first().question_id


@pytest.fixture
def judgment(assignment, question):
    return record(assignment.pk, question, A).judgment


def test_the_database_refuses_to_change_a_judgment(judgment):
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        Judgment.objects.update(value=B)
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        judgment.save()
    assert Judgment.objects.get().value == judgment.value


def test_the_database_refuses_to_remove_a_judgment(judgment):
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        judgment.delete()
    assert Judgment.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"revision": 0}, {"nonce": "n1", "revision": 7}, {"away": -1.0}, {"seconds": -1.0}]
)
def test_the_database_refuses_a_second_first_answer_a_repeated_nonce_and_impossible_values(
    assignment, question, wrong
):
    record(assignment.pk, question, A, nonce="n1")
    topic = Question.objects.get(pk=question).topic
    row = {
        "assignment": assignment,
        "question_id": question,
        "topic": topic,
        "value": 1,
        "revision": 1,
    } | wrong
    with pytest.raises(DatabaseError), transaction.atomic():
        Judgment.objects.create(**row | wrong)


def test_the_database_refuses_a_second_open_batch_of_one_person(assignment):
    assignment.pk = None
    with pytest.raises(DatabaseError, match="assessor"), transaction.atomic():
        assignment.save(force_insert=True)


def test_the_database_refuses_a_submission_without_its_time(assignment):
    with pytest.raises(DatabaseError), transaction.atomic():
        Assignment.objects.update(state=Assignment.State.SUBMITTED)
    Assignment.objects.update(state=Assignment.State.KEPT)  # for what was answered in time
    Assignment.objects.update(state=Assignment.State.KEPT, submitted_at=timezone.now())
    assert Assignment.objects.filter(submitted_at__gte=F("opened_at")).exists()


def test_the_open_link_makes_a_new_person_each_time(study):
    study.join_token = "open"
    study.save()
    people = [local.join("open") for _ in range(2)]
    assert people[0].reference != people[1].reference
    assert local.invited(people[0].reference) == people[0]


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_link_that_is_not_open_is_refused(study, token):
    """Studies without a link have an empty token: nobody gets in by sending one."""
    with pytest.raises(local.UnknownLink, match="not open"):
        local.join(token)
    with pytest.raises(local.UnknownLink, match="Nobody was invited"):
        local.invited(token)


def test_an_imported_assessor_cannot_be_entered_by_its_reference(study):
    Assessor.objects.create(study=study, panel="import", reference="abc:1")
    with pytest.raises(local.UnknownLink):
        local.invited("abc:1")


def test_first_rows_of_settled_answers_are_as_many_as_these():
    """Kept, corrected before they were sent, of a failed batch, of an excluded person, and not sent."""
    study = open_study(make_study(topics=2, batch_pairs=3, batch_challenges=1))
    for wrong in (0, 0, 1):
        sit(invite(study), wrong=wrong)
    decisions.exclude(sit(invite(study)).assessor_id, "for a test")
    corrected = answering.arrive(invite(study).pk)
    place = corrected.batch.filter(role=QuestionRole.COUNTS).first()
    record(corrected.pk, place.question_id, B)
    answer(corrected)
    answering.submit(corrected.pk)
    sit_down = answering.arrive(invite(study).pk)
    answer(sit_down, most=2)
    both = (Judgment.objects.settled(), Judgment.objects.settled_first())
    one, other = ([(row.assignment_id, row.question_id) for row in rows] for rows in both)
    assert sorted(one) == sorted(other) != []
    assert (corrected.pk, place.question_id) in one
    assert Judgment.objects.filter(assignment=corrected, question=place.question_id).count() == 2
