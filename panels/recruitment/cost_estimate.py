"""Cost estimate of a campaign, and its hash: arming confirms exactly the terms that were shown."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor

from panels import money
from panels.amounts import CENT, cents_up
from panels.models import Campaign, Place
from panels.payments import payouts
from panels.payments.work_time import Pay, measured
from panels.terms import terms_hash

# Share of batches assumed to fail their challenges, so that their questions are asked again.
FAILING = Decimal("0.10")


@dataclass(frozen=True)
class Estimate:
    """The expected costs of a campaign of `places` places, in its currency.

    needed: how many sittings the study is expected to need in addition to those that it has, None if unknown.
    with_repeats: the same with repeats of failed batches. each: the cost of a place, with the fee. rewards,
    fees: of all places. worst: all places, and the bonuses paid so far. pay: hourly pay by measured time,
    None before five people have finished. assumed: hourly pay by the expected minutes.
    """

    places: int
    needed: int | None
    with_repeats: int | None
    reward: Decimal
    fee: Decimal
    rewards: Decimal
    fees: Decimal
    worst: Decimal
    cap: Decimal
    left: Decimal
    floor: Decimal
    pay: Pay | None
    assumed: Decimal
    hash: str

    @property
    def each(self) -> Decimal:
        return self.reward + self.fee

    @property
    def total(self) -> Decimal:
        return self.rewards + self.fees

    @property
    def underpays(self) -> bool:
        """Whether at least the slowest quarter would earn less than the floor.

        Before enough people are measured, whether `assumed` is below the floor.
        """
        return (self.pay.hourly_of_slow if self.pay else self.assumed) < self.floor

    @property
    def implausible(self) -> bool:
        """Whether people took less than a fifth of the expected time, by their median."""
        return self.pay is not None and self.pay.hourly[1] > 5 * self.assumed

    @property
    def fits(self) -> int:
        """How many places the cap still has room for."""
        return int(self.left // self.each) if self.each else self.places


def with_repeats(needed: int, *, checked: bool = True) -> int:
    """Add repeats to a number of sittings: one in ten fails its challenges and is asked again.

    checked: whether there are challenges; without them none fails.
    """
    return ceil(needed / (1 - FAILING)) if checked else needed


def passing(places: int, *, checked: bool = True) -> int:
    """Of so many sittings, those expected to pass their challenges: the inverse of `with_repeats`."""
    return floor(places * (1 - FAILING)) if checked else places


def estimate(campaign: Campaign, needed: int | None = None, *, checked: bool = True) -> Estimate:
    """Estimate the costs of a campaign.

    needed: how many sittings the study's tasks are expected to need. checked: whether they have challenges.
    """
    budget = money.budget_of(campaign)
    fee = payouts.fee(campaign, campaign.reward, "reward")
    published = Place.objects.filter(campaign=campaign).exclude(state=Place.State.REFUSED).count()
    places = max(campaign.places, published)
    hourly = (campaign.reward * 60 / campaign.minutes).quantize(CENT) if campaign.reward else campaign.hourly
    return Estimate(
        places=places,
        needed=needed,
        with_repeats=None if needed is None else with_repeats(needed, checked=checked),
        reward=campaign.reward,
        fee=fee,
        rewards=campaign.reward * places,
        fees=fee * places,
        worst=cents_up((campaign.reward + fee) * places + money.sums(campaign).bonuses),
        cap=budget.cap,
        left=budget.cap - budget.committed,
        floor=campaign.floor,
        pay=measured(campaign),
        assumed=hourly,
        hash=terms_hash(campaign),
    )
