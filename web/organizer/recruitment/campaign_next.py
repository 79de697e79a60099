"""What an organizer does next about a campaign."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Q, Sum

from panels.base import PANELS, Marketplace
from panels.models import Budget, Campaign, Payment, Place
from panels.recruitment import campaigns, closure
from web.forecast.needs import has_enough_places
from web.organizer.recruitment.campaign_lists import is_paid_by_hand
from web.shared.phrases import count

State = Campaign.State
STEPS = {
    "terms": "What is offered",
    "estimate": "What it costs",
    "arm": "Arm",
    "publish": "Publish in waves",
    "end": "Stop and close",
}
# Which steps are due by the part where the next step is done.
DUE = {
    "terms": ["terms"],
    "cap": ["terms"],
    "arm": ["estimate", "arm"],
    "publish": ["publish"],
    "end": ["end"],
}
OUT = [Place.State.RESERVED, Place.State.LIVE, Place.State.TAKEN]


class NextStep(NamedTuple):
    """A sentence, and the part of the campaign's page where it is done; "" where there is nothing to do."""

    said: str
    part: str = ""


class Step(NamedTuple):
    """A step of a campaign's page; one that is due stands first, unfolded, the others last.

    Without a number, since the order changes.
    """

    key: str
    title: str
    due: bool


def steps(campaign: Campaign, part: str, *, wrong: Iterable[str]) -> list[Step]:
    """Return the steps, those first where something is to be done.

    part: that of the next step. wrong: names of forms that were refused.
    """
    keys = ["terms", "arm"]
    if isinstance(PANELS[campaign.panel], Marketplace):
        keys = ["terms", "estimate", "arm", "publish"]
    if campaign.state not in (State.DRAFT, State.CLOSED):
        keys.append("end")
    due = {one for name in [part, *wrong] for one in DUE.get(name, [])}
    found = [Step(key, STEPS[key], key in due) for key in keys]
    return sorted(found, key=lambda step: not step.due)


def next_step(campaign: Campaign) -> NextStep:
    """Return what to do next, money that people wait for before all else.

    At most four queries, and those of what the study needs once all published places are taken.
    """
    if campaign.state == State.CLOSED:
        return NextStep("Nothing: it is closed, and its books are kept.")
    if campaign.troubled:
        return NextStep("Publishing has stopped. Mend the cause, then let it go on.", "content")
    if owed := _owed(campaign):
        return owed
    if campaign.state == State.STOPPING:
        if closure.unfinished(campaign):
            return NextStep("It is stopping. It can be closed once nothing is outstanding.", "end")
        return NextStep("Close it: nothing is outstanding.", "end")
    if campaign.state == State.DRAFT:
        return _draft(campaign)
    if not isinstance(PANELS[campaign.panel], Marketplace):
        return NextStep("Nothing: the time of each batch is owed once the batch is closed.")
    return _places(campaign)


def _draft(campaign: Campaign) -> NextStep:
    if not campaign.reward and not campaign.hourly:
        each = "a place" if isinstance(PANELS[campaign.panel], Marketplace) else "an hour"
        return NextStep(f"Say what {each} pays.", "terms")
    kind = {"rehearsal": campaign.is_rehearsal, "currency": campaign.currency}
    if not Budget.objects.filter(study=campaign.study_id, cap__gt=0, **kind).exists():
        return NextStep("Set what the study may spend.", "cap")
    return NextStep("Read what it costs, then arm it.", "arm")


def _owed(campaign: Campaign) -> NextStep | None:
    waiting = campaign.payments.filter(state=Payment.State.REVIEW).count()
    if waiting:
        wait = "waits" if waiting == 1 else "wait"
        return NextStep(f"{count(waiting, 'payment')} {wait} for your decision.", "people")
    if not is_paid_by_hand(campaign):
        return None
    due = campaign.payments.filter(state=Payment.State.DUE).aggregate(n=Count("pk"), sum=Sum("amount"))
    if not due["n"]:
        return None
    them = "it" if due["n"] == 1 else "them"
    owed = f"{due['sum']:.2f} {campaign.currency} for {count(due['n'], 'batch')}"
    return NextStep(f"Pay {owed}, and mark {them} as paid.", "people")


def _places(campaign: Campaign) -> NextStep:
    places = campaign.slots.aggregate(
        all=Count("pk", filter=~Q(state=Place.State.REFUSED)),
        out=Count("pk", filter=Q(state__in=OUT)),
        free=Count("pk", filter=Q(state__in=OUT) & ~Q(state=Place.State.TAKEN)),
    )
    more = campaigns.next_wave(campaign)
    if not places["all"]:
        return NextStep("Publish the first places.", "publish")
    if places["out"] and (places["free"] or not more or has_enough_places(campaign.study)):
        are = "is" if places["out"] == 1 else "are"
        return NextStep(f"Wait: {count(places['out'], 'place')} {are} out.")
    if more:
        return NextStep(f"Publish more: all {count(places['all'], 'published place')} are taken.", "publish")
    return NextStep("All places are done. Stop it, then close it.", "end")
