"""A study's money: cap, reserved and spent, in an append-only ledger.

Every posting changes the sums of its budget in the same transaction, under the budget's row lock. A database
constraint keeps the sums within the cap. Amounts are decimals, to the cent.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Sum

from collection import audit_log
from panels.amounts import CENT
from panels.models import Budget, Campaign, Payment, Place, Posting
from panels.models.money import SPENDING

Kind = Posting.Kind


class OverCap(Exception):
    """The cap leaves too little; the message says how much is left, and what to do."""


@dataclass(frozen=True)
class AccountEntry:
    """A posting to make; key: unique for what it is for."""

    kind: str
    amount: Decimal
    key: str
    place: Place | None = None
    payment: Payment | None = None
    note: str = ""


def budget_of(campaign: Campaign) -> Budget:
    """Return the budget that a campaign spends from; create it with a cap of 0 on first use."""
    about: dict[str, Any] = {"rehearsal": campaign.is_rehearsal, "currency": campaign.currency}
    return Budget.objects.get_or_create(study_id=campaign.study_id, **about)[0]


@transaction.atomic
def set_cap(campaign: Campaign, cap: Decimal) -> Budget:
    """Set a study's spending cap in a campaign's currency. Raises OverCap if more is already committed."""
    budget = Budget.objects.select_for_update(no_key=True).get(pk=budget_of(campaign).pk)
    before = budget.cap
    if cap < budget.committed:
        raise OverCap(
            f"{budget.committed} {budget.currency} are set aside or spent already: no cap below that."
        )
    if cap != before:
        budget.cap = cap
        budget.save(update_fields=["cap"])
        after = {"cap": f"{cap} {budget.currency}", "rehearsal": budget.rehearsal}
        audit_log.note(campaign.study_id, audit_log.What.CAP, before={"cap": str(before)}, after=after)
    return budget


def post(campaign: Campaign, entries: list[AccountEntry]) -> int:
    """Add postings, skipping those whose key exists; return how many are new. Call in a transaction.

    Raises OverCap if they would exceed the cap, and then adds none.
    """
    budget = Budget.objects.select_for_update(no_key=True).get(pk=budget_of(campaign).pk)
    known = set(Posting.objects.filter(key__in=[one.key for one in entries]).values_list("key", flat=True))
    new = [one for one in entries if one.key not in known]
    committed = budget.committed + sum((one.amount for one in new), Decimal(0))
    if committed > budget.cap and any(one.amount > 0 for one in new) and committed > budget.committed:
        left = budget.cap - budget.committed
        raise OverCap(
            f"{committed - budget.committed} {budget.currency} more would pass the cap of {budget.cap}: "
            f"{left} are left. Raise the cap, or publish fewer places."
        )
    Posting.objects.bulk_create(
        Posting(
            budget=budget,
            campaign=campaign,
            kind=one.kind,
            amount=one.amount,
            key=one.key,
            place=one.place,
            payment=one.payment,
            note=one.note,
        )
        for one in new
    )
    budget.committed = committed
    budget.spent += sum((one.amount for one in new if one.kind in SPENDING), Decimal(0))
    budget.save(update_fields=["committed", "spent"])
    return len(new)


@transaction.atomic
def post_now(campaign: Campaign, entries: list[AccountEntry]) -> int:
    """Add postings in their own transaction; see `post`."""
    return post(campaign, entries)


def held(place: Place) -> Decimal:
    """Return the amount reserved for a place now."""
    kinds = [Kind.RESERVE, Kind.RELEASE]
    return total(Posting.objects.filter(place=place, kind__in=kinds))


def total(postings: QuerySet[Posting]) -> Decimal:
    """Return the sum of these postings, rounded to the cent because SQLite adds in floating point."""
    return Decimal(postings.aggregate(sum=Sum("amount"))["sum"] or 0).quantize(CENT)


def release(place: Place) -> list[AccountEntry]:
    """Return the posting that releases what is reserved for a place; [] if nothing is."""
    amount = held(place)
    key = f"release:{place.pk}:{place.attempt}"
    return [AccountEntry(Kind.RELEASE, -amount, key, place=place)] if amount else []


def reserve_payment(payment: Payment) -> AccountEntry:
    """Return the posting that reserves the money of a payment for which no place has reserved it."""
    return AccountEntry(
        Kind.RESERVE, payment.amount + payment.fee, f"reserve:payment:{payment.pk}", payment=payment
    )


def release_payment(payment: Payment) -> list[AccountEntry]:
    """Return the posting that releases what `reserve_payment` has reserved; [] if it has not."""
    if not Posting.objects.filter(key=f"reserve:payment:{payment.pk}").exists():
        return []
    amount = payment.amount + payment.fee
    return [AccountEntry(Kind.RELEASE, -amount, f"release:payment:{payment.pk}", payment=payment)]


@dataclass(frozen=True)
class Sums:
    """A campaign's reserved and spent amounts, by kind."""

    reserved: Decimal
    rewards: Decimal
    fees: Decimal
    bonuses: Decimal
    adjusted: Decimal

    @property
    def spent(self) -> Decimal:
        return self.rewards + self.fees + self.bonuses + self.adjusted


def sums(campaign: Campaign) -> Sums:
    """Sum up a campaign's postings by kind."""
    rows = Posting.objects.filter(campaign=campaign).values_list("kind").annotate(sum=Sum("amount"))
    by_kind = {kind: Decimal(added).quantize(CENT) for kind, added in rows}

    def of(*kinds: str) -> Decimal:
        return sum((by_kind.get(kind, Decimal(0)) for kind in kinds), Decimal("0.00"))

    return Sums(
        reserved=of(Kind.RESERVE, Kind.RELEASE),
        rewards=of(Kind.REWARD),
        fees=of(Kind.FEE, Kind.BONUS_FEE),
        bonuses=of(Kind.BONUS),
        adjusted=of(Kind.ADJUST),
    )


def check(budget: Budget) -> list[str]:
    """Check a budget's sums against its postings; return a sentence for each difference."""
    rows = Posting.objects.filter(budget=budget)
    committed, spent = total(rows), total(rows.filter(kind__in=SPENDING))
    said = []
    if committed != budget.committed:
        said.append(f"The budget says {budget.committed} are committed, its postings {committed}.")
    if spent != budget.spent:
        said.append(f"The budget says {budget.spent} are spent, its postings {spent}.")
    return said
