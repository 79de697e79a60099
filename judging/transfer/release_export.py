"""Export of a study's ledger for a release, row by row: who was asked what, and what they answered.

Nobody is named but by a pseudonym (`judging.transfer.pseudonyms`), times are days, and what people wrote in
words of their own, assessors' notes and organizers' reasons, stays here. Rows name questions and batches by
numbers that hold within the release. `judging.transfer.release_import` reads them again. Cost grows with the
rows; memory with the study's items and questions.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.db.models import Q

from collection.models import Item, Run, Study, Topic
from judging.assessor_names import Namer
from judging.models import (
    OPEN,
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Subject,
    Task,
    Withdrawal,
)
from judging.tasks import KINDS
from judging.tasks.aspects import in_order

CHUNK = 2000
Row = dict[str, Any]
# Of a task; its examples name items by ids, and are told by its texts.
TASK = tuple(
    field.name
    for field in Task._meta.concrete_fields
    if field.name not in ("id", "study", "settings", "examples", "version", "consent_version")
)
# Settings of any kind: a task names all, those of other kinds as they begin.
SETTINGS = {name: value for kind in KINDS.values() for name, value in asdict(kind.settings()).items()}


def undecided(study: Study) -> int:
    """Count a study's batches that are being judged or wait for their panel."""
    states = [*OPEN, Assignment.State.SUBMITTED]
    return Assignment.objects.filter(assessor__study=study, state__in=states).count()


class Answers:
    """The rows of one study, under the pseudonyms of one release."""

    def __init__(self, study: Study, names: Namer) -> None:
        self._study, self._names = study, names
        self._positions = dict(Task.objects.filter(study=study).values_list("pk", "position"))
        people = Assessor.objects.filter(study=study).values_list("panel", "label", "pk")
        self._people = {pk: names(panel, label, pk) for panel, label, pk in people}
        own = Assignment.objects.filter(assessor__study=study).exclude(state=Assignment.State.LOADING)
        keys = own.order_by("pk").values_list("pk", flat=True)
        self._batches = {pk: number for number, pk in enumerate(keys, 1)}
        self._questions = {pk: number for number, pk in enumerate(self._told(), 1)}

    def _told(self) -> Iterator[int]:
        """Questions that were asked, have a known answer or are set aside; the plan makes all others."""
        met = Question.every.filter(study=self._study).filter(
            Q(expected__isnull=False)
            | Q(set_aside_at__isnull=False)
            | Q(pk__in=Judgment.objects.filter(topic__study=self._study).values("question"))
            | Q(pk__in=BatchQuestion.objects.filter(assessor__study=self._study).values("question"))
        )
        return met.order_by("pk").values_list("pk", flat=True).iterator(CHUNK)

    def tasks(self) -> list[Row]:
        """The study's tasks with their texts and settings, in their order."""
        tasks = Task.objects.filter(study=self._study).order_by("position")
        return [
            {name: getattr(task, name) for name in TASK} | SETTINGS | asdict(task.settings_of_kind)
            for task in tasks
        ]

    def assessors(self) -> Iterator[Row]:
        """Everybody who may judge, by pseudonym: their panel, and whether they are excluded."""
        rows = Assessor.objects.filter(study=self._study).order_by("pk")
        for pk, panel, excluded in rows.values_list("pk", "panel", "excluded_at").iterator(CHUNK):
            yield {"assessor": self._people[pk], "panel": panel, "excluded": excluded is not None}

    def batches(self) -> Iterator[Row]:
        """Every batch: its assessor, its outcome, and how many of its challenges were wrong."""
        every = Assignment.objects.filter(assessor__study=self._study)
        for one in every.order_by("pk").iterator(CHUNK):
            if one.pk in self._batches:
                yield {
                    "batch": self._batches[one.pk],
                    "assessor": self._people[one.assessor_id],
                    "task": self._positions[one.task_id],
                    "state": one.state,
                    "opened": _day(one.opened_at),
                    "submitted": _day(one.submitted_at),
                    "challenges_wrong": one.challenges_wrong,
                    "texts": one.version,
                }

    def questions(self) -> Iterator[Row]:
        """Questions: what each compares, in the order that answers refer to, and its known answer."""
        topics = dict(Topic.objects.filter(study=self._study).values_list("pk", "name"))
        items = dict(Item.objects.filter(topic__study=self._study).values_list("pk", "docno"))
        runs = dict(Run.every.filter(study=self._study).values_list("pk", "name"))
        about_runs = set(
            Subject.objects.filter(question__study=self._study, run__isnull=False)
            .values_list("question", flat=True)
            .iterator(CHUNK)
        )
        for one in Question.every.filter(study=self._study).order_by("pk").iterator(CHUNK):
            if one.pk not in self._questions:
                continue
            named = runs if one.pk in about_runs else items
            yield {
                "question": self._questions[one.pk],
                "topic": topics[one.topic_id],
                "task": self._positions[one.task_id],
                "about": "runs" if one.pk in about_runs else "items",
                "compared": [named[pk] for pk in one.subject_ids],
                "expected": one.expected,
                "draw_key": one.draw_key,
                "set_aside": one.set_aside_at is not None,
                "asked_again": one.again,
            }

    def asked(self) -> Iterator[Row]:
        """The questions of each batch in order, with what stood where ("10": the second of `compared` on the
        left).
        """
        rows = BatchQuestion.objects.filter(assessor__study=self._study).order_by("assignment", "position")
        own = ("assignment_id", "position", "question_id", "shown", "role", "expected")
        for batch, position, question, shown, role, expected in rows.values_list(*own).iterator(CHUNK):
            yield {
                "batch": self._batches[batch],
                "position": position,
                "question": self._questions[question],
                "shown": shown,
                "challenge": role != QuestionRole.COUNTS,
                "expected": expected,
            }

    def judgments(self) -> Iterator[Row]:
        """Every answer in the order of the ledger, with those of discarded batches, challenges and repeats.

        Of a corrected answer all revisions; the highest is the answer. value: in terms of `shown`; None
        withdraws the answer before.
        """
        rows = Judgment.objects.filter(topic__study=self._study).order_by("pk")
        for one in rows.iterator(CHUNK):
            if one.assignment_id in self._batches:
                yield {
                    "batch": self._batches[one.assignment_id],
                    "question": self._questions[one.question_id],
                    "revision": one.revision,
                    "value": one.value,
                    "shown": one.shown,
                    "challenge": one.role != QuestionRole.COUNTS,
                    "seconds": one.seconds,
                    "away": one.away,
                    "seen": one.seen,
                    **({"paradata": in_order(one.paradata)} if one.paradata is not None else {}),
                    **({"details": in_order(one.details)} if one.details is not None else {}),
                    "day": _day(one.created_at),
                }

    def unanswered(self) -> Iterator[Row]:
        """Questions of batches that were withdrawn or declined; revision: of the judgment that withdraws the
        answer that a declined question had.
        """
        for model, what in ((Withdrawal, "withdrawn"), (Decline, "declined")):
            rows = model.objects.filter(assignment__assessor__study=self._study).order_by("pk")
            for one in rows.iterator(CHUNK):
                if one.assignment_id in self._batches and one.question_id in self._questions:
                    yield {
                        "batch": self._batches[one.assignment_id],
                        "question": self._questions[one.question_id],
                        "what": what,
                        "reason": getattr(one, "reason", ""),
                        **({"revision": revision} if (revision := getattr(one, "revision", 0)) else {}),
                        "day": _day(one.created_at),
                    }

    def decisions(self) -> Iterator[Row]:
        """Decisions about batches, assessors and questions, in order, by a rule or by a person."""
        study = self._study
        rows = Decision.objects.filter(
            Q(assignment__assessor__study=study) | Q(assessor__study=study) | Q(question__study=study)
        )
        for one in rows.order_by("pk").iterator(CHUNK):
            about = (
                {"batch": self._batches.get(one.assignment_id)}
                if one.assignment_id
                else {"assessor": self._people[one.assessor_id]}
                if one.assessor_id
                else {"question": self._questions.get(one.question_id or 0)}
            )
            if None not in about.values():
                by = "person" if one.by_id else "rule"
                yield {"what": one.what, **about, "by": by, "day": _day(one.created_at)}


def _day(at: Any) -> str | None:
    return None if at is None else f"{at:%Y-%m-%d}"
