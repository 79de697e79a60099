"""Decisions about batches and assessors, and the states that follow from them.

Decisions are only ever added. A batch's verdict (kept or discarded) follows from its own challenges; its
state is that verdict, or discarded while its assessor is excluded. So readmitting somebody restores exactly
what their exclusion had discarded. Every function may be repeated, and each change is one transaction; rows
are locked in the order assessor, assignment, questions, topics.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from collection import audit_log
from collection.changes import raise_revisions
from judging.models import (
    OPEN,
    UNDECIDED,
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Judgment,
    QuestionRole,
    Task,
)
from judging.questions import asking, question_holds
from judging.tasks import KINDS

What, State = Decision.What, Assignment.State
# Of these about a person the last says whether they are excluded.
OUT_OR_IN = (What.EXCLUDED, What.READMITTED)
# And of these the last says whether they are paused.
PAUSED_OR_ON = (What.PAUSED, What.LET_ON)
# Names of the panels whose sittings are paid: whole, or not at all. Each adds its own as it registers.
PAYING: set[str] = set()
# Why batches were closed before their deadline, as those are told who come back.
NOT_BEGUN = "no answer in the first minutes"
BY_ORGANIZER = "closed by an organizer"
By = User | AnonymousUser | None


def lock_assessor(assessor_id: int) -> Assessor:
    """Lock an assessor's row until the transaction ends, so that changes to one person are serialized."""
    return Assessor.objects.select_for_update(no_key=True).get(pk=assessor_id)


class Checked(NamedTuple):
    """Challenges of a batch: how many were answered wrong, how many it had, how many were answered.

    Challenges that were set aside are left out; withdrawn and declined ones are known and not answered.
    """

    wrong: int
    known: int
    answered: int

    def passes(self, allowed: int) -> bool:
        """Tell whether a batch is kept.

        In a batch that was not answered to the end, at least one challenge must be answered right.
        """
        return self.wrong <= allowed and (self.answered == self.known or self.answered > self.wrong)


def challenges_wrong(assignments: Sequence[Assignment], *, besides: int | None = None) -> dict[int, Checked]:
    """Check the last answer given to each challenge of each batch, by its id: one that was withdrawn since
    goes on counting, so that nobody escapes by it.

    besides: one more question to leave out, as if it were set aside. The caller has fetched the batches'
    tasks.
    """
    challenges = BatchQuestion.objects.filter(
        assignment__in=[batch.pk for batch in assignments],
        role=QuestionRole.CHALLENGE,
        question__set_aside_at=None,
    ).exclude(question=besides)
    known = {
        (batch, question): expected
        for batch, question, expected in challenges.values_list("assignment_id", "question_id", "expected")
    }
    answers = Judgment.objects.last_given().filter(
        assignment__in={batch for batch, _ in known}, question__in={question for _, question in known}
    )
    kinds = {batch.pk: KINDS[batch.task.kind] for batch in assignments}
    wrong: Counter[int] = Counter()
    answered: Counter[int] = Counter()
    for batch, question, value, shown in answers.values_list(
        "assignment_id", "question_id", "value", "shown"
    ):
        # Elsewhere it may be no challenge.
        if (batch, question) in known:
            wrong[batch] += not kinds[batch].is_right(value, shown, known[batch, question])
            answered[batch] += 1
    of_batch = Counter(batch for batch, _ in known)
    return {pk: Checked(wrong[pk], of_batch[pk], answered[pk]) for pk in kinds}


def verdict(assignment: Assignment, assessor: Assessor) -> None:
    """Keep or discard a submitted batch by its challenges; the caller has locked both rows.

    If more challenges are wrong than the task allows, the assessor is excluded, and nothing they answered
    counts. Where the task warns once, the first such batch alone is discarded, and its assessor is warned.
    """
    checked = challenges_wrong([assignment])[assignment.pk]
    failed = checked.wrong > assignment.task.wrong_allowed
    reopened = assignment.first_deadline is not None
    if failed or reopened or checked.passes(assignment.task.wrong_allowed):
        _judge(
            assignment, assessor, failed, checked, f"{checked.wrong} of {checked.answered} challenges wrong"
        )
    else:
        # What was left after others had got the rest, or could be judged, was answered, and nothing vouches
        # for it.
        lapse(assignment, "no challenge answered rightly")


def expire(assignment: Assignment, assessor: Assessor) -> None:
    """Close an open batch past its deadline with the answers it has; the caller has locked both rows.

    Its answers are kept if its answered challenges are right and there is at least one; the rest is given
    back. If too many are wrong, it fails like any other batch. Otherwise it lapses; so does any such batch of
    a panel that pays for whole sittings.
    """
    answered = question_holds.answered(assignment.pk)
    checked = challenges_wrong([assignment])[assignment.pk]
    failed = checked.wrong > assignment.task.wrong_allowed
    asked = answered + len(asking.without_answer(assignment.pk))
    counted = Judgment.objects.first_rows().filter(assignment=assignment, role=QuestionRole.COUNTS)
    if assessor.panel in PAYING:
        lapse(assignment, f"answered in time: {answered} of {asked}, not sent")
    elif failed or (counted.exists() and checked.passes(assignment.task.wrong_allowed)):
        why = (
            f"answered in time: {answered} of {asked}; {checked.wrong} of {checked.answered} challenges wrong"
        )
        _judge(assignment, assessor, failed, checked, why)
    else:
        lapse(assignment, f"answered in time: {answered} of {asked}" if answered else "")


def close_reopened(assignment: Assignment, assessor: Assessor, why: str, *, by: By = None) -> None:
    """Close a reopened batch that was not submitted again; the caller has locked both rows.

    Its answers go on to count, unless too many challenges are wrong now.
    """
    checked = challenges_wrong([assignment])[assignment.pk]
    failed = checked.wrong > assignment.task.wrong_allowed
    assignment.submitted_at = assignment.first_submitted_at
    said = f"{why}; {checked.wrong} of {checked.answered} challenges wrong"
    _judge(assignment, assessor, failed, checked, said, by)


def _judge(
    assignment: Assignment, assessor: Assessor, failed: bool, checked: Checked, why: str, by: By = None
) -> None:
    """Store a verdict and its consequences. failed: more challenges were wrong than allowed."""
    back = asking.still_held([assignment.pk])
    assignment.challenges_wrong = checked.wrong
    decide(What.DISCARDED if failed else What.KEPT, assignment, why, by)
    kept = not failed and assessor.excluded_at is None
    assignment.state = State.KEPT if kept else State.DISCARDED
    assignment.save(update_fields=["submitted_at", "challenges_wrong", "state"])
    if failed and assessor.excluded_at is None:
        if not tolerated(own_verdicts(assessor), that_warn([assessor.pk])):
            _exclude(assessor, why, None, gone=[assignment.pk], back=back)
            _note(assessor, audit_log.What.EXCLUDED, why, by_rule=True)
            return
        Decision.objects.create(what=What.WARNED, assessor=assessor, why=why[:200])
    if not kept:
        back = [*back, *asking.held_by([assignment.pk])]
    asking.count_as_taken(dict.fromkeys(back, -1))
    raise_revisions(topics_of([assignment.pk]), settled=True)


@transaction.atomic
def exclude(assessor_id: int, why: str, *, by: By = None) -> None:
    """Ask an assessor nothing more and count none of their answers; a repeat changes nothing."""
    assessor = lock_assessor(assessor_id)
    if assessor.excluded_at is None:
        _exclude(assessor, why, by)
        _note(assessor, audit_log.What.EXCLUDED, why)


def exclude_joined(study_id: int, since: datetime, why: str, *, by: By = None) -> int:
    """Exclude everybody who joined by the study's open link since a moment; return how many.

    One transaction for each, so that nobody waits for long; a call that was cut short is completed by a
    repeat.
    """
    joined = Assessor.objects.filter(study=study_id, by_link=True, created_at__gte=since, excluded_at=None)
    found = list(joined.order_by("pk").values_list("pk", flat=True))
    for assessor_id in found:
        exclude(assessor_id, why, by=by)
    return len(found)


def close_open(study_id: int, *, by_link: bool = False, by: By = None) -> int:
    """Close the open batches of a study and give their questions back; return how many.

    by_link: only those of people from the open link. One transaction for each, as for exclusions.
    """
    batches = Assignment.objects.filter(assessor__study=study_id, state__in=OPEN)
    if by_link:
        batches = batches.filter(assessor__by_link=True)
    closed = sum(_close(pk, by) for pk in list(batches.order_by("pk").values_list("pk", flat=True)))
    if closed:
        after = {"batches": closed, "of the open link only": by_link}
        audit_log.note(study_id, audit_log.What.CUT_SHORT, after=after)
    return closed


@transaction.atomic
def _close(assignment_id: int, by: By) -> bool:
    open_now = Assignment.objects.filter(pk=assignment_id, state__in=OPEN)
    owner = open_now.values_list("assessor_id", flat=True).first()
    assessor = None if owner is None else lock_assessor(owner)
    assignment = open_now.select_for_update(no_key=True).first()
    if assignment is None or assessor is None:
        return False
    if assignment.first_deadline is not None:
        close_reopened(assignment, assessor, BY_ORGANIZER, by=by)
    else:
        lapse(assignment, BY_ORGANIZER, by=by)
    return True


@transaction.atomic
def readmit(assessor_id: int, why: str, *, by: By = None) -> None:
    """Readmit an excluded assessor: what their exclusion had discarded counts again.

    Batches that failed their own challenges stay discarded. A repeat changes nothing.
    """
    assessor = lock_assessor(assessor_id)
    if assessor.excluded_at is not None:
        reinstate(assessor, why, by)
        _note(assessor, audit_log.What.READMITTED, why)


def would_count_again(assessor: Assessor) -> tuple[int, int]:
    """Count the batches and answers that readmitting an excluded assessor would restore."""
    kept = [pk for pk, what in own_verdicts(assessor).items() if what == What.KEPT]
    discarded = Assignment.objects.filter(assessor=assessor, pk__in=kept, state=State.DISCARDED)
    answers = Judgment.objects.current().filter(assignment__in=discarded, role=QuestionRole.COUNTS)
    return discarded.count(), answers.count()


def _note(assessor: Assessor, what: audit_log.What, why: str, *, by_rule: bool = False) -> None:
    about, after = f"assessor {assessor.pk}", {"why": why[:200]}
    audit_log.note(assessor.study_id, what, about=about, after=after, by_rule=by_rule)


def tolerated(verdicts: Mapping[int, str], warns: Container[int]) -> bool:
    """Tell whether somebody with these last verdicts, by batch, may go on.

    None may be a failure, or one in a batch that `warns`.
    """
    failed = [pk for pk, what in verdicts.items() if what == What.DISCARDED]
    return not failed or (len(failed) == 1 and failed[0] in warns)


def that_warn(people: Iterable[int]) -> set[int]:
    """The batches of these people whose task warns once."""
    rows = Assignment.objects.filter(assessor__in=people, task__failing=Task.Failing.WARN)
    return set(rows.values_list("pk", flat=True))


def is_warned(assessor: Assessor) -> bool:
    """Whether a warning of an assessor stands."""
    said = Decision.objects.filter(assessor=assessor, what__in=[What.WARNED, What.UNWARNED])
    return said.order_by("pk").values_list("what", flat=True).last() == What.WARNED


def own_verdicts(assessor: Assessor) -> dict[int, str]:
    """The last verdict of each of an assessor's batches, apart from decisions about the person."""
    rows = Decision.objects.filter(
        assignment__assessor=assessor, what__in=[What.KEPT, What.DISCARDED]
    ).order_by("pk")
    return dict(rows.values_list("assignment_id", "what"))


def lapse(assignment: Assignment, why: str = "", *, by: By = None) -> None:
    """Close an open batch without a verdict, and give its questions back; the caller has locked its row."""
    held = asking.held_by([assignment.pk])
    decide(What.LAPSED, assignment, why, by)
    assignment.state = State.LAPSED
    assignment.save(update_fields=["state"])
    asking.count_as_taken(dict.fromkeys(held, -1))
    # Its answers counted while the batch was open, and do not any more.
    raise_revisions(topics_of([assignment.pk]), settled=False)


def mark_idle(assignment: Assignment, why: str, *, by: By = None) -> None:
    """Mark a batch idle: give back its unanswered questions and keep the rest; the caller has locked its row.

    What counts stays the same, so no topic is recomputed.
    """
    back = asking.still_held([assignment.pk])
    decide(What.IDLE, assignment, why, by)
    assignment.state = State.IDLE
    assignment.save(update_fields=["state"])
    asking.count_as_taken(dict.fromkeys(back, -1))


def _exclude(
    assessor: Assessor, why: str, by: By, *, gone: Sequence[int] = (), back: Sequence[int] = ()
) -> None:
    """Discard everything that the assessor had kept, and close what is open.

    gone: batches that have just failed; back: their unanswered questions. People of a paying panel may finish
    their open batch and are paid for it; it counts nowhere. A batch that was open stays closed after a
    readmission, because its questions are with others. A reopened batch had been kept, and is restored with
    the kept ones unless its challenges are wrong now.
    """
    decision = Decision.objects.create(what=What.EXCLUDED, assessor=assessor, by=user_of(by), why=why[:200])
    _mark(assessor, decision.created_at, why)
    kept = Assignment.objects.filter(assessor=assessor, state=State.KEPT)
    discarded = [*kept.values_list("pk", flat=True), *gone]
    still_open = Assignment.objects.filter(assessor=assessor, state__in=OPEN)
    # Locked: an answer that is just being stored is in, and the next one finds the batch closed.
    closing = list(still_open.select_for_update(no_key=True).order_by("pk"))
    if assessor.panel in PAYING:
        closing = []
    held = asking.held_by([*discarded, *(assignment.pk for assignment in closing)])
    Assignment.objects.filter(pk__in=discarded).update(state=State.DISCARDED)
    for assignment in closing:
        if assignment.first_deadline is not None:
            _discard_reopened(assignment, by)
            continue
        decide(What.LAPSED, assignment, "excluded", by)
        assignment.state = State.LAPSED
        assignment.save(update_fields=["state"])
    # All in one call: questions are locked by rising id, whatever batch they were in.
    asking.count_as_taken(dict.fromkeys([*held, *back], -1))
    touched = Judgment.objects.filter(assignment__assessor=assessor, role=QuestionRole.COUNTS)
    raise_revisions(touched.values_list("topic_id", flat=True).distinct(), settled=True)


def _discard_reopened(assignment: Assignment, by: By) -> None:
    """Close a reopened batch of an assessor who is being excluded, with its challenges' verdict."""
    checked = challenges_wrong([assignment])[assignment.pk]
    failed = checked.wrong > assignment.task.wrong_allowed
    decide(What.DISCARDED if failed else What.KEPT, assignment, "excluded before it was sent again", by)
    assignment.submitted_at, assignment.challenges_wrong = assignment.first_submitted_at, checked.wrong
    assignment.state = State.DISCARDED
    assignment.save(update_fields=["submitted_at", "challenges_wrong", "state"])


def reinstate(assessor: Assessor, why: str, by: By) -> None:
    """Readmit an assessor whose row the caller has locked."""
    Decision.objects.create(what=What.READMITTED, assessor=assessor, by=user_of(by), why=why[:200])
    _mark(assessor, None, "")
    kept = [pk for pk, what in own_verdicts(assessor).items() if what == What.KEPT]
    discarded = Assignment.objects.filter(pk__in=kept, state=State.DISCARDED)
    # Answers of a batch that is still open were not counted meanwhile.
    still_open = Assignment.objects.filter(assessor=assessor, state__in=UNDECIDED)
    count_again(
        list(discarded.values_list("pk", flat=True)), also=list(still_open.values_list("pk", flat=True))
    )


def count_again(discarded: list[int], *, also: Sequence[int] = ()) -> None:
    """Keep discarded batches of an assessor after all. also: others whose answers count again."""
    Assignment.objects.filter(pk__in=discarded).update(state=State.KEPT)
    asking.count_as_taken(dict.fromkeys(asking.held_by(discarded), 1))
    # All in one call: topics are locked by rising id, whatever batch they were in.
    raise_revisions(topics_of([*discarded, *also]), settled=True)


def _mark(assessor: Assessor, excluded_at: datetime | None, why: str) -> None:
    assessor.excluded_at, assessor.excluded_why = excluded_at, why[:200]
    assessor.save(update_fields=["excluded_at", "excluded_why"])


def topics_of(batches: Sequence[int]) -> list[int]:
    """Ids of the topics that have answers in these batches."""
    rows = Judgment.objects.filter(assignment__in=batches, role=QuestionRole.COUNTS)
    return list(rows.values_list("topic_id", flat=True).distinct())


def decide(what: str, assignment: Assignment, why: str, by: By = None) -> None:
    """Add a decision about a batch; the caller stores the resulting state in the same transaction."""
    Decision.objects.create(what=what, assignment=assignment, by=user_of(by), why=why[:200])


def user_of(by: By) -> User | None:
    """The account that decided; None for a rule."""
    return by if isinstance(by, User) else None
