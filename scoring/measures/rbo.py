"""Rank-biased overlap (RBO) of two rankings, and the parts of it that the other measures share."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import fsum

ABSENT = float("nan")
"""What a measure gives where there is nothing to measure against. A topic without judgments has no
score: it is left out of means and shown as absent, never as 0. Ask for it with `math.isnan`."""


def rbo(
    run: Sequence[str], ideal: Sequence[str], *, p: float = 0.95, depth: int = 1000, normalize: bool = True
) -> float:
    """Rank-biased overlap of two rankings, summed over depths 1 to `depth`.

    run (n,), ideal (m,): distinct docnos, best first; n and m may be 0, which gives 0.
    Returns a float in [0, 1]: divided by the sum of the weights (`normalize`, as the authors' programs
    do), or else truncated: times 1 - p, as the formula is usually printed. Equal lists that are shorter
    than `depth` score below 1; `compatibility` divides by that ceiling. Symmetric in its two rankings.
    Raises ValueError where p is outside (0, 1), depth is below 1, or a docno repeats.
    Source: Webber, Moffat & Zobel, TOIS 28(4), 2010. Time grows with n + m.
    """
    return rbo_many(run, ideal, (p,), depth=depth, normalize=normalize)[0]


def rbo_many(
    run: Sequence[str],
    ideal: Sequence[str],
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
) -> tuple[float, ...]:
    """`rbo` for each persistence in `ps`, in that order; the overlap is found only once."""
    rank_of(ideal)  # only to refuse repeated docnos
    return weigh(shared_depths(rank_of(run), ideal), ps, depth=depth, normalize=normalize)


def rank_of(ranking: Sequence[str]) -> dict[str, int]:
    """The rank of each docno, counted from 0. Raises ValueError where one is there twice."""
    rank = dict(zip(ranking, range(len(ranking)), strict=True))
    if len(rank) < len(ranking):
        twice = next(docno for place, docno in enumerate(ranking) if rank[docno] != place)
        raise ValueError(f"{twice!r} is in a ranking more than once; a ranking names each item once")
    return rank


def shared_depths(rank: Mapping[str, int], ideal: Sequence[str]) -> list[int]:
    """For each item of both rankings, the depth from which on it is in the overlap, counted from 1.

    rank: docno -> rank in the run, from 0. A shared item joins at the deeper of its two ranks.
    """
    return [
        1 + (place if place > rank[docno] else rank[docno])
        for place, docno in enumerate(ideal)
        if docno in rank
    ]


def weigh(depths: Sequence[int], ps: Sequence[float], *, depth: int, normalize: bool) -> tuple[float, ...]:
    """RBO for each p of `ps`, from the depths at which the shared items join the overlap."""
    values = []
    for p in ps:
        worth = _worth(p, depth, normalize)
        values.append(_total([worth[joined] for joined in depths if joined <= depth]))
    return tuple(values)


def ceiling(length: int, p: float, *, depth: int, normalize: bool) -> float:
    """RBO of a ranking of `length` items with itself: below 1 where it is shorter than `depth`."""
    return _total(_worth(p, depth, normalize)[1 : length + 1])


def _total(terms: Sequence[float]) -> float:
    # An exact sum does not depend on the order of its terms: two ways to the same overlap give the same
    # float, and no ranking is above the ceiling by a rounding. The terms' own roundings may pass 1.
    return min(1.0, fsum(terms))


@lru_cache(maxsize=64)
def _worth(p: float, depth: int, normalize: bool) -> tuple[float, ...]:
    """worth[j]: what an item adds to RBO that is in both lists from depth j to `depth`; worth[0] unused.

    It counts 1/i at every depth i from j on, so RBO is a plain sum over the shared items.
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; the persistence must lie between 0 and 1, both excluded")
    if depth < 1:
        raise ValueError(f"depth is {depth}; it must be at least 1")
    weights = [p**i for i in range(depth)]
    scale = 1 / fsum(weights) if normalize else 1 - p
    terms = [scale * weight / i for i, weight in enumerate(weights, 1)]
    # Added up from the deep end, where the terms are small.
    return (0.0, *reversed(list(accumulate(reversed(terms)))))
