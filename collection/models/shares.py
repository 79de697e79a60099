"""Share links: a leaderboard for people without an account."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from collection.models.study import Study


class ShareQuerySet(models.QuerySet["Share"]):
    """Selections of links."""

    def alive(self) -> "ShareQuerySet":
        """Links that are neither revoked nor expired."""
        return self.filter(revoked_at=None, ends_at__gt=timezone.now())


class Share(models.Model):
    """A link to a study's leaderboard. Its secret is shown once; `digest` is the secret's SHA-256.

    blind: whether runs are called Run A, Run B, ...; order: the runs' keys in the order of these letters,
    drawn when the link is made.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="shares")
    digest = models.CharField(max_length=64, unique=True)
    blind = models.BooleanField(default=True)
    order = models.JSONField(default=list)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ShareQuerySet.as_manager()

    @property
    def works(self) -> bool:
        """Whether the link can be used now: neither revoked nor expired."""
        return self.revoked_at is None and self.ends_at > timezone.now()
