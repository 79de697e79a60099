"""Makers of small studies for tests, and of people who judge them: by models and services alone, no files."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from enum import IntEnum
from itertools import count
from unittest.mock import patch

from django.db.models import prefetch_related_objects
from django.utils import timezone

from collection.models import Grade, Item, Placement, Run, Study, Topic
from judging.batches import answering, sittings
from judging.models import (
    OPEN,
    Assessor,
    Assignment,
    BatchQuestion,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Task,
    Withdrawal,
)
from judging.questions import asking
from judging.tasks.aspects import Details
from judging.tasks.pair import lean_of
from panels import local
from prefir.rules import STRATEGIES
from tournament import services
from tournament.models import Plan

_number = count(1)


class Choice(IntEnum):
    """An answer to a pair as a lean: towards its item a (the one loaded first), or b."""

    TIE = 0
    A = 1
    B = -1


Say = Callable[[BatchQuestion], Details | None]
Choose = Callable[[Question], Choice]
# A setting as tests name it -> the task's.
TASK = {
    "question": "wording",
    "instructions": "instructions",
    "consent": "consent",
    "batch_pairs": "batch_size",
    "batch_challenges": "batch_challenges",
    "repeats": "repeats",
    "wrong_allowed": "wrong_allowed",
    "failing": "failing",
    "minutes": "minutes",
    "idle_minutes": "idle_minutes",
    "confirm_hasty": "confirm_hasty",
    "tell_agreement": "tell_agreement",
}
PLAN = ("k", "final_size", "pairings", "judgments_per_pair")


def study_with(**settings) -> Study:
    """A study with a task and a plan: settings of all three by name."""
    task = {TASK[name]: settings.pop(name) for name in list(settings) if name in TASK}
    task["scale"] = "3" if settings.pop("ties_allowed", True) else "2"
    strategy = settings.pop("mode", "crowd")
    settings = {"asked_by": "The Garden Lab", "contact": "lab@example.org"} | settings
    plan = {name: settings.pop(name) for name in PLAN if name in settings}
    plan = {name: value for name, value in plan.items() if name in STRATEGIES[strategy].defaults}
    # Small studies may well look for more items than their final holds by default.
    if "k" in plan and "final_size" not in plan and strategy == "crowd":
        plan["final_size"] = max(9, plan["k"])
    study = Study.objects.create(**settings)
    made = Task.objects.create(study=study, **task)
    Plan.objects.create(study=study, task=made, strategy=strategy, settings=plan, seed=study.seed)
    return study


def ask(topic: Topic, a: Item, b: Item, **fields) -> Question:
    """A question about two items of a topic."""
    fields.setdefault("draw_key", 0.5 if "expected" in fields else None)
    task = asking.task_of(topic.study)
    subjects = tuple(sorted((a.pk, b.pk)))
    [question] = asking.store(task, [asking.Asked(topic.pk, subjects, fields.pop("wanted", 0))], "wanted")
    Question.objects.filter(pk=question.pk).update(**fields)
    return Question.objects.get(pk=question.pk)


def docnos(question: Question) -> list[str]:
    """The docnos of a question's items a and b."""
    prefetch_related_objects([question], "subjects__item")
    return [subject.item.docno for subject in question.subjects.all() if subject.item]


def record(assignment_id: int, question_id: int, lean: int, **more) -> answering.Recorded:
    """Answer as a person would who prefers item a or b, wherever it stands."""
    shown = BatchQuestion.objects.filter(assignment=assignment_id, question=question_id)
    order = shown.values_list("shown", flat=True).first() or ""
    return answering.record(assignment_id, question_id, lean_of(int(lean), order), **more)


def lean_given(judgment: Judgment) -> int:
    """What a judgment says of items a and b."""
    return lean_of(judgment.value, judgment.shown)


def make_study(*, topics: int = 1, items: int = 5, junk: int = 2, **settings) -> Study:
    """A study that is not open yet: topics t1, t2, ... with items t1-a, t1-b, ... of grade 1.

    `junk` more items of each topic have grade 0, so that opening makes min(10, items * junk) challenges
    for it: a pair of `items` and a pair with junk never meet.
    """
    n = next(_number)
    given = {"name": f"Study {n}", "slug": f"study-{n}", "seed": "s", "k": 2} | settings
    study = study_with(**given)
    for t in range(1, topics + 1):
        topic = Topic.objects.create(study=study, name=f"t{t}", text=f"Which one for {t}?")
        add_items(topic, {f"{topic.name}-{chr(97 + i)}": 1.0 for i in range(items)})
        add_items(topic, {f"{topic.name}-junk{i}": 0.0 for i in range(junk)})
    return study


def add_items(topic: Topic, grades: Mapping[str, float | None]) -> list[Item]:
    """Items of a topic with text, by docno; None: without a grade."""
    made = Item.objects.bulk_create(
        Item(topic=topic, docno=docno, text=f"Text of {docno}") for docno in grades
    )
    Grade.objects.bulk_create(
        Grade(item=item, value=grade)
        for item, grade in zip(made, grades.values(), strict=True)
        if grade is not None
    )
    return made


def add_run(study: Study, name: str, rankings: Mapping[str, Sequence[str]]) -> Run:
    """A run of a study: topic name -> docnos, best first."""
    run = Run.objects.create(study=study, name=name, topics=sum(map(bool, rankings.values())))
    items = {
        (i.topic.name, i.docno): i for i in Item.objects.filter(topic__study=study).select_related("topic")
    }
    Placement.objects.bulk_create(
        Placement(run=run, topic=items[topic, docno].topic, item=items[topic, docno], rank=rank)
        for topic, docnos in rankings.items()
        for rank, docno in enumerate(docnos, 1)
    )
    return run


def open_study(study: Study) -> Study:
    """Start its tournaments and ask their first rounds."""
    services.start(study.pk)
    services.catch_up()
    study.refresh_from_db()
    return study


def invite(study: Study) -> Assessor:
    """One more person with a personal link."""
    return local.invite(study, ["somebody"])[0]


def first(question: Question) -> Choice:
    """Prefers the item with the smaller docno; that is also the one loaded first."""
    a, b = docnos(question)
    return Choice.A if a < b else Choice.B


def whim(question: Question) -> Choice:
    """A fixed answer to each pair that follows no order: cycles and ties occur."""
    return whim_of(*docnos(question))


def whim_of(a: str, b: str) -> Choice:
    """The whim about two docnos."""
    chooser = random.Random(f"{a}:{b}")
    return chooser.choice([Choice.A, Choice.B, Choice.TIE])


def answer(
    assignment: Assignment,
    *,
    choose: Choose = first,
    wrong: int = 0,
    most: int | None = None,
    say: Say = lambda place: None,
) -> None:
    """Answer a batch in order, `most` questions of it; the first `wrong` challenges wrongly.

    say: what an answer says of aspects.
    """
    kind = assignment.task.kind
    batch = assignment.batch.select_related("question").prefetch_related("question__subjects__item")
    for place in list(batch)[:most]:
        choice = choose(place.question)
        if place.role == "challenge":
            choice = Choice(int(place.question.expected or 0))
            if wrong:
                choice, wrong = Choice(-choice), wrong - 1
        value = lean_of(int(choice), place.shown)
        nonce, details = f"n{place.pk}", say(place)
        answering.answer(assignment.pk, place.position, value, kind=kind, nonce=nonce, details=details)


def sit(
    assessor: Assessor, *, choose: Choose = first, wrong: int = 0, say: Say = lambda place: None
) -> Assignment:
    """Arrive, answer a whole batch and submit it, as the pages do; return it with its verdict."""
    answering.begin(assessor.pk)
    assignment = Assignment.objects.select_related("task").get(assessor=assessor, state__in=OPEN)
    answer(assignment, choose=choose, wrong=wrong, say=say)
    answering.close(assignment.pk)
    assignment.refresh_from_db()
    return assignment


def finish(study: Study, *, choose: Choose = first, most: int = 200) -> None:
    """Let new people judge, a batch each, until every tournament has ended."""
    for _ in range(most):
        services.catch_up()
        if not services.Tournament.objects.filter(topic__study=study, finished=False).exists():
            return
        sit(invite(study), choose=choose)
    raise AssertionError(f"{study} has not ended after {most} batches")


def run_out(assignment: Assignment) -> None:
    """Let the time of a batch have passed."""
    Assignment.objects.filter(pk=assignment.pk).update(deadline=timezone.now() - timedelta(seconds=1))


@contextmanager
def later(*, minutes: float) -> Iterator[None]:
    """Do something as if so many minutes had passed."""
    now = timezone.now
    with patch("django.utils.timezone.now", lambda: now() + timedelta(minutes=minutes)):
        yield


def lose_questions(assignment: Assignment, other: Assessor) -> Assignment:
    """Let somebody be away while another person is given questions, and come back; return the other batch."""
    sittings.release(assignment.pk)
    taken = answering.arrive(other.pk)
    sittings.resume(assignment.pk)
    return taken


def pairs_of(assignment: Assignment) -> set[int]:
    """The questions of a batch that are no challenges."""
    return set(assignment.batch.filter(role=QuestionRole.COUNTS).values_list("question_id", flat=True))


def taken_by_rows(study: Study) -> Counter[int]:
    """How often each question is kept or being judged: answered, or still asked of somebody who is there."""
    alive = [Assignment.State.WORKING, Assignment.State.IDLE, Assignment.State.KEPT]
    rows = Judgment.objects.filter(
        question__topic__study=study, role=QuestionRole.COUNTS, assignment__state__in=alive
    )
    last = {
        row[:2]: row[2] for row in rows.order_by("revision").values_list("assignment", "question", "value")
    }
    held = {place for place, value in last.items() if value is not None}
    working = BatchQuestion.objects.filter(
        question__topic__study=study,
        role=QuestionRole.COUNTS,
        assignment__state=Assignment.State.WORKING,
        # Of one that was reopened nothing is asked.
        assignment__first_deadline=None,
    )
    asked = set(working.values_list("assignment_id", "question_id"))
    gone = {
        row
        for model in (Withdrawal, Decline)
        for row in model.objects.values_list("assignment_id", "question_id")
    }
    return Counter(question for _, question in held | (asked - gone))


def places(study: Study) -> dict[str, int]:
    """Docno -> place of a study's top items."""
    rows = Item.objects.filter(topic__study=study, top_rank__isnull=False)
    return {docno: place for docno, place in rows.values_list("docno", "top_rank") if place is not None}
