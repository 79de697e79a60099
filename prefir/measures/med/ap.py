"""MED of average precision: a quadratic 0-1 optimisation, exact for small k and by tabu search beyond."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from ..measure import Inputs, measure
from ..rbo import rank_of
from ..sources import TAN
from .inputs import UNKNOWN, positive, relevance


@measure(
    name="med_map",
    title="MED-MAP",
    inputs=Inputs.RANKINGS,
    source=TAN,
    symmetric=True,
    distance=True,
)
def med_map(
    a: Sequence[Any],
    b: Sequence[Any],
    grades: Mapping[Any, float] | None = None,
    *,
    k: int = 100,
    relevant: int | str | None = None,
    exact: int = 16,
    seed: int = 0,
) -> float:
    """MED of average precision at k: the sum of precisions at relevant ranks down to k, divided by R.

    Relevance is binary. relevant: R. None means k, so that only a ranking of k relevant items has average
    precision 1, and the objective is quadratic as in the paper. A number sets R. "assigned" counts the
    items that the assignment makes relevant and all with a grade above 0, ranked or not, as trec_eval
    does; but then one relevant item is enough, and the measure is 1 as soon as one ranking lacks the
    other's first item.
    Returns a float in [0, 1], above 1 only where `relevant` is a number below k; 0 where nothing can be
    relevant.

    exact: all assignments are tried where at most 2^exact matter, so k up to `exact` is always exact.
    Otherwise tabu search finds a value that some assignment gives, usually the largest: never above the
    true MED but possibly below it, and the triangle inequality may fail by as much. The same seed gives
    the same value everywhere. Each move takes time k: milliseconds in all at k = 100.
    Source: Tan & Clarke 2015; the quotient: Dinkelbach, Management Science 13(7), 1967.
    """
    positive("k", k)
    if relevant is None:
        relevant = k
    elif isinstance(relevant, int):
        positive("relevant", relevant)
    elif relevant != "assigned":
        raise ValueError(f"relevant is {relevant!r}; it must be a number or 'assigned'")
    if not 0 <= exact <= 30:
        raise ValueError(f"exact is {exact}; it must lie between 0 and 30")
    if not 0 <= seed < 2**31:
        raise ValueError(f"seed is {seed}; it must lie between 0 and 2^31 - 1")
    known = relevance(grades, None)
    rank_a, rank_b = ({docno: at for docno, at in rank_of(x).items() if at < k} for x in (a, b))
    options = (known, relevant if isinstance(relevant, int) else 0, exact, seed)
    return max(_favouring(rank_a, rank_b, *options), _favouring(rank_b, rank_a, *options))


def _favouring(
    rank: Mapping[Any, int],
    other: Mapping[Any, int],
    known: Mapping[Any, float],
    fixed: int,
    exact: int,
    seed: int,
) -> float:
    """Largest excess of the first ranking's average precision that was found."""
    from ..kernels.med import choose_for_precision

    items = list(dict.fromkeys([*rank, *other]))
    near, far = (
        np.array([1 / (ranks[docno] + 1) if docno in ranks else 0.0 for docno in items])
        for ranks in (rank, other)
    )
    judged = np.array([known.get(docno, UNKNOWN) for docno in items])
    outside = sum(
        1 for docno, value in known.items() if value > 0 and docno not in rank and docno not in other
    )
    chosen = choose_for_precision(near, far, judged, outside, fixed, exact, seed)
    # Computed afresh from the assignment found, without the search's accumulated rounding.
    size = fixed or outside + int(chosen.sum())
    if not size:
        return 0.0
    return (_precisions(near[chosen > 0]) - _precisions(far[chosen > 0])) / size


def _precisions(reciprocals: np.ndarray[Any, Any]) -> float:
    """Sum of the precision at each relevant rank, from 1 / rank of the relevant items (0: absent)."""
    falling = np.sort(reciprocals)[::-1]
    return fsum(falling * np.arange(1, falling.size + 1))
