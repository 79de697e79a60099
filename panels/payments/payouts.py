"""Payouts: what is owed for listed work or measured time; owed once and paid once.

Everybody who has finished is paid, for any answers; no function here or in any panel rejects work.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils.dateparse import parse_datetime

from collection import audit_log
from collection.models import Study
from judging.models import Assignment
from panels import money
from panels.amounts import CENT
from panels.base import PANELS, Marketplace, marketplace
from panels.calls import effects
from panels.calls.effects import key_of
from panels.models import Campaign, Entry, Payment
from panels.payments.work_time import seconds_worked
from panels.terms import terms_hash

Kind, State = Payment.Kind, Payment.State
# Why listed work needs a review: it was not finished here, or has no receipt of ours.
UNMATCHED = "listed by the panel, not finished here"


class CannotPay(Exception):
    """The reason why something was not paid, as a sentence for the organizer."""


def cost(campaign: Campaign) -> Decimal:
    """Return the cost of one place: its reward and the panel's fee."""
    return campaign.reward + fee(campaign, campaign.reward, "reward")


def fee(campaign: Campaign, amount: Decimal, kind: str) -> Decimal:
    """Return the panel's fee on an amount; 0 for panels that are no marketplaces."""
    panel = PANELS[campaign.panel]
    return (
        panel.fee(amount, kind, campaign.terms) if isinstance(panel, Marketplace) and amount else Decimal(0)
    )


def owe(entry: Entry, *, review: str = "") -> Payment | None:
    """Owe the reward of an entry and ask the panel to pay it; return None if the campaign pays nothing.

    review: why a person has to look first; "" if not needed. Call in a transaction; a repeat changes nothing.
    """
    campaign = entry.campaign
    if not campaign.reward:
        if not review:
            _approve(entry, None)
        return None
    payment, new = Payment.objects.get_or_create(
        key=key_of(campaign, "reward", entry.pk),
        defaults={
            "campaign": campaign,
            "entry": entry,
            "kind": Kind.REWARD,
            "amount": campaign.reward,
            "fee": fee(campaign, campaign.reward, "reward"),
            "state": State.REVIEW if review else State.DUE,
            "how": review[:60],
        },
    )
    if new:
        _set_aside(payment)
    elif payment.state == State.REVIEW and payment.how == UNMATCHED[:60] and not review:
        # It was finished here after all.
        payment.state, payment.how = State.DUE, ""
        payment.save(update_fields=["state", "how"])
    if payment.state == State.DUE:
        _approve(entry, payment)
    return payment


def _set_aside(payment: Payment) -> None:
    """Reserve the money of a payment unless its place has; if the cap is too low, mark it for review."""
    place = payment.entry.place if payment.entry is not None and payment.kind == Kind.REWARD else None
    if place is not None and money.held(place) >= payment.amount + payment.fee:
        return
    try:
        money.post(payment.campaign, [money.reserve_payment(payment)])
    except money.OverCap:
        payment.state, payment.how = State.REVIEW, "the cap leaves too little"
        payment.save(update_fields=["state", "how"])


def _approve(entry: Entry, payment: Payment | None) -> None:
    if "approve" in marketplace(entry.campaign.panel).repeats:
        key = key_of(entry.campaign, "approve", entry.pk)
        effects.intend(entry.campaign, "approve", key, entry=entry, payment=payment, place=entry.place)


@transaction.atomic
def settle_review(payment_id: int) -> Payment:
    """Pay an amount that an organizer has reviewed, by asking the panel again.

    Raises CannotPay if the cap leaves too little.
    """
    payment = (
        Payment.objects.select_for_update(of=("self",))
        .select_related("campaign", "entry__place")
        .get(pk=payment_id)
    )
    if payment.state != State.REVIEW:
        return payment
    payment.state, payment.how = State.DUE, ""
    payment.save(update_fields=["state", "how"])
    _set_aside(payment)
    if payment.state != State.DUE:
        raise CannotPay("The cap leaves too little for it. Raise the cap first.")
    audit_log.note(
        payment.campaign.study_id,
        audit_log.What.OWED,
        about=f"payment {payment.pk}",
        after={"reviewed": True},
    )
    if payment.entry is not None:
        tries = payment.calls.count()
        op = "approve" if payment.kind == Kind.REWARD else "bonus"
        if op in marketplace(payment.campaign.panel).repeats:
            key = key_of(payment.campaign, op, payment.entry_id, payment.pk, tries)
            about: dict[str, Any] = {"entry": payment.entry, "payment": payment, "place": payment.entry.place}
            effects.intend(payment.campaign, op, key, **about)
    return payment


@transaction.atomic
def owe_bonus(entry: Entry, amount: Decimal, reason: str, *, kind: str) -> Payment:
    """Owe a person a bonus, once for each entry and kind ("top-up"), and ask the panel to pay it.

    Raises CannotPay for work that the panel does not list, and OverCap.
    """
    campaign = entry.campaign
    if entry.state not in (Entry.State.CONFIRMED,):
        raise CannotPay("A bonus can be paid once the panel lists the work as sent.")
    amount = amount.quantize(CENT, rounding=ROUND_HALF_UP)
    payment, new = Payment.objects.get_or_create(
        key=key_of(campaign, "bonus", entry.pk, kind),
        defaults={
            "campaign": campaign,
            "entry": entry,
            "kind": Kind.BONUS,
            "amount": amount,
            "fee": fee(campaign, amount, "bonus"),
            "reason": reason[:200],
        },
    )
    if new:
        money.post(campaign, [money.reserve_payment(payment)])
        after = {"amount": f"{amount} {campaign.currency}", "why": reason[:200]}
        audit_log.note(
            campaign.study_id, audit_log.What.OWED, about=f"assessor {entry.assessor_id}", after=after
        )
        panel = marketplace(campaign.panel)
        if "bonus" in panel.repeats:
            key = key_of(campaign, "bonus", payment.pk)
            effects.intend(campaign, "bonus", key, entry=entry, payment=payment)
    return payment


def owe_batches(campaign: Campaign) -> int:
    """Owe invited people the measured time of each closed batch; return how many are new.

    Only batches that were opened after the campaign was first armed, at the hourly pay that it is armed on.
    If the pay was changed, nothing more is owed until the campaign is armed again, and then all of it.
    """
    since = armed_first(campaign)
    if not campaign.hourly or since is None or campaign.terms_hash != terms_hash(campaign):
        return 0
    closed = Q(state=Assignment.State.KEPT) | Q(state=Assignment.State.DISCARDED)
    found = list(of_invited_people(campaign, since).filter(closed, payments=None))
    seconds = seconds_worked(found)
    return sum(owe_hours(campaign, one, seconds.get(one.pk, 0.0)) is not None for one in found)


def of_invited_people(campaign: Campaign, since: datetime) -> QuerySet[Assignment]:
    """Return the batches of invited people in the campaign's study that were opened since then."""
    invited = [name for name, panel in PANELS.items() if panel.invites_by_name]
    return Assignment.objects.filter(
        assessor__study=campaign.study_id, assessor__panel__in=invited, opened_at__gte=since
    )


def armed_first(campaign: Campaign) -> datetime | None:
    """Return when a campaign was armed for the first time; None if never."""
    return parse_datetime(str(campaign.refs.get("armed first", ""))) or campaign.armed_at


@transaction.atomic
def owe_hours(campaign: Campaign, assignment: Assignment, seconds: float) -> Payment | None:
    """Owe an invited person the measured time of a batch, at the campaign's hourly pay; once for a batch."""
    amount = (campaign.hourly * Decimal(str(round(seconds))) / 3600).quantize(CENT, rounding=ROUND_HALF_UP)
    if not amount:
        return None
    made = {"campaign": campaign, "assignment": assignment, "kind": Kind.REWARD, "amount": amount}
    made["reason"] = f"{round(seconds)} s"
    key = key_of(campaign, "hours", assignment.pk)
    payment, new = Payment.objects.get_or_create(key=key, defaults=made)
    if new:
        _set_aside(payment)
    return payment


@transaction.atomic
def mark_paid(payments: Iterable[int], how: str) -> int:
    """Mark payments as paid that were made by hand, outside of any panel's API; return how many are new."""
    found = (
        Payment.objects.filter(pk__in=list(payments))
        .select_related("campaign", "entry__place")
        .order_by("pk")
    )
    marked = [one for one in found if one.state != State.PAID and effects.paid(one, how)]
    for study_id in sorted({one.campaign.study_id for one in marked}):
        own = [one for one in marked if one.campaign.study_id == study_id]
        total = sum((one.amount for one in own), Decimal(0))
        after = {"payments": len(own), "amount": str(total), "how": how}
        audit_log.note(study_id, audit_log.What.PAID, after=after)
    return len(marked)


# SQL for a column of `roster.everybody`: what is owed for places and for hours, read by indexes.
OWED = """
(SELECT sum(payment.amount) FROM (
    SELECT due.amount FROM panels_entry entry JOIN panels_payment due ON due.entry_id = entry.id
    WHERE entry.assessor_id = everybody.id AND due.state IN ('due', 'review')
    UNION ALL
    SELECT due.amount FROM judging_assignment batch JOIN panels_payment due ON due.assignment_id = batch.id
    WHERE batch.assessor_id = everybody.id AND due.entry_id IS NULL
          AND due.state IN ('due', 'review')) payment)
"""


def owes(study: Study) -> bool:
    """Return True if anybody of a study is owed anything."""
    waiting = Payment.objects.filter(campaign__study=study, state__in=[State.DUE, State.REVIEW])
    return waiting.exists()


def owed_to(study: Study, people: Sequence[int]) -> dict[int, tuple[Decimal, str]]:
    """Return what these assessors of a study are owed, with the currency.

    If somebody is owed in several currencies, only the last is returned. People who are owed nothing are left
    out.
    """
    waiting = Payment.objects.filter(campaign__study=study, state__in=[State.DUE, State.REVIEW])
    owner = Coalesce("entry__assessor", "assignment__assessor")
    rows = waiting.annotate(owner=owner).filter(owner__in=people).values_list("owner", "campaign__currency")
    found = rows.order_by("owner").annotate(sum=Sum("amount"))
    return {owner: (Decimal(amount).quantize(CENT), currency) for owner, currency, amount in found}
