"""Money: a study's budget, its payments, and postings of all amounts reserved and spent."""

from decimal import Decimal

from django.db import models
from django.db.models import F, Q

from collection.models import Study
from judging.models import Assignment
from panels.models.campaigns import Campaign, Place
from panels.models.entries import Entry


class Budget(models.Model):
    """A study's spending cap in one currency; rehearsals have their own budget.

    committed: the sum of its postings, reservations included; a constraint keeps it within the cap. spent:
    the part of it that was really paid.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="budgets", db_index=False)
    rehearsal = models.BooleanField()
    currency = models.CharField(max_length=3)
    cap = models.DecimalField(max_digits=10, decimal_places=2, default=Decimal(0))
    committed = models.DecimalField(max_digits=10, decimal_places=2, default=Decimal(0))
    spent = models.DecimalField(max_digits=10, decimal_places=2, default=Decimal(0))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "rehearsal", "currency"], name="budget_once"),
            models.CheckConstraint(condition=Q(committed__lte=F("cap")), name="budget_never_passed"),
            models.CheckConstraint(condition=Q(committed__gte=F("spent")), name="budget_spent_is_committed"),
        ]

    @property
    def reserved(self) -> Decimal:
        """The amount reserved and not spent."""
        return self.committed - self.spent

    @property
    def left(self) -> Decimal:
        return self.cap - self.committed


class Payment(models.Model):
    """What is owed to a person for one entry, or for the measured time of one batch: owed once and paid once.

    key: unique for what it pays, so that it is owed once. how: how it was paid, such as "approved" or "by
    hand", or why it waits for review.
    """

    class Kind(models.TextChoices):
        REWARD = "reward", "reward"
        BONUS = "bonus", "bonus"

    class State(models.TextChoices):
        DUE = "due", "owed"
        PAID = "paid", "paid"
        REVIEW = "review", "to be looked at"
        VOID = "void", "taken back"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="payments")
    entry = models.ForeignKey(Entry, models.PROTECT, null=True, blank=True, related_name="payments")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, blank=True, related_name="payments")
    kind = models.CharField(max_length=6, choices=Kind)
    reason = models.CharField(max_length=200, blank=True)
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    fee = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal(0))
    state = models.CharField(max_length=6, choices=State, default=State.DUE)
    key = models.CharField(max_length=100, unique=True)
    how = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], condition=Q(kind="reward"), name="payment_one_reward_an_entry"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_is_positive"),
            models.CheckConstraint(
                condition=Q(entry__isnull=False) | Q(assignment__isnull=False), name="payment_for_somebody"
            ),
            models.CheckConstraint(
                condition=~Q(state="paid") | Q(paid_at__isnull=False), name="payment_paid_at_a_time"
            ),
        ]


class Posting(models.Model):
    """A movement of money: a row of the ledger, only ever added (a trigger enforces it).

    amount: positive if money is reserved or spent, negative if it is released. key: unique for what it is
    for, so that nothing is posted twice.
    """

    class Kind(models.TextChoices):
        RESERVE = "reserve", "set aside"
        RELEASE = "release", "set free"
        REWARD = "reward", "reward"
        FEE = "fee", "fee"
        BONUS = "bonus", "bonus"
        BONUS_FEE = "bonus fee", "fee on a bonus"
        ADJUST = "adjust", "adjustment"

    budget = models.ForeignKey(Budget, models.PROTECT, related_name="postings", db_index=False)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="postings")
    kind = models.CharField(max_length=10, choices=Kind)
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    key = models.CharField(max_length=120, unique=True)
    place = models.ForeignKey(Place, models.PROTECT, null=True, blank=True, related_name="postings")
    payment = models.ForeignKey(Payment, models.PROTECT, null=True, blank=True, related_name="postings")
    note = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)


# Kinds of postings that are money spent, and not only reserved.
SPENDING = (
    Posting.Kind.REWARD,
    Posting.Kind.FEE,
    Posting.Kind.BONUS,
    Posting.Kind.BONUS_FEE,
    Posting.Kind.ADJUST,
)
