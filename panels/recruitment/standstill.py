"""Campaigns that run by their state, though nothing of them reaches the panel."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from collection.models import Study
from panels.base import PANELS, Marketplace
from panels.models import Call, Campaign, Place
from panels.models.calls import UNSETTLED

# Publishing that has not moved for so long is reported.
QUIET = timedelta(minutes=10)
State = Campaign.State


@dataclass(frozen=True)
class Standstill:
    """A campaign that stands still: why, in sentences, and whether the server's settings are the reason."""

    campaign: Campaign
    said: str
    by_settings: bool

    @property
    def remedy(self) -> str:
        """What an organizer can do."""
        return "Stop it, or change the setting" if self.by_settings else "See its calls"

    @property
    def part(self) -> str:
        """The part of the campaign's page where that is done."""
        return "" if self.by_settings else "#calls"


def standstills(study: Study) -> list[Standstill]:
    """Return the study's campaigns that stand still, in their order. At most four queries."""
    running = Campaign.objects.filter(study=study, state__in=[State.RUNNING, State.STOPPING])
    found = []
    quiet = _quiet(study)
    for campaign in running.order_by("number"):
        panel = PANELS[campaign.panel]
        if isinstance(panel, Marketplace) and (why := panel.refusal(campaign)):
            found.append(Standstill(campaign, why, by_settings=True))
        elif campaign.pk in quiet and not campaign.troubled:
            why = f"No call to {panel.title} has gone through for over 10 minutes."
            found.append(Standstill(campaign, why, by_settings=False))
    return found


def _quiet(study: Study) -> set[int]:
    """Return the ids of campaigns that publish places but have had no call settled for `QUIET`."""
    then = timezone.now() - QUIET
    calls = Call.objects.filter(campaign__study=study)
    markets = [panel for panel in PANELS.values() if isinstance(panel, Marketplace)]
    ops = {"publish", *(op for panel in markets for op in panel.prepares)}
    waiting = calls.filter(op__in=ops, state__in=UNSETTLED).order_by().values_list("campaign")
    old = {pk for pk, since in waiting.annotate(since=Min("created_at")) if since < then}
    if not old:
        return old
    settled = calls.filter(campaign__in=old).order_by().values_list("campaign")
    moved = {pk for pk, last in settled.annotate(last=Max("settled_at")) if last and last >= then}
    return old - moved


def without_places(study: Study, still: Collection[int] = ()) -> list[tuple[Campaign, int]]:
    """Return the running campaigns, but for those `still`, that have no place left to take, in their order.

    Each with the number of places that it has published.
    """
    published = Count("slots", filter=~Q(slots__state=Place.State.REFUSED))
    free = Count("slots", filter=Q(slots__state__in=[Place.State.RESERVED, Place.State.LIVE]))
    running = Campaign.objects.filter(study=study, state=State.RUNNING, troubled="").exclude(pk__in=still)
    rows = running.annotate(published=published, free=free).filter(free=0).order_by("number")
    return [(campaign, campaign.published) for campaign in rows]


class PlannedPlaces(NamedTuple):
    """A campaign that can publish places, and how many of those that it planned are left."""

    campaign: Campaign
    left: int


def planned_places(study: Study) -> PlannedPlaces | None:
    """Return a study's first campaign with planned places that a person has yet to publish; None without one.

    A campaign that publishes by itself is left to it.
    """
    published = Count("slots", filter=~Q(slots__state=Place.State.REFUSED))
    ready = {"state__in": [State.ARMED, State.RUNNING], "troubled": "", "topped_up": False}
    rows = Campaign.objects.filter(study=study, **ready).annotate(published=published).order_by("number")
    found = rows.filter(places__gt=F("published")).first()
    return PlannedPlaces(found, found.places - found.published) if found else None


def places_out(study: Study) -> int:
    """Count the study's places that are published or being published, and not finished: batches to come."""
    out = [Place.State.RESERVED, Place.State.LIVE, Place.State.TAKEN]
    return Place.objects.filter(campaign__study=study, state__in=out).count()
