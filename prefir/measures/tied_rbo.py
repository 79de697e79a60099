"""RBO beyond the ends of two rankings, which may have ties: extrapolated, and its bounds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .rbo import ABSENT, rank_of

Treatment = Literal["w", "a", "b"]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RboBounds:
    """RBO of two rankings that go on unseen.

    extrapolated: with the agreement at the shorter ranking's end below it; nan where a ranking is empty.
    minimum, maximum: where nothing unseen is shared, and where as much is as can be. residual: their
    difference.
    """

    extrapolated: float
    minimum: float
    maximum: float
    residual: float


@dataclass(frozen=True, slots=True)
class _Flat:
    """A ranking: of each item the ranks, from 1, of the first and the last that it is tied with."""

    top: Mapping[Any, int]
    bottom: Mapping[Any, int]

    def shares(self, item: Any, depths: Values, treatment: Treatment) -> Values:
        """How much of an item the first items are sure to have, at each depth."""
        top, bottom = self.top[item], self.bottom[item]
        if treatment == "w":
            return (depths >= top).astype(np.float64)
        return np.clip((depths - top + 1) / (bottom - top + 1), 0.0, 1.0)


def rbo_bounds(
    first: Sequence[Any], second: Sequence[Any], *, p: float = 0.95, ties: Treatment = "a"
) -> RboBounds:
    """RBO of two rankings that may go on below their ends and may have ties: extrapolated, and its bounds.

    first, second: docnos, best first; docnos that are tied stand together in a set, a list or a tuple
    (`tied_ranking` makes such a ranking of scores). p in (0, 1): the persistence.
    ties: "w", tied items share a rank, as in sports; "a", one comes first and nobody knows which: the mean
    over all orders; "b", as "a", divided by what the ties lose, so that a ranking agrees fully with itself.
    Without ties all three are the formulas of Webber, Moffat & Zobel.

    Returns numbers in [0, 1]. Raises ValueError for p, ties, and a docno that repeats.
    Source: Corsi & Urbano, SIGIR 2024; Webber, Moffat & Zobel, TOIS 28(4), 2010, equations 11, 23, 32.
    Time grows with the square of the longer ranking.
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; the persistence must lie between 0 and 1, both excluded")
    if ties not in get_args(Treatment):
        raise ValueError(f"ties is {ties!r}; ties are treated as {', '.join(get_args(Treatment))}")
    short, long = sorted(map(_flatten, (first, second)), key=lambda one: len(one.top))
    s, length = len(short.top), len(long.top)
    if not length:
        return RboBounds(ABSENT, 0.0, 1.0, 1.0)
    depths = np.arange(1.0, length + 1)
    sums, squares = _totals(short, depths, ties)
    # Below its end the shorter ranking has an item at each rank, whichever it is.
    sums[s:] = squares[s:] = depths[s:]
    own, own_squares = _totals(long, depths, ties)
    overlap, unseen, there, most = np.zeros((4, length))
    place = s
    for item in long.top:
        share = long.shares(item, depths, ties)
        if item in short.top:
            overlap += share * short.shares(item, depths, ties)
        else:
            unseen += share
            there += share > 0
            # At best the shorter ranking goes on with these, in their order.
            most[place:] += share[place:]
            place += 1
    scale = {"w": (sums + own) / 2, "a": depths, "b": np.sqrt(squares * own_squares)}[ties]
    end = overlap[s - 1] / scale[s - 1] if s else ABSENT
    least, greatest, likely = overlap / scale, overlap / scale, overlap / scale
    rest = slice(s, None)
    greatest[rest] = (overlap + most)[rest] / scale[rest]
    with np.errstate(invalid="ignore"):
        guessed = (depths - s) * end * np.where(there > 0, unseen / np.maximum(there, 1), 0.0)
    likely[rest] = (overlap + guessed)[rest] / scale[rest]

    weights = p**depths
    shared = overlap[-1]
    below = shared * (-np.log1p(-p) - (weights / depths).sum())
    full = length + s - int(shared)
    further = np.arange(length + 1.0, full + 1)
    above = ((2 * further - length - s + shared) / further * p**further).sum() + p ** (full + 1) / (1 - p)
    beyond = (shared + (length - s) * end) / length * p ** (length + 1) / (1 - p)

    def total(agreement: Values, tail: float) -> float:
        return float((1 - p) / p * ((agreement * weights).sum() + tail))

    low, high = total(least, below), total(greatest, above)
    return RboBounds(total(likely, beyond), low, high, high - low)


def tied_ranking(scores: Mapping[Any, float]) -> list[Any]:
    """Make a ranking of scores, highest first; docnos of one score stand together in a frozenset."""
    groups: dict[float, list[Any]] = {}
    for docno, score in scores.items():
        if score != score:
            raise ValueError(f"the score of {docno!r} is not a number")
        groups.setdefault(score, []).append(docno)
    return [
        groups[score][0] if len(groups[score]) == 1 else frozenset(groups[score])
        for score in sorted(groups, reverse=True)
    ]


def _flatten(ranking: Sequence[Any]) -> _Flat:
    groups = list(_groups(ranking))
    rank_of([item for group in groups for item in group])  # only to refuse repeated docnos
    top: dict[Any, int] = {}
    bottom: dict[Any, int] = {}
    for group in groups:
        first = len(top) + 1
        for item in group:
            top[item], bottom[item] = first, first + len(group) - 1
    return _Flat(top, bottom)


def _groups(ranking: Sequence[Any]) -> Iterator[Collection[Any]]:
    """Each rank's items."""
    if isinstance(ranking, Mapping | set | frozenset):
        raise TypeError(f"a ranking is a sequence, best first, not a {type(ranking).__name__}")
    for entry in ranking:
        tied = isinstance(entry, set | frozenset | list | tuple)
        yield list(entry) if tied else [entry]


def _totals(flat: _Flat, depths: Values, treatment: Treatment) -> tuple[Values, Values]:
    """Sums of the shares of a ranking's items, and of their squares, at each depth."""
    sums, squares = np.zeros((2, len(depths)))
    for item in flat.top:
        share = flat.shares(item, depths, treatment)
        sums += share
        squares += share**2
    return sums, squares
