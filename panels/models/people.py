"""People whom a panel knows by an id, which is stored encrypted only here, and a log of who has seen it."""

from django.conf import settings
from django.db import models


class Person(models.Model):
    """A person whom a panel knows by an id, in one environment.

    digest: a keyed hash of panel, environment and id, by which they are found again. sealed: the id,
    encrypted; empty once destroyed. `panels.participants.people` reads and writes both.
    """

    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    digest = models.CharField(max_length=64)
    sealed = models.BinaryField(default=b"")
    created_at = models.DateTimeField(auto_now_add=True)
    destroyed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "people"
        permissions = [("view_raw_ids", "Can see the ids that panels have for people")]
        constraints = [
            models.UniqueConstraint(fields=["panel", "environment", "digest"], name="person_once"),
        ]


class IdentityAccess(models.Model):
    """A log row for each time somebody saw a panel's id of a person: only ever added (a trigger enforces it).

    by: the account, empty for the command line. actor: its name at the time. why: what the id was needed for.
    """

    person = models.ForeignKey(Person, models.PROTECT, related_name="viewings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200)
    why = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
