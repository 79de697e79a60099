"""Trust in a study's judgments, as figures from answers alone: agreement, transitivity, groups, time, people.

Pure functions without Django, for `child_process.call`; they join what `scoring.compute.answer_stats` says of
each group.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from scoring.compute.answer_columns import COUNTS, Answers, group_rows, number_rows
from scoring.compute.answer_stats import (
    LEVELS,
    AnswerFigures,
    AnswerReport,
    AnswerShare,
    figures,
    report,
    share,
)
from scoring.compute.answer_units import Units, units_of

if TYPE_CHECKING:
    from prefir.measures import Transitivity
    from prefir.measures.agreement import LabelColumns

# Stretches of time that the page shows; none has fewer answers than this.
STRETCHES, LEAST = 10, 50
# Parts of the questions, each left out once, by which agreement has its interval; not below FEWEST questions.
PARTS, FEWEST = 50, 10


@dataclass(frozen=True)
class Agreement:
    """Agreement on the questions that two people or more answered; None where nothing can be told.

    questions: how many there are. raw: share of pairs of people who say the same. alpha: Krippendorff's, at
    `level`. kappa: Fleiss', which needs as many answers to each question: of the `kappa_questions` that have
    the commonest number, `kappa_people`. sided: of pairs, each of which alpha and kappa count both ways,
    so that it does not matter which item is named first. raw_ends, alpha_ends: their 95 % intervals.
    """

    questions: int
    raw: float | None
    alpha: float | None
    level: str
    kappa: float | None
    kappa_questions: int
    kappa_people: int
    sided: bool = False
    raw_ends: tuple[float, float] | None = None
    alpha_ends: tuple[float, float] | None = None

    @property
    def all_same(self) -> bool:
        """Whether all answers are the same, so that alpha has no value: agreement by chance is 1."""
        return self.alpha is None and self.questions > 0

    @property
    def kappa_all_same(self) -> bool:
        return self.kappa is None and self.kappa_questions > 0


@dataclass(frozen=True)
class OfTask:
    """A task's agreement, with strong and weak preference apart, and merged; merged is None without sides."""

    task: int
    given: Agreement
    merged: Agreement | None


@dataclass(frozen=True)
class Between:
    """How often people of two groups, or of one, say the same of a question, strong and weak merged.

    questions: those that somebody of each answered; share: the mean over them, of all such pairs of people.
    """

    first: str
    second: str
    questions: int
    share: float | None


class PersonTrust(NamedTuple):
    """An assessor's figures, as a list is sorted by them: shares in [0, 1], seconds; None is not known.

    failed: of the challenges in all of their batches, those answered wrongly; known: all that were answered.
    """

    pk: int
    name: str
    answers: int
    left: float | None
    left_low: float | None
    left_high: float | None
    flagged: bool
    ties: float | None
    seconds: float | None
    same: float | None
    repeated: int
    agree: float | None
    failed: int
    known: int
    group: str

    @property
    def right(self) -> int:
        return self.known - self.failed

    @property
    def failing(self) -> float | None:
        return self.failed / self.known if self.known else None


@dataclass(frozen=True)
class Trust:
    """Figures of the page. stretches: figures of equal parts of the answers that count, in their order, each
    with its number of answers before it. people: in no particular order. challenges: answered wrongly, of
    those that people met; challenges_out: the same of excluded people, who are in no other figure.
    """

    all: AnswerFigures
    tasks: Mapping[int, AnswerFigures]
    agreements: Sequence[OfTask]
    triples: "Transitivity"
    between: Sequence[Between]
    stretches: Sequence[tuple[int, AnswerFigures]]
    people: Sequence[PersonTrust]
    challenges: AnswerShare
    challenges_out: AnswerShare


class KnownPerson(NamedTuple):
    """What the answers do not tell of an assessor: name, group, challenges answered wrongly, and met, and
    whether they are excluded.
    """

    name: str
    group: str
    failed: int
    known: int
    excluded: bool = False


def reported(answers: Answers, people: Mapping[int, KnownPerson]) -> tuple[AnswerReport, Trust]:
    """The report of these answers, and the trust figures that rest on it, from one reading of them."""
    found = report(answers)
    return found, trust(answers, people, found)


def trust(answers: Answers, people: Mapping[int, KnownPerson], found: AnswerReport) -> Trust:
    """Compute all figures. people: of anyone who gave one of the answers; found: the report of these.

    Time and memory grow with the answers, and with the cube of a topic's items, by products of matrices.
    """
    counting = answers.where(answers.about == COUNTS)
    task = counting.told("task")
    groups = {pk: one.group for pk, one in people.items()}
    return Trust(
        found.all,
        found.tasks,
        [OfTask(one, *_of_task(counting.where(task == one))) for one in sorted(set(task.tolist()))],
        triples(counting),
        between(units_of(counting), groups),
        stretches(counting),
        [_person(pk, own, people[pk]) for pk, own in found.people.items()],
        _challenges(one for one in people.values() if not one.excluded),
        _challenges(one for one in people.values() if one.excluded),
    )


def _challenges(people: Iterable[KnownPerson]) -> AnswerShare:
    told = [(one.failed, one.known) for one in people]
    return share(sum(failed for failed, _ in told), sum(known for _, known in told))


def _person(pk: int, own: AnswerFigures, known: KnownPerson) -> PersonTrust:
    return PersonTrust(
        pk=pk,
        name=known.name,
        answers=own.answers,
        left=own.left.share,
        left_low=own.left.low,
        left_high=own.left.high,
        flagged=own.left_flag,
        ties=own.ties.share,
        seconds=own.middle,
        same=own.repeated.share,
        repeated=own.repeated.every,
        agree=own.agreement,
        failed=known.failed,
        known=known.known,
        group=known.group,
    )


def _of_task(own: Answers) -> tuple[Agreement, Agreement | None]:
    start = own.first()
    assert start is not None
    level, merged = LEVELS.get(start.scale, "nominal"), units_of(own).columns()
    if start.side is None:
        return agreement(merged, level), None
    given = units_of(own, strength=True).columns()
    return agreement(given, level, sided=True), agreement(merged, level, sided=True)


def agreement(units: "LabelColumns", level: str, *, sided: bool = False) -> Agreement:
    """Agreement about questions. level: of alpha.

    sided: the questions are pairs, and labels above 0 prefer the one that is named first.
    """
    import numpy as np

    from prefir.measures import fleiss_kappa, krippendorff_alpha, raw_agreement

    compared = units.pairable()
    sizes, times = np.unique(compared.sizes, return_counts=True)
    # Of equally common numbers the larger, which says more about each question.
    people = max(zip(times.tolist(), sizes.tolist(), strict=True), default=(0, 0))[1]
    alike = compared.where(compared.sizes == people)

    def turned(some: "LabelColumns") -> "LabelColumns":
        return some.both_ways() if sided else some

    def alpha(some: "LabelColumns") -> float:
        return krippendorff_alpha(turned(some), level=level)

    return Agreement(
        len(compared.sizes),
        _told(raw_agreement(compared)),
        _told(alpha(compared)),
        level,
        _told(fleiss_kappa(turned(alike))),
        len(alike.sizes),
        people,
        sided,
        _raw_ends(compared),
        _ends(compared, alpha),
    )


def _raw_ends(units: "LabelColumns") -> tuple[float, float] | None:
    """Return the 95 % interval of raw agreement, as the mean over questions that it is; None below two."""
    from prefir.measures import mean_intervals

    shares = units.equal_pairs / (units.sizes * (units.sizes - 1))
    found = mean_intervals(shares.reshape(-1, 1), bounds=(0.0, 1.0))
    low, high = float(found.lows[0]), float(found.highs[0])
    return (low, high) if low == low else None


def _ends(units: "LabelColumns", figure: Callable[["LabelColumns"], float]) -> tuple[float, float] | None:
    """Return the 95 % interval of a figure of at most 1, by a jackknife that leaves out a part of the
    questions at a time; None for few questions, and where a part alone has all that differs.

    Source: Shao and Tu, The Jackknife and Bootstrap (1995), 2.3: the delete-d jackknife by groups.
    """
    import numpy as np

    from prefir.measures.distributions import student_quantile

    if len(units.sizes) < FEWEST:
        return None
    parts = min(PARTS, len(units.sizes))
    part = np.arange(len(units.sizes)) % parts
    left = np.array([figure(units.where(part != one)) for one in range(parts)])
    value = figure(units)
    half = float(np.sqrt((parts - 1) * left.var())) * float(student_quantile(parts - 1, 0.975))
    return (value - half, min(1.0, value + half)) if half > 0 else None


def triples(answers: Answers) -> "Transitivity":
    """Transitive triples of what most people prefer, over the topics of each task (Xie et al., 2020, 3.3)."""
    import numpy as np

    from prefir.measures import Transitivity, transitivity

    leans = answers.leans()
    low, high = np.minimum(leans.first, leans.second), np.maximum(leans.first, leans.second)
    sign = np.where(leans.first < leans.second, leans.sign, -leans.sign)
    topic = number_rows(answers.told("task")[leans.answer], answers.topics()[leans.answer])
    first, pair = group_rows(topic, low, high)
    votes = np.stack([np.bincount(pair[sign == one], minlength=len(first)) for one in (1, 0, -1)])
    # As `prefir.measures.majority` has it: a vote that is split is a tie.
    split = (votes == votes.max(axis=0)).sum(axis=0) > 1
    most = np.where(split, 0, votes.argmax(axis=0) - 1) if len(first) else first
    own: dict[int, dict[tuple[str, str], float]] = defaultdict(dict)
    of_pair = (topic[first], low[first], high[first], most)
    for place, one, other, answer in zip(*(column.tolist() for column in of_pair), strict=True):
        own[place][str(one), str(other)] = answer
    return sum(map(transitivity, own.values()), Transitivity())


def between(units: Units, groups: Mapping[int, str]) -> list[Between]:
    """How often people say the same within each group, and across each two. Time grows with the answers."""
    import numpy as np

    names = sorted(set(groups.values()))
    shared = units.shared()
    pks = np.array(sorted(groups), dtype=np.int64)
    group_of = np.array([names.index(groups[pk]) for pk in pks.tolist()], dtype=np.int64)
    group = group_of[np.searchsorted(pks, shared.assessor)]
    first, said = group_rows(shared.unit, np.unique(shared.label, return_inverse=True)[1])
    unit = shared.unit[first]
    times = [np.bincount(said[group == n], minlength=len(first)) for n in range(len(names))]
    found = []
    for one, other in combinations_with_replacement(range(len(names)), 2):
        same, every, second = (
            np.bincount(unit, weights=own, minlength=len(units.sizes))
            for own in (times[one] * times[other], times[one], times[other])
        )
        # Nobody is compared with themselves.
        itself = every if one == other else 0
        same, every = same - itself, every * second - itself
        shares = same[every > 0] / every[every > 0]
        # Added up one after another, as a loop does.
        share_of = float(np.cumsum(shares)[-1]) / len(shares) if len(shares) else None
        found.append(Between(names[one], names[other], len(shares), share_of))
    return found


def stretches(answers: Answers) -> list[tuple[int, AnswerFigures]]:
    """Figures of equal parts of the answers, in their order, each with how many answers came before it."""
    size = max(LEAST, -(-len(answers) // STRETCHES))
    starts = range(0, len(answers), size)
    return [(start, figures(answers.where(slice(start, start + size)), several=True)) for start in starts]


def _told(value: float) -> float | None:
    return None if isnan(value) else value
