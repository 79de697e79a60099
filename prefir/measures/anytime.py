"""Intervals and tests that stay valid however often one looks and whenever one stops.

A test that is repeated after every answer until it succeeds will succeed: p values of a fixed number of
answers do not allow it. Here a bet against each possible value is kept instead. If the value is true, the
bet's worth is 1 on average at every moment, and the chance that it ever reaches 1 / α is at most α (Ville).
An interval holds the values against which no bet has come so far.
"""

from dataclasses import dataclass
from math import exp, inf, lgamma, log, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distributions import find_root

Values = NDArray[np.float64]

# Beta(2, 2): shares of .55 to .7 are told from one half after a tenth to a fifth fewer answers than by
# Beta(1/2, 1/2), and those near 1 after one more.
PRIOR = 2.0
# What a bet on a mean may lose at most by one value.
STAKE = 0.5


@dataclass(frozen=True, slots=True)
class AnytimeShare:
    """How often the first of two is preferred, after some answers and before more.

    share: (wins + ties / 2) / answers, nan without answers. low, high: its interval, (0, 1) at first.
    p: of the test that the share is 1/2, at most 1.
    """

    share: float
    low: float
    high: float
    p: float


def anytime_share(wins: float, losses: float, ties: float = 0, *, level: float = 0.95) -> AnytimeShare:
    """Compute a share of wins with an interval and a test that allow a look after every answer.

    wins, losses, ties: counts of independent answers so far, each at least 0; a tie is half a win. level: in
    (0, 1): the chance that the interval holds the true share at all moments together. It is wider than
    `wilson_interval`, which is right for one look at a number of answers that was set before.
    Raises ValueError for counts below 0 and a level out of range.
    Source: Robbins, Annals of Mathematical Statistics 41(5), 1970 (mixtures). Constant time.
    """
    if not (wins >= 0 and losses >= 0 and ties >= 0):
        raise ValueError(f"counts {wins}, {losses} and {ties} must be at least 0")
    _check_level(level)
    won, lost = wins + ties / 2, losses + ties / 2
    answers = won + lost
    if not answers:
        return AnytimeShare(nan, 0.0, 1.0, 1.0)
    share, goal = won / answers, -log(1 - level)

    def excess(one: float) -> float:
        return _log_share_bet(won, lost, one) - goal

    low = find_root(excess, 0.0, share) if won and excess(0.0) > 0 else 0.0
    high = find_root(excess, share, 1.0) if lost and excess(1.0) > 0 else 1.0
    return AnytimeShare(share, low, high, min(1.0, exp(-_log_share_bet(won, lost, 0.5))))


def _log_share_bet(won: float, lost: float, share: float) -> float:
    """Logarithm of what a bet against a share is worth after these answers; inf if they rule it out.

    The likelihood of the answers over all shares, weighed by `PRIOR`, by their likelihood under this one.
    """
    if (won and not share) or (lost and share == 1):
        return inf
    mixed = _log_beta(PRIOR + won, PRIOR + lost) - _log_beta(PRIOR, PRIOR)
    return mixed - (won * log(share) if won else 0.0) - (lost * log(1 - share) if lost else 0.0)


@dataclass(frozen=True, slots=True)
class AnytimeMean:
    """The mean of bounded values that come one after another.

    mean: nan without values. low, high: its interval. p: of the test that the mean is `null`.
    decided: after how many values that test first fell to 1 - level; None: not yet.
    """

    mean: float
    low: float
    high: float
    p: float
    decided: int | None


def anytime_mean(
    values: ArrayLike,
    *,
    bounds: tuple[float, float] = (-1.0, 1.0),
    null: float = 0.0,
    level: float = 0.95,
) -> AnytimeMean:
    """Compute a mean with an interval and a test that allow a look after every value.

    values: (n,), in the order in which they came, within the bounds: differences of two runs by topic in
    [-1, 1], say. Each comes with the same mean whatever came before. null: the mean that is tested, between
    the bounds. level: in (0, 1), as in `anytime_share`.
    Raises ValueError for other shapes, values beyond the bounds, a null that is not between them, and a level
    out of range.
    Source: Waudby-Smith & Ramdas, JRSS B 86(1), 2024, theorem 3 and equation 26 (the hedged capital).
    Time grows with the values.
    """
    low, high = bounds
    _check_level(level)
    given = np.asarray(values, np.float64)
    if given.ndim != 1 or not ((given >= low) & (given <= high)).all():
        raise ValueError(f"values must be (n,) and lie between {low} and {high}")
    if not low < null < high:
        raise ValueError(f"null {null} must lie between {low} and {high}")
    if not given.size:
        return AnytimeMean(nan, low, high, 1.0, None)
    scaled = (given - low) / (high - low)
    stakes = _stakes(scaled, 1 - level)
    tested = hedged_capital(scaled, stakes, (null - low) / (high - low))
    goal = 1 / (1 - level)
    reached = np.flatnonzero(tested >= goal)
    middle = float(scaled.mean())

    def excess(one: float, sign: int) -> float:
        # Half of the stake is on either side.
        return float(_capital(scaled, stakes, one, sign)[-1]) / 2 - goal

    # Against a value far below the mean the upper bet wins, far above it the lower.
    lowest, highest = 0.0, 1.0
    if middle > 0 and excess(0.0, 1) > 0:
        lowest = find_root(lambda one: excess(one, 1), 0.0, middle)
    if middle < 1 and excess(1.0, -1) > 0:
        highest = find_root(lambda one: excess(one, -1), middle, 1.0)
    return AnytimeMean(
        float(given.mean()),
        low + lowest * (high - low),
        low + highest * (high - low),
        min(1.0, float(1 / tested.max())),
        int(reached[0]) + 1 if reached.size else None,
    )


def hedged_capital(values: Values, stakes: Values, mean: float) -> Values:
    """Worth (n,) of the hedged bet against a mean after each value in [0, 1]: 1 on average if it is true.

    stakes: (n,), each known before its value.
    """
    found: Values = (_capital(values, stakes, mean, 1) + _capital(values, stakes, mean, -1)) / 2
    return found


def _capital(values: Values, stakes: Values, mean: float, sign: int) -> Values:
    """Worth of the bet that the mean is higher (sign 1) or lower (-1)."""
    farthest = mean if sign > 0 else 1 - mean
    own = np.minimum(stakes, STAKE / farthest if farthest else inf)
    with np.errstate(over="ignore"):
        found: Values = np.exp(np.cumsum(np.log1p(sign * own * (values - mean))))
    return found


def _stakes(values: Values, alpha: float) -> Values:
    """How much is staked on each value, by the spread of those before it."""
    number = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (number + 1)
    spread = (0.25 + np.cumsum((values - means) ** 2)) / (number + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    found: Values = np.sqrt(2 * log(2 / alpha) / (before * number * np.log(number + 1)))
    return found


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
