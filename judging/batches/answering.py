"""The assessor's path: arrive, answer and submit a batch; close or give back batches that are late.

Every function may be repeated, and each change is one transaction. Rows are locked in the order assessor,
assignment, questions, topics, so that two calls never deadlock.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from collection.changes import judgments_changed, raise_revisions
from collection.models import Topic
from judging.batches import drawing, limits, sittings, sql_statements
from judging.models import OPEN, Assessor, Assignment, BatchQuestion, Judgment, Withdrawal
from judging.questions import asking, question_holds
from judging.questions.texts import SeenText
from judging.tasks import KINDS, BadAnswer
from judging.tasks.aspects import Details, rules_of
from judging.verdicts import decisions

WENT_TO_OTHERS = _(
    "While you were away, this question went to somebody else. Go on with those that are left."
)
# Nobody changes an answer more often in earnest, and each change is a row for ever.
MOST_CORRECTIONS = 50


class JudgingError(Exception):
    """An answer or a batch was refused; the message is for the person who sent it."""


class NothingLeft(JudgingError):
    """There is no batch for this assessor now."""


class Limited(NothingLeft):
    """A limit of the study is reached, or the assessor is paused; `why` is a `judging.batches.limits.Why`."""

    def __init__(self, why: limits.Why) -> None:
        super().__init__(limits.SENTENCES[why])
        self.why = why


class Excluded(NothingLeft):
    """The assessor is excluded. They see the same message as when no work is left."""


class Over(JudgingError):
    """The batch was submitted or its deadline has passed: it takes no more answers."""


class Elsewhere(Over):
    """The batch was opened again from its panel; answers sent from the older page are refused."""


class NotAsked(JudgingError):
    """The question is not part of this batch."""


class Gone(JudgingError):
    """The question was reassigned: the assessor was away, or had said that they cannot judge it."""


class Left(JudgingError):
    """The question had no answer when its batch was closed, and is not part of the reopened batch."""


class Unfinished(JudgingError):
    """The batch still has questions without an answer."""


@dataclass(frozen=True)
class Recorded:
    """The stored row of a posted answer, and whether this call added it."""

    judgment: Judgment
    added: bool


def arrive(assessor_id: int, seen: SeenText | None = None, topic: int | None = None) -> Assignment:
    """Return the assessor's open assignment, resumed if it was idle, or draw a new batch.

    seen: the texts on the page on which they agreed; None means the current ones. topic: draw about this
    topic only. Raises NotRead if `seen` is out of date, NothingLeft if the study is not open or has no
    question for them, Limited if a limit is reached, and Excluded, with the message of NothingLeft, if they
    are excluded.
    """
    # Questions are given back in transactions of their own, before the one that draws: a transaction that
    # gave some back and then took others would lock them out of order.
    # Who has just come is not away, however long ago their last answer was.
    sittings.close_late(Assignment.objects.filter(assessor=assessor_id), away=False)
    assignment = _take(assessor_id, seen, topic)
    if assignment is None:
        # Perhaps somebody else's time has run out.
        everybody = Assignment.objects.filter(assessor__study__assessors=assessor_id)
        assignment = _take(assessor_id, seen, topic) if sittings.close_late(everybody) else None
    if assignment is None:
        kept_out = Assessor.objects.filter(pk=assessor_id, excluded_at__isnull=False).exists()
        raise (Excluded if kept_out else NothingLeft)(_("There is nothing to judge for you at the moment."))
    return assignment


def begin(assessor_id: int, seen: SeenText | None = None, topic: int | None = None) -> None:
    """Open a batch for an assessor when they press the page's button; errors as `arrive`.

    Takes the fast path of written SQL for a full batch; any rarer case, and a batch of one topic, goes to
    `arrive`.
    """
    if topic is not None or not sql_statements.open_batch(assessor_id, timezone.now(), seen):
        arrive(assessor_id, seen, topic)


@transaction.atomic
def _take(assessor_id: int, seen: SeenText | None, topic: int | None) -> Assignment | None:
    """Return an assessor's open assignment, or a fresh one; None when no question is left for them."""
    # of=self: the study's row is shared by everybody and only read.
    assessor = (
        Assessor.objects.select_for_update(no_key=True, of=("self",))
        .select_related("study")
        .get(pk=assessor_id)
    )
    mine = Assignment.objects.filter(assessor=assessor, state__in=OPEN)
    open_one = mine.select_for_update(no_key=True, of=("self",)).first()
    if open_one:
        sittings.resume_locked(open_one)
        return open_one
    if not assessor.study.judging_is_open:
        raise NothingLeft(_("This study is not open for judging."))
    if why := limits.reached(assessor.study, assessor):
        raise Limited(why)
    return drawing.draw(assessor, seen, topic)


def answer(
    assignment_id: int,
    position: int,
    value: Any,
    *,
    kind: str,
    seconds: float | None = None,
    away: float | None = None,
    seen: str | None = None,
    nonce: str | None = None,
    visit: int = 0,
    details: Details | None = None,
    paradata: dict[str, Any] | None = None,
) -> None:
    """Store the answer to the question at a position of a batch, as the page posts it.

    Takes the fast path of one SQL statement for a first answer; a repeat, a correction or a refusal goes to
    `record`, whose arguments and errors these are. No answer waits for an answer of somebody else.
    """
    given: dict[str, Any] = {"seconds": seconds, "away": away, "seen": seen, "nonce": nonce}
    given |= {"visit": visit, "details": details, "paradata": paradata}
    stored = sql_statements.store_answer(assignment_id, position, value, KINDS[kind], timezone.now(), **given)
    if stored is None:
        place = BatchQuestion.objects.filter(assignment=assignment_id, position=position)
        # A position that the batch does not have is refused by `record`, as a question of another batch is.
        question_id = place.values_list("question_id", flat=True).first() or 0
        record(assignment_id, question_id, value, kind=kind, **given)
    else:
        # For a challenge too, though nothing is scored: its reply must not be the quicker one.
        judgments_changed.send(sender=Topic, topic_id=stored.topic_id, settled=False)


@transaction.atomic
def record(
    assignment_id: int,
    question_id: int,
    value: Any,
    *,
    kind: str | None = None,
    seconds: float | None = None,
    away: float | None = None,
    seen: str | None = None,
    nonce: str | None = None,
    visit: int = 0,
    details: Details | None = None,
    paradata: dict[str, Any] | None = None,
) -> Recorded:
    """Add an answer, as it was given, to the ledger. An idle batch is resumed first.

    value: the answer in terms of the page (left, right); the task's kind says what it may be. kind: the kind
    of task that the answer was made for, as its form says; None: not said. visit: of the page that the form
    stands on, as its token says. details: what it says of aspects and reasons. paradata: as
    `judging.paradata` has them. Repeating a post (same nonce, or the same answer) returns the stored row.
    Another answer before the batch is submitted is a correction: a further row, the earlier one stays. A
    question that the assessor had said they cannot judge is held for them again. Raises Over after submission
    or deadline, or Elsewhere, NotAsked for a question of another batch, Gone for one that went to somebody
    else, JudgingError for a value that the task does not take, or one of another kind.
    """
    assignment = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("task")
        .get(pk=assignment_id)
    )
    refuse_if_elsewhere(assignment, visit)
    asked = (
        BatchQuestion.objects.select_related("question")
        .filter(assignment=assignment, question_id=question_id)
        .first()
    )
    if asked is None:
        raise NotAsked(_("This question is not part of your batch."))
    if kind not in (None, assignment.task.kind):
        # Before all that compares values: those of two kinds may look alike, and mean different things.
        raise JudgingError(_("This form is for another kind of question. Load the page again."))
    rows = Judgment.objects.filter(
        Q(question_id=question_id) | Q(nonce=nonce or ""), assignment=assignment
    ).order_by("revision")
    stored = [judgment for judgment in rows if judgment.question_id == question_id]
    for judgment in stored:
        if nonce and judgment.nonce == nonce:
            return Recorded(judgment, added=False)
    details = details or Details()
    if stored and stored[-1].value == value and details.is_as(stored[-1].details, stored[-1].remark):
        return Recorded(stored[-1], added=False)
    refuse_if_over(assignment, timezone.now())
    sittings.resume_locked(assignment)
    if (
        assignment.withdrawn
        and Withdrawal.objects.filter(assignment=assignment, question=question_id).exists()
    ):
        raise Gone(WENT_TO_OTHERS)
    try:
        KINDS[assignment.task.kind].check(value, assignment.task.scale)
        details.check(rules_of(assignment.task.settings_of_kind))
    except BadAnswer as error:
        raise JudgingError(*error.args) from error
    if len(asked.shown) < assignment.task.way.places_needed(value):
        raise JudgingError(_("This question does not have so many items. Load the page again."))
    if len(stored) < len(rows):
        raise JudgingError(_("This form was already used for another question. Load the page again."))
    refuse_if_left(assignment, bool(stored))
    refuse_if_changed_often(len(stored))
    has_answer = bool(stored) and stored[-1].value is not None
    if assignment.withdrawn and not has_answer and not question_holds.hold_again(asked):
        raise Gone(
            _("You could not judge this question, and somebody else has it now. Go on with the others.")
        )
    topic_id = asked.question.topic_id
    told, remark = details.stored()
    judgment = Judgment.objects.create(
        assignment=assignment,
        question_id=question_id,
        topic_id=topic_id,
        revision=stored[-1].revision + 1 if stored else 0,
        value=value,
        shown=asked.shown,
        role=asked.role,
        seconds=seconds,
        away=away,
        seen=seen,
        paradata=paradata,
        nonce=nonce or None,
        details=told,
        remark=remark,
    )
    # For a challenge too, as in `answer`.
    judgments_changed.send(sender=Topic, topic_id=topic_id, settled=False)
    return Recorded(judgment, added=True)


def withdraw(answer: Judgment) -> Judgment:
    """Add the row that withdraws an answer, and return it: the caller has locked its batch and says why.

    Raises JudgingError if the answer was changed too often.
    """
    refuse_if_changed_often(answer.revision + 1)
    row = Judgment.objects.create(
        assignment_id=answer.assignment_id,
        question_id=answer.question_id,
        topic_id=answer.topic_id,
        revision=answer.revision + 1,
        value=None,
        shown=answer.shown,
        role=answer.role,
    )
    # For a challenge too, as in `answer`.
    judgments_changed.send(sender=Topic, topic_id=answer.topic_id, settled=False)
    return row


def refuse_if_changed_often(rows: int) -> None:
    """Raise JudgingError if another row of one question is one too many."""
    if rows > MOST_CORRECTIONS:
        raise JudgingError(_("This answer was changed too often to be changed again."))


@transaction.atomic
def submit(assignment_id: int, *, confirmed: bool = True, visit: int = 0) -> Assignment:
    """Close a finished batch and give its verdict; a repeat returns the verdict that was given.

    If more challenges are wrong than the task allows, the batch and everything the assessor answered
    before count nowhere, their questions go back, and they are not asked again.
    confirmed: False if the panel confirms sittings by itself; the verdict then waits for `confirm`.
    An idle batch is resumed first: what others were given meanwhile needs no answer.
    Raises Unfinished while an answer is missing, Over when the time has run out, Elsewhere as `record`.
    """
    assignment, assessor = sittings.locked(assignment_id)
    if assignment.state not in (*OPEN, Assignment.State.LAPSED) and assignment.submitted_at is not None:
        return assignment
    now = timezone.now()
    refuse_if_elsewhere(assignment, visit)
    refuse_if_over(assignment, now)
    sittings.resume_locked(assignment)
    if missing := len(asking.without_answer(assignment_id)):
        asked = missing + question_holds.answered(assignment_id)
        sentence = _("{missing} of {asked} questions have no answer yet.")
        raise Unfinished(format_lazy(sentence, missing=missing, asked=asked))
    assignment.submitted_at = now
    if confirmed:
        decisions.verdict(assignment, assessor)
    else:
        assignment.state = Assignment.State.SUBMITTED
        assignment.save(update_fields=["submitted_at", "state"])
    return assignment


@transaction.atomic
def close(assignment_id: int, *, confirmed: bool = True, visit: int = 0) -> None:
    """Submit a batch when the page's button is pressed; the plain form, with its errors, is `submit`."""
    topics = sql_statements.keep_batch(assignment_id, timezone.now()) if confirmed else None
    if topics is None:
        submit(assignment_id, confirmed=confirmed, visit=visit)
    else:
        raise_revisions(topics, settled=True)


def release_overdue(*, study_id: int | None = None) -> int:
    """Close batches that are out of time or were never begun, and give back what idle ones have not answered.

    Returns the number of batches. `judging.batches.overdue` has the conditions.
    """
    everybody = Assignment.objects.all()
    return sittings.close_late(everybody if study_id is None else everybody.filter(assessor__study=study_id))


def settle_latest(latest: Assignment) -> bool:
    """Bring somebody's latest batch up to date when they look at their page; return True if it is open now.

    An idle batch is resumed, one past its deadline is closed. `latest` is changed in place.
    """
    if latest.state in OPEN and latest.deadline <= timezone.now():
        sittings.close_late(Assignment.objects.filter(pk=latest.pk), away=False)
        latest.refresh_from_db(fields=["state", "withdrawn"])
    elif latest.state == Assignment.State.IDLE:
        resumed = sittings.resume(latest.pk)
        latest.state, latest.withdrawn = resumed.state, resumed.withdrawn
    return latest.state == Assignment.State.WORKING


def refuse_if_left(assignment: Assignment, has_answer: bool) -> None:
    """Raise Left for a question without an answer of a batch that was reopened."""
    if assignment.first_deadline is not None and not has_answer:
        raise Left(_("This question had no answer when the batch was closed, and is not asked any more."))


def refuse_if_elsewhere(assignment: Assignment, visit: int) -> None:
    """Raise Elsewhere if a request comes from an older page than the one that judges the batch."""
    if assignment.visit != visit:
        raise Elsewhere(_("This batch was opened again in another window. Go on there; nothing is lost."))


def refuse_if_over(assignment: Assignment, now: datetime) -> None:
    """Raise Over if a batch takes no more answers. The caller has locked its row."""
    if assignment.state in OPEN and assignment.deadline > now:
        return
    if assignment.state not in OPEN and assignment.submitted_at is not None:
        raise Over(_("This batch was already sent."))
    if assignment.deadline <= now:
        raise Over(_("The time for this batch has run out."))
    raise Over(_("This batch was closed."))
