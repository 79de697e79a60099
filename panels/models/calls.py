"""Calls to panels: each is a row before it is made, so that a crash leaves a record."""

from django.db import models
from django.db.models import Q

from collection.models.outgoing import OutgoingWork
from panels.models.campaigns import Campaign, Place
from panels.models.entries import Entry, PanelExclusion
from panels.models.money import Payment


class Call(OutgoingWork):
    """A call to a panel, from the intent to the response. Its states are described in `panels.calls.outbox`.

    key: unique for the one thing that is to happen, so that it is stored once. request: its parameters,
    without ids of people. not_before: when it is tried next. claimed_until: when the claim of the process
    that makes it ends. first_sent_at: when it was first sent; since then a response may have been lost.
    doubts: how often it was in doubt. looks: how often the panel was searched for it without a result.
    answer: what the panel said, in short. error: its last error. settled_how: how a doubt was resolved.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "to be made"
        CALLING = "calling", "being made"
        DOUBT = "doubt", "made, the answer lost"
        DONE = "done", "done"
        REFUSED = "refused", "refused"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="calls")
    op = models.CharField(max_length=20)
    key = models.CharField(max_length=120, unique=True)
    place = models.ForeignKey(Place, models.PROTECT, null=True, blank=True, related_name="calls")
    entry = models.ForeignKey(Entry, models.PROTECT, null=True, blank=True, related_name="calls")
    payment = models.ForeignKey(Payment, models.PROTECT, null=True, blank=True, related_name="calls")
    exclusion = models.ForeignKey(PanelExclusion, models.PROTECT, null=True, blank=True, related_name="calls")
    request = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    first_sent_at = models.DateTimeField(null=True, blank=True)
    doubts = models.PositiveSmallIntegerField(default=0)
    looks = models.PositiveSmallIntegerField(default=0)
    looked_at = models.DateTimeField(null=True, blank=True)
    answer = models.JSONField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)
    settled_how = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["not_before"],
                condition=Q(state__in=["waiting", "calling", "doubt"]),
                name="call_unsettled",
            )
        ]


# States of calls that are not settled.
UNSETTLED = (Call.State.WAITING, Call.State.CALLING, Call.State.DOUBT)


class Pace(models.Model):
    """When the next call to a panel may be made, for the whole installation (`panels.calls.call_rate`)."""

    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    free_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "environment"], name="pace_once")]
