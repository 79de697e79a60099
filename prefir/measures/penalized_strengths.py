"""Bradley-Terry strengths under a penalty, finite also for a system that won or lost all its duels."""

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .connectedness import Fit, connect
from .duel_likelihood import CLOSE, DAVIDSON, FARTHEST, derivatives
from .strengths import (
    Strengths,
    as_duels,
    count_by_pair,
    count_records,
    gap_half_widths,
    half_widths,
    meetings,
)

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Penalty = Literal["ridge", "firth"]
# Of strengths, log ν and the inverse of the information: the slope of the penalty, and what it adds to the
# diagonal of the negative second derivative.
Pull = Callable[[Values, float, Values], tuple[Values, Values]]

STEPS = 1000


def penalized_bradley_terry(
    duels: ArrayLike, systems: int, *, penalty: Penalty, weight: float = 1.0, level: float = 0.95
) -> Strengths:
    """Bradley-Terry strengths with ties by penalized maximum likelihood, with intervals over topics.

    duels, systems, level: as of `bradley_terry`. penalty "ridge" takes weight/2 times the sum of squared
    strengths from the log likelihood, so that strengths are drawn to the mean of those that met each other;
    weight is above 0. penalty "firth" adds half the logarithm of the determinant of the information, and
    takes no weight: of two systems the chance that one wins is (wins + 1/2) / (duels + 1).

    Each system that met another has a finite strength and the status FITTED; `sets` are the groups, and
    `above` says nothing. Intervals are those of `bradley_terry`, and no narrower than the model's own. Where
    nothing bounds ν, because all duels are ties for instance, no strength is fitted.
    Raises ValueError as `bradley_terry` does, for an unknown penalty and for a weight that is not above 0.
    Sources: Firth, Biometrika 80(1), 1993; Hoerl & Kennard, Technometrics 12(1), 1970.
    Time grows with pairs x systems squared.
    """
    if penalty not in get_args(Penalty):
        raise ValueError(f"the penalty is {penalty!r}; penalties are {', '.join(get_args(Penalty))}")
    if not 0 < weight < np.inf:
        raise ValueError(f"weight {weight} must be above 0")
    table = as_duels(duels, systems, level)
    pairs, by_topic = count_by_pair(table, systems)
    total = by_topic.sums().reshape(-1, 3)
    found = connect(pairs, total, systems)
    met = (found.groups >= 0) & found.bounded
    strengths, lows, highs = np.full((3, systems), np.nan)
    gaps = np.full((systems, systems), np.nan)
    log_tie = -np.inf
    if met.any():
        among, sets = (np.cumsum(met) - 1)[pairs], found.groups[met]
        pull = _ridge(weight) if penalty == "ridge" else _firth(among, total)
        own, log_tie, scores, inverse = _maximum(among, total, sets, pull)
        # What holds the mean of a set is no variance of its strengths.
        sizes = np.bincount(sets)[sets]
        held = (sets[:, None] == sets) / (sizes * (sizes + (weight if penalty == "ridge" else 0.0)))
        least: Values = inverse[:, : len(sets)] - held
        joined, times = by_topic.joined()
        moved = joined.times(scores) @ inverse.T
        there = meetings(among, joined, len(sets))
        tied = int(log_tie > -np.inf)
        half = half_widths(moved, times @ there, level, times, others=tied, least=np.diag(least))
        gaps[np.ix_(met, met)] = gap_half_widths(moved, there, sets, level, times, others=tied, least=least)
        strengths[met], lows[met], highs[met] = own, own - half, own + half
    return Strengths(
        strengths,
        lows,
        highs,
        gaps,
        tie=float(np.exp(log_tie)) if found.bounded else np.inf,
        duels=float(total.sum()),
        statuses=tuple(
            Fit.MET_NOBODY if group < 0 else Fit.FITTED if found.bounded else Fit.TIED
            for group in found.groups.tolist()
        ),
        groups=found.groups,
        sets=np.where(met, found.groups, systems + np.arange(systems)),
        above=np.zeros((systems, systems), np.bool_),
        records=count_records(pairs, total, systems),
        topics=int(np.count_nonzero(np.bincount(by_topic.topic))),
    )


def _maximum(
    pairs: Numbers, counts: Values, sets: Numbers, pull: Pull
) -> tuple[Values, float, Values, Values]:
    """Strengths, log ν (-inf without ties), slopes of each pair's results as of `derivatives`, and the
    inverse of the second derivative, (systems, parameters). By Newton's method on the unpenalized curve.
    """
    systems = len(sets)
    own, log_tie = np.zeros(systems), 0.0 if counts[:, 2].any() else -np.inf
    for _ in range(STEPS):
        scores, curve = derivatives(pairs, counts, own, log_tie, sets)
        slope, more = pull(own, log_tie, _inverse(curve))
        curve += np.diag(more)
        step = np.linalg.solve(curve, counts.ravel() @ scores + slope)
        # The first steps may be too long where a system is far from the others.
        step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        own = own + step[:systems]
        if log_tie > -np.inf:
            log_tie += step[-1]
        if np.abs(step).max() < CLOSE:
            break
    return own, log_tie, scores, _inverse(curve)[:systems]


def _inverse(matrix: Values) -> Values:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _ridge(weight: float) -> Pull:
    def pull(strengths: Values, log_tie: float, inverse: Values) -> tuple[Values, Values]:
        slope, more = np.zeros((2, len(inverse)))
        slope[: len(strengths)], more[: len(strengths)] = -weight * strengths, weight
        return slope, more

    return pull


def _firth(pairs: Numbers, counts: Values) -> Pull:
    """Half the slope of the information's log determinant: of each pair, the third moments of its results
    times how the estimates of its gap and of log ν vary.
    """
    one, other = pairs.T
    total = counts.sum(axis=1)
    # What a win, a loss and a tie add to the gap's and to log ν's part of the log likelihood.
    results = np.array([[0.5, 0.0], [-0.5, 0.0], [0.0, 1.0]])

    def pull(strengths: Values, log_tie: float, inverse: Values) -> tuple[Values, Values]:
        chances = np.exp(DAVIDSON.log_chances(strengths[one] - strengths[other], log_tie)).T
        apart = results - (chances @ results)[:, None]
        moments = np.einsum("no,noa,nob,noc->nabc", chances, apart, apart, apart)
        vary = np.zeros((len(pairs), 2, 2))
        vary[:, 0, 0] = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
        if log_tie > -np.inf:
            vary[:, 0, 1] = vary[:, 1, 0] = inverse[one, -1] - inverse[other, -1]
            vary[:, 1, 1] = inverse[-1, -1]
        found = total[:, None] * np.einsum("nab,nabc->nc", vary, moments) / 2
        slope = np.zeros(len(inverse))
        np.add.at(slope, one, found[:, 0])
        np.add.at(slope, other, -found[:, 0])
        if log_tie > -np.inf:
            slope[-1] = found[:, 1].sum()
        return slope, np.zeros(len(inverse))

    return pull
