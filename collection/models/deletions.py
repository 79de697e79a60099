"""Deletions: which studies were deleted for good, by whom, and how much went with them."""

from django.conf import settings
from django.db import models


class Deletion(models.Model):
    """Record of a deleted study: its name, who deleted it and when, and how many rows it had.

    study: its key, which no other study gets. going_on: True only inside the transactions that delete its
    rows, so that nobody else ever sees it; the triggers of `collection.triggers` let rows go while it is.
    rows: what was deleted so far, by the name of what it was. by: empty for the command line.
    """

    study = models.PositiveBigIntegerField(unique=True)
    name = models.CharField(max_length=120)
    slug = models.CharField(max_length=60)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200)
    rows = models.JSONField(default=dict)
    going_on = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
