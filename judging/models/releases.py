"""Releases: under which names a study's assessors leave the server."""

import secrets

from django.conf import settings
from django.db import models

from collection.models import Study


def release_key() -> bytes:
    """A random key of a release."""
    return secrets.token_bytes(32)


class Release(models.Model):
    """A set of files that name the same people alike, and otherwise than those of any other release.

    key: from it and a person their pseudonym follows (`judging.transfer.pseudonyms`). Never changed: what was
    given out under a name must come out the same.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="releases", db_index=False)
    name = models.CharField(max_length=60)
    key = models.BinaryField(max_length=32, default=release_key)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="release_once")]
