"""Bootstrap intervals of Bradley-Terry strengths: topics are drawn again and again."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .connectedness import connect
from .strengths import Strengths, as_duels, count_by_pair, fit_strengths

Values = NDArray[np.float64]


def bootstrap_strengths(
    duels: ArrayLike, systems: int, *, samples: int = 1000, seed: int = 0, level: float = 0.95
) -> Strengths:
    """Bradley-Terry strengths with percentile intervals over topics that are drawn with replacement.

    duels, systems, level: as of `bradley_terry`, which has the same strengths and finds their intervals by a
    formula. Votes that are not to be drawn together have a topic each. samples: how often topics are drawn,
    at least 1; the same seed draws the same.
    In a sample, the strengths of a set keep the mean that its systems have in all duels. A system that is
    above them by wins alone is at inf there, one that is below at -inf; where nothing can be said, it is at
    -inf for a low end and at inf for a high one. An end is open where that is so in too many samples.
    lows, highs: nan for systems that are not fitted in all duels. gaps: from the difference of two strengths
    to the farther end of its interval; nan between two sets.
    Raises ValueError as `bradley_terry` does, and for samples.
    Sources: Efron, Annals of Statistics 7(1), 1979; Field & Welsh, JRSS B 69(3), 2007 (clusters).
    Time grows with samples x (different results of topics + systems cubed), memory with samples x systems.
    """
    if samples < 1:
        raise ValueError(f"samples {samples} must be at least 1")
    pairs, by_topic = count_by_pair(as_duels(duels, systems, level), systems)
    joined, times = by_topic.joined()
    topics, counts = int(times.sum()), by_topic.sums().reshape(-1, 3)
    connections = connect(pairs, counts, systems)
    found = fit_strengths(pairs, counts, connections, topics)
    rng, drawn = np.random.default_rng(seed), np.full((samples, systems), np.nan)
    for sample in drawn if topics else ():
        weights = rng.multinomial(topics, times / topics)
        some = np.bincount(joined.column, joined.value * weights[joined.topic], joined.columns)
        own = some.astype(np.float64, copy=False).reshape(-1, 3)
        # The same results connect systems in the same way.
        alike = bool(((own > 0) == (counts > 0)).all())
        again = fit_strengths(
            pairs, own, connections if alike else connect(pairs, own, systems), topics, found
        )
        sample[:] = _aligned(again, found)
    fitted = np.isfinite(found.strengths)
    lows, highs = _ends(drawn, level)
    gaps = np.full((systems, systems), np.nan)
    for i in np.flatnonzero(fitted).tolist():
        with np.errstate(invalid="ignore"):  # two that are above the others are not told apart
            low, high = _ends(drawn[:, [i]] - drawn, level)
            gap = found.strengths[i] - found.strengths
            farther = np.maximum(high - gap, gap - low)
        gaps[i] = np.where(found.sets == found.sets[i], farther, np.nan)
    np.fill_diagonal(gaps, np.nan)
    return replace(
        found, lows=np.where(fitted, lows, np.nan), highs=np.where(fitted, highs, np.nan), gaps=gaps
    )


def _aligned(again: Strengths, found: Strengths) -> Values:
    """Strengths of a sample on the scale of all duels: of each set, those that most of its systems share."""
    own = np.full(len(found.sets), np.nan)
    fitted = np.isfinite(found.strengths)
    for label in np.unique(found.sets[fitted]).tolist():
        members = np.flatnonzero(fitted & (found.sets == label))
        labels, sizes = np.unique(again.sets[members], return_counts=True)
        if sizes.max() == 1:  # none is fitted
            own[members] = again.strengths[members]
            continue
        most = members[again.sets[members] == labels[sizes.argmax()]]
        own[members[again.above[np.ix_(members, most)].any(axis=1)]] = np.inf
        own[members[again.above[np.ix_(most, members)].any(axis=0)]] = -np.inf
        shift = (found.strengths[most] - again.strengths[most]).mean()
        own[most] = again.strengths[most] + shift
    return own


def _ends(drawn: Values, level: float) -> tuple[Values, Values]:
    """Percentiles (systems,) of what was drawn, (samples, systems); nan counts for either end."""
    low = np.quantile(np.where(np.isnan(drawn), -np.inf, drawn), (1 - level) / 2, axis=0, method="lower")
    high = np.quantile(np.where(np.isnan(drawn), np.inf, drawn), (1 + level) / 2, axis=0, method="higher")
    return np.asarray(low, np.float64), np.asarray(high, np.float64)
