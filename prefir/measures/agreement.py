"""Agreement of assessors, with each other and with themselves: kappa, alpha, bias, repeats, transitivity."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .measure import Inputs, measure
from .rbo import ABSENT
from .sources import XIE

Units = Iterable[Iterable[Hashable]]
"""Labels by unit; a unit is what several assessors label, such as a pair of items. None and nan are missing
answers. May be an array (units, assessors), or lists of any lengths."""


class Judgment(NamedTuple):
    """One answer of an assessor: `choice` is below 0 for the item shown left, 0 for a tie, above 0 for right.

    Its size is the strength: -2, -1, 0, 1, 2 with five options; -1, 0, 1 with three; no 0 with four or two.
    """

    topic: str
    left: str
    right: str
    choice: float
    assessor: str


def merge_strength(labels: Iterable[float | None]) -> list[int | None]:
    """Merge strong and weak preference: labels become -1, 0 or 1, and missing ones (None, nan) None."""
    return [None if label is None or isnan(label) else _sign(label) for label in labels]


def label_units(
    judgments: Iterable[Judgment], *, merge: bool = False
) -> dict[tuple[str, str, str], dict[str, float]]:
    """Group judgments by unit: (topic, left, right), as the pair was first shown, -> assessor -> label.

    A pair shown both ways round is one unit; its labels are turned to the first way. Chance agreement, and
    with it kappa and alpha, depends a little on which way round pairs stand: on the public image preferences
    kappa is .509 as they were shown and .507 with all pairs in docno order.
    merge: do not tell strong from weak preference. Where an assessor answered a pair more than once the
    first answer counts; `repeat_consistency` looks at the others. The statistics of this module take the
    result as it is. Raises ValueError for a choice that is not a finite number and for an item paired
    with itself. Time grows with the number of judgments.
    """
    units: dict[tuple[str, str, str], dict[str, float]] = {}
    for judgment in judgments:
        topic, left, right, choice, assessor = judgment
        _refuse_bad(judgment)
        if (topic, right, left) in units:
            left, right, choice = right, left, -choice
        label = _sign(choice) if merge else choice
        units.setdefault((topic, left, right), {}).setdefault(assessor, label)
    return units


@measure(
    name="raw_agreement",
    title="Raw agreement",
    inputs=Inputs.UNITS,
    source="share of equal pairs",
)
def raw_agreement(units: Units) -> float:
    """Share of the pairs of labels of a unit that are equal, averaged over the units.

    Units with fewer than two labels are left out. Returns a float in [0, 1]; `ABSENT` (nan) where no unit
    remains. Source: the observed agreement of Fleiss, Psychological Bulletin 76(5), 1971.
    Time grows with the number of labels (times a logarithm).
    """
    pool = _pool(units)
    sizes, same = pool.sizes, pool.equal_pairs()
    sizes, same = sizes[sizes >= 2], same[sizes >= 2]
    return float(np.mean(same / (sizes * (sizes - 1)))) if len(sizes) else ABSENT


@measure(
    name="fleiss_kappa",
    title="Fleiss' κ",
    inputs=Inputs.UNITS,
    low=-1,
    source="Fleiss, Psychological Bulletin 76(5), 1971",
)
def fleiss_kappa(units: Units) -> float:
    """Fleiss' kappa: agreement beyond what the shares of the labels would give by chance.

    units: each with the same number of labels, two or more; which assessors gave them does not matter,
    nor how many options there were besides those used. Returns a float up to 1, below 0 where assessors
    agree less than by chance; `ABSENT` (nan) without units or where all labels are equal, as chance then
    explains all. Raises ValueError where units have fewer than two labels or different numbers of them:
    the definition does not allow missing answers; `krippendorff_alpha` does.
    Source: Fleiss, Psychological Bulletin 76(5), 1971. Time as for `raw_agreement`.
    """
    pool = _pool(units)
    sizes = pool.sizes
    if not len(sizes):
        return ABSENT
    if wrong := np.flatnonzero((sizes != sizes[0]) | (sizes < 2)).tolist():
        raise ValueError(
            f"unit {wrong[0]} has {sizes[wrong[0]]} labels, unit 0 has {sizes[0]}; Fleiss' kappa needs the "
            "same number for each unit, at least 2 (Krippendorff's alpha takes missing answers)"
        )
    observed = float(np.mean(pool.equal_pairs() / (sizes * (sizes - 1))))
    counts = np.bincount(pool.codes)
    if len(counts) < 2:
        return ABSENT
    chance = float(np.sum((counts / counts.sum()) ** 2))
    return (observed - chance) / (1 - chance)


@measure(
    name="krippendorff_alpha",
    title="Krippendorff's α",
    inputs=Inputs.UNITS,
    low=-inf,
    source="Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011",
)
def krippendorff_alpha(units: Units, *, level: str = "nominal") -> float:
    """Krippendorff's alpha: 1 minus the ratio of observed disagreement to that expected by chance.

    level: "nominal", labels are equal or not; "ordinal", labels are numbers and differ by the ranks
    between them; "interval", by their difference, squared. Units may have any number of labels; those with
    fewer than two say nothing about agreement and are left out. Returns a float up to 1, below 0 where
    assessors agree less than by chance; `ABSENT` (nan) where no unit is left or all labels are equal.
    Raises ValueError for an unknown level and, at the upper two, for a label that is not a finite number.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    Time grows with the number of labels (times a logarithm), however many different ones there are.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"there is no level {level!r}; there are nominal, ordinal, interval")
    pool = _pool(units).pairable()
    used = np.unique(pool.codes)
    if len(used) < 2:
        return ABSENT
    sizes, total = pool.sizes, len(pool.codes)
    if level == "nominal":
        unlike = sizes * (sizes - 1) - pool.equal_pairs()
        counts = np.bincount(pool.codes)
        expected = (total**2 - int(np.sum(counts**2))) / (total - 1)
        return 1 - float(np.sum(unlike / (sizes - 1))) / expected
    values = _numbers([pool.labels[code] for code in used.tolist()])
    worth = np.zeros(len(pool.labels))
    if level == "ordinal":
        # Krippendorff's ordinal difference of two labels is the difference of their middle ranks.
        values, share = np.unique(values, return_inverse=True)
        counts = np.bincount(share, weights=np.bincount(pool.codes)[used])
        values = (np.cumsum(counts) - counts / 2)[share]
    values = values - values.mean()
    # Alpha does not depend on the scale; so scaled, no square is too large or too small for a float.
    worth[used] = values / np.abs(values).max()
    given = worth[pool.codes]
    # Over all pairs of n numbers, squared differences sum to 2 n times the squares about their mean.
    middle = np.bincount(pool.unit_of, weights=given) / sizes
    squares = np.bincount(pool.unit_of, weights=(given - middle[pool.unit_of]) ** 2)
    observed = float(np.sum(2 * sizes * squares / (sizes - 1)))
    expected = 2 * total * float(np.sum((given - given.mean()) ** 2)) / (total - 1)
    return 1 - observed / expected


def agreement_by_topic(
    judgments: Iterable[Judgment],
    statistic: Callable[[Units], float] = krippendorff_alpha,
    *,
    merge: bool = False,
) -> dict[str, float]:
    """Compute a statistic of agreement for each topic, in order of appearance.

    statistic: `raw_agreement`, `fleiss_kappa`, `krippendorff_alpha` or any function of units; use
    `functools.partial` to choose a level. judgments, merge: as in `label_units`. Raises what these raise.
    """
    topics: dict[str, list[list[float]]] = {}
    for (topic, _, _), unit in label_units(judgments, merge=merge).items():
        topics.setdefault(topic, []).append(list(unit.values()))
    return {topic: statistic(units) for topic, units in topics.items()}


def agreement_by_assessor(judgments: Iterable[Judgment], *, merge: bool = False) -> dict[str, float]:
    """Share of the other assessors' labels that equal an assessor's own, averaged over that one's units.

    Units that nobody else labelled are left out; `ABSENT` (nan) for an assessor who has no others.
    judgments, merge: as in `label_units`. Assessors in order of appearance. Time grows with the judgments.
    """
    shares: dict[str, list[float]] = {}
    for unit in label_units(judgments, merge=merge).values():
        times: dict[float, int] = defaultdict(int)
        for label in unit.values():
            times[label] += 1
        for assessor, label in unit.items():
            own = shares.setdefault(assessor, [])
            if len(unit) > 1:
                own.append((times[label] - 1) / (len(unit) - 1))
    return {assessor: sum(own) / len(own) if own else ABSENT for assessor, own in shares.items()}


@dataclass(frozen=True, slots=True)
class PositionBias:
    """Counts of the choices by side; `share` is left's share of those that are not ties, nan if all are.

    p_value: exact two-sided binomial test of `share` against 1/2; 1 without a choice.
    """

    left: int
    right: int
    ties: int
    share: float
    p_value: float


@measure(
    name="position_bias",
    title="Position bias",
    inputs=Inputs.CHOICES,
    source="share of left wins",
    value=lambda found: found.share,
)
def position_bias(choices: Iterable[float]) -> PositionBias:
    """Test whether assessors favour a side; choices are below 0 for left, 0 for a tie, above 0 for right.

    The test assumes that sides were drawn at random for each question. Ties are counted but not tested.
    Raises ValueError for a choice that is not a number. Time grows with the number of choices.
    """
    from scipy.stats import binomtest

    sides = [0, 0, 0]
    for choice in choices:
        if isnan(choice):
            raise ValueError("a choice is not a number")
        sides[1 + _sign(choice)] += 1
    left, ties, right = sides
    won = left + right
    p_value = float(binomtest(left, won, 0.5).pvalue) if won else 1.0
    return PositionBias(left, right, ties, left / won if won else ABSENT, p_value)


@dataclass(frozen=True, slots=True)
class RepeatConsistency:
    """Counts of pairs that one assessor answered more than once, and of those answered the same each time.

    repeated, same: of all such pairs; swapped_repeated, swapped_same: of those shown both ways round.
    share, swapped_share: same / repeated, `ABSENT` (nan) where nothing was repeated.
    """

    repeated: int
    same: int
    swapped_repeated: int
    swapped_same: int

    @property
    def share(self) -> float:
        """Share of the repeated questions that were answered the same each time."""
        return self.same / self.repeated if self.repeated else ABSENT

    @property
    def swapped_share(self) -> float:
        """Share of those shown both ways round that were answered the same each time."""
        return self.swapped_same / self.swapped_repeated if self.swapped_repeated else ABSENT


@measure(
    name="repeat_consistency",
    title="Consistency on repeats",
    inputs=Inputs.JUDGMENTS,
    source="share of repeated pairs answered the same",
    value=lambda found: found.share,
)
def repeat_consistency(judgments: Iterable[Judgment], *, merge: bool = False) -> RepeatConsistency:
    """Count how often assessors give a repeated question the same answer, with its sides swapped or not.

    A question is a pair of a topic's items shown to one assessor. It counts once however often it was
    shown, and as the same only if all its answers are. merge: compare the side only, not the strength.
    Raises ValueError as `label_units` does. Time grows with the number of judgments.
    """
    answers: dict[tuple[str, str, str, str], list[tuple[float, bool]]] = {}
    for judgment in judgments:
        topic, left, right, choice, assessor = judgment
        _refuse_bad(judgment)
        swapped = left > right
        label = _sign(choice) if merge else choice
        question = (assessor, topic, min(left, right), max(left, right))
        answers.setdefault(question, []).append((-label if swapped else label, swapped))
    counts = [0, 0, 0, 0]
    for given in answers.values():
        if len(given) < 2:
            continue
        same = len({label for label, _ in given}) == 1
        both_ways = len({swapped for _, swapped in given}) == 2
        for place, holds in enumerate((True, same, both_ways, both_ways and same)):
            counts[place] += holds
    return RepeatConsistency(*counts)


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Counts of triples of items whose three pairs are all judged: (transitive, all), by their ties.

    asym: no tie; s2a: one; s2s: two or three. Counts of several topics add up: `a + b`.
    """

    asym: tuple[int, int] = (0, 0)
    s2a: tuple[int, int] = (0, 0)
    s2s: tuple[int, int] = (0, 0)

    def share(self, kind: str = "all") -> float:
        """Share of the triples of a kind that are transitive; `ABSENT` (nan) where there are none."""
        kinds = {"asym": [self.asym], "s2a": [self.s2a], "s2s": [self.s2s]}
        kinds["all"] = [self.asym, self.s2a, self.s2s]
        if kind not in kinds:
            raise ValueError(f"there is no kind {kind!r} of triple; there are {', '.join(kinds)}")
        transitive = sum(some for some, _ in kinds[kind])
        triples = sum(every for _, every in kinds[kind])
        return transitive / triples if triples else ABSENT

    def __add__(self, other: "Transitivity") -> "Transitivity":
        a, b, c = (
            (mine[0] + theirs[0], mine[1] + theirs[1])
            for mine, theirs in (
                (self.asym, other.asym),
                (self.s2a, other.s2a),
                (self.s2s, other.s2s),
            )
        )
        return Transitivity(a, b, c)


@measure(
    name="transitivity",
    title="Transitivity",
    inputs=Inputs.PREFERENCES,
    source=f"{XIE}, 3.3",
    value=lambda found: found.share(),
)
def transitivity(preferences: Mapping[tuple[str, str], float]) -> Transitivity:
    """Count the transitive triples among one topic's items, from the majority answer of each pair.

    preferences: (left, right) -> below 0, 0 or above 0, as `majority_preferences` returns it. Triples with
    an unjudged pair do not count. Without a tie a triple is transitive if it is not a cycle; with one tie,
    if the third item beats both tied ones or loses to both; with two never; with three always.
    Raises ValueError for an item compared with itself, a pair that stands there both ways with different
    answers, and an answer that is not a number. Topics add up: `sum(each, Transitivity())`.
    Memory grows with the square of the items, time with their cube (products of matrices).
    Source: Xie et al., SIGIR 2020, 3.3, after Hui & Berberich, ECIR 2017.
    """
    docnos = sorted({item for pair in preferences for item in pair})
    number = {docno: i for i, docno in enumerate(docnos)}
    wins = np.zeros((len(docnos), len(docnos)))
    ties = np.zeros_like(wins)
    for (left, right), answer in preferences.items():
        if left == right:
            raise ValueError(f"{left!r} cannot be compared with itself")
        if isnan(answer):
            raise ValueError(f"the answer to {left!r} against {right!r} is not a number")
        turned = preferences.get((right, left))
        if turned is not None and _sign(turned) != -_sign(answer):
            raise ValueError(f"the answers to {left!r} against {right!r} differ by which stands first")
        a, b = number[left], number[right]
        if answer:
            wins[(a, b) if answer < 0 else (b, a)] = 1
        else:
            ties[a, b] = ties[b, a] = 1
    decided = wins + wins.T
    # Each entry of a product counts the third items; a triangle is met six times, a cycle three times.
    strict = _whole(np.sum(decided * (decided @ decided)) / 6)
    cycles = _whole(np.sum(wins.T * (wins @ wins)) / 3)
    one_tie = _whole(np.sum(ties * (decided @ decided)) / 2)
    one_side = _whole(np.sum(ties * (wins @ wins.T + wins.T @ wins)) / 2)
    two_ties = _whole(np.sum(decided * (ties @ ties)) / 2)
    all_ties = _whole(np.sum(ties * (ties @ ties)) / 6)
    return Transitivity((strict - cycles, strict), (one_side, one_tie), (all_ties, all_ties + two_ties))


@dataclass(frozen=True, slots=True)
class _Pool:
    """All labels as flat arrays: `codes` (labels,) into `labels`, `unit_of` (labels,), `sizes` (units,)."""

    labels: Sequence[Hashable]
    codes: NDArray[np.int64]
    unit_of: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def equal_pairs(self) -> NDArray[np.int64]:
        """Number of ordered pairs of equal labels in each unit."""
        width = max(1, len(self.labels))
        met, times = np.unique(self.unit_of * width + self.codes, return_counts=True)
        pairs = np.bincount(met // width, weights=times * (times - 1), minlength=len(self.sizes))
        return pairs.astype(np.int64)

    def pairable(self) -> "_Pool":
        """Leave out the units that have fewer than two labels."""
        kept = self.sizes >= 2
        there = kept[self.unit_of]
        number = np.cumsum(kept) - 1
        return _Pool(self.labels, self.codes[there], number[self.unit_of[there]], self.sizes[kept])


def _pool(units: Units) -> _Pool:
    rows = units.tolist() if isinstance(units, np.ndarray) else units
    code_of: dict[Hashable, int] = {}
    codes: list[int] = []
    ends: list[int] = []
    # `label_units` returns unit -> assessor -> label.
    for unit in rows.values() if isinstance(rows, Mapping) else rows:
        for label in unit.values() if isinstance(unit, Mapping) else unit:
            # Only nan is unequal to itself.
            if label is not None and label == label:
                codes.append(code_of.setdefault(label, len(code_of)))
        ends.append(len(codes))
    bounds = np.array([0, *ends], dtype=np.int64)
    sizes = bounds[1:] - bounds[:-1]
    unit_of = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    return _Pool(list(code_of), np.array(codes, dtype=np.int64), unit_of, sizes)


def _numbers(labels: Iterable[Hashable]) -> NDArray[np.float64]:
    numbers = []
    for label in labels:
        if not isinstance(label, int | float | np.number) or not isfinite(label):
            raise ValueError(f"the label {label!r} is not a finite number, as this level needs")
        numbers.append(float(label))
    return np.array(numbers)


def _refuse_bad(judgment: Judgment) -> None:
    topic, left, right, choice, _ = judgment
    if left == right:
        raise ValueError(f"topic {topic!r}: {left!r} cannot be compared with itself")
    if not isfinite(choice):
        raise ValueError(f"topic {topic!r}: the choice between {left!r} and {right!r} is {choice}")


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _whole(count: np.floating) -> int:
    return round(float(count))
