"""Entries (arrivals of panels' people at places) and exclusions as told to panels."""

import secrets

from django.db import models
from django.db.models import Q

from collection.models import Study
from judging.models import Assessor, Assignment
from panels.models.campaigns import Campaign, Place
from panels.models.people import Person


def receipt() -> str:
    """Return 128 random bits that only a person who has finished here can bring back to the panel."""
    return secrets.token_hex(16)


class Entry(models.Model):
    """A person's arrival at a place: who came, the panel's id of the participation, and its outcome.

    outside: the panel's id of the participation (an assignment, a submission). The panel may give the same id
    to another person after a return, so an entry is identified by this id and the person. place: the place
    that the person holds, empty while they hold none. visit: raised with each arrival; pages and forms of an
    earlier visit are refused. receipt: goes to the panel with their work, and is compared when the panel
    lists it.
    """

    class State(models.TextChoices):
        OPENED = "opened", "arrived"
        WORKING = "working", "begun"
        DONE = "done", "finished here, not listed by the panel yet"
        CONFIRMED = "confirmed", "sent"
        REVIEW = "review", "listed by the panel, not finished here"
        SUPERSEDED = "superseded", "reassigned"
        RETURNED = "returned", "returned"
        LAPSED = "lapsed", "not sent in time"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="entries")
    place = models.ForeignKey(Place, models.PROTECT, null=True, blank=True, related_name="entries")
    person = models.ForeignKey(Person, models.PROTECT, related_name="entries")
    assessor = models.ForeignKey(Assessor, models.PROTECT, null=True, blank=True, related_name="entries")
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="entry")
    outside = models.CharField(max_length=100)
    visit = models.PositiveIntegerField(default=0)
    receipt = models.CharField(max_length=32, default=receipt)
    state = models.CharField(max_length=10, choices=State, default=State.OPENED)
    # Panel and environment of the campaign, repeated here for the unique key.
    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    arrived_at = models.DateTimeField()
    # When the panel's time limit ends, counted from their arrival here, with a grace period.
    deadline = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    # Seconds from accepting to submitting, by the panel's clock.
    seconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(
                fields=["panel", "environment", "outside", "person"], name="entry_once_for_a_person"
            ),
            # A place is held by one person at a time.
            models.UniqueConstraint(
                fields=["place"],
                condition=Q(state__in=["opened", "working", "done", "confirmed", "review"]),
                name="entry_holds_a_place_alone",
            ),
        ]
        indexes = [models.Index(fields=["campaign", "state"], name="entry_by_state")]


# States in which the person holds a place: not listed by the panel yet, or listed.
UNLISTED = (Entry.State.OPENED, Entry.State.WORKING, Entry.State.DONE)
LISTED = (Entry.State.CONFIRMED, Entry.State.REVIEW)
HOLDING = (*UNLISTED, *LISTED)


class PanelExclusion(models.Model):
    """An assessor's exclusion as told to the panel; here the exclusion holds as soon as it is decided."""

    class State(models.TextChoices):
        DECIDED = "decided", "decided, the panel not told yet"
        EFFECTIVE = "effective", "in force on the panel"
        LIFTING = "lifting", "lifted, the panel not told yet"
        LIFTED = "lifted", "lifted"

    study = models.ForeignKey(Study, models.PROTECT, related_name="+")
    person = models.ForeignKey(Person, models.PROTECT, related_name="exclusions")
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="exclusions")
    state = models.CharField(max_length=10, choices=State, default=State.DECIDED)
    changes = models.PositiveSmallIntegerField(default=0)  # how often it was decided or lifted
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "person"], name="panel_exclusion_once"),
        ]
