"""Pauses: a paused assessor gets no new batch until they are resumed.

Their answers stay as they are, and they may finish their open batch. Both steps are decisions, which
`Assessor.paused_at` caches; a repeat changes nothing.
"""

from datetime import datetime

from django.db import transaction

from collection import audit_log
from judging.models import Assessor, Decision
from judging.verdicts.decisions import By, What, lock_assessor, user_of


@transaction.atomic
def pause(assessor_id: int, why: str, *, by: By = None) -> bool:
    """Give an assessor no new batch until they are resumed; return False if they are paused already."""
    assessor = lock_assessor(assessor_id)
    if assessor.paused_at is not None:
        return False
    decision = _decide(assessor, What.PAUSED, why, by)
    _mark(assessor, decision.created_at)
    audit_log.note(
        assessor.study_id, audit_log.What.HELD, about=f"assessor {assessor.pk}", after={"why": why[:200]}
    )
    return True


@transaction.atomic
def resume(assessor_id: int, why: str = "", *, by: By = None) -> bool:
    """Resume a paused assessor; return False if they are not paused."""
    assessor = lock_assessor(assessor_id)
    if assessor.paused_at is None:
        return False
    _decide(assessor, What.LET_ON, why, by)
    _mark(assessor, None)
    audit_log.note(
        assessor.study_id, audit_log.What.LET_ON, about=f"assessor {assessor.pk}", after={"why": why[:200]}
    )
    return True


def _decide(assessor: Assessor, what: str, why: str, by: By) -> Decision:
    return Decision.objects.create(what=what, assessor=assessor, by=user_of(by), why=why[:200])


def _mark(assessor: Assessor, paused_at: datetime | None) -> None:
    assessor.paused_at = paused_at
    assessor.save(update_fields=["paused_at"])
