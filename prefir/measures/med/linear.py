"""MED of the measures that are sums of weight times relevance: precision, rank-biased precision and nDCG.

An unjudged shared item counts where its weight is larger in the favoured ranking, with the difference of the
weights. So MED has a closed form, computed in one pass over both rankings: time grows with n + m.

Each has a form for many pairs, `..._pairs`. There a and b are either sequences of rankings of docnos, with
`grades` docno -> grade as before; or numpy integer arrays (pairs, ranks) of items numbered from 0, -1 after
a ranking's end, with `grades` a float array (items,), nan for unjudged items. Numbering the items of all
topics together allows an item a grade of its own in each topic. Pair i is a[i] with b[i]; the result is
float64 (pairs,). A million pairs of 20 ranks take about half a second.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..measure import Inputs, measure
from ..rbo import refuse_unordered
from ..sources import TAN
from .inputs import (
    UNKNOWN,
    Codes,
    Values,
    code_rows,
    coded_pair,
    coded_rankings,
    highest,
    positive,
    relevance,
    relevance_array,
)

Rankings = Sequence[Sequence[Any]] | np.ndarray[Any, Any]
Grades = Mapping[Any, float] | ArrayLike


@measure(
    name="med_precision",
    title="MED-precision",
    inputs=Inputs.RANKINGS,
    source=TAN,
    symmetric=True,
    distance=True,
)
def med_precision(
    a: Sequence[Any], b: Sequence[Any], grades: Mapping[Any, float] | None = None, *, k: int = 20
) -> float:
    """MED of precision at k: without known relevance, 1 minus the overlap of two full top-k lists.

    Relevance is binary. Returns a float in [0, 1]: the larger share of k that one ranking has alone.
    """
    return _pair(a, b, grades, None, *_precision(k))


def med_precision_pairs(a: Rankings, b: Rankings, grades: Grades | None = None, *, k: int = 20) -> Values:
    """`med_precision` of each pair."""
    return _pairs(a, b, grades, None, *_precision(k))


@measure(
    name="med_rbp",
    title="MED-RBP",
    inputs=Inputs.RANKINGS,
    source=f"{TAN}, eq. 12, 13",
    symmetric=True,
)
def med_rbp(
    a: Sequence[Any],
    b: Sequence[Any],
    grades: Mapping[Any, float] | None = None,
    *,
    psi: float = 0.9,
    max_grade: float | None = None,
    tail: bool = True,
) -> float:
    """MED of rank-biased precision, (1 - psi) times the sum of relevance_i psi^(i - 1) over all ranks i.

    psi: persistence; the paper has .9, the authors' program .95. Relevance is binary, as in that program;
    with max_grade it is r_j, and MED at most r_max_grade. With `tail` the rankings go on unseen below their
    ends, with different items, all relevant in the favoured one: MED of a ranking of n items with itself
    is then psi^n, and with an empty one 1. Without it the rankings end, and equal ones have 0.
    Returns a float in [0, 1]. Source: Tan & Clarke 2015, equations 12 and 13.
    """
    for ranking in (a, b):
        refuse_unordered(ranking)
    depth = max(len(a), len(b))
    return _pair(a, b, grades, max_grade, *_persistence(psi, max_grade, tail, depth))


def med_rbp_pairs(
    a: Rankings,
    b: Rankings,
    grades: Grades | None = None,
    *,
    psi: float = 0.9,
    max_grade: float | None = None,
    tail: bool = True,
) -> Values:
    """`med_rbp` of each pair."""
    depth = max(_longest(a), _longest(b))
    return _pairs(a, b, grades, max_grade, *_persistence(psi, max_grade, tail, depth))


@measure(
    name="med_ndcg",
    title="MED-nDCG",
    inputs=Inputs.RANKINGS,
    source=f"{TAN}, eq. 14-17",
    symmetric=True,
    distance=True,
)
def med_ndcg(
    a: Sequence[Any],
    b: Sequence[Any],
    grades: Mapping[Any, float] | None = None,
    *,
    k: int = 20,
    max_grade: float = 2,
) -> float:
    """MED of nDCG at k, with r_j as gain, 1 / log2(i + 1) as discount and k items of r_max_grade as ideal.

    The ideal does not depend on what is known, so that the measure stays a sum. An item that one ranking
    has at k and the other below k counts in the first only. (The authors' program treats rank k itself as
    absent in the other ranking, and gives slightly higher values.)
    Returns a float in [0, 1]. Source: Tan & Clarke 2015, equations 14 to 17.
    """
    return _pair(a, b, grades, max_grade, *_discounts(k, max_grade))


def med_ndcg_pairs(
    a: Rankings, b: Rankings, grades: Grades | None = None, *, k: int = 20, max_grade: float = 2
) -> Values:
    """`med_ndcg` of each pair."""
    return _pairs(a, b, grades, max_grade, *_discounts(k, max_grade))


def _precision(k: int) -> tuple[Values, Values]:
    weights = np.full(positive("k", k), 1 / k)
    return weights, np.zeros(k + 1)


def _persistence(psi: float, max_grade: float | None, tail: bool, depth: int) -> tuple[Values, Values]:
    if not 0 < psi < 1:
        raise ValueError(f"psi is {psi}; the persistence must lie between 0 and 1, both excluded")
    highest(max_grade)  # only to refuse one out of its range
    powers = psi ** np.arange(depth + 1, dtype=float)
    return (1 - psi) * powers[:-1], powers if tail else np.zeros(depth + 1)


def _discounts(k: int, max_grade: float) -> tuple[Values, Values]:
    discounts = 1 / np.log2(np.arange(positive("k", k)) + 2.0)
    return discounts / (discounts.sum() * highest(max_grade)), np.zeros(k + 1)


def _pair(
    a: Sequence[Any],
    b: Sequence[Any],
    grades: Mapping[Any, float] | None,
    max_grade: float | None,
    weights: Values,
    tails: Values,
) -> float:
    from ..kernels.med import linear_differences

    first, second, gains, items = coded_pair(a, b, relevance(grades, max_grade))
    rows = first[np.newaxis], second[np.newaxis]
    value = linear_differences(*rows, weights, tails, gains, highest(max_grade), items)[0]
    return min(float(value), 1.0)  # rounding may lift the sum of the weights above 1


def _pairs(
    a: Rankings,
    b: Rankings,
    grades: Grades | None,
    max_grade: float | None,
    weights: Values,
    tails: Values,
) -> Values:
    from ..kernels.med import linear_differences

    if len(a) != len(b):
        raise ValueError(f"{len(a)} rankings cannot be paired with {len(b)}")
    first, second, gains, items = _numbered(a, b, grades, max_grade)
    values: Values = linear_differences(first, second, weights, tails, gains, highest(max_grade), items)
    if np.isnan(values).any():
        pair = int(np.flatnonzero(np.isnan(values))[0])
        raise ValueError(f"in pair {pair} an item is in a ranking more than once")
    return np.minimum(values, 1.0)


def _numbered(
    a: Rankings, b: Rankings, grades: Grades | None, max_grade: float | None
) -> tuple[Codes, Codes, Values, int]:
    numbers = [isinstance(rankings, np.ndarray) and rankings.dtype.kind in "iu" for rankings in (a, b)]
    if not all(numbers):
        if any(numbers) or not (grades is None or isinstance(grades, Mapping)):
            raise ValueError("rankings and grades must be all by docno or all by item number")
        return coded_rankings(list(a), list(b), relevance(grades, max_grade))
    if isinstance(grades, Mapping):
        raise ValueError("rankings and grades must be all by docno or all by item number")
    first, second = code_rows(a), code_rows(b)
    items = 1 + int(max(first.max(initial=-1), second.max(initial=-1)))
    gains = np.empty(0) if grades is None else relevance_array(grades, max_grade)
    if 0 < gains.size < items:
        raise ValueError(f"there are grades of {gains.size} items, but item {items - 1} is in a ranking")
    if items > 4 * (first.size + second.size):
        # Few items with high numbers are renumbered, so that memory grows with the rankings only.
        used, again = np.unique(np.append(first, second), return_inverse=True)
        lowest = int(used[0] < 0)
        codes = (again - lowest).astype(np.int32)
        first, second = codes[: first.size].reshape(first.shape), codes[first.size :].reshape(second.shape)
        gains = gains[used[lowest:]] if gains.size else gains
        items = used.size - lowest
    # The loop is a third faster without a table, so one in which nothing is known is left out.
    return first, second, gains if (gains != UNKNOWN).any() else np.empty(0), items


def _longest(rankings: Rankings) -> int:
    if isinstance(rankings, np.ndarray):
        return int(rankings.shape[1]) if rankings.ndim == 2 else 0
    return max(map(len, rankings), default=0)
