"""The decisions about batches, assessors and questions."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.ledger import Assessor, Assignment
from judging.models.questions import Question


class Decision(models.Model):
    """A decision about a batch, an assessor or a question: only ever added (a trigger enforces it).

    by: who decided, empty if a rule did. The state of an assignment or assessor follows from its
    decisions: `judging.verdicts.decisions` says how.
    """

    class What(models.TextChoices):
        KEPT = "kept", "kept"
        DISCARDED = "discarded", "discarded"
        LAPSED = "lapsed", "not finished in time"
        IDLE = "idle", "away: what was not answered went to others"
        RESUMED = "resumed", "came back"
        REOPENED = "reopened", "opened again by its assessor"
        CONFIRMED = "confirmed", "confirmed by the panel"
        EXCLUDED = "excluded", "excluded"
        READMITTED = "readmitted", "let back in"
        WARNED = "warned", "warned"
        UNWARNED = "unwarned", "warning taken back"
        PAUSED = "paused", "paused: no new batch for them"
        LET_ON = "let on", "let go on"
        SET_ASIDE = "set aside", "question set aside"
        ASKED_AGAIN = "asked again", "question asked again"

    what = models.CharField(max_length=12, choices=What)
    assignment = models.ForeignKey(
        Assignment, models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    assessor = models.ForeignKey(Assessor, models.PROTECT, null=True, blank=True, related_name="decisions")
    question = models.ForeignKey(Question, models.PROTECT, null=True, blank=True, related_name="decisions")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    why = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    what__in=["kept", "discarded", "lapsed", "confirmed", "idle", "resumed", "reopened"],
                    assignment__isnull=False,
                    assessor=None,
                    question=None,
                )
                | Q(
                    what__in=["excluded", "readmitted", "warned", "unwarned", "paused", "let on"],
                    assignment=None,
                    assessor__isnull=False,
                    question=None,
                )
                | Q(
                    what__in=["set aside", "asked again"],
                    assignment=None,
                    assessor=None,
                    question__isnull=False,
                ),
                name="decision_about_one_thing",
            ),
        ]
        indexes = [
            # Few: what changes the state of batches that were decided long ago.
            models.Index(fields=["id"], condition=Q(assignment=None), name="decision_not_of_batch"),
            # Of batches too, and long after they were decided.
            models.Index(fields=["id"], condition=Q(what="reopened"), name="decision_reopened"),
        ]
