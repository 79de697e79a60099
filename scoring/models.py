"""Scores and standings of runs: derived rows, kept so that pages can read them."""

from django.db import models

from collection.models import Study, Topic


class StoredScores(models.Model):
    """The scores of a topic, how up to date they are, and how many judgments they are computed from.

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
    columns = models.TextField(blank=True)
    runs = models.BinaryField(default=bytes)
    numbers = models.BinaryField(default=bytes)
    # The best value of each column that any ranking could have; empty in rows that are older than it.
    ceilings = models.BinaryField(default=bytes)


class Standing(models.Model):
    """A study's leaderboard at one moment: written once for all viewers, and kept as its history.

    number: 1, 2, ... within the study. version: of the scores that it was made from (`standings.version`).
    board: as `standings.computed` makes it.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="standings", db_index=False)
    number = models.PositiveIntegerField()
    version = models.CharField(max_length=120)
    board = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            # Of two writers at the same moment one wins; the other's board is no newer.
            models.UniqueConstraint(fields=["study", "number"], name="standing_number_once"),
        ]
