"""Versions of a task's texts: what its assessors read, practised on and agreed to."""

from django.conf import settings
from django.db import models

from judging.models.questions import Task


class TextVersion(models.Model):
    """One version of a task's texts, from `created_at` on: only ever added (a trigger enforces it).

    The first is put on record when judging is opened; each change after that is another. by: whose account
    changed them, actor: its name then. change: what changed, in a sentence by that person.
    """

    task = models.ForeignKey(Task, models.PROTECT, related_name="versions", db_index=False)
    number = models.PositiveSmallIntegerField()
    wording = models.CharField(max_length=300)
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    guidelines = models.TextField(blank=True)
    examples = models.JSONField(default=list, blank=True)
    asked_by = models.CharField(max_length=200, blank=True)
    contact = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200, blank=True)
    change = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task", "number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="text_version_once"),
        ]
