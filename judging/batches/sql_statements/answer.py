"""SQL statement that stores an answer."""

import json
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from config.sql import execute, moment
from judging.models import QuestionRole
from judging.tasks import TaskKind
from judging.tasks.aspects import Details, Rules


class StoredRow(NamedTuple):
    """An answer that was added to the ledger: its topic, and the role of its question."""

    topic_id: int
    role: QuestionRole


# PostgreSQL looks at the state again after it has waited for the assignment: an answer and the submission of
# its batch never pass each other.
STORE = """
INSERT INTO judging_judgment (assignment_id, question_id, topic_id, revision, value, shown, role,
                              seconds, away, seen, paradata, nonce, details, remark, created_at)
SELECT place.assignment_id, place.question_id, question.topic_id, 0, {json}, place.shown, place.role,
       {number}, {number}, %s, {json}, %s, {json}, %s, %s
FROM judging_batchquestion place
JOIN judging_assignment assignment ON assignment.id = place.assignment_id
JOIN judging_task task ON task.id = assignment.task_id
JOIN judging_question question ON question.id = place.question_id
WHERE place.assignment_id = %s AND place.position = %s AND task.kind = %s AND task.scale IN ({scales})
      AND length(place.shown) >= %s AND {rules}
      AND assignment.state = 'working' AND assignment.withdrawn = 0 AND assignment.deadline > %s
      AND assignment.first_deadline IS NULL AND assignment.visit = %s
{lock_assignment}
ON CONFLICT DO NOTHING
RETURNING topic_id, role
""".replace("{rules}", " AND ".join(["{task_setting} = %s"] * len(Rules._fields)))


def store_answer(
    assignment_id: int,
    position: int,
    value: Any,
    kind: TaskKind,
    now: datetime,
    *,
    seconds: float | None,
    away: float | None,
    seen: str | None,
    nonce: str | None,
    visit: int = 0,
    details: Details | None = None,
    paradata: dict[str, Any] | None = None,
) -> StoredRow | None:
    """Add the first answer to a question of an open batch; return None for a repeat, a correction or a
    refusal.

    The ORM form is `answering.record`. The rules that the details were checked by must be those of the task.
    """
    scales, details = kind.scales_for(value), details or Details()
    if not scales or not details.fit(details.rules):
        return None
    told, remark = details.stored()
    given = [json.dumps(value), seconds, away, seen, paradata and json.dumps(paradata)]
    given += [nonce or None, told and json.dumps(told), remark]
    rules = chain.from_iterable(details.rules._asdict().items())
    where = [assignment_id, position, kind.name, *scales, kind.places_needed(value), *rules]
    rows = execute(STORE, [*given, moment(now), *where, moment(now), visit], scales=len(scales))
    return StoredRow(rows[0][0], QuestionRole(rows[0][1])) if rows else None
