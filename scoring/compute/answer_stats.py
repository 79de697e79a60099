"""Figures about how people answer: position bias, ties, time and consistency, from answers alone.

Pure functions without Django, for `child_process.call`. Formulas and sources: `prefir.measures.shares`
(intervals, places), `prefir.measures.consistency` (repeats), `prefir.measures.agreement` (between people).
Intervals take answers as independent; those of one person, or about one topic, are so only more or less, and
sides are balanced in each batch, which makes the tests a little careful.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isnan
from typing import TYPE_CHECKING, Any

from scoring.compute.answer_columns import (
    AGAIN,
    CHALLENGE,
    COUNTS,
    DISCARDED,
    Answers,
    group_rows,
    number_rows,
)
from scoring.compute.answer_units import Units, units_of
from scoring.compute.grouped_counts import medians, percentiles, picks, repeats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures.agreement import LabelColumns

    Numbers = NDArray[np.integer[Any]]

FIRST, LAST = 0, 2


@dataclass(frozen=True)
class AnswerShare:
    """`some` of `every`, with Wilson's interval at 95 %; all None where there is nothing."""

    some: int
    every: int
    share: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def percents(self) -> tuple[int, int] | None:
        """The interval in whole percents, rounded outwards so that it covers no less."""
        if self.low is None or self.high is None:
            return None
        return floor(100 * self.low), ceil(100 * self.high)


@dataclass(frozen=True)
class AnswerFigures:
    """Figures of a group of answers; None wherever there is nothing to tell.

    left: for the left, of those that chose a side; left_p: exact binomial test against one half.
    left_flag: p is below 5 % after Holm's correction for all people who are tested; of people alone.
    ties: of the answers on a scale with ties. picks: size of the grid -> choices by place; picks_p: χ² test
    against equal shares, all sizes together.
    timed: answers whose time is known; quarter, middle, three_quarters: percentiles of their seconds in
    view. fast: faster than a reader could be, of those of which that can be told. early, late: median
    seconds in the first and the last third of batches.
    repeated: pairs of subjects that one person was asked about more than once, in all answers from which
    something follows about them, those to questions asked again too; those answered the same each time.
    swapped: of these, shown both ways.
    shared: questions answered by two people or more. agreement: share of pairs of people who say the same
    of these (for one person: the share of others who do); alpha: of one task alone, at its level, pairs both
    ways round, so that it does not matter which subject is named first. all_same:
    alpha has no value because all these answers are the same, so that agreement by chance is 1.
    """

    answers: int
    people: int
    left: AnswerShare
    left_p: float | None
    left_flag: bool
    ties: AnswerShare
    picks: Mapping[int, Sequence[int]]
    picks_chi2: float | None
    picks_freedom: int
    picks_p: float | None
    timed: int
    quarter: float | None
    middle: float | None
    three_quarters: float | None
    fast: AnswerShare
    early: float | None
    late: float | None
    repeated: AnswerShare
    swapped: AnswerShare
    shared: int
    agreement: float | None
    alpha: float | None
    alpha_level: str
    all_same: bool

    @property
    def untimed(self) -> int:
        """Answers without times, as of a browser without scripts or of a file that has none."""
        return self.answers - self.timed


@dataclass(frozen=True)
class AnswerReport:
    """Figures of all answers that count, of each task, of each person; and, apart, of challenges and of
    batches that do not count.
    """

    all: AnswerFigures
    tasks: Mapping[int, AnswerFigures]
    people: Mapping[int, AnswerFigures]
    challenges: AnswerFigures
    discarded: AnswerFigures


LEVELS = {"0-1": "nominal", "0-2": "ordinal", "0-4": "ordinal", "0-100": "interval"}


def report(answers: Answers) -> AnswerReport:
    """Figures of these answers. Time and memory grow with the answers, and with the preferences of picks."""
    counting, again = answers.where(answers.about == COUNTS), answers.where(answers.about == AGAIN)
    units = units_of(counting)
    task, task_again = counting.told("task"), again.told("task")
    numbers = sorted(set(task.tolist()))
    tasks = {
        one: figures(counting.where(task == one), again=again.where(task_again == one)) for one in numbers
    }
    return AnswerReport(
        figures(counting, units, again=again, several=len(tasks) > 1),
        tasks,
        _of_people(counting, again, units),
        _apart(answers, CHALLENGE),
        _apart(answers, DISCARDED),
    )


def _apart(answers: Answers, about: int) -> AnswerFigures:
    import numpy as np

    own = answers.where(answers.about == about)
    return figures(own, several=len(np.unique(own.told("task"))) > 1)


def _of_people(counting: Answers, again: Answers, units: Units) -> dict[int, AnswerFigures]:
    """Figures of each person: what others say of the same questions is their agreement."""
    import numpy as np

    pks, person = np.unique(counting.assessor, return_inverse=True)
    known = again.where(np.isin(again.assessor, pks))
    found = _figures_by(counting, person, len(pks), known, np.searchsorted(pks, known.assessor))
    shared = units.shared()
    labels = np.unique(shared.label, return_inverse=True)[1]
    code = number_rows(shared.unit, labels)
    _, said, times = np.unique(code, return_inverse=True, return_counts=True)
    same = (times[said] - 1) / (shared.sizes[shared.unit] - 1)
    person = np.searchsorted(pks, shared.assessor)
    sums = np.bincount(person, weights=same, minlength=len(pks)).tolist()
    many = np.bincount(person, minlength=len(pks)).tolist()
    people = {
        pk: replace(own, shared=n, agreement=alike / n if n else None)
        for pk, own, n, alike in zip(pks.tolist(), found, many, sums, strict=True)
    }
    for pk in holm({pk: own.left_p for pk, own in people.items() if own.left_p is not None}):
        people[pk] = replace(people[pk], left_flag=True)
    return people


def figures(
    answers: Answers, units: Units | None = None, *, again: Answers | None = None, several: bool = False
) -> AnswerFigures:
    """Figures of one group of answers. units: its own, where they are known.

    again: answers to questions asked again, for the consistency alone.
    several: they are of several tasks, whose labels make no common alpha.
    """
    import numpy as np

    again = answers.where(slice(0)) if again is None else again
    one, other = (np.zeros(len(own), dtype=int) for own in (answers, again))
    [found] = _figures_by(answers, one, 1, again, other)
    compared, start = (units or units_of(answers)).columns().pairable(), answers.first()
    sided = start is not None and start.side is not None
    alpha = None if several else _alpha(compared, found.alpha_level, sided)
    shared = len(compared.sizes)
    return replace(
        found,
        shared=shared,
        agreement=_raw(compared),
        alpha=alpha,
        all_same=alpha is None and not several and shared > 0,
    )


def _figures_by(
    answers: Answers, group: "Numbers", groups: int, again: Answers, again_group: "Numbers"
) -> list[AnswerFigures]:
    """Figures of each group but for its agreement. group: the number of each answer's, below `groups`."""
    import numpy as np

    def count(there: "NDArray[np.bool_]") -> list[int]:
        return np.bincount(group[there], minlength=groups).tolist()

    side, size, tie_able = answers.told("side"), answers.told("size"), answers.told("tie_able")
    left, right = count((side == 1) & (size > 0)), count((side == -1) & (size > 0))
    ties, able = count(tie_able & (side == 0)), count(tie_able)
    every, timed = np.ones(len(answers), dtype=bool), ~np.isnan(answers.seconds)
    readable = timed & (answers.least() > 0)
    # Where nobody told the time it is not below anything.
    fast = count(readable & (answers.seconds < answers.least()))
    thirds = [
        medians(answers.seconds, group, groups, timed & (answers.third == third)) for third in (FIRST, LAST)
    ]
    quarters = percentiles(answers.seconds, group, groups, timed, [0.25, 0.5, 0.75])
    asked_again = np.concatenate([group, again_group]) if len(again) else group
    repeated, swapped = repeats(answers.joined(again), asked_again, groups)
    people = np.bincount(group[group_rows(group, answers.assessor)[0]], minlength=groups).tolist()
    chosen, levels = picks(answers, group, groups), _levels(answers, group, groups)
    each = zip(
        *(count(every), people, left, right, ties, able, chosen, count(timed), *quarters, fast),
        *(count(readable), *thirds, repeated, swapped, levels),
        strict=True,
    )
    return [_told_figures(*one) for one in each]


def _told_figures(
    answers: int,
    people: int,
    left: int,
    right: int,
    ties: int,
    able: int,
    picks: dict[int, list[int]],
    timed: int,
    quarter: float | None,
    middle: float | None,
    three_quarters: float | None,
    fast: int,
    readable: int,
    early: float | None,
    late: float | None,
    repeated: tuple[int, int],
    swapped: tuple[int, int],
    level: str,
) -> AnswerFigures:
    from prefir.measures.shares import place_bias

    places = place_bias(picks)
    return AnswerFigures(
        answers=answers,
        people=people,
        left=share(left, left + right),
        left_p=half_test(left, left + right),
        left_flag=False,
        ties=share(ties, able),
        picks=picks,
        picks_chi2=_told(places.chi2),
        picks_freedom=places.freedom,
        picks_p=_told(places.p_value),
        timed=timed,
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        fast=share(fast, readable),
        early=early,
        late=late,
        repeated=share(*repeated),
        swapped=share(*swapped),
        shared=0,
        agreement=None,
        alpha=None,
        alpha_level=level,
        all_same=False,
    )


def _levels(answers: Answers, group: "Numbers", groups: int) -> list[str]:
    """Of each group the level of its first answer's labels."""
    found = ["nominal"] * groups
    for at in group_rows(group)[0].tolist():
        scale = answers.rows.meanings[int(answers.meaning[at])].scale
        found[group[at]] = LEVELS.get(scale, "nominal")
    return found


def share(some: int, every: int) -> AnswerShare:
    """A share with Wilson's interval; without one where there is nothing."""
    from prefir.measures.shares import wilson_interval

    return (
        AnswerShare(some, every, some / every, *wilson_interval(some, every))
        if every
        else AnswerShare(some, every)
    )


def holm(p_values: Mapping[int, float], level: float = 0.05) -> set[int]:
    """Those whose p is below the level after Holm's step-down correction (Scand. J. Stat. 6(2), 1979)."""
    found: set[int] = set()
    for tested, pk in enumerate(sorted(p_values, key=p_values.__getitem__)):
        if p_values[pk] * (len(p_values) - tested) >= level:
            break
        found.add(pk)
    return found


def _raw(compared: "LabelColumns") -> float | None:
    from prefir.measures import raw_agreement

    return _told(raw_agreement(compared))


def _alpha(compared: "LabelColumns", level: str, sided: bool) -> float | None:
    from prefir.measures import krippendorff_alpha

    return _told(krippendorff_alpha(compared.both_ways() if sided else compared, level=level))


def half_test(some: int, every: int) -> float | None:
    """Exact two-sided binomial test of a share against one half; None where there is nothing."""
    from scipy.special import bdtr

    if not every:
        return None
    # One half is symmetric: both tails are as likely.
    return min(1.0, 2 * float(bdtr(min(some, every - some), every, 0.5)))


def _told(value: float) -> float | None:
    return None if isnan(value) else value
