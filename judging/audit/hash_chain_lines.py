"""Rows of the ledger as seals write them: for each a line that anybody can compute again from an export.

A line is a JSON object in one form: keys in alphabetical order, no spaces, characters unescaped in UTF-8, no
line end; times are UTC, `2026-01-31T09:30:00.000000Z`. Its `kind` is one of

- judgment: all columns of the row (`seen`, `paradata` and `details` where there are any; of a sentence its
hash), with the topic's name and the names (docnos, runs) of what was compared; of a row that withdraws an
answer, which has no value, also why (`declined`); - batch: a closed batch with
its assessor (`judging.assessor_names`), the version of its task's texts that they saw, and every place: the
question, what was compared, the order in which it was shown, whether it was a challenge and which answer was
expected; and of a question that went to others while the assessor was away, when that was (`withdrawn`), and
of one that they could not judge before they answered it, why and when (`declined`); - decision: all columns.
What state a batch or a person is in follows from these, and is sealed nowhere else; - action: all columns of
a row of the study's trail.

A row's digest is the SHA-256 of its line. A block is the text of its header, which is such a line of kind
seal with the hash of the block before (64 zeros for the first), then for each row its kind, id and digest
with spaces between, each of these lines followed by a line feed. The block's hash is the SHA-256 of that
text.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.db.models import Case, QuerySet, When
from django.db.models.functions import Coalesce

from collection.models import Action, Item, Run
from judging.assessor_names import assessor_name
from judging.models import (
    Assignment,
    BatchQuestion,
    Decision,
    Decline,
    JudgmentQuerySet,
    QuestionRole,
    Seal,
    Withdrawal,
)
from judging.tasks import KINDS
from judging.tasks.aspects import digest_of

FIRST = "0" * 64
# Ids in one query.
CHUNK = 1000


class ChainLine(NamedTuple):
    """A row of a study's ledger as a line. batch, at: for a judgment, its batch and its time."""

    kind: str
    pk: int
    study_id: int
    line: str
    batch: int | None = None
    at: datetime | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the line."""
        return sha256(self.line.encode()).hexdigest()


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_moment)


def canonical(values: dict[str, Any]) -> str:
    """Write values in the canonical form of a line."""
    return _ENCODER.encode(values)


def header(seal: Seal) -> dict[str, Any]:
    """The values of a block's header."""
    return {
        "kind": "seal",
        "study": seal.study_id,
        "number": seal.number,
        "previous": seal.previous,
        "count": seal.count,
        "total": seal.total,
        "judgments_upto": seal.judgments_upto,
        "decisions_upto": seal.decisions_upto,
        "actions_upto": seal.actions_upto,
        "sealed_at": seal.sealed_at,
    }


def digest(seal: Seal) -> str:
    """The hash of a block."""
    return sha256(f"{canonical(header(seal))}\n{seal.rows}".encode()).hexdigest()


def _row(kind: str, pk: int, study_id: int, **values: Any) -> ChainLine:
    return ChainLine(kind, pk, study_id, canonical({"kind": kind, "id": pk, **values}))


JUDGMENT = (
    *("assignment_id", "question_id", "revision", "value", "shown", "seconds", "away", "nonce"),
    "created_at",
)


def judgments(rows: JudgmentQuerySet, most: int | None = None) -> list[ChainLine]:
    """Lines of judgments, in order of their ids, at most `most`."""
    about = ("pk", "topic__study_id", "topic__name", "question__key", "question__task__kind")
    own = (*about, "seen", "paradata", "details", "remark", "role", *JUDGMENT)
    found = list(rows.order_by("pk").values_list(*own)[:most])
    compared = _compared((kind, key) for _, _, _, key, kind, *_ in found)
    # Batch, question and revision of the rows without a value.
    declined = _declined({row[-9:-6] for row in found if row[-6] is None})
    return [
        _row(
            "judgment",
            pk,
            study,
            topic=topic,
            compared=compared[kind, key],
            # Only where it was told: lines that were sealed before there was such a thing stay the same.
            **({"seen": seen} if seen is not None else {}),
            **({"paradata": paradata} if paradata is not None else {}),
            **({"details": _sealed(details, remark)} if details is not None else {}),
            # The name and the form that they had before there were roles.
            challenge=role != QuestionRole.COUNTS,
            **({"declined": declined.get(tuple(values[:3]))} if values[3] is None else {}),
            **dict(zip(JUDGMENT, values, strict=True)),
        )._replace(batch=values[0], at=values[-1])
        for pk, study, topic, key, kind, seen, paradata, details, remark, role, *values in found
    ]


def _declined(places: Collection[tuple[int, int, int]]) -> dict[tuple[int, int, int], dict[str, Any]]:
    """Why and when questions could not be judged, by batch, question and revision; where there was no answer,
    every further reason too.
    """
    if not places:
        return {}
    batches, questions, _ = zip(*places, strict=True)
    rows = Decline.objects.filter(assignment__in=set(batches), question__in=set(questions))
    fields = ("assignment_id", "question_id", "revision", "reason", "note", "created_at")
    found: dict[tuple[int, int, int], dict[str, Any]] = {}
    for batch, question, revision, reason, note, at in rows.order_by("pk").values_list(*fields):
        said = {"reason": reason, "note": note, "at": at}
        first = found.setdefault((batch, question, revision), said)
        if first is not said:
            first.setdefault("changed", []).append(said)
    return found


def _sealed(details: dict[str, Any], remark: str | None) -> dict[str, Any]:
    """What a seal says of details: of a sentence its hash, by what is stored unless it was erased."""
    return details if remark is None else details | {"remark": digest_of(remark)}


BATCH = (
    *("task_id", "sealed_slot", "source", "opened_at", "consented_at"),
    *("sealed_deadline", "sealed_submitted_at"),
    *("version", "assessor__panel", "assessor__label", "assessor_id"),
)


def batches(rows: QuerySet[Assignment]) -> list[ChainLine]:
    """Lines of closed batches, in order of their ids."""
    as_closed = {
        # What was reopened has another deadline since, and may have been sent again or not.
        "sealed_deadline": Coalesce("first_deadline", "deadline"),
        "sealed_submitted_at": Case(
            When(first_deadline=None, then="submitted_at"), default="first_submitted_at"
        ),
    }
    found = list(rows.annotate(**as_closed).order_by("pk").values_list("pk", "assessor__study_id", *BATCH))
    own = ("assignment_id", "position", "question_id", "question__topic__name", "question__key")
    places = list(
        BatchQuestion.objects.filter(assignment__in=[pk for pk, *_ in found])
        .order_by("assignment_id", "position", "pk")
        .values_list(*own, "question__task__kind", "shown", "role", "expected")
    )
    compared = _compared((kind, key) for _, _, _, _, key, kind, *_ in places)
    withdrawn = Withdrawal.objects.filter(assignment__in=[pk for pk, *_ in found])
    gone = {
        (batch, question): at
        for batch, question, at in withdrawn.values_list("assignment_id", "question_id", "created_at")
    }
    # Those that withdraw an answer stand with the row that does it, which may be younger than the seal.
    declined = _declined({(batch, question, 0) for batch, _, question, *_ in places})
    held: dict[int, list[dict[str, Any]]] = {pk: [] for pk, *_ in found}
    for batch, position, question, topic, key, kind, shown, role, expected in places:
        held[batch].append(
            {
                "position": position,
                "question": question,
                "topic": topic,
                "compared": compared[kind, key],
                "shown": shown,
                "challenge": role != QuestionRole.COUNTS,
                "expected": expected,
                # Only where it applies: lines that were sealed before there was such a thing stay the same.
                **({"withdrawn": gone[batch, question]} if (batch, question) in gone else {}),
                **({"declined": declined[batch, question, 0]} if (batch, question, 0) in declined else {}),
            }
        )
    return [
        _row(
            "batch",
            pk,
            study,
            assessor=assessor_name(*person),
            task=task,
            source=source,
            opened_at=opened,
            consented_at=consented,
            deadline=deadline,
            submitted_at=submitted,
            places=held[pk],
            # As above.
            **({} if version is None else {"version": version}),
            **({} if slot is None else {"slot": slot}),
        )
        for pk, study, task, slot, source, opened, consented, deadline, submitted, version, *person in found
    ]


DECISION = ("what", "assignment_id", "assessor_id", "question_id", "by_id", "why", "created_at")
DECIDED_IN = Coalesce("assignment__assessor__study_id", "assessor__study_id", "question__study_id")


def decisions(rows: QuerySet[Decision], most: int | None = None) -> list[ChainLine]:
    """Lines of decisions, in order of their ids, at most `most`."""
    found = rows.annotate(study=DECIDED_IN).order_by("pk").values_list("pk", "study", *DECISION)[:most]
    return [
        _row("decision", pk, study, **dict(zip(DECISION, values, strict=True)))
        for pk, study, *values in found
    ]


ACTION = ("what", "by_id", "actor", "about", "before", "after", "created_at")


def actions(rows: QuerySet[Action], most: int | None = None) -> list[ChainLine]:
    """Lines of the audit log's actions, in order of their ids, at most `most`."""
    found = rows.order_by("pk").values_list("pk", "study_id", *ACTION)[:most]
    return [
        _row("action", pk, study, **dict(zip(ACTION, values, strict=True))) for pk, study, *values in found
    ]


def _compared(questions: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str | None]]:
    """Names of what each question (kind of task, key) compares; None for what is deleted."""
    asked = set(questions)
    names: dict[str, dict[int, str]] = {}
    stored = {"item": Item.every.values_list("pk", "docno"), "run": Run.every.values_list("pk", "name")}
    for about, rows in stored.items():
        ids = sorted({pk for kind, key in asked if KINDS[kind].about == about for pk in _ids(key)})
        names[about] = {
            pk: name
            for start in range(0, len(ids), CHUNK)
            for pk, name in rows.filter(pk__in=ids[start : start + CHUNK])
        }
    return {(kind, key): [names[KINDS[kind].about].get(pk) for pk in _ids(key)] for kind, key in asked}


def _ids(key: str) -> Sequence[int]:
    return tuple(map(int, key.split()))
