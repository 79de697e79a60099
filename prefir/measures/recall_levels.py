"""Which of two rankings serves a searcher better, level of recall by level of recall.

At level i stands the rank of a ranking's i-th relevant item; an item that the ranking lacks is below
everything. No number is given to a ranking by itself, so that no model of a reader is needed: rankings are
compared at each level, or at the first or the last level where they differ. These tell runs apart
where two scores are equal or nearly so.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .effectiveness import numbered, relevance
from .measure import Inputs, measure

WEIGHTS: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "equal": np.ones_like,
    "inverse": lambda levels: 1 / levels,
    "dcg": lambda levels: 1 / np.log2(levels + 1),
}


@measure(
    name="rpp",
    title="Recall-paired preference",
    inputs=Inputs.RANKINGS_AND_GRADES,
    low=-1,
    source="Diaz & Ferraro, SIGIR 2022",
)
def recall_paired_preference(
    a: Sequence[Any],
    b: Sequence[Any],
    grades: Mapping[Any, float],
    *,
    relevant: float = 1,
    weights: str = "equal",
) -> float:
    """Levels of recall at which `a` finds its item earlier, less those at which `b` does, as a share of all.

    a, b: distinct docnos, best first; either may be empty. grades: docno -> grade. Relevant is a grade of at
    least `relevant`, which must be above 0. weights: level i weighs 1 ("equal"), 1 / i ("inverse") or
    1 / log2(i + 1) ("dcg"), the last two for a searcher who seldom wants many items.
    Returns a float in [-1, 1], above 0 where `a` is better; 0 where no item is relevant.
    Raises ValueError for other weights, and as the measures of `effectiveness` do.
    Source: Diaz & Ferraro, "Offline retrieval evaluation without evaluation metrics", SIGIR 2022.
    """
    if weights not in WEIGHTS:
        raise ValueError(f"there are no weights {weights!r}; there are {', '.join(WEIGHTS)}")
    signs = _signs(a, b, grades, relevant)
    heavy = WEIGHTS[weights](np.arange(1.0, signs.size + 1))
    return float(signs @ heavy / heavy.sum()) if signs.size else 0.0


@measure(
    name="lexiprecision",
    title="Lexicographic precision",
    inputs=Inputs.RANKINGS_AND_GRADES,
    low=-1,
    source="Diaz, arXiv 2306.07908, 2023",
)
def lexiprecision(
    a: Sequence[Any], b: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1
) -> float:
    """1 where `a` is better at the first level of recall at which the two differ, -1 where `b` is, else 0.

    For the searcher who is satisfied soonest. Arguments and errors as in `recall_paired_preference`.
    Source: Diaz, "Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with
    lexicographic precision", 2023.
    """
    return _differing(a, b, grades, relevant)[0]


@measure(
    name="lexirecall",
    title="Lexicographic recall",
    inputs=Inputs.RANKINGS_AND_GRADES,
    low=-1,
    source="Diaz, Ekstrand & Mitra, arXiv 2302.11370, 2023",
)
def lexirecall(
    a: Sequence[Any], b: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1
) -> float:
    """1 where `a` is better at the last level of recall at which the two differ, -1 where `b` is, else 0.

    For the searcher who needs everything. Arguments and errors as in `recall_paired_preference`.
    Source: Diaz, Ekstrand & Mitra, "Recall, robustness, and lexicographic evaluation", 2023.
    """
    return _differing(a, b, grades, relevant)[1]


def _differing(
    a: Sequence[Any], b: Sequence[Any], grades: Mapping[Any, float], relevant: float
) -> tuple[float, float]:
    """The signs at the first and at the last level where the rankings differ; 0 where none does."""
    signs = np.trim_zeros(_signs(a, b, grades, relevant))
    return (float(signs[0]), float(signs[-1])) if signs.size else (0.0, 0.0)


def _signs(
    a: Sequence[Any], b: Sequence[Any], grades: Mapping[Any, float], relevant: float
) -> NDArray[np.int64]:
    """For each level: 1 where `a` reaches it at an earlier rank, -1 where `b` does, 0 where neither does."""
    first, second = _ranks(a, grades, relevant), _ranks(b, grades, relevant)
    return np.sign(second - first)


def _ranks(run: Sequence[Any], grades: Mapping[Any, float], relevant: float) -> NDArray[np.int64]:
    """Ranks of the run's relevant items, rising; those that it lacks have the largest number there is."""
    row, levels = numbered(run, grades)
    wanted = relevance(levels, relevant) > 0
    found = row[0] >= 0
    found[found] = wanted[row[0][found]]
    ranks = np.flatnonzero(found)
    below = np.full(int(wanted.sum()) - len(ranks), np.iinfo(np.int64).max)
    return np.concatenate([ranks, below])
