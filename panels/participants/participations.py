"""Participations: the panel's list is compared with our entries; matches are confirmed, counted and paid.

The panel's list is the only proof of participation. Work that it lists and that was not finished here waits
for review; nothing is ever rejected.
"""

import hmac
import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from judging.batches import panel_confirmation
from panels.base import Participation, Unavailable, marketplace
from panels.calls import effects
from panels.models import Campaign, Entry, Payment, Place
from panels.models.entries import LISTED, UNLISTED
from panels.participants import arrivals, people
from panels.payments import payouts

logger = logging.getLogger(__name__)
State = Entry.State
# The panel is not read more often than this for people who find no place.
SOONEST = timedelta(seconds=5)
# After this time, the process of a requested comparison is considered dead.
LOST = timedelta(minutes=10)
EVERY = 25
PRESENT = ("submitted", "approved", "rejected")
GONE = ("returned", "timed out")


def ask(campaign: Campaign) -> bool:
    """Request a comparison of a campaign; return False if one is already running."""
    now = timezone.now()
    free = Q(comparing_since=None) | Q(comparing_since__lt=now - LOST)
    asked = {"comparing_since": now, "compared_read": 0, "compared_said": ""}
    return bool(Campaign.objects.filter(free, pk=campaign.pk).update(**asked))


def answer(campaign: Campaign) -> None:
    """Run a requested comparison of a campaign, and store its result as a sentence."""
    title = marketplace(campaign.panel).title
    try:
        changed = collect(campaign)
        said = f"{changed} change{'' if changed == 1 else 's'} found."
    except Unavailable as error:
        said = f"{title} could not be asked: {error} What was read until then is stored; try again later."
    except Exception:
        logger.exception("Campaign %s could not be compared.", campaign.pk)
        said = "It could not be compared; the server's log says why."
    said = f"{timezone.now():%d %b, %H:%M} UTC: {said}"
    Campaign.objects.filter(pk=campaign.pk).update(comparing_since=None, compared_said=said[:400])


def collect(campaign: Campaign) -> int:
    """Read the panel's list and store what is new; return how many entries changed.

    Each unsettled participation is stored in its own transaction. The number of rows read is stored every 25
    rows for a requested comparison. Raises Unavailable if the panel cannot be read; rows read until then stay
    stored.
    """
    panel = marketplace(campaign.panel)
    settled = _settled(campaign)
    changed = 0
    try:
        for number, seen in enumerate(panel.survey(campaign), 1):
            if number % EVERY == 0:
                asked = Campaign.objects.filter(pk=campaign.pk, comparing_since__isnull=False)
                asked.update(compared_read=number)
            if (seen.outside, seen.status) not in settled:
                changed += _take(campaign, seen)
    except Unavailable as error:
        if error.permanent:
            effects.trouble(campaign, str(error))
        raise
    Campaign.objects.filter(pk=campaign.pk).update(surveyed_at=timezone.now())
    return changed


def collect_sooner(campaign: Campaign) -> bool:
    """Read the panel's list ahead of schedule, for a person whom the panel sent and who finds no place.

    Returns True if anything changed; False also if the panel has no list, or was read a moment ago. Holds no
    transaction open during the request.
    """
    if not marketplace(campaign.panel).confirms:
        return False
    now = timezone.now()
    not_lately = Q(surveyed_at=None) | Q(surveyed_at__lt=now - SOONEST)
    # One at a time; the others are asked to try again.
    if not Campaign.objects.filter(not_lately, pk=campaign.pk).update(surveyed_at=now):
        return False
    try:
        return bool(collect(campaign))
    except Unavailable as error:
        logger.warning("Campaign %s could not be collected: %s", campaign.pk, error)
        return False


def _settled(campaign: Campaign) -> set[tuple[str, str]]:
    """Return participations that need no further check: confirmed and, if approved, paid."""
    rows = Entry.objects.filter(campaign=campaign, state=State.CONFIRMED)
    waiting = Payment.objects.filter(campaign=campaign, kind="reward").exclude(state="paid")
    unpaid = set(waiting.values_list("entry_id", flat=True))
    found = set()
    for pk, outside in rows.values_list("pk", "outside"):
        found.add((outside, "submitted"))
        if pk not in unpaid:
            found.add((outside, "approved"))
    return found


def _take(campaign: Campaign, seen: Participation) -> bool:
    """Store one participation; return True if anything was new."""
    if seen.status not in PRESENT + GONE:
        return False
    person = people.person_for(campaign.panel, campaign.environment, seen.person)
    about = {"panel": campaign.panel, "environment": campaign.environment, "outside": seen.outside}
    entry = Entry.objects.select_related("assignment", "campaign").filter(person=person, **about).first()
    if seen.status in GONE:
        if entry is None or entry.state not in UNLISTED:
            return False
        arrivals.give_back(entry, State.RETURNED if seen.status == "returned" else State.LAPSED)
        return True
    if entry is not None and entry.campaign_id != campaign.pk:
        return False
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if entry is None:
            now = timezone.now()
            people.keep_again(person, seen.person)
            entry = Entry(campaign=campaign, person=person, arrived_at=now, deadline=now, **about)
            entry.state = State.RETURNED
            entry.save()
        entry.refresh_from_db(fields=["state", "assignment", "place"])
        return _confirm(campaign, entry, seen)


def _confirm(campaign: Campaign, entry: Entry, seen: Participation) -> bool:
    """Confirm an entry that the panel lists as submitted; the caller has locked the campaign."""
    was = entry.state
    matches = _matches(campaign, entry, seen)
    if was not in LISTED:
        _hold_place(campaign, entry, seen)
        entry.submitted_at = seen.submitted_at or timezone.now()
        if seen.accepted_at and seen.submitted_at:
            entry.seconds = max(0, round((seen.submitted_at - seen.accepted_at).total_seconds()))
    if matches and was != State.CONFIRMED:
        assert entry.assignment is not None
        entry.state = State.CONFIRMED
        entry.save()
        panel_confirmation.confirm(entry.assignment.pk)
        payouts.owe(entry)
    elif was not in LISTED:
        entry.state = State.REVIEW
        entry.save()
        payouts.owe(entry, review=payouts.UNMATCHED)
    paid = _note_payment(campaign, entry, seen)
    return paid or entry.state != was


def _matches(campaign: Campaign, entry: Entry, seen: Participation) -> bool:
    """Return True if a listed participation was finished here: its batch submitted, and the receipt ours."""
    if entry.assignment is None or entry.assignment.submitted_at is None:
        return False
    return not marketplace(campaign.panel).receipts or hmac.compare_digest(
        entry.receipt.encode(), seen.receipt.encode()
    )


def _hold_place(campaign: Campaign, entry: Entry, seen: Participation) -> None:
    """Give an entry the place under which the panel lists its work; earlier holders have returned it."""
    mine = Place.objects.filter(campaign=campaign)
    place = mine.filter(outside=seen.place).first() if seen.place else entry.place
    if place is not None:
        arrivals.give_up_superseded(arrivals.supersede(place, entry))
        if Entry.objects.filter(place=place, state__in=LISTED).exclude(pk=entry.pk).exists():
            place = None
    entry.place = place
    if place is not None:
        ready = [Place.State.LIVE, Place.State.TAKEN, Place.State.EXPIRED]
        Place.objects.filter(pk=place.pk, state__in=ready).update(state=Place.State.SUBMITTED)


def _note_payment(campaign: Campaign, entry: Entry, seen: Participation) -> bool:
    """Note that the panel has paid by itself, or that somebody rejected the work by hand."""
    payment = (
        Payment.objects.filter(entry=entry, kind=Payment.Kind.REWARD)
        .exclude(state=Payment.State.PAID)
        .first()
    )
    if payment is None:
        return False
    if seen.status == "approved":
        return effects.paid(payment, "approved at the panel")
    if seen.status == "rejected" and payment.state != Payment.State.REVIEW:
        Payment.objects.filter(pk=payment.pk).update(
            state=Payment.State.REVIEW, how="rejected at the panel by hand"
        )
        return True
    return False


def give_up_late(campaign: Campaign) -> int:
    """Give up entries whose time at the panel is over; return how many. Their questions go to others.

    If the panel lists them later, they are still paid, and count if nobody else was asked meanwhile.
    """
    late = Entry.objects.filter(campaign=campaign, state__in=UNLISTED, deadline__lte=timezone.now())
    found = list(late.order_by("pk"))
    for entry in found:
        arrivals.give_back(entry, State.LAPSED)
    return len(found)
