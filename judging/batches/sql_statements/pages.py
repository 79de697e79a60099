"""SQL statements of an open batch of result pages: its questions with both pages' cells, and one picture."""

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from config.sql import execute, ids, moment
from judging.batches.sql_statements.open_page import ShownItem
from judging.tasks.serp import PageSettings

QUESTIONS = """
SELECT place.position, place.shown, place.expected, task.settings, topic.text,
       (SELECT value FROM judging_judgment judgment
        WHERE judgment.assignment_id = place.assignment_id AND judgment.question_id = place.question_id
        ORDER BY judgment.revision DESC LIMIT 1)
FROM judging_batchquestion place
JOIN judging_question question ON question.id = place.question_id
JOIN judging_task task ON task.id = question.task_id
JOIN collection_topic topic ON topic.id = question.topic_id
WHERE place.assignment_id = %s ORDER BY place.position
"""
# Also of runs that were replaced meanwhile: anyone who has the page open is shown what they were asked about.
CELLS = """
SELECT place.position, subject.position, placement.item_id,
       placement.row, placement."column", placement.row_length
FROM judging_batchquestion place
JOIN judging_question question ON question.id = place.question_id
JOIN judging_subject subject ON subject.question_id = question.id
JOIN collection_placement placement
     ON placement.run_id = subject.run_id AND placement.topic_id = question.topic_id
WHERE place.assignment_id = %s AND place.position BETWEEN %s AND %s
      AND ((placement.row IS NULL AND placement.rank <= %s) OR placement.row < %s)
ORDER BY place.position, subject.position, placement.row, placement."column", placement.rank
"""
ITEMS = "SELECT id, text, words, image, width, height, description FROM collection_item WHERE id {among}"
OPEN = """
SELECT place.shown, place.expected, task.settings FROM judging_batchquestion place
JOIN judging_assignment assignment ON assignment.id = place.assignment_id
JOIN judging_task task ON task.id = assignment.task_id
WHERE place.assignment_id = %s AND place.position = %s
      AND assignment.state IN ('working', 'idle') AND assignment.deadline > %s
"""
LAST = 32_767  # a position can be no higher


class ShownCell(NamedTuple):
    """A cell of a result page with its item. row, column, row_length: None in a list."""

    item: ShownItem
    row: int | None
    column: int | None
    row_length: int | None


class ShownPages(NamedTuple):
    """A question about result pages: the cells of each, from left to right; the answer so far, or None."""

    position: int
    topic: str
    pages: list[list[ShownCell]]
    value: Any


# The item and the place of a cell, by position of the question and of the subject.
Cells = dict[tuple[int, int], list[tuple[int, Any, Any, Any]]]


def shown_pages(assignment_id: int) -> list[ShownPages]:
    """Read the questions of a batch of result pages in order.

    Cost grows with the cells; each item is read once, on however many pages it stands.
    """
    questions = execute(QUESTIONS, [assignment_id])
    cells = _cells(assignment_id, 0, LAST, questions[0][3]) if questions else {}
    filled = {
        position: [_filled(cells[position, int(subject)], _made(expected), int(subject)) for subject in shown]
        for position, shown, expected, *_ in questions
    }
    used = {item for pages in filled.values() for page in pages for item, *_ in page}
    items = {row[0]: ShownItem(*row) for row in execute(ITEMS, [ids(used)])}
    return [
        ShownPages(
            position,
            topic,
            [[ShownCell(items[item], *place) for item, *place in page] for page in filled[position]],
            None if value is None else json.loads(value),
        )
        for position, *_, topic, value in questions
    ]


def page_picture_of(assignment_id: int, position: int, place: int, cell: int, now: datetime) -> str:
    """File name of the picture in a cell (from 0) of a page; "" if the batch is not open or has none."""
    rows = execute(OPEN, [assignment_id, position, moment(now)])
    if not rows or place >= len(rows[0][0]):
        return ""
    subject = int(rows[0][0][place])
    own = _cells(assignment_id, position, position, rows[0][2])[position, subject]
    page = _filled(own, _made(rows[0][1]), subject)
    found = execute(ITEMS, [ids([page[cell][0]])]) if cell < len(page) else []
    return ShownItem(*found[0]).image or "" if found else ""


def _cells(assignment_id: int, first: int, last: int, settings: str) -> Cells:
    """The cells of the questions at these positions, as far down as a task with these settings shows them."""
    shown = PageSettings.read(json.loads(settings))
    found: Cells = defaultdict(list)
    for position, subject, *cell in execute(CELLS, [assignment_id, first, last, shown.depth, shown.rows]):
        found[position, subject].append((cell[0], cell[1], cell[2], cell[3]))
    return found


def _made(expected: str | None) -> Sequence[Sequence[int]] | None:
    """The pages that a challenge shows instead of the runs' own."""
    known = None if expected is None else json.loads(expected)
    return known["pages"] if known else None


def _filled(
    cells: Sequence[tuple[int, Any, Any, Any]], made: Sequence[Sequence[int]] | None, subject: int
) -> Sequence[tuple[int, Any, Any, Any]]:
    """The cells of a page; for a challenge, with its own items."""
    if made is None:
        return cells
    return [(item, *cell[1:]) for item, cell in zip(made[subject], cells, strict=False)]
