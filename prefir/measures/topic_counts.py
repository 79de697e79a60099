"""Sparse counts by topic: sums and products without a full table."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """A table of counts (topics, columns); of each count that there is its topic, column and value."""

    topic: Numbers
    column: Numbers
    value: Values
    topics: int
    columns: int

    def sums(self) -> Values:
        """Sum of each column over topics, float64 (columns,)."""
        return _added(self.column, self.value, self.columns)

    def only(self, wanted: NDArray[np.bool_]) -> Self:
        """Keep some columns, bool (columns,), in their order."""
        here = wanted[self.column]
        place = (np.cumsum(wanted) - 1)[self.column[here]]
        return type(self)(self.topic[here], place, self.value[here], self.topics, int(wanted.sum()))

    def joined(self) -> tuple[Self, Values]:
        """Take topics with one count each, the same one, as one row: the table, and the topics of each row.

        Where each vote is a topic of its own there are then no more rows than columns and values.
        """
        sizes = np.bincount(self.topic, minlength=self.topics)
        alone, several = sizes[self.topic] == 1, sizes > 1
        values, value = np.unique(self.value[alone], return_inverse=True)
        kinds, times = np.unique(self.column[alone] * max(len(values), 1) + value, return_counts=True)
        rest = int(several.sum())
        column, value = np.divmod(kinds, max(len(values), 1))
        return type(self)(
            np.concatenate([(np.cumsum(several) - 1)[self.topic[~alone]], rest + np.arange(len(kinds))]),
            np.concatenate([self.column[~alone], column]),
            np.concatenate([self.value[~alone], values[value]]),
            rest + len(kinds),
            self.columns,
        ), np.concatenate([np.ones(rest), times])

    def dense(self) -> Values:
        """The table with all its zeros, float64 (topics, columns)."""
        size = self.topics * self.columns
        cells = _added(self.topic * self.columns + self.column, self.value, size)
        return cells.reshape(self.topics, self.columns)

    def times(self, table: Values) -> Values:
        """Multiply with a table (columns, parameters) whose rows are mostly 0: float64 (topics, parameters).

        Time grows with the counts times the entries of a row that are not 0.
        """
        width = table.shape[1]
        row, place = table.nonzero()
        starts = np.searchsorted(row, np.arange(self.columns + 1))
        cells: list[Numbers] = []
        weights: list[Values] = []
        for entry in range(int(np.diff(starts).max(initial=0))):
            at = starts[:-1] + entry
            here = (at < starts[1:])[self.column]
            column = self.column[here]
            to = place[at[column]]
            cells.append(self.topic[here] * width + to)
            weights.append(self.value[here] * table[column, to])
        if not cells:
            return np.zeros((self.topics, width))
        found = _added(np.concatenate(cells), np.concatenate(weights), self.topics * width)
        return found.reshape(self.topics, width)


def _added(places: Numbers, weights: Values, size: int) -> Values:
    """Add up weights by their places."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)
