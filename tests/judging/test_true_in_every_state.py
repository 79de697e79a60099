"""What an assessor's page says in every state of a study and a sitting, against what is stored then."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from collection.models import Study
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, BatchQuestion, Question, QuestionRole
from judging.verdicts import decisions, pauses
from tests.judging.studies import make_study
from tests.judging.visiting import Visitor, answer_all, begin, form, send, text_of
from tests.makers import invite, run_out

pytestmark = pytest.mark.django_db


def others(person: Assessor):
    """Batches of other people that are being answered now."""
    working = Assignment.objects.filter(assessor__study=person.study_id, state="working")
    return working.filter(deadline__gt=timezone.now()).exclude(assessor=person)


def sent(person: Assessor) -> bool:
    return Assignment.objects.filter(assessor=person, submitted_at__isnull=False).exists()


def free(person: Assessor) -> bool:
    """Whether a question waits that this person was not asked, or will once what is overdue is closed."""
    mine = BatchQuestion.objects.filter(assessor=person).values("question")
    open_ones = Question.objects.filter(expected__isnull=True).exclude(pk__in=mine)
    return any(question.taken < question.wanted for question in open_ones)


def lost(person: Assessor) -> bool:
    return Assignment.objects.filter(assessor=person, withdrawn__gt=0).exists()


def study_of(person: Assessor) -> Study:
    return Study.objects.get(pk=person.study_id)


# A sentence, and what has to be so wherever a page says it.
TRUE = {
    "Not open yet": lambda person: study_of(person).opened_at is None,
    "This study is paused": lambda person: study_of(person).paused,
    "Judging has ended": lambda person: study_of(person).closed_at and not study_of(person).paused,
    "A batch is": free,
    "You can stop here, or judge more": free,
    "the questions are new ones": free,
    "answers were received": sent,
    "Time is up": lambda person: not sent(person),
    "Others are answering now": lambda person: others(person).exists(),
    "If more is asked later": lambda person: not others(person).exists(),
    "have gone to others": lambda person: Assignment.objects.filter(
        assessor=person, withdrawn__gt=0
    ).exists(),
    "Many people": lambda person: False,
    "30 seconds": lambda person: False,
}


@pytest.fixture
def study():
    return make_study(pairs=10, challenges=9, batch_pairs=5, batch_challenges=1)


@pytest.fixture
def person(study):
    return invite(study)


def page_of(person: Assessor) -> str:
    """Read the person's page; every sentence of the table that stands there must be true."""
    said = text_of(Visitor().get(f"/i/{person.reference}/"))
    for sentence, so in TRUE.items():
        assert sentence not in said or so(person), (sentence, said)
    return said


def sit(person: Assessor, **how) -> Assignment:
    batch = begin(visitor := Visitor(), f"/i/{person.reference}/")
    answer_all(visitor, batch, **how)
    send(visitor, batch)
    return batch


def test_before_and_after(study, person):
    Study.objects.update(opened_at=None)
    assert "Not open yet" in page_of(person)
    Study.objects.update(opened_at=timezone.now())
    said = page_of(person)
    assert "A batch is 6 questions" in said
    assert "Reading and answering take about 3 minutes" in said
    Study.objects.update(closed_at=timezone.now(), paused=True)
    assert "This study is paused" in page_of(person)
    assert "Write to lab@example.org" in page_of(person)
    Study.objects.update(paused=False)
    assert "Judging has ended" in page_of(person)


def test_between_batches_and_with_nothing_left(study, person):
    sit(person)
    assert "Your 6 answers were received" in page_of(person)
    assert "the questions are new ones" in page_of(person)
    study.tasks.update(repeats=1)
    assert "You can stop here, or judge more." in page_of(person)
    study.tasks.update(repeats=0)
    sit(person)
    said = page_of(person)
    assert "Your 6 answers were received. If more is asked later, you find it at this address." in said
    assert "Write to lab@example.org" in said


def test_while_others_hold_everything(study, person):
    """The wait is the idle minutes of the task; at its end what they left is free."""
    for other in (invite(study), invite(study)):
        begin(Visitor(), f"/i/{other.reference}/")
    said = page_of(person)
    assert "Nothing to judge right now" in said
    assert "look again in about 15 minutes" in said
    assert "Write to lab@example.org" in said
    Assignment.objects.update(opened_at=timezone.now() - timedelta(minutes=15))
    answering.release_overdue()
    assert "A batch is 6 questions" in page_of(person)


def test_who_is_excluded_reads_what_those_read_for_whom_nothing_is_left(study, person):
    other = invite(study)
    begin(Visitor(), f"/i/{invite(study).reference}/")
    begin(Visitor(), f"/i/{invite(study).reference}/")
    decisions.exclude(person.pk, "for a test")
    assert page_of(person) == page_of(other)


def test_when_time_is_up(study, person):
    batch = begin(visitor := Visitor(), f"/i/{person.reference}/")
    answer_all(visitor, batch)
    run_out(batch)
    assert "Time is up. The 6 answers you gave in time were received." in page_of(person)


def test_after_being_away(study, person):
    batch = begin(visitor := Visitor(), f"/i/{person.reference}/")
    visitor.post("/answer/", form(batch, batch.batch.filter(role=QuestionRole.COUNTS)[0]))
    sittings.release(batch.pk)
    for other in (invite(study), invite(study)):
        begin(Visitor(), f"/i/{other.reference}/")
    said = page_of(person)
    assert "Welcome back" in said
    assert "have gone to others" in said
    assert f"You have until {batch.deadline:%H:%M} UTC" in said
    # The question that was answered may be the first or the last of the two.
    assert re.search(r"[12] of 2 · Garden study", page_of(person))


def test_a_pause_for_one(study, person):
    pauses.pause(person.pk, "for a test")
    assert "A pause for you" in page_of(person)


def test_a_batch_that_ends_before_it_could_be_idle_does_not_speak_of_that(study, person):
    assert "After 15 minutes without an answer" in page_of(person)
    study.tasks.update(minutes=5)
    said = page_of(person)
    assert "you have 5 minutes" in said
    assert "without an answer" not in said


@pytest.mark.parametrize(
    ("language", "words"), [("de", "Andere antworten gerade"), ("zh-hans", "其他人正在作答")]
)
def test_the_wait_is_said_in_the_language_of_the_study(study, person, language, words):
    Study.objects.update(language=language)
    for other in (invite(study), invite(study)):
        begin(Visitor(), f"/i/{other.reference}/")
    assert words in page_of(person)
