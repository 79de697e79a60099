"""Maximized effectiveness difference (MED): how far apart two rankings could come out, whatever is relevant.

MED of two rankings is the largest difference in an effectiveness measure that any assignment of relevance
can cause. Known relevance (`grades`) is fixed first; every other item may be anything. In the direction
that favours `a`, items of `a` alone get the highest relevance and items of `b` alone none; how hard it is to
choose for the shared items depends on the measure. MED is the larger of both directions, so it is symmetric.

In all of them a and b are rankings (n,), (m,): distinct docnos, best first; either may be empty,
and `grades` maps docno -> grade. Grade j is the relevance r_j = (2^j - 1) / 2^max_grade; grades above
max_grade are cut to it and grades below 0 count as 0. Where relevance is binary every grade above 0 is
relevant. A ranking that is shorter than the depth of the measure ends there, with nothing relevant below,
except under `med_rbp`, whose rankings go on unseen. All satisfy the triangle inequality, never grow when
relevance becomes known, and equal the difference in effectiveness where all is known; where `med_err`
leaves assignments out (`bound`) or `med_map` searches, this holds only if the largest difference is
found. All raise ValueError where a docno repeats, a grade is not a number or an option is out of its range.

Source: Tan & Clarke, A family of rank similarity measures based on maximized effectiveness difference,
TKDE 27(11), 2015.
"""

from .ap import med_map
from .err import med_err
from .linear import (
    med_ndcg,
    med_ndcg_pairs,
    med_precision,
    med_precision_pairs,
    med_rbp,
    med_rbp_pairs,
)
from .user import med_u

__all__ = [
    "med_err",
    "med_map",
    "med_ndcg",
    "med_ndcg_pairs",
    "med_precision",
    "med_precision_pairs",
    "med_rbp",
    "med_rbp_pairs",
    "med_u",
]
