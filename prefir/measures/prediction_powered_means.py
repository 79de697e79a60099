"""Means from two judges: people on some cases, and a cheaper judge, such as a model, on all of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .distributions import student_quantile

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PredictionPoweredMean:
    """A mean of what people say, estimated with the help of another judge.

    mean, low, high: the estimate and its interval. weight: how far the other judge is trusted, 0 not at all,
    1 wholly. half_width, people_alone: half the width of the interval, and of that by people's values alone.
    bias: the other judge's mean less that of people, on the cases that both have judged.
    saved: the share of people's values that the other judge stands for: with 0.5, as many again would have
    been needed without it.
    """

    mean: float
    low: float
    high: float
    weight: float
    half_width: float
    people_alone: float
    bias: float
    saved: float


def prediction_powered_mean(
    people: ArrayLike,
    judge: ArrayLike,
    judge_elsewhere: ArrayLike,
    *,
    weight: float | None = None,
    level: float = 0.95,
) -> PredictionPoweredMean:
    """Estimate the mean that people would give all cases, by those they judged and another judge of all.

    people, judge: (n,), both on the same cases, drawn at random; n at least 3. judge_elsewhere: (m,), on
    other cases of the same kind. Values are of any scale: 1, 1/2 and 0 of a preference, or a measure by
    topic. weight: of the other judge in [0, 1]; None: that which makes the interval narrowest, as estimated.
    However wrong the other judge is, the mean stays right: what it is off by is measured on the n cases.

    mean = people + weight (judge_elsewhere - judge), each a mean. The interval is by Student's t with n - 1
    degrees of freedom, n - 2 where the weight is estimated; level in (0, 1).
    Raises ValueError for other shapes, infinite values, and options out of range.
    Sources: Angelopoulos et al., Science 382, 2023; the weight: Angelopoulos, Duchi & Zrnic, arXiv
    2311.01453, 2023, example 6.1. Time grows with the values.
    """
    own, same, elsewhere = (np.asarray(one, np.float64) for one in (people, judge, judge_elsewhere))
    if own.ndim != 1 or own.shape != same.shape or elsewhere.ndim != 1 or len(own) < 3 or not len(elsewhere):
        raise ValueError(
            f"people {own.shape} and judge {same.shape} must be (n,), n at least 3, judge_elsewhere "
            f"{elsewhere.shape} (m,), m at least 1"
        )
    if not all(np.isfinite(one).all() for one in (own, same, elsewhere)):
        raise ValueError("values must be finite numbers")
    if not 0 < level < 1 or (weight is not None and not 0 <= weight <= 1):
        raise ValueError(f"level {level} must be between 0 and 1, and weight {weight} from 0 to 1")
    n, m = len(own), len(elsewhere)
    trusted = _best_weight(own, same, elsewhere) if weight is None else weight
    mean = own.mean() + trusted * (elsewhere.mean() - same.mean())
    spread = elsewhere.var(ddof=1) if m > 1 else same.var(ddof=1)
    variance = (own - trusted * same).var(ddof=1) / n + trusted**2 * spread / m
    alone = own.var(ddof=1) / n
    freedom = n - 1 - (weight is None)
    half = float(student_quantile(freedom, (1 + level) / 2) * np.sqrt(variance))
    return PredictionPoweredMean(
        float(mean),
        float(mean) - half,
        float(mean) + half,
        trusted,
        half,
        float(student_quantile(n - 1, (1 + level) / 2) * np.sqrt(alone)),
        float(same.mean() - own.mean()),
        float(max(0.0, 1 - variance / alone)) if alone else 0.0,
    )


def _best_weight(people: Values, judge: Values, judge_elsewhere: Values) -> float:
    """Weight of the judge that makes the variance of `prediction_powered_mean` least, within [0, 1]."""
    spread = float(np.concatenate([judge, judge_elsewhere]).var(ddof=1))
    if not spread:
        return 0.0
    together = float(np.cov(people, judge)[0, 1])
    return min(1.0, max(0.0, together / ((1 + len(people) / len(judge_elsewhere)) * spread)))
