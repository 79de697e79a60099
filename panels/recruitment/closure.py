"""Closure of campaigns: stopping one, what still keeps it open, and closing it; each safe to repeat."""

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from collection import audit_log
from judging.models import OPEN
from panels import money
from panels.base import PANELS, Marketplace
from panels.calls import effects
from panels.calls.effects import key_of
from panels.models import Campaign, Entry, Payment, Place
from panels.models.calls import UNSETTLED
from panels.models.entries import UNLISTED
from panels.payments import payouts
from panels.recruitment.campaigns import CannotCampaign, locked
from panels.terms import terms_hash

State, PlaceState = Campaign.State, Place.State


@transaction.atomic
def stop(campaign_id: int) -> int:
    """Stop a campaign: publish nothing more, and withdraw the places that nobody has begun.

    Returns how many places are withdrawn. People who have begun can finish and are paid. A repeat changes
    nothing.
    """
    campaign = locked(campaign_id)
    if campaign.state in (State.STOPPING, State.CLOSED):
        return 0
    campaign.state = State.STOPPING
    campaign.save(update_fields=["state"])
    own = PANELS[campaign.panel]
    live = list(campaign.slots.filter(state=PlaceState.LIVE))
    audit_log.note(
        campaign.study_id,
        audit_log.What.STOPPED,
        about=f"campaign {campaign.number}",
        after={"withdrawn": len(live)},
    )
    if not isinstance(own, Marketplace):
        return 0
    # Calls that were never sent, or were put off, did not happen. Locked, so that no process sends one now.
    waiting = campaign.calls.filter(op="publish", state="waiting", doubts=0)
    chosen = list(waiting.select_for_update().values_list("pk", flat=True))
    calls = campaign.calls.filter(pk__in=chosen)
    never = campaign.slots.filter(state=PlaceState.RESERVED)
    if own.own_places:
        asked = campaign.calls.filter(op="publish").exclude(pk__in=calls).values("place")
        never = never.exclude(pk__in=asked)
    elif campaign.calls.filter(op="publish", state__in=UNSETTLED).exclude(pk__in=chosen).exists():
        never = never.none()
    for place in list(never):
        money.post(campaign, money.release(place))
        Place.objects.filter(pk=place.pk).update(state=PlaceState.EXPIRED)
    now = timezone.now()
    calls.update(state="refused", settled_at=now, settled_how="the campaign was stopped before it was made")
    if "expire" not in own.repeats:
        for place in live:
            money.post(campaign, money.release(place))
        campaign.slots.filter(state=PlaceState.LIVE).update(state=PlaceState.EXPIRED)
    elif own.own_places:
        # Taken places too: their holder may still submit, and if they return the place, nobody else gets it.
        for place in campaign.slots.filter(state__in=[PlaceState.LIVE, PlaceState.TAKEN]):
            effects.withdraw(place)
    else:
        effects.intend(campaign, "expire", key_of(campaign, "expire"))
    return len(live)


def unfinished(campaign: Campaign) -> list[str]:
    """Return what keeps a campaign from being closed, in sentences; [] if it can be closed."""
    said = []
    if campaign.state not in (State.STOPPING, State.CLOSED):
        said.append("It is not stopped yet.")
    if calls := effects.unsettled(campaign):
        said.append(f"Calls to the panel that are not settled: {calls}.")
    unlisted = Entry.objects.filter(campaign=campaign, state__in=UNLISTED)
    working = unlisted.aggregate(n=Count("pk"), last=Max("deadline"))
    if working["n"]:
        until = f"{working['last']:%d %b %Y, %H:%M} UTC"
        ends = f"Their time ends by itself, that of the last at {until}."
        said.append(f"People who are not finished: {working['n']}. {ends}")
    out = [PlaceState.RESERVED, PlaceState.LIVE, PlaceState.TAKEN]
    if places := campaign.slots.filter(state__in=out).count():
        said.append(f"Places that are still with the panel, or with somebody who has taken them: {places}.")
    if owed := campaign.payments.filter(state__in=[Payment.State.DUE, Payment.State.REVIEW]).count():
        said.append(f"Payments that are not made, or wait to be looked at: {owed}.")
    since = payouts.armed_first(campaign)
    if campaign.hourly and since and not isinstance(PANELS[campaign.panel], Marketplace):
        if judging := payouts.of_invited_people(campaign, since).filter(state__in=OPEN).count():
            said.append(f"Invited people in the middle of a batch: {judging}.")
        if campaign.terms_hash != terms_hash(campaign):
            said.append("The hourly pay was changed, and what is owed waits: arm it anew, or change it back.")
    return said


@transaction.atomic
def close(campaign_id: int) -> Campaign:
    """Close a campaign with nothing outstanding, and release what is still reserved.

    Raises CannotCampaign.
    """
    campaign = locked(campaign_id)
    if campaign.state == State.CLOSED:
        return campaign
    if not isinstance(PANELS[campaign.panel], Marketplace):
        payouts.owe_batches(campaign)  # batches that were closed a moment ago
    if problems := unfinished(campaign):
        raise CannotCampaign(" ".join(problems))
    for place in campaign.slots.exclude(state=PlaceState.SETTLED):
        money.post(campaign, money.release(place))
    campaign.state, campaign.closed_at = State.CLOSED, timezone.now()
    campaign.save(update_fields=["state", "closed_at"])
    sums = money.sums(campaign)
    after = {"spent": f"{sums.spent} {campaign.currency}"}
    audit_log.note(campaign.study_id, audit_log.What.ENDED, about=f"campaign {campaign.number}", after=after)
    return campaign


def going_on(study_id: int) -> list[str]:
    """Return the names of a study's campaigns that were armed and are not closed.

    In these, people may still come, or be owed something.
    """
    running = Campaign.objects.filter(study=study_id).exclude(state__in=[State.DRAFT, State.CLOSED])
    return list(running.order_by("number").values_list("name", flat=True))
