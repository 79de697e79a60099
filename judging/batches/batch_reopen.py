"""Reopening: an assessor with an account opens a kept batch of theirs again to correct answers.

A decision sets the batch back to being judged, with a new deadline. Its answers keep counting, and each
correction is another row of the ledger. Questions without an answer are not asked again. Submitted again, the
batch gets a new verdict by its challenges. If its assessor goes away or runs out of time, it is closed with
the answers it has; it never lapses (`decisions.close_reopened`).

The ledger sealed the batch when it was first closed. `first_deadline` and `first_submitted_at` keep the
sealed values; a batch with a first deadline was reopened once.
"""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from collection.changes import raise_revisions
from judging.batches import sittings
from judging.batches.answering import JudgingError
from judging.models import OPEN, Assignment, Decision
from judging.verdicts import decisions

State = Assignment.State


class CannotReopen(JudgingError):
    """The batch cannot be reopened; the message gives no reason, because a verdict is never disclosed."""


def reopen(assignment_id: int, assessor_id: int) -> Assignment:
    """Let an assessor change the answers of a batch that was kept.

    Raises CannotReopen unless it is theirs and kept, they have an account and no other batch open, and
    judging is open.
    """
    # Another batch may stand in the way whose time is over.
    sittings.close_late(Assignment.objects.filter(assessor=assessor_id), away=False)
    return _reopen(assignment_id, assessor_id)


@transaction.atomic
def _reopen(assignment_id: int, assessor_id: int) -> Assignment:
    if not Assignment.objects.filter(pk=assignment_id, assessor=assessor_id).exists():
        raise CannotReopen(_("These answers cannot be changed now."))
    assignment, assessor = sittings.locked(assignment_id)
    others = Assignment.objects.filter(assessor=assessor, state__in=OPEN)
    if (
        assignment.state != State.KEPT
        or assessor.user_id is None
        or not assessor.study.judging_is_open
        or others.exists()
    ):
        raise CannotReopen(_("These answers cannot be changed now."))
    if assignment.first_deadline is None:
        assignment.first_deadline = assignment.deadline
        assignment.first_submitted_at = assignment.submitted_at
    # As long as it was open at first, where that was more for what it shows.
    own = assignment.first_deadline - assignment.opened_at
    assignment.deadline = timezone.now() + max(own, timedelta(minutes=assignment.task.minutes))
    assignment.submitted_at = assignment.challenges_wrong = None
    assignment.state = State.WORKING
    until = assignment.deadline.strftime("%Y-%m-%d %H:%M:%S UTC")
    decisions.decide(Decision.What.REOPENED, assignment, f"to correct answers, until {until}")
    changed = (
        "first_deadline",
        "first_submitted_at",
        "deadline",
        "submitted_at",
        "challenges_wrong",
        "state",
    )
    assignment.save(update_fields=changed)
    # Tournaments wait for the answers as for those of any batch that is being judged.
    raise_revisions(decisions.topics_of([assignment.pk]), settled=True)
    return assignment
