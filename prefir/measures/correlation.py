"""Rank correlations (Kendall, Spearman, AP) and distances between top-k lists (Fagin, Bar-Ilan)."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from prefir.extras import require

from .measure import Inputs, measure
from .rbo import ABSENT, rank_of

FAGIN = "Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003"


@measure(
    name="kendall_tau",
    title="Kendall's τ",
    inputs=Inputs.RANKINGS,
    low=-1,
    source="Kendall, Biometrika 30, 1938",
    symmetric=True,
    preset={"conjoint": True},
)
def kendall_tau(a: Sequence[str], b: Sequence[str], *, conjoint: bool = False) -> float:
    """Kendall's tau of two rankings without ties: share of item pairs in the same order minus the others'.

    a, b: distinct docnos, best first, of the same items; with `conjoint` of any items, and only the
    shared ones are compared. Returns a float in [-1, 1]; `ABSENT` (nan) below two items. Symmetric.
    Raises ValueError where a docno repeats or, without `conjoint`, is in one ranking only.
    Source: Kendall, Biometrika 30, 1938. Time grows with n log n.
    """
    ranks = _ranks_in(a, b, conjoint)
    if len(ranks) < 2:
        return ABSENT
    pairs = len(ranks) * (len(ranks) - 1) // 2
    return (2 * int(_earlier_smaller(ranks).sum()) - pairs) / pairs


@measure(
    name="tau_ap",
    title="τ_AP",
    inputs=Inputs.RANKINGS,
    low=-1,
    source="Yilmaz, Aslam & Robertson, SIGIR 2008",
    preset={"conjoint": True},
)
def tau_ap(
    ranking: Sequence[str], reference: Sequence[str], *, symmetric: bool = False, conjoint: bool = False
) -> float:
    """AP correlation: Kendall's tau in which errors near the top of `ranking` weigh more.

    ranking, reference: distinct docnos, best first, of the same items; with `conjoint` of any items, and
    only the shared ones are compared. For each item of `ranking` but the first: the share of the items
    above it that are above it in `reference` too; the mean of these shares is scaled to [-1, 1].
    Not symmetric: `symmetric` gives the mean of both directions. `ABSENT` (nan) below two items.
    Raises ValueError as `kendall_tau`.
    Source: Yilmaz, Aslam & Robertson, SIGIR 2008. Time grows with n log n.
    """
    ranks = _ranks_in(ranking, reference, conjoint)
    if len(ranks) < 2:
        return ABSENT
    value = _ap(ranks)
    # The inverse permutation is the other ranking seen from this one.
    return (value + _ap(np.argsort(ranks))) / 2 if symmetric else value


@measure(
    name="spearman",
    title="Spearman's ρ",
    inputs=Inputs.RANKINGS,
    low=-1,
    source="Spearman, American Journal of Psychology 15, 1904",
    symmetric=True,
    preset={"conjoint": True},
)
def spearman(a: Sequence[str], b: Sequence[str], *, conjoint: bool = False) -> float:
    """Spearman's rho of two rankings without ties: the linear correlation of their ranks.

    a, b, `conjoint` and errors as in `kendall_tau`; with `conjoint` the shared items are ranked anew.
    Returns a float in [-1, 1]; `ABSENT` (nan) below two items. Symmetric.
    Source: Spearman, American Journal of Psychology 15, 1904. Time grows with n.
    """
    ranks = _ranks_in(a, b, conjoint)
    count = len(ranks)
    if count < 2:
        return ABSENT
    squares = int(((ranks - np.arange(count)) ** 2).sum())
    return 1 - 6 * squares / (count * (count * count - 1))


@measure(
    name="top_k_kendall",
    title="Top-k Kendall distance",
    inputs=Inputs.RANKINGS,
    source=FAGIN,
    symmetric=True,
    distance=True,
)
def top_k_kendall(
    a: Sequence[str], b: Sequence[str], *, penalty: float = 0.0, normalize: bool = True
) -> float:
    """Kendall distance K^(p) of two top-k lists, which may name different items.

    a (k,), b (l,): distinct docnos, best first; k and l may differ (the paper has k = l). A pair of
    listed items costs 1 where the lists must disagree on its order, as an unlisted item is below every
    listed one. It costs `penalty` (the paper's p) where one list has both and the other neither:
    0 is optimistic, 1/2 neutral. Not a metric: at 0, different lists may be at distance 0.
    Returns a float, symmetric: in [0, 1], divided by the distance of two lists of these lengths without
    shared items (`normalize`; `ABSENT`, nan, where that is 0), or else at least 0. Reversed lists of the
    same k items are thus at (k - 1) / 2k.
    Raises ValueError where a docno repeats or the penalty is outside [0, 1].
    Source: Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003. Time grows with n log n.
    """
    if not 0 <= penalty <= 1:
        raise ValueError(f"penalty is {penalty}; it must be in [0, 1]")
    rank_a, rank_b = rank_of(a), rank_of(b)
    ranks = _ranks_in(a, b, True)
    shared, alone_a, alone_b = len(ranks), len(rank_a) - len(ranks), len(rank_b) - len(ranks)
    distance = shared * (shared - 1) // 2 - (int(_earlier_smaller(ranks).sum()) if shared else 0)
    distance += _alone_above(a, rank_b) + _alone_above(b, rank_a) + alone_a * alone_b
    value = distance + penalty * (_pairs(alone_a) + _pairs(alone_b))
    if not normalize:
        return float(value)
    widest = len(rank_a) * len(rank_b) + penalty * (_pairs(len(rank_a)) + _pairs(len(rank_b)))
    return value / widest if widest else ABSENT


@measure(
    name="top_k_footrule",
    title="Top-k footrule",
    inputs=Inputs.RANKINGS,
    source=FAGIN,
    symmetric=True,
    distance=True,
)
def top_k_footrule(a: Sequence[str], b: Sequence[str], *, normalize: bool = True) -> float:
    """Spearman's footrule of two top-k lists, F^(k+1): the sum of the differences in rank.

    a (k,), b (l,): distinct docnos, best first. An item that a list lacks has the rank after its last.
    Returns a float, symmetric: in [0, 1], divided by the distance of two lists of these lengths without
    shared items, k (k + 1) where they are equally long (`normalize`; `ABSENT`, nan, where that is 0), or
    else at least 0. Raises ValueError where a docno repeats.
    Source: Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003. Time grows with k + l.
    """
    return _moved(a, b, float, normalize)


@measure(
    name="inverse_distance",
    title="Inverse measure",
    inputs=Inputs.RANKINGS,
    source="Bar-Ilan, Levene & Mat-Hassan, J. Documentation 62(6), 2006",
    symmetric=True,
    distance=True,
)
def inverse_distance(a: Sequence[str], b: Sequence[str], *, normalize: bool = True) -> float:
    """The inverse measure: the sum of the differences in 1 / rank between two top-k lists.

    As `top_k_footrule`, with the reciprocals of the ranks, so that the top counts most. Normalised it
    is 1 - M in Bar-Ilan's notation, whose M is a similarity.
    Source: Bar-Ilan, Levene & Mat-Hassan, Journal of Documentation 62(6), 2006. Time grows with k + l.
    """
    return _moved(a, b, lambda rank: 1 / rank, normalize)


@measure(
    name="kendall_tau_b",
    title="Kendall's τ-b",
    inputs=Inputs.MEANS,
    low=-1,
    source="Kendall, Biometrika 33, 1945",
    symmetric=True,
)
def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    """Kendall's tau-b of two score vectors: ties count for neither order and reduce the denominator.

    x, y (n,): the scores of the same items in the same order. Returns a float in [-1, 1]; `ABSENT` (nan)
    below two items or where all scores of a vector are equal. Symmetric; without ties it is tau.
    Raises ValueError where the lengths differ or a score is not finite.
    Source: Kendall, Biometrika 33, 1945. Time grows with n log n.
    """
    if isinstance(x, Mapping) or isinstance(y, Mapping):
        raise TypeError("scores are two sequences in one order of items, no dictionaries")
    require("scipy")
    from scipy.stats import kendalltau

    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if left.ndim != 1 or left.shape != right.shape:
        raise ValueError(f"the score vectors have shapes {left.shape} and {right.shape}")
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise ValueError("a score is not finite; leave out items without scores")
    if len(left) < 2 or left.min() == left.max() or right.min() == right.max():
        return ABSENT
    return float(min(1.0, max(-1.0, kendalltau(left, right, variant="b").statistic)))


def _moved(a: Sequence[str], b: Sequence[str], worth: Callable[[int], float], normalize: bool) -> float:
    rank_a, rank_b = rank_of(a), rank_of(b)
    k, l = len(rank_a), len(rank_b)  # noqa: E741
    after_a, after_b = worth(k + 1), worth(l + 1)
    terms = [
        abs(worth(place + 1) - (worth(rank_b[docno] + 1) if docno in rank_b else after_b))
        for docno, place in rank_a.items()
    ]
    terms += [abs(worth(place + 1) - after_a) for docno, place in rank_b.items() if docno not in rank_a]
    distance = fsum(terms)
    if not normalize:
        return distance
    # Lists without shared items are farthest apart: sharing an item brings them nearer.
    widest = fsum(abs(worth(rank) - after_b) for rank in range(1, k + 1))
    widest += fsum(abs(worth(rank) - after_a) for rank in range(1, l + 1))
    return min(1.0, distance / widest) if widest else ABSENT


def _ranks_in(a: Sequence[str], b: Sequence[str], conjoint: bool) -> NDArray[np.int64]:
    """Ranks in b, counted from 0, of the shared items in a's order."""
    rank_a, rank_b = rank_of(a), rank_of(b)
    if not conjoint and rank_a.keys() != rank_b.keys():
        lone = min(rank_a.keys() ^ rank_b.keys())
        raise ValueError(f"{lone!r} is in one ranking only; pass conjoint=True to compare what they share")
    ranks = np.array([rank_b[docno] for docno in rank_a if docno in rank_b], dtype=np.int64)
    if len(ranks) == len(rank_b):
        return ranks
    close = np.empty(len(ranks), dtype=np.int64)
    close[np.argsort(ranks)] = np.arange(len(ranks))
    return close


def _earlier_smaller(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    from .kernels.correlation import earlier_smaller

    counts: NDArray[np.int64] = earlier_smaller(ranks)
    return counts


def _ap(ranks: NDArray[np.int64]) -> float:
    shares = _earlier_smaller(ranks)[1:] / np.arange(1, len(ranks))
    return 2 * fsum(shares.tolist()) / (len(ranks) - 1) - 1


def _alone_above(ranking: Sequence[str], other: dict[str, int]) -> int:
    """Number of pairs of a shared item and one of this list only in which the latter is ahead."""
    alone = ahead = 0
    for docno in ranking:
        if docno in other:
            ahead += alone
        else:
            alone += 1
    return ahead


def _pairs(items: int) -> int:
    return items * (items - 1) // 2
