"""Ceilings: the best value of a measure that any ranking could reach on a topic, given what is judged there.

A mean of 0.578 says little where no ranking could have more than 0.93. `measure_ceiling` gives that value,
for each measure of the table that scores runs, over all rankings of the topic's items, of any length.

- **Measures of grades** (nDCG, DCG, RBP, ERR, AP ...) are exact: no ranking is better than all items by
  falling grade. Proof: an item's gain counts the less the lower it stands, so that it never costs to exchange
  two neighbours of which the lower has the higher grade; for ERR the exchange at rank r adds
  (R_lower - R_upper) (1/r - 1/(r + 1)) >= 0.
- **Compatibility** is exact: that ranking is its own ideal ranking, which gives 1, or RBO(I, I) without NRBO.
- **PGC** is exact: RBO(I, I), for an ideal ranking I of all n nodes. It is a bound: down to depth d, a list
  of n items shares at most min(d, n) with any other. It is reached, since an ideal ranking is its own ideal:
  at each step the greedy algorithm has the same candidates, by induction; of sinks it takes the one that the
  run has last, which in I is the one that it put last, and of all others the one that the run has first,
  which in I is the one that it put first.
- **Δ-nDCG and Δ-ERR** are exact, and 1: their best item has gain 1, and the items by falling gain are ideal.
- **Win rate** is 1/2 + D(T) / 2 M(T) for the set T of the first items: D is their wins less their losses, a
  sum over items, and M the judgments that T takes part in with others, which is a cut. The best T of any size
  is found exactly (below). If it has k items or fewer the ceiling is exact, else it is an upper bound.
- **ppref, wpref, appref** are at most the largest share of judgments that may be correct among those that a
  set T orders, over all T: [wins of T's items - Σ of the smaller side of each pair inside] / [judgments that
  touch T]. ppref is such a share of T, its first k items, at most. wpref is an average of them over 1..k, as
  its weights fall with the rank, and so is appref. Where the best T is one item, the ranking of that item
  alone reaches it, and the ceiling is exact; else it is a bound: the best order of all items is a minimum
  feedback arc set, which is NP-hard.
- **PWP**, over the orders of a system's items in its grid, is (λ + (1 - λ) WR) PB: `pwp_ceiling`.
- **rpref** is at most the smaller of two shares: the larger side of every pair, and the wins of the k items
  with most wins. It is exact where the items by falling wins less losses reach it.

Best sets: N(T) - λ E(T) is, for λ >= 1/2, a sum over items plus a sum of non-negative terms over pairs inside
T; its largest value is a minimum cut (Goldberg, 1984), and λ rises to the best share in a few steps
(Dinkelbach, Management Science 13(7), 1967), in whole numbers.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .effectiveness import numbered
from .graph import PreferenceGraph
from .grid import GridPlacement
from .images import Placements, Preferences, pb, pwp, win_ratio
from .measure import Inputs
from .pairwise import rpref_rows
from .preference import ideal_ranking
from .rbo import ABSENT
from .rbo import ceiling as rbo_of_itself

INEXACT = frozenset({"win_rate", "ppref", "wpref", "rpref", "appref"})
"""Measures whose ceiling may be an upper bound only."""

Whole = NDArray[np.int64]


class Ceiling(NamedTuple):
    """The best value of a measure on a topic. exact: whether a ranking reaches it; else none exceeds it.

    value: in the measure's range; `ABSENT` (nan), and exact, where the measure has no value for any run.
    """

    value: float
    exact: bool


def measure_ceiling(
    name: str, judged: Mapping[Any, float] | PreferenceGraph, *, k: int | None = None, **options: Any
) -> Ceiling:
    """Compute the ceiling of a measure on one topic: the best value of any ranking of the topic's items.

    name: in `MEASURES`, of a measure of runs. judged: docno -> grade, or a `PreferenceGraph`, as for the
    measure. k and options: the measure's own. Raises ValueError for another measure, and as the measure does;
    also for wpref without `normalize`, which has no upper bound that is known.
    Source: the proofs at the head of this module. Time: as of the measure for one run; of win rate and of
    precisions of preferences as of a few minimum cuts of the graph.
    """
    from .registry import MEASURES

    measure = MEASURES.get(name)
    if measure is None or measure.rows is None:
        raise ValueError(f"there is no measure {name!r} of runs")
    if measure.inputs is Inputs.GRADES:
        assert isinstance(judged, Mapping)
        _, grades = numbered([], judged)
        return grades_ceiling(measure.rows, grades, **({} if k is None else {"k": k}), **options)
    assert isinstance(judged, PreferenceGraph)
    if name == "pgc":
        return Ceiling(pgc_ceilings(judged, (options.pop("p", 0.95),), **options)[0], True)
    measure.function([], judged, k=k, **options)  # raises for an option that is out of its range
    if name in ("delta_ndcg", "delta_err"):
        return Ceiling(1.0 if _differs(judged) else ABSENT, True)
    if name == "win_rate":
        return win_rate_ceilings(judged, (k,))[0]
    if name == "rpref":
        return _rpref_ceiling(judged, k)
    if not options.get("normalize", True):
        raise ValueError("wpref without normalize has no ceiling that is known")
    return ordered_ceiling(judged)


def grades_ceiling(of_rows: Any, grades: ArrayLike, **options: Any) -> Ceiling:
    """Value of a measure of grades, in its form for rows, for all items by falling grade: its exact ceiling.

    grades: (items,). Computed as a run's score is, so that the best run scores exactly this.
    """
    levels = np.asarray(grades, np.float64)
    best = np.argsort(-levels, kind="stable").astype(np.int32)[np.newaxis]
    return Ceiling(float(of_rows(best, levels, **options)[0]), True)


def pgc_ceilings(
    graph: PreferenceGraph, ps: Sequence[float], *, depth: int = 1000, normalize: bool = True
) -> tuple[float, ...]:
    """Exact ceiling of PGC for each persistence in `ps`; `ABSENT` where the graph has no node."""
    nodes = len(graph.nodes)
    values = rbo_of_itself(nodes, tuple(ps), depth, normalize)
    return values if nodes else (ABSENT,) * len(values)


def win_rate_ceilings(graph: PreferenceGraph, ks: Sequence[int | None]) -> list[Ceiling]:
    """Ceiling of win rate for each cutoff in `ks`; the best first items are looked for once."""
    pairs = _Pairs.of(graph)
    if not pairs.both.any():
        return [Ceiling(ABSENT, True) for _ in ks]
    # Everything twice, since a tie is half a win: a pair inside T takes all its judgments from both sums.
    own, inside = (2 * pairs.wins + pairs.ties, 2 * pairs.judged), (2 * pairs.both, 4 * pairs.both)
    best, items = _best_share(pairs, own, inside)
    return [Ceiling(best, items <= (inf if k is None else k)) for k in ks]


def ordered_ceiling(graph: PreferenceGraph) -> Ceiling:
    """Ceiling of ppref, wpref and appref at any k: the same, as the best set may be of any size."""
    pairs = _Pairs.of(graph, ties=False)
    if not pairs.both.any():
        return Ceiling(ABSENT, True)
    best, items = _best_share(pairs, (pairs.wins, pairs.judged), (pairs.smaller, pairs.both))
    return Ceiling(best, items == 1)


def pwp_ceiling(
    grid: Placements,
    other_grid: Placements,
    preferences: Preferences,
    *,
    lam: float = 0.7,
    form: str = "N",
    gamma: float = 0.1,
) -> Ceiling:
    """Ceiling of `pwp` over all ways to place a system's items in the cells of its grid.

    WR and PB are the same for every order, and PMR is at most 1: the bound is (lam + (1 - lam) WR) PB. It is
    exact where the items in an order that follows the preferences reach it, as they do without circles of
    preferences. Arguments and errors as of `pwp`; `ABSENT` where WR is needed and absent.
    """
    cells = [GridPlacement(*placement) for placement in grid]
    items = [cell.item for cell in cells]
    edges = [
        (a, b) if preferences[a, b] < 0 else (b, a)
        for a, b in preferences
        if a in items and b in items and preferences[a, b]
    ]
    best = ideal_ranking((), PreferenceGraph(edges, items=items))
    # Of a row the form M sees the middle first.
    near = [abs(2 * at.column - at.row_length + 1) if form == "M" else at.column for at in cells]
    order = sorted(range(len(cells)), key=lambda at: (cells[at].row, near[at]))
    placed = [cells[at]._replace(item=item) for at, item in zip(order, best, strict=True)]
    value = pwp(placed, other_grid, preferences, lam=lam, form=form, gamma=gamma)
    others = [GridPlacement(*placement).item for placement in other_grid]
    won = (1 - lam) * win_ratio(items, others, preferences) if lam < 1 else 0.0
    most = (lam + won) * pb(items, others, preferences, gamma=gamma)
    return Ceiling(most, value == most or most != most)


def _rpref_ceiling(graph: PreferenceGraph, k: int | None) -> Ceiling:
    pairs = _Pairs.of(graph, ties=False)
    if not (all_judged := int(pairs.both.sum())):
        return Ceiling(ABSENT, True)
    most = np.sort(pairs.wins)[::-1][:k].sum()
    value = min(int((pairs.both - pairs.smaller).sum()), int(most)) / all_judged
    order = np.argsort(pairs.judged - 2 * pairs.wins, kind="stable").astype(np.int32)[np.newaxis]
    return Ceiling(value, bool(rpref_rows(order, graph, k=k)[0] == value))


def _differs(graph: PreferenceGraph) -> bool:
    """Whether some item has another difference of wins and losses than the others."""
    pairs = _Pairs.of(graph, ties=False)
    return bool((2 * pairs.wins != pairs.judged).any())


class _Pairs(NamedTuple):
    """A graph's judgments by item and by judged pair, as whole numbers: (items,) and (pairs,).

    wins, ties, judged: of each item. ends: (2, pairs), the two items of each pair. both: the pair's
    judgments; smaller: those of the side that has fewer wins.
    """

    wins: Whole
    ties: Whole
    judged: Whole
    ends: Whole
    both: Whole
    smaller: Whole

    @classmethod
    def of(cls, graph: PreferenceGraph, *, ties: bool = True) -> "_Pairs":
        docnos, source, target, times = graph.numbered()
        tied = graph.numbered_ties() if ties else np.empty((0, 3), np.int64)
        items, edges = len(docnos), len(source)
        starts, stops = np.concatenate([source, tied[:, 0]]), np.concatenate([target, tied[:, 1]])
        # Each pair by one number, whichever way it was decided.
        keys = np.minimum(starts, stops).astype(np.int64) * items + np.maximum(starts, stops)
        named, pair = np.unique(keys, return_inverse=True)
        votes = np.concatenate([times, tied[:, 2]])
        up = starts[:edges] < stops[:edges]
        first, both = _sums(pair[:edges][up], times[up], len(named)), _sums(pair, votes, len(named))
        second = _sums(pair[:edges][~up], times[~up], len(named))
        return cls(
            wins=_sums(source, times, items),
            ties=_sums(tied[:, :2].ravel(), tied[:, 2].repeat(2), items),
            judged=_sums(starts, votes, items) + _sums(stops, votes, items),
            ends=np.stack(np.divmod(named, max(items, 1))),
            both=both,
            smaller=np.minimum(first, second),
        )


def _sums(places: NDArray[Any], numbers: NDArray[Any], length: int) -> Whole:
    """Sum of the numbers at each place, below 2^53."""
    return np.bincount(places, numbers, length).astype(np.int64)


def _best_share(pairs: _Pairs, own: tuple[Whole, Whole], inside: tuple[Whole, Whole]) -> tuple[float, int]:
    """The best share, and the size of its set: `kernels.cuts.best_share` says of what."""
    from .kernels.cuts import best_share

    n, e, items = best_share(pairs.ends, *own, *inside)
    return n / e, items
