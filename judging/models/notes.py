"""What assessors with accounts write down about their own answers."""

from django.db import models
from django.db.models import Q

from judging.models.ledger import Assessor
from judging.models.questions import Question

LONGEST_NOTE = 500


class AnswerNote(models.Model):
    """An assessor's mark and note at a question of theirs: no part of the ledger, and changed at will."""

    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="notes", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="+", db_index=False)
    uncertain = models.BooleanField(default=False)
    text = models.CharField(max_length=LONGEST_NOTE, blank=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assessor", "question"], name="note_once"),
            models.CheckConstraint(condition=Q(uncertain=True) | ~Q(text=""), name="note_says_something"),
        ]
