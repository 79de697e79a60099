"""What assessors can be asked: pairs of items, some of them with a known answer."""

from django.db import models
from django.db.models import F, Q

from collection.models import Item, Topic


class Choice(models.IntegerChoices):
    """An answer to a pair: which of its two items was preferred."""

    TIE = 0, "tie"
    A = 1, "a"
    B = 2, "b"


class Question(models.Model):
    """Two items of a topic to choose between; a known answer makes it fit to be a challenge.

    `wanted` is how many kept answers the tournament asks for; `taken` how many are kept or being
    judged. A question is handed out while taken < wanted.
    """

    topic = models.ForeignKey(Topic, models.PROTECT, related_name="questions")
    item_a = models.ForeignKey(Item, models.PROTECT, related_name="+")
    item_b = models.ForeignKey(Item, models.PROTECT, related_name="+")
    expected = models.PositiveSmallIntegerField(choices=Choice, null=True, blank=True)
    wanted = models.PositiveSmallIntegerField(default=0)
    taken = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            # (a, b) and (b, a) are one question, so it is stored one way round, and once.
            models.CheckConstraint(condition=Q(item_a__lt=F("item_b")), name="question_ordered"),
            models.UniqueConstraint(fields=["topic", "item_a", "item_b"], name="question_once"),
            models.CheckConstraint(
                condition=Q(expected=None) | Q(expected__in=[Choice.A, Choice.B]),
                name="question_expected_is_an_item",
            ),
        ]
        indexes = [
            # Drawing a batch reads only the questions that are open: few, however long the study.
            models.Index(fields=["topic"], condition=Q(taken__lt=F("wanted")), name="question_open"),
            models.Index(fields=["topic"], condition=Q(expected__isnull=False), name="question_challenge"),
        ]
