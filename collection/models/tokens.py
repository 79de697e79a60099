"""API tokens: programs act for an account."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Selections of tokens."""

    def alive(self) -> "ApiTokenQuerySet":
        """Tokens that are neither revoked nor expired."""
        return self.filter(revoked_at=None, expires_at__gt=timezone.now())


class ApiToken(models.Model):
    """A personal token: who it acts for, what it is for, and until when.

    Its secret is shown once and stored nowhere: `digest` is the secret's SHA-256. By `prefix`, which is no
    secret, it is found and told from others. last_used_on: the day, so that using it costs one row a day.
    """

    class Scope(models.TextChoices):
        READ = "read", "Read leaderboards, scores, topics and judgments"
        LOAD = "load", "Load topics, items, pictures, runs and qrels"
        JUDGE = "judge", "Arrive and answer as an assessor"

    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_on = models.DateField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def scopes_said(self) -> str:
        """Its scopes, separated by commas."""
        return ", ".join(self.scopes)
