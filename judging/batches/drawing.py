"""Drawing: choose the questions and challenges of a new batch, and store it.

Questions are locked as `judging.questions.asking` says.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Value
from django.db.models.functions import Length, Replace
from django.utils import timezone

from collection.models import Study
from judging.batches import sql_statements
from judging.batches.layout import BatchPlace, Challenge, Open, framed, laid_out
from judging.batches.overdue import late
from judging.models import Assessor, Assignment, BatchQuestion, Question, QuestionRole, Subject, Task
from judging.questions import expected_time
from judging.questions.asking import not_answered
from judging.questions.expected_time import Shown
from judging.questions.texts import NotRead, SeenText
from judging.secret_random import secret_random
from judging.tasks import KINDS

State = Assignment.State
# How many subjects a question has: one more than its key has spaces.
SUBJECTS_IN_KEY = Length("key") - Length(Replace("key", Value(" "))) + 1

# The id of no row. Where nothing may be found, nothing is looked for by the same statements.
NONE = 0


def choose(
    task: Task,
    assessor: Assessor,
    chooser: random.Random,
    topic: int | None = None,
    *,
    newcomer: bool = False,
) -> list[Open | Challenge] | None:
    """Choose the questions of a batch, in their order, and lock those that are no challenges; None when
    nothing is left for the assessor. topic: the only one that they are to be about.

    Oldest open questions first, so that topics finish one after another; never one they were asked before;
    challenges by their draw key from a random one on. Also None when challenges are wanted but too few are
    left that the assessor has not seen: unchecked answers would be worth nothing.
    newcomer: somebody who joined by the open link and has had no batch; half of what is left is the most.
    Somebody who arrives at the same moment waits, and then finds the questions taken. A few queries, whose
    cost does not grow with the study.
    """
    start, wanted = chooser.random(), task.batch_challenges
    known = Question.objects.filter(task=task, expected__isnull=False, set_aside_at=None)
    if wanted and not known.exists():
        wanted = 0
    asked = NONE if assessor.excluded_at else task.pk
    open_now = _unseen(_waiting(asked, topic), assessor).order_by("pk")
    size = task.batch_size
    if newcomer:
        size = sql_statements.size_for_newcomers(size, open_now[: 2 * size].count())
    free = list(open_now.select_for_update(no_key=True, of=("self",))[: size + wanted])
    if not free:
        return None
    frames = framed(len(free), size, wanted, chooser)
    drawn = [free[frame.number].pk for frame in frames if not frame.challenge]
    unseen = _unseen(known, assessor).exclude(pk__in=drawn)
    replaced = [free[frame.number] for frame in frames if frame.challenge]
    found = iter(_challenges(unseen, replaced, {question.topic_id for question in free}, start))
    batch = [next(found, None) if frame.challenge else _open_one(free[frame.number]) for frame in frames]
    return None if None in batch else [one for one in batch if one is not None]


def _waiting(task_id: int, topic: int | None) -> QuerySet[Question]:
    """The questions of a task, or of one topic in it, that wait for an assessor."""
    found = Question.objects.filter(task=task_id, taken__lt=F("wanted"), set_aside_at=None)
    return found if topic is None else found.filter(topic=topic)


def shown_waiting(
    task: Task, study: Study, assessor: Assessor | None, topic: int | None = None
) -> dict[int, Shown]:
    """What the open questions show from which an assessor's next batch would be drawn, at most a batch.

    assessor None: for somebody new. topic: only questions about this topic.
    """
    most = task.batch_size + task.batch_challenges
    if topic is None and task.way.about == "item":
        return expected_time.shown_waiting(task, study.kind, assessor.pk if assessor else None, most)
    first = _unseen(_waiting(task.pk, topic), assessor).order_by("pk")[:most]
    return expected_time.shown_by(task, study.kind, [question.pk for question in first])


def at_hand(task: Task, assessor: Assessor | None, topic: int | None = None) -> tuple[int, int]:
    """Count the questions and the challenges of the batch that an assessor would get now.

    Returns (0, 0) if they would get none; excluded assessors too, by the same statements. Counts questions of
    overdue batches, because an arrival gives them back. assessor None: for somebody new. topic: about this
    topic only.
    """
    pk = assessor.pk if assessor else None
    asked = NONE if assessor and assessor.excluded_at else task.pk
    size, most = task.batch_size, task.batch_size
    newcomer = assessor is None or (assessor.by_link and assessor.latest is None)
    if newcomer:
        most = 2 * size
    free, challenges = sql_statements.at_hand(asked, task.pk, pk, most, task.batch_challenges)
    if topic is not None:
        free = _unseen(_waiting(asked, topic), assessor)[:most].count()
    elif not free:
        free = _unseen(_overdue(asked), assessor)[:most].count()
    if newcomer:
        free = sql_statements.size_for_newcomers(size, free)
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


def _open_one(question: Question) -> Open:
    return Open(question.pk, len(question.subject_ids))


def _challenges(
    unseen: QuerySet[Question], replaced: Sequence[Question], near: set[int], start: float
) -> list[Challenge]:
    """Draw a challenge in place of each of these questions, in their order; fewer if there are too few.

    A question whose topic stands alone in a batch, or which has more or fewer subjects than the others,
    would be known for a challenge: where there are too few of a topic with as many subjects, others of the
    batch's topics (`near`) with as many are next, then any with as many, and any other only in the end.
    """
    looked_for = [(one.topic_id, len(one.subject_ids)) for one in replaced]
    unseen = unseen.annotate(subjects_in_key=SUBJECTS_IN_KEY)
    found: dict[tuple[int, int], list[Challenge]] = defaultdict(list)
    for (topic, subjects), n in Counter(looked_for).items():
        found[topic, subjects] = _from(unseen.filter(topic=topic, subjects_in_key=subjects), start, n)
    used = [one.question_id for own in found.values() for one in own]
    for subjects, n in Counter(subjects for _, subjects in looked_for).items():
        missing = n - sum(len(own) for (_, size), own in found.items() if size == subjects)
        alike = unseen.filter(subjects_in_key=subjects)
        for further in (alike.filter(topic__in=near), alike.exclude(topic__in=near), unseen):
            if missing:
                more = _from(further.exclude(pk__in=used), start, missing)
                found[0, subjects] += more
                used += [one.question_id for one in more]
                missing -= len(more)
    # Each topic's own in their order, and where they end the others.
    waiting = {place: iter(own) for place, own in found.items()}
    nothing: Iterator[Challenge] = iter(())
    drawn = [
        next(waiting[topic, subjects], None) or next(waiting.get((0, subjects), nothing), None)
        for topic, subjects in looked_for
    ]
    return [one for one in drawn if one is not None]


def _from(challenges: QuerySet[Question], start: float, n: int) -> list[Challenge]:
    """Return the next n challenges in order of their draw key, from `start` on and then from 0."""
    found: list[Challenge] = []
    for stretch in (challenges.filter(draw_key__gte=start), challenges.filter(draw_key__lt=start)):
        if len(found) < n:
            rows = stretch.order_by("draw_key")[: n - len(found)]
            found += [Challenge(*row) for row in rows.values_list("pk", "expected")]
    return found


def crowded(study: Study, assessor: Assessor | None, most: int) -> bool:
    """Tell whether people from the open link hold so many unanswered batches that they get no more now.

    True if they hold `most` batches, or more questions than are left for others. Never true for invited
    people. assessor None: for somebody new from the open link.
    """
    if assessor and not assessor.by_link:
        return False
    nobody = -1
    idle, held, free = sql_statements.idle_by_link(study.pk, assessor.pk if assessor else nobody, most)
    # One person who has just begun keeps nobody out: they were given half of what was left at most.
    return idle >= most or (idle > 1 and free < min(held, sql_statements.PLENTY))


def _overdue(task_id: int) -> QuerySet[Question]:
    """Questions that will be open again once late batches are closed: those without an answer.

    Answered questions may open again too, but that depends on the batch's challenges.
    """
    held = not_answered(
        BatchQuestion.objects.filter(late("assignment", "assignment__"), role=QuestionRole.COUNTS)
    )
    held = held.filter(question=OuterRef("pk"), assignment__state=State.WORKING)
    return Question.objects.filter(Exists(held), task=task_id, taken__lte=F("wanted"), set_aside_at=None)


@transaction.atomic
def draw(assessor: Assessor, seen: SeenText | None = None, topic: int | None = None) -> Assignment | None:
    """Open an assignment with a new batch for this assessor; return None if nothing is left for them.

    The caller has locked the assessor's row. Tasks are tried in their order. Within a batch each order of the
    subjects is shown equally often, and the right answers of challenges stand on each side equally often.
    topic: draw about this topic only. Raises NotRead as `answering.arrive` does.
    """
    earlier = Assignment.objects.filter(assessor=assessor).count()
    for task in Task.objects.filter(study=assessor.study_id).select_related("study"):
        chooser = secret_random(task.study.seed, "batch", task.pk, assessor.pk, earlier)
        batch = choose(task, assessor, chooser, topic, newcomer=assessor.by_link and not earlier)
        if batch:
            if seen and not seen.holds(task.pk, task.version, task.consent_version):
                raise NotRead("The texts of this batch are others than those that were agreed to.")
            return _open(task, assessor, batch, chooser, seen.version if seen else task.version)
    return None


def _open(
    task: Task, assessor: Assessor, chosen: Sequence[Open | Challenge], chooser: random.Random, version: int
) -> Assignment:
    kind, now = KINDS[task.kind], timezone.now()
    places = laid_out(kind, chosen, chooser, task.repeats)
    expected = expected_time.of_batch(task, task.study.kind, [place.question_id for place in places])
    assignment = Assignment.objects.create(
        assessor=assessor,
        task=task,
        opened_at=now,
        consented_at=now,
        deadline=now + timedelta(minutes=expected.limit(task)),
        patience=expected.patience,
        version=version,
    )
    batch = with_rows(places)
    BatchQuestion.objects.bulk_create(
        BatchQuestion(
            assignment=assignment,
            assessor=assessor,
            question_id=place.question_id,
            position=position,
            shown=place.shown,
            role=place.role,
            expected=place.expected,
        )
        for position, place in enumerate(batch, 1)
    )
    taken = [one.question_id for one in chosen if isinstance(one, Open)]
    Question.objects.filter(pk__in=taken).update(taken=F("taken") + 1)
    return assignment


def with_rows(places: Sequence[BatchPlace]) -> list[BatchPlace]:
    """Replace the question of each repeat by its further row, which is made on first use."""
    repeated = Question.objects.filter(
        pk__in=[place.question_id for place in places if place.role == QuestionRole.REPEAT]
    )
    rows = {}
    for question in repeated.order_by("pk"):
        row, new = Question.every.get_or_create(
            study_id=question.study_id,
            topic_id=question.topic_id,
            task_id=question.task_id,
            key=question.key,
            again=True,
        )
        rows[question.pk] = row.pk
        for subject in question.subjects.all() if new else ():
            Subject.objects.create(
                question=row, position=subject.position, item_id=subject.item_id, run_id=subject.run_id
            )
    return [
        place._replace(question_id=rows[place.question_id]) if place.role == QuestionRole.REPEAT else place
        for place in places
    ]
