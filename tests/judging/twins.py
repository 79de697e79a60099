"""Twins: a written statement and the plain form through the ORM, tried on the same rows after each other."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Topic
from judging import answering, statements
from judging.models import Assignment, BatchQuestion, Decision, Judgment, Question, Slot
from judging.tasks import KINDS
from judging.tasks.pair import lean_of

T = TypeVar("T")


def arrive(assessor_id: int) -> Assignment:
    """Arrive by `statements.open_batch`, take it back, and arrive by `answering.arrive`."""
    return _both(
        lambda: statements.open_batch(assessor_id, timezone.now()), lambda: answering.arrive(assessor_id)
    )


def record(assignment_id: int, question_id: int, lean: int, **more: Any) -> answering.Recorded:
    """Answer by `statements.store_answer`, take it back, and answer by `answering.record`."""
    place = BatchQuestion.objects.select_related("assignment__task").get(
        assignment=assignment_id, question=question_id
    )
    value = lean_of(int(lean), place.shown)
    given = {"seconds": None, "away": None, "nonce": None} | more
    kind = KINDS[place.assignment.task.kind]
    return _both(
        lambda: statements.store_answer(assignment_id, place.position, value, kind, timezone.now(), **given),
        lambda: answering.record(assignment_id, question_id, value, **given),
    )


def submit(assignment_id: int) -> Assignment:
    """Submit by `statements.keep_batch`, take it back, and submit by `answering.submit`."""

    def written() -> bool:
        topics = statements.keep_batch(assignment_id, timezone.now())
        if topics is not None:
            raise_revisions(topics, settled=True)
        return topics is not None

    return _both(written, lambda: answering.submit(assignment_id))


def _both(written: Callable[[], Any], plain: Callable[[], T]) -> T:
    before = snapshot()
    with transaction.atomic():
        done = written()
        after = snapshot()
        transaction.set_rollback(True)
    if not done:
        assert after == before
    try:
        result = plain()
    except answering.JudgingError:
        assert not done
        raise
    if done:
        assert after == snapshot()
    return result


def snapshot() -> dict[str, list[tuple[Any, ...]]]:
    """What the path of an assessor writes; batches numbered from 0 on, and times told by what they say."""
    batches = list(Assignment.objects.order_by("pk").select_related("slot"))
    number = {batch.pk: n for n, batch in enumerate(batches)}
    return {
        "slots": list(Slot.objects.order_by("pk").values_list("study", "panel", "source")),
        "batches": [
            (
                *(batch.assessor_id, batch.task_id, batch.state, batch.challenges_wrong, batch.slot.panel),
                *(batch.deadline - batch.opened_at, batch.consented_at == batch.opened_at),
                batch.submitted_at is not None,
            )
            for batch in batches
        ],
        "places": [
            (
                *(number[place.assignment_id], place.assessor_id, place.question_id, place.position),
                *(place.shown, place.challenge, place.expected),
            )
            for place in BatchQuestion.objects.order_by("assignment", "position")
        ],
        "judgments": [
            (
                *(number[row.assignment_id], row.question_id, row.topic_id, row.revision, row.value),
                *(row.shown, row.challenge, row.seconds, row.away, row.nonce),
            )
            for row in Judgment.objects.order_by("pk")
        ],
        "decisions": [
            (row.what, number.get(row.assignment_id or 0), row.assessor_id, row.question_id, row.why)
            for row in Decision.objects.order_by("pk")
        ],
        "taken": list(Question.objects.order_by("pk").values_list("pk", "wanted", "taken")),
        "counters": list(Topic.objects.order_by("pk").values_list("pk", "revision", "settled")),
    }
