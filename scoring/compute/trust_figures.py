"""Trust in a study's judgments, as figures from answers alone: agreement, transitivity, groups, time, people.

Pure functions without Django, for `child_process.call`; they join what `scoring.compute.answer_stats` says of
each group.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.compute.answer_stats import (
    COUNTS,
    LEVELS,
    Answer,
    AnswerFigures,
    AnswerReport,
    AnswerShare,
    figures,
    report,
    share,
    units_of,
)

if TYPE_CHECKING:
    from prefir.measures import Transitivity

# Stretches of time that the page shows; none has fewer answers than this.
STRETCHES, LEAST = 10, 50


@dataclass(frozen=True)
class Agreement:
    """Agreement on the questions that two people or more answered; None where nothing can be told.

    questions: how many there are. raw: share of pairs of people who say the same. alpha: Krippendorff's, at
    `level`. kappa: Fleiss', which needs as many answers to each question: of the `kappa_questions` that have
    the commonest number, `kappa_people`. sided: of pairs, each of which alpha and kappa count both ways,
    so that it does not matter which item is named first.
    """

    questions: int
    raw: float | None
    alpha: float | None
    level: str
    kappa: float | None
    kappa_questions: int
    kappa_people: int
    sided: bool = False

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
    def failing(self) -> float | None:
        return self.failed / self.known if self.known else None


@dataclass(frozen=True)
class Trust:
    """Figures of the page. stretches: figures of equal parts of the answers that count, in their order, each
    with its number of answers before it. people: in no particular order.
    """

    all: AnswerFigures
    tasks: Mapping[int, AnswerFigures]
    agreements: Sequence[OfTask]
    triples: "Transitivity"
    between: Sequence[Between]
    stretches: Sequence[tuple[int, AnswerFigures]]
    people: Sequence[PersonTrust]
    challenges: AnswerShare


class KnownPerson(NamedTuple):
    """What the answers do not tell of an assessor: name, group, and challenges answered wrongly, and met."""

    name: str
    group: str
    failed: int
    known: int


def reported(answers: Sequence[Answer], people: Mapping[int, KnownPerson]) -> tuple[AnswerReport, Trust]:
    """The report of these answers, and the trust figures that rest on it, from one reading of them."""
    found = report(answers)
    return found, trust(answers, people, found)


def trust(answers: Sequence[Answer], people: Mapping[int, KnownPerson], found: AnswerReport) -> Trust:
    """Compute all figures. people: of anyone who gave one of the answers; found: the report of these.

    Time and memory grow with the answers, and with the cube of a topic's items, by products of matrices.
    """
    counting = [answer for answer in answers if answer.about == COUNTS]
    by_task: dict[int, list[Answer]] = defaultdict(list)
    for answer in counting:
        by_task[answer.task].append(answer)
    groups = {pk: one.group for pk, one in people.items()}
    return Trust(
        found.all,
        found.tasks,
        [OfTask(task, *_of_task(own)) for task, own in sorted(by_task.items())],
        triples(counting),
        between(units_of(counting), groups),
        stretches(counting),
        [_person(pk, own, people[pk]) for pk, own in found.people.items()],
        share(sum(one.failed for one in people.values()), sum(one.known for one in people.values())),
    )


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


def _of_task(own: Sequence[Answer]) -> tuple[Agreement, Agreement | None]:
    level = LEVELS.get(own[0].scale, "nominal")
    if own[0].side is None:
        return agreement(units_of(own).values(), level), None
    as_given = units_of(answer._replace(label=answer.strength) for answer in own)
    given = agreement(as_given.values(), level, sided=True)
    return given, agreement(units_of(own).values(), level, sided=True)


def agreement(units: Iterable[Mapping[int, Hashable]], level: str, *, sided: bool = False) -> Agreement:
    """Agreement about questions, each given as assessor -> label. level: of alpha.

    sided: the questions are pairs, and labels above 0 prefer the one that is named first.
    """
    from prefir.measures import both_ways, fleiss_kappa, krippendorff_alpha, raw_agreement

    compared: list[list[Any]] = [list(unit.values()) for unit in units if len(unit) > 1]
    sizes = Counter(map(len, compared))
    # Of equally common numbers the larger, which says more about each question.
    people = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0
    alike = [unit for unit in compared if len(unit) == people]
    turned = both_ways if sided else list
    return Agreement(
        len(compared),
        _told(raw_agreement(compared)),
        _told(krippendorff_alpha(turned(compared), level=level)),
        level,
        _told(fleiss_kappa(turned(alike))) if alike else None,
        len(alike),
        people,
        sided,
    )


def triples(answers: Iterable[Answer]) -> "Transitivity":
    """Transitive triples of what most people prefer, over the topics of each task (Xie et al., 2020, 3.3)."""
    from prefir.measures import Transitivity, transitivity
    from prefir.measures.images import majority_preferences

    leans: dict[tuple[int, int], list[tuple[str, str, float]]] = defaultdict(list)
    for answer in answers:
        own = leans[answer.task, answer.topic]
        own.extend((str(first), str(second), -lean) for first, second, lean in answer.leans)
    return sum((transitivity(majority_preferences(own)) for own in leans.values()), Transitivity())


def between(units: Mapping[int, Mapping[int, Hashable]], groups: Mapping[int, str]) -> list[Between]:
    """How often people say the same within each group, and across each two. Time grows with the answers."""
    sums: dict[tuple[str, str], float] = defaultdict(float)
    questions: Counter[tuple[str, str]] = Counter()
    for unit in units.values():
        said: dict[str, Counter[Hashable]] = defaultdict(Counter)
        for assessor, label in unit.items() if len(unit) > 1 else ():
            said[groups[assessor]][label] += 1
        for pair in combinations_with_replacement(sorted(said), 2):
            first, second = (said[group] for group in pair)
            every, same = first.total() * second.total(), sum(n * second[label] for label, n in first.items())
            if pair[0] == pair[1]:
                # Nobody is compared with themselves.
                every, same = every - first.total(), same - first.total()
            if every:
                sums[pair] += same / every
                questions[pair] += 1
    every_pair = combinations_with_replacement(sorted(set(groups.values())), 2)
    return [
        Between(*pair, questions[pair], sums[pair] / questions[pair] if questions[pair] else None)
        for pair in every_pair
    ]


def stretches(answers: Sequence[Answer]) -> list[tuple[int, AnswerFigures]]:
    """Figures of equal parts of the answers, in their order, each with how many answers came before it."""
    size = max(LEAST, -(-len(answers) // STRETCHES))
    parts = [(start, answers[start : start + size]) for start in range(0, len(answers), size)]
    return [(start, figures(own, units_of(own), several=True)) for start, own in parts]


def _told(value: float) -> float | None:
    return None if isnan(value) else value
