"""Compatibility: similarity of a run to the best ranking that effectiveness levels allow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .measure import Inputs, measure
from .rbo import (
    ABSENT,
    ceiling,
    int_rows,
    places,
    rank_of,
    rbo_of_depths,
    row_of,
    shared_depths,
    weigh,
    worth,
)
from .sources import CLARKE


@dataclass(frozen=True, slots=True)
class Similarity:
    """A run's similarity to its ideal ranking, for each p that was asked for, and that ranking.

    values: in [0, 1]; where nothing was judged all are `ABSENT` (nan) and `ideal` is empty.
    """

    values: tuple[float, ...]
    ideal: tuple[str, ...]


def ideal_from_levels(run: Sequence[str], levels: Mapping[str, float]) -> tuple[str, ...]:
    """Ideal ranking for a run: of the best rankings that the levels allow, the one nearest to the run.

    levels: docno -> level; items at 0 or below are left out. Higher levels come first; within a level
    items stand in the run's order, then those that the run lacks, by docno.
    Raises ValueError where a level is not a number or the run repeats a docno.
    Time grows with n log n in the items above 0.
    """
    return _ideal(rank_of(run), levels)


def compatibility_rows_ps(
    rows: ArrayLike,
    levels: ArrayLike,
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
    nrbo: bool = True,
) -> NDArray[np.float64]:
    """`compatibility_rows` for each persistence in `ps`: float64 (runs, persistences)."""
    refuse_truncated(nrbo, normalize)
    weights = worth(tuple(ps), depth, normalize)
    heights = np.asarray(levels, np.float64)
    if np.isnan(heights).any():
        raise ValueError(f"the level of item {np.isnan(heights).argmax()} is not a number")
    judged = heights > 0
    # The highest level is group 0; starts: how many items are above each group.
    _, groups, sizes = np.unique(-heights[judged], return_inverse=True, return_counts=True)
    group = np.full(len(heights), -1, np.int32)
    group[judged] = groups
    starts = np.cumsum(sizes, dtype=np.int32) - sizes.astype(np.int32)
    table = int_rows(rows)
    values = rbo_of_depths(*_joins(group, starts, table), len(table), weights)
    if not judged.any():
        return np.full_like(values, ABSENT)
    if not nrbo:
        return values
    best = ceiling(int(judged.sum()), tuple(ps), depth, normalize)
    return np.minimum(values / np.array(best), 1.0)  # the quotient of equal sums may be rounded up


def compatibility_rows(
    rows: ArrayLike,
    levels: ArrayLike,
    *,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
    nrbo: bool = True,
) -> NDArray[np.float64]:
    """Compatibility (runs,) of many runs of one topic; all `ABSENT` where no level is above 0.

    rows: int (runs, ranks), rankings of items numbered from 0, -1 for items without a level and after a
    list's end; an item that is in a row twice is not noticed. levels: (items,). Else as `compatibility`.
    Time grows with the ranks, plus the items and their logarithm.
    """
    return compatibility_rows_ps(rows, levels, (p,), depth=depth, normalize=normalize, nrbo=nrbo)[:, 0]


@measure(
    name="compatibility",
    title="Compatibility",
    inputs=Inputs.GRADES,
    source=f"{CLARKE}, 3.1 and eq. 3",
    rows=compatibility_rows,
)
def compatibility(
    run: Sequence[str],
    levels: Mapping[str, float],
    *,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
    nrbo: bool = True,
) -> float:
    """RBO of the run with its ideal ranking, divided by that ranking's RBO with itself (NRBO).

    run (n,): distinct docnos, best first; n may be 0, which gives 0. levels: docno -> level.
    Without `nrbo` it is RBO(ideal, run) itself, and `normalize` chooses its form as in `rbo`.
    Returns a float in [0, 1]; `ABSENT` (nan) where no level is above 0, whatever the run.
    Raises ValueError as `rbo` and `ideal_from_levels` do, and for `normalize=False` together with
    NRBO, whose division would undo it.
    Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 3.1 and equation 3.
    """
    _refuse_odd(levels)
    row = row_of(run, dict(zip(levels, count())))
    heights = np.fromiter(levels.values(), np.float64, len(levels))
    return float(compatibility_rows(row, heights, p=p, depth=depth, normalize=normalize, nrbo=nrbo)[0])


def compatibility_ps(
    run: Sequence[str],
    levels: Mapping[str, float],
    ps: Sequence[float],
    *,
    depth: int = 1000,
    normalize: bool = True,
    nrbo: bool = True,
) -> Similarity:
    """`compatibility` for each persistence in `ps`, in that order, and the ideal ranking."""
    refuse_truncated(nrbo, normalize)
    rank = rank_of(run)
    ideal = _ideal(rank, levels)
    values = weigh(shared_depths(rank, ideal), ps, depth=depth, normalize=normalize)
    if not ideal:
        return Similarity((ABSENT,) * len(values), ())
    if nrbo:
        best = ceiling(len(ideal), tuple(ps), depth, normalize)
        values = tuple(min(1.0, value / most) for value, most in zip(values, best, strict=True))
    return Similarity(values, ideal)


def refuse_truncated(nrbo: bool, normalize: bool) -> None:
    """Raise ValueError for truncated RBO (`normalize=False`) together with NRBO, which would undo it."""
    if nrbo and not normalize:
        raise ValueError("NRBO is the same under both forms of RBO: pass nrbo=False with normalize=False")


def _joins(
    group: NDArray[np.int32], starts: NDArray[np.int32], rows: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items that each run shares with its ideal ranking: the row, and the depth at which the item joins.

    group (items,): the number of each item's level, 0 for the highest, -1 for none. starts (levels,): how
    many items have a higher level. An item of the ideal that the run lacks joins nowhere, so only ranked
    items need a place. Raises IndexError for other numbers.
    """
    if rows.size and not -1 <= rows.min() <= rows.max() < group.size:
        raise IndexError("a row numbers an item that is not there")
    run, at = places(rows, group >= 0)
    levels = group[rows[run, at]]
    # The first of a run's items of a level stands first of that level in its ideal ranking, and so on.
    key = run * len(starts) + levels
    sizes = np.bincount(key)
    order = key.astype(np.min_scalar_type(len(sizes))).argsort(kind="stable")  # quick for small numbers
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - (sizes.cumsum() - sizes)[key[order]]
    return run, 1 + np.maximum(at, starts[levels] + place)


def _refuse_odd(levels: Mapping[str, float]) -> None:
    if any(map(isnan, levels.values())):
        odd = next(docno for docno, level in levels.items() if isnan(level))
        raise ValueError(f"the level of {odd!r} is not a number")


def _ideal(rank: Mapping[str, int], levels: Mapping[str, float]) -> tuple[str, ...]:
    _refuse_odd(levels)
    last = len(rank)
    return tuple(
        docno
        for _, _, docno in sorted(
            (-level, rank.get(docno, last), docno) for docno, level in levels.items() if level > 0
        )
    )
