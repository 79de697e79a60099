"""The pool: which items of a topic are worth judging."""

from collections.abc import Mapping

from .state import check_settings


def initial_pool(grades: Mapping[int, float], k: int) -> list[int]:
    """The items worth judging ("thinning the herd"): best grade first, then by key.

    Whole grades from the top down while the pool is smaller than k, so it may exceed k; grades of 0
    or less (and NaN) never enter, so it may fall short. Cost O(n log n).
    """
    check_settings(k=k)
    by_grade: dict[float, list[int]] = {}
    for item, grade in grades.items():
        if grade > 0:
            by_grade.setdefault(grade, []).append(item)
    pool: list[int] = []
    for grade in sorted(by_grade, reverse=True):
        if len(pool) >= k:
            break
        pool += sorted(by_grade[grade])
    return pool
