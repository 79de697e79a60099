"""Measures of what a run finds: recall, success, R-precision, precision of sets and at a recall, and others.

Forms, grades and refusals as in `effectiveness`. Relevant is a grade of at least `relevant`, which must be
above 0. A grade below 0 marks an item that was drawn for judging and has no judgment, as in trec_eval:
bpref passes over it, inferred AP counts it in the pool, and it is not judged.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .effectiveness import (
    Values,
    finite_grades,
    hits_by_rank,
    numbered,
    precision_rows,
    relevance,
    row_sums,
)
from .measure import Inputs, measure

# What trec_eval adds to a share of no items.
SMOOTHING = 1e-5


def recall_rows(rows: ArrayLike, grades: ArrayLike, *, k: int | None = None, relevant: float = 1) -> Values:
    """`recall` of each row."""
    wanted = relevance(grades, relevant)
    return row_sums(hits_by_rank(rows, wanted, k)[0]) / max(1.0, wanted.sum())


@measure(
    name="recall",
    title="Recall",
    inputs=Inputs.GRADES,
    source="trec_eval's recall and set_recall",
    rows=recall_rows,
)
def recall(
    run: Sequence[Any], grades: Mapping[Any, float], *, k: int | None = None, relevant: float = 1
) -> float:
    """Share of all relevant items that are among the first k; k None: anywhere in the run.

    Returns a float in [0, 1]; 0 where no item is relevant. Equal to trec_eval's recall_k and, without k,
    set_recall.
    """
    rows, levels = numbered(run, grades)
    return float(recall_rows(rows, levels, k=k, relevant=relevant)[0])


def success_rows(rows: ArrayLike, grades: ArrayLike, *, k: int, relevant: float = 1) -> Values:
    """`success` of each row."""
    return row_sums(hits_by_rank(rows, relevance(grades, relevant), k)[0][:, :1])


@measure(
    name="success",
    title="Success",
    inputs=Inputs.GRADES,
    source="trec_eval's success",
    rows=success_rows,
    preset={"k": 10},
)
def success(run: Sequence[Any], grades: Mapping[Any, float], *, k: int, relevant: float = 1) -> float:
    """1 where one of the first k items is relevant, else 0.

    The mean over topics is the share of topics that are served. Equal to trec_eval's success_k.
    """
    rows, levels = numbered(run, grades)
    return float(success_rows(rows, levels, k=k, relevant=relevant)[0])


def r_precision_rows(rows: ArrayLike, grades: ArrayLike, *, relevant: float = 1) -> Values:
    """`r_precision` of each row."""
    wanted = int(relevance(grades, relevant).sum())
    return precision_rows(rows, grades, k=max(1, wanted), relevant=relevant)


@measure(
    name="r_precision",
    title="R-precision",
    inputs=Inputs.GRADES,
    source="trec_eval's Rprec",
    rows=r_precision_rows,
)
def r_precision(run: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1) -> float:
    """Precision at rank R, the number of relevant items of the topic.

    Returns a float in [0, 1]; 0 where no item is relevant. Equal to trec_eval's Rprec.
    """
    rows, levels = numbered(run, grades)
    return float(r_precision_rows(rows, levels, relevant=relevant)[0])


def set_precision_rows(
    rows: ArrayLike, grades: ArrayLike, *, lengths: ArrayLike | None = None, relevant: float = 1
) -> Values:
    """`set_precision` of each row. lengths (runs,): items of each run; None: it ends with its last relevant
    one.
    """
    hits, ranks = hits_by_rank(rows, relevance(grades, relevant), None)
    found = row_sums(hits)
    size = (hits * ranks).max(axis=1, initial=0) if lengths is None else np.asarray(lengths)
    return found / np.maximum(1, size)


@measure(
    name="set_precision",
    title="Precision of a set",
    inputs=Inputs.GRADES,
    source="trec_eval's set_P",
    rows=set_precision_rows,
    lengths=True,
)
def set_precision(run: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1) -> float:
    """Share of relevant items among all that the run has, in whatever order.

    Returns a float in [0, 1]; 0 for an empty run. Equal to trec_eval's set_P.
    """
    rows, levels = numbered(run, grades)
    return float(set_precision_rows(rows, levels, lengths=[rows.shape[1]], relevant=relevant)[0])


def set_f_rows(
    rows: ArrayLike,
    grades: ArrayLike,
    *,
    lengths: ArrayLike | None = None,
    beta: float = 1,
    relevant: float = 1,
) -> Values:
    """`set_f` of each row; lengths as of `set_precision_rows`."""
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta is {beta}; it must be a number of at least 0")
    precision = set_precision_rows(rows, grades, lengths=lengths, relevant=relevant)
    found = recall_rows(rows, grades, relevant=relevant)
    below = beta**2 * precision + found
    return (1 + beta**2) * precision * found / np.where(below > 0, below, 1.0)


@measure(
    name="set_f",
    title="F of a set",
    inputs=Inputs.GRADES,
    source="trec_eval's set_F",
    rows=set_f_rows,
    lengths=True,
)
def set_f(run: Sequence[Any], grades: Mapping[Any, float], *, beta: float = 1, relevant: float = 1) -> float:
    """Weighted harmonic mean of `set_precision` and `recall`: recall counts beta times as much.

    beta: at least 0; 0 is precision alone. Returns a float in [0, 1]; 0 where no relevant item is found.
    Equal to trec_eval's set_F and ir_measures' SetF, whose parameter is beta squared.
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    rows, levels = numbered(run, grades)
    return float(set_f_rows(rows, levels, lengths=[rows.shape[1]], beta=beta, relevant=relevant)[0])


def interpolated_precision_rows(
    rows: ArrayLike, grades: ArrayLike, *, recall: float = 0.0, relevant: float = 1
) -> Values:
    """`interpolated_precision` of each row."""
    if not 0 <= recall <= 1:
        raise ValueError(f"recall is {recall}; it must lie between 0 and 1")
    wanted = relevance(grades, relevant)
    hits, ranks = hits_by_rank(rows, wanted, None)
    found = hits.cumsum(axis=1)
    # Rounded to whole items as in trec_eval.
    needed = int(recall * wanted.sum() + 0.9)
    best: Values = (hits * (found >= needed) * found / ranks).max(axis=1, initial=0.0)
    return best


@measure(
    name="interpolated_precision",
    title="Interpolated precision",
    inputs=Inputs.GRADES,
    source="trec_eval's iprec_at_recall",
    rows=interpolated_precision_rows,
)
def interpolated_precision(
    run: Sequence[Any], grades: Mapping[Any, float], *, recall: float = 0.0, relevant: float = 1
) -> float:
    """Highest precision at any rank at which the recall is at least `recall`, 0 to 1.

    The values at 0, .1 ... 1 are the classic curve. As in trec_eval the relevant items that are needed are
    int(recall * R + .9), R all of them. Returns a float in [0, 1]; 0 where too few are found. Equal to
    trec_eval's iprec_at_recall and ir_measures' IPrec.
    """
    rows, levels = numbered(run, grades)
    return float(interpolated_precision_rows(rows, levels, recall=recall, relevant=relevant)[0])


def judged_rows(rows: ArrayLike, grades: ArrayLike, *, k: int) -> Values:
    """`judged` of each row."""
    known = (finite_grades(grades) >= 0).astype(np.float64)
    return row_sums(hits_by_rank(rows, known, k)[0]) / k


@measure(
    name="judged",
    title="Judged items",
    inputs=Inputs.GRADES,
    source="ir_measures' Judged",
    rows=judged_rows,
    preset={"k": 10},
)
def judged(run: Sequence[Any], grades: Mapping[Any, float], *, k: int) -> float:
    """Share of items with a grade of at least 0 among the first k; the divisor is k even for a shorter run.

    ir_measures divides by the length of a run that is shorter. Returns a float in [0, 1]. Where it is low,
    the other measures count unknown items as not relevant.
    """
    rows, levels = numbered(run, grades)
    return float(judged_rows(rows, levels, k=k)[0])


def bpref_rows(rows: ArrayLike, grades: ArrayLike, *, relevant: float = 1) -> Values:
    """`bpref` of each row."""
    wanted = relevance(grades, relevant)
    others = (finite_grades(grades) >= 0) & (wanted == 0)
    found, _ = hits_by_rank(rows, wanted - others, None)
    all_wanted, all_others = wanted.sum(), others.sum()
    above = np.minimum((found < 0).cumsum(axis=1), all_wanted)
    # Without an item that is judged and not relevant none can stand above.
    shares = 1 - above / max(1.0, min(all_wanted, all_others))
    return row_sums((found > 0) * shares) / max(1.0, all_wanted)


@measure(
    name="bpref",
    title="bpref",
    inputs=Inputs.GRADES,
    source="Buckley & Voorhees, SIGIR 2004; trec_eval's bpref",
    rows=bpref_rows,
)
def bpref(run: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1) -> float:
    """Mean over the R relevant items of 1 - (judged items above it that are not relevant) / min(R, N).

    At most R of these items count; N is the number of all that are judged and not relevant. Items without a
    judgment are passed over, so that few judgments lower it less than average precision. Returns a float in
    [0, 1]; relevant items that the run lacks count 0. Equal to trec_eval's bpref.
    """
    rows, levels = numbered(run, grades)
    return float(bpref_rows(rows, levels, relevant=relevant)[0])


def inferred_ap_rows(rows: ArrayLike, grades: ArrayLike, *, relevant: float = 1) -> Values:
    """`inferred_ap` of each row."""
    levels, wanted = finite_grades(grades), relevance(grades, relevant)
    relevant_one, other, unknown = 1, 2, 3
    kinds = np.where(wanted > 0, relevant_one, np.where(levels >= 0, other, unknown))
    found, ranks = hits_by_rank(rows, kinds.astype(np.float64), None)
    hits = found == relevant_one
    # Of the items above each: the relevant ones, the judged ones, and all that were drawn.
    hits_above = hits.cumsum(axis=1) - hits
    known_above = hits_above + (found == other).cumsum(axis=1)
    drawn_above = known_above + (found == unknown).cumsum(axis=1)
    share = (hits_above + SMOOTHING) / (known_above + 2 * SMOOTHING)
    return row_sums(hits * (1 + drawn_above * share) / ranks) / max(1.0, wanted.sum())


@measure(
    name="inferred_ap",
    title="Inferred average precision",
    inputs=Inputs.GRADES,
    source="Yilmaz & Aslam, CIKM 2006; trec_eval's infAP",
    rows=inferred_ap_rows,
)
def inferred_ap(run: Sequence[Any], grades: Mapping[Any, float], *, relevant: float = 1) -> float:
    """Average precision as estimated from a random sample of judgments of a pool.

    Items of the pool outside the sample have a grade below 0. Above a relevant item the pool's items count as
    relevant at the rate of those that were judged there. Returns a float in [0, 1], average precision itself
    (but for a smoothing of 1e-5) where the whole pool is judged. Equal to trec_eval's infAP.
    Source: Yilmaz & Aslam, CIKM 2006.
    """
    rows, levels = numbered(run, grades)
    return float(inferred_ap_rows(rows, levels, relevant=relevant)[0])
