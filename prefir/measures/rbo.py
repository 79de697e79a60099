"""Rank-biased overlap (RBO) of two rankings, and the parts of it that other measures share."""

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from itertools import repeat
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .measure import Inputs, measure

ABSENT = float("nan")
"""Value of a measure where there is nothing to measure against (nan; test with `math.isnan`). A topic without
judgments has no score: it is left out of means and shown as absent, never as 0."""

_DEEPEST = 10_000_000  # the weights down to a depth are computed and cached


@measure(
    name="rbo",
    title="RBO",
    inputs=Inputs.RANKINGS,
    source="Webber, Moffat & Zobel, TOIS 28(4), 2010",
    symmetric=True,
)
def rbo(
    run: Sequence[str], ideal: Sequence[Any], *, p: float = 0.95, depth: int = 1000, normalize: bool = True
) -> float:
    """Rank-biased overlap of two rankings, summed over depths 1 to `depth`.

    run (n,), ideal (m,): distinct docnos, best first; n and m may be 0, which gives 0.
    Returns a float in [0, 1]: divided by the sum of the weights (`normalize`, as the authors' programs
    do), or else truncated: times 1 - p, as the formula is usually printed. Equal lists that are shorter
    than `depth` score below 1; `compatibility` divides by that ceiling. Symmetric in its two rankings.
    Raises ValueError where p is outside (0, 1), depth is below 1, or a docno repeats.
    Source: Webber, Moffat & Zobel, TOIS 28(4), 2010. Time grows with n + m.
    """
    return rbo_ps(run, ideal, (p,), depth=depth, normalize=normalize)[0]


def rbo_ps(
    run: Sequence[str],
    ideal: Sequence[str],
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
) -> tuple[float, ...]:
    """`rbo` for each persistence in `ps`, in that order; the overlap is computed only once."""
    rank_of(ideal)  # only to refuse repeated docnos
    return weigh(shared_depths(rank_of(run), ideal), ps, depth=depth, normalize=normalize)


def rbo_depths(
    run: Sequence[str], ideal: Sequence[str], *, p: float = 0.95, depth: int = 1000, normalize: bool = True
) -> NDArray[np.float64]:
    """What each depth adds to RBO: float64 (depth,), from depth 1 on; the sum is `rbo`, but for rounding.

    At depth d it is the weight of d times the share of the first d items that both rankings have.
    Raises as `rbo` does. Source: Webber, Moffat & Zobel, TOIS 28(4), 2010, equation 4. Time grows with
    n + m + depth.
    """
    worths = worth((p,), depth, normalize)[0, 1:]
    # A shared item from depth d on is worth the sum of weight / i from i = d on: differences give these back.
    each = worths - np.append(worths[1:], 0.0)
    rank_of(ideal)  # only to refuse repeated docnos
    joins = np.array([d for d in shared_depths(rank_of(run), ideal) if d <= depth], np.int64)
    return each * np.bincount(joins, minlength=depth + 1)[1:].cumsum()


def overlaps(run: Sequence[str], ideal: Sequence[str], *, depth: int) -> NDArray[np.float64]:
    """Overlap of two rankings at each depth: float64 (depth,), from depth 1 on; what RBO weighs.

    run (n,), ideal (m,): distinct docnos, best first. At depth d it is the number of items that both have
    among their first d, divided by d, also where a ranking ends above d. In [0, 1]; 0 for an empty ranking.
    Raises ValueError where a docno repeats or depth is not a whole number from 1 to ten million. Time grows
    with n + m + depth.
    Source: Luo, thesis, Waterloo 2021, equation 2.7 and tables 2.3, 2.4 (the agreement at each depth).
    """
    _check_depth(depth)
    rank_of(ideal)  # only to refuse repeated docnos
    joins = np.array([d for d in shared_depths(rank_of(run), ideal) if d <= depth], np.int64)
    shares: NDArray[np.float64] = np.bincount(joins, minlength=depth + 1)[1:].cumsum() / np.arange(
        1, depth + 1
    )
    return shares


def rank_of(ranking: Sequence[Any]) -> dict[Any, int]:
    """Rank of each docno, counted from 0. Raises ValueError where a docno repeats.

    Raises TypeError for what has no order or no length, such as a set, a dictionary or a generator.
    """
    refuse_unordered(ranking)
    rank = dict(zip(ranking, range(len(ranking)), strict=True))
    if len(rank) < len(ranking):
        twice = next(docno for place, docno in enumerate(ranking) if rank[docno] != place)
        raise ValueError(f"{twice!r} is in a ranking more than once; a ranking names each item once")
    return rank


def refuse_unordered(ranking: Any) -> None:
    """Raise TypeError for a ranking that is not a sequence: its order would be an accident."""
    if isinstance(ranking, Set | Mapping) or not hasattr(ranking, "__len__"):
        raise TypeError(
            f"a ranking is a sequence of docnos, best first, not a {type(ranking).__name__}; "
            "scores by docno become one with sorted(scores, key=scores.get, reverse=True)"
        )


def row_of(run: Sequence[Any], number: Mapping[Any, int]) -> NDArray[np.int32]:
    """Number a ranking's items: int32 (1, ranks), -1 for items without a number. Raises as `rank_of`."""
    refuse_unordered(run)
    # numpy scalars are slow dictionary keys; tolist() makes plain Python objects.
    ranking = run.tolist() if isinstance(run, np.ndarray) else run
    if len(set(ranking)) < len(ranking):
        rank_of(ranking)
    return np.fromiter(map(number.get, ranking, repeat(-1)), np.int32, len(ranking)).reshape(1, -1)


def int_rows(rows: ArrayLike) -> NDArray[np.int32]:
    """Check rankings of numbered items for the compiled code: int32 (runs, ranks). Raises ValueError."""
    table = np.ascontiguousarray(rows, np.int32)
    if table.ndim != 2:
        raise ValueError(f"rows must be of shape (runs, ranks); the shape is {table.shape}")
    return table


def places(rows: NDArray[np.int32], wanted: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and ranks, from 0, at which rankings (runs, ranks) have `wanted` (items,) items; row by row."""
    # The number -1, of what is no item, reads the end.
    found = np.append(wanted, False).take(rows).ravel().nonzero()[0]
    run = found // max(1, rows.shape[1])
    return run, found - run * rows.shape[1]


def shared_depths(rank: Mapping[str, int], ideal: Sequence[str]) -> list[int]:
    """Depths, counted from 1, at which the items of both rankings join the overlap.

    rank: docno -> rank in the run, from 0. A shared item joins at the deeper of its two ranks.
    """
    return [
        1 + (place if place > rank[docno] else rank[docno])
        for place, docno in enumerate(ideal)
        if docno in rank
    ]


def weigh(depths: Sequence[int], ps: Sequence[float], *, depth: int, normalize: bool) -> tuple[float, ...]:
    """RBO for each p of `ps`, from the depths at which the shared items join the overlap."""
    weights = worth(tuple(ps), depth, normalize)
    joined = np.array(depths, np.int64)
    return tuple(rbo_of_depths(np.zeros_like(joined), joined, 1, weights)[0].tolist())


def rbo_of_depths(
    run: NDArray[np.int64], joined: NDArray[np.int64], runs: int, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """RBO (runs, persistences) from the depths, counted from 1, at which shared items join the overlap.

    run, joined (items,): of each shared item its run and its depth. weights: as `worth` gives them. Summed in
    the order of depths whatever the order of items, so that two ways to one overlap give one float.
    """
    wide = weights.shape[1]
    near = joined < wide
    counts = np.bincount(run[near] * wide + joined[near])
    found = counts.nonzero()[0]
    run = found // wide
    values = np.empty((runs, len(weights)))
    for column, row in zip(values.T, weights, strict=True):
        # `bincount` adds up in the order of its input.
        column[:] = np.bincount(run, counts[found] * row[found - run * wide], runs)
    return np.minimum(values, 1.0)  # the terms' roundings may pass 1


@lru_cache(maxsize=256)
def ceiling(length: int, ps: tuple[float, ...], depth: int, normalize: bool) -> tuple[float, ...]:
    """RBO, for each p, of a ranking of `length` items with itself: below 1 where it is shorter than `depth`.

    Summed in the order of the compiled code, so that an ideal run divided by it is exactly 1.
    """
    return weigh(range(1, min(length, depth) + 1), ps, depth=depth, normalize=normalize)


@lru_cache(maxsize=64)
def worth(ps: tuple[float, ...], depth: int, normalize: bool) -> NDArray[np.float64]:
    """Worth of a shared item: [i, j] is what it adds at ps[i] if it is in both lists from depth j on.

    It counts 1/d at every depth d from j on, so RBO is a plain sum over the shared items. [i, 0] is
    unused. The array is cached and read-only. Raises ValueError for a p outside (0, 1) and a depth below 1.
    """
    odd = next((p for p in ps if not 0 < p < 1), None)
    if odd is not None:
        raise ValueError(f"p is {odd}; the persistence must lie between 0 and 1, both excluded")
    _check_depth(depth)
    table = np.zeros((len(ps), depth + 1))
    for row, p in zip(table, ps, strict=True):
        weights = [p**i for i in range(depth)]
        scale = 1 / fsum(weights) if normalize else 1 - p
        terms = np.array([scale * weight / i for i, weight in enumerate(weights, 1)])
        # Summed from the deep end, where the terms are small.
        row[1:] = terms[::-1].cumsum()[::-1]
    table.flags.writeable = False
    return table


def _check_depth(depth: int) -> None:
    if depth < 1:
        raise ValueError(f"depth is {depth}; it must be at least 1")
    if depth > _DEEPEST:
        raise ValueError(f"depth is {depth}; it must be at most {_DEEPEST:,}")
