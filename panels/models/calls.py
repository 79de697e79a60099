"""Calls to the outside: each is a row before it is made, so that a crash leaves no doubt unrecorded."""

from django.db import models
from django.db.models import Q

from collection.models.outgoing import OutgoingWork
from panels.models.campaigns import Campaign, Place
from panels.models.entries import Entry, PanelExclusion
from panels.models.money import Payment


class Call(OutgoingWork):
    """A call to a panel, from the intent to the answer. `panels.calls.outbox` says how it moves.

    key: names the one thing that is to happen, so that it is intended once. request: what it says, without
    anybody's id. not_before: when it is tried next. claimed_until: how long the process that makes it has for
    it. first_sent_at: since when an answer may have been lost; looks: how often it was looked for in vain.
    answer: what the panel said, in short; error: its last complaint; settled_how: how a doubt ended.
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


# States in which something is still to happen.
UNSETTLED = (Call.State.WAITING, Call.State.CALLING, Call.State.DOUBT)


class Pace(models.Model):
    """When the next call to a panel may be made, for the whole installation (`panels.calls.call_rate`)."""

    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    free_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "environment"], name="pace_once")]
