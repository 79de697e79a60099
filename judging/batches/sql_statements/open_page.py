"""SQL statements of an open batch's page: its questions with items and answers, and one picture."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from config.sql import execute, moment

SHOWN = """
SELECT place.position, place.shown, topic.text, topic.earlier, topic.description,
       item.id, item.text, item.words, item.image, item.width, item.height, item.description, item.seconds,
       item.sources,
       (SELECT value FROM judging_judgment judgment
        WHERE judgment.assignment_id = place.assignment_id AND judgment.question_id = place.question_id
        ORDER BY judgment.revision DESC LIMIT 1)
FROM judging_batchquestion place
JOIN judging_question question ON question.id = place.question_id
JOIN collection_topic topic ON topic.id = question.topic_id
JOIN judging_subject subject ON subject.question_id = question.id
JOIN collection_item item ON item.id = subject.item_id
WHERE place.assignment_id = %s ORDER BY place.position, subject.position
"""


class ShownItem(NamedTuple):
    """What a page shows of an item. words: of its text. image: the name of its picture's or recording's file,
    or "".

    description: of the picture. seconds: that a recording takes. sources: that an answer cites.
    """

    pk: int
    text: str
    words: int
    image: str
    width: int | None
    height: int | None
    description: str = ""
    seconds: float | None = None
    sources: Sequence[Mapping[str, str]] = ()


class ShownQuestion(NamedTuple):
    """A question as its page shows it: items in their shown order, and the answer so far, or None.

    earlier: the turns of a conversation before the topic. description: of the topic.
    """

    position: int
    topic: str
    items: list[ShownItem]
    value: Any
    earlier: str = ""
    description: str = ""


def shown_batch(assignment_id: int) -> list[ShownQuestion]:
    """Read the questions of a batch in order, with their items and answers."""
    found = []
    for _, own in groupby(execute(SHOWN, [assignment_id]), key=itemgetter(0)):
        rows = list(own)
        position, shown, topic, earlier, description, *_, value = rows[0]
        items = [ShownItem(*row[5:13])._replace(sources=json.loads(row[13] or "[]")) for row in rows]
        ordered = [items[int(place)] for place in shown]
        answer = None if value is None else json.loads(value)
        found.append(ShownQuestion(position, topic, ordered, answer, earlier, description))
    return found


# Which item stands at a place of an open batch's question. Anyone who is away may have the page open still.
PICTURE = """
SELECT item.image FROM judging_batchquestion place
JOIN judging_assignment assignment ON assignment.id = place.assignment_id
JOIN judging_subject subject ON subject.question_id = place.question_id
JOIN collection_item item ON item.id = subject.item_id
WHERE place.assignment_id = %s AND place.position = %s
      AND CAST(subject.position AS varchar) = substr(place.shown, %s, 1)
      AND assignment.state IN ('working', 'idle') AND assignment.deadline > %s
"""


def picture_of(assignment_id: int, position: int, place: int, now: datetime) -> str:
    """File name of the picture at a place (from 0) of a question; "" if the batch is not open or has none
    there.
    """
    rows = execute(PICTURE, [assignment_id, position, place + 1, moment(now)])
    return rows[0][0] or "" if rows else ""
