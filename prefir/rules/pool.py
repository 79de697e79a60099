"""The pool: which items of a topic are candidates for its top k."""

from collections import Counter
from collections.abc import Mapping

from .state import check_settings


def lowest_grade(counts: Mapping[float, int], k: int) -> float | None:
    """The lowest grade whose items are candidates, or None if no item is ("thinning the herd").

    counts: grade -> how many items have it. Whole grades enter from the top down until there are k
    items; grades of 0 or less (and NaN) never do. Raises ValueError for k below 1. Cost O(n log n).
    Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 4.1.
    """
    check_settings(k=k)
    lowest, size = None, 0
    for grade in sorted((grade for grade, count in counts.items() if grade > 0 and count), reverse=True):
        if size >= k:
            break
        lowest, size = grade, size + counts[grade]
    return lowest


def pool_size(counts: Mapping[float, int], k: int) -> int:
    """How many items `initial_pool` takes: `counts` as for `lowest_grade`; may be below or above k."""
    lowest = lowest_grade(counts, k)
    return 0 if lowest is None else sum(count for grade, count in counts.items() if grade >= lowest)


def initial_pool(grades: Mapping[int, float], k: int) -> list[int]:
    """The candidates of a topic, item -> grade: those down to the `lowest_grade`, best first, then by key."""
    lowest = lowest_grade(Counter(grades.values()), k)
    if lowest is None:
        return []
    chosen = [item for item, grade in grades.items() if grade >= lowest]
    return sorted(chosen, key=lambda item: (-grades[item], item))
