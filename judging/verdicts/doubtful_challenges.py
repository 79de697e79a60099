"""Doubtful challenges: set aside a challenge that many good assessors fail, and reinstate those it failed.

Good assessors had all other challenges of the same batch right. A few percent of them press the wrong key, so
that three of five do so by chance at about one challenge in a thousand. If half of them fail, the known
answer is not as clear as it should be, and would go on to cost good assessors.
"""

from collections.abc import Collection

from config.task_queue import sweep_each
from judging.models import Assignment, BatchQuestion, Decision, Judgment, QuestionRole
from judging.tasks import KINDS
from judging.verdicts import question_set_aside
from judging.verdicts.challenge_failures import LEAST, MOST_BATCHES, SHARE, Rate, answered
from judging.verdicts.decisions import challenges_wrong

# Decisions that a sweep looks back at; many more than fall between two.
LATEST = 500


def set_aside_doubtful() -> int:
    """Set aside the challenges that too many good assessors failed; return how many.

    Looks at those answered wrong in recently discarded batches. Cost grows with the answers to these
    challenges.
    """
    latest = Decision.objects.order_by("-pk").values_list("what", "assignment_id")[:LATEST]
    failed = {batch for what, batch in latest if what == Decision.What.DISCARDED}
    if not failed:
        return 0
    suspects = {
        pk: rate
        for pk, rate in answered(_failed_in(failed)).items()
        if rate.answers >= LEAST and rate.wrong >= LEAST * SHARE
    }
    found = {pk: rate for pk in suspects if is_doubtful(rate := of_good_people(pk))}

    def take_out(pk: int) -> None:
        rate = found[pk]
        why = f"{rate.wrong} of {rate.answers} people who had all other challenges right failed it"
        question_set_aside.set_aside(pk, why)

    return sweep_each("setting aside a challenge", sorted(found), take_out)


def is_doubtful(rate: Rate) -> bool:
    """Tell whether enough good assessors failed a challenge to set it aside."""
    return rate.is_high


def of_good_people(question_id: int) -> Rate:
    """How good assessors answered a challenge: those with all others of their batch right, at least one."""
    places = BatchQuestion.objects.filter(question=question_id, role=QuestionRole.CHALLENGE)
    sent = places.filter(assignment__submitted_at__isnull=False)
    pks = list(sent.order_by("-pk").values_list("assignment_id", flat=True)[:MOST_BATCHES])
    batches = list(Assignment.objects.filter(pk__in=pks).select_related("task"))
    others = challenges_wrong(batches, besides=question_id)
    good = {pk for pk, checked in others.items() if checked.known == checked.answered > 0 == checked.wrong}
    expected = dict(sent.filter(assignment__in=good).values_list("assignment_id", "expected"))
    given = Judgment.objects.last_given().filter(
        question=question_id, role=QuestionRole.CHALLENGE, assignment__in=good
    )
    right = [
        KINDS[kind].is_right(value, shown, expected[batch])
        for batch, kind, value, shown in given.values_list(
            "assignment_id", "question__task__kind", "value", "shown"
        )
    ]
    return Rate(shown=len(good), answers=len(right), wrong=right.count(False))


def _failed_in(batches: Collection[int]) -> set[int]:
    """The challenges that were answered wrong in these batches and are not set aside."""
    given = Judgment.objects.last_given().filter(
        assignment__in=batches, role=QuestionRole.CHALLENGE, question__set_aside_at=None
    )
    fields = ("question_id", "question__task__kind", "value", "shown", "question__expected")
    return {
        pk
        for pk, kind, value, shown, expected in given.values_list(*fields)
        if not KINDS[kind].is_right(value, shown, expected)
    }
