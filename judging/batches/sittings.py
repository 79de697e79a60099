"""Idle batches: release the unanswered questions of people who are away, and resume when they come back.

Without activity for its task's minutes a batch is idle: it keeps its answers, and its unanswered questions
are free for others. An assessor who comes back gets what is still free; what was reassigned is withdrawn from
the batch for good (`Withdrawal`), and nothing is drawn instead. Each step is a decision; `asking.held_by`
says which questions a batch holds in each state. Rows are locked in the order assessor, assignment,
questions, topics.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from collection import audit_log
from collection.models import Study
from judging.batches.overdue import FIRST_MINUTES, begun, late, quiet
from judging.models import Assessor, Assignment, Judgment, Question, QuestionRole, Withdrawal
from judging.questions import asking
from judging.verdicts import decisions
from judging.verdicts.decisions import By, What

State = Assignment.State
# Minutes without a sign of life after which the page of people offers to release somebody as away.
AWAY_MINUTES = 5


def locked(assignment_id: int) -> tuple[Assignment, Assessor]:
    """Lock a batch's assessor, then the batch, until the transaction ends."""
    owner = Assignment.objects.values_list("assessor_id", flat=True).get(pk=assignment_id)
    assessor = decisions.lock_assessor(owner)
    rows = Assignment.objects.select_for_update(no_key=True, of=("self",)).select_related("task")
    return rows.get(pk=assignment_id), assessor


def close_late(assignments: QuerySet[Assignment], *, away: bool = True) -> int:
    """Close or release those of these batches that are late; return how many.

    One transaction for each, so that a long list holds no lock for long. `away` as in `overdue.late`.
    """
    found = assignments.filter(late(away=away)).order_by("pk")
    return sum(_close_if_late(pk, away=away) for pk in list(found.values_list("pk", flat=True)))


@transaction.atomic
def _close_if_late(assignment_id: int, *, away: bool) -> bool:
    # Wait for a call that is just closing it: the caller goes on with what was given back.
    assignment, assessor = locked(assignment_id)
    # Asked again now that it is locked: an answer may have come meanwhile, and keeps the batch.
    if not Assignment.objects.filter(late(away=away), pk=assignment_id).exists():
        return False
    if assignment.first_deadline is not None:
        decisions.close_reopened(assignment, assessor, "not sent again in time")
    elif assignment.deadline <= timezone.now():
        decisions.expire(assignment, assessor)
    elif assessor.by_link and not begun(assignment.pk):
        decisions.lapse(assignment, decisions.NOT_BEGUN)
    else:
        decisions.mark_idle(assignment, f"no answer for {assignment.idle_minutes} minutes")
    return True


def resume(assignment_id: int) -> Assignment:
    """Resume a batch if it is idle; a repeat changes nothing.

    The batch's `withdrawn` says how many questions it has lost in all.
    """
    with transaction.atomic():
        assignment, _ = locked(assignment_id)
        resume_locked(assignment)
    return assignment


def resume_locked(assignment: Assignment) -> None:
    """Resume a batch whose row the caller has locked; nothing happens unless it is idle and in time.

    Challenges are withdrawn in the same share as other questions, so that what is left does not tell which
    they are. At least one stays until one is answered: without it nothing vouches for the answers. A repeat
    is withdrawn with the question that it repeats.
    """
    if assignment.state != State.IDLE or assignment.deadline <= timezone.now():
        return
    missing = asking.without_answer(assignment.pk)
    by_role: dict[str, list[int]] = {role: [] for role in QuestionRole}
    for place in missing:
        by_role[place.role].append(place.question_id)
    pairs, challenges, repeats = (by_role[role] for role in QuestionRole)
    free = [
        question.pk
        for question in asking.lock(Question.objects.filter(pk__in=pairs))
        if question.taken < question.wanted and question.set_aside_at is None
    ]
    Question.objects.filter(pk__in=free).update(taken=F("taken") + 1)
    stay = -(-len(challenges) * len(free) // len(pairs)) if pairs else len(challenges)
    vouching = Judgment.objects.filter(assignment=assignment, role=QuestionRole.CHALLENGE)
    if not stay and not vouching.exists():
        stay = 1
    gone = [*sorted(set(pairs) - set(free)), *challenges[stay:]]
    if repeats:
        gone += _repeats_of(gone, repeats)
    Withdrawal.objects.bulk_create(Withdrawal(assignment=assignment, question_id=pk) for pk in gone)
    decisions.decide(What.RESUMED, assignment, f"{len(gone)} of {len(missing)} questions with others")
    assignment.state = State.WORKING
    assignment.withdrawn += len(gone)
    assignment.save(update_fields=["state", "withdrawn"])


def _repeats_of(gone: Collection[int], repeats: Collection[int]) -> list[int]:
    """Those of these repeats whose question was reassigned."""
    same = ("topic_id", "key")
    lost = set(Question.objects.filter(pk__in=gone).values_list(*same))
    rows = Question.every.filter(pk__in=repeats).order_by("pk").values_list("pk", *same)
    return [pk for pk, *about in rows if tuple(about) in lost]


@transaction.atomic
def release(assignment_id: int, *, by: By = None) -> bool:
    """Release a batch's unanswered questions at once, as if it had been idle for long.

    It keeps its answers, and its assessor can resume. Returns False if it is not being judged any more.
    """
    released = _release(assignment_id, by)
    if released is not None:
        audit_log.note(released.study_id, audit_log.What.RELEASED, about=f"assessor {released.pk}")
    return released is not None


@transaction.atomic
def take_back(assignment_id: int) -> bool:
    """Undo a release: resume an idle batch with what is still free.

    Returns False if it is not idle any more.
    """
    assignment, assessor = locked(assignment_id)
    was = assignment.state
    resume_locked(assignment)
    if was == assignment.state:
        return False
    audit_log.note(assessor.study_id, audit_log.What.TAKEN_BACK, about=f"assessor {assessor.pk}")
    return True


def release_away(study_id: int, *, minutes: int = AWAY_MINUTES, by: By = None) -> int:
    """Release every batch of a study without activity for so many minutes; return how many.

    One transaction for each; a call that was cut short is completed by a repeat.
    """
    since = timezone.now() - timedelta(minutes=minutes)
    away = silent(study_id, minutes=minutes).order_by("pk")
    found = [_release(pk, by, since=since) for pk in list(away.values_list("pk", flat=True))]
    released = sum(one is not None for one in found)
    if released:
        after = {"batches": released, "minutes without a sign of life": minutes}
        audit_log.note(study_id, audit_log.What.RELEASED, after=after)
    return released


def longest_silence(study: Study) -> int:
    """Minutes after which each batch being judged has had activity or is released; 0 if none is open."""
    working = Assignment.objects.filter(
        assessor__study=study, state=State.WORKING, deadline__gt=timezone.now()
    )
    rows = working.order_by().values_list("task__idle_minutes", "patience").distinct()
    return max((max(own) for own in rows), default=0)


def next_release(study: Study) -> int:
    """Minutes, at least 1, until the next unbegun batch of the open link is closed at the latest."""
    working = Assignment.objects.filter(assessor__study=study, assessor__by_link=True, state=State.WORKING)
    idle = working.filter(~Exists(Judgment.objects.filter(assignment=OuterRef("pk")))).order_by()
    now = timezone.now()
    ends = (
        min(deadline, opened + timedelta(minutes=max(FIRST_MINUTES, patience)))
        for opened, deadline, patience in idle.values_list("opened_at", "deadline", "patience")
    )
    return max(1, ceil((min(ends, default=now) - now).total_seconds() / 60))


def silent(study_id: int, *, minutes: int = AWAY_MINUTES) -> QuerySet[Assignment]:
    """The study's batches being judged without activity for so many minutes."""
    since = timezone.now() - timedelta(minutes=minutes)
    return Assignment.objects.filter(quiet(since), assessor__study=study_id, deadline__gt=timezone.now())


@transaction.atomic
def _release(assignment_id: int, by: By, *, since: datetime | None = None) -> Assessor | None:
    """Release a batch and return its assessor; None if it is not open, or had activity since then."""
    assignment, assessor = locked(assignment_id)
    if assignment.state != State.WORKING or assignment.deadline <= timezone.now():
        return None
    if since and not Assignment.objects.filter(quiet(since), pk=assignment_id).exists():
        return None
    if assignment.first_deadline is not None:
        decisions.close_reopened(assignment, assessor, "released by an organizer", by=by)
    else:
        decisions.mark_idle(assignment, "released by an organizer", by=by)
    return assessor
