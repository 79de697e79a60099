"""Weights of topics in means, intervals and tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def topic_weights(weights: ArrayLike | None, topics: int) -> NDArray[np.float64]:
    """Weights (topics,), all 1 where none are given. Raises ValueError if one is not above 0 or absent."""
    heavy = np.ones(topics) if weights is None else np.asarray(weights, dtype=np.float64)
    if heavy.shape != (topics,) or not (np.isfinite(heavy) & (heavy > 0)).all():
        raise ValueError(f"weights must be above 0, one for each of the {topics} topics")
    return heavy
