"""Shares with confidence intervals, and tests for position bias: whether assessors favour one place on the
page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from prefir.extras import require

from .rbo import ABSENT

# Below this many expected at a place, the χ² distribution is no good approximation (Cochran, 1954).
LEAST_EXPECTED = 5


def wilson_interval(some: int, every: int, *, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share, `some` of `every`: (low, high), both within [0, 1].

    (0, 1) where there is nothing: any share is possible. Raises ValueError unless 0 <= some <= every, and
    for a level outside (0, 1). It covers the true share of independent answers about as often as `level`
    says, for few answers and shares near 0 and 1 too.
    Source: Wilson, JASA 22(158), 1927; recommended by Brown, Cai & DasGupta, Statistical Science 16(2), 2001.
    """
    if not 0 <= some <= every:
        raise ValueError(f"{some} of {every} is no share")
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
    if not every:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, square = some / every, z * z
    middle = share + square / (2 * every)
    half = z * sqrt(share * (1 - share) / every + square / (4 * every * every))
    low, high = (middle - half) / (1 + square / every), (middle + half) / (1 + square / every)
    # At the ends rounding must not lead past what was seen.
    return (0.0 if not some else low), (1.0 if some == every else high)


@dataclass(frozen=True, slots=True)
class PlaceBias:
    """χ² of the choices by place against equal shares, its degrees of freedom, and p.

    p_value: `ABSENT` (nan) where nothing was chosen, or where so few were that a place of a grid with choices
    is expected less than 5 times. expected: how often the least expected place of such a grid is.
    """

    chi2: float
    freedom: int
    p_value: float
    expected: float


def place_bias(chosen: Mapping[int, Sequence[int]]) -> PlaceBias:
    """Test whether assessors favour places of a grid: how often each was chosen, by the size of the grid.

    chosen: size -> a count for each of its places. Of each size χ² is taken against equal shares, with
    size - 1 degrees of freedom; those of different sizes are independent and add up. The test assumes that
    the order of the items was drawn at random. Raises ValueError for other than `size` counts, or one below
    0.
    Source: Pearson, Philosophical Magazine 50(302), 1900; least expected counts after Cochran, Biometrics
    10(4), 1954.
    """
    require("scipy")
    from scipy.special import chdtrc

    statistic, freedom, least = 0.0, 0, float("inf")
    for size, counts in chosen.items():
        if len(counts) != size or min(counts, default=0) < 0:
            raise ValueError(f"{list(counts)} are no counts of the {size} places of a grid")
        total = sum(counts)
        if not total or size < 2:
            continue
        expected = total / size
        statistic += sum((count - expected) ** 2 for count in counts) / expected
        freedom += size - 1
        least = min(least, expected)
    if not freedom:
        return PlaceBias(ABSENT, 0, ABSENT, 0.0)
    p_value = float(chdtrc(freedom, statistic)) if least >= LEAST_EXPECTED else ABSENT
    return PlaceBias(statistic, freedom, p_value, least)
