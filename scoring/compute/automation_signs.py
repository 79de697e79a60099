"""Signs that answers were not given by a person, from times and paradata alone.

Pure functions without Django, for `child_process.call`. Each sign has innocent causes, which `web` says
where it shows the figures. They decide nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

from scoring.compute.answer_columns import Answers

# Fewer answers with a time say nothing of how even they are.
FEW = 10
# People vary by more than this share of their mean time.
EVEN = 0.2
# So many answers in a row after the same seconds, to a tenth, are no coincidence: one chance in some 100,000
# where times spread over ten seconds.
ROW = 4
# A person’s own times come near each other: so many in a row are the same as earlier ones by a program alone.
AGAIN = 8


class PersonInputs(NamedTuple):
    """How a person's answers were given, by their paradata. told: answers that have any.

    none: without any input. still: by a mouse whose pointer never moved. blurred: during which another
    window took the focus. pasted: with pasted text.
    """

    told: int = 0
    none: int = 0
    still: int = 0
    blurred: int = 0
    pasted: int = 0


class PersonSigns(NamedTuple):
    """The signs of one person. answers, timed: all, and those whose time is known.

    fast: answers faster than a reader could be. variation: standard deviation of the seconds over their mean;
    None below `FEW` times. alike: people who gave `ROW` answers in a row after the same seconds as this one.
    again: answers in rows of `AGAIN` or more after the same seconds as earlier answers of their own.
    """

    person: int
    answers: int
    timed: int
    fast: int
    variation: float | None
    alike: int
    inputs: PersonInputs
    again: int = 0

    @property
    def even(self) -> bool:
        """Whether the times are as even as a program's."""
        return self.variation is not None and self.variation < EVEN

    @property
    def signs(self) -> int:
        """How many of the signs this person shows at all; losing the focus and pasting are none alone."""
        given = self.inputs
        return sum(
            map(bool, (self.fast, self.even, self.alike, self.again, given.none, given.still, given.pasted))
        )


def automation_signs(
    answers: Answers, inputs: Mapping[int, PersonInputs], *, without: Collection[int] = ()
) -> list[PersonSigns]:
    """The signs of everybody with answers but for some people, most signs first, then the most answers.

    Time and memory grow with the answers.
    """
    import numpy as np

    answers = answers.where(~np.isin(answers.assessor, list(without)))
    people, person, given = np.unique(answers.assessor, return_inverse=True, return_counts=True)
    fast = np.bincount(person[answers.seconds < answers.least()], minlength=len(people))
    timed = np.flatnonzero(~np.isnan(answers.seconds))
    timed = timed[np.argsort(person[timed], kind="stable")]
    bounds = np.searchsorted(person[timed], np.arange(1, len(people)))
    own = (part.tolist() for part in np.split(answers.seconds[timed], bounds))
    seconds = dict(zip(people.tolist(), own, strict=False))
    alike = _alike(seconds)
    found = [
        PersonSigns(
            pk,
            number,
            len(seconds[pk]),
            hasty,
            _variation(seconds[pk]),
            alike.get(pk, 0),
            inputs.get(pk, PersonInputs()),
            _again(seconds[pk]),
        )
        for pk, number, hasty in zip(people.tolist(), given.tolist(), fast.tolist(), strict=True)
    ]
    return sorted(found, key=lambda one: (-one.signs, -one.answers, one.person))


def _variation(seconds: Sequence[float]) -> float | None:
    """Coefficient of variation; None for few times, or where all are 0."""
    mean = fmean(seconds) if len(seconds) >= FEW else 0.0
    return pstdev(seconds, mean) / mean if mean else None


def _rows(seconds: Sequence[float], size: int) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield each `size` times in a row, to a tenth, with the place of the first.

    Not those that are all the same: a program that waits the same each time is even, not like another.
    """
    tenths = [round(one, 1) for one in seconds]
    for at in range(len(tenths) - size + 1):
        row = tuple(tenths[at : at + size])
        if any(one != other for one, other in pairwise(row)):
            yield at, row


def _again(seconds: Sequence[float]) -> int:
    """Count the times that stand in a row which is the same as an earlier one, without overlapping it."""
    first: dict[tuple[float, ...], int] = {}
    found: set[int] = set()
    for at, row in _rows(seconds, AGAIN):
        if first.setdefault(row, at) <= at - AGAIN:
            found.update(range(at, at + AGAIN))
    return len(found)


def _alike(rows: Mapping[int, Sequence[float]]) -> dict[int, int]:
    """For each person the number of others with `ROW` times in a row that are the same to a tenth."""
    met: dict[tuple[float, ...], set[int]] = defaultdict(set)
    for person, seconds in rows.items():
        for _, row in _rows(seconds, ROW):
            met[row].add(person)
    others: dict[int, set[int]] = defaultdict(set)
    for people in met.values():
        if len(people) > 1:
            for person in people:
                others[person] |= people
    return {person: len(found) - 1 for person, found in others.items()}
