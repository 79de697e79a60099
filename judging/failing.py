"""Challenges and how they are answered: how often each is shown and answered wrong."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db.models import Count

from collection.models import Study
from judging.models import BatchQuestion, Judgment, JudgmentQuerySet
from judging.tasks import KINDS, Lean


@dataclass(frozen=True)
class Rate:
    """How often a challenge stood in a batch, was answered there, and answered wrong.

    Of an answer that was corrected the last counts, whatever became of the batch.
    """

    shown: int = 0
    answers: int = 0
    wrong: int = 0

    @property
    def share(self) -> float:
        """Wrong ones among the answers; 0 without any."""
        return self.wrong / self.answers if self.answers else 0.0


def rates(study: Study) -> dict[int, Rate]:
    """The rate of each challenge of a study that was ever shown, by question. Two queries.

    Both add up in the database; its work grows with the study's answers to challenges, what is read only with
    the challenges.
    """
    shown: dict[int, int] = defaultdict(int)
    places = BatchQuestion.objects.filter(challenge=True, question__again=False, question__study=study)
    shown.update(places.order_by().values_list("question_id").annotate(n=Count("pk")))
    given = answered_by(Judgment.objects.filter(question__study=study))
    return {pk: replace(given.get(pk, Rate()), shown=n) for pk, n in shown.items()}


def answered(questions: Collection[int]) -> dict[int, Rate]:
    """The rate of each of these challenges that was answered, by question, without how often they were shown.

    One query; its work grows with their answers.
    """
    return answered_by(Judgment.objects.filter(question__in=questions))


def answered_by(judgments: JudgmentQuerySet) -> dict[int, Rate]:
    """Add up the answers to challenges among judgments, by question. One query."""
    answers: dict[int, int] = defaultdict(int)
    wrong: dict[int, int] = defaultdict(int)
    given = judgments.current().filter(challenge=True, question__again=False).order_by()
    same = ("question_id", "question__expected", "question__task__kind", "value", "shown")
    for pk, expected, kind, value, order, n in given.values_list(*same).annotate(n=Count("pk")):
        answers[pk] += n
        wrong[pk] += 0 if KINDS[kind].is_right(value, order, expected) else n
    return {pk: Rate(answers=n, wrong=wrong[pk]) for pk, n in answers.items()}


def better(kind: str, expected: object) -> set[int]:
    """Positions of the subjects that a challenge's known answer prefers to others; none of a kind whose
    answers compare nothing.
    """
    return ahead_of_all(KINDS[kind].known_leans(expected))


def ahead_of_all(leans: Iterable[Lean]) -> set[int]:
    """Positions of the subjects that are preferred to others and none to them."""
    decided = [(a, b) if lean > 0 else (b, a) for a, b, lean in leans if lean]
    return {ahead for ahead, _ in decided} - {behind for _, behind in decided}
