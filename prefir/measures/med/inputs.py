"""Input of the MED measures: rankings as item numbers, grades as relevance, range checks of options."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..rbo import rank_of

Codes = NDArray[np.int32]
Values = NDArray[np.float64]

UNKNOWN = -1.0
"""Entry of an array of relevance: not judged, so any relevance is possible."""


def relevance(grades: Mapping[Any, float] | None, max_grade: float | None) -> dict[Any, float]:
    """Relevance of judged items by docno: (2^grade - 1) / 2^max_grade, or 0 and 1 if max_grade is None."""
    highest(max_grade)
    judged = grades or {}
    odd = next((docno for docno, grade in judged.items() if isnan(grade)), None)
    if odd is not None:
        raise ValueError(f"the grade of {odd!r} is not a number; leave out items that nobody judged")
    if max_grade is None:
        return {docno: float(grade > 0) for docno, grade in judged.items()}
    scale = 2.0**max_grade
    return {
        docno: (2.0 ** min(grade, max_grade) - 1) / scale if grade > 0 else 0.0
        for docno, grade in judged.items()
    }


def relevance_array(grades: ArrayLike, max_grade: float | None) -> Values:
    """`relevance` of items by number (items,); nan in `grades` is an item that nobody judged."""
    given = np.asarray(grades, float)
    if given.ndim != 1:
        raise ValueError(f"grades by item number have one dimension, not {given.ndim}")
    known: Values = np.maximum(given, 0.0)
    if max_grade is None:
        known = np.where(np.isnan(known), known, (known > 0).astype(float))
    else:
        known = (np.exp2(np.minimum(known, max_grade)) - 1) / 2.0**max_grade
    known[np.isnan(known)] = UNKNOWN
    return known


def highest(max_grade: float | None) -> float:
    """Relevance of max_grade: (2^max_grade - 1) / 2^max_grade, or 1 where relevance is binary."""
    if max_grade is None:
        return 1.0
    if not 0 < max_grade <= 1000:
        raise ValueError(f"max_grade is {max_grade}; it must be above 0 and at most 1000")
    return float((2.0**max_grade - 1) / 2.0**max_grade)


def positive(name: str, value: int) -> int:
    """Check that a depth is at least 1, and return it."""
    if value < 1:
        raise ValueError(f"{name} is {value}; it must be at least 1")
    return value


def coded_pair(
    a: Sequence[Any], b: Sequence[Any], known: Mapping[Any, float]
) -> tuple[Codes, Codes, Values, int]:
    """Number two rankings' items: both, relevance by number ((0,) if none is known), number of items."""
    number = rank_of(a)
    rank_of(b)  # only to refuse repeated docnos
    second = [number.setdefault(docno, len(number)) for docno in b]
    gains = np.array([known.get(docno, UNKNOWN) for docno in number] if known else [])
    return np.arange(len(a), dtype=np.int32), np.array(second, np.int32), gains, len(number)


def coded_rankings(
    a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]], known: Mapping[Any, float]
) -> tuple[Codes, Codes, Values, int]:
    """`coded_pair` of many pairs: rows (pairs, ranks) with -1 after a ranking's end."""
    number: dict[Any, int] = {}
    rows = []
    for rankings in (a, b):
        table = np.full((len(rankings), max(map(len, rankings), default=0)), -1, np.int32)
        for row, ranking in zip(table, rankings, strict=True):
            rank_of(ranking)
            row[: len(ranking)] = [number.setdefault(docno, len(number)) for docno in ranking]
        rows.append(table)
    gains = np.array([known.get(docno, UNKNOWN) for docno in number] if known else [])
    return rows[0], rows[1], gains, len(number)


def code_rows(rows: ArrayLike) -> Codes:
    """Check rankings given as item numbers: int32 (pairs, ranks), -1 after a ranking's end."""
    given = np.asarray(rows)
    if given.ndim != 2 or given.dtype.kind not in "iu":
        raise ValueError(
            f"rankings by number are whole numbers (pairs, ranks), not {given.dtype} {given.shape}"
        )
    if given.size and (given.min() < -1 or given.max() > np.iinfo(np.int32).max):
        raise ValueError("an item number is below -1 or beyond 32 bits; items are numbered from 0")
    return np.ascontiguousarray(given, np.int32)
