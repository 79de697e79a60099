"""What assessors are told of their own work: answers and time, today and in all, consistency and agreement.

It tells nothing about challenges. Repeats are no secret: the list of past answers names them.
"""

from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum
from django.utils import timezone

from judging.models import Assessor, Assignment, BatchQuestion, Judgment, QuestionRole, is_first
from judging.tasks import TaskKind


class OwnRecord(NamedTuple):
    """Answers and minutes in view, today (UTC) and in all; questions asked twice, and of these those
    answered alike.
    """

    answers: int
    minutes: int
    today: int
    minutes_today: int
    twice: int
    alike: int


def own_record(assessor: Assessor) -> OwnRecord:
    """Sum up an assessor's answers. Three queries; cost grows with their answers."""
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    twice, alike = _consistency(assessor)
    return OwnRecord(*_totals(assessor, midnight), twice, alike)


def minutes_of(seconds: float) -> int:
    """The nearest minutes, as the times of day beside them tell; at least one where anything is known."""
    return max(1, int(seconds / 60 + 0.5)) if seconds else 0


def _totals(assessor: Assessor, midnight: datetime) -> tuple[int, int, int, int]:
    today = Q(created_at__gte=midnight)
    # A correction is no further answer, and takes time of its own.
    found = Judgment.objects.filter(assignment__assessor=assessor).aggregate(
        answers=Count("pk", filter=is_first()),
        time=Sum("seconds"),
        today=Count("pk", filter=today & is_first()),
        time_today=Sum("seconds", filter=today),
    )
    minutes, minutes_today = (minutes_of(found[name] or 0) for name in ("time", "time_today"))
    return found["answers"], minutes, found["today"], minutes_today


def _consistency(assessor: Assessor) -> tuple[int, int]:
    """Questions that were asked twice and answered both times, and how many of them alike."""
    asked = ("assignment", "question__topic", "question__key")
    repeats = BatchQuestion.objects.filter(assessor=assessor, role=QuestionRole.REPEAT)
    wanted = set(repeats.values_list(*asked))
    given = Judgment.objects.filter(assignment__in={batch for batch, _, _ in wanted}).current()
    pairs: dict[tuple[int, int, str], list[Any]] = {}
    for judgment in given.select_related("question__task") if wanted else ():
        question = judgment.question
        about = (judgment.assignment_id, question.topic_id, question.key)
        if about in wanted:
            pairs.setdefault(about, []).append(meaning(question.task.way, judgment))
    both = [found for found in pairs.values() if len(found) == 2]
    return len(both), sum(first == second for first, second in both)


def meaning(kind: TaskKind, judgment: Judgment) -> Any:
    """What an answer says of its subjects, wherever they stood and however strongly; of a kind without
    preferences its value.
    """
    signs = set()
    for one in kind.leans(judgment.value, judgment.shown):
        sign = (one.lean > 0) - (one.lean < 0)
        signs.add(frozenset({(one.first, sign), (one.second, -sign)}))
    return signs or judgment.value


def agreement_with_others(batch: Assignment) -> tuple[int, int]:
    """Questions of a batch that others answered too, and those where at least half of them said the same.

    Three queries; challenges and repeats are left out, and so are others' answers that do not count. It does
    not depend on whether this batch counts.
    """
    own = batch.judgments.filter(role=QuestionRole.COUNTS).current()
    said = {one.question_id: meaning(batch.task.way, one) for one in own}
    others: dict[int, list[bool]] = defaultdict(list)
    # Judgments are found by their topic: there is no index by question.
    topics = own.values("topic")
    counting = Judgment.objects.filter(topic__in=topics, question__in=said).counting()
    for one in counting.exclude(assignment__assessor=batch.assessor_id):
        others[one.question_id].append(meaning(batch.task.way, one) == said[one.question_id])
    return len(others), sum(2 * sum(same) >= len(same) for same in others.values())
