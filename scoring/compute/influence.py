"""Influence: rankings with and without an assessor's judgments, compared."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Effect(NamedTuple):
    """Means and ranks of runs, with all judgments and without some; tau: Kendall's tau-b of the means.

    Means are None, and ranks too, for a run without any score. Runs that tie share the better rank. moved:
    runs whose rank is another. largest: the largest change of a mean.
    """

    before: Sequence[float | None]
    after: Sequence[float | None]
    ranks_before: Sequence[int | None]
    ranks_after: Sequence[int | None]
    tau: float | None
    moved: int
    largest: float

    @property
    def is_lost(self) -> bool:
        """Whether no run would have a score any more."""
        return any(one is not None for one in self.before) and all(one is None for one in self.after)

    @property
    def leads(self) -> tuple[float, float] | None:
        """How far the first run is ahead of the best other one, with all judgments and without some; None if
        that cannot be said.
        """
        if 1 not in self.ranks_before:
            return None
        first = self.ranks_before.index(1)
        ahead = [_ahead(means, first) for means in (self.before, self.after)]
        return None if ahead[0] is None or ahead[1] is None else (ahead[0], ahead[1])


def _ahead(means: Sequence[float | None], first: int) -> float | None:
    own, others = means[first], [one for n, one in enumerate(means) if n != first and one is not None]
    return None if own is None or not others else own - max(others)


def effect(
    before: "NDArray[np.float64]", after: "NDArray[np.float64]", weights: "NDArray[np.float64]"
) -> Effect:
    """Compare scores (topics, runs), nan where absent, averaged over topics by what each weighs (topics,).

    Time grows with their number.
    """
    import numpy as np

    from prefir.measures import kendall_tau_b

    one, two = means_of(before, weights), means_of(after, weights)
    there = ~np.isnan(one) & ~np.isnan(two)
    tau = kendall_tau_b(one[there].tolist(), two[there].tolist()) if there.sum() > 1 else np.nan
    ranks = _ranks(one), _ranks(two)
    return Effect(
        [_told(value) for value in one.tolist()],
        [_told(value) for value in two.tolist()],
        *ranks,
        _told(tau),
        sum(a != b for a, b in zip(*ranks, strict=True)),
        float(np.abs(one - two)[there].max()) if there.any() else 0.0,
    )


def means_of(values: "NDArray[np.float64]", weights: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Mean of each run (runs,) over the topics (topics, runs) that it has a score on, each by what it weighs
    (topics,); nan without any.
    """
    import numpy as np

    there = ~np.isnan(values)
    shares = there * weights[:, None]
    heavy = shares.sum(axis=0)
    sums = (np.where(there, values, 0.0) * shares).sum(axis=0)
    # Rounded, so that an order does not hang on the last bit of a sum.
    return np.round(np.divide(sums, heavy, out=np.full(len(heavy), np.nan), where=heavy > 0), 12)


def first_two(values: "NDArray[np.float64]", weights: "NDArray[np.float64]") -> list[int]:
    """The places of the two runs with the highest means (topics, runs), the first of equal ones first; fewer
    where fewer have a mean.
    """
    import numpy as np

    means = means_of(values, weights)
    order = np.argsort(np.where(np.isnan(means), np.inf, -means), kind="stable")[:2]
    return [int(n) for n in order if not np.isnan(means[n])]


def _ranks(means: "NDArray[np.float64]") -> list[int | None]:
    import numpy as np

    return [None if value != value else 1 + int(np.nansum(means > value)) for value in means.tolist()]


def _told(value: float) -> float | None:
    return None if value != value else float(value)
