"""Imports: files that organizers loaded, and what became of them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.study import Study


class Import(models.Model):
    """A file that an organizer loaded: what came of it, and every line that was wrong."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "being read"
        DONE = "done", "loaded"
        REFUSED = "refused", "refused: nothing was loaded"

    study = models.ForeignKey(Study, models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=20)
    name = models.CharField(max_length=200)
    # Who chose the file on the page; empty for the command line.
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    digest = models.CharField(max_length=64, blank=True)
    file = models.CharField(max_length=200, blank=True)  # where an upload waits to be read
    options = models.JSONField(default=dict)
    # The same file may not be loaded again: its judgments would count twice.
    once = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    summary = models.CharField(max_length=300, blank=True)
    problems = models.JSONField(default=list)  # sentences, one a bad line
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "digest"],
                condition=Q(state="done", once=True),
                name="import_once",
            ),
        ]
