"""Maximized effectiveness difference as it is defined: every assignment of relevance is tried.

`MEASURES` is the one table of them: what the library gives, the effectiveness it is the difference of, and
the grades an item can have. Effectiveness takes a ranking and the grade of every item.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import log2
from typing import NamedTuple

from prefir.measures.med import med_err, med_map, med_ndcg, med_precision, med_rbp, med_u

Grades = Mapping[object, float]
Effectiveness = Callable[[Sequence[object], Grades], float]

LENGTHS: dict[object, float] = {docno: 1 + 2 * place % 5 for place, docno in enumerate("abcdefgz")}


class Measure(NamedTuple):
    med: Callable[..., float]
    options: dict[str, object]
    effectiveness: Effectiveness
    grades: tuple[int, ...]


def relevance(grades: Grades, docno: object, max_grade: int | None) -> float:
    grade = max(0, grades.get(docno, 0))
    if max_grade is None:
        return float(grade > 0)
    return (2 ** min(grade, max_grade) - 1) / 2**max_grade


def precision(k: int) -> Effectiveness:
    return lambda ranking, grades: sum(relevance(grades, docno, None) for docno in ranking[:k]) / k


def rbp(psi: float, max_grade: int | None = None) -> Effectiveness:
    def effectiveness(ranking: Sequence[object], grades: Grades) -> float:
        return (1 - psi) * sum(
            relevance(grades, docno, max_grade) * psi**at for at, docno in enumerate(ranking)
        )

    return effectiveness


def ndcg(k: int, max_grade: int) -> Effectiveness:
    def effectiveness(ranking: Sequence[object], grades: Grades) -> float:
        best = sum((1 - 0.5**max_grade) / log2(rank + 1) for rank in range(1, k + 1))
        return (
            sum(
                relevance(grades, docno, max_grade) / log2(rank + 1)
                for rank, docno in enumerate(ranking[:k], 1)
            )
            / best
        )

    return effectiveness


def err(depth: int, max_grade: int) -> Effectiveness:
    def effectiveness(ranking: Sequence[object], grades: Grades) -> float:
        total, goes_on = 0.0, 1.0
        for rank, docno in enumerate(ranking[:depth], 1):
            total += goes_on * relevance(grades, docno, max_grade) / rank
            goes_on *= 1 - relevance(grades, docno, max_grade)
        return total

    return effectiveness


def average_precision(k: int, relevant: int | None = None) -> Effectiveness:
    def effectiveness(ranking: Sequence[object], grades: Grades) -> float:
        count = relevant or sum(grade > 0 for grade in grades.values())
        total = 0.0
        for rank, docno in enumerate(ranking[:k], 1):
            if grades.get(docno, 0) > 0:
                total += sum(grades.get(above, 0) > 0 for above in ranking[:rank]) / rank
        return total / count if count else 0.0

    return effectiveness


def u_measure(lengths: Mapping[object, float], limit: float, max_grade: int) -> Effectiveness:
    def effectiveness(ranking: Sequence[object], grades: Grades) -> float:
        total, offset = 0.0, 0.0
        for docno in ranking:
            offset += lengths[docno]
            total += relevance(grades, docno, max_grade) * max(0, 1 - offset / limit)
        return total

    return effectiveness


def largest_difference(
    a: Sequence[object],
    b: Sequence[object],
    known: Grades,
    grades: Sequence[int],
    effectiveness: Effectiveness,
    *,
    allowed: Callable[[Grades], bool] = lambda assignment: True,
) -> float:
    """Over every grade for every item without one, as far as the assignment is allowed."""
    free = [docno for docno in dict.fromkeys([*a, *b]) if docno not in known]
    best = 0.0
    for choice in product(grades, repeat=len(free)):
        assignment = dict(zip(free, choice, strict=True))
        if allowed(assignment):
            everything = {**known, **assignment}
            best = max(best, abs(effectiveness(a, everything) - effectiveness(b, everything)))
    return best


def u_of_lengths(a: Sequence[object], b: Sequence[object], grades: Grades | None = None, **options) -> float:
    """`med_u` with the lengths filled in, called as all the others are."""
    return med_u(a, b, LENGTHS, grades, **options)


MEASURES = {
    "precision": Measure(med_precision, {"k": 3}, precision(3), (0, 1)),
    "rbp": Measure(med_rbp, {"psi": 0.7, "tail": False}, rbp(0.7), (0, 1)),
    "graded rbp": Measure(med_rbp, {"psi": 0.6, "tail": False, "max_grade": 2}, rbp(0.6, 2), (0, 1, 2)),
    "ndcg": Measure(med_ndcg, {"k": 3}, ndcg(3, 2), (0, 1, 2)),
    "ndcg of grades to 1": Measure(med_ndcg, {"k": 4, "max_grade": 1}, ndcg(4, 1), (0, 1)),
    "err": Measure(med_err, {"depth": 4}, err(4, 2), (0, 1, 2)),
    "err of grades to 1": Measure(med_err, {"bound": None, "max_grade": 1}, err(30, 1), (0, 1)),
    "map": Measure(med_map, {"k": 4}, average_precision(4, relevant=4), (0, 1)),
    "map by the assigned": Measure(med_map, {"k": 4, "relevant": "assigned"}, average_precision(4), (0, 1)),
    "u": Measure(u_of_lengths, {"limit": 9}, u_measure(LENGTHS, 9, 2), (0, 1, 2)),
}
