"""Agreement beyond chance by further definitions: Cohen's κ, weighted or not, free-marginal κ, Gwet's AC1."""

from collections.abc import Hashable, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from .agreement import LabelColumns, Units
from .rbo import ABSENT

Weights = Literal["none", "linear", "quadratic"]


def cohen_kappa(
    first: Sequence[Hashable | None], second: Sequence[Hashable | None], *, weights: Weights = "none"
) -> float:
    """Cohen's kappa of two assessors: agreement beyond what each one's own shares of labels would give.

    first, second: their labels of the same units, in one order; None where one gave none, and the unit is
    left out. weights: "none", labels are equal or not; "linear" and "quadratic", labels are numbers and
    disagree by their difference, or its square. Returns a float up to 1, below 0 where they agree less than
    by chance; `ABSENT` (nan) without units or where chance explains all, as both gave one label alone.
    Raises ValueError for different lengths, unknown weights and, with weights, a label that is no number.
    Sources: Cohen, Educational and Psychological Measurement 20(1), 1960; Psychological Bulletin 70(4), 1968.
    Time grows with the units, and the square of the different labels.
    """
    if len(first) != len(second):
        raise ValueError(f"one assessor has {len(first)} labels, the other {len(second)}")
    if weights not in get_args(Weights):
        raise ValueError(f"there are no weights {weights!r}; there are {', '.join(get_args(Weights))}")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return ABSENT
    number: dict[Hashable, int] = {}
    for label in (label for pair in pairs for label in pair):
        number.setdefault(label, len(number))
    table = np.zeros((len(number), len(number)))
    for a, b in pairs:
        table[number[a], number[b]] += 1
    apart = 1 - np.eye(len(number)) if weights == "none" else _differences(list(number))
    apart = apart**2 if weights == "quadratic" else apart
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(pairs)
    by_chance = float((apart * expected).sum())
    return 1 - float((apart * table).sum()) / by_chance if by_chance > 0 else ABSENT


def free_marginal_kappa(units: Units, *, options: int | None = None) -> float:
    """Free-marginal kappa: agreement beyond what labels drawn at random from all options would give.

    units: the labels of each, as of `raw_agreement`. options: how many labels there were to choose from;
    those that are used if None. Unlike Fleiss' kappa it stays high where nearly all labels are the same.
    Returns a float up to 1; `ABSENT` (nan) where no unit has two labels, or there is one option.
    Raises ValueError for fewer options than labels that are used.
    Source: Randolph, Joensuu Learning and Instruction Symposium, 2005.
    """
    observed, shares, number = _agreement(units, options)
    return _beyond(observed, 1 / number) if number > 1 and len(shares) else ABSENT


def gwet_ac1(units: Units, *, options: int | None = None) -> float:
    """Gwet's AC1: agreement beyond chance, which is least where nearly all labels are the same.

    Parameters and result as of `free_marginal_kappa`. Chance is the mean of π (1 - π) over the options, times
    options / (options - 1), π being an option's mean share of the labels of a unit.
    Source: Gwet, British Journal of Mathematical and Statistical Psychology 61(1), 2008.
    """
    observed, shares, number = _agreement(units, options)
    if number < 2 or not len(shares):
        return ABSENT
    return _beyond(observed, float((shares * (1 - shares)).sum()) / (number - 1))


def _agreement(units: Units, options: int | None) -> tuple[float, NDArray[np.float64], int]:
    """Observed agreement of the units with two labels or more, each label's share, and the options."""
    pool = LabelColumns.of(units)
    several, some = pool.sizes >= 2, pool.sizes >= 1
    if not several.any():
        return ABSENT, np.empty(0), 0
    sizes = pool.sizes[several]
    observed = float(np.mean(pool.equal_pairs[several] / (sizes * (sizes - 1))))
    shares = np.bincount(pool.codes, 1 / pool.sizes[pool.unit_of]) / some.sum()
    used = int((shares > 0).sum())
    if options is not None and options < used:
        raise ValueError(f"there are {used} different labels, more than the {options} options")
    return observed, shares, options or used


def _beyond(observed: float, chance: float) -> float:
    return (observed - chance) / (1 - chance)


def _differences(labels: Sequence[Hashable]) -> NDArray[np.float64]:
    numbers = np.array([one if isinstance(one, int | float) else np.nan for one in labels], np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("weights need labels that are finite numbers")
    return np.abs(numbers[:, None] - numbers)
