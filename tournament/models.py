"""What a topic's tournament has come to: rows derived from the ledger, kept so that pages can read them."""

from django.db import models

from collection.models import Topic
from judging.models import Question


class Tournament(models.Model):
    """One topic's tournament: the pool it began with, and how far it has been played.

    The pool is decided when the study opens. Everything else here can be dropped and is rebuilt.
    """

    topic = models.OneToOneField(Topic, models.PROTECT, related_name="tournament")
    pool = models.JSONField()  # item ids
    # The topic's `settled` when the rounds below were last brought up to date; -1: never yet.
    seen = models.BigIntegerField(default=-1)
    finished = models.BooleanField(default=False)


class Round(models.Model):
    """One round: who is still in, and which pairs are asked."""

    class Kind(models.TextChoices):
        REDUCTION = "reduction", "pool reduction"
        FINAL = "final", "final"
        MATCH = "match", "matches"

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    pool = models.JSONField()  # item ids
    wins = models.JSONField(default=dict)  # item id -> pairs won, once the round is complete
    answered = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="round_number_once"),
            models.UniqueConstraint(
                fields=["tournament"], condition=models.Q(complete=False), name="round_one_open"
            ),
        ]


class Pairing(models.Model):
    """A pair that a round asks about."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="pairings")
    question = models.ForeignKey(Question, models.PROTECT, related_name="pairings")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "question"], name="pairing_once")]
