"""Answers one by one: read from the ledger the slow way, and put into columns as the product has them."""

from array import array
from collections import defaultdict
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from collection.models import Item
from judging.models import COUNTING, Assignment, Judgment, QuestionRole, Task
from judging.questions.reading_time import least_of, sizes
from judging.tasks import KINDS
from scoring.compute.answer_columns import (
    AGAIN,
    CHALLENGE,
    COUNTS,
    DISCARDED,
    Answers,
    LedgerRows,
    Meaning,
    columns_of,
    counted,
)
from scoring.quality.answer_quality import ledger_rows

ABOUT = {QuestionRole.CHALLENGE: CHALLENGE, QuestionRole.REPEAT: AGAIN}


class Answer(NamedTuple):
    """One answer, as its assessor left it.

    As `scoring.compute.answer_columns` has them, with subjects by their ids, and None for what is not known.
    """

    about: int
    task: int
    scale: str
    assessor: int
    question: int
    topic: int
    subjects: tuple[int, ...]
    side: int | None
    place: int | None
    label: Any
    leans: tuple[tuple[int, int, int], ...]
    seconds: float | None
    least: float
    third: int | None
    strength: int | None = None


def answers(study):
    """The answers of a study as they count now, read batch by batch with all corrections."""
    tasks = {task.pk: task for task in Task.objects.filter(study=study)}
    batches = Assignment.objects.filter(task__study=study).exclude(state="loading").select_related("assessor")
    of_batch = {batch.pk: batch for batch in batches}
    known = sizes(study, Item.objects.filter(topic__study=study))
    fields = ("assignment_id", "question_id", "topic_id", "question__key", "revision", "value", "shown")
    rows = Judgment.objects.filter(topic__study=study).order_by("assignment_id", "pk")
    for pk, own in groupby(rows.values_list(*fields, "role", "seconds"), key=itemgetter(0)):
        if pk not in of_batch:
            continue
        batch = of_batch[pk]
        counts = batch.state in COUNTING and batch.assessor.excluded_at is None
        given = defaultdict(list)
        for row in own:
            given[row[1]].append(row)
        for rank, (question, revisions) in enumerate(given.items()):
            _, _, topic, key, _, _, shown, role, _ = revisions[0]
            # Challenges are checked by the last answer that was given.
            able = [row for row in revisions if row[5] is not None or role != QuestionRole.CHALLENGE]
            value = max(able, key=itemgetter(4))[5] if able else None
            if value is None or (role == QuestionRole.REPEAT and not counts):
                continue
            task, subjects = tasks[batch.task_id], tuple(map(int, key.split()))
            times = [row[8] for row in revisions if row[8] is not None]
            about = ABOUT.get(role) or (COUNTS if counts else DISCARDED)
            least = least_of(subjects, known) if KINDS[task.kind].about == "item" else 0.0
            stood, side, place, label, leans, strength = _following(task, subjects, value, shown)
            yield Answer(
                *(about, task.pk, task.scale, batch.assessor_id, question, topic, stood, side, place, label),
                *(leans, sum(times) if times else None, least),
                *(rank * 3 // len(given) if len(given) >= 3 else None, strength),
            )


def _following(task, subjects, value, shown):
    given = list(KINDS[task.kind].leans(value, shown))
    leans = tuple(
        (subjects[lean.first], subjects[lean.second], (lean.lean > 0) - (lean.lean < 0)) for lean in given
    )
    stood = tuple(subjects[int(at)] for at in shown)
    if task.kind in ("pair", "pages"):
        return stood, (value > 0) - (value < 0), None, leans[0][2], leans, given[0].lean
    if task.kind == "pick":
        label = stood[value[0]] if shown else subjects[value[0]]
        return stood, None, value[0], label, leans, None
    return stood, None, None, value, leans, None


def listed(study):
    """The answers of a study as the product has them, one by one."""
    own = counted(ledger_rows(study))
    return [
        Answer(about, one.task, one.scale, assessor, *_asked(own, question, one), *rest, one.strength)
        for about, assessor, question, one, rest in zip(
            *(own.about.tolist(), own.assessor.tolist(), own.question.tolist()),
            [own.rows.meanings[n] for n in own.meaning.tolist()],
            zip(
                [None if one != one else one for one in own.seconds.tolist()],
                own.least().tolist(),
                [None if one < 0 else one for one in own.third.tolist()],
                strict=True,
            ),
            strict=True,
        )
    ]


def _asked(own, question, one):
    rows = own.rows
    subjects = rows.subjects[rows.ends[question - 1] if question else 0 : rows.ends[question]]
    return (
        *(rows.questions[question], rows.topics[question], tuple(subjects[at] for at in one.stood)),
        *(one.side, one.place, subjects[one.label] if one.names else one.label),
        tuple((subjects[first], subjects[second], sign) for first, second, sign in one.leans),
    )


def columns(given):
    """These answers as the product has them; of a question all have one topic and one least time."""
    given = list(given)
    subjects = defaultdict(set)
    for one in given:
        own = {subject for lean in one.leans for subject in lean[:2]}
        subjects[one.question] |= own | set(one.subjects) | ({one.label} if one.place is not None else set())
    of_question = {one.question: (one.topic, one.least) for one in given}
    known = sorted(subjects)
    rows = LedgerRows(
        questions=array("q", known),
        topics=array("q", [of_question[pk][0] for pk in known]),
        least=array("d", [of_question[pk][1] for pk in known]),
        subjects=array("q", [subject for pk in known for subject in sorted(subjects[pk])]),
        ends=array("q", accumulate(len(subjects[pk]) for pk in known)),
        meanings=[_meaning(one, sorted(subjects[one.question])) for one in given],
    )
    import numpy as np

    return Answers(
        np.array([one.about for one in given], dtype=np.int8),
        np.array([one.assessor for one in given], dtype=np.int64),
        np.array([known.index(one.question) for one in given], dtype=np.int32),
        np.arange(len(given), dtype=np.int32),
        np.array([np.nan if one.seconds is None else one.seconds for one in given], dtype=float),
        np.array([-1 if one.third is None else one.third for one in given], dtype=np.int8),
        rows,
        columns_of(rows),
    )


def _meaning(one, subjects):
    at = subjects.index
    return Meaning(
        one.task,
        one.scale,
        tuple(map(at, one.subjects)),
        one.side,
        one.place,
        one.label if one.place is None else at(one.label),
        one.place is not None,
        tuple((at(first), at(second), sign) for first, second, sign in one.leans),
        one.strength,
    )
