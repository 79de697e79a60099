"""Figures about how people answer: position bias, ties, time and consistency, from answers alone.

Pure functions without Django, for `child_process.call`. Formulas and sources: `prefir.measures.shares`
(intervals, places), `prefir.measures.consistency` (repeats), `prefir.measures.agreement` (between people).
Intervals take answers as independent; those of one person, or about one topic, are so only more or less, and
sides are balanced in each batch, which makes the tests a little careful.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, isnan
from statistics import median
from typing import Any, NamedTuple

COUNTS, CHALLENGE, DISCARDED, AGAIN = "counts", "challenge", "discarded", "again"
FIRST, LAST = 0, 2


class Answer(NamedTuple):
    """One answer, as its assessor left it.

    about: COUNTS, CHALLENGE, DISCARDED or AGAIN (asked once more in a batch that counts). task, scale: which
    task, and its scale. subjects: ids as they stood on the page, from left to right; empty where a file does
    not say. topic: of the question.
    side: 1 left, 0 tie, -1 right, None for a kind without sides. place: that of the pick, None for others.
    label: the answer in terms of the question, whichever way it stood, to compare with those of others.
    leans: (subject, subject, sign) of each preference that follows; sign above 0 prefers the first.
    seconds: in view over all corrections, None where no browser told. least: below it nobody can have
    looked. third: of the batch in the order of answering, 0 to 2; None in batches of one or two.
    strength: of two subjects the lean as it was given, from -2 to 2; None for a kind without sides.
    """

    about: str
    task: int
    scale: str
    assessor: int
    question: int
    topic: int
    subjects: tuple[int, ...]
    side: int | None
    place: int | None
    label: Hashable
    leans: tuple[tuple[int, int, int], ...]
    seconds: float | None
    least: float
    third: int | None
    strength: int | None = None


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
Unit = dict[int, Hashable]


@dataclass
class _Gathered:
    """What is counted of a group while its answers are read."""

    answers: int = 0
    people: set[int] = field(default_factory=set)
    sides: Counter[int] = field(default_factory=Counter)
    tie_able: int = 0
    ties: int = 0
    picks: dict[int, list[int]] = field(default_factory=dict)
    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    thirds: "dict[int, array[float]]" = field(default_factory=lambda: {FIRST: array("d"), LAST: array("d")})
    readable: int = 0
    fast: int = 0

    def add(self, answer: Answer) -> None:
        self.answers += 1
        self.people.add(answer.assessor)
        if answer.side is not None:
            self.sides[answer.side] += bool(answer.subjects)
            # A scale with ties has an odd number of levels.
            with_ties = int(answer.scale) % 2 == 1
            self.tie_able += with_ties
            self.ties += with_ties and answer.side == 0
        if answer.place is not None and answer.subjects:
            size = len(answer.subjects)
            self.picks.setdefault(size, [0] * size)[answer.place] += 1
        if answer.seconds is not None:
            self.seconds.append(answer.seconds)
            if answer.third in self.thirds:
                self.thirds[answer.third].append(answer.seconds)
            if answer.least > 0:
                self.readable += 1
                self.fast += answer.seconds < answer.least


def report(answers: Iterable[Answer]) -> AnswerReport:
    """Figures of these answers. Time and memory grow with the answers, and with the preferences of picks."""
    every = list(answers)
    counting = [answer for answer in every if answer.about == COUNTS]
    again = [answer for answer in every if answer.about == AGAIN]
    again_by_person: dict[int, list[Answer]] = defaultdict(list)
    again_by_task: dict[int, list[Answer]] = defaultdict(list)
    for answer in again:
        again_by_person[answer.assessor].append(answer)
        again_by_task[answer.task].append(answer)
    by_person: dict[int, list[Answer]] = defaultdict(list)
    by_task: dict[int, list[Answer]] = defaultdict(list)
    for answer in counting:
        by_person[answer.assessor].append(answer)
        by_task[answer.task].append(answer)
    units = units_of(counting)
    with_others = _by_assessor(units.values())
    people = {
        pk: figures(
            own, {}, again=again_by_person[pk], agreement=with_others.get(pk), shared=_shared(own, units)
        )
        for pk, own in by_person.items()
    }
    flagged = holm({pk: found.left_p for pk, found in people.items() if found.left_p is not None})
    for pk in flagged:
        people[pk] = AnswerFigures(**{**vars(people[pk]), "left_flag": True})
    tasks = {
        task: figures(own, units_of(own), again=again_by_task[task]) for task, own in sorted(by_task.items())
    }
    return AnswerReport(
        figures(counting, units, again=again, several=len(tasks) > 1),
        tasks,
        people,
        _apart(every, CHALLENGE),
        _apart(every, DISCARDED),
    )


def _apart(every: Iterable[Answer], about: str) -> AnswerFigures:
    own = [answer for answer in every if answer.about == about]
    return figures(own, units_of(own), several=len({answer.task for answer in own}) > 1)


def figures(
    answers: Sequence[Answer],
    units: Mapping[int, Unit],
    *,
    again: Sequence[Answer] = (),
    several: bool = False,
    agreement: float | None = None,
    shared: int | None = None,
) -> AnswerFigures:
    """Figures of one group of answers. units: its answers by question and person, for the agreement.

    again: answers to questions asked again, for the consistency alone.
    several: they are of several tasks, whose labels make no common alpha. agreement, shared: given for one
    person, since theirs needs the answers of others.
    """
    from prefir.measures.shares import place_bias

    found = _Gathered()
    for answer in answers:
        found.add(answer)
    left, right = found.sides[1], found.sides[-1]
    places = place_bias(found.picks)
    quarter, middle, three_quarters = _quartiles(found.seconds)
    repeated, swapped = repeats([*answers, *again])
    compared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    level = LEVELS.get(answers[0].scale, "nominal") if answers else "nominal"
    sided = bool(answers) and answers[0].side is not None
    alpha = None if several else _alpha(compared, level, sided)
    return AnswerFigures(
        answers=found.answers,
        people=len(found.people),
        left=share(left, left + right),
        left_p=_half(left, left + right),
        left_flag=False,
        ties=share(found.ties, found.tie_able),
        picks=dict(sorted(found.picks.items())),
        picks_chi2=_told(places.chi2),
        picks_freedom=places.freedom,
        picks_p=_told(places.p_value),
        timed=len(found.seconds),
        quarter=quarter,
        middle=middle,
        three_quarters=three_quarters,
        fast=share(found.fast, found.readable),
        early=median(found.thirds[FIRST]) if found.thirds[FIRST] else None,
        late=median(found.thirds[LAST]) if found.thirds[LAST] else None,
        repeated=repeated,
        swapped=swapped,
        shared=len(compared) if shared is None else shared,
        agreement=agreement if agreement is not None else _raw(compared),
        alpha=alpha,
        alpha_level=level,
        all_same=alpha is None and not several and bool(compared),
    )


def share(some: int, every: int) -> AnswerShare:
    """A share with Wilson's interval; without one where there is nothing."""
    from prefir.measures.shares import wilson_interval

    return (
        AnswerShare(some, every, some / every, *wilson_interval(some, every))
        if every
        else AnswerShare(some, every)
    )


def repeats(answers: Iterable[Answer]) -> tuple[AnswerShare, AnswerShare]:
    """How often a person who was asked about two subjects again said the same; of those shown both ways too.

    Two subjects of a topic count once for a person and task, however often they came, and as the same only if
    all preferences about them are. A definite answer and a slight one for the same side are the same. Where
    nothing follows from an answer about two subjects, as of two that both were not picked, it says nothing.
    As `prefir.measures.repeat_consistency` counts, which has the order of names where this has that of ids.
    """
    signs: dict[tuple[int, int, int, int, int], list[int]] = {}
    for answer in answers:
        at = {subject: place for place, subject in enumerate(answer.subjects)}
        for one, other, sign in answer.leans:
            first, second, own = (one, other, sign) if one < other else (other, one, -sign)
            swapped = bool(at) and at[first] > at[second]
            # Bit by bit: each answer that was given, and each way round.
            seen = signs.setdefault((answer.assessor, answer.task, answer.topic, first, second), [0, 0, 0])
            seen[0] += 1
            seen[1] |= 1 << (own + 1)
            seen[2] |= (1 << swapped) if at else 0
    again = [(said.bit_count() == 1, ways == 3) for times, said, ways in signs.values() if times > 1]
    return (
        share(sum(same for same, _ in again), len(again)),
        share(sum(same for same, both in again if both), sum(both for _, both in again)),
    )


def holm(p_values: Mapping[int, float], level: float = 0.05) -> set[int]:
    """Those whose p is below the level after Holm's step-down correction (Scand. J. Stat. 6(2), 1979)."""
    found: set[int] = set()
    for tested, pk in enumerate(sorted(p_values, key=p_values.__getitem__)):
        if p_values[pk] * (len(p_values) - tested) >= level:
            break
        found.add(pk)
    return found


def units_of(answers: Iterable[Answer]) -> dict[int, Unit]:
    """Labels by question and person; of a person who answered a question twice, the first."""
    units: dict[int, Unit] = {}
    for answer in answers:
        units.setdefault(answer.question, {}).setdefault(answer.assessor, answer.label)
    return units


def _shared(own: Iterable[Answer], units: Mapping[int, Unit]) -> int:
    return sum(len(units[question]) > 1 for question in {answer.question for answer in own})


def _by_assessor(units: Iterable[Unit]) -> dict[int, float]:
    """As `prefir.measures.agreement_by_assessor`, for labels of any kind."""
    shares: dict[int, list[float]] = defaultdict(list)
    for unit in units:
        times = Counter(unit.values())
        for assessor, label in unit.items() if len(unit) > 1 else ():
            shares[assessor].append((times[label] - 1) / (len(unit) - 1))
    return {assessor: sum(own) / len(own) for assessor, own in shares.items()}


def _raw(compared: Sequence[Sequence[Hashable]]) -> float | None:
    from prefir.measures import raw_agreement

    return _told(raw_agreement(compared))


def _alpha(compared: Sequence[Sequence[Any]], level: str, sided: bool) -> float | None:
    from prefir.measures import both_ways, krippendorff_alpha

    return _told(krippendorff_alpha(both_ways(compared) if sided else compared, level=level))


def _half(some: int, every: int) -> float | None:
    """Exact two-sided binomial test of a share against one half; None where there is nothing."""
    from scipy.special import bdtr

    if not every:
        return None
    # One half is symmetric: both tails are as likely.
    return min(1.0, 2 * float(bdtr(min(some, every - some), every, 0.5)))


def _quartiles(seconds: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """25th, 50th and 75th percentile, linear between neighbours (type 7 of Hyndman & Fan, 1996)."""
    import numpy as np

    if not seconds:
        return None, None, None
    quarter, middle, three_quarters = np.percentile(np.asarray(seconds), [25, 50, 75]).tolist()
    return quarter, middle, three_quarters


def _told(value: float) -> float | None:
    return None if isnan(value) else value
