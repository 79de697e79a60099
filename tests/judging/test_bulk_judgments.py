"""Written statements of recorded judgments: what they store is what the plain form through the ORM stores."""

import random
from collections import Counter

import pytest

from collection.models import Item, Topic
from judging.models import Assessor, Assignment, Judgment, Question, Subject, Task
from judging.questions import asking
from judging.tasks.pair import lean_of
from judging.transfer import bulk_judgments
from tests.makers import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def rows(task: Task) -> dict[str, list[tuple[object, ...]]]:
    """Every column of questions, subjects and judgments but ids, times and what names them."""
    questions = Question.objects.filter(task=task).order_by("pk")
    told = ("topic", "key", "expected", "draw_key", "set_aside_at", "wanted", "taken", "study", "task")
    subjects = Subject.objects.filter(question__task=task).order_by("question__key", "position")
    judgments = Judgment.objects.filter(question__task=task).order_by("pk")
    given = ("value", "shown", "revision", "role", "seconds", "away", "nonce")
    return {
        "questions": sorted(questions.values_list(*told), key=str),
        "subjects": list(subjects.values_list("question__topic", "question__key", "position", "item", "run")),
        "judgments": list(judgments.values_list("topic", "question__key", "assignment__assessor", *given)),
    }


def plainly(
    task: Task, pairs: list[bulk_judgments.Pair], seat: Assignment, leans: list[int], shown: str
) -> None:
    """One record after another, each with the ORM."""
    for (topic, first, second), lean in zip(pairs, leans, strict=True):
        question, made = Question.objects.get_or_create(
            study=task.study, topic_id=topic, task=task, key=f"{first} {second}"
        )
        if made:
            Subject.objects.create(question=question, position=0, item_id=first)
            Subject.objects.create(question=question, position=1, item_id=second)
        question.taken += 1
        question.save()
        Judgment.objects.create(
            assignment=seat, question=question, topic_id=topic, value=lean_of(lean, shown), shown=shown
        )


def by_statements(
    task: Task, pairs: list[bulk_judgments.Pair], seat: Assignment, leans: list[int], shown: str
) -> None:
    """As an import writes a piece."""
    times = Counter(pairs)
    questions, there = bulk_judgments.questions(task, times)
    bulk_judgments.judge(
        (seat.pk, questions[pair], pair[0], lean_of(lean, shown), shown)
        for pair, lean in zip(pairs, leans, strict=True)
    )
    bulk_judgments.take({questions[pair]: times[pair] for pair in there})


@pytest.mark.parametrize("write", [plainly, by_statements])
@pytest.mark.parametrize("shown", ["", "01", "10"])
def test_the_ledger_holds_the_records_as_they_stand_in_the_file(write, shown):
    """The plain form beside the statements, on the same random pieces; some pairs are asked already."""
    study = make_study(topics=3, items=6)
    task, rng = asking.task_of(study), random.Random(shown)
    items = {topic.pk: sorted(topic.items.values_list("pk", flat=True)) for topic in study.topics.all()}
    everything = [(t, a, b) for t, own in items.items() for a in own for b in own if a < b]
    for topic, first, second in rng.sample(everything, 10):
        asking.store(task, [asking.Asked(topic, (first, second), rng.randrange(4))], "wanted")
    wanted = dict(Question.objects.filter(task=task).values_list("key", "wanted"))
    taken, given = Counter(), []
    for _ in range(4):
        person = Assessor.objects.create(study=study, panel="import", reference=str(rng.random()))
        now = "2026-01-01T00:00:00Z"
        seat = Assignment.objects.create(assessor=person, task=task, opened_at=now, deadline=now)
        pairs = rng.sample(everything, 20)
        leans = rng.choices((-2, -1, 0, 1, 2), k=len(pairs))
        write(task, pairs, seat, leans, shown)
        taken.update(f"{a} {b}" for _, a, b in pairs)
        for (topic, a, b), lean in zip(pairs, leans, strict=True):
            value = lean_of(lean, shown)
            given.append((topic, f"{a} {b}", person.pk, value, shown, 0, "counts", None, None, None))
    told = rows(task)
    assert told["judgments"] == given
    topic_of = {f"{a} {b}": topic for topic, a, b in everything}
    assert told["questions"] == sorted(
        (
            (topic_of[key], key, None, None, None, wanted.get(key, 0), taken[key], study.pk, task.pk)
            for key in taken.keys() | wanted.keys()
        ),
        key=str,
    )
    assert set(told["subjects"]) == {
        (topic_of[key], key, position, int(item), None)
        for key in taken.keys() | wanted.keys()
        for position, item in enumerate(key.split())
    }


def test_a_question_that_a_tournament_makes_at_the_same_moment_is_taken(monkeypatch):
    """Between the look and the writing."""
    study = make_study(items=3)
    task, topic = asking.task_of(study), Topic.objects.get()
    first, second, third = Item.objects.order_by("pk").values_list("pk", flat=True)[:3]
    execute = bulk_judgments.execute

    def meddle(text, values, **parts):
        if text == bulk_judgments.ASK and not Question.objects.exists():
            asking.store(task, [asking.Asked(topic.pk, (first, second), 3)], "wanted")
        return execute(text, values, **parts)

    monkeypatch.setattr(bulk_judgments, "execute", meddle)
    times = {(topic.pk, first, second): 2, (topic.pk, first, third): 1}
    questions, there = bulk_judgments.questions(task, times)
    bulk_judgments.take({questions[pair]: times[pair] for pair in there})
    assert there == {(topic.pk, first, second)}
    told = Question.objects.order_by("key").values_list("key", "wanted", "taken")
    assert list(told) == [(f"{first} {second}", 3, 2), (f"{first} {third}", 0, 1)]
    assert Subject.objects.count() == 4
