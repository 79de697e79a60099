"""Entries, the arrivals of panels' people at places, and exclusions as panels know them."""

import secrets

from django.db import models
from django.db.models import Q

from collection.models import Study
from judging.models import Assessor, Assignment
from panels.models.campaigns import Campaign, Place
from panels.models.people import Person


def receipt() -> str:
    """128 random bits that only somebody who has finished here can bring back to the panel."""
    return secrets.token_hex(16)


class Entry(models.Model):
    """A person's arrival at a place: who came, under which id of the panel, and its outcome.

    outside: the panel's id of their taking part (an assignment, a submission); the same one may come to
    somebody else after a return, so that it is one entry only together with the person. place: the one they
    hold, empty while they hold none. visit: raised with each arrival; the page and the forms of an earlier
    one are refused. receipt: goes back to the panel with their work, and is matched when the panel lists it.
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
    # In which world and on which panel, as in the campaign: part of the key under which it is one.
    panel = models.CharField(max_length=20)
    environment = models.CharField(max_length=12)
    arrived_at = models.DateTimeField()
    # Until when the panel lets them finish, counted from when we saw them first, with some grace.
    deadline = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    # Seconds from accepting to submitting, as the panel counts.
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


# States of entries whose person holds a place: the panel does not list their work yet, or it does.
UNLISTED = (Entry.State.OPENED, Entry.State.WORKING, Entry.State.DONE)
LISTED = (Entry.State.CONFIRMED, Entry.State.REVIEW)
HOLDING = (*UNLISTED, *LISTED)


class PanelExclusion(models.Model):
    """An assessor's exclusion as the panel is told of it; here it holds from the moment of its decision."""

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
