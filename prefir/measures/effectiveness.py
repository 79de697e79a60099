"""Effectiveness measures on graded items: DCG and nDCG, ERR, RBP, average precision, precision, RR.

Each has two forms. By docno: a run (n,) of distinct docnos, best first, and `grades`, docno -> grade. By
rows, `..._rows`, for many runs of one topic: `rows` int (runs, ranks), rankings of items numbered from 0,
with -1 for items without a grade and after a list's end, and `grades` float (items,); it returns float64
(runs,) and does not notice an item that is in a row twice. The first form is the second with one row.

In both, items without a grade count as grade 0, and grades below 0 have no gain, as in trec_eval. A run
shorter than k counts as filled up with items without gain; an empty run scores 0, and so does any run on a
topic without gain or relevant items. k None means the whole run. Both raise ValueError where a docno
repeats, a grade is not a finite number, or an option is out of its range. Time grows with the ranks plus
the graded items (times a logarithm where an ideal ranking is needed).
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .measure import Inputs, measure
from .rbo import places, row_of
from .sources import XIE

JARVELIN = "Järvelin & Kekäläinen, TOIS 20(4), 2002"

Rows = NDArray[np.int32]
Values = NDArray[np.float64]


def dcg_rows(rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, gain: str = "linear") -> Values:
    """`dcg` of each row."""
    return _discounted(rows, _gains(grades, gain), _logarithmic, k)


@measure(
    name="dcg",
    title="DCG",
    inputs=Inputs.GRADES,
    high=inf,
    source=JARVELIN,
    rows=dcg_rows,
)
def dcg(
    run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None, gain: str = "linear"
) -> float:
    """Discounted cumulated gain: the sum over ranks i of gain / log2(i + 1), down to k.

    gain: "linear", the grade itself, as trec_eval has it, or "exponential", 2^grade - 1 (Burges et al.,
    ICML 2005). Returns a float of at least 0, without upper bound.
    Source: Järvelin & Kekäläinen, TOIS 20(4), 2002, with the discount that trec_eval uses.
    """
    rows, levels = numbered(run, grades)
    return float(dcg_rows(rows, levels, k=k, gain=gain)[0])


def ndcg_rows(rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, gain: str = "linear") -> Values:
    """`ndcg` of each row; the ideal ranking has all items of `grades`."""
    gains = _gains(grades, gain)
    values = _discounted(rows, gains, _logarithmic, k)
    # Summed in the same way as the rows, so that the ideal ranking itself scores exactly 1.
    ideal = np.sort(gains)[::-1][: depth_of(len(gains), k)]
    best = row_sums((ideal * _logarithmic(np.arange(1.0, len(ideal) + 1)))[np.newaxis])[0]
    # With nearly equal gains rounding may lift a worse order above the ideal.
    return np.minimum(values / best, 1.0) if best > 0 else values


@measure(
    name="ndcg",
    title="nDCG",
    inputs=Inputs.GRADES,
    source=JARVELIN,
    rows=ndcg_rows,
)
def ndcg(
    run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None, gain: str = "linear"
) -> float:
    """DCG divided by that of the ideal ranking of all items with a grade, whether the run has them or not.

    gain as in `dcg`. The ideal ranking is cut at k too; without k it holds all items, even where the run
    is shorter. Returns a float in [0, 1]; 0 where no grade is above 0.
    Source: Järvelin & Kekäläinen, TOIS 20(4), 2002; equal to trec_eval's ndcg and ndcg_cut.
    """
    rows, levels = numbered(run, grades)
    return float(ndcg_rows(rows, levels, k=k, gain=gain)[0])


def xie_dcg_rows(rows: ArrayLike, grades: ArrayLike, *, k: int | None = None) -> Values:
    """`xie_dcg` of each row."""
    return _discounted(rows, _gains(grades, "linear"), _late_logarithmic, k)


@measure(
    name="xie_dcg",
    title="DCG (Xie)",
    inputs=Inputs.GRADES,
    high=inf,
    source=f"{XIE}, their program",
    rows=xie_dcg_rows,
)
def xie_dcg(run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None) -> float:
    """DCG as in the program of Xie et al.: the first grade plus the sum over i >= 2 of grade / log2 i.

    Not divided by an ideal. Returns a float of at least 0, without upper bound.
    Source: Järvelin & Kekäläinen, TOIS 20(4), 2002, with base 2; Xie et al., SIGIR 2020.
    """
    rows, levels = numbered(run, grades)
    return float(xie_dcg_rows(rows, levels, k=k)[0])


def err_rows(
    rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, max_grade: float | None = None
) -> Values:
    """`err` of each row."""
    levels, max_grade = _up_to(grades, max_grade)
    # As a difference of two powers, which does not overflow for any grade.
    return cascade_rows(rows, np.exp2(levels - max_grade) - np.exp2(-max_grade), k=k)


def _highest_grade(judged: Mapping[str, Mapping[Any, float]]) -> dict[str, float]:
    """Option max_grade of `err`: the highest of all topics' grades; none where no grade is above 0."""
    highest = max((max(grades.values(), default=0.0) for grades in judged.values()), default=0.0)
    return {"max_grade": highest} if highest > 0 else {}


@measure(
    name="err",
    title="ERR",
    inputs=Inputs.GRADES,
    source="Chapelle et al., CIKM 2009",
    rows=err_rows,
    track=_highest_grade,
)
def err(
    run: Sequence[Any],
    grades: Mapping[Any, float],
    *,
    k: int | None = None,
    max_grade: float | None = None,
) -> float:
    """Expected reciprocal rank of the item that satisfies a user who reads from the top.

    An item satisfies with probability (2^grade - 1) / 2^max_grade. max_grade should be the highest grade
    that the track uses, so that topics are comparable; by default it is the highest in `grades`. A grade
    above it raises ValueError. Returns a float in [0, 1), nearer to 1 for higher grades.
    Source: Chapelle, Metzler, Zhang & Grinspan, CIKM 2009, equation 4.
    """
    if max_grade is not None:
        for over in (docno for docno, grade in grades.items() if grade > max_grade):
            raise ValueError(f"the grade of {over!r} is {grades[over]}, above max_grade {max_grade}")
    rows, levels = numbered(run, grades)
    return float(err_rows(rows, levels, k=k, max_grade=max_grade)[0])


def cascade_rows(rows: ArrayLike, stops: ArrayLike, *, k: int | None = None) -> Values:
    """Expected reciprocal rank of each row, from the probabilities (items,) that the items satisfy.

    An item that satisfies for certain leaves nothing to those below it. Raises ValueError above 1.
    """
    chances = np.maximum(finite_grades(stops), 0.0)
    if chances.max(initial=0.0) > 1:
        raise ValueError(f"item {chances.argmax()} satisfies with {chances.max()}, which is above 1")
    stop, ranks = hits_by_rank(rows, chances, k)
    goes_on = np.ones_like(stop)
    np.multiply.accumulate(1 - stop[:, :-1], axis=1, out=goes_on[:, 1:])
    return row_sums(goes_on * (stop / ranks))


def rbp_rows(
    rows: ArrayLike,
    grades: ArrayLike,
    *,
    p: float = 0.95,
    k: int | None = None,
    relevant: float = 1,
    max_grade: float | None = None,
) -> Values:
    """`rbp` of each row."""
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; the persistence must lie between 0 and 1, both excluded")
    wanted = relevance(grades, relevant)
    if max_grade is not None:
        wanted = _up_to(grades, max_grade)[0] / max_grade
    # Rounding may lift the sum of all the weights above 1.
    return np.minimum(_discounted(rows, wanted, lambda ranks: (1 - p) * p ** (ranks - 1), k), 1.0)


@measure(
    name="rbp",
    title="RBP",
    inputs=Inputs.GRADES,
    source="Moffat & Zobel, TOIS 27(1), 2008",
    rows=rbp_rows,
)
def rbp(
    run: Sequence[Any],
    grades: Mapping[Any, float],
    *,
    p: float = 0.95,
    k: int | None = None,
    relevant: float = 1,
    max_grade: float | None = None,
) -> float:
    """Rank-biased precision: (1 - p) times the sum of p^(i - 1) over the ranks i of relevant items.

    Relevance is binary, a grade of at least `relevant`, as in its authors' evaluation; with max_grade it is
    grade / max_grade, and each item adds its share, as they allow. Returns a float in
    [0, 1), the lower bound: items without a grade, and those below the run's end, count as not relevant,
    and the residual is not added.
    Raises ValueError where p is outside (0, 1) or a grade above max_grade. Source: Moffat & Zobel, eq. 4.
    """
    rows, levels = numbered(run, grades)
    return float(rbp_rows(rows, levels, p=p, k=k, relevant=relevant, max_grade=max_grade)[0])


def average_precision_rows(
    rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, relevant: float = 1
) -> Values:
    """`average_precision` of each row; the relevant items are counted in `grades`."""
    wanted = relevance(grades, relevant)
    hits, ranks = hits_by_rank(rows, wanted, k)
    return row_sums(hits * (hits.cumsum(axis=1) / ranks)) / max(1.0, wanted.sum())


@measure(
    name="ap",
    title="Average precision",
    inputs=Inputs.GRADES,
    source="trec_eval's map",
    rows=average_precision_rows,
)
def average_precision(
    run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None, relevant: float = 1
) -> float:
    """Mean of the precision at each relevant item's rank; relevant items not among the first k count 0.

    Relevant: a grade of at least `relevant`, which must be above 0. The divisor is the number of all
    relevant items, even where k is smaller. Returns a float in [0, 1].
    Source: Buckley & Voorhees, SIGIR 2000; equal to trec_eval's map and map_cut.
    """
    rows, levels = numbered(run, grades)
    return float(average_precision_rows(rows, levels, k=k, relevant=relevant)[0])


def precision_rows(rows: ArrayLike, grades: ArrayLike, *, k: int, relevant: float = 1) -> Values:
    """`precision` of each row."""
    return _discounted(rows, relevance(grades, relevant), np.ones_like, k) / k


@measure(
    name="p",
    title="Precision",
    inputs=Inputs.GRADES,
    source="trec_eval's P",
    rows=precision_rows,
    preset={"k": 10},
)
def precision(run: Sequence[Any], grades: Mapping[Any, float], *, k: int, relevant: float = 1) -> float:
    """Share of relevant items among the first k; the divisor is k even where the run is shorter.

    Relevant: a grade of at least `relevant`, which must be above 0. Returns a float in [0, 1]; equal to
    trec_eval's P.
    """
    rows, levels = numbered(run, grades)
    return float(precision_rows(rows, levels, k=k, relevant=relevant)[0])


def reciprocal_rank_rows(
    rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, relevant: float = 1
) -> Values:
    """`reciprocal_rank` of each row."""
    hits, ranks = hits_by_rank(rows, relevance(grades, relevant), k)
    return row_sums(hits[:, :1] / ranks[:, :1])


@measure(
    name="rr",
    title="Reciprocal rank",
    inputs=Inputs.GRADES,
    source="trec_eval's recip_rank",
    rows=reciprocal_rank_rows,
)
def reciprocal_rank(
    run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None, relevant: float = 1
) -> float:
    """1 / rank of the first relevant item; 0 where the first k hold none.

    Relevant: a grade of at least `relevant`, which must be above 0. Returns a float in [0, 1]; equal to
    trec_eval's recip_rank.
    """
    rows, levels = numbered(run, grades)
    return float(reciprocal_rank_rows(rows, levels, k=k, relevant=relevant)[0])


def numbered(run: Sequence[Any], grades: Mapping[Any, float]) -> tuple[Rows, Values]:
    """Number the items: the run as a row (1, n), and the grades (items,) by item number.

    Raises ValueError where the run repeats a docno or a grade is not a finite number.
    """
    try:
        levels = np.fromiter(grades.values(), np.float64, len(grades))
    except (TypeError, ValueError):
        odd = next((docno for docno, grade in grades.items() if not isinstance(grade, Real)), None)
        raise ValueError(f"the grade of {odd!r} is {grades[odd]!r}, not a number") from None
    if not np.isfinite(levels).all():
        odd = list(grades)[int(np.isfinite(levels).argmin())]
        raise ValueError(f"the grade of {odd!r} is {grades[odd]}, not a finite number")
    return row_of(run, dict(zip(grades, range(len(grades)), strict=True))), levels


def depth_of(ranks: int, k: int | None) -> int:
    """Number of ranks that k leaves of a list. Raises ValueError where k is not a whole number above 0."""
    if k is None:
        return ranks
    if k < 1 or k % 1:
        raise ValueError(f"k is {k}; it must be a whole number of at least 1")
    return int(min(k, ranks))


def _discounted(
    rows: ArrayLike, gains: Values, discount: Callable[[Values], Values], k: int | None
) -> Values:
    """Sum of gain times discount of each row; discount: from ranks, counted from 1, to their weights."""
    found, ranks = hits_by_rank(rows, gains, k)
    weights = discount(np.arange(1.0, ranks.max(initial=0) + 1))
    return row_sums(found * weights[ranks - 1])


def _logarithmic(ranks: Values) -> Values:
    return 1 / np.log2(ranks + 1)


def _late_logarithmic(ranks: Values) -> Values:
    return 1 / np.log2(np.maximum(ranks, 2))


def _gains(grades: ArrayLike, gain: str) -> Values:
    levels = np.maximum(finite_grades(grades), 0.0)
    if gain == "linear":
        return levels
    if gain != "exponential":
        raise ValueError(f"there is no gain {gain!r}; there are linear and exponential")
    if levels.max(initial=0.0) > 1000:
        raise ValueError(
            f"the grade of item {levels.argmax()} is {levels.max()}: 2 to that power is too much"
        )
    return np.exp2(levels) - 1


def relevance(grades: ArrayLike, relevant: float) -> Values:
    """1 for the items with a grade of at least `relevant`, 0 for the others."""
    if not relevant > 0:
        raise ValueError(f"relevant is {relevant}; it must be above 0, the grade of items without one")
    return (finite_grades(grades) >= relevant).astype(np.float64)


def _up_to(grades: ArrayLike, max_grade: float | None) -> tuple[Values, float]:
    """Grades of at least 0, and the highest that there can be, by default the highest of them; checked."""
    levels = np.maximum(finite_grades(grades), 0.0)
    if max_grade is None:
        return levels, float(levels.max(initial=0.0))
    if not 0 < max_grade < np.inf:
        raise ValueError(f"max_grade is {max_grade}; it must be a number above 0")
    if (highest := levels.max(initial=0.0)) > max_grade:
        raise ValueError(f"the grade of item {levels.argmax()} is {highest}, above max_grade {max_grade}")
    return levels, max_grade


def finite_grades(grades: ArrayLike) -> Values:
    levels = np.asarray(grades, np.float64)
    if not np.isfinite(levels).all():
        raise ValueError(f"the grade of item {np.isfinite(levels).argmin()} is not a finite number")
    return levels


def hits_by_rank(rows: ArrayLike, items: Values, k: int | None) -> tuple[Values, NDArray[np.int64]]:
    """Values and ranks, from 1, of each row's items that have a value other than 0: (runs, most of any row).

    Moved together, in the order of ranks, as most ranks of most runs have no such item; 0 at rank 1 fills up.
    """
    codes = np.asarray(rows, np.int32)
    if codes.ndim != 2 or items.ndim != 1:
        raise ValueError(f"rows {codes.shape} must be (runs, ranks), and grades {items.shape} be (items,)")
    if codes.size and not -1 <= codes.min() <= codes.max() < items.size:
        raise ValueError(f"rows have items {codes.min()} to {codes.max()}; there are {items.size}, from 0")
    run, at = places(codes[:, : depth_of(codes.shape[1], k)], items != 0)
    first = np.searchsorted(run, np.arange(len(codes) + 1))
    column = np.arange(len(run)) - first[run]
    shape = (len(codes), int(np.diff(first).max(initial=0)))
    values, ranks = np.zeros(shape), np.ones(shape, np.int64)
    values[run, column] = items[codes[run, at]]
    ranks[run, column] = at + 1
    return values, ranks


def row_sums(terms: Values) -> Values:
    """Sum of each row, in the order of ranks, so that equal rankings give equal floats."""
    return terms.cumsum(axis=1)[:, -1] if terms.shape[1] else np.zeros(len(terms))
