"""Trials: judging pages with real questions that store no answer, for organizers' previews.

Their token is a signed address, where a batch's is a number: by it `invitation_links.answer` and
`invitation_links.submit` know that there is nothing to store, and where to go on.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, combinations, zip_longest
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from collection.models import Item, Placement, Run, Study, Topic
from judging.batches.sql_statements import ShownCell, ShownItem, ShownPages, ShownQuestion
from judging.models import Question, Subject, Task
from judging.questions.expected_time import batch_from, shown_by
from judging.tasks import TaskKind
from web.judging_page.offers import Offer
from web.judging_page.sitting import AskedQuestion, Page, PageCell, Side, Sitting, as_shown, shown_item
from web.shared import tokens

QUESTIONS = 4
# Topics that are looked at before opening, and items of each.
TOPICS, ITEMS = 4, 12
GRID = 6  # items


def sitting(
    task: Task, study: Study, home: str, at: int | None = None, *, grid: int = GRID
) -> Sitting | None:
    """A batch of real questions of a task, none of them answered; None while there is nothing to ask.

    task, study: as they are to be shown, stored so or not. home: where its pages stand. grid: items of a pick
    before any is asked.
    """
    asked = []
    for number, question in enumerate(questions(task, study, grid), 1):
        shown = as_shown(question, number, study, task)
        asked.append(with_own_pictures(shown, question))
    if not asked:
        return None
    current = at if at in range(1, len(asked) + 1) else 1
    deadline = timezone.now() + timedelta(minutes=task.minutes)
    return Sitting(tokens.sign_trial(home), task, asked, current, deadline)


def offer(task: Task, study: Study, challenges: int) -> Offer:
    """What the page before a task's first batch says of it, if so many challenges are among its questions."""
    asked = task.batch_size + challenges + task.repeats
    stored = [question.pk for question in _stored(task)]
    shown = shown_by(task, study.kind, stored).values()
    return Offer(asked, challenges > 0, batch_from(task, study, shown, asked), task)


def questions(task: Task, study: Study, grid: int = GRID) -> Sequence[ShownQuestion | ShownPages]:
    """Questions of a task: those that it asks, or before it asks any, such as its items or the pages of its
    runs allow.
    """
    if task.way.about == "run":
        return _of_runs(task, study)
    subjects = Prefetch("subjects", Subject.objects.select_related("item"))
    found: Iterable[tuple[Topic, list[Any]]] = [
        (row.topic, [subject.item for subject in row.subjects.all()])
        for row in _stored(task).prefetch_related(subjects)
    ]
    return [
        _shown(number, topic, items, _order(task.way, number, len(items)))
        for number, (topic, items) in enumerate(found or _possible(task, study, grid), 1)
    ]


def _stored(task: Task) -> QuerySet[Question]:
    rows = Question.objects.filter(task=task.pk) if task.pk else Question.objects.none()
    return rows.filter(wanted__gt=0).select_related("topic").order_by("pk")[:QUESTIONS]


def _possible(task: Task, study: Study, grid: int) -> list[tuple[Topic, list[Item]]]:
    """Items of the first topics, as a kind could ask about them: one question of each topic in turn."""
    content = Item.objects.exclude(Q(text="") & Q(image="")).order_by("pk")
    topics = []
    for topic in study.topics.order_by("pk")[:TOPICS]:
        items = list(content.filter(topic=topic)[:ITEMS])
        # A grid has as many items as there are, up to a usual number; other kinds have a fixed one.
        each = len(task.way.places) if task.way.orders else max(2, min(grid, len(items)))
        groups = [items[start : start + each] for start in range(0, len(items) - each + 1, each)]
        topics.append([(topic, group) for group in groups])
    in_turn = chain.from_iterable(zip_longest(*topics))
    return [one for one in in_turn if one is not None][:QUESTIONS]


def _of_runs(task: Task, study: Study) -> list[ShownPages]:
    """Two runs' pages for a topic: of the questions that are asked, or of the first runs and topics."""
    asked = [(row.topic, row.subject_ids) for row in _stored(task)]
    topics = [topic for topic, _ in asked] or list(study.topics.order_by("pk")[:TOPICS])
    runs = {run for _, pair in asked for run in pair}
    if not asked:
        runs = set(Run.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)[:QUESTIONS])
    cells = _cells(task, runs, {topic.pk for topic in topics})
    found = asked or _pairs_of_pages(topics, sorted(runs), cells)
    return [
        ShownPages(number, topic.text, [cells[topic.pk, pair[int(place)]] for place in order], None)
        for number, (topic, pair) in enumerate(found, 1)
        for order in [_order(task.way, number, 2)]
    ]


Cells = dict[tuple[int, int], list[ShownCell]]


def _cells(task: Task, runs: Iterable[int], topics: Iterable[int]) -> Cells:
    """The cells of these runs' pages by topic and run."""
    found: Cells = defaultdict(list)
    for one in placements(task, runs, topics).select_related("item"):
        cell = ShownCell(shown_item(one.item), one.row, one.column, one.row_length)
        found[one.topic_id, one.run_id].append(cell)
    return found


def placements(task: Task, runs: Iterable[int], topics: Iterable[int]) -> QuerySet[Placement]:
    """What these runs place, as far down as a task of result pages shows it, in the order of the pages."""
    shown = task.settings_of_kind.shown()
    placed = Placement.objects.filter(shown, run__in=list(runs), topic__in=list(topics))
    return placed.order_by("row", "column", "rank")


def _pairs_of_pages(
    topics: Sequence[Topic], runs: Sequence[int], cells: Cells
) -> list[tuple[Topic, tuple[int, ...]]]:
    """Two runs for each topic, the first whose pages differ."""
    found: list[tuple[Topic, tuple[int, ...]]] = []
    for topic in topics:
        for pair in combinations(runs, 2):
            one, other = (cells.get((topic.pk, run), []) for run in pair)
            if one and other and one != other:
                found.append((topic, pair))
                break
    return found[:QUESTIONS]


def _order(way: TaskKind, number: int, subjects: int) -> str:
    if way.orders:
        return way.orders[number % len(way.orders)]
    return way.arranged(subjects, random.Random(number))


def _shown(number: int, topic: Topic, items: list[Item], order: str) -> ShownQuestion:
    return ShownQuestion(
        number, topic.text, shown_items(items, order), None, topic.earlier, topic.description
    )


def with_own_pictures(asked: AskedQuestion, question: ShownQuestion | ShownPages) -> AskedQuestion:
    """A question of no batch, with tokens of its items' pictures that need none."""
    if isinstance(question, ShownPages):
        return replace(
            asked, sides=[_own_cells(*both) for both in zip(asked.sides, question.pages, strict=True)]
        )
    sides = [
        replace(side, picture=tokens.sign_image(item.pk)) if isinstance(side, Side) and side.picture else side
        for side, item in zip(asked.sides, question.items, strict=True)
    ]
    return replace(asked, sides=sides)


def _own_cells(page: Side | Page, cells: Sequence[ShownCell]) -> Side | Page:
    assert isinstance(page, Page)

    def own(cell: PageCell) -> PageCell:
        item = cells[cell.number - 1].item
        return replace(cell, picture=tokens.sign_image(item.pk)) if cell.picture else cell

    return replace(page, rows=[[own(cell) for cell in row] for row in page.rows])


def shown_items(items: Sequence[Item], order: str) -> list[ShownItem]:
    """Items as a page shows them, in an order of their positions."""
    rows = [shown_item(item) for item in items]
    return [rows[int(place)] for place in order]
