"""Sentences that a person wrote with or at their answers, and their erasure."""

from django.db import transaction

from collection import audit_log
from judging.models import AnswerNote, Assessor, Judgment, JudgmentQuerySet


def of(assessor: Assessor) -> JudgmentQuerySet:
    """A person's judgments, corrected ones too, that still have a sentence."""
    return Judgment.objects.filter(assignment__assessor=assessor, remark__isnull=False)


def number_of(assessor: Assessor) -> int:
    """Count a person's sentences: those with their answers, and their notes."""
    return of(assessor).count() + AnswerNote.objects.filter(assessor=assessor).exclude(text="").count()


@transaction.atomic
def erase(assessor: Assessor) -> int:
    """Erase a person's sentences for good, note it in the trail, and return how many there were.

    Their hashes stay in the ledger, which verifies as before. May be repeated.
    """
    erased = number_of(assessor)
    of(assessor).update(remark=None)
    AnswerNote.objects.filter(assessor=assessor).delete()
    if erased:
        about = f"sentences of assessor {assessor.pk}"
        audit_log.note(assessor.study_id, audit_log.What.ERASED, about=about, after={"sentences": erased})
    return erased
