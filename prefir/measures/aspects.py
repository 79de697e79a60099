"""Aspects of preferences: how often systems win in one, and how much each weighs in the answer itself."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .duel_likelihood import CLOSE, FARTHEST, STEPS
from .strengths import half_widths

Values = NDArray[np.float64]

# Of a weight, before any answer: the deviation of a normal distribution around 0. So the likelihood has a
# maximum also where one aspect decides every answer.
PRIOR = 2.0


@dataclass(frozen=True, slots=True)
class WinShares:
    """Shares of systems and the ends of their intervals, each (systems,); nan where a system met nobody."""

    shares: Values
    lows: Values
    highs: Values


def win_shares(won: ArrayLike, met: ArrayLike, *, level: float = 0.95) -> WinShares:
    """Share of its duels that each system wins, over all topics, with an interval that takes topics as drawn.

    won, met: (topics, systems), with a tie as half a win. The share is a ratio of sums; its variance that of
    the topics' residuals (Cochran, Sampling Techniques, 1977, 6.4), and no less than that of single duels,
    with two wins and two losses more (Agresti & Coull, The American Statistician 52(2), 1998). nan ends below
    two topics. Raises ValueError for shapes that differ, or more wins than duels.
    """
    wins, times = np.asarray(won, np.float64), np.asarray(met, np.float64)
    if wins.shape != times.shape or wins.ndim != 2 or (wins < 0).any() or (wins > times + 1e-9).any():
        raise ValueError("won and met are (topics, systems), and nobody wins more duels than there were")
    total = times.sum(axis=0)
    shares = np.divide(wins.sum(axis=0), total, out=np.full(len(total), np.nan), where=total > 0)
    moved = np.where(total > 0, (wins - np.nan_to_num(shares) * times) / np.maximum(total, 1e-300), 0.0)
    near = (wins.sum(axis=0) + 2) / (total + 4)
    least = near * (1 - near) / (total + 4)
    half = half_widths(moved, (times > 0).sum(axis=0), level, least=least, is_known=False)
    return WinShares(shares, np.maximum(shares - half, 0.0), np.minimum(shares + half, 1.0))


@dataclass(frozen=True, slots=True)
class AspectWeights:
    """How much each aspect adds to the log odds of the answer, with the ends of its interval: (aspects,).

    nan where an aspect decided no answer; the ends also below two topics. answers: how many there are.
    """

    weights: Values
    lows: Values
    highs: Values
    answers: int

    def chances(self, aspect: int) -> tuple[float, float, float]:
        """Chance that an item is preferred that is better in this aspect alone; the ends of its interval."""
        ends = np.array([self.weights[aspect], self.lows[aspect], self.highs[aspect]])
        said, low, high = 1 / (1 + np.exp(-ends))
        return float(said), float(low), float(high)


def weigh_aspects(
    aspects: ArrayLike, chosen: ArrayLike, topics: ArrayLike, *, level: float = 0.95
) -> AspectWeights:
    """Weights of aspects in the answers about pairs, by penalized logistic regression.

    aspects: (answers, aspects), 1 where the first item is better, -1 the second, 0 neither, or not said.
    chosen (answers,): above 0 where the first was preferred, below 0 the second; a tie, 0, counts as half an
    answer for each. topics (answers,): whole numbers.

    P(first) = 1 / (1 + exp(-(b1 x1 + ... + bm xm))), without a constant, since which item is first says
    nothing. Each b has a normal distribution around 0 with the deviation PRIOR. By Newton's method.
    Intervals by Student's t with a standard error that takes topics as clusters (Liang & Zeger, Biometrika
    73(1), 1986), with Satterthwaite's degrees of freedom, and no narrower than the model's own.
    Raises ValueError for shapes that do not fit or numbers out of their range.
    Time grows with answers x aspects squared.
    """
    design = np.asarray(aspects, np.float64)
    said, topic = np.sign(np.asarray(chosen, np.float64)), np.asarray(topics, np.int64)
    if design.ndim != 2 or not len(design) == len(said) == len(topic):
        raise ValueError("each answer has a row of aspects, what was chosen, and a topic")
    if not np.isin(design, (-1, 0, 1)).all():
        raise ValueError("an aspect is 1, 0 or -1")
    decided = np.flatnonzero((design != 0).any(axis=0))
    weights, lows, highs = np.full((3, design.shape[1]), np.nan)
    if not len(decided):
        return AspectWeights(weights, lows, highs, len(design))
    own = design[:, decided]
    found, inverse, slopes = _maximum(own, (said + 1) / 2)
    places = np.unique(topic, return_inverse=True)[1]
    by_topic = np.zeros((places.max() + 1, len(decided)))
    np.add.at(by_topic, places, slopes)
    there = np.zeros_like(by_topic)
    np.add.at(there, places, own != 0)
    half = half_widths(
        by_topic @ inverse,
        (there > 0).sum(axis=0),
        level,
        least=np.diag(inverse),
    )
    weights[decided], lows[decided], highs[decided] = found, found - half, found + half
    return AspectWeights(weights, lows, highs, len(design))


def _maximum(design: Values, shares: Values) -> tuple[Values, Values, Values]:
    """The weights, the inverse of the negative second derivative there, and each answer's slope."""
    held = np.eye(design.shape[1]) / PRIOR**2
    own = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(design @ own)))
        slopes = design * (shares - chance)[:, None]
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + held
        step = np.linalg.solve(curve, slopes.sum(axis=0) - own / PRIOR**2)
        step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        own = own + step
        if np.abs(step).max() < CLOSE:
            break
    return own, np.asarray(np.linalg.inv(curve), dtype=np.float64), slopes
