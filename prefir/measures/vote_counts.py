"""Votes that keep coming, counted once, and the strengths that they give at each moment."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .connectedness import Connections, Fit, connect
from .strengths import Strengths, as_duels, fit_strengths

Counts = NDArray[np.float64]


class VoteCounts:
    """Counts of duels by pair, to which votes are added; they have the strengths of `bradley_terry`.

    Each vote costs the same, however many came before: what is kept grows with systems squared and topics.
    For intervals, which need the counts of each topic, call `bradley_terry` with all duels.
    Raises ValueError as `bradley_terry` does.
    """

    def __init__(self, systems: int, duels: ArrayLike = ()) -> None:
        self.systems = systems
        self._counts: Counts = np.zeros((systems, systems, 3))
        self._topics: set[float] = set()
        self._connections: Connections | None = None
        self._strengths: Strengths | None = None
        self.add(duels)

    def add(self, duels: ArrayLike) -> None:
        """Add duels, (n, 6) rows as of `bradley_terry`."""
        table = as_duels(duels, self.systems)
        first, second = table[:, 1:3].T.astype(np.int64)
        turned, won = first > second, table[:, 3:]
        won = np.where(turned[:, None], won[:, [1, 0, 2]], won)
        place = np.where(turned, second * self.systems + first, first * self.systems + second)
        size = self.systems**2
        new = np.stack([np.bincount(place, one, size) for one in won.T], axis=-1)
        new = new.reshape(self._counts.shape)
        if not self._settled or ((self._counts[..., 2].sum() == 0) and new[..., 2].any()):
            self._connections = None
        self._counts += new
        self._topics.update(table[won.sum(axis=1) > 0, 0].tolist())

    def strengths(self) -> Strengths:
        """Strengths of all duels so far, without intervals. They begin from the last ones: a few
        milliseconds for 100 systems.
        """
        pairs = np.argwhere(self._counts.sum(axis=2) > 0)
        counts = self._counts[pairs[:, 0], pairs[:, 1]]
        if self._connections is None:
            self._connections = connect(pairs, counts, self.systems)
        self._strengths = fit_strengths(pairs, counts, self._connections, len(self._topics), self._strengths)
        return self._strengths

    @property
    def _settled(self) -> bool:
        """Whether all systems are fitted in one set: more votes of the same results leave it so."""
        found = self._connections
        return (
            found is not None and len(set(found.sets.tolist())) == 1 and set(found.statuses) == {Fit.FITTED}
        )
