"""E-mail addresses of invited people, and the outbox of mails to them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models import Study
from collection.models.outgoing import OutgoingWork
from judging.models import Assessor


class Address(models.Model):
    """The e-mail address of an invited person, stored only to write to them.

    sealed: address and name, encrypted; empty once deleted. digest: a keyed hash of the address, by which it
    is found in its study; empty once deleted. A person's new address is a new row. more_wished: they
    asked for a letter once there is more to judge.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="addresses", db_index=False)
    assessor = models.ForeignKey(Assessor, models.PROTECT, related_name="addresses")
    digest = models.CharField(max_length=64, blank=True)
    more_wished = models.BooleanField(default=False)
    sealed = models.BinaryField(default=b"")
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "addresses"
        constraints = [
            models.UniqueConstraint(
                fields=["study", "digest"], condition=~Q(digest=""), name="address_once_in_a_study"
            ),
            models.UniqueConstraint(
                fields=["assessor"], condition=~Q(digest=""), name="address_one_for_an_assessor"
            ),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | (Q(sealed=b"") & Q(digest="")), name="address_deleted_is_empty"
            ),
        ]


class Mailing(models.Model):
    """One press of "send": the subject and text that it sends, and the server in the links.

    site: the base URL of this server as the recipients reach it, put before the path of their link.
    """

    class Kind(models.TextChoices):
        INVITATION = "invitation", "Invitation"
        REMINDER = "reminder", "Reminder"
        # To people who asked for it (panels.local.more_wishes).
        MORE = "more", "More to judge"

    study = models.ForeignKey(Study, models.PROTECT, related_name="mailings", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind)
    # For reminders: the group of recipients (panels.local.mails.TO).
    to = models.CharField(max_length=12, blank=True)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    site = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    actor = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="mailing_number_once"),
        ]


class Mail(OutgoingWork):
    """One mail to one person: the row is stored before anything is sent, and holds the result."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waits to be sent"
        # A process is about to send it; no content was sent so far.
        CLAIMED = "claimed", "Is being sent"
        # The content is being sent: if the process dies from here on, the mail is in doubt.
        SENDING = "sending", "Is going out"
        SENT = "sent", "Sent"
        DOUBT = "doubt", "Perhaps sent"
        REFUSED = "refused", "Not sent"
        DROPPED = "dropped", "Not needed any more"

    mailing = models.ForeignKey(Mailing, models.PROTECT, related_name="mails", db_index=False)
    address = models.ForeignKey(Address, models.PROTECT, related_name="mails")
    kind = models.CharField(max_length=12, choices=Mailing.Kind)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    # What the mail server said, without the address.
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mailing", "address"], name="mail_once_in_a_mailing"),
            models.UniqueConstraint(
                fields=["address"], condition=Q(kind="invitation"), name="mail_invites_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["not_before"],
                condition=Q(state__in=["waiting", "claimed", "sending"]),
                name="mail_unsettled",
            ),
        ]
