"""Topics of a test collection: how difficult they are, how far they separate runs, whether they agree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class TopicFigures:
    """Figures of topics, each (topics,), nan where there is nothing to say.

    means: of the runs that have a value, low where a topic is difficult. spreads: their standard deviation,
    nan below two runs. agreements: correlation, over the runs, of the topic's values with the runs' means
    over the other topics, in [-1, 1]; below 0 the topic ranks the runs against the others. nan below three
    runs that have both, and where either has no spread.
    """

    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    agreements: NDArray[np.float64]


def topic_figures(values: ArrayLike) -> TopicFigures:
    """Difficulty, separation and agreement (corrected item-total correlation) of topics.

    values: (topics, runs), nan where absent. Raises ValueError for another shape or an infinite value.
    Source: Bodoff & Li, SIGIR 2007 (topics as the items of a test). Time and memory grow with topics x runs.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"values must be finite, of shape (topics, runs); the shape is {table.shape}")
    there = ~np.isnan(table)
    own = np.where(there, table, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        runs = there.sum(axis=1)
        means = own.sum(axis=1) / runs
        gaps = np.where(there, table - means[:, None], 0.0)
        spreads = np.sqrt(np.where(runs >= 2, (gaps**2).sum(axis=1) / (runs - 1), np.nan))
        # Each run's mean over the topics but this one.
        others = (own.sum(axis=0) - own) / (there.sum(axis=0) - 1)
    return TopicFigures(means, spreads, _correlations(table, np.where(there, others, np.nan)))


def _correlations(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's correlation of the rows of two tables, over the columns that both have."""
    both = ~np.isnan(one) & np.isfinite(two)
    number = both.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):

        def centred(table: NDArray[np.float64]) -> NDArray[np.float64]:
            kept = np.where(both, table, 0.0)
            return np.where(both, table - (kept.sum(axis=1) / number)[:, None], 0.0)

        first, second = centred(one), centred(two)
        squares = (first**2).sum(axis=1) * (second**2).sum(axis=1)
        found = (first * second).sum(axis=1) / np.sqrt(squares)
    # What differs by rounding alone has no spread.
    return np.where((number >= 3) & (squares > 1e-20), np.clip(found, -1.0, 1.0), np.nan)
