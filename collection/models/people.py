"""Members of a study: who may see and run it."""

from django.conf import settings
from django.db import models

from collection.models.study import Study


class Membership(models.Model):
    """A person's part in a study. People without one cannot see that the study exists; assessors judge it,
    and see none of the pages that say how it goes.
    """

    class Role(models.TextChoices):
        ORGANIZER = "organizer", "Organizer: loads, opens and steers the study"
        COORDINATOR = "coordinator", "Coordinator: watches topics and the leaderboard"
        VIEWER = "viewer", "Viewer: sees the leaderboard, topics and comparisons, and nobody who judges"
        PARTICIPANT = "participant", "Participant: sees their own runs beside the median of all"
        ASSESSOR = "assessor", "Assessor: judges, and sees their own questions and answers alone"

    study = models.ForeignKey(Study, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role)
    # A participant's own; of no meaning to others.
    runs = models.ManyToManyField("collection.Run", blank=True, related_name="participants")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="membership_once")]
