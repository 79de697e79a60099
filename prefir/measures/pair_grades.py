"""Judgments of pairs against their items' grades: strength and time by gap, ratio, sum and single grades."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prefir.extras import require

from .agreement import Judgment, refuse_bad, sign
from .rbo import ABSENT


class PairFigures(NamedTuple):
    """A judged pair: its lower and higher grade, and how strongly and how fast it was judged.

    strength: mean over judgments of 0 (the item with the lower grade), 1 (a tie), 2 (the higher one's);
    `ABSENT` (nan) where the grades are equal. seconds: median; `ABSENT` where no time is known.
    """

    lower: float
    higher: float
    strength: float
    seconds: float


class GradeCorrelation(NamedTuple):
    """Correlations over pairs, with their two-sided p; nan where fewer than three pairs vary."""

    pairs: int
    pearson: float
    pearson_p: float
    spearman: float
    spearman_p: float


RELATIONS: Mapping[str, Callable[[PairFigures], float]] = {
    "gap": lambda pair: pair.higher - pair.lower,
    "ratio": lambda pair: pair.higher / pair.lower if pair.lower > 0 else ABSENT,
    "sum": lambda pair: pair.higher + pair.lower,
    "lower": lambda pair: pair.lower,
    "higher": lambda pair: pair.higher,
}
"""Name -> what it is of a pair's grades; absent where a ratio has nothing to divide by."""


def pair_figures(
    judgments: Iterable[Judgment],
    grades: Mapping[str, Mapping[str, float]],
    seconds: Iterable[float] | None = None,
) -> list[PairFigures]:
    """Figures of each judged pair of items that both have a grade, in the order of their first judgments.

    seconds: of each judgment, in their order; nan where unknown. Pairs shown either way round are one.
    Raises ValueError for a bad judgment, and where there are not as many seconds.
    Source: Xie et al., SIGIR 2020, 3.5: judgments are mapped to 0, 1 and 2, times are medians.
    """
    given = list(judgments)
    times = [ABSENT] * len(given) if seconds is None else list(seconds)
    units: dict[tuple[str, str, str], list[tuple[int, float]]] = {}
    for judgment, time in zip(given, times, strict=True):
        refuse_bad(judgment)
        topic, left, right, choice, _ = judgment
        turned = left > right
        unit = (topic, min(left, right), max(left, right))
        units.setdefault(unit, []).append((-sign(choice) if turned else sign(choice), time))
    found = []
    for (topic, a, b), answers in units.items():
        own = grades.get(topic, {})
        if a not in own or b not in own:
            continue
        towards = sign(own[b] - own[a])
        strength = fmean(1 + towards * choice for choice, _ in answers) if towards else ABSENT
        known = [time for _, time in answers if not isnan(time)]
        found.append(
            PairFigures(
                min(own[a], own[b]), max(own[a], own[b]), strength, median(known) if known else ABSENT
            )
        )
    return found


def correlate_with_grades(
    figures: Sequence[PairFigures], *, of: str = "strength"
) -> dict[str, GradeCorrelation]:
    """Correlate strength, or seconds, with each of `RELATIONS` of the pair's grades.

    Pairs without the figure, or without the relation, are left out. Raises ValueError for another figure.
    Source: Xie et al., SIGIR 2020, tables 4 (seconds) and 5 (strength).
    """
    require("scipy")
    from scipy.stats import pearsonr, spearmanr

    if of not in ("strength", "seconds"):
        raise ValueError(f"there is no figure {of!r} of pairs; there are strength and seconds")
    found = {}
    for name, relation in RELATIONS.items():
        known = [
            (x, y)
            for pair in figures
            if not (isnan(x := relation(pair)) or isnan(y := float(getattr(pair, of))))
        ]
        if len(known) < 3 or any(len(set(values)) < 2 for values in zip(*known, strict=True)):
            found[name] = GradeCorrelation(len(known), *(ABSENT,) * 4)
            continue
        linear, ranked = (test(*zip(*known, strict=True)) for test in (pearsonr, spearmanr))
        found[name] = GradeCorrelation(
            len(known),
            float(linear.statistic),
            float(linear.pvalue),
            float(ranked.statistic),
            float(ranked.pvalue),
        )
    return found


def grade_heat_map(
    figures: Sequence[PairFigures], *, of: str = "strength", highest: float = 100, intervals: int = 10
) -> NDArray[np.float64]:
    """Mean strength, or seconds, of the pairs by the intervals of both grades: (intervals, intervals).

    [i, j] is of the pairs whose lower grade is in the interval i and whose higher one is in j, of equal
    intervals from 0 to `highest`; an end belongs to the interval above it, `highest` to the last. nan where
    no pair is. Raises ValueError for a grade below 0 or above `highest`, and for an unknown figure.
    Source: Xie et al., SIGIR 2020, figure 3.
    """
    if of not in ("strength", "seconds"):
        raise ValueError(f"there is no figure {of!r} of pairs; there are strength and seconds")
    if intervals < 1:
        raise ValueError(f"intervals is {intervals}; it must be at least 1")
    table = np.array([(*pair[:2], getattr(pair, of)) for pair in figures], np.float64).reshape(-1, 3)
    if table.size and not (table[:, :2].min() >= 0 and table[:, :2].max() <= highest):
        raise ValueError(f"a grade is not between 0 and {highest}")
    table = table[~np.isnan(table[:, 2])]
    places = np.minimum((table[:, :2] * intervals / highest).astype(int), intervals - 1)
    sums, counts = np.zeros((2, intervals, intervals))
    np.add.at(sums, tuple(places.T), table[:, 2])
    np.add.at(counts, tuple(places.T), 1)
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = sums / counts
    return means
