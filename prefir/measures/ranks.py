"""Ranks of runs that tests over topics leave open."""

import numpy as np
from numpy.typing import ArrayLike

from .significance import sensitivity


def rank_ranges(
    values: ArrayLike, *, weights: ArrayLike | None = None, level: float = 0.95
) -> tuple[tuple[int, int] | None, ...]:
    """Ranks between which each run may stand: (best, worst), counted from 1; None below two values.

    A run is significantly better than another if the paired t-test over topics says so after Holm's
    correction for all pairs of runs, over topics enough (`Sensitivity.sure`). Its best rank is 1 and the
    number of runs surely better than it, its worst the number of runs less those it is significantly better
    than. All ranges together hold the true ranks with a probability of at least `level`, as far as the
    differences follow a normal distribution.

    values: (topics, runs), nan where absent. weights: (topics,), above 0, of each topic in the means; None:
    all equal. level: in (0, 1). Runs that are equal within 1e-12 on all their topics are not told apart.
    Raises ValueError as `sensitivity` does.
    Source: Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91(1), 2024, 3.
    Time grows with topics times the square of the runs.
    """
    table = np.asarray(values, dtype=np.float64)
    if not 0 < level < 1:
        raise ValueError(f"level {level} must be between 0 and 1")
    found = sensitivity(table, level=1 - level, weights=weights)
    ranked = (~np.isnan(table)).sum(axis=0) >= 2
    better = found.sure(1 - level) & (found.differences > 0)
    best, worst = 1 + better.sum(axis=0), int(ranked.sum()) - better.sum(axis=1)
    return tuple(
        (int(high), int(low)) if known else None for high, low, known in zip(best, worst, ranked, strict=True)
    )
