"""Questions: tournaments set how many answers each needs, and batches hold them.

Every change of questions locks them by rising id, before any topic, so that two changes never deadlock. The
locks are FOR NO KEY UPDATE: a batch or a judgment that only refers to a row need not wait for a change of its
counters. `judging.batches.drawing` draws batches.
"""

import random
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Exists, F, Max, OuterRef, QuerySet

from collection.models import Study, Topic
from judging.models import (
    Assignment,
    BatchQuestion,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Subject,
    Task,
    Withdrawal,
    question_key,
)
from judging.questions.wording import WORDINGS
from judging.secret_random import secret_random
from judging.tasks import KINDS
from judging.tasks.pair import Pair
from judging.tasks.pick import Pick

CHUNK = 500
State = Assignment.State


class Asked(NamedTuple):
    """A question to store: its subjects' ids, in the order of the task's kind, and the value to set."""

    topic_id: int
    subjects: tuple[int, ...]
    value: Any


# Kinds of tasks that a tournament can ask, the one first that is meant where a study has both.
FEEDING = (Pick.name, Pair.name)
# What a task keeps where another kind is asked instead.
SETTINGS = (
    *("wording", "scale", "instructions", "consent", "batch_size", "batch_challenges", "wrong_allowed"),
    *("repeats", "minutes", "idle_minutes", "confirm_hasty", "tell_agreement"),
)


def task_of(study: Study) -> Task:
    """Return the task that the study's tournaments play in: the task of picks if there is one, else of pairs.

    The settings page edits it, and challenges are made for it.
    """
    found = list(Task.objects.filter(study=study, kind__in=FEEDING))
    return min(found, key=lambda task: FEEDING.index(task.kind)) if found else _make_pairs(study)


def task_of_pairs(study: Study) -> Task:
    """Return the study's first task of pairs, into which files are loaded; make one if there is none."""
    return Task.objects.filter(study=study, kind=Pair.name).first() or _make_pairs(study)


def asking_for(task: Task, kind: str) -> Task:
    """The task in which a study's tournaments would ask this kind, with the current task's settings; not
    stored.

    The current task itself while it has no questions.
    """
    if task.kind == kind:
        return task
    other = Task.objects.filter(study=task.study_id, kind=kind).first() if task.pk else None
    if other is None and task.pk and Question.objects.filter(task=task).exists():
        other = Task(study_id=task.study_id, kind=kind)
    if other is None:
        # Examples tell answers of the kind that they were chosen in.
        task.kind, task.settings, task.examples = kind, {}, []
        return task
    for name in SETTINGS:
        setattr(other, name, getattr(task, name))
    return other


def _make_pairs(study: Study) -> Task:
    last = Task.objects.filter(study=study).aggregate(n=Max("position"))["n"] or 0
    made = {"position": last + 1, "wording": WORDINGS[study.kind]}
    return Task.objects.get_or_create(study=study, kind=Pair.name, defaults=made)[0]


def want(task: Task, topic_id: int, wanted: Mapping[Any, int]) -> None:
    """Set how often each question of a topic, by its subjects' ids, is to be judged; set all others to 0.

    But none less than an organizer asked for (`Question.least_wanted`). A repeat changes nothing. Call in a
    transaction that has locked the topic's tournament. A question that is set aside keeps its number, in case
    it is asked again. Cost grows with the topic's questions.
    """
    known = {q.subject_ids: q for q in lock(Question.objects.filter(topic_id=topic_id, task=task))}
    further = {subjects: q.least_wanted for subjects, q in known.items() if q.least_wanted}
    wanted = {**wanted, **{key: max(least, wanted.get(key, 0)) for key, least in further.items()}}
    changed = []
    for subjects, question in known.items():
        times = wanted.get(subjects, 0)
        if question.wanted != times:
            question.wanted = times
            changed.append(question)
    Question.objects.bulk_update(changed, ["wanted"], batch_size=CHUNK)
    new = [Asked(topic_id, key, times) for key, times in sorted(wanted.items()) if key not in known]
    # Batches are drawn in the order of storing. In that of the items, one item would stand in most pairs of
    # a batch and in none of its challenges.
    random.Random(f"{task.study.seed}:order:{topic_id}:{len(known)}").shuffle(new)
    store(task, new, "wanted")
    aside = {q.subject_ids for q in known.values() if q.set_aside_at}
    asked = sum(times for subjects, times in wanted.items() if subjects not in aside)
    Topic.objects.filter(pk=topic_id).exclude(asked=asked).update(asked=asked)


def store(
    task: Task, questions: Sequence[Asked], field: str, *, together: Container[int] = (), **fixed: Any
) -> list[Question]:
    """Add questions with their subjects, and set `field` of each, new or not, to its value.

    together: subjects that are the worse one of challenges and stand in no other question. Challenges with
    the same one come in the same batch, because seen in one batch only it would stand out. fixed: further
    fields of new rows. Returns the rows in the given order, with ids. Raises ValueError for subjects that the
    task's kind cannot ask about.
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
        for row, draw_key in zip(rows, _draw_keys(task, questions, together), strict=True):
            row.draw_key = draw_key
    # An import may have added a question since the caller looked: then it only gets its value.
    made = Question.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["topic", "task", "key", "again"],
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


def _draw_keys(task: Task, questions: Sequence[Asked], together: Container[int]) -> list[float]:
    """Each challenge's place in its topic's drawing order, in [0, 1); `together` as in `store`."""
    kind = KINDS[task.kind]

    def drawn(topic: int, what: Any) -> float:
        # From the seed and the question, so that a study loaded again draws the same challenges.
        return secret_random(task.study.seed, "challenge", topic, what).random()

    places: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    for number, (topic, subjects, expected) in enumerate(questions):
        own = drawn(topic, question_key(subjects))
        lean = next(iter(kind.known_leans(expected)), None)
        worse = subjects[lean.second if lean.lean > 0 else lean.first] if lean else 0
        places[topic].append((drawn(topic, worse) if worse in together else own, own, number))
    found = [0.0] * len(questions)
    for of_topic in places.values():
        for place, (_, own, number) in enumerate(sorted(of_topic)):
            found[number] = (place + own) / len(of_topic)
    return found


def lock(questions: QuerySet[Question]) -> list[Question]:
    """Lock questions by rising id until the transaction ends."""
    return list(questions.select_for_update(no_key=True, of=("self",)).order_by("pk"))


def open_questions(study: Study) -> QuerySet[Question]:
    """Questions that wait for an assessor: taken less often than wanted, and not set aside."""
    return Question.objects.filter(task__study=study, taken__lt=F("wanted"), set_aside_at=None)


def set_aside_in(topic_id: int, task_id: int) -> set[tuple[int, ...]]:
    """The subjects' ids of a topic's questions in a task that are set aside."""
    aside = Question.objects.filter(topic_id=topic_id, task_id=task_id, set_aside_at__isnull=False)
    return {question.subject_ids for question in aside.only("key")}


def held_by(assignments: Sequence[int]) -> set[int]:
    """Ids of the questions that count and that these assignments hold.

    A closed batch holds what it answered, an open one also what it has still to answer.
    """
    # Imported judgments were never in a batch, so the ledger is read.
    answers = Judgment.objects.first_rows().filter(assignment__in=assignments, role=QuestionRole.COUNTS)
    return {*answers.values_list("question_id", flat=True), *still_held(assignments)}


def still_held(assignments: Sequence[int] | QuerySet[Assignment]) -> list[int]:
    """Ids of the questions that count and still wait for an answer in these assignments."""
    rows = BatchQuestion.objects.filter(
        assignment__in=assignments, assignment__state=State.WORKING, role=QuestionRole.COUNTS
    )
    return list(not_answered(rows).values_list("question_id", flat=True))


def without_answer(assignment_id: int) -> list[BatchQuestion]:
    """The places of a batch that still need an answer, in order; withdrawn and declined ones need none."""
    return list(not_answered(BatchQuestion.objects.filter(assignment=assignment_id)).order_by("position"))


def withdrawn_positions(assignment_id: int) -> set[int]:
    """Positions of a batch's questions that were reassigned while its assessor was away."""
    gone = Withdrawal.objects.filter(assignment=assignment_id).values("question")
    places = BatchQuestion.objects.filter(assignment=assignment_id, question__in=gone)
    return set(places.values_list("position", flat=True))


def not_answered(places: QuerySet[BatchQuestion]) -> QuerySet[BatchQuestion]:
    """Keep the places whose question still needs an answer; none of a reopened batch."""
    here = {"assignment": OuterRef("assignment"), "question": OuterRef("question")}
    needless = (Judgment, Withdrawal, Decline)
    return places.filter(assignment__first_deadline=None).filter(
        *(~Exists(model.objects.filter(**here)) for model in needless)
    )


def count_as_taken(times: Mapping[int, int]) -> None:
    """Add to `taken` of each question, by id; call in a transaction."""
    ids = sorted(times)
    for start in range(0, len(ids), CHUNK):
        chunk = lock(Question.objects.filter(pk__in=ids[start : start + CHUNK]))
        for n in {times[question.pk] for question in chunk}:
            these = [question.pk for question in chunk if times[question.pk] == n]
            Question.objects.filter(pk__in=these).update(taken=F("taken") + n)
