"""Comparing two image systems by preferences: PMR, WR, PB and PWP of Xie et al. (SIGIR 2020)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, isnan, log2

import numpy as np
from numpy.typing import ArrayLike

from .grid import GridPlacement, distances
from .measure import Inputs, measure
from .rbo import ABSENT, rank_of
from .sources import XIE

Preferences = Mapping[tuple[str, str], float]
"""A topic's preferences: (left, right) -> below 0 where the left item is preferred, 0 for a tie, above 0
where the right one is. A pair may stand there both ways round if both say the same."""

Placements = Iterable[tuple[str, int, int, int]]
"""A grid: (item, row, column, row length) of each item, as in `GridPlacement`."""

PMR_FORMS = ("D", "W", "M", "N")
"""Forms of PMR: default order, rank-weighted, middle first, and near neighbours only."""


def majority(labels: Iterable[float], *, split: str = "tie") -> int:
    """Majority of a pair's labels: -1 left, 0 tie, 1 right; strength does not count.

    labels: numbers, below 0 for left, 0 for a tie, above 0 for right. The vote is split where two or three
    answers share the highest count, as with three different labels: `split` "tie" makes it a tie; "left"
    takes the first of left, tie and right among them, as the program of Xie et al. does. Two of their
    published figures need "left" in the last digit (5 of their 41,538 pairs are split).
    Raises ValueError where there is no label, or one is not a number.
    """
    if split not in ("tie", "left"):
        raise ValueError(f"there is no rule {split!r} for split votes; there are tie and left")
    votes = [0, 0, 0]
    for label in labels:
        votes[1 + _sign(label, "a label")] += 1
    most = max(votes)
    if not most:
        raise ValueError("there is no label, so there is no majority")
    if split == "tie" and votes.count(most) > 1:
        return 0
    return votes.index(most) - 1


def majority_preferences(
    judgments: Iterable[tuple[str, str, float]], *, split: str = "tie"
) -> dict[tuple[str, str], int]:
    """Majority of each pair of a topic, from single judgments (left, right, label).

    A pair may be judged both ways round; its key is the way it was judged first, and so `split`, as in
    `majority`, refers to that way. Raises ValueError as `majority` does, and where an item is compared with
    itself. Time grows with the number of judgments.
    """
    labels: dict[tuple[str, str], list[float]] = {}
    for left, right, label in judgments:
        if left == right:
            raise ValueError(f"{left!r} cannot be compared with itself")
        if (right, left) in labels:
            labels[right, left].append(-label)
        else:
            labels.setdefault((left, right), []).append(label)
    return {pair: majority(given, split=split) for pair, given in labels.items()}


def pmr(grid: Placements, preferences: Preferences, *, form: str = "N") -> float:
    """Preference matching ratio: share of a grid's pairs that the page orders as the preferences do.

    form: "D", every pair, in reading order; "W", the same with weights 1/log2(j + 1), j the later item's
    place in reading order, from 0 and with empty cells counted; "M", rows in order and within a row the
    item nearer to the centre first, pairs equally near left out; "N", as "D" but only pairs at most two
    rows and two columns apart (the program of Xie et al. checks the columns only, which gives the same
    on its data). A tie counts as ordered correctly; pairs without a preference are left out.
    Returns a float in [0, 1]; `ABSENT` (nan) where no pair is left, as in a grid of one item.
    Raises ValueError as `distances` does, for an unknown form, and for a preference that is not a number
    or says one thing one way round and another the other. Time grows with the square of the items.
    Source: Xie et al., SIGIR 2020.
    """
    fitting = total = 0.0
    for earlier, later, weight in _page_pairs(grid, form):
        preferred = _preferred(preferences, earlier, later)
        if preferred is None:
            continue
        total += weight
        if preferred <= 0:
            fitting += weight
    return fitting / total if total else ABSENT


for _form in PMR_FORMS:
    measure(
        name=f"pmr_{_form.lower()}",
        title=f"PMR_{_form}",
        inputs=Inputs.GRID,
        source=XIE,
        preset={"form": _form},
    )(pmr)


@measure(name="wr", title="WR", inputs=Inputs.SYSTEMS, source=XIE)
def win_ratio(system_items: Sequence[str], other_items: Sequence[str], preferences: Preferences) -> float:
    """WR(S|S'): share of the pairs across two systems in which the system's own item is preferred.

    system_items (n,), other_items (m,): distinct docnos, in any order. A tie is not a win, and an item that
    both systems show ties with itself; pairs without a preference are left out.
    Returns a float in [0, 1]; `ABSENT` (nan) where no pair is left. Not symmetric: the two systems' ratios
    and the share of ties add up to 1. Raises ValueError where a docno repeats, or as `pmr` does.
    Time grows with n times m. Source: Xie et al., SIGIR 2020.
    """
    _refuse_repeats(system_items, other_items)
    wins = total = 0
    for own in system_items:
        for other in other_items:
            preferred = _preferred(preferences, own, other)
            if preferred is not None:
                total += 1
                wins += preferred < 0
    return wins / total if total else ABSENT


@measure(name="pb", title="PB", inputs=Inputs.SYSTEMS, source=XIE)
def pb(
    system_items: Sequence[str], other_items: Sequence[str], preferences: Preferences, *, gamma: float = 0.1
) -> float:
    """Penalty of bad items: gamma^n, n the number of items that lose to every item of the other system.

    system_items, other_items: as in `win_ratio`. A tie or a missing preference is not a loss, and an empty
    other system beats nothing. gamma: in [0, 1]; with 0 a single such item makes the value 0.
    Returns a float in [0, 1], 1 without such items. Not symmetric. Raises ValueError for gamma out of
    range and as `win_ratio` does. Time grows with n times m. Source: Xie et al., SIGIR 2020.
    """
    _refuse_outside("gamma", gamma)
    _refuse_repeats(system_items, other_items)
    worst = 0
    for own in system_items if other_items else ():
        worst += all((_preferred(preferences, own, other) or 0) > 0 for other in other_items)
    return float(gamma**worst)


@measure(name="pwp", title="PWP", inputs=Inputs.TWO_GRIDS, source=XIE)
def pwp(
    grid: Placements,
    other_grid: Placements,
    preferences: Preferences,
    *,
    lam: float = 0.7,
    form: str = "N",
    gamma: float = 0.1,
) -> float:
    """Preference-Winning-Penalty: (lam PMR + (1 - lam) WR) PB of a system's grid beside another's.

    grid, other_grid: as in `pmr`; of the other grid only the items matter. lam: in [0, 1], the share of
    PMR; with 1 or 0 the other part is not computed. Returns a float in [0, 1]; `ABSENT` (nan) where a
    part that is needed is absent. Not symmetric. Raises ValueError for lam out of range and as `pmr`
    and `pb` do. Time grows with the square of the items. Source: Xie et al., SIGIR 2020.
    """
    _refuse_outside("lam", lam)
    own, other = _placements(grid), _placements(other_grid)
    items, other_items = [place.item for place in own], [place.item for place in other]
    value = 0.0
    if lam > 0:
        value += lam * pmr(own, preferences, form=form)
    if lam < 1:
        value += (1 - lam) * win_ratio(items, other_items, preferences)
    return value * pb(items, other_items, preferences, gamma=gamma)


@dataclass(frozen=True, slots=True)
class PwpComparison:
    """PWP of two systems for a topic, and the probability that the second system's page is preferred."""

    first: float
    second: float
    probability: float


def compare_pwp(
    first_grid: Placements,
    second_grid: Placements,
    preferences: Preferences,
    *,
    lam: float = 0.7,
    form: str = "N",
    gamma: float = 0.1,
) -> PwpComparison:
    """`pwp` of two systems, each beside the other, and `second_preferred` of the two values."""
    one, two = _placements(first_grid), _placements(second_grid)
    first = pwp(one, two, preferences, lam=lam, form=form, gamma=gamma)
    second = pwp(two, one, preferences, lam=lam, form=form, gamma=gamma)
    return PwpComparison(first, second, second_preferred(first, second))


def second_preferred(first: float, second: float) -> float:
    """Probability that the second system is preferred: 1 / (1 + exp(first - second)), from both values.

    Returns a float in [0, 1], 1/2 for equal values, `ABSENT` (nan) where a value is; the probabilities
    of (first, second) and (second, first) add up to 1. The values may be those of any measure.
    Source: Xie et al., SIGIR 2020.
    """
    gap = first - second
    # exp overflows above 709, so it is always taken of a negative number.
    return exp(-gap) / (1 + exp(-gap)) if gap > 0 else 1 / (1 + exp(gap))


def preference_table(
    first: ArrayLike, second: ArrayLike, preferences: ArrayLike, *, tolerance: float = 1e-12
) -> tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]:
    """Count topics in a 3 x 3 table: what a measure says against the preferences for whole pages.

    first, second (topics,): the measure's values for the two systems. preferences (topics,): below 0
    where assessors preferred the first system's page, 0 for a tie, above 0 where they preferred the
    second's. Rows: the measure is higher for the first system, for the second, for neither (they differ
    by `tolerance` or less); columns: the page preferred is the first, the second, neither. Topics without
    one of the three (nan) are left out. Raises ValueError where the shapes differ, or tolerance is below 0.
    """
    one, two, given = (np.asarray(values, dtype=np.float64) for values in (first, second, preferences))
    if not one.shape == two.shape == given.shape or one.ndim != 1:
        shapes = f"{one.shape}, {two.shape} and {given.shape}"
        raise ValueError(f"values and preferences must be of one shape (topics,); the shapes are {shapes}")
    if not tolerance >= 0:
        raise ValueError(f"tolerance is {tolerance}; it must be at least 0")
    gap = one - two
    there = ~(np.isnan(gap) | np.isnan(given))
    gap, given = gap[there], given[there]
    says = [gap > tolerance, gap < -tolerance, np.abs(gap) <= tolerance]
    pages = [given < 0, given > 0, given == 0]
    a, b, c = ([int(np.sum(row & column)) for column in pages] for row in says)
    return (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])


def _placements(grid: Placements) -> tuple[GridPlacement, ...]:
    return tuple(GridPlacement(*placement) for placement in grid)


def _page_pairs(grid: Placements, form: str) -> Iterator[tuple[str, str, float]]:
    """Pairs of a grid's items that a form of PMR compares: the one shown earlier, the later one, weight."""
    if form not in PMR_FORMS:
        raise ValueError(f"there is no form {form!r} of PMR; there are {', '.join(PMR_FORMS)}")
    placements = _placements(grid)
    place = distances(placements, "default")
    for earlier, later in combinations(sorted(placements, key=lambda at: place[at.item]), 2):
        weight = 1.0
        if form == "W":
            weight = 1 / log2(place[later.item] + 1)
        elif form == "M" and earlier.row == later.row:
            # Twice the distance from the centre (n - 1)/2, in whole numbers.
            near, far = (abs(2 * at.column - at.row_length + 1) for at in (earlier, later))
            if near == far:
                continue
            if near > far:
                earlier, later = later, earlier
        elif form == "N" and max(later.row - earlier.row, abs(later.column - earlier.column)) > 2:
            continue
        yield earlier.item, later.item, weight


def _preferred(preferences: Preferences, left: str, right: str) -> int | None:
    """Preferred side of a pair: -1 left, 0 neither, 1 right; None where it has no preference."""
    if left == right:
        return 0
    given, turned = preferences.get((left, right)), preferences.get((right, left))
    if given is None and turned is None:
        return None
    sides = {_sign(given, f"the preference between {left!r} and {right!r}")} if given is not None else set()
    if turned is not None:
        sides.add(-_sign(turned, f"the preference between {right!r} and {left!r}"))
    if len(sides) > 1:
        raise ValueError(f"the preferences between {left!r} and {right!r} differ by which stands first")
    return sides.pop()


def _sign(number: float, what: str) -> int:
    if isnan(number):
        raise ValueError(f"{what} is not a number")
    return (number > 0) - (number < 0)


def _refuse_repeats(*items: Sequence[str]) -> None:
    for docnos in items:
        rank_of(docnos)


def _refuse_outside(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is {value}; it must lie between 0 and 1")
