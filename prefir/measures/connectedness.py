"""Which strengths of systems have a finite value: who won all, who met nobody, who never met whom."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Fit(StrEnum):
    """Why a system has a strength, or has none.

    FITTED: it has a finite one. WON_ALL: it lost no duel, and no finite strength is high enough. LOST_ALL: it
    won none, and none is low enough. BETWEEN: it won all duels against some and lost all against others.
    TIED: it only tied, where nothing says how likely ties are. MET_NOBODY: it met no other system.
    """

    FITTED = "fitted"
    WON_ALL = "won all"
    LOST_ALL = "lost all"
    BETWEEN = "between"
    TIED = "only tied"
    MET_NOBODY = "met nobody"


@dataclass(frozen=True, slots=True)
class Connections:
    """How duels connect systems; arrays are (systems,) unless said.

    statuses: why each has a strength or none. groups: number of its group, the systems that it met directly
    or through others; larger groups first, equal ones by their first system; -1 for those that met nobody.
    sets: number of the set in which strengths are finite and can be compared. above: bool (systems, systems),
    whether the first is above the second by wins alone, with nothing that leads back.
    bounded: whether the likelihood bounds ν of Davidson's ties; true where nothing was tied. Where it does
    not, no strength is fitted.
    """

    statuses: tuple[Fit, ...]
    groups: Numbers
    sets: Numbers
    above: NDArray[np.bool_]
    bounded: bool


def connect(pairs: Numbers, counts: NDArray[np.float64], systems: int) -> Connections:
    """Find out which strengths the duels determine.

    pairs: (pairs, 2), distinct; counts: (pairs, 3) wins of the first, of the second, ties.
    The likelihood is concave in the strengths and log ν. It has a single maximum unless it never falls along
    some direction. Without a change of ν that is one along which nobody who won or tied falls behind, so that
    wins and ties must lead from each system to each other; with a growing ν, one along which each winner
    gains at least 2 on the loser and nobody who tied falls back by more than 2.
    Sources: Ford, American Mathematical Monthly 64(8), 1957; with ties the same argument on Davidson's model.
    Time and memory grow with systems cubed and squared.
    """
    forth, back, tied = (counts > 0).T
    wins = np.concatenate([pairs[forth], pairs[back][:, ::-1]])
    ties = np.concatenate([pairs[tied], pairs[tied][:, ::-1]])
    # Two that won against each other are a cycle of wins alone.
    bounded = not len(ties) or bool((forth & back).any()) or not _can_grow(wins, ties, systems)
    reached = np.eye(systems, dtype=np.bool_)
    reached[tuple(wins.T)] = True
    if bounded:
        reached[tuple(ties.T)] = True
    reached = _closed(reached)
    above = reached & ~reached.T
    sets = _labels(reached & reached.T)
    met = np.zeros((systems, systems), np.bool_)
    met[tuple(pairs[counts.sum(axis=1) > 0].T)] = True
    groups = _groups(met | met.T)
    alone = np.bincount(sets, minlength=1)[sets] == 1
    statuses = tuple(
        Fit.MET_NOBODY
        if groups[i] < 0
        else Fit.FITTED
        if not alone[i]
        else _status(bool(above[i].any()), bool(above[:, i].any()))
        for i in range(systems)
    )
    return Connections(statuses, groups, sets, above, bounded)


def _closed(reached: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What leads from each to each other, by way of others: from a table that leads from each to itself."""
    for _ in range(max(len(reached) - 1, 0).bit_length()):
        reached = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
    return reached


def _labels(alike: NDArray[np.bool_]) -> Numbers:
    """Number the classes of systems that are alike, by their first systems: int64 (systems,)."""
    if not len(alike):
        return np.empty(0, np.int64)
    found: Numbers = np.unique(alike.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
    return found


def _status(below: bool, higher: bool) -> Fit:
    if below:
        return Fit.BETWEEN if higher else Fit.WON_ALL
    return Fit.LOST_ALL if higher else Fit.TIED


def _groups(met: NDArray[np.bool_]) -> Numbers:
    """Number of each system's group, the largest first; -1 for systems that met nobody."""
    if not len(met):
        return np.empty(0, np.int64)
    label = _labels(_closed(met | np.eye(len(met), dtype=np.bool_)))
    sizes = np.bincount(label)
    first = np.array([np.flatnonzero(label == one)[0] for one in range(len(sizes))])
    number = np.empty(len(sizes), np.int64)
    number[np.lexsort([first, -sizes])] = np.arange(len(sizes))
    return np.where(sizes[label] > 1, number[label], -1)


def _can_grow(wins: Numbers, ties: Numbers, systems: int) -> bool:
    """Whether ν can grow without end: no cycle has more wins than ties (longest paths, Bellman & Ford)."""
    edges = np.concatenate([wins, ties])
    gains = np.repeat([1.0, -1.0], [len(wins), len(ties)])
    lead = np.zeros(systems)
    for _ in range(systems + 1):
        farther = lead.copy()
        np.maximum.at(farther, edges[:, 0], lead[edges[:, 1]] + gains)
        if (farther == lead).all():
            return True
        lead = farther
    return False
