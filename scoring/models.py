"""Scores and standings of runs: derived rows, kept so that pages can read them."""

from django.db import models
from django.db.models import Q

from collection.models import Run, Study, Topic


class Scored(models.Model):
    """How up to date a topic's scores are, and how many judgments they are computed from.

    They are as new as the pair (revision, provisional), compared in this order. provisional: how many rows
    of the ledger waited for their verdict then. An answer adds to them and touches no row of its topic, so
    that people who judge the same topic never wait for each other.
    """

    topic = models.OneToOneField(Topic, models.CASCADE, primary_key=True, related_name="scored")
    # The topic's `revision` when its scores were written; -1 before the first time.
    revision = models.BigIntegerField(default=-1)
    provisional = models.PositiveIntegerField(default=0)
    judgments = models.PositiveIntegerField(default=0)
    scored_at = models.DateTimeField(auto_now=True)


class Score(models.Model):
    """A run's value of one measure, under one set of options, on one topic; an empty value is absent, not 0.

    options: as in "p=0.95", names in alphabetical order with commas between; empty for none.
    """

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="scores")
    run = models.ForeignKey(Run, models.CASCADE, related_name="scores")
    measure = models.CharField(max_length=40)
    options = models.CharField(max_length=80, blank=True)
    value = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "run", "measure", "options"], name="score_once"),
            models.CheckConstraint(
                condition=~Q(measure__in=["pgc", "compatibility"])
                | Q(value=None)
                | Q(value__gte=0, value__lte=1),
                name="score_in_range",
            ),
        ]


class Standing(models.Model):
    """A study's leaderboard at one moment: written once for all viewers, and kept as its history.

    number: 1, 2, ... within the study. version: of the scores that it was made from (`standings.version`).
    board: as `standings.computed` makes it.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="standings")
    number = models.PositiveIntegerField()
    version = models.CharField(max_length=120)
    board = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # Of two writers at the same moment one wins; the other's board is no newer.
            models.UniqueConstraint(fields=["study", "number"], name="standing_number_once"),
        ]
