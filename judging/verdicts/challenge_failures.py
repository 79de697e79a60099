"""Failure rates of challenges: how often each is shown, answered, and answered wrong."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.db.models import Case, Count, OuterRef, Subquery, When

from collection.models import Study
from config.sql import execute
from judging.models import BatchQuestion, Judgment, JudgmentQuerySet, Question, QuestionRole
from judging.running_totals import added_up
from judging.tasks import KINDS, Lean

# By question: answers, and wrong ones among them.
Numbers = dict[int, tuple[int, int]]


# A challenge fails often where so many answered it, and so large a share of them wrongly.
LEAST, SHARE = 5, 0.5
# Batches of a challenge that are looked at, the latest.
MOST_BATCHES = 200


class Rate(NamedTuple):
    """How often a challenge stood in a batch, was answered there, and answered wrong.

    The last of several corrections counts, withdrawn since or not, in every batch, kept or not.
    """

    shown: int = 0
    answers: int = 0
    wrong: int = 0

    @property
    def share(self) -> float:
        """Share of wrong answers; 0 without answers."""
        return self.wrong / self.answers if self.answers else 0.0

    @property
    def is_high(self) -> bool:
        """Whether the challenge fails often."""
        return self.answers >= LEAST and self.share >= SHARE


def rates(study: Study) -> dict[int, Rate]:
    """The rate of each answered challenge of a study, by question, without how often it was shown.

    Sums are cached, so cost grows with the answers since the last call and with the challenges.
    """
    own = Judgment.objects.filter(question__study=study, role=QuestionRole.CHALLENGE, value__isnull=False)
    nothing: Numbers = {}
    found = added_up(f"challenges:{study.pk}", own, nothing, _with)
    return {pk: Rate(answers=n, wrong=wrong) for pk, (n, wrong) in found.items()}


def rates_of_excluded(study: Study) -> dict[int, Rate]:
    """The rate of each challenge that people answered who are excluded now, of their answers alone."""
    of_study = Judgment.objects.filter(question__study=study)
    return answered_by(of_study.filter(assignment__assessor__excluded_at__isnull=False))


def _with(before: Numbers, judgments: JudgmentQuerySet) -> Numbers:
    """Add these rows to counts of answers and wrong answers to challenges, by question.

    A correction takes back what the answer before it added.
    """
    found = dict(before)
    corrected = Judgment.objects.filter(
        assignment=OuterRef("assignment"),
        question=OuterRef("question"),
        revision__lt=OuterRef("revision"),
        value__isnull=False,
    ).order_by("-revision")
    # Looked up for corrections alone, which are few.
    earlier = Case(When(revision__gt=0, then=Subquery(corrected.values("value")[:1])))
    same = ("question_id", "question__expected", "question__task__kind", "value", "shown", "earlier")
    rows = judgments.annotate(earlier=earlier).order_by().values_list(*same).annotate(n=Count("pk"))
    for pk, expected, kind, value, order, replaced, n in rows:
        answers, wrong = found.get(pk, (0, 0))
        wrong += 0 if KINDS[kind].is_right(value, order, expected) else n
        if replaced is None:
            answers += n
        else:
            wrong -= 0 if KINDS[kind].is_right(replaced, order, expected) else n
        found[pk] = (answers, wrong)
    return found


def with_shown(found: Mapping[int, Rate], questions: Collection[int]) -> dict[int, Rate]:
    """The rates of these challenges, with how often each stood in a batch."""
    places = BatchQuestion.objects.filter(role=QuestionRole.CHALLENGE, question__in=questions)
    shown = dict(places.order_by().values_list("question_id").annotate(n=Count("pk")))
    return {pk: found.get(pk, Rate())._replace(shown=shown.get(pk, 0)) for pk in questions}


def answered(questions: Collection[int]) -> dict[int, Rate]:
    """The rate of each answered one of these challenges, without how often it was shown."""
    # Judgments are found by their topic: there is no index by question.
    topics = Question.every.filter(pk__in=questions).values("topic")
    return answered_by(Judgment.objects.filter(topic__in=topics, question__in=questions))


def answered_by(judgments: JudgmentQuerySet) -> dict[int, Rate]:
    """Count the answers to challenges among judgments, by question."""
    answers: dict[int, int] = defaultdict(int)
    wrong: dict[int, int] = defaultdict(int)
    given = judgments.last_given().filter(role=QuestionRole.CHALLENGE).order_by()
    same = ("question_id", "question__expected", "question__task__kind", "value", "shown")
    for pk, expected, kind, value, order, n in given.values_list(*same).annotate(n=Count("pk")):
        answers[pk] += n
        wrong[pk] += 0 if KINDS[kind].is_right(value, order, expected) else n
    return {pk: Rate(answers=n, wrong=wrong[pk]) for pk, n in answers.items()}


# Answers that say the same are counted in the database: a study of a million has some hundred thousand.
BY_ASSESSOR = """
SELECT batch.assessor_id, task.kind, judgment.value, judgment.shown, asked.expected, count(*)
FROM judging_batchquestion asked
JOIN judging_question question ON question.id = asked.question_id AND question.set_aside_at IS NULL
JOIN judging_assignment batch ON batch.id = asked.assignment_id AND batch.state <> 'loading'
JOIN judging_task task ON task.id = batch.task_id AND task.study_id = %s
JOIN judging_judgment judgment
    ON judgment.assignment_id = asked.assignment_id AND judgment.question_id = asked.question_id
WHERE asked.role = 'challenge' AND judgment.value IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM judging_judgment later
    WHERE later.assignment_id = judgment.assignment_id AND later.question_id = judgment.question_id
        AND later.revision > judgment.revision AND later.value IS NOT NULL)
GROUP BY batch.assessor_id, task.kind, judgment.value, judgment.shown, asked.expected
"""


def failed_by_assessor(study: Study) -> dict[int, tuple[int, int]]:
    """Count challenges answered wrongly, and all answered, of each assessor who answered one. One query.

    What `judging.verdicts.decisions.challenges_wrong` says of all their batches together.
    """
    found: dict[int, tuple[int, int]] = {}
    for assessor, kind, value, shown, expected, times in execute(BY_ASSESSOR, [study.pk]):
        wrong, answered = found.get(assessor, (0, 0))
        right = KINDS[kind].is_right(json.loads(value), shown, json.loads(expected))
        found[assessor] = (wrong + (0 if right else times), answered + times)
    return found


def better(kind: str, expected: object) -> set[int]:
    """Positions of the subjects that a challenge's known answer prefers.

    Empty for kinds that do not compare.
    """
    return ahead_of_all(KINDS[kind].known_leans(expected))


def ahead_of_all(leans: Iterable[Lean]) -> set[int]:
    """Positions of the subjects that are preferred to another one and to which none is preferred."""
    decided = [(a, b) if lean > 0 else (b, a) for a, b, lean in leans if lean]
    return {ahead for ahead, _ in decided} - {behind for _, behind in decided}
