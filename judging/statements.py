"""Written statements of the assessor's path: what happens at every answer, in one round trip each.

An ORM spends more time building such a statement than the database spends on it. Each function here does
the usual case of a rule and says which; for whatever is rare it changes nothing and returns None, and its
caller takes the way through the ORM, which is also the plain form that tests hold these statements against.
The texts are the same for PostgreSQL and SQLite, but for locks, which SQLite lacks and does not need: there
one transaction writes at a time.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from django.db import connection, transaction

from judging.layout import Challenge, framed, laid_out
from judging.models import Assignment, Decision
from judging.tasks import KINDS, TaskKind

# What stands for {name} in a text, on PostgreSQL and on SQLite.
PARTS = {
    "json": ("CAST(%s AS jsonb)", "%s"),
    "number": ("CAST(%s AS double precision)", "%s"),
    "lock_assignment": ("FOR NO KEY UPDATE OF assignment", ""),
    "lock_assessor": ("FOR NO KEY UPDATE OF assessor", ""),
    # In this order, which everybody keeps.
    "lock_both": ("FOR NO KEY UPDATE OF assessor, assignment", ""),
    # Whoever arrives at the same moment takes the next questions instead of waiting for these.
    "lock_free": ("FOR NO KEY UPDATE OF question SKIP LOCKED", ""),
}


def _execute(statement: str, values: Sequence[Any], **lists: int) -> list[tuple[Any, ...]]:
    """Run a text with its parts filled in; `lists` say how many values stand in each {list}."""
    text = _filled(statement, connection.vendor, tuple(lists.items()))
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall() if cursor.description else []


@cache
def _filled(statement: str, vendor: str, lists: tuple[tuple[str, int], ...]) -> str:
    chosen = {name: texts[vendor != "postgresql"] for name, texts in PARTS.items()}
    return statement.format(**chosen, **{name: ", ".join(["%s"] * length) for name, length in lists})


def _moment(value: datetime) -> Any:
    """A time as the database takes it."""
    return connection.ops.adapt_datetimefield_value(value)


# An answer


class Stored(NamedTuple):
    """An answer that was added to the ledger: its topic, and whether its question is a challenge."""

    topic_id: int
    challenge: bool


# PostgreSQL looks at the state again after it has waited for the assignment: an answer and the submission of
# its batch never pass each other.
STORE = """
INSERT INTO judging_judgment (assignment_id, question_id, topic_id, revision, value, shown, challenge,
                              seconds, away, nonce, created_at)
SELECT place.assignment_id, place.question_id, question.topic_id, 0, {json}, place.shown, place.challenge,
       {number}, {number}, %s, %s
FROM judging_batchquestion place
JOIN judging_assignment assignment ON assignment.id = place.assignment_id
JOIN judging_task task ON task.id = assignment.task_id
JOIN judging_question question ON question.id = place.question_id
WHERE place.assignment_id = %s AND place.position = %s AND task.kind = %s AND task.scale IN ({scales})
      AND assignment.state = 'working' AND assignment.deadline > %s
{lock_assignment}
ON CONFLICT DO NOTHING
RETURNING topic_id, challenge
"""


def store_answer(
    assignment_id: int,
    position: int,
    value: Any,
    kind: TaskKind,
    now: datetime,
    *,
    seconds: float | None,
    away: float | None,
    nonce: str | None,
) -> Stored | None:
    """Add the first answer to a question of an open batch; None if it is a repeat, a correction or refused.

    The plain form is `answering.record`.
    """
    scales = kind.scales_for(value)
    if not scales:
        return None
    given = [json.dumps(value), seconds, away, nonce or None, _moment(now)]
    where = [assignment_id, position, kind.name, *scales, _moment(now)]
    rows = _execute(STORE, [*given, *where], scales=len(scales))
    return Stored(rows[0][0], bool(rows[0][1])) if rows else None


# Arriving

# Whoever has a batch already or comes while the study is shut is dealt with by the plain form. For those who
# are excluded nothing is looked for, by the same statements as for those for whom nothing is left.
ARRIVING = """
SELECT study.id, study.seed, assessor.panel, task.id,
       CASE WHEN assessor.excluded_at IS NULL THEN task.id ELSE 0 END,
       task.kind, task.batch_size, task.batch_challenges, task.minutes,
       (SELECT count(*) FROM judging_assignment WHERE assessor_id = assessor.id)
FROM judging_assessor assessor
JOIN collection_study study ON study.id = assessor.study_id
JOIN judging_task task ON task.study_id = study.id
WHERE assessor.id = %s AND study.opened_at IS NOT NULL AND study.closed_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM judging_assignment WHERE assessor_id = assessor.id AND state = 'working')
ORDER BY task.position LIMIT 1
{lock_assessor}
"""
# NOT IN over the assessor's own batches: NOT EXISTS would be planned as a join with everybody's.
# As many are looked at as the batch has positions; those in whose place challenges stand are not taken.
TAKE = """
WITH free AS MATERIALIZED (
    SELECT question.id FROM judging_question question
    WHERE question.task_id = %s AND question.taken < question.wanted
          AND question.id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
    ORDER BY question.id LIMIT %s {lock_free}),
numbered AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS number FROM free)
UPDATE judging_question SET taken = taken + CASE WHEN numbered.number IN ({instead}) THEN 0 ELSE 1 END
FROM numbered WHERE judging_question.id = numbered.id RETURNING judging_question.id, topic_id
"""
# For each topic; only as many rows are sorted as it has challenges.
CHALLENGES = """
SELECT * FROM (SELECT topic_id, id, expected, draw_key FROM judging_question
    WHERE task_id = %s AND topic_id = %s AND expected IS NOT NULL AND set_aside_at IS NULL
    AND id NOT IN ({drawn})
    AND id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
    ORDER BY CASE WHEN draw_key >= %s THEN 0 ELSE 1 END, draw_key LIMIT %s) near
"""
SLOT = "INSERT INTO judging_slot (study_id, panel, source, created_at) VALUES (%s, %s, '', %s) RETURNING id"
# Nothing is inserted where another request of the same person has just opened a batch.
ASSIGN = """
INSERT INTO judging_assignment (slot_id, assessor_id, task_id, state, opened_at, consented_at, deadline)
VALUES (%s, %s, %s, 'working', %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id
"""
PLACE = "(%s, %s, %s, %s, %s, %s, {json})"
PLACES = """
INSERT INTO judging_batchquestion (assignment_id, assessor_id, question_id, position, shown, challenge,
                                   expected)
VALUES """


def open_batch(assessor_id: int, now: datetime) -> bool:
    """Open an assignment with a full batch; False if anything is out of the usual, and nothing is changed.

    The plain form is `answering.arrive`. Six statements in one transaction, whose cost does not grow with the
    study.
    """
    with transaction.atomic():
        opened = _opened(assessor_id, now)
        if not opened:
            # Questions that were skipped because somebody held them are waited for by the plain form,
            # from the beginning: to keep some and wait for others would lock them out of order.
            transaction.set_rollback(True)
    return opened


def _opened(assessor_id: int, now: datetime) -> bool:
    rows = _execute(ARRIVING, [assessor_id])
    if not rows:
        return False
    study, seed, panel, task, asked, kind, size, wanted, minutes, earlier = rows[0]
    chooser = random.Random(f"{seed}:batch:{task}:{assessor_id}:{earlier}")
    start = chooser.random()
    frames = framed(size + wanted, size, wanted, chooser)
    instead = [frame.number for frame in frames if frame.challenge] or [-1]
    found = sorted(_execute(TAKE, [asked, assessor_id, len(frames), *instead], instead=len(instead)))
    if len(found) < len(frames):
        return False
    batch: list[int | Challenge] = [pk for pk, _ in found]
    if wanted:
        times = Counter(found[number][1] for number in instead)
        drawn = [found[frame.number][0] for frame in frames if not frame.challenge]
        values = [
            value for topic, n in times.items() for value in (task, topic, *drawn, assessor_id, start, n)
        ]
        known = _execute(" UNION ALL ".join([CHALLENGES] * len(times)), values, drawn=len(drawn))
        if len(known) < wanted:
            return False
        # The last of each topic comes first.
        known.sort(key=lambda row: (row[3] < start, row[3]), reverse=True)
        of_topic: dict[int, list[Challenge]] = defaultdict(list)
        for topic, pk, expected, _ in known:
            of_topic[topic].append(Challenge(pk, json.loads(expected)))
        for number in instead:
            batch[number] = of_topic[found[number][1]].pop()
    ((slot,),) = _execute(SLOT, [study, panel, _moment(now)])
    deadline = now + timedelta(minutes=minutes)
    moments = [_moment(now), _moment(now), _moment(deadline)]
    assigned = _execute(ASSIGN, [slot, assessor_id, task, *moments])
    if not assigned:
        return False
    places = laid_out(KINDS[kind], batch, chooser)
    values = []
    for position, place in enumerate(places, 1):
        expected = None if place.expected is None else json.dumps(place.expected)
        values += [assigned[0][0], assessor_id, place.question_id, position, place.shown, place.challenge]
        values.append(expected)
    _execute(PLACES + ", ".join([PLACE] * len(places)), values)
    return True


# Looking at what there is

AT_HAND = """
SELECT (SELECT count(*) FROM (SELECT 1 FROM judging_question
            WHERE task_id = %s AND taken < wanted
            AND id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
            LIMIT %s) free),
       (SELECT count(*) FROM (SELECT 1 FROM judging_question
            WHERE task_id = %s AND expected IS NOT NULL AND set_aside_at IS NULL
            AND id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
            LIMIT %s) known)
"""


def at_hand(
    asked_id: int, task_id: int, assessor_id: int | None, size: int, challenges: int
) -> tuple[int, int]:
    """Count the open questions of the task `asked_id`, up to `size`, and the challenges of another, up to so
    many, that an assessor has not been asked; without one: for somebody new. One statement, without locks.
    """
    nobody = -1
    own = assessor_id or nobody
    ((free, known),) = _execute(AT_HAND, [asked_id, own, size, task_id, own, challenges])
    return free, known


# Which item stands at a place of an open batch's question.
PICTURE = """
SELECT item.image FROM judging_batchquestion place
JOIN judging_assignment assignment ON assignment.id = place.assignment_id
JOIN judging_subject subject ON subject.question_id = place.question_id
JOIN collection_item item ON item.id = subject.item_id
WHERE place.assignment_id = %s AND place.position = %s
      AND CAST(subject.position AS varchar) = substr(place.shown, %s, 1)
      AND assignment.state = 'working' AND assignment.deadline > %s
"""


def picture_of(assignment_id: int, position: int, place: int, now: datetime) -> str:
    """Name of the file of the picture at a place (from 0 on) of a question; "" where the batch is not open,
    or there is none. One statement.
    """
    rows = _execute(PICTURE, [assignment_id, position, place + 1, _moment(now)])
    return rows[0][0] or "" if rows else ""


IDLE = """
WITH idle AS (
    SELECT assignment.id FROM judging_assignment assignment
    JOIN judging_assessor assessor ON assessor.id = assignment.assessor_id
    WHERE assessor.study_id = %s AND assessor.by_link AND assessor.id <> %s AND assignment.state = 'working'
          AND NOT EXISTS (SELECT 1 FROM judging_judgment WHERE assignment_id = assignment.id)
    LIMIT %s)
SELECT (SELECT count(*) FROM idle),
       (SELECT count(*) FROM judging_batchquestion
        WHERE assignment_id IN (SELECT id FROM idle) AND NOT challenge),
       (SELECT count(*) FROM (SELECT 1 FROM judging_question
            WHERE task_id IN (SELECT id FROM judging_task WHERE study_id = %s) AND taken < wanted
            LIMIT %s) free)
"""
# More questions than this are enough for everybody who may be idle.
PLENTY = 1000


def idle_by_link(study_id: int, assessor_id: int, most: int) -> tuple[int, int, int]:
    """Count open batches without an answer of others who joined by the open link, up to `most`, the questions
    that these hold, and those that are still open, up to PLENTY. One statement.
    """
    ((idle, held, free),) = _execute(IDLE, [study_id, assessor_id, most, study_id, PLENTY])
    return idle, held, free


SHOWN = """
SELECT place.position, place.shown, topic.text, item.id, item.text, item.image, item.width, item.height,
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
    """What a page shows of an item. image: the name of its file, or ""."""

    pk: int
    text: str
    image: str
    width: int | None
    height: int | None


class ShownQuestion(NamedTuple):
    """A question as its page shows it: items in their order there, and the answer so far, or None."""

    position: int
    topic: str
    items: list[ShownItem]
    value: Any


def shown_batch(assignment_id: int) -> list[ShownQuestion]:
    """Read the questions of a batch in order, with their items and answers. One statement."""
    found = []
    for _, own in groupby(_execute(SHOWN, [assignment_id]), key=itemgetter(0)):
        rows = list(own)
        position, shown, topic, *_, value = rows[0]
        items = [ShownItem(*row[3:8]) for row in rows]
        ordered = [items[int(place)] for place in shown]
        found.append(ShownQuestion(position, topic, ordered, None if value is None else json.loads(value)))
    return found


# Submitting

SUBMITTING = """
SELECT task.kind, task.wrong_allowed
FROM judging_assignment assignment
JOIN judging_assessor assessor ON assessor.id = assignment.assessor_id
JOIN judging_task task ON task.id = assignment.task_id
WHERE assignment.id = %s AND assignment.state = 'working' AND assignment.deadline > %s
      AND assessor.excluded_at IS NULL
{lock_both}
"""
ANSWERED = """
SELECT place.question_id, place.challenge, place.shown, place.expected, question.set_aside_at IS NULL,
       question.topic_id, judgment.value
FROM judging_batchquestion place
JOIN judging_question question ON question.id = place.question_id
LEFT JOIN judging_judgment judgment
     ON judgment.assignment_id = place.assignment_id AND judgment.question_id = place.question_id
WHERE place.assignment_id = %s ORDER BY judgment.revision
"""
DECIDE = """
INSERT INTO judging_decision (what, assignment_id, why, created_at) VALUES (%s, %s, %s, %s)
"""
CLOSE = "UPDATE judging_assignment SET state = %s, submitted_at = %s, challenges_wrong = %s WHERE id = %s"


def keep_batch(assignment_id: int, now: datetime) -> list[int] | None:
    """Close a finished batch whose challenges are right, and keep it; returns its topics, whose counters the
    caller raises in the same transaction. None if there is any other case, and nothing is changed.

    The plain form is `answering.submit`. Four statements.
    """
    rows = _execute(SUBMITTING, [assignment_id, _moment(now)])
    if not rows:
        return None
    kind, wrong_allowed = KINDS[rows[0][0]], rows[0][1]
    # Later revisions come later, and replace the earlier ones.
    batch = {row[0]: row[1:] for row in _execute(ANSWERED, [assignment_id])}
    wrong = known = 0
    topics = set()
    for challenge, shown, expected, counts, topic, value in batch.values():
        if value is None:
            return None
        if not challenge:
            topics.add(topic)
        elif counts:
            known += 1
            wrong += not kind.is_right(json.loads(value), shown, json.loads(expected))
    if wrong > wrong_allowed:
        return None
    why = f"{wrong} of {known} challenges wrong"
    _execute(DECIDE, [Decision.What.KEPT, assignment_id, why, _moment(now)])
    _execute(CLOSE, [Assignment.State.KEPT, _moment(now), wrong, assignment_id])
    return sorted(topics)
