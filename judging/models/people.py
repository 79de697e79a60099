"""Who may see and steer a study, and what they loaded into it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.collection import Study


class Membership(models.Model):
    """A person's part in a study. Whoever has none cannot see that the study exists."""

    class Role(models.TextChoices):
        ORGANIZER = "organizer", "Organizer: loads, opens and steers the study"
        COORDINATOR = "coordinator", "Coordinator: watches topics and the leaderboard"

    study = models.ForeignKey(Study, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="membership_once")]


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
    digest = models.CharField(max_length=64, blank=True)
    file = models.CharField(max_length=200, blank=True)  # where an upload waits to be read
    options = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    summary = models.CharField(max_length=300, blank=True)
    problems = models.JSONField(default=list)  # sentences, one a bad line
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            # The same judgments loaded twice would count twice.
            models.UniqueConstraint(
                fields=["study", "kind", "digest"],
                condition=Q(state="done", kind__in=["judgments", "xie-judgments"]),
                name="import_judgments_once",
            ),
        ]
