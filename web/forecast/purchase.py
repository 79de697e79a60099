"""What more money, judgments or hours buy: batches, hours, topics, and a narrower interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil

from panels.recruitment.cost_estimate import passing
from scoring.analysis.further_topics import RunDifference, chance_apart, interval_after
from web.forecast.judging_cost import Cost
from web.forecast.topic_work import TopicWork

MONEY, JUDGMENTS, HOURS = "money", "judgments", "hours"
# A chance of four times in five, by which the page of two runs says how many topics are needed.
ENOUGH = 0.8


@dataclass(frozen=True)
class Purchase:
    """Batches that are asked for, and what they bring together with the places that are out already.

    batches: all of them, with those that fail. usable: of these, those that the topics of the study can take.
    out: places that are out. passing: how many batches pass their challenges; judgments: of these. hours,
    price: of all; the price with its currency, "" if it is not known. finished: the topics that come to their
    end. is_all: whether no other is left. beyond: how many topics more it would be enough for, if the study
    had them.
    """

    batches: int
    usable: int
    out: int
    passing: int
    judgments: int
    hours: float
    price: str
    finished: list[TopicWork]
    is_all: bool
    beyond: int

    @property
    def useful(self) -> int:
        """How many of the batches are of use: all, where further topics could be loaded for the rest."""
        return self.batches if self.beyond or not self.is_all else self.usable

    @property
    def begun(self) -> list[TopicWork]:
        """Of the finished topics, those that are open already."""
        return [one for one in self.finished if one.is_open]

    @property
    def to_open(self) -> list[TopicWork]:
        """Of the finished topics, those that have to be opened."""
        return [one for one in self.finished if not one.is_open]

    def further(self, now: RunDifference) -> int:
        """How many topics it adds to those that are compared."""
        return sum(one.topic not in now.compared for one in self.finished) + self.beyond


def batches_for(amount: Decimal, unit: str, cost: Cost) -> int:
    """Return how many batches an amount of money, judgments or hours is enough for."""
    if unit == JUDGMENTS:
        return cost.batches(ceil(amount))
    if unit == HOURS:
        return int(float(amount) / cost.batch_hours + 1e-9)
    return int(amount / cost.price) if cost.price else 0


def purchase(
    batches: int,
    cost: Cost,
    work: Sequence[TopicWork],
    judgments_a_topic: float | None = None,
    *,
    out: int = 0,
) -> Purchase:
    """Say what so many batches bring. judgments_a_topic: of topics beyond those of the study. out: places
    that are out already, whose judgments come first.
    """
    checked = bool(cost.challenges)
    kept = passing(batches, checked=checked)
    left = passing(batches + out, checked=checked) * cost.task.batch_size
    finished = []
    for one in work:
        if one.judgments > left:
            break
        left -= one.judgments
        finished.append(one)
    ended = len(finished) == len(work)
    return Purchase(
        batches=batches,
        usable=min(batches, max(0, cost.batches(sum(one.judgments for one in work)) - out)),
        out=out,
        passing=kept,
        judgments=kept * cost.task.batch_size,
        hours=cost.hours(batches * cost.task.batch_size),
        price=cost.said(batches),
        finished=finished,
        is_all=ended,
        beyond=int(left / judgments_a_topic) if ended and judgments_a_topic else 0,
    )


@dataclass(frozen=True)
class Outcome:
    """A difference of two runs as it is to be expected after a purchase.

    topics: compared then. low, high: its interval. chance: that the runs are told apart.
    """

    topics: int
    low: float
    high: float
    chance: float

    @property
    def is_enough(self) -> bool:
        """Whether the runs are told apart four times in five."""
        return self.chance >= ENOUGH


def outcome(bought: Purchase, now: RunDifference) -> Outcome:
    """Say what a purchase makes of a difference, if it and its spread stay as they are."""
    further = bought.further(now)
    return Outcome(now.topics + further, *interval_after(now, further), chance_apart(now, further))
