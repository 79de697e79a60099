"""Davidson's model of duels with ties: its maximum likelihood, and how far topics move it.

P(first preferred) = π1 / (π1 + π2 + ν sqrt(π1 π2)), P(tie) = ν sqrt(π1 π2) / (the same). Strengths are log π.
Source: Davidson, JASA 65(329), 1970.
"""

import numpy as np
from numpy.typing import NDArray

from .topic_counts import TopicCounts

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]

STEPS = 100
# Where the largest step of Newton's method, in units of log strength, is below it, it has arrived.
CLOSE = 1e-12
FARTHEST = 2.0


def log_chances(gaps: Values, log_tie: float) -> Values:
    """Logarithms of the chances (3, n) of a win, a loss and a tie; gaps: first strength less second."""
    logs = np.stack([gaps / 2, -gaps / 2, np.full_like(gaps, log_tie)])
    found: Values = logs - np.logaddexp.reduce(logs, axis=0)
    return found


def maximum(
    pairs: Numbers, counts: Values, sets: Numbers, start: tuple[Values, float] | None = None
) -> tuple[Values, float]:
    """Strengths (systems,) of mean 0 in each set, and log ν (-inf without ties), by Newton's method.

    pairs: (pairs, 2), distinct, each within a set; counts: (pairs, 3). There must be a maximum: the
    likelihood is concave in strengths and log ν. start: strengths and log ν that are near it; all finite.
    """
    tied = bool(counts[:, 2].sum() > 0)
    strengths, log_tie = start or (np.zeros(len(sets)), 0.0)
    strengths = strengths - (np.bincount(sets, strengths) / np.bincount(sets))[sets]
    log_tie = (log_tie if np.isfinite(log_tie) else 0.0) if tied else -np.inf
    for _ in range(STEPS if len(pairs) else 0):
        chances = np.exp(log_chances(_gaps(pairs, strengths), log_tie))
        curve = _curve(pairs, counts, chances, sets, tied)
        step = np.linalg.solve(curve, _slopes(pairs, counts, chances, len(sets), tied))
        # The first steps may be too long where a system is far from the others.
        step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        strengths = strengths + step[: len(sets)]
        if tied:
            log_tie += step[-1]
        if np.abs(step).max() < CLOSE:
            break
    return strengths, log_tie


def derivatives(
    pairs: Numbers, counts: Values, strengths: Values, log_tie: float, sets: Numbers
) -> tuple[Values, Values]:
    """Slopes of the log likelihood of each pair's win, loss and tie, (3 pairs, parameters), and the negative
    second derivative of all counts, (parameters, parameters), which also holds the mean of each set.

    Parameters are the strengths and, with ties, log ν.
    """
    one, other = pairs.T
    tied = log_tie > -np.inf
    chances = np.exp(log_chances(_gaps(pairs, strengths), log_tie))
    scores = np.zeros((len(pairs), 3, len(sets) + tied))
    slope = (np.array([1.0, -1.0, 0.0]) - (chances[0] - chances[1])[:, None]) / 2
    rows = np.arange(len(pairs))
    scores[rows, :, one], scores[rows, :, other] = slope, -slope
    if tied:
        scores[:, :, -1] = np.array([0.0, 0.0, 1.0]) - chances[2][:, None]
    return scores.reshape(3 * len(pairs), -1), _curve(pairs, counts, chances, sets, tied)


def _gaps(pairs: Numbers, strengths: Values) -> Values:
    gaps: Values = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    return gaps


def _slopes(pairs: Numbers, counts: Values, chances: Values, systems: int, tied: bool) -> Values:
    """Slopes of the log likelihood of all counts, (parameters,)."""
    total = counts.sum(axis=1)
    of_gap = (counts[:, 0] - counts[:, 1] - total * (chances[0] - chances[1])) / 2
    found = np.bincount(pairs.T.ravel(), np.concatenate([of_gap, -of_gap]), systems).astype(np.float64)
    return np.append(found, (counts[:, 2] - total * chances[2]).sum()) if tied else found


def _curve(pairs: Numbers, counts: Values, chances: Values, sets: Numbers, tied: bool) -> Values:
    """The negative second derivative of the log likelihood, as of `derivatives`."""
    one, other = pairs.T
    systems, total, lead = len(sets), counts.sum(axis=1), chances[0] - chances[1]
    # How the chances of a win and a loss vary together.
    spread = total * (chances[0] + chances[1] - lead**2) / 4
    curve = np.zeros((systems + tied, systems + tied))
    curve[one, other] = curve[other, one] = -spread
    np.fill_diagonal(curve, -curve.sum(axis=0))
    if tied:
        both = -total * chances[2] * lead / 2
        curve[-1, :-1] = np.bincount(pairs.T.ravel(), np.concatenate([both, -both]), systems)
        curve[:-1, -1] = curve[-1, :-1]
        curve[-1, -1] = (total * chances[2] * (1 - chances[2])).sum()
    # Only differences within a set matter: this holds the means at 0.
    curve[:systems, :systems] += sets[:, None] == sets
    return curve


def moves(
    pairs: Numbers, counts: Values, by_topic: TopicCounts, strengths: Values, log_tie: float, sets: Numbers
) -> tuple[Values, Values]:
    """How far each topic moves the strengths, (topics, systems); their covariances by the model.

    counts: (pairs, 3), of all topics. by_topic: (topics, 3 pairs). A topic's part is its slope times the
    inverse of the second derivative. Parts of all topics add up to 0; the sum of their squares is the
    variance with topics as clusters.
    Source: Liang & Zeger, Biometrika 73(1), 1986.
    """
    scores, curve = derivatives(pairs, counts, strengths, log_tie, sets)
    inverse = np.linalg.inv(curve)[: len(sets)]
    # What holds the mean of a set is no variance of its strengths.
    held = (sets[:, None] == sets) / np.bincount(sets)[sets] ** 2
    return by_topic.times(scores) @ inverse.T, inverse[:, : len(sets)] - held
