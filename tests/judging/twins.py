"""Twins: a written statement and the plain form through the ORM, tried on the same rows after each other."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Exists, Model, OuterRef
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Topic
from judging.batches import answering, sql_statements
from judging.models import (
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Judgment,
    Question,
    QuestionRole,
    Subject,
    Withdrawal,
)
from judging.questions import asking
from judging.tasks import KINDS
from judging.tasks.pair import lean_of

T = TypeVar("T")


def arrive(assessor_id: int) -> Assignment:
    """Arrive by `statements.open_batch`, take it back, and arrive by `answering.arrive`."""
    return _both(
        lambda: sql_statements.open_batch(assessor_id, timezone.now()), lambda: answering.arrive(assessor_id)
    )


def record(assignment_id: int, question_id: int, lean: int, **more: Any) -> answering.Recorded:
    """Answer by `statements.store_answer`, take it back, and answer by `answering.record`."""
    place = BatchQuestion.objects.select_related("assignment__task").get(
        assignment=assignment_id, question=question_id
    )
    value = lean_of(int(lean), place.shown)
    given = {"seconds": None, "away": None, "seen": None, "nonce": None} | more
    kind = KINDS[place.assignment.task.kind]
    return _both(
        lambda: sql_statements.store_answer(
            assignment_id, place.position, value, kind, timezone.now(), **given
        ),
        lambda: answering.record(assignment_id, question_id, value, **given),
    )


def submit(assignment_id: int) -> Assignment:
    """Submit by `statements.keep_batch`, take it back, and submit by `answering.submit`."""

    def written() -> bool:
        topics = sql_statements.keep_batch(assignment_id, timezone.now())
        if topics is not None:
            raise_revisions(topics, settled=True)
        return topics is not None

    return _both(written, lambda: answering.submit(assignment_id))


def look_up(assessor: Assessor) -> None:
    """Read somebody, all that their pages ask about, and how crowded the open link is, in both ways."""
    plain = Assessor.objects.select_related("study").get(pk=assessor.pk)
    read = sql_statements.person(plain.panel, plain.reference)
    assert read is not None
    assert [columns(read), columns(read.study)] == [columns(plain), columns(plain.study)]
    assert [columns(task) for task in read.tasks] == [columns(task) for task in plain.tasks]
    assert (read.latest is None) == (plain.latest is None)
    if read.latest and plain.latest:
        assert [columns(read.latest), columns(read.latest.task)] == [
            columns(plain.latest),
            columns(plain.latest.task),
        ]
        assert columns(sql_statements.sender_of(plain.latest.pk)) == columns(plain)
    others = Assignment.objects.filter(assessor__study=plain.study, assessor__by_link=True, state="working")
    idle = others.exclude(assessor=plain).exclude(Exists(Judgment.objects.filter(assignment=OuterRef("pk"))))
    held = BatchQuestion.objects.filter(assignment__in=idle, role=QuestionRole.COUNTS)
    free = asking.open_questions(plain.study)
    assert sql_statements.idle_by_link(plain.study_id, plain.pk, 100) == (
        idle.count(),
        held.count(),
        free.count(),
    )


def columns(row: Model) -> dict[str, Any]:
    """All that is stored of a row, as the ORM reads it."""
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def _both(written: Callable[[], Any], plain: Callable[[], T]) -> T:
    with transaction.atomic():
        done = written()
        after = snapshot()
        transaction.set_rollback(True)
    if not done:
        assert after == snapshot()
    try:
        result = plain()
    except answering.JudgingError:
        assert not done
        raise
    if done:
        assert after == snapshot()
    return result


# What the path of an assessor writes. Of batches and of what points to them the first column is the batch.
WRITTEN: dict[str, Any] = {
    "batches": Assignment.objects.order_by("pk").values_list(
        *("pk", "opened_at", "deadline", "consented_at", "submitted_at"),
        *("assessor", "task", "version", "state", "challenges_wrong", "withdrawn", "source"),
    ),
    "places": BatchQuestion.objects.order_by("assignment", "position").values_list(
        *("assignment", "assessor", "question__key", "question__again", "question__topic"),
        *("position", "shown", "role", "expected"),
    ),
    "withdrawn": Withdrawal.objects.order_by("pk").values_list("assignment", "question"),
    # Rows for questions asked again have another id each time that they are made.
    "again": Subject.objects.filter(question__again=True)
    .order_by("question__topic", "question__key", "position")
    .values_list(
        *("question__study", "question__topic", "question__task", "question__key"),
        *("question__wanted", "question__taken", "position", "item", "run"),
    ),
    "judgments": Judgment.objects.order_by("pk").values_list(
        *("assignment", "question", "topic", "revision", "value"),
        *("shown", "role", "seconds", "away", "seen", "paradata", "nonce"),
    ),
    "decisions": Decision.objects.order_by("pk").values_list(
        "assignment", "what", "assessor", "question", "why"
    ),
    "taken": Question.objects.order_by("pk").values_list("pk", "wanted", "taken"),
    "counters": Topic.objects.order_by("pk").values_list("pk", "revision", "settled"),
}


@cache
def _statement(name: str) -> tuple[str, tuple[Any, ...]]:
    return WRITTEN[name].query.sql_with_params()


def snapshot() -> dict[str, list[tuple[Any, ...]]]:
    """What the path of an assessor writes; batches numbered from 0 on, and times told by what they say.

    Read by statements that are made once, as the database gives it: the schedule machine takes hundreds of
    these, and the ORM would take most of its time.
    """
    found: dict[str, list[tuple[Any, ...]]] = {}
    with connection.cursor() as cursor:
        for name in WRITTEN:
            cursor.execute(*_statement(name))
            found[name] = cursor.fetchall()
    number: dict[int | None, int] = {}
    batches = []
    for pk, opened, deadline, consented, submitted, *rest in found["batches"]:
        number[pk] = len(number)
        batches.append((_time(deadline) - _time(opened), consented == opened, submitted is not None, *rest))
    for name in ("places", "withdrawn", "judgments", "decisions"):
        found[name] = [(number.get(batch), *rest) for batch, *rest in found[name]]
    return found | {"batches": batches}


def _time(stored: datetime | str) -> datetime:
    """A moment as PostgreSQL gives it, or as SQLite does."""
    return datetime.fromisoformat(stored) if isinstance(stored, str) else stored
