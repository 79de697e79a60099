"""What further topics do to a difference of two runs: its interval, and the chance to tell them apart."""

from dataclasses import dataclass
from math import ceil, sqrt


@dataclass(frozen=True)
class RunDifference:
    """Two runs' difference of means by a measure: `first` less `second`, by id.

    low, high: its interval at `level`. compared: the topics that it is over. judgments_a_topic: the mean of
    the topics that are judged.
    """

    first: int
    second: int
    measure: str
    difference: float
    low: float
    high: float
    level: float
    compared: frozenset[int]
    judgments_a_topic: float

    @property
    def topics(self) -> int:
        """How many topics are compared."""
        return len(self.compared)


def interval_after(now: RunDifference, further: int) -> tuple[float, float]:
    """The interval to expect after further topics, if difference and spread stay as they are."""
    from scipy.special import stdtrit

    topics, tail = now.topics + further, (1 + now.level) / 2
    narrower = float(stdtrit(topics - 1, tail) / stdtrit(now.topics - 1, tail))
    half = (now.high - now.low) / 2 * narrower * sqrt(now.topics / topics)
    return now.difference - half, now.difference + half


def topics_until(now: RunDifference, half: float) -> int:
    """How many topics in all make the interval reach no further than `half` to either side."""
    return ceil(now.topics * ((now.high - now.low) / 2 / half) ** 2 - 1e-9)


def chance_apart(now: RunDifference, further: int) -> float:
    """The chance that a study of so many more topics, with this difference and spread, tells the runs apart.

    The power of the paired t-test, by the noncentral t distribution.
    """
    from scipy.special import nctdtr, stdtrit

    half = (now.high - now.low) / 2
    if not half:
        return 1.0 if now.difference else 0.0
    topics, tail = now.topics + further, (1 + now.level) / 2
    error = half / float(stdtrit(now.topics - 1, tail))
    reach = abs(now.difference) / error * sqrt(topics / now.topics)
    return float(1 - nctdtr(topics - 1, reach, stdtrit(topics - 1, tail)))
