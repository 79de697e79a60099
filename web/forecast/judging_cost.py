"""Cost of judgments: hours of assessors, and money."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil

from django.db.models import Q

from collection.models import Study
from judging.models import Task
from judging.questions import expected_time
from judging.questions.asking import task_of
from panels.amounts import cents_up
from panels.models import Campaign
from panels.payments import payouts
from panels.recruitment.cost_estimate import with_repeats
from tournament.plans import plan_of
from web.forecast import overview


@dataclass(frozen=True)
class Cost:
    """The cost of judgments in hours, including challenges and questions asked again, and in money.

    challenges: in each batch. seconds: typical time of an answer. price: of a batch, with the panel's fee, in
    the study's last campaign that pays; None without one. currency: of that campaign, else of the study.
    """

    task: Task
    challenges: int
    seconds: float
    currency: str
    price: Decimal | None = None
    campaign: Campaign | None = None

    @property
    def batch_hours(self) -> float:
        """Hours that a batch takes."""
        return expected_time.hours(self.task, self.task.batch_size, self.seconds, self.challenges)

    def hours(self, judgments: int) -> float:
        """Return the hours of all assessors together."""
        return round(expected_time.hours(self.task, judgments, self.seconds, self.challenges), 2)

    def kept_batches(self, judgments: int) -> int:
        """Return the batches that hold so many judgments, if none fails its challenges."""
        return ceil(judgments / self.task.batch_size)

    def batches(self, judgments: int) -> int:
        """Return the batches that bring so many judgments, with those that fail their challenges."""
        return with_repeats(self.kept_batches(judgments), checked=bool(self.challenges))

    def said(self, batches: int) -> str:
        """Return the price of so many batches, with the currency; "" if it is not known."""
        return "" if self.price is None else f"{batches * self.price:,.2f} {self.currency}"

    def pay(self, judgments: int) -> str:
        """Return what so many judgments cost, with the currency; "" if the price is not known."""
        return self.said(self.batches(judgments))

    def shares(self, judgments: Sequence[int]) -> list[tuple[Decimal, Decimal | None]]:
        """Return each one's share of the hours and the pay of all batches: to the hundredth they add up."""
        batches = self.batches(sum(judgments))
        hours = parted(Decimal(str(round(batches * self.batch_hours, 2))), judgments)
        if self.price is None:
            return [(one, None) for one in hours]
        return list(zip(hours, parted(batches * self.price, judgments), strict=True))


def parted(whole: Decimal, weights: Sequence[int]) -> list[Decimal]:
    """Part an amount by weights, in hundredths: each part is rounded so that they add up to the whole."""
    total, upto, before, parts = sum(weights), 0, Decimal(0), []
    for weight in weights:
        upto += weight
        after = round(whole * upto / total, 2) if total else Decimal(0)
        parts.append(after - before)
        before = after
    return parts


def cost_of(study: Study) -> Cost:
    """Return the cost of judgments of a study."""
    task = task_of(study)
    each = overview.challenges_in_batch(study, task)
    shown = plan_of(study).settings.get("grid_size", 0)
    given = Cost(task, each, expected_time.forecast_seconds(task, study, shown), study.currency)
    paying = Campaign.objects.filter(Q(reward__gt=0) | Q(hourly__gt=0), study=study)
    last = paying.order_by("-number").first()
    if last is None:
        return given
    hours = round(Decimal(given.batch_hours), 6)
    price = payouts.cost(last) if last.reward else cents_up(last.hourly * hours)
    return replace(given, price=price, currency=last.currency, campaign=last)


def cost_by_hour(campaign: Campaign, batches: int) -> tuple[float, Decimal]:
    """Return the hours that so many batches take, and what they cost at a campaign's hourly pay."""
    hours = batches * cost_of(campaign.study).batch_hours
    return hours, cents_up(campaign.hourly * round(Decimal(hours), 6))
