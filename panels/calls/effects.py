"""Effects of calls: the database changes after a panel carried out or refused a call.

They run in the transaction that settles the call. Every change is conditional, so a repeat changes nothing.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from panels import money
from panels.base import marketplace
from panels.models import Call, Campaign, PanelExclusion, Payment, Place
from panels.models.calls import UNSETTLED
from panels.money import Kind

PlaceState = Place.State
# Sent in the transaction that stores a call; the handler enqueues the job that makes it. A sweep finds calls
# whose job was lost.
calls_intended = Signal()


def intend(
    campaign: Campaign, op: str, key: str, *, request: Mapping[str, Any] | None = None, **about: Any
) -> Call:
    """Store a call to be made, once for each key, and send `calls_intended`."""
    made = {"op": op, "request": dict(request or {}), "not_before": timezone.now(), **about}
    call, new = Call.objects.get_or_create(campaign=campaign, key=key, defaults=made)
    if new:
        calls_intended.send(sender=Call, campaign_id=campaign.pk)
    return call


def key_of(campaign: Campaign, *parts: object) -> str:
    """Return the unique key of a call or payment of a campaign.

    It contains the environment, the campaign's id and the start of the campaign's token. The token tells this
    installation from others that have used the same account at the panel.
    """
    return ":".join(["v1", campaign.environment, f"{campaign.pk}-{campaign.token[:6]}", *map(str, parts)])


def done(call: Call) -> None:
    """Apply the effects of a call that the panel has carried out."""
    panel = marketplace(call.campaign.panel)
    if call.op in panel.prepares:
        _prepared(call)
        return
    op = panel.means.get(call.op, call.op)
    {
        "publish": _published,
        "approve": _approved,
        "bonus": _approved,
        "exclude": _excluded,
        "readmit": _readmitted,
        "expire": _expired,
        "total": lambda _: None,  # "dispose" follows it, and stores the result
        "dispose": _disposed,
        "withdraw": lambda _: None,  # no row here belongs to the withdrawn offer
    }[op](call)


def refused(call: Call, closes: bool) -> None:
    """Apply the effects of a call that the panel has certainly not carried out and never will."""
    panel = marketplace(call.campaign.panel)
    op = panel.means.get(call.op, call.op)
    if op == "publish" or call.op in panel.prepares:
        _not_published(call)
    if call.payment is not None:
        # A person reviews it: nobody loses pay because of an error message.
        Payment.objects.filter(calls=call.pk, state=Payment.State.DUE).update(
            state=Payment.State.REVIEW, how=call.error[:60]
        )
    if closes or call.op in panel.prepares:
        trouble(call.campaign, call.error)


def trouble(campaign: Campaign, why: str) -> None:
    """Stop publishing in a campaign until somebody has looked, and store the reason."""
    Campaign.objects.filter(pk=campaign.pk).update(troubled=why[:300])


def ask_anew(call: Call) -> None:
    """Store a new call in place of one that was proved not to have happened.

    It has another key, and so another token for the panel.
    """
    about = {"place": call.place, "entry": call.entry, "payment": call.payment, "exclusion": call.exclusion}
    base, _, number = call.key.partition("#")
    if call.place is not None and marketplace(call.campaign.panel).own_places and call.op == "publish":
        Place.objects.filter(calls=call.pk, state=PlaceState.RESERVED).update(attempt=F("attempt") + 1)
    intend(call.campaign, call.op, f"{base}#{int(number or 1) + 1}", request=call.request, **about)


def prepare_next(campaign: Campaign) -> bool:
    """Store the next call that is needed before the first publish; return False if none is left.

    The caller has locked the campaign.
    """
    panel = marketplace(campaign.panel)
    for op in panel.prepares:
        if op not in campaign.refs.get("prepared", []):
            before = campaign.calls.filter(op=op)
            if not before.filter(state__in=UNSETTLED).exists():
                # A refused one is repeated under another key, once its cause is fixed.
                intend(campaign, op, key_of(campaign, op, campaign.epoch, before.count() + 1))
            return True
    return False


def publish_reserved(campaign: Campaign) -> None:
    """Store the calls that publish the reserved places, once all preparing calls are done.

    The caller has locked the campaign.
    """
    panel = marketplace(campaign.panel)
    if prepare_next(campaign):
        return
    reserved = Place.objects.filter(campaign=campaign, state=PlaceState.RESERVED).order_by("number")
    if "publish" not in panel.repeats:
        reserved.update(state=PlaceState.LIVE, published_at=timezone.now())
    elif panel.own_places:
        for place in reserved:
            intend(campaign, "publish", key_of(campaign, place.number, place.attempt), place=place)
    elif reserved.exists():
        total = Place.objects.filter(campaign=campaign).exclude(state=PlaceState.REFUSED).count()
        intend(campaign, "publish", key_of(campaign, "places", total), request={"places": total})


def _prepared(call: Call) -> None:
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=call.campaign_id)
    answer = dict(call.answer or {})
    campaign.outside = str(answer.pop("outside", campaign.outside))
    prepared = [*campaign.refs.get("prepared", []), call.op]
    campaign.refs = {**campaign.refs, **answer, "prepared": prepared}
    campaign.save(update_fields=["outside", "refs"])
    publish_reserved(campaign)


def _published(call: Call) -> None:
    now, answer = timezone.now(), call.answer or {}
    reserved = Place.objects.filter(campaign=call.campaign, state=PlaceState.RESERVED)
    if call.place is not None:
        expires = parse_datetime(str(answer.get("expires_at", "")))
        reserved.filter(calls=call.pk).update(
            state=PlaceState.LIVE, outside=str(answer["outside"]), published_at=now, expires_at=expires
        )
        if call.campaign.state in (Campaign.State.STOPPING, Campaign.State.CLOSED):
            # The call was already running when the campaign was stopped.
            withdraw(Place.objects.get(calls=call.pk))
        return
    numbers = Place.objects.filter(campaign=call.campaign).exclude(state=PlaceState.REFUSED)
    upto = list(numbers.order_by("number").values_list("pk", flat=True))[: int(call.request["places"])]
    reserved.filter(pk__in=upto).update(state=PlaceState.LIVE, published_at=now)


def _not_published(call: Call) -> None:
    places = Place.objects.filter(campaign=call.campaign, state=PlaceState.RESERVED)
    if call.place is not None:
        places = places.filter(calls=call.pk)
    for place in places:
        money.post(call.campaign, money.release(place))
    places.update(state=PlaceState.REFUSED)


def _approved(call: Call) -> None:
    if call.payment is not None:
        paid(call.payment, str((call.answer or {}).get("how", "approved")))


def paid(payment: Payment, how: str) -> bool:
    """Mark a payment as paid and post its money; return False if it already was.

    Also returns False if the panel paid by itself and the cap has no room for it. The payment is then marked
    for review.
    """
    try:
        with transaction.atomic():
            return _paid(payment, how)
    except money.OverCap as error:
        Payment.objects.filter(pk=payment.pk).update(state=Payment.State.REVIEW, how=f"{how}, beyond the cap")
        trouble(payment.campaign, f"The panel has paid beyond the cap. {error}")
        return False


def _paid(payment: Payment, how: str) -> bool:
    now = timezone.now()
    due = Payment.objects.filter(pk=payment.pk).exclude(state=Payment.State.PAID)
    if not due.update(state=Payment.State.PAID, paid_at=now, how=how[:60]):
        return False
    reward = payment.kind == Payment.Kind.REWARD
    kinds = (Kind.REWARD, Kind.FEE) if reward else (Kind.BONUS, Kind.BONUS_FEE)
    entries = [
        money.AccountEntry(kind, amount, f"{kind}:{payment.pk}", payment=payment)
        for kind, amount in zip(kinds, (payment.amount, payment.fee), strict=True)
        if amount
    ]
    place = payment.entry.place if payment.entry is not None and reward else None
    freed = [*money.release_payment(payment), *(money.release(place) if place else [])]
    money.post(payment.campaign, [*freed, *entries])
    if place is not None:
        Place.objects.filter(pk=place.pk).exclude(state=PlaceState.SETTLED).update(state=PlaceState.SETTLED)
    return True


def _excluded(call: Call) -> None:
    State = PanelExclusion.State  # noqa: N806 - the states of the row at hand
    PanelExclusion.objects.filter(calls=call.pk, state=State.DECIDED).update(state=State.EFFECTIVE)


def _readmitted(call: Call) -> None:
    State = PanelExclusion.State  # noqa: N806 - the states of the row at hand
    PanelExclusion.objects.filter(calls=call.pk, state=State.LIFTING).update(state=State.LIFTED)


def withdraw(place: Place) -> None:
    """Store the call that withdraws a place nobody has begun."""
    intend(
        place.campaign, "expire", key_of(place.campaign, place.number, place.attempt, "expire"), place=place
    )


def _expired(call: Call) -> None:
    """Expire places that nobody has taken and release their money; a taken place is not cut short."""
    places = Place.objects.filter(campaign=call.campaign, state=PlaceState.LIVE)
    if call.place is not None:
        places = places.filter(calls=call.pk)
    if (call.answer or {}).get("pending"):
        # Somebody has accepted it who has not arrived here yet, and who may still come and submit it.
        places.update(state=PlaceState.TAKEN)
        return
    for place in list(places):
        if Place.objects.filter(pk=place.pk, state=PlaceState.LIVE).update(state=PlaceState.EXPIRED):
            money.post(call.campaign, money.release(place))


def _disposed(call: Call) -> None:
    Place.objects.filter(calls=call.pk).update(disposed_at=timezone.now(), books=dict(call.request))


def unsettled(campaign: Campaign) -> int:
    """Count the calls of a campaign that are not settled."""
    return Call.objects.filter(campaign=campaign, state__in=UNSETTLED).count()
