"""Plans of studies, and their tournaments, rounds and pairings: derived rows that pages read."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from collection.models import Study, Topic
from judging.models import Question, Task
from prefir.rules import STRATEGIES, SettingsError, Strategy


class Plan(models.Model):
    """How a study's tournaments are played: a strategy of `prefir.rules`, its settings, a seed, and the task.

    settings: name -> number, complete and valid for the strategy; `save` ensures it.
    """

    study = models.OneToOneField(Study, models.PROTECT, related_name="plan")
    task = models.ForeignKey(Task, models.PROTECT, related_name="+")
    strategy = models.CharField(max_length=30, default="crowd")
    settings = models.JSONField(default=dict)
    seed = models.CharField(max_length=40)

    def save(self, *args: Any, **options: Any) -> None:
        """Check the settings, then store the plan, so that every stored plan can be played."""
        self.clean()
        super().save(*args, **options)

    @property
    def rules(self) -> Strategy:
        """The strategy that this plan names."""
        return STRATEGIES[self.strategy]

    @property
    def k(self) -> int:
        """Number of top items that each topic's tournament finds."""
        return int(self.settings["k"])

    def clean(self) -> None:
        """Fill in default settings. Raises ValidationError, under `settings`, for invalid ones."""
        if self.strategy not in STRATEGIES:
            raise ValidationError({"strategy": f"There is no strategy {self.strategy!r}."})
        if self.task_id and self.task.kind != self.rules.asks:
            raise ValidationError({"task": f"A tournament of this kind asks {self.rules.asks}s."})
        try:
            self.settings = self.rules.complete(self.settings)
            self.rules.check(self.settings)
        except SettingsError as error:
            raise ValidationError({"settings": str(error)}) from error


class Tournament(models.Model):
    """One topic's tournament: the pool it began with, and how far it has been played.

    The pool is decided when the study opens. Everything else here can be dropped and is rebuilt.
    """

    topic = models.OneToOneField(Topic, models.PROTECT, related_name="tournament")
    pool = models.JSONField()  # item ids
    # The topic's `settled` when its rounds were last brought up to date; -1 before the first time.
    seen = models.BigIntegerField(default=-1)
    finished = models.BooleanField(default=False)
    # Digest of the rounds, questions and places that are stored, their progress left out; "" for: unknown.
    stored = models.CharField(max_length=64, default="")


class Round(models.Model):
    """One round: who is still in, and which pairs are asked."""

    class Kind(models.TextChoices):
        REDUCTION = "reduction", "pool reduction"
        FINAL = "final", "final"
        MATCH = "match", "matches"

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="rounds", db_index=False)
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
    """A pair, or a grid, that a round asks about."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="pairings", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="pairings", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "question"], name="pairing_once")]
