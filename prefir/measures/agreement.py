"""Agreement of assessors with each other: raw agreement, kappa and alpha, over topics and by assessor."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import inf, isfinite, isnan
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from .measure import Inputs, measure
from .rbo import ABSENT

Units = Union[Iterable[Iterable[Hashable]], "LabelColumns"]
"""Labels by unit; a unit is what several assessors label, such as a pair of items. None and nan are missing
answers. May be an array or a data frame (units, assessors), a row for each unit; lists of any lengths; what
`label_units` returns; or `LabelColumns`. A table (assessors, units) is to be transposed."""


class NoAgreement(StrEnum):
    """Why kappa and alpha have no value."""

    NOTHING_SHARED = "nothing was answered twice"
    ALL_SAME = "all answers are the same, so that agreement by chance is 1"


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
    return [None if label is None or isnan(label) else sign(label) for label in labels]


def both_ways(units: Iterable[Iterable[float | None]]) -> list[list[float | None]]:
    """Give each unit of pair labels twice, the second time turned, as if its items were named the other way.

    Kappa and alpha of the result do not depend on which item of a pair is named first. Those of `units` do:
    agreement by chance rests on the shares of the labels, and these are then as many for the first as for the
    second. Raw agreement is the same either way. None stays None.
    """
    as_named = [list(unit) for unit in _each_unit(units)]
    return as_named + [[None if label is None else -label for label in unit] for unit in as_named]


def label_units(
    judgments: Iterable[Judgment], *, merge: bool = False
) -> dict[tuple[str, str, str], dict[str, float]]:
    """Group judgments by unit: (topic, left, right), as the pair was first shown, -> assessor -> label.

    A pair shown both ways round is one unit; its labels are turned to the first way. Chance agreement, and
    with it kappa and alpha, depends a little on which way round pairs stand: on the public image preferences
    kappa is .509 as they were shown and .507 with all pairs in docno order. `both_ways` makes it independent.
    merge: do not tell strong from weak preference. Where an assessor answered a pair more than once the
    first answer counts; `repeat_consistency` looks at the others. The statistics of this module take the
    result as it is. Raises ValueError for a choice that is not a finite number and for an item paired
    with itself. Time grows with the number of judgments.
    """
    units: dict[tuple[str, str, str], dict[str, float]] = {}
    for judgment in judgments:
        topic, left, right, choice, assessor = judgment
        refuse_bad(judgment)
        if (topic, right, left) in units:
            left, right, choice = right, left, -choice
        label = sign(choice) if merge else choice
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

    units: the labels of each, a row for a unit (`Units`). Units with fewer than two labels are left out.
    Returns a float in [0, 1]; `ABSENT` (nan) where no unit remains.
    Source: the observed agreement of Fleiss, Psychological Bulletin 76(5), 1971.
    Time grows with the number of labels (times a logarithm).
    """
    pool = LabelColumns.of(units)
    sizes, same = pool.sizes, pool.equal_pairs
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

    units: a row for each (`Units`), with the same number of labels, two or more; which assessors gave them
    does not matter, nor how many options there were besides those used. Returns a float up to 1, below 0
    where assessors agree less than by chance; `ABSENT` (nan) without units or where all labels are equal, as
    chance then explains all (`explain_absence`).
    Raises ValueError where units have fewer than two labels or different numbers of them: the definition does
    not allow missing answers; `krippendorff_alpha` does.
    Source: Fleiss, Psychological Bulletin 76(5), 1971. Time as for `raw_agreement`.
    """
    pool = LabelColumns.of(units)
    sizes = pool.sizes
    if not len(sizes):
        return ABSENT
    if wrong := np.flatnonzero((sizes != sizes[0]) | (sizes < 2)).tolist():
        raise ValueError(
            f"unit {wrong[0]} has {sizes[wrong[0]]} labels, unit 0 has {sizes[0]}; Fleiss' kappa needs the "
            "same number for each unit, at least 2 (Krippendorff's alpha takes missing answers)"
        )
    observed = float(np.mean(pool.equal_pairs / (sizes * (sizes - 1))))
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

    units: the labels of each, a row for a unit and a column for an assessor (`Units`); other programs want
    the transposed table. level: "nominal", labels are equal or not; "ordinal", labels are numbers and differ
    by the ranks between them; "interval", by their difference, squared. Units may have any number of labels;
    those with fewer than two say nothing about agreement and are left out. Returns a float up to 1, below 0
    where assessors agree less than by chance; `ABSENT` (nan) where no unit is left or all labels are equal
    (`explain_absence`).
    Raises ValueError for an unknown level and, at the upper two, for a label that is not a finite number.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    Time grows with the number of labels (times a logarithm), however many different ones there are.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"there is no level {level!r}; there are nominal, ordinal, interval")
    pool = LabelColumns.of(units).pairable()
    used = np.unique(pool.codes)
    if len(used) < 2:
        return ABSENT
    sizes, total = pool.sizes, len(pool.codes)
    if level == "nominal":
        unlike = sizes * (sizes - 1) - pool.equal_pairs
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


def explain_absence(units: Units) -> NoAgreement | None:
    """Say why `fleiss_kappa` and `krippendorff_alpha` have no value; None where they have one.

    Both divide by the disagreement that is expected by chance, which is 0 where all labels are equal.
    units: as there. Time grows with the number of labels (times a logarithm).
    """
    pool = LabelColumns.of(units).pairable()
    if not len(pool.codes):
        return NoAgreement.NOTHING_SHARED
    return NoAgreement.ALL_SAME if len(np.unique(pool.codes)) < 2 else None


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


@dataclass(frozen=True)
class LabelColumns:
    """All labels of some units as flat arrays.

    codes: of each label a place in `labels`. unit_of: its unit, ascending. sizes: labels of each unit.
    """

    labels: Sequence[Hashable]
    codes: NDArray[np.integer]
    unit_of: NDArray[np.integer]
    sizes: NDArray[np.integer]

    @classmethod
    def of(cls, units: Units) -> "LabelColumns":
        """Read units given in any way; missing answers are left out."""
        if isinstance(units, LabelColumns):
            return units
        code_of: dict[Hashable, int] = {}
        codes: list[int] = []
        ends: list[int] = []
        for unit in _each_unit(units):
            for label in unit:
                # Only nan is unequal to itself.
                if label is not None and label == label:
                    codes.append(code_of.setdefault(label, len(code_of)))
            ends.append(len(codes))
        bounds = np.array([0, *ends], dtype=np.int64)
        sizes = bounds[1:] - bounds[:-1]
        unit_of = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        return cls(list(code_of), np.array(codes, dtype=np.int64), unit_of, sizes)

    @cached_property
    def equal_pairs(self) -> NDArray[np.int64]:
        """Number of ordered pairs of equal labels in each unit."""
        width = max(1, len(self.labels))
        met, times = np.unique(self.unit_of * width + self.codes, return_counts=True)
        pairs = np.bincount(met // width, weights=times * (times - 1), minlength=len(self.sizes))
        return pairs.astype(np.int64)

    def where(self, kept: NDArray[np.bool_]) -> "LabelColumns":
        """Some of the units, by a mask, and the labels that these have, in their order."""
        if kept.all():
            return self
        there = kept[self.unit_of]
        used, first, codes = np.unique(self.codes[there], return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.cumsum(kept) - 1
        return LabelColumns(
            [self.labels[code] for code in used[order].tolist()],
            np.argsort(order)[codes],
            number[self.unit_of[there]],
            self.sizes[kept],
        )

    def pairable(self) -> "LabelColumns":
        """Leave out the units that have fewer than two labels."""
        return self.where(self.sizes >= 2)

    def both_ways(self) -> "LabelColumns":
        """As the function `both_ways` gives them."""
        code_of = {label: code for code, label in enumerate(self.labels)}
        turned = [code_of.setdefault(-label, len(code_of)) for label in self.labels]  # type: ignore[operator]
        return LabelColumns(
            list(code_of),
            np.concatenate([self.codes, np.array(turned, dtype=np.int64)[self.codes]]),
            np.concatenate([self.unit_of, self.unit_of + len(self.sizes)]),
            np.concatenate([self.sizes, self.sizes]),
        )


def _each_unit(units: Any) -> Iterator[Iterable[Any]]:
    """Labels of each unit. Raises TypeError for what holds no units."""
    if hasattr(units, "columns"):
        # pandas' own sign of what is missing cannot be compared.
        units = (
            units.astype(object).where(units.notna(), None).to_numpy()
            if hasattr(units, "notna")
            else units.rows()
        )
    if isinstance(units, np.ndarray):
        units = units.tolist()
    if isinstance(units, str | bytes) or not isinstance(units, Iterable):
        raise TypeError(f"units are a table with a row of labels for each, no {type(units).__name__}")
    # `label_units` returns unit -> assessor -> label.
    named = units if isinstance(units, Mapping) else None
    for place, unit in enumerate(units if named is None else named.values()):
        labels = unit.values() if isinstance(unit, Mapping) else unit
        if named is not None and labels is unit:
            raise TypeError(
                "a dictionary of units is unit -> assessor -> label; of lists of labels, give a list, a row "
                "for each unit"
            )
        if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
            raise TypeError(f"unit {place} is {unit!r}; a unit is a row of the labels that it was given")
        yield labels


def _numbers(labels: Iterable[Hashable]) -> NDArray[np.float64]:
    numbers = []
    for label in labels:
        if not isinstance(label, int | float | np.number) or not isfinite(label):
            raise ValueError(f"the label {label!r} is not a finite number, as this level needs")
        numbers.append(float(label))
    return np.array(numbers)


def refuse_bad(judgment: Judgment) -> None:
    topic, left, right, choice, _ = judgment
    if left == right:
        raise ValueError(f"topic {topic!r}: {left!r} cannot be compared with itself")
    if not isfinite(choice):
        raise ValueError(f"topic {topic!r}: the choice between {left!r} and {right!r} is {choice}")


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def whole(count: np.floating) -> int:
    return round(float(count))
