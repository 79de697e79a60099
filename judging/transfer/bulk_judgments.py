"""SQL statements of the import of recorded judgments: a piece of a file in a few round trips.

An ORM takes longer to build such a row than the database does to store it, and a million judgments are four
million rows. Only `judging.transfer.judgment_import` calls them, in its transaction. Rows travel as in
`collection.upload.bulk`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from config.sql import execute, listed, lock_rows, moment
from judging.models import Question, Task, question_key

Pair = tuple[int, int, int]  # ids of a topic and of two of its items, or of two runs, the smaller first

FIND = """
SELECT question.topic_id, question.key, question.id FROM {given}
JOIN judging_question question
     ON question.topic_id = CAST({column[0]} AS bigint) AND question.task_id = %s
     AND question.key = {column[1]} AND NOT question.again
"""
# A tournament may make one of them at this moment: then that one is taken.
ASK = """
INSERT INTO judging_question (study_id, topic_id, task_id, key, wanted, taken)
SELECT %s, CAST({column[0]} AS bigint), %s, {column[1]}, 0, CAST({column[2]} AS smallint)
FROM {given} WHERE true
ON CONFLICT (topic_id, task_id, key, again) DO NOTHING
RETURNING topic_id, key, id
"""
SUBJECTS = """
INSERT INTO judging_subject (question_id, position, {about}_id)
SELECT CAST({column[0]} AS bigint), CAST({column[1]} AS smallint), CAST({column[2]} AS bigint)
FROM {given}
"""
JUDGE = """
INSERT INTO judging_judgment
    (assignment_id, question_id, topic_id, revision, value, shown, role, created_at)
SELECT CAST({column[0]} AS bigint), CAST({column[1]} AS bigint), CAST({column[2]} AS bigint), 0,
       CAST({column[3]} {as_json}), {column[4]}, 'counts', %s
FROM {given}
"""
TAKE = """
WITH given AS MATERIALIZED (
    SELECT CAST({column[0]} AS bigint) AS id, CAST({column[1]} AS integer) AS times
    FROM {given})
UPDATE judging_question SET taken = judging_question.taken + given.times
FROM given WHERE judging_question.id = given.id
"""


def questions(task: Task, times: Mapping[Pair, int]) -> tuple[dict[Pair, int], set[Pair]]:
    """Find the question of each pair, and make the missing ones, counted as taken so often.

    Returns their ids, and which existed already: pass those to `take`.
    """
    found = _found(FIND, [listed([pair[0], question_key(pair[1:])] for pair in times), task.pk])
    there = set(found)
    if missing := sorted(times.keys() - there):
        rows = listed([pair[0], question_key(pair[1:]), times[pair]] for pair in missing)
        made = _found(ASK, [task.study_id, task.pk, rows])
        subjects = listed(
            [question, position, item]
            for pair, question in made.items()
            for position, item in enumerate(pair[1:])
        )
        execute(SUBJECTS.replace("{about}", task.way.about), [subjects])
        found |= made
        if late := [[pair[0], question_key(pair[1:])] for pair in missing if pair not in made]:
            others = _found(FIND, [listed(late), task.pk])
            there |= others.keys()
            found |= others
    return found, there


def _found(text: str, values: Sequence[Any]) -> dict[Pair, int]:
    rows = execute(text, values)
    return {(topic, *map(int, key.split())): pk for topic, key, pk in rows}


def judge(rows: Iterable[tuple[int, int, int, Any, str]]) -> None:
    """Add judgments to the ledger: assignment, question, topic, value, shown. One statement."""
    now = moment(timezone.now())
    given = listed((*row[:3], json.dumps(row[3]), row[4]) for row in rows)
    execute(JUDGE, [now, given])


def take(times: Mapping[int, int]) -> None:
    """Add to how often these questions, by id, are kept or being judged; locks them until the transaction
    ends.
    """
    if times:
        lock_rows(Question, times)
        execute(TAKE, [listed(times.items())])
