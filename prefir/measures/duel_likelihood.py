"""The likelihood of duels with ties: its maximum in the strengths, and how far topics move it.

Strengths are log π. How likely ties are is said by a model of `tie_models`, whose parameter is `log_tie`.
"""

import numpy as np
from numpy.typing import NDArray

from .tie_models import MODELS, TieModel
from .topic_counts import TopicCounts

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]

DAVIDSON = MODELS["davidson"]
STEPS = 100
# Where the largest step of Newton's method, in units of log strength, is below it, it has arrived.
CLOSE = 1e-12
FARTHEST = 2.0


def maximum(
    pairs: Numbers,
    counts: Values,
    sets: Numbers,
    start: tuple[Values, float] | None = None,
    model: TieModel = DAVIDSON,
) -> tuple[Values, float]:
    """Strengths (systems,) of mean 0 in each set, and `log_tie` (-inf without ties), by Newton's method.

    pairs: (pairs, 2), distinct, each within a set; counts: (pairs, 3). There must be a maximum: the
    likelihood is concave. start: strengths and `log_tie` that are near it; strengths are finite.
    """
    tied = bool(counts[:, 2].sum() > 0)
    strengths, log_tie = start or (np.zeros(len(sets)), 0.0)
    strengths = strengths - (np.bincount(sets, strengths)[sets] / np.bincount(sets)[sets])
    log_tie = (log_tie if np.isfinite(log_tie) else 0.0) if tied else -np.inf
    for _ in range(STEPS if len(pairs) else 0):
        chances = np.exp(model.log_chances(_gaps(pairs, strengths), log_tie))
        curve = _curve(pairs, counts, chances, log_tie, sets, model)
        step = np.linalg.solve(curve, _slopes(pairs, counts, chances, log_tie, len(sets), model))
        # The first steps may be too long where a system is far from the others.
        step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        strengths = strengths + step[: len(sets)]
        if tied:
            log_tie = model.moved(log_tie, float(step[-1]))
        if np.abs(step).max() < CLOSE:
            break
    return strengths, log_tie


def derivatives(
    pairs: Numbers,
    counts: Values,
    strengths: Values,
    log_tie: float,
    sets: Numbers,
    model: TieModel = DAVIDSON,
) -> tuple[Values, Values]:
    """Slopes of the log likelihood of each pair's win, loss and tie, (3 pairs, parameters), and the negative
    second derivative of all counts, (parameters, parameters), which also holds the mean of each set.

    Parameters are the strengths and, with ties, the model's own.
    """
    one, other = pairs.T
    tied = log_tie > -np.inf
    chances = np.exp(model.log_chances(_gaps(pairs, strengths), log_tie))
    of_gap, of_tie = model.slopes(chances, log_tie)
    scores = np.zeros((len(pairs), 3, len(sets) + tied))
    rows = np.arange(len(pairs))
    scores[rows, :, one], scores[rows, :, other] = of_gap.T, -of_gap.T
    if tied:
        scores[:, :, -1] = of_tie.T
    return scores.reshape(3 * len(pairs), -1), _curve(pairs, counts, chances, log_tie, sets, model)


def _gaps(pairs: Numbers, strengths: Values) -> Values:
    gaps: Values = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    return gaps


def _slopes(
    pairs: Numbers, counts: Values, chances: Values, log_tie: float, systems: int, model: TieModel
) -> Values:
    """Slopes of the log likelihood of all counts, (parameters,)."""
    of_gap, of_tie = model.slopes(chances, log_tie)
    found = _differences(pairs, (counts.T * of_gap).sum(axis=0), systems)
    return np.append(found, (counts.T * of_tie).sum()) if log_tie > -np.inf else found


def _curve(
    pairs: Numbers, counts: Values, chances: Values, log_tie: float, sets: Numbers, model: TieModel
) -> Values:
    """The negative second derivative of the log likelihood, as of `derivatives`."""
    one, other = pairs.T
    systems, tied = len(sets), log_tie > -np.inf
    of_gap, of_both, of_tie = model.curvature(counts, chances, log_tie)
    curve = np.zeros((systems + tied, systems + tied))
    curve[one, other] = curve[other, one] = -of_gap
    np.fill_diagonal(curve, -curve.sum(axis=0))
    if tied:
        curve[-1, :-1] = curve[:-1, -1] = _differences(pairs, of_both, systems)
        curve[-1, -1] = of_tie.sum()
    # Only differences within a set matter: this holds the means at 0.
    curve[:systems, :systems] += sets[:, None] == sets
    return curve


def _differences(pairs: Numbers, values: Values, systems: int) -> Values:
    """Add up values of pairs for each system, as the first of a pair, less those as the second."""
    found = np.bincount(pairs.T.ravel(), np.concatenate([values, -values]), systems)
    return found.astype(np.float64, copy=False)


def moves(
    pairs: Numbers,
    counts: Values,
    by_topic: TopicCounts,
    strengths: Values,
    log_tie: float,
    sets: Numbers,
    model: TieModel = DAVIDSON,
) -> tuple[Values, Values]:
    """How far each topic moves the strengths, (topics, systems); their covariances by the model.

    counts: (pairs, 3), of all topics. by_topic: (topics, 3 pairs). A topic's part is its slope times the
    inverse of the second derivative. Parts of all topics add up to 0; the sum of their squares is the
    variance with topics as clusters.
    Source: Liang & Zeger, Biometrika 73(1), 1986.
    """
    scores, curve = derivatives(pairs, counts, strengths, log_tie, sets, model)
    inverse = np.linalg.inv(curve)[: len(sets)]
    # What holds the mean of a set is no variance of its strengths.
    held = (sets[:, None] == sets) / np.bincount(sets)[sets] ** 2
    return by_topic.times(scores) @ inverse.T, inverse[:, : len(sets)] - held
