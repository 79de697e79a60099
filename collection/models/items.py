"""Topics, their items and the items' grades."""

import secrets

from django.db import models
from django.db.models import Q, Value

from collection.models.imports import Import
from collection.models.study import Study
from collection.word_count import WordCountField


def image_path(item: "Item", filename: str) -> str:
    """Path of a stored picture or recording: random, never a name that the uploader chose."""
    ending = filename.rsplit(".", 1)[-1].lower()
    return f"studies/{item.topic.study_id}/{secrets.token_hex(16)}.{ending}"


class Topic(models.Model):
    """A query or question, with two counters that show whether derived rows are up to date."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="topics", db_index=False)
    name = models.CharField(max_length=200)
    text = models.TextField()
    # The turns of a conversation before the text, as `prefir.formats.join_turns` stores them.
    earlier = models.TextField(blank=True, default="", db_default="")
    # What an item should have to be good, as assessors read it under the text.
    description = models.TextField(blank=True, default="", db_default="")
    # Column -> group: {"category": "writing", "language": "en"}.
    groups = models.JSONField(blank=True, default=dict, db_default=Value({}, models.JSONField()))
    # How much it counts in means, beside others.
    weight = models.FloatField(default=1.0, db_default=1.0)
    # Since when it is being asked about: its items and grades stand still from then on. Topics of an open
    # study without it wait to be opened, with others that came later or in waves.
    opened_at = models.DateTimeField(null=True, blank=True)
    # Goes up whenever the judgments that count, or the top ranks, change: scores follow it.
    revision = models.PositiveBigIntegerField(default=0)
    # Goes up whenever a batch is kept or discarded: tournaments follow it, since they wait for verdicts.
    settled = models.PositiveBigIntegerField(default=0)
    # Judgments that were asked for so far, in all rounds: derived, and 0 where no tournament asks.
    asked = models.PositiveIntegerField(default=0)
    # Rounds of all its contenders that are complete: derived, and 0 where no tournament has such rounds.
    full_rounds = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="topic_name_once"),
            models.CheckConstraint(condition=Q(weight__gt=0), name="topic_weighs"),
        ]

    def __str__(self) -> str:
        return self.name


class ShownItems(models.Manager["Item"]):
    """All items but those of a file that is being loaded: they are shown when all of it is there."""

    def get_queryset(self) -> models.QuerySet["Item"]:
        return super().get_queryset().exclude(loaded_by__in=Import.objects.filter(state=Import.State.RUNNING))


class Item(models.Model):
    """An item that is judged for a topic: a passage, an image or a recording; or only its docno is known."""

    topic = models.ForeignKey(Topic, models.PROTECT, related_name="items", db_index=False)
    docno = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    # Of the text: written statements that store a text store its words too.
    words = WordCountField(default=0, db_default=0)
    # Its picture; in a study of sound or film, its recording.
    image = models.FileField(upload_to=image_path, blank=True)
    # How long a recording is, if it says.
    seconds = models.FloatField(null=True, blank=True)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    # What the picture shows, for people who cannot see it.
    description = models.TextField(blank=True, default="", db_default="")
    # What an answer cites, in the order of the numbers: objects with text, title, address, as far as given.
    sources = models.JSONField(null=True, blank=True)
    # Derived: the rank among the topic's top k once its tournament has ended; ties share one.
    top_rank = models.PositiveSmallIntegerField(null=True, blank=True)
    # The file that brought it. While that is being loaded, nobody sees the item.
    loaded_by = models.ForeignKey(Import, models.PROTECT, null=True, blank=True, related_name="+")

    objects = ShownItems()
    every = models.Manager["Item"]()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="item_docno_once")]
        indexes = [
            # Topics whose top is known are counted without reading every item.
            models.Index(fields=["topic"], condition=Q(top_rank__isnull=False), name="item_placed"),
            # Few: topics with items that nobody could judge are found without reading every text.
            models.Index(fields=["topic"], condition=Q(text="", image=""), name="item_bare"),
        ]

    def __str__(self) -> str:
        return self.docno


class Grade(models.Model):
    """An absolute relevance label of an item (qrels); above 0 means relevant."""

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="grade")
    value = models.FloatField()
