"""Trials: judging pages with real questions of which no answer is stored, for organizers' previews.

Their token is a signed address, where a batch's is a number: by it `views.answer` and `views.submit` know
that there is nothing to store, and where to go on.
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, zip_longest
from typing import Any

from django.db.models import Prefetch, Q
from django.utils import timezone

from collection.models import Item, Study
from judging.models import Question, Subject, Task
from judging.statements import ShownItem, ShownQuestion
from judging.tasks import TaskKind
from web import tokens
from web.assessor.sitting import Asked, Offer, Side, Sitting, as_shown, usual_seconds

QUESTIONS = 4
# Topics that are looked at before opening, and items of each.
TOPICS, ITEMS = 4, 12
GRID = 6  # items


def sitting(task: Task, study: Study, home: str, at: int | None = None) -> Sitting | None:
    """A batch of real questions of a task, none of them answered; None while there is nothing to ask.

    task, study: as they are to be shown, stored so or not. home: where its pages stand. Four queries at most,
    which write nothing.
    """
    asked = []
    for number, question in enumerate(questions(task, study), 1):
        shown = as_shown(question, number, study, task.way)
        asked.append(with_own_pictures(shown, question.items))
    if not asked:
        return None
    current = at if at in range(1, len(asked) + 1) else 1
    deadline = timezone.now() + timedelta(minutes=task.minutes)
    usual = usual_seconds(study, task)
    return Sitting(tokens.sign_trial(home), task, asked, current, deadline, usual)


def offer(task: Task, study: Study) -> Offer:
    """What the page before a task's first batch says of it."""
    seconds, asked = usual_seconds(study, task), task.batch_size + task.batch_challenges
    minutes = math.ceil(asked * seconds / 60)
    return Offer(asked, task.batch_challenges > 0, seconds, minutes, task.minutes, task)


def questions(task: Task, study: Study) -> list[ShownQuestion]:
    """Questions of a task: those that it asks, or before it asks any, such as its items allow. Four queries
    at most. None yet for a kind that is about something else than items.
    """
    if task.way.about != "item":
        return []
    subjects = Prefetch("subjects", Subject.objects.select_related("item"))
    stored = Question.objects.filter(task=task.pk).select_related("topic").prefetch_related(subjects)
    rows = list(stored.filter(wanted__gt=0).order_by("pk")[:QUESTIONS]) if task.pk else []
    found: Iterable[tuple[str, list[Any]]] = [
        (row.topic.text, [subject.item for subject in row.subjects.all()]) for row in rows
    ]
    return [
        _shown(number, topic, items, _order(task.way, number, len(items)))
        for number, (topic, items) in enumerate(found or _possible(task, study), 1)
    ]


def _possible(task: Task, study: Study) -> list[tuple[str, list[Item]]]:
    """Items of the first topics, as a kind could ask about them: one question of each topic in turn."""
    content = Item.objects.exclude(Q(text="") & Q(image="")).order_by("pk")
    topics = []
    for topic in study.topics.order_by("pk")[:TOPICS]:
        items = list(content.filter(topic=topic)[:ITEMS])
        # A grid has as many items as there are, up to a usual number; other kinds have a fixed one.
        each = len(task.way.places) if task.way.orders else max(2, min(GRID, len(items)))
        groups = [items[start : start + each] for start in range(0, len(items) - each + 1, each)]
        topics.append([(topic.text, group) for group in groups])
    in_turn = chain.from_iterable(zip_longest(*topics))
    return [one for one in in_turn if one is not None][:QUESTIONS]


def _order(way: TaskKind, number: int, subjects: int) -> str:
    if way.orders:
        return way.orders[number % len(way.orders)]
    return way.arranged(subjects, random.Random(number))


def _shown(number: int, topic: str, items: list[Item], order: str) -> ShownQuestion:
    return ShownQuestion(number, topic, shown_items(items, order), None)


def with_own_pictures(asked: Asked, items: Sequence[ShownItem]) -> Asked:
    """A question of no batch, with tokens of its items' pictures that need none."""
    sides = [
        replace(side, picture=tokens.sign_image(item.pk)) if isinstance(side, Side) and side.picture else side
        for side, item in zip(asked.sides, items, strict=True)
    ]
    return replace(asked, sides=sides)


def shown_items(items: Sequence[Item], order: str) -> list[ShownItem]:
    """Items as a page shows them, in an order of their positions."""
    rows = [ShownItem(item.pk, item.text, item.image.name or "", item.width, item.height) for item in items]
    return [rows[int(place)] for place in order]
