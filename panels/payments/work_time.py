"""Work time: measured here and by the panel, and the hourly pay that follows."""

from dataclasses import dataclass
from decimal import Decimal
from statistics import quantiles

from django.db.models import F

from panels.amounts import CENT
from panels.models import Campaign, Entry

# Fewer people say too little.
LEAST = 5


@dataclass(frozen=True)
class Pay:
    """What people earn by the hour. seconds: the 25th, 50th and 75th percentile of the time from the first
    page to sending, as measured here; panels count longer, from accepting on (`outside`, the same of theirs,
    if known). hourly: what the reward is by the hour for each.
    """

    people: int
    seconds: tuple[float, float, float]
    hourly: tuple[Decimal, Decimal, Decimal]
    outside: tuple[float, float, float] | None

    @property
    def hourly_of_slow(self) -> Decimal:
        """Hourly pay of somebody who is slower than three quarters of all."""
        return self.hourly[2]


def measured(campaign: Campaign) -> Pay | None:
    """Pay by the measured time of all who finished in a campaign; None before five have."""
    done = Entry.objects.filter(
        campaign=campaign, state=Entry.State.CONFIRMED, assignment__submitted_at__isnull=False
    )
    taken = done.annotate(taken=F("assignment__submitted_at") - F("arrived_at")).values_list(
        "taken", "seconds"
    )
    rows = list(taken)
    if len(rows) < LEAST or not campaign.reward:
        return None
    seconds = _quarters([one.total_seconds() for one, _ in rows])
    outside = [float(theirs) for _, theirs in rows if theirs]
    hourly = tuple((campaign.reward * 3600 / Decimal(str(max(one, 1.0)))).quantize(CENT) for one in seconds)
    first, middle, last = hourly
    return Pay(
        len(rows), seconds, (first, middle, last), _quarters(outside) if len(outside) >= LEAST else None
    )


def _quarters(values: list[float]) -> tuple[float, float, float]:
    first, middle, last = quantiles(values, n=4, method="inclusive")
    return first, middle, last


def top_up(campaign: Campaign, entry: Entry) -> Decimal:
    """Bonus that raises somebody's pay to the campaign's floor, by the time measured here; 0 if it reaches
    it.
    """
    if entry.assignment is None or entry.assignment.submitted_at is None:
        return Decimal(0)
    hours = Decimal(str((entry.assignment.submitted_at - entry.arrived_at).total_seconds())) / 3600
    return max(Decimal(0), (campaign.floor * hours - campaign.reward)).quantize(CENT)
