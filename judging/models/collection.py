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


def image_path(item: "Item", filename: str) -> str:
    """Where a picture is kept: never under a name that the uploader chose."""
    ending = filename.rsplit(".", 1)[-1].lower()
    return f"studies/{item.topic.study_id}/{secrets.token_hex(16)}.{ending}"


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


class Topic(models.Model):
    """A query or question, with two counters that tell derived rows how old they are."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="topics")
    name = models.CharField(max_length=200)
    text = models.TextField()
    # Goes up whenever the judgments that count, or the top places, change: scores follow it.
    revision = models.PositiveBigIntegerField(default=0)
    # Goes up whenever a batch is kept or discarded: tournaments follow it, for they wait for verdicts.
    settled = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="topic_name_once")]

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """What is judged for a topic: a passage or an image; neither, when only its docno is known."""

    topic = models.ForeignKey(Topic, models.PROTECT, related_name="items")
    docno = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    image = models.FileField(upload_to=image_path, blank=True)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    # Derived: the place among the topic's top k once its tournament has ended; ties share one.
    place = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="item_docno_once")]

    def __str__(self) -> str:
        return self.docno


class Grade(models.Model):
    """An absolute relevance label of an item (qrels); above 0 means relevant."""

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="grade")
    value = models.FloatField()


class Run(models.Model):
    """One system's rankings over the study's topics."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="run_name_once")]

    def __str__(self) -> str:
        return self.name


class Placement(models.Model):
    """An item at a rank of a run (1 is best); on an image grid also its cell and its row's length."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="placements")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="placements")
    item = models.ForeignKey(Item, models.PROTECT, related_name="placements")
    rank = models.PositiveIntegerField()
    row = models.PositiveSmallIntegerField(null=True, blank=True)
    column = models.PositiveSmallIntegerField(null=True, blank=True)
    row_length = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "item"], name="placement_item_once"),
            models.UniqueConstraint(fields=["topic", "run", "rank"], name="placement_rank_once"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="placement_rank_from_one"),
            models.CheckConstraint(
                condition=Q(row=None, column=None, row_length=None)
                | Q(row__isnull=False, column__isnull=False, row_length__gt=models.F("column")),
                name="placement_grid_cell_whole",
            ),
        ]
