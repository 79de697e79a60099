"""Notices: the events that members watch, what happened, and the messages sent to them."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.outgoing import OutgoingWork
from collection.models.study import Study


class Event(models.Model):
    """An event that members may be notified of. It happens once: `key` names it within its study and kind."""

    class Kind(models.TextChoices):
        TOPIC = "topic", "a topic ends"
        STALL = "stall", "judging stalls"
        CHALLENGE = "challenge", "a challenge fails often"
        FINISHED = "finished", "all tops are known"
        MONEY = "money", "money or places run out"

    study = models.ForeignKey(Study, models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind)
    key = models.CharField(max_length=60)
    # The topic's name, or numbers: what a message says of it.
    about = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "kind", "key"], name="event_once")]


def watch_salt() -> str:
    """128 random bits, from which and the server's key a webhook's secret is made."""
    return secrets.token_hex(16)


class Watch(models.Model):
    """The events of a study that a person is notified of, and how.

    mail: to the account's address. webhook: the address to which a message is posted; "" for none. Its
    secret is stored nowhere: it follows from `salt` and SECRET_KEY.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="watches", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="watches")
    topics = models.BooleanField(default=False)
    stalls = models.BooleanField(default=False)
    challenges = models.BooleanField(default=False)
    finished = models.BooleanField(default=False)
    money = models.BooleanField(default=False)
    mail = models.BooleanField(default=False)
    webhook = models.URLField(max_length=500, blank=True)
    salt = models.CharField(max_length=32, default=watch_salt)

    class Meta:
        verbose_name_plural = "watches"
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="watch_once")]

    @property
    def kinds(self) -> list[str]:
        """Kinds of events that are told."""
        told = {
            Event.Kind.TOPIC: self.topics,
            Event.Kind.STALL: self.stalls,
            Event.Kind.CHALLENGE: self.challenges,
            Event.Kind.FINISHED: self.finished,
            Event.Kind.MONEY: self.money,
        }
        return [str(kind) for kind, wanted in told.items() if wanted]

    @property
    def ways(self) -> list[str]:
        """Ways in which they are told."""
        told = {Delivery.Way.MAIL: self.mail, Delivery.Way.WEBHOOK: bool(self.webhook)}
        return [str(way) for way, wanted in told.items() if wanted]


class Delivery(OutgoingWork):
    """One message to one person by one way: stored before it is sent, it holds its outcome.

    kind: of its events; "test" for one that was asked for to try the way.
    """

    class Way(models.TextChoices):
        MAIL = "mail", "e-mail"
        WEBHOOK = "webhook", "webhook"

    class State(models.TextChoices):
        WAITING = "waiting", "waits to be sent"
        # A process sends it now; of a mail nobody knows whether it went out if that process dies.
        SENDING = "sending", "is being sent"
        SENT = "sent", "sent"
        FAILED = "failed", "not sent"
        DOUBT = "doubt", "perhaps sent"
        DROPPED = "dropped", "not needed any more"

    watch = models.ForeignKey(Watch, models.CASCADE, related_name="deliveries")
    kind = models.CharField(max_length=10)
    way = models.CharField(max_length=8, choices=Way)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    # What the other side answered, or why nothing was sent.
    outcome = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(
                fields=["not_before"],
                condition=Q(state__in=["waiting", "sending"]),
                name="delivery_unsettled",
            ),
        ]


class NotificationLog(models.Model):
    """One event on one channel for one recipient; unique, so that concurrent senders cannot notify twice.

    Without a delivery, the event happened before the recipient asked for such events, and is skipped.
    """

    watch = models.ForeignKey(Watch, models.CASCADE, related_name="told", db_index=False)
    way = models.CharField(max_length=8, choices=Delivery.Way)
    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    delivery = models.ForeignKey(Delivery, models.CASCADE, null=True, blank=True, related_name="told")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["watch", "way", "event"], name="told_once")]
