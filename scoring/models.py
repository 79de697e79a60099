"""What the judgments say about the runs: rows derived from the ledger, kept so that pages can read them."""

from django.db import models
from django.db.models import Q

from collection.models import Run, Topic


class Scored(models.Model):
    """How up to date a topic's scores are, and what they rest on."""

    topic = models.OneToOneField(Topic, models.CASCADE, primary_key=True, related_name="scored")
    # The topic's `revision` when its scores were written; -1: never yet.
    revision = models.BigIntegerField(default=-1)
    judgments = models.PositiveIntegerField(default=0)
    scored_at = models.DateTimeField(auto_now=True)


class Score(models.Model):
    """A run's scores on one topic at one persistence. Empty values are absent, not 0."""

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, models.CASCADE, related_name="scores")
    p = models.FloatField()
    pgc = models.FloatField(null=True)
    compatibility = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "run", "p"], name="score_once"),
            models.CheckConstraint(
                condition=(Q(pgc=None) | Q(pgc__gte=0, pgc__lte=1))
                & (Q(compatibility=None) | Q(compatibility__gte=0, compatibility__lte=1)),
                name="score_in_range",
            ),
        ]
