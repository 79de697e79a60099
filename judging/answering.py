"""The one door to the ledger: an assessor arrives, answers, submits; or runs out of time, or is excluded.

Every function may be repeated, and each change is one transaction. Rows are locked in the order assessor,
assignment, questions, topics, so that two calls can wait for each other but never both at once.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from collection.changes import raise_revisions
from judging import asking
from judging.models import Assessor, Assignment, BatchQuestion, Choice, Judgment, Question


class JudgingError(Exception):
    """Why an answer or a batch was not taken, in a sentence for the person who sent it."""


class NothingLeft(JudgingError):
    """No batch for this assessor now."""


class Excluded(JudgingError):
    """The assessor is not asked any more."""


class Over(JudgingError):
    """The assignment was submitted or its time is over; answers to it are no longer taken."""


class NotAsked(JudgingError):
    """The question is not part of this batch."""


class Unfinished(JudgingError):
    """The batch still has questions without an answer."""


@dataclass(frozen=True)
class Recorded:
    """What became of a posted answer: the row that holds it, and whether this call added it."""

    judgment: Judgment
    added: bool


def arrive(assessor_id: int) -> Assignment:
    """Give the assessor their open assignment, or a new one with a fresh batch.

    Raises Excluded, or NothingLeft when the study is not open or has no question for them.
    """
    # Each in a transaction of its own, before the one that draws: one that first gave back questions of
    # some and then took others would lock them out of order.
    _release(Assignment.objects.filter(assessor=assessor_id))
    assignment = _take(assessor_id)
    if assignment is None:
        # Perhaps somebody else's time has run out.
        everybody = Assignment.objects.filter(assessor__study__assessors=assessor_id)
        assignment = _take(assessor_id) if _release(everybody) else None
    if assignment is None:
        raise NothingLeft("There is nothing to judge for you at the moment.")
    return assignment


@transaction.atomic
def _take(assessor_id: int) -> Assignment | None:
    """Their open assignment, or a fresh one; None when no question is left for them."""
    # of=self: the study's row is shared by everybody and only read.
    assessor = (
        Assessor.objects.select_for_update(no_key=True, of=("self",))
        .select_related("study")
        .get(pk=assessor_id)
    )
    if assessor.excluded_at:
        raise Excluded("There is no more work for you in this study.")
    working = Assignment.objects.filter(assessor=assessor, state=Assignment.State.WORKING).first()
    if working:
        return working
    if not assessor.study.judging_is_open:
        raise NothingLeft("This study is not open for judging.")
    return asking.draw(assessor)


@transaction.atomic
def record(
    assignment_id: int,
    question_id: int,
    choice: Choice,
    *,
    seconds: float | None = None,
    nonce: str | None = None,
) -> Recorded:
    """Add an answer to the ledger. About ten queries, whatever the size of the study.

    Repeating a post (same nonce, or same choice) returns the stored row. A different choice before
    the batch is submitted is a correction: a further row, the earlier one stays.
    Raises Over after submission or deadline, NotAsked for a question of another batch.
    """
    assignment = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("assessor__study")
        .get(pk=assignment_id)
    )
    place = (
        BatchQuestion.objects.select_related("question")
        .filter(assignment=assignment, question_id=question_id)
        .first()
    )
    if place is None:
        raise NotAsked("This question is not part of your batch.")
    rows = Judgment.objects.filter(
        Q(question_id=question_id) | Q(nonce=nonce or ""), assignment=assignment
    ).order_by("revision")
    stored = [judgment for judgment in rows if judgment.question_id == question_id]
    for judgment in stored:
        if nonce and judgment.nonce == nonce:
            return Recorded(judgment, added=False)
    if stored and stored[-1].choice == choice:
        return Recorded(stored[-1], added=False)
    _refuse_if_over(assignment, timezone.now())
    if choice == Choice.TIE and not assignment.assessor.study.ties_allowed:
        raise JudgingError("This study asks you to choose one of the two.")
    if len(stored) < len(rows):
        raise JudgingError("This form was already used for another question. Load the page again.")
    judgment = Judgment.objects.create(
        assignment=assignment,
        question_id=question_id,
        revision=stored[-1].revision + 1 if stored else 0,
        choice=choice,
        a_left=place.a_left,
        challenge=place.challenge,
        seconds=seconds,
        nonce=nonce or None,
    )
    if not place.challenge and assignment.assessor.excluded_at is None:
        raise_revisions([place.question.topic_id], settled=False)
    return Recorded(judgment, added=True)


@transaction.atomic
def submit(assignment_id: int) -> Assignment:
    """Close a finished batch and give its verdict; a repeat returns the verdict that was given.

    More wrong challenges than the study allows: the batch, and everything the assessor answered
    before, counts nowhere; their questions go back; they are not asked again.
    Raises Unfinished while an answer is missing, Over when the time has run out.
    """
    owner = Assignment.objects.values_list("assessor_id", flat=True).get(pk=assignment_id)
    assessor = (
        Assessor.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=owner)
    )
    assignment = Assignment.objects.select_for_update(no_key=True).get(pk=assignment_id)
    if assignment.state in (Assignment.State.KEPT, Assignment.State.DISCARDED):
        return assignment
    now = timezone.now()
    _refuse_if_over(assignment, now)
    batch = list(assignment.batch.select_related("question"))
    answers = {j.question_id: j.choice for j in Judgment.objects.current().filter(assignment=assignment)}
    missing = [place.position for place in batch if place.question_id not in answers]
    if missing:
        raise Unfinished(f"{len(missing)} of {len(batch)} questions have no answer yet.")
    challenges = [place for place in batch if place.challenge]
    wrong = sum(answers[place.question_id] != place.question.expected for place in challenges)
    failed = wrong > assessor.study.wrong_allowed
    kept = not failed and assessor.excluded_at is None
    assignment.submitted_at = now
    assignment.challenges_wrong = wrong
    assignment.state = Assignment.State.KEPT if kept else Assignment.State.DISCARDED
    assignment.save(update_fields=["submitted_at", "challenges_wrong", "state"])
    if failed and assessor.excluded_at is None:
        _exclude(assessor, f"{wrong} of {len(challenges)} challenges wrong", now, discarded=assignment)
        return assignment
    if not kept:
        asking.give_back([assignment.pk])
    raise_revisions((place.question.topic_id for place in batch if not place.challenge), settled=True)
    return assignment


@transaction.atomic
def exclude(assessor_id: int, why: str) -> None:
    """Stop asking an assessor and count nothing they answered; a repeat changes nothing."""
    assessor = Assessor.objects.select_for_update(no_key=True).get(pk=assessor_id)
    if assessor.excluded_at is None:
        _exclude(assessor, why, timezone.now())


def release_overdue(*, study_id: int | None = None) -> int:
    """Give back the questions of assignments whose time has run out; return how many lapsed.

    One transaction for each, so that a long queue holds no lock for long.
    """
    everybody = Assignment.objects.all()
    return _release(everybody if study_id is None else everybody.filter(assessor__study=study_id))


def _release(assignments: QuerySet[Assignment]) -> int:
    overdue = assignments.filter(state=Assignment.State.WORKING, deadline__lte=timezone.now())
    return sum(_lapse_if_overdue(pk) for pk in list(overdue.order_by("pk").values_list("pk", flat=True)))


@transaction.atomic
def _lapse_if_overdue(assignment_id: int) -> bool:
    # Whoever else is about to release it is waited for: the caller goes on with what was given back.
    assignment = (
        Assignment.objects.select_for_update(no_key=True)
        .filter(pk=assignment_id, state=Assignment.State.WORKING, deadline__lte=timezone.now())
        .first()
    )
    if assignment is None:
        return False
    _lapse(assignment)
    return True


def _lapse(assignment: Assignment) -> None:
    assignment.state = Assignment.State.LAPSED
    assignment.save(update_fields=["state"])
    asking.give_back([assignment.pk])
    # Its answers counted while they were being given; no more.
    answered = Question.objects.filter(
        judgments__assignment=assignment, judgments__challenge=False
    ).values_list("topic_id", flat=True)
    raise_revisions(answered, settled=False)


def _exclude(assessor: Assessor, why: str, now: datetime, *, discarded: Assignment | None = None) -> None:
    """Discard all that the assessor had kept; `discarded` is the batch that has just failed."""
    assessor.excluded_at = now
    assessor.excluded_why = why[:200]
    assessor.save(update_fields=["excluded_at", "excluded_why"])
    kept = list(
        Assignment.objects.filter(assessor=assessor, state=Assignment.State.KEPT).values_list("pk", flat=True)
    )
    Assignment.objects.filter(pk__in=kept).update(state=Assignment.State.DISCARDED)
    # All in one call: questions are locked by rising id, whatever batch they were in.
    asking.give_back([*kept, discarded.pk] if discarded else kept)
    touched = Question.objects.filter(judgments__assignment__assessor=assessor, judgments__challenge=False)
    raise_revisions(touched.order_by().values_list("topic_id", flat=True).distinct(), settled=True)


def _refuse_if_over(assignment: Assignment, now: datetime) -> None:
    if assignment.state != Assignment.State.WORKING:
        raise Over("This batch was already submitted or its time has run out.")
    if assignment.deadline <= now:
        raise Over("The time for this batch has run out.")
