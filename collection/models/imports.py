"""Imports: files that organizers loaded, and their outcomes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.study import Study


class ImportQuerySet(models.QuerySet["Import"]):
    """Selections of imports."""

    def unfinished(self) -> "ImportQuerySet":
        """Files that wait or are being read. Few, and found by an index."""
        return self.filter(state__in=["waiting", "running"])


class Import(models.Model):
    """A file that an organizer loaded: what came of it, and the lines that were wrong.

    A draft is a file that was looked over with others and waits for its organizer's word;
    `collection.upload.pending_uploads` keeps what was found in `options`. The rows that wait are the queue of
    uploads. What one that is running has written is shown to nobody.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "looked over, not loaded"
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
    problems = models.JSONField(default=list)  # sentences, one a bad line: the first thousand
    problem_count = models.PositiveIntegerField(default=0)  # all that were found
    attempts = models.PositiveSmallIntegerField(default=0)  # how often reading was begun
    # Records that are stored for good though not shown yet: a second attempt goes on behind them.
    written = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    alive_at = models.DateTimeField(null=True, blank=True)  # when anyone who reads it last gave a sign
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "digest"],
                condition=Q(state="done", once=True),
                name="import_once",
            ),
            models.UniqueConstraint(
                fields=["study"], condition=Q(state="running"), name="import_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(
                fields=["state"], condition=Q(state__in=["waiting", "running"]), name="import_unfinished"
            ),
        ]

    @property
    def doubts(self) -> list[str]:
        """Sentences about what the file leaves open, though it can be loaded."""
        return list(self.options.get("doubts", ()))

    @property
    def notes(self) -> list[str]:
        """Sentences about what is loaded otherwise than it is written, without a doubt."""
        return list(self.options.get("notes", ()))
