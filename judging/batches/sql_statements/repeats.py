"""SQL statements of repeats: rows for questions that are asked again, made on first use."""

from collections.abc import Mapping, Sequence

from config.sql import execute, ids
from judging.batches.layout import BatchPlace
from judging.models import QuestionRole

# A row that is there already is set to what it is, so that its id is returned.
AGAIN = """
INSERT INTO judging_question (study_id, topic_id, task_id, key, wanted, taken, again)
SELECT study_id, topic_id, task_id, key, 0, 0, {yes} FROM judging_question WHERE id {among} ORDER BY id
ON CONFLICT (topic_id, task_id, key, again) DO UPDATE SET wanted = 0
RETURNING topic_id, key, id
"""
SUBJECTS = """
INSERT INTO judging_subject (question_id, position, item_id, run_id)
SELECT again.id, subject.position, subject.item_id, subject.run_id
FROM judging_question again
JOIN judging_question question ON question.topic_id = again.topic_id AND question.task_id = again.task_id
     AND question.key = again.key AND NOT question.again
JOIN judging_subject subject ON subject.question_id = question.id
WHERE again.id {among} ORDER BY again.id, subject.position
ON CONFLICT DO NOTHING
"""


def with_rows(places: Sequence[BatchPlace], about: Mapping[int, tuple[int, str]]) -> list[BatchPlace]:
    """Replace the question of each repeat by its further row. about: topic and key of each open question.

    The ORM form is `drawing.with_rows`.
    """
    repeated = sorted(place.question_id for place in places if place.role == QuestionRole.REPEAT)
    if not repeated:
        return list(places)
    rows = {(topic, key): pk for topic, key, pk in execute(AGAIN, [ids(repeated)])}
    execute(SUBJECTS, [ids(sorted(rows.values()))])
    return [
        place
        if place.role != QuestionRole.REPEAT
        else place._replace(question_id=rows[about[place.question_id]])
        for place in places
    ]
