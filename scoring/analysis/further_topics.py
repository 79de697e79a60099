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
    half = (now.high - now.low) / 2 * sqrt(now.topics / (now.topics + further))
    return now.difference - half, now.difference + half


def topics_until(now: RunDifference, half: float) -> int:
    """How many topics in all make the interval reach no further than `half` to either side."""
    return ceil(now.topics * ((now.high - now.low) / 2 / half) ** 2 - 1e-9)


def chance_apart(now: RunDifference, further: int) -> float:
    """The chance that a study of so many more topics, with this difference and spread, tells the runs apart.

    By the normal approximation, as `prefir.measures.compare_runs` says how many topics are needed for four
    times in five.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    half = (now.high - now.low) / 2
    if not half:
        return 1.0 if now.difference else 0.0
    error = half / float(stdtrit(now.topics - 1, (1 + now.level) / 2))
    reach = abs(now.difference) / error * sqrt((now.topics + further) / now.topics)
    return float(ndtr(reach - ndtri((1 + now.level) / 2)))
