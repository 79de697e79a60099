"""Sentences that a person wrote with their answers, and their erasure."""

from django.db import transaction

from collection import audit_log
from judging.models import Assessor, Judgment, JudgmentQuerySet


def of(assessor: Assessor) -> JudgmentQuerySet:
    """A person's judgments, corrected ones too, that still have a sentence."""
    return Judgment.objects.filter(assignment__assessor=assessor, remark__isnull=False)


@transaction.atomic
def erase(assessor: Assessor) -> int:
    """Erase a person's sentences for good, note it in the trail, and return how many there were.

    Their hashes stay in the ledger, which verifies as before. May be repeated.
    """
    erased = of(assessor).update(remark=None)
    if erased:
        about = f"sentences of assessor {assessor.pk}"
        audit_log.note(assessor.study_id, audit_log.What.ERASED, about=about, after={"sentences": erased})
    return erased
