"""Matrices of distances between all rankings of a topic, by several distances, and their sums over topics."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .hoeffding import hoeffding_matrix
from .med import med_ndcg_pairs, med_precision_pairs, med_rbp_pairs
from .rbo import ABSENT, int_rows, worth

Codes = NDArray[np.int32]
Places = NDArray[np.int64]
Values = NDArray[np.float64]
# Persistence of a reader of the top: nine tenths of the weight of rank-biased overlap is in the first ten.
PERSISTENCE = 0.9
# Of what two top-k lists leave open: neither the best nor the worst.
NEUTRAL = 0.5


@dataclass(frozen=True, slots=True)
class DistanceKind:
    """A distance between rankings: its name in addresses, its title, and the paper that it is from."""

    name: str
    title: str
    source: str
    of_pairs: Callable[[Codes, Places, Places], Values]


def _one_less_rbo(codes: Codes, left: Places, right: Places) -> Values:
    from .kernels.matrices import overlaps

    weights = worth((PERSISTENCE,), codes.shape[1], True)[0]
    items = int(codes.max(initial=-1)) + 1
    own = np.concatenate([[0.0], np.cumsum(weights[1:])])[(codes >= 0).sum(axis=1)]
    # A list shorter than the depth overlaps itself by less than 1.
    return np.clip(1 - overlaps(codes, left, right, weights, items) / np.sqrt(own[left] * own[right]), 0, 1)


def _kendall(codes: Codes, left: Places, right: Places) -> Values:
    from .kernels.matrices import disagreements

    values: Values = disagreements(codes, left, right, NEUTRAL, int(codes.max(initial=-1)) + 1)
    return values


def _hoeffding(codes: Codes, left: Places, right: Places) -> Values:
    return hoeffding_matrix(codes, n=2 * codes.shape[1])[left, right]


def _med_precision(codes: Codes, left: Places, right: Places) -> Values:
    return med_precision_pairs(codes[left], codes[right], k=codes.shape[1])


def _med_rbp(codes: Codes, left: Places, right: Places) -> Values:
    return med_rbp_pairs(codes[left], codes[right], psi=PERSISTENCE, tail=False)


def _med_ndcg(codes: Codes, left: Places, right: Places) -> Values:
    return med_ndcg_pairs(codes[left], codes[right], k=codes.shape[1])


TAN = "Tan & Clarke, TKDE 27(11), 2015"
DISTANCES = {
    kind.name: kind
    for kind in (
        DistanceKind("rbo", "1 − RBO", "Webber, Moffat & Zobel, TOIS 28(4), 2010", _one_less_rbo),
        DistanceKind(
            "hoeffding", "Weighted Hoeffding", "Sun, Lebanon & Collins-Thompson, WWW 2010", _hoeffding
        ),
        DistanceKind(
            "kendall",
            "Kendall, top-k",
            "Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003",
            _kendall,
        ),
        DistanceKind("med-precision", "MED-precision", TAN, _med_precision),
        DistanceKind("med-rbp", "MED-RBP", TAN, _med_rbp),
        DistanceKind("med-ndcg", "MED-nDCG", TAN, _med_ndcg),
    )
}


def topic_distances(lists: ArrayLike, kind: str) -> Values:
    """Distances between all rankings of one topic, to the depth that is given: (lists, lists), symmetric.

    lists (lists, depth): items numbered from 0, best first, distinct in a list; -1 after a shorter list's
    end. kind: of `DISTANCES`: "rbo", 1 - RBO with p = .9, divided by the roots of both lists' overlaps with
    themselves, so that equal lists are at 0 however short; "hoeffding", weighted, n twice the depth, the most
    that two lists can name; "kendall", Fagin's K^(1/2); "med-precision", "med-rbp" (ψ = .9, no tail) and
    "med-ndcg", nothing being known of relevance. In [0, 1]; nan with a list that is empty, else 0 on the
    diagonal.
    Raises KeyError for another kind, ValueError for another shape, and as the distances themselves.
    Time grows with lists^2 x depth (kendall: x depth squared).
    """
    codes = int_rows(lists)
    matrix = np.full((len(codes), len(codes)), ABSENT)
    there = np.flatnonzero((codes >= 0).any(axis=1)) if codes.size else np.zeros(0, dtype=np.int64)
    left, right = np.triu_indices(len(there), 1)
    if len(left):
        values = DISTANCES[kind].of_pairs(np.ascontiguousarray(codes[there]), left, right)
        matrix[there[left], there[right]] = matrix[there[right], there[left]] = values
    matrix[there, there] = 0.0
    return matrix


@dataclass(slots=True)
class DistanceTotals:
    """Sums of distances over topics: what a mean, and a stability, need of each, however many there are.

    sums, squares, counts (lists, lists): over the topics in which both lists have rankings.
    """

    sums: Values
    squares: Values
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lists: int) -> "DistanceTotals":
        """Nothing yet."""
        shape = (lists, lists)
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64))

    def add(self, matrix: Values) -> None:
        """Add a topic's distances."""
        there = ~np.isnan(matrix)
        values = np.where(there, matrix, 0.0)
        self.sums += values
        self.squares += values**2
        self.counts += there

    def join(self, other: "DistanceTotals") -> None:
        """Add what was summed elsewhere."""
        self.sums += other.sums
        self.squares += other.squares
        self.counts += other.counts

    @property
    def means(self) -> Values:
        """The mean distances; nan without a topic in common."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means: Values = self.sums / self.counts
        return means

    @property
    def stabilities(self) -> Values:
        """`stability` of each list (lists,): over the others with which it has two topics at least; nan
        without such.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            variances = (self.squares - self.sums**2 / self.counts) / (self.counts - 1)
        variances[self.counts < 2] = ABSENT
        np.fill_diagonal(variances, ABSENT)
        there = ~np.isnan(variances)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.where(there, np.maximum(variances, 0.0), 0.0).sum(axis=1) / there.sum(axis=1)
        roots: Values = np.sqrt(spread)
        return roots
