"""Cost estimate of a campaign, and its hash: arming confirms exactly the terms that were read."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from panels import money
from panels.amounts import CENT, cents_up
from panels.models import Campaign, Place
from panels.payments import payouts
from panels.payments.work_time import Pay, measured
from panels.terms import terms_hash

# Share of batches that is taken to fail their challenges and be asked again.
FAILING = Decimal("0.10")


@dataclass(frozen=True)
class Estimate:
    """What a campaign of `places` places will cost, in its currency.

    needed: how many sittings the study is expected to need beyond what it has, None if that is not known;
    with_repeats: with those that fail and are asked again. each: a place, with its fee. rewards, fees: of
    all places. worst: all places, and the bonuses that have been owed. pay: hourly pay by measured time,
    None before five people have finished; assumed: by the minutes that the campaign expects. first: the
    first wave.
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
        """Whether more than the slowest quarter would earn less than the floor."""
        return (self.pay.hourly_of_slow if self.pay else self.assumed) < self.floor

    @property
    def fits(self) -> int:
        """Number of places for which the cap has room."""
        return int(self.left // self.each) if self.each else self.places


def with_repeats(needed: int, *, checked: bool = True) -> int:
    """Sittings with those that fail their challenges and are asked again, one in ten; checked: whether there
    are challenges, without which none fails.
    """
    return ceil(needed / (1 - FAILING)) if checked else needed


def estimate(campaign: Campaign, needed: int | None = None, *, checked: bool = True) -> Estimate:
    """Estimate a campaign. needed: sittings that the study's tasks are expected to ask for; checked: whether
    they hold challenges.
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
