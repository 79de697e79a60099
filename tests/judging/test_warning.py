"""A failed batch where a task warns once: what counts, what the person is told, what takes it back."""

import pytest

from judging.audit import derived_state, verification
from judging.batches import answering
from judging.models import Assessor, Assignment, Decision, Judgment, Question, QuestionRole, Task
from judging.verdicts import decisions, question_set_aside
from tests.judging.organizing import account
from tests.judging.studies import make_study as make_garden
from tests.judging.visiting import Visitor, agreeing, answer_all, as_anybody, begin, send, text_of
from tests.makers import invite, make_study, open_study, record, run_out, sit, taken_by_rows

pytestmark = pytest.mark.django_db
State, What = Assignment.State, Decision.What
SENTENCE = "In your last batch, more of the questions with a known answer were answered differently"


@pytest.fixture
def study():
    """Two topics with ten pairs each; batches of two pairs and one challenge; anyone who fails is warned."""
    return open_study(make_study(topics=2, batch_pairs=2, batch_challenges=1, failing="warn"))


@pytest.fixture
def person(study):
    return invite(study)


def about(person) -> list[str]:
    return list(Decision.objects.filter(assessor=person).order_by("pk").values_list("what", flat=True))


def excluded(person) -> bool:
    return Assessor.objects.get(pk=person.pk).excluded_at is not None


def challenge_of(batch) -> Question:
    return batch.batch.get(role=QuestionRole.CHALLENGE).question


def agrees(study) -> None:
    """What is stored follows from batches, answers and decisions."""
    stored = dict(Question.objects.filter(taken__gt=0).values_list("pk", "taken"))
    assert stored == taken_by_rows(study)
    assert derived_state.rebuild(study) == 0
    assert verification.verify(study).problems == []


def test_the_first_failed_batch_alone_is_discarded_and_the_second_excludes(study, person):
    kept = sit(person)
    assert sit(person, wrong=1).state == State.DISCARDED
    assert about(person) == [What.WARNED]
    assert not excluded(person)
    assert set(Judgment.objects.settled().values_list("assignment", flat=True)) == {kept.pk}
    agrees(study)
    sit(person)
    sit(person, wrong=1)
    assert about(person) == [What.WARNED, What.EXCLUDED]
    assert excluded(person)
    assert not Judgment.objects.settled().exists()
    agrees(study)


def test_where_a_task_stops_at_once_nobody_is_warned(study, person):
    Task.objects.update(failing="stop")
    sit(person, wrong=1)
    assert about(person) == [What.EXCLUDED]
    agrees(study)


def test_a_batch_that_fails_when_its_time_is_over_warns_too(study, person):
    batch = answering.arrive(person.pk)
    place = batch.batch.get(role=QuestionRole.CHALLENGE)
    record(batch.pk, place.question_id, -int(place.question.expected or 0))
    run_out(batch)
    answering.release_overdue()
    assert about(person) == [What.WARNED]
    agrees(study)


def test_setting_the_challenge_aside_restores_the_batch_and_takes_the_warning_back(study, person):
    batch = sit(person, wrong=1)
    question = challenge_of(batch)
    assert question_set_aside.would_restore(question.pk) == (0, 1)
    question_set_aside.set_aside(question.pk, "both are right")
    batch.refresh_from_db()
    assert batch.state == State.KEPT
    assert about(person) == [What.WARNED, What.UNWARNED]
    agrees(study)
    sit(person, wrong=1)
    assert about(person) == [What.WARNED, What.UNWARNED, What.WARNED]
    assert not excluded(person)
    agrees(study)


def test_of_two_failed_batches_one_that_is_saved_lets_its_assessor_back_in_with_the_warning(study, person):
    kept = sit(person)
    sit(person, wrong=1)
    second = sit(person, wrong=1)
    question = challenge_of(second)
    assert question_set_aside.would_restore(question.pk) == (1, 2)
    question_set_aside.set_aside(question.pk, "both are right")
    assert about(person) == [What.WARNED, What.EXCLUDED, What.READMITTED]
    kept.refresh_from_db()
    second.refresh_from_db()
    assert (kept.state, second.state) == (State.KEPT, State.KEPT)
    assert decisions.is_warned(person)
    agrees(study)
    sit(person, wrong=1)
    assert excluded(person)


def test_whom_an_organizer_excludes_stays_out_though_the_warning_is_taken_back(study, person):
    batch = sit(person, wrong=1)
    decisions.exclude(person.pk, "for a test", by=account("alice"))
    question_set_aside.set_aside(challenge_of(batch).pk, "both are right")
    assert about(person) == [What.WARNED, What.EXCLUDED, What.UNWARNED]
    assert excluded(person)
    agrees(study)


@pytest.fixture
def garden():
    return make_garden(pairs=20, challenges=9, batch_pairs=3, batch_challenges=2, failing="warn")


def test_somebody_who_failed_reads_the_same_thanks_and_is_told_once_when_they_begin_again(garden):
    pages = []
    for wrong in (False, True):
        person, visitor = invite(garden), Visitor()
        address = f"/i/{person.reference}/"
        batch = begin(visitor, address)
        answer_all(visitor, batch, wrong=wrong)
        sent = send(visitor, batch)
        pages.append((sent.status_code, sent.content, as_anybody(visitor.get(address))))
    assert pages[0] == pages[1]
    told = visitor.post(address, agreeing(address))
    assert SENTENCE in text_of(told)
    assert 'name="read" value="1"' in told.content.decode()
    assert Assignment.objects.filter(assessor=person).count() == 1
    assert visitor.post(address, agreeing(address, read="1")).status_code == 303
    batch = Assignment.objects.get(assessor=person, state=State.WORKING)
    answer_all(visitor, batch)
    send(visitor, batch)
    assert visitor.post(address, agreeing(address)).status_code == 303


def test_a_page_left_open_until_time_was_over_tells_before_it_begins(garden):
    person, visitor = invite(garden), Visitor()
    address = f"/i/{person.reference}/"
    batch = begin(visitor, address)
    answer_all(visitor, batch, wrong=True)
    run_out(batch)
    assert SENTENCE in text_of(visitor.post(address, agreeing(address)))


def test_somebody_who_was_let_back_in_by_an_organizer_is_not_lectured(garden):
    Task.objects.update(failing="stop")
    person, visitor = invite(garden), Visitor()
    address = f"/i/{person.reference}/"
    batch = begin(visitor, address)
    answer_all(visitor, batch, wrong=True)
    send(visitor, batch)
    decisions.readmit(person.pk, "a mistake")
    Task.objects.update(failing="warn")
    assert visitor.post(address, agreeing(address)).status_code == 303
