"""Outgoing work: calls to panels, mails and webhooks, each a row before it is sent.

A row waits until `not_before`; a process claims it until `claimed_until`, and each step is one conditional
update, so that a row that has changed is left alone. A claim that has run out means that the process died.
What that leaves, a doubt or a retry, is the business of each kind: only it knows what was perhaps sent.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)


class OutgoingQuerySet(models.QuerySet[Any]):
    """Steps of outgoing work, each one update of the rows that are still in the right state."""

    def due(self, waiting: Collection[str], claimed: Collection[str] = ()) -> Self:
        """Rows in states whose time has come, and those whose claim has run out; the oldest first."""
        now = timezone.now()
        ready = Q(state__in=waiting, not_before__lte=now) | Q(state__in=claimed, claimed_until__lte=now)
        return self.filter(ready).order_by("not_before", "pk")

    def claim(self, state: str, most: timedelta, **further: Any) -> datetime | None:
        """Claim a row for an attempt that takes so long at most. Returns when the claim ends, by which the
        process knows it again; None if another process was first.
        """
        until = timezone.now() + most
        claimed = {"state": state, "claimed_until": until, "attempts": F("attempts") + 1, **further}
        return until if self.order_by().update(**claimed) else None

    def postpone(self, state: str, wait: timedelta, **said: Any) -> int:
        """Give the rows back, to be tried after this time."""
        return self.order_by().update(
            state=state, not_before=timezone.now() + wait, claimed_until=None, **said
        )

    def settle(self, state: str, **said: Any) -> int:
        """End the rows in a last state."""
        return self.order_by().update(state=state, settled_at=timezone.now(), claimed_until=None, **said)


class OutgoingWork(models.Model):
    """One piece of outgoing work. attempts: how often it was claimed."""

    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = OutgoingQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def next_wait(self) -> timedelta:
        """Time until the next attempt: from a minute, doubled with each attempt, to an hour."""
        return min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(self.attempts - 1, 10))
