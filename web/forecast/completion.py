"""What finishing a study costs, and whether its cap allows it, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from collection.models import Study
from panels.amounts import cents_up
from panels.models import Budget, Campaign
from panels.payments.work_time import measured
from panels.recruitment.standstill import places_out
from web.forecast.judging_cost import Cost, cost_of
from web.forecast.needs import needed
from web.forecast.overview import stock
from web.shared.phrases import count, duration, the


@dataclass(frozen=True)
class Completion:
    """What finishing a study takes beyond the places that are out.

    batches: with those that fail, as on *Progress*. out: places that are out already. over: whether judging
    has ended. bare: whether nothing that can be compared is loaded.
    """

    cost: Cost
    batches: int
    out: int
    over: bool
    bare: bool

    @property
    def price(self) -> Decimal | None:
        """What the batches cost; None if no campaign has a price."""
        return None if self.cost.price is None else self.batches * self.cost.price

    @property
    def hours(self) -> float:
        """Hours that the batches take."""
        return self.batches * self.cost.batch_hours

    @property
    def usual_price(self) -> Decimal:
        """What a batch costs at the usual pay, without a panel's fees."""
        return usual_price(self.cost)

    @property
    def a_question(self) -> Decimal:
        """What a question costs, with the challenges and the repeats of its batch."""
        return (self.cost.price or self.usual_price) / self.cost.task.batch_size

    def still(self, budget: Budget) -> Decimal:
        """How much of the price a budget would have to pay: all, or nothing if another one pays."""
        campaign = self.cost.campaign
        kind = (budget.rehearsal, budget.currency)
        if campaign is None or (campaign.is_rehearsal, campaign.currency) != kind:
            return Decimal(0)
        return self.price or Decimal(0)

    def asked(self, budgets: Sequence[Budget]) -> Budget | None:
        """Return the budget that would have to pay; None if nothing is to be paid."""
        return next((one for one in budgets if self.still(one)), None)


def usual_pay() -> Decimal:
    """Return the pay of an hour with which campaigns begin."""
    return Campaign._meta.get_field("floor").get_default()


def usual_price(cost: Cost) -> Decimal:
    """Return what a batch costs at the pay of an hour with which campaigns begin, without a panel's fees."""
    return cents_up(usual_pay() * round(Decimal(cost.batch_hours), 6))


def completion_of(study: Study) -> Completion:
    """Return what finishing a study takes. Cost grows with its topics."""
    over = bool(study.opened_at and not study.judging_is_open and not study.paused)
    out, found, cost = places_out(study), needed(study), cost_of(study)
    return Completion(
        cost=cost,
        batches=0 if over else found.places(out),
        out=out,
        over=over,
        bare=not study.opened_at and not stock(study).to_open,
    )


def headline(found: Completion, budgets: Sequence[Budget]) -> str:
    """Say in one sentence what finishing costs, and whether the cap allows it."""
    if found.over:
        return "Judging is over, so nothing more is bought."
    if found.bare:
        return "What finishing costs is not known yet: nothing that can be compared is loaded."
    if not found.batches:
        if not found.out:
            return "All that is planned is judged: finishing costs nothing more."
        are = "is" if found.out == 1 else "are"
        return f"{the(found.out, 'place').capitalize()} already out {are} enough to finish."
    unit = found.cost.currency
    if found.price is None:
        return f"Finishing takes about {duration(found.hours)} of judging, and no price is set yet."
    budget = found.asked(budgets)
    more = " more" if budget and budget.committed else ""
    finishing = "Finishing this rehearsal" if budget and budget.rehearsal else "Finishing"
    return f"{finishing} costs about {found.price:,.2f} {unit}{more}{_allowed(found.price, budget)}."


def _allowed(price: Decimal, budget: Budget | None) -> str:
    if budget is None or not budget.cap:
        return ", and no cap is set yet"
    if price <= budget.left:
        return ", and the cap allows it"
    return f": {price - budget.left:,.2f} beyond the cap"


def room(found: Completion, budgets: Sequence[Budget]) -> str:
    """Say what the cap would leave, or how much still fits; "" without anything to pay, or without a cap."""
    budget = found.asked(budgets)
    if budget is None or not budget.cap or not found.cost.price:
        return ""
    left, cap = budget.left - found.still(budget), f"The cap of {budget.cap:,.2f} {budget.currency}"
    if left >= 0:
        return f"{cap} would leave {left:,.2f}."
    fits = int(budget.left // found.cost.price)
    still = f"{count(fits, 'batch')} still {'fits' if fits == 1 else 'fit'}" if fits else "no batch fits"
    return f"{cap} leaves {budget.left:,.2f}: {still}."


def reckoning(found: Completion) -> str:
    """Say how the price of finishing is reckoned: batches, and what a question costs."""
    cost = found.cost
    if found.bare or (not found.batches and cost.price is None):
        return ""
    beyond = f" beyond {the(found.out, 'place')} already out" if found.out else ""
    time = duration(found.hours) + (" with those that fail" if cost.challenges else " of judging")
    takes = f"That is about {count(found.batches, 'batch')}{beyond}, {time}" if found.batches else ""
    a_question = f"{found.a_question:,.2f}" if found.a_question >= 1 else f"{found.a_question:.2g}"
    if cost.price is None or cost.campaign is None:
        return (
            f"{takes}: {found.batches * found.usual_price:,.2f} {cost.currency} at {usual_pay()} an hour, "
            f"with which campaigns begin, or {a_question} a question, without a panel's fees."
        )
    checks = f" and {count(cost.challenges, 'challenge')}" if cost.challenges else ""
    takes = takes and f"{takes}. "
    return (
        f"{takes}A question costs {a_question} {cost.currency}: {cost.price:,.2f} for a batch of "
        f"{count(cost.task.batch_size, 'question')}{checks}, fees included, as in {cost.campaign.name}. "
        f"{_earned(cost, cost.campaign)}"
    )


def _earned(cost: Cost, campaign: Campaign) -> str:
    """Say what people earn in an hour: as measured, else as their answers are expected to take."""
    if not campaign.reward:
        return f"People are paid {campaign.hourly:,.2f} {cost.currency} an hour."
    # Simulated people answer at once.
    if not campaign.is_rehearsal and (pay := measured(campaign)):
        people, middle = f"{pay.people} people who finished", f"{pay.hourly[1]:,.2f} {cost.currency}"
        return f"Half of the {people} earned {middle} an hour or more."
    hourly = campaign.reward / Decimal(cost.batch_hours)
    return f"At the expected pace people earn {hourly:,.2f} {cost.currency} an hour."
