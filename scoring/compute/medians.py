"""Medians over runs, for participants: no other run's value can be read off them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median

# The median of fewer other runs would give one of them away.
FEWEST_OTHERS = 3


@dataclass(frozen=True)
class Beside:
    """One's own values in [0, 1], None where absent, in the order asked for, and the median of all runs; None
    if fewer than FEWEST_OTHERS other runs have a value.
    """

    own: list[float | None]
    median: float | None


def beside(values: Mapping[int, float | None], own: Collection[int]) -> Beside:
    """The values of one's own runs and the median of all that are there. values: by run id, None if absent.

    Cost grows with the runs, n log n.
    """
    there = {run: value for run, value in values.items() if value is not None}
    others = there.keys() - set(own)
    middle = median(there.values()) if len(others) >= FEWEST_OTHERS else None
    return Beside([there.get(run) for run in own], middle)
