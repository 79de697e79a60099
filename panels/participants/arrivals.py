"""Arrivals: a person from a panel gets a page and a place, and a batch when they begin.

An entry is a person and the panel's id of their participation. The same person who returns continues where
they were; another person with the same participation id starts afresh. Questions are drawn when the person
begins, never before. The ids in the link are not proof: nothing counts and nothing is paid before the panel
itself lists the participation.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.batches import answering, panel_confirmation
from judging.models import OPEN, Assessor, Assignment
from judging.questions.texts import SeenText
from panels.base import Arrival, CannotEnter, UnknownPerson, marketplace
from panels.models import Campaign, Entry, Place
from panels.models.entries import HOLDING, LISTED, UNLISTED
from panels.participants import people
from panels.payments import payouts

State, PlaceState = Entry.State, Place.State
SALT = "faceoff.entry"
# Added to the panel's time limit: clocks differ, and people submit at the last moment.
GRACE = timedelta(minutes=10)
# The most entries of one place; further arrivals are assumed to be fake.
MOST_ENTRIES = 20


class Full(CannotEnter):
    """No place is left."""


class SitsElsewhere(CannotEnter):
    """The person has another batch of the study open."""


def offered(token: str) -> tuple[Campaign, Place | None]:
    """Return the campaign at a link that a panel shows, and the place if it is the link of a place.

    Raises UnknownPerson if nothing has this link.
    """
    place = Place.objects.select_related("campaign__study").filter(token=token).first()
    if place is not None:
        return place.campaign, place
    campaign = Campaign.objects.select_related("study").filter(token=token).first()
    if campaign is None or marketplace(campaign.panel).own_places:
        raise UnknownPerson(_("This link is not open."))
    return campaign, None


def address(entry: Entry) -> str:
    """Return the signed path of an entry's page; it stops working when the person arrives again."""
    named = signing.Signer(salt=SALT).sign(f"{entry.pk}_{entry.visit}")
    return reverse("entry", args=[named.replace(":", ".")])


def enter(campaign: Campaign, place: Place | None, arrival: Arrival) -> Entry:
    """Admit a person who arrived by a campaign's link; return their entry.

    Each arrival changes the path of their page, so the old one stops working. Raises CannotEnter, with a
    message to show, if there is no place for them. Uses one transaction, and then gives up the batches of the
    people who held the place before.
    """
    superseded: list[int] = []
    with transaction.atomic():
        # Locked, so that two arrivals never take the same place.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        # Rolled back if there is no place, so a made-up link leaves no row.
        person = people.person_for(campaign.panel, campaign.environment, arrival.person)
        about = {"panel": campaign.panel, "environment": campaign.environment, "outside": arrival.outside}
        entry = (
            Entry.objects.select_for_update(no_key=True, of=("self",)).filter(person=person, **about).first()
        )
        if entry is not None and entry.campaign_id != campaign.pk:
            raise CannotEnter(_("This link belongs to another offer. Open it from the panel's page again."))
        now = timezone.now()
        if entry is None:
            _refuse_strangers(campaign, place)
            people.keep_again(person, arrival.person)
            entry = Entry(campaign=campaign, person=person, state=State.RETURNED, **about)
        if entry.state not in HOLDING:
            entry.place = _take(campaign, place, entry, superseded)
            entry.state, entry.arrived_at = State.OPENED, now
            entry.deadline = now + duration(campaign) + GRACE
        if entry.assignment is not None and is_void(entry.assignment):
            # Its questions were given to others; the next batch has new ones.
            entry.assignment, entry.state = None, State.OPENED
        if entry.assessor is None:
            entry.assessor = _assessor(campaign, person)
        entry.visit += 1
        entry.save()
        if entry.assignment_id is not None:
            Assignment.objects.filter(pk=entry.assignment_id).update(visit=F("visit") + 1)
    give_up_superseded(superseded)
    return entry


def duration(campaign: Campaign) -> timedelta:
    """Return how long the panel lets a person work on a place."""
    return timedelta(minutes=int(campaign.terms.get("duration_minutes", 60)))


def _refuse_strangers(campaign: Campaign, place: Place | None) -> None:
    if campaign.state not in (Campaign.State.RUNNING, Campaign.State.STOPPING):
        raise Full(_("This offer is not open. Please return your place to the panel; nothing was counted."))
    if place is not None and place.entries.count() >= MOST_ENTRIES:
        raise Full(_("This place was opened too often. Please return it to the panel and take another one."))


def _assessor(campaign: Campaign, person: "people.Person") -> Assessor:
    """Return the assessor of a person in the study: the same one in all of its campaigns."""
    reference = f"{person.environment}-{person.digest[:40]}"
    about: dict[str, Any] = {"study_id": campaign.study_id, "panel": campaign.panel, "reference": reference}
    return Assessor.objects.get_or_create(**about)[0]


def _take(campaign: Campaign, place: Place | None, entry: Entry, superseded: list[int]) -> Place:
    """Take a place for an entry: the one of the link, or any free one."""
    if place is None:
        free = Place.objects.filter(campaign=campaign, state=PlaceState.LIVE).order_by("number").first()
        if free is None:
            raise Full(_("All places are taken. Please return yours to the panel; nothing was counted."))
        Place.objects.filter(pk=free.pk).update(state=PlaceState.TAKEN)
        return free
    over = (PlaceState.RESERVED, PlaceState.REFUSED, PlaceState.SETTLED)
    if place.state in over:
        raise Full(_("This place is taken or was withdrawn. Please return it to the panel."))
    # The panel gives a place to one person at a time, so an earlier holder has returned it.
    if Entry.objects.filter(place=place, state__in=LISTED).exclude(pk=entry.pk).exists():
        raise Full(_("This place is taken or was withdrawn. Please return it to the panel."))
    superseded += supersede(place, entry)
    Place.objects.filter(pk=place.pk).update(state=PlaceState.TAKEN)
    return place


def supersede(place: Place, entry: Entry) -> list[int]:
    """End other entries that hold a place, because the panel has reassigned it to this entry.

    Their pages stop working. Returns their batches, which the caller gives up (`give_up_superseded`). The
    caller has locked the campaign.
    """
    holders = Entry.objects.filter(place=place, state__in=UNLISTED).exclude(pk=entry.pk)
    batches = [pk for pk in holders.values_list("assignment_id", flat=True) if pk is not None]
    Assignment.objects.filter(pk__in=batches).update(visit=F("visit") + 1)
    holders.update(state=State.SUPERSEDED, visit=F("visit") + 1)
    return batches


def give_up_superseded(batches: Iterable[int]) -> None:
    """Give up batches whose place the panel reassigned; their questions go to others."""
    for assignment_id in batches:
        panel_confirmation.give_up(assignment_id, "the panel reassigned its place")


def at(named: str) -> Entry:
    """Return the entry with this signed name in the path of its page, with the related rows of the page.

    Raises UnknownPerson if the path was replaced or is not valid.
    """
    try:
        pk, visit = map(int, signing.Signer(salt=SALT).unsign(named.replace(".", ":")).split("_"))
    except (signing.BadSignature, ValueError) as error:
        raise UnknownPerson(_("This page was made by another server, or altered.")) from error
    rows = Entry.objects.select_related(
        "campaign__study", "assessor__study", "assignment__task", "assignment__assessor", "place"
    )
    entry = rows.filter(pk=pk, visit=visit).first()
    if entry is None:
        raise UnknownPerson(
            _("This page was opened again somewhere else. Go on there, or open it from the panel.")
        )
    return entry


def begin(entry: Entry, seen: SeenText | None) -> None:
    """Give a person who has agreed the batch of their entry; a repeat changes nothing.

    Their open batch of another place of the campaign follows them to this one. Raises SitsElsewhere while a
    batch of another campaign is open, and what `answering.begin` raises.
    """
    assert entry.assessor_id is not None
    if entry.assignment is not None and not is_void(entry.assignment):
        return
    void = entry.assignment_id
    with_batch = own_open(entry.assessor_id)
    open_one = with_batch.first()
    if open_one is None:
        answering.begin(entry.assessor_id, seen)
        open_one = with_batch.first()
    if open_one is None:
        return
    mine = Entry.objects.filter(pk=entry.pk, assignment=void, state__in=[State.OPENED, State.WORKING])
    try:
        with transaction.atomic():
            # Returned there, and this one was taken instead; or both are held, and the other is done next.
            elsewhere = Entry.objects.filter(
                assignment=open_one, campaign=entry.campaign_id, state=State.WORKING
            )
            elsewhere.exclude(pk=entry.pk).update(assignment=None, state=State.OPENED, visit=F("visit") + 1)
            mine.update(assignment=open_one, state=State.WORKING)
            Assignment.objects.filter(pk=open_one.pk).update(visit=F("visit") + 1)
    except IntegrityError as error:  # an open batch belongs to one entry
        raise SitsElsewhere(
            _("You have another batch of this study open. Finish that one first, then load this page again.")
        ) from error


def is_void(assignment: Assignment) -> bool:
    """Return True if a batch ended without being submitted, so that its entry may have another."""
    return assignment.state == Assignment.State.LAPSED and assignment.submitted_at is None


def own_open(assessor_id: int) -> QuerySet[Assignment]:
    """Return an assessor's open batch, as a queryset of at most one."""
    return Assignment.objects.filter(assessor=assessor_id, state__in=OPEN)


def home(assessor: Assessor, assignment_id: int | None) -> str:
    """Return the path of the page of an assessor's entry: the one of this batch, otherwise the last."""
    entries = Entry.objects.filter(assessor=assessor).order_by("-pk")
    own = entries.filter(assignment=assignment_id) if assignment_id else entries
    entry = own.first() or entries.first()
    if entry is None:
        raise UnknownPerson(_("This link is not open."))
    return address(entry)


def sent(assignment_id: int) -> None:
    """Note that a batch was submitted here; a repeat changes nothing."""
    entry = Entry.objects.filter(assignment=assignment_id).first()
    if entry is not None:
        finished(entry)


def finished(entry: Entry) -> None:
    """Note that the batch of an entry was submitted here; a repeat changes nothing."""
    now = timezone.now()
    with transaction.atomic():
        working = Entry.objects.filter(pk=entry.pk, state=State.WORKING)
        if not working.update(state=State.DONE, done_at=now):
            return
        Place.objects.filter(entries=entry.pk, state=PlaceState.TAKEN).update(state=PlaceState.SUBMITTED)
        if not marketplace(entry.campaign.panel).confirms:
            Entry.objects.filter(pk=entry.pk).update(state=State.CONFIRMED, submitted_at=now)
            payouts.owe(entry)


def give_back(entry: Entry, state: str = State.RETURNED) -> None:
    """Note that a person returned their place or ran out of time at the panel; a repeat changes nothing.

    Their questions go to others, and the place is free again. The person may come back and continue.
    """
    if entry.assignment_id is not None:
        panel_confirmation.give_up(entry.assignment_id, f"its place was {state} at the panel")
    with transaction.atomic():
        open_now = Entry.objects.filter(pk=entry.pk, state__in=UNLISTED)
        if open_now.update(state=state, place=None):
            taken = Place.objects.filter(
                pk=entry.place_id or 0, state__in=[PlaceState.TAKEN, PlaceState.SUBMITTED]
            )
            taken.update(state=PlaceState.LIVE)
