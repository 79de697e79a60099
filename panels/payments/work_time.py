"""Work time as measured here and by the panel, and the resulting hourly pay."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import quantiles

from django.db.models import F

from judging.models import Assignment, Judgment
from judging.questions.reading_time import seconds_in_view
from panels.amounts import CENT
from panels.models import Campaign, Entry

# Figures of fewer people would say too little.
LEAST = 5
# An answer without a time of its own counts at most so many seconds, or twice its batch's longest question.
LONGEST = 120.0


@dataclass(frozen=True)
class Pay:
    """The hourly pay of people in a campaign, as quartiles (25th, 50th and 75th percentile).

    seconds: from their arrival to submitting, as measured here. outside: the same as measured by the panel,
    which is longer because it starts at accepting; None if unknown. hourly: the hourly pay for each of
    `seconds`.
    """

    people: int
    seconds: tuple[float, float, float]
    hourly: tuple[Decimal, Decimal, Decimal]
    outside: tuple[float, float, float] | None

    @property
    def hourly_of_slow(self) -> Decimal:
        """The hourly pay of a person who is slower than three quarters."""
        return self.hourly[2]


def measured(campaign: Campaign) -> Pay | None:
    """Return the hourly pay of all who finished in a campaign; None before five have."""
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


def seconds_worked(batches: Sequence[Assignment]) -> dict[int, float]:
    """Return the seconds that each batch took: those for which its questions were in view.

    A browser without JavaScript tells no time; for its answers the time since the answer before counts.
    """
    found = dict(seconds_in_view(batches))
    untold = Judgment.objects.filter(assignment__in=batches, seconds=None, value__isnull=False)
    untimed = set(untold.values_list("assignment", flat=True))
    for batch in batches:
        if batch.pk not in untimed:
            continue
        last, most = batch.opened_at, max(LONGEST, batch.patience * 60.0)
        for at, seconds, value in batch.judgments.order_by("pk").values_list(
            "created_at", "seconds", "value"
        ):
            if seconds is None and value is not None:
                found[batch.pk] = found.get(batch.pk, 0.0) + min((at - last).total_seconds(), most)
            last = at
    return found


def seconds_taken(batch: Assignment | None) -> float | None:
    """Return the seconds from a person's first page to sending their batch; None until it is sent.

    From the beginning of the batch where nobody arrived from a panel.
    """
    if batch is None or batch.submitted_at is None:
        return None
    entry = getattr(batch, "entry", None)
    return (batch.submitted_at - (entry.arrived_at if entry else batch.opened_at)).total_seconds()


def top_up(campaign: Campaign, entry: Entry) -> Decimal:
    """Return the bonus that raises a person's hourly pay to the campaign's floor, by the time measured here.

    It is 0 if the pay is high enough.
    """
    if entry.assignment is None or entry.assignment.submitted_at is None:
        return Decimal(0)
    hours = Decimal(str((entry.assignment.submitted_at - entry.arrived_at).total_seconds())) / 3600
    return max(Decimal(0), (campaign.floor * hours - campaign.reward)).quantize(CENT)
