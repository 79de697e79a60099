"""MED of the U-measure, whose discount falls with the characters read instead of with the rank."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import fsum, inf
from typing import Any

from ..measure import Inputs, measure
from ..rbo import rank_of
from ..sources import TAN
from .inputs import highest, relevance


@measure(
    name="med_u",
    title="MED-U",
    inputs=Inputs.LENGTHS,
    high=inf,
    source=TAN,
    symmetric=True,
    distance=True,
)
def med_u(
    a: Sequence[Any],
    b: Sequence[Any],
    lengths: Mapping[Any, float],
    grades: Mapping[Any, float] | None = None,
    *,
    limit: float = 132_000,
    max_grade: float = 2,
) -> float:
    """MED of the U-measure: the sum of r_j times max(0, 1 - offset / limit) over the items of a ranking.

    lengths: docno -> characters of the item that the user reads, at least 0: its whole text, or a snippet.
    The user reads down the ranking, relevant or not; an item's offset is where its text ends, the sum of
    the lengths down to it. limit: L, after which nothing counts. Nothing is normalised (the measure's N
    is 1), so the result is a float of at least 0, at most r_max_grade times the number of items that end
    before the limit; 0 for equal rankings. An item's length does not depend on its relevance: the variant
    in which a user goes on from a relevant item's snippet to its text is not covered.
    Raises ValueError where an item has no length or one that is below 0 or not a number.
    Time grows with n + m.
    Source: Tan & Clarke 2015; U-measure: Sakai & Dou, SIGIR 2013.
    """
    if not limit > 0:
        raise ValueError(f"limit is {limit}; it must be above 0")
    known = relevance(grades, max_grade)
    weight_a, weight_b = (_weights(ranking, lengths, limit) for ranking in (a, b))
    judged = _judged(weight_a, known) - _judged(weight_b, known)
    high = highest(max_grade)
    return max(
        high * _free(weight_a, weight_b, known) + judged, high * _free(weight_b, weight_a, known) - judged
    )


def _weights(ranking: Sequence[Any], lengths: Mapping[Any, float], limit: float) -> dict[Any, float]:
    rank_of(ranking)  # only to refuse repeated docnos
    odd = next((docno for docno in ranking if not lengths.get(docno, -1) >= 0), None)
    if odd is not None:
        raise ValueError(f"the length of {odd!r} is {lengths.get(odd)}; it must be a number of at least 0")
    offsets = accumulate(lengths[docno] for docno in ranking)
    return {docno: max(0.0, 1 - offset / limit) for docno, offset in zip(ranking, offsets, strict=True)}


def _judged(weights: Mapping[Any, float], known: Mapping[Any, float]) -> float:
    return fsum(weight * known[docno] for docno, weight in weights.items() if docno in known)


def _free(weights: Mapping[Any, float], other: Mapping[Any, float], known: Mapping[Any, float]) -> float:
    return fsum(
        max(0.0, weight - other.get(docno, 0.0)) for docno, weight in weights.items() if docno not in known
    )
