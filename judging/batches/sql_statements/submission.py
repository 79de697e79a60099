"""SQL statements that store a submission: keep a complete batch whose challenges are right."""

import json
from datetime import datetime

from config.sql import execute, moment
from judging.models import Assignment, Decision, QuestionRole
from judging.tasks import KINDS

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
SELECT place.question_id, place.role, place.shown, place.expected, question.set_aside_at IS NULL,
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
    """Close and keep a finished batch whose challenges are right; return the ids of its topics.

    The caller raises the topics' counters in the same transaction. Returns None, and changes nothing, in any
    other case; also if a question was withdrawn. The ORM form is `answering.submit`.
    """
    rows = execute(SUBMITTING, [assignment_id, moment(now)])
    if not rows:
        return None
    kind, wrong_allowed = KINDS[rows[0][0]], rows[0][1]
    # Later revisions come later, and replace the earlier ones.
    batch = {row[0]: row[1:] for row in execute(ANSWERED, [assignment_id])}
    wrong = known = 0
    topics = set()
    for role, shown, expected, asked, topic, value in batch.values():
        if value is None:
            return None
        if role == QuestionRole.COUNTS:
            topics.add(topic)
        elif role == QuestionRole.CHALLENGE and asked:
            known += 1
            wrong += not kind.is_right(json.loads(value), shown, json.loads(expected))
    if wrong > wrong_allowed:
        return None
    why = f"{wrong} of {known} challenges wrong"
    execute(DECIDE, [Decision.What.KEPT, assignment_id, why, moment(now)])
    execute(CLOSE, [Assignment.State.KEPT, moment(now), wrong, assignment_id])
    return sorted(topics)
