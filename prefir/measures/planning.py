"""Planning: how many items of a topic are worth judging, and the most judgments that a top k can need."""

from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any


def pool_size(grades: Mapping[Any, float], *, k: int) -> int:
    """How many items of a topic are candidates for its top k: whole grades from the top until there are k.

    grades: docno -> grade; grades of 0 or less never enter, so the pool may be smaller than k, as it may be
    larger. Raises ValueError for k below 1 or a grade that is not a number.
    Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 4.1. Time grows with the items.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    odd = next((docno for docno, grade in grades.items() if isnan(grade)), None)
    if odd is not None:
        raise ValueError(f"the grade of {odd!r} is not a number")
    graded = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return sum(grade >= graded[min(k, len(graded)) - 1] for grade in graded)


def dedicated_judgments(pool_sizes: Iterable[int], *, k: int) -> int:
    """Most judgments with which one assessor finds each topic's top k: sum of n + (k - 1) ceil(log2 n).

    pool_sizes: a topic's pool of n items each, made for this k; an empty pool needs none. Raises ValueError
    for k below 1 or a negative size. Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 4.2 and table 2.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    sizes = list(pool_sizes)
    if any(size < 0 for size in sizes):
        raise ValueError(f"a pool has {min(sizes)} items; it must be 0 or more")
    # (n - 1).bit_length() is ceil(log2 n) without rounding.
    return sum(size + (k - 1) * (size - 1).bit_length() for size in sizes if size)
