"""What is compared: studies, their topics and items, graded labels, and the systems' runs."""

import secrets

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q


def link_token() -> str:
    """128 random bits for an address that nobody can guess."""
    return secrets.token_urlsafe(16)


def study_seed() -> str:
    """A fresh seed; kept with the study so that every draw can be repeated."""
    return secrets.token_hex(8)


class Study(models.Model):
    """One evaluation: its question to the assessor, and the settings that decide what is asked."""

    class Kind(models.TextChoices):
        TEXT = "text", "Passages of text"
        IMAGE = "image", "Images"

    class Mode(models.TextChoices):
        CROWD = "crowd", "Crowd: rounds of random pairings, then a final of all pairs"
        DEDICATED = "dedicated", "Dedicated assessors: single elimination and a heap"

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.TEXT)
    question = models.CharField(max_length=300, default="Which one answers the question better?")
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    ties_allowed = models.BooleanField(default=True)

    mode = models.CharField(max_length=12, choices=Mode, default=Mode.CROWD)
    k = models.PositiveSmallIntegerField(
        default=5, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    final_size = models.PositiveSmallIntegerField(
        default=9, validators=[MinValueValidator(2), MaxValueValidator(1000)]
    )
    pairings = models.PositiveSmallIntegerField(
        default=7, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    judgments_per_pair = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    seed = models.CharField(max_length=40, default=study_seed)

    batch_pairs = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    batch_challenges = models.PositiveSmallIntegerField(default=3, validators=[MaxValueValidator(20)])
    wrong_allowed = models.PositiveSmallIntegerField(default=0)
    minutes = models.PositiveSmallIntegerField(
        default=60, validators=[MinValueValidator(5), MaxValueValidator(7 * 24 * 60)]
    )

    # Where the leaderboard looks first: p near .80, .85, .90, .95 weighs ranks as nDCG@3, 5, 10, 20 do.
    PERSISTENCES = (0.8, 0.85, 0.9, 0.95)
    persistence = models.FloatField(default=0.95, choices=[(p, f"{p:.2f}") for p in PERSISTENCES])
    # The open link: whoever has it may join as a new assessor. Empty: only invited people judge.
    join_token = models.CharField(max_length=32, unique=True, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Judging may begin: topics, items and grades stand still from here on.
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                condition=Q(k__gte=1, final_size__gte=2, pairings__gte=1, judgments_per_pair__gte=1),
                name="study_tournament_settings",
            ),
            models.CheckConstraint(
                condition=Q(persistence__gt=0, persistence__lt=1), name="study_persistence_in_range"
            ),
            models.CheckConstraint(condition=Q(batch_pairs__gte=1), name="study_batch_has_pairs"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def judging_is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None
