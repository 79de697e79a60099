"""Elo ratings and PageRank from votes, for comparison with others' figures; for decisions, `bradley_terry`.

Neither has an interval that holds: Elo depends on the order of votes, PageRank on whom one met.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefir.extras import require

from .strengths import as_duels

Values = NDArray[np.float64]


def elo(
    duels: ArrayLike, systems: int, *, k: float = 4.0, initial: float = 1000.0, scale: float = 400.0
) -> Values:
    """Compute Elo ratings (systems,), one row of votes after the other.

    duels: rows as of `bradley_terry`, in the order of the votes; a tie is half a win. A row of n votes moves
    both ratings once: by k times the wins less those that were expected, n / (1 + 10^(-difference / scale)).
    k and scale are above 0. A system that met nobody has the rating `initial`.
    Raises ValueError as `bradley_terry` does, and for k and scale.
    Source: Elo, The Rating of Chessplayers, 1978. Time grows with rows.
    """
    if not (k > 0 and scale > 0):
        raise ValueError(f"k {k} and scale {scale} must be above 0")
    ratings = [float(initial)] * systems
    for _, first, second, won, lost, tied in as_duels(duels, systems).tolist():
        one, other = int(first), int(second)
        expected = (won + lost + tied) / (1 + 10 ** ((ratings[other] - ratings[one]) / scale))
        moved = k * (won + tied / 2 - expected)
        ratings[one] += moved
        ratings[other] -= moved
    return np.array(ratings)


def pagerank(duels: ArrayLike, systems: int, *, damping: float = 0.85) -> Values:
    """Compute PageRank (systems,), of sum 1: each loser refers to its winners, by how often it lost to each.

    duels: rows as of `bradley_terry`; a tie is half a win of each. damping in (0, 1).
    Raises ValueError as `bradley_terry` does, and for damping. Needs networkx.
    Source: Brin & Page, Computer Networks and ISDN Systems 30, 1998.
    """
    if not 0 < damping < 1:
        raise ValueError(f"damping {damping} must be between 0 and 1")
    networkx = require("networkx")
    won = np.zeros((systems, systems))
    table = as_duels(duels, systems)
    first, second = table[:, 1:3].T.astype(np.int64)
    np.add.at(won, (second, first), table[:, 3] + table[:, 5] / 2)
    np.add.at(won, (first, second), table[:, 4] + table[:, 5] / 2)
    graph = networkx.from_numpy_array(won, create_using=networkx.DiGraph)
    found = networkx.pagerank(graph, alpha=damping, tol=1e-12, max_iter=1000)
    return np.array([found[system] for system in range(systems)])
