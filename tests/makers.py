"""Makers of small studies for tests, and of people who judge them: by models and services alone, no files."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count

from django.utils import timezone

from collection.models import Grade, Item, Placement, Run, Study, Topic
from judging import answering
from judging.models import Assessor, Assignment, BatchQuestion, Choice, Judgment, Question
from panels import local
from tournament import services

Choose = Callable[[Question], Choice]
_number = count(1)


def make_study(*, topics: int = 1, items: int = 5, junk: int = 2, **settings) -> Study:
    """A study that is not open yet: topics t1, t2, ... with items t1-a, t1-b, ... of grade 1.

    `junk` more items of each topic have grade 0, so that opening makes min(10, items * junk) challenges
    for it: a pair of `items` and a pair with junk never meet.
    """
    n = next(_number)
    given = {"name": f"Study {n}", "slug": f"study-{n}", "seed": "s", "k": 2} | settings
    study = Study.objects.create(**given)
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
    run = Run.objects.create(study=study, name=name)
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
    return Choice.A if question.item_a.docno < question.item_b.docno else Choice.B


def whim(question: Question) -> Choice:
    """A fixed answer to each pair that follows no order: cycles and ties occur."""
    chooser = random.Random(f"{question.item_a.docno}:{question.item_b.docno}")
    return chooser.choice([Choice.A, Choice.B, Choice.TIE])


def answer(
    assignment: Assignment, *, choose: Choose = first, wrong: int = 0, most: int | None = None
) -> None:
    """Answer a batch in order, `most` questions of it; the first `wrong` challenges wrongly."""
    places = assignment.batch.select_related("question__item_a", "question__item_b")
    for place in list(places)[:most]:
        choice = choose(place.question)
        if place.challenge:
            choice = Choice(int(place.question.expected or 0))
            if wrong:
                choice, wrong = Choice.A if choice == Choice.B else Choice.B, wrong - 1
        answering.record(assignment.pk, place.question_id, choice, nonce=f"n{place.pk}")


def sit(assessor: Assessor, *, choose: Choose = first, wrong: int = 0) -> Assignment:
    """Arrive, answer a whole batch and submit it; return it with its verdict."""
    assignment = answering.arrive(assessor.pk)
    answer(assignment, choose=choose, wrong=wrong)
    return answering.submit(assignment.pk)


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


def pairs_of(assignment: Assignment) -> set[int]:
    """The questions of a batch that are no challenges."""
    return set(assignment.batch.filter(challenge=False).values_list("question_id", flat=True))


def taken_by_rows(study: Study) -> Counter[int]:
    """How often each question is kept or being judged, counted from batches and imported judgments."""
    alive = [Assignment.State.WORKING, Assignment.State.KEPT]
    batches = BatchQuestion.objects.filter(
        question__topic__study=study, challenge=False, assignment__state__in=alive
    )
    imported = Judgment.objects.filter(
        question__topic__study=study, assignment__state__in=alive, assignment__slot__panel="import"
    )
    return Counter(batches.values_list("question_id", flat=True)) + Counter(
        imported.values_list("question_id", flat=True)
    )


def places(study: Study) -> dict[str, int]:
    """Docno -> place of a study's top items."""
    rows = Item.objects.filter(topic__study=study, place__isnull=False)
    return {docno: place for docno, place in rows.values_list("docno", "place") if place is not None}
