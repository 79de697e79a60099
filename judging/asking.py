"""Questions and batches: tournaments set which questions they want, arriving assessors draw batches of them.

Every change of questions locks them by rising id, and before any topic, so that two changes never
deadlock. Locks leave keys alone (no_key): a batch or a judgment that only refers to a row need not wait
for a change of its counters.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet
from django.utils import timezone

from collection.models import Study, Topic
from judging import statements
from judging.layout import Challenge, laid_out
from judging.models import (
    Assessor,
    Assignment,
    BatchQuestion,
    Judgment,
    Question,
    Slot,
    Subject,
    Task,
    question_key,
)
from judging.tasks import KINDS
from judging.tasks.pair import Pair

CHUNK = 500


class Asked(NamedTuple):
    """A question to store: its subjects' ids in the order of the task's kind, and the value to set."""

    topic_id: int
    subjects: tuple[int, ...]
    value: Any


def task_of(study: Study) -> Task:
    """Return the study's task of pairs, the first of several; make one if it has none. One query if it has.

    It is the one that tournaments play in, files are loaded for, and the page of settings edits.
    """
    task = Task.objects.filter(study=study, kind=Pair.name).first()
    if task is None:
        last = Task.objects.filter(study=study).aggregate(n=Max("position"))["n"] or 0
        made = {"position": last + 1}
        task, _ = Task.objects.get_or_create(study=study, kind=Pair.name, defaults=made)
    return task


def want(task: Task, topic_id: int, wanted: Mapping[Any, int]) -> None:
    """Set how often each question (by its subjects' ids) of a topic is to be judged, all others to 0.

    Repeating a call changes nothing. Call inside a transaction that has locked the topic's tournament.
    Cost grows with the topic's questions.
    """
    known = {q.subject_ids: q for q in lock(Question.objects.filter(topic_id=topic_id, task=task))}
    changed = []
    for subjects, question in known.items():
        times = wanted.get(subjects, 0)
        if question.wanted != times:
            question.wanted = times
            changed.append(question)
    Question.objects.bulk_update(changed, ["wanted"], batch_size=CHUNK)
    new = [Asked(topic_id, key, times) for key, times in sorted(wanted.items()) if key not in known]
    store(task, new, "wanted")
    Topic.objects.filter(pk=topic_id).exclude(asked=(asked := sum(wanted.values()))).update(asked=asked)


def store(task: Task, questions: Sequence[Asked], field: str, **fixed: Any) -> list[Question]:
    """Add questions with their subjects, and set `field` to each one's value, also for those that exist.

    fixed: further fields of new rows, the same for all. Returns the rows in the order given, with ids.
    Raises ValueError for subjects that the task's kind cannot ask about. Queries grow with the questions by
    the hundred.
    """
    kind = KINDS[task.kind]
    for asked in questions:
        kind.check_subjects(asked.subjects)
    rows = [
        Question(
            study_id=task.study_id,
            topic_id=asked.topic_id,
            task=task,
            key=question_key(asked.subjects),
            **fixed,
            **{field: asked.value},
        )
        for asked in questions
    ]
    if field == "expected":
        for row in rows:
            # From the seed and the question, so that a study loaded again draws the same challenges.
            row.draw_key = random.Random(f"{task.study.seed}:challenge:{row.topic_id}:{row.key}").random()
    # An import may have added a question since the caller looked: then it only gets its value.
    made = Question.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["topic", "task", "key"],
        update_fields=[field, "draw_key"] if field == "expected" else [field],
        batch_size=CHUNK,
    )
    about = "run_id" if kind.about == "run" else "item_id"
    Subject.objects.bulk_create(
        (
            Subject(question_id=row.pk, position=position, **{about: subject})
            for row, asked in zip(made, questions, strict=True)
            for position, subject in enumerate(asked.subjects)
        ),
        ignore_conflicts=True,
        batch_size=2 * CHUNK,
    )
    return made


def lock(questions: QuerySet[Question]) -> list[Question]:
    """Lock questions until the transaction ends, in the one order in which everybody locks them."""
    return list(questions.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def open_questions(study: Study) -> QuerySet[Question]:
    """Questions that wait for an assessor: fewer taken than wanted."""
    return Question.objects.filter(task__study=study, taken__lt=F("wanted"))


@dataclass(frozen=True)
class Draw:
    """The questions of a batch: those that are wanted, and challenges."""

    questions: list[int]
    challenges: list[Challenge]


def choose(task: Task, assessor: Assessor, start: float) -> Draw | None:
    """Choose the questions of a batch, and lock them; None when nothing is left for the assessor.

    Oldest open questions first, so that topics finish one after another; never one they were asked before;
    challenges by their draw key from `start` (in [0, 1)) on. Also None when challenges are wanted but too
    few are left that the assessor has not seen: unchecked answers would be worth nothing.
    Somebody who arrives at the same moment waits, and then finds the questions taken. A few queries, whose
    cost does not grow with the study.
    """
    free = _unseen(Question.objects.filter(task=task, taken__lt=F("wanted")), assessor).order_by("pk")
    chosen = list(free.select_for_update(no_key=True, of=("self",))[: task.batch_size])
    challenges = _challenges(task, assessor, chosen, start) if chosen else None
    if challenges is None:
        return None
    return Draw([question.pk for question in chosen], challenges)


def at_hand(task: Task, assessor: Assessor | None) -> tuple[int, int]:
    """Count the questions and the challenges of the batch that an assessor would be given now.

    (0, 0) where there would be none. Questions of overdue batches, which an arrival gives back, count too.
    Without an assessor: for somebody new. One query, or two where nothing is open.
    """
    pk = assessor.pk if assessor else None
    free, challenges = statements.at_hand(task.pk, pk, task.batch_size, task.batch_challenges)
    if not free:
        free = _unseen(_overdue(task), assessor)[: task.batch_size].count()
    short = challenges < task.batch_challenges
    if short and Question.objects.filter(task=task, expected__isnull=False, set_aside_at=None).exists():
        return 0, 0
    return (free, 0 if short else challenges) if free else (0, 0)


def _unseen(questions: QuerySet[Question], assessor: Assessor | None) -> QuerySet[Question]:
    """Leave out the questions that the assessor was asked before."""
    if assessor is None:
        return questions
    # NOT IN over their own batches: NOT EXISTS would be planned as a join with everybody's.
    seen = BatchQuestion.objects.filter(assessor=assessor).values("question_id")
    return questions.exclude(pk__in=seen)


def _challenges(
    task: Task, assessor: Assessor, chosen: Sequence[Question], start: float
) -> list[Challenge] | None:
    """Draw a batch's challenges: [] if the task has none at all, None if too few are left.

    From the topics of its other questions as far as these have any: a question whose topic stands alone in
    a batch would be known for a challenge.
    """
    wanted = task.batch_challenges
    if not wanted:
        return []
    known = Question.objects.filter(task=task, expected__isnull=False, set_aside_at=None)
    unseen = _unseen(known, assessor).exclude(pk__in=[question.pk for question in chosen])
    topics = {question.topic_id for question in chosen}
    near, far = unseen.filter(topic__in=topics), unseen.exclude(topic__in=topics)
    found: list[Challenge] = []
    for stretch in (
        near.filter(draw_key__gte=start),
        near.filter(draw_key__lt=start),
        far.filter(draw_key__gte=start),
        far.filter(draw_key__lt=start),
    ):
        if len(found) < wanted:
            rows = stretch.order_by("draw_key")[: wanted - len(found)]
            found += [Challenge(*row) for row in rows.values_list("pk", "expected")]
    if len(found) == wanted:
        return found
    return None if known.exists() else []


def _overdue(task: Task) -> QuerySet[Question]:
    """Questions that will be open again once the batches whose time has run out are closed."""
    late = BatchQuestion.objects.filter(
        question=OuterRef("pk"),
        challenge=False,
        assignment__state=Assignment.State.WORKING,
        assignment__deadline__lte=timezone.now(),
    )
    return Question.objects.filter(Exists(late), task=task, taken__lte=F("wanted"))


@transaction.atomic
def draw(assessor: Assessor) -> Assignment | None:
    """Open an assignment with a batch for this assessor, or return None when nothing is left for them.

    The caller has locked the assessor's row. The tasks of the study are tried in their order. Within a
    batch every order of the subjects is shown equally often, and so is every side of the right answers
    of challenges. The cost does not grow with the study.
    """
    earlier = Assignment.objects.filter(assessor=assessor).count()
    for task in Task.objects.filter(study=assessor.study_id).select_related("study"):
        chooser = random.Random(f"{task.study.seed}:batch:{task.pk}:{assessor.pk}:{earlier}")
        drawn = choose(task, assessor, chooser.random())
        if drawn:
            return _open(task, assessor, drawn, chooser)
    return None


def _open(task: Task, assessor: Assessor, drawn: Draw, chooser: random.Random) -> Assignment:
    kind, now = KINDS[task.kind], timezone.now()
    slot = Slot.objects.create(study_id=task.study_id, panel=assessor.panel)
    assignment = Assignment.objects.create(
        slot=slot,
        assessor=assessor,
        task=task,
        opened_at=now,
        consented_at=now,
        deadline=now + timedelta(minutes=task.minutes),
    )
    batch = laid_out(kind, drawn.questions, drawn.challenges, chooser)
    BatchQuestion.objects.bulk_create(
        BatchQuestion(assignment=assignment, assessor=assessor, position=position, **place._asdict())
        for position, place in enumerate(batch, 1)
    )
    Question.objects.filter(pk__in=drawn.questions).update(taken=F("taken") + 1)
    return assignment


def held_by(assignments: Sequence[int]) -> set[int]:
    """Ids of the questions, challenges left out, that these assignments hold or answered. Two queries."""
    # Imported judgments were never in a batch, so the ledger is read too.
    batches = BatchQuestion.objects.filter(assignment__in=assignments, challenge=False)
    answers = Judgment.objects.filter(assignment__in=assignments, challenge=False)
    return {*batches.values_list("question_id", flat=True), *answers.values_list("question_id", flat=True)}


def count_as_taken(times: Mapping[int, int]) -> None:
    """Add to `taken`, how often questions (by id) are kept or being judged; call in a transaction.

    For every 500 questions one query, and one for each different number among theirs.
    """
    ids = sorted(times)
    for start in range(0, len(ids), CHUNK):
        chunk = lock(Question.objects.filter(pk__in=ids[start : start + CHUNK]))
        for n in {times[question.pk] for question in chunk}:
            these = [question.pk for question in chunk if times[question.pk] == n]
            Question.objects.filter(pk__in=these).update(taken=F("taken") + n)
