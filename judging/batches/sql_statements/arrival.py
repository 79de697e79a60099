"""SQL statements of an arrival: count the questions that can be drawn, and open a full batch."""

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta

from django.db import transaction

from config.sql import execute, moment
from judging.batches.layout import Challenge, Open, framed, laid_out
from judging.batches.overdue import day_of
from judging.batches.sql_statements.repeats import with_rows
from judging.models import Task
from judging.questions import expected_time
from judging.questions.texts import SeenText
from judging.secret_random import secret_random
from judging.tasks import KINDS

# Anyone who has a batch already, comes while the study is shut, or meets one of its limits is dealt with by
# the plain form; a limit that the study does not have is not counted for. For those who are excluded nothing
# is looked for, by the same statements as for those for whom nothing is left.
ARRIVING = """
SELECT study.seed, assessor.by_link, task.id,
       CASE WHEN assessor.excluded_at IS NULL THEN task.id ELSE 0 END,
       study.kind, task.settings, task.measured_seconds, task.minutes,
       task.kind, task.batch_size, task.batch_challenges, task.repeats,
       task.version, task.consent_version,
       (SELECT count(*) FROM judging_assignment WHERE assessor_id = assessor.id)
FROM judging_assessor assessor
JOIN collection_study study ON study.id = assessor.study_id
JOIN judging_task task ON task.study_id = study.id
WHERE assessor.id = %s AND study.opened_at IS NOT NULL AND study.closed_at IS NULL
      AND assessor.paused_at IS NULL AND (study.closes_at IS NULL OR study.closes_at > %s)
      AND (study.batches_each IS NULL OR study.batches_each >
           (SELECT count(*) FROM judging_assignment WHERE assessor_id = assessor.id AND state <> 'lapsed'))
      AND (study.batches_a_day IS NULL OR study.batches_a_day >
           (SELECT count(*) FROM judging_assignment batch
            JOIN judging_assessor person ON person.id = batch.assessor_id
            WHERE person.study_id = study.id AND batch.source = '' AND batch.opened_at >= %s
                  AND batch.state <> 'lapsed'))
      AND (study.judgments_most IS NULL OR study.judgments_most >
           (SELECT COALESCE(sum(asked.taken), 0) FROM judging_question asked
            JOIN collection_topic topic ON topic.id = asked.topic_id WHERE topic.study_id = study.id))
      AND NOT EXISTS (SELECT 1 FROM judging_assignment
                      WHERE assessor_id = assessor.id AND state IN ('working', 'idle'))
ORDER BY task.position LIMIT 1
{lock_assessor}
"""
# NOT IN over the assessor's own batches: NOT EXISTS would be planned as a join with everybody's.
# As many are looked at as the batch has positions; those in whose place challenges stand are not taken.
TAKE = """
WITH free AS MATERIALIZED (
    SELECT question.id FROM judging_question question
    WHERE question.task_id = %s AND question.taken < question.wanted AND question.set_aside_at IS NULL
          AND question.id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
    ORDER BY question.id LIMIT %s {lock_free}),
numbered AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS number FROM free)
UPDATE judging_question SET taken = taken + CASE WHEN numbered.number IN ({instead}) THEN 0 ELSE 1 END
FROM numbered WHERE judging_question.id = numbered.id
RETURNING judging_question.id, topic_id, length(key) - length(replace(key, ' ', '')) + 1, key
"""
# For each topic and number of subjects, by which a challenge could be told from others; only as many rows are
# sorted as the topic has challenges.
CHALLENGES = """
SELECT * FROM (
    SELECT topic_id, length(key) - length(replace(key, ' ', '')) + 1 AS subjects, id, expected, draw_key
    FROM judging_question
    WHERE task_id = %s AND topic_id = %s AND expected IS NOT NULL AND set_aside_at IS NULL
    AND length(key) - length(replace(key, ' ', '')) + 1 = %s
    AND id NOT IN ({drawn})
    AND id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
    ORDER BY CASE WHEN draw_key >= %s THEN 0 ELSE 1 END, draw_key LIMIT %s) near
"""
# Nothing is inserted where another request of the same person has just opened a batch.
ASSIGN = """
INSERT INTO judging_assignment (assessor_id, task_id, state, opened_at, consented_at, deadline,
                                version, patience)
VALUES (%s, %s, 'working', %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id
"""
PLACE = "(%s, %s, %s, %s, %s, %s, {json})"
PLACES = """
INSERT INTO judging_batchquestion (assignment_id, assessor_id, question_id, position, shown, role,
                                   expected)
VALUES """


def open_batch(assessor_id: int, now: datetime, seen: SeenText | None = None) -> bool:
    """Open an assignment with a full batch; return False, and change nothing, in any rarer case.

    The ORM form is `answering.arrive`.
    """
    with transaction.atomic():
        opened = _opened(assessor_id, now, seen)
        if not opened:
            # Questions that were skipped because somebody held them are waited for by the plain form,
            # from the beginning: to keep some and wait for others would lock them out of order.
            transaction.set_rollback(True)
    return opened


def _opened(assessor_id: int, now: datetime, seen: SeenText | None) -> bool:
    rows = execute(ARRIVING, [assessor_id, moment(now), moment(day_of(now))])
    if not rows:
        return False
    seed, by_link, task, asked, shows, *further = rows[0]
    settings, measured, minutes, kind, size, wanted, repeats, version, consent, earlier = further
    if seen and not seen.holds(task, version, consent):
        return False
    # Where little is left, the plain form gives them half of it.
    if by_link and not earlier and at_hand(asked, task, assessor_id, 2 * size, 0)[0] < 2 * size:
        return False
    chooser = secret_random(seed, "batch", task, assessor_id, earlier)
    start = chooser.random()
    frames = framed(size + wanted, size, wanted, chooser)
    instead = [frame.number for frame in frames if frame.challenge] or [-1]
    found = sorted(execute(TAKE, [asked, assessor_id, len(frames), *instead], instead=len(instead)))
    if len(found) < len(frames):
        return False
    batch: list[Open | Challenge] = [Open(pk, subjects) for pk, _, subjects, _ in found]
    if wanted:
        times = Counter(found[number][1:3] for number in instead)
        drawn = [found[frame.number][0] for frame in frames if not frame.challenge]
        values = [
            value
            for (topic, subjects), n in times.items()
            for value in (task, topic, subjects, *drawn, assessor_id, start, n)
        ]
        known = execute(" UNION ALL ".join([CHALLENGES] * len(times)), values, drawn=len(drawn))
        if len(known) < wanted:
            return False
        # The last of each topic comes first.
        known.sort(key=lambda row: (row[-1] < start, row[-1]), reverse=True)
        alike: dict[tuple[int, int], list[Challenge]] = defaultdict(list)
        for topic, subjects, pk, expected, _ in known:
            alike[topic, subjects].append(Challenge(pk, json.loads(expected)))
        for number in instead:
            batch[number] = alike[found[number][1:3]].pop()
    timed = Task(kind=kind, settings=json.loads(settings), measured_seconds=measured, minutes=minutes)
    laid = laid_out(KINDS[kind], batch, chooser, repeats)
    takes = expected_time.of_batch(timed, shows, [place.question_id for place in laid])
    deadline = now + timedelta(minutes=takes.limit(timed))
    moments = [moment(now), moment(now), moment(deadline)]
    agreed = seen.version if seen else version
    assigned = execute(ASSIGN, [assessor_id, task, *moments, agreed, takes.patience])
    if not assigned:
        return False
    about = {pk: (topic, key) for pk, topic, _, key in found}
    places = with_rows(laid, about)
    values = []
    for position, place in enumerate(places, 1):
        expected = None if place.expected is None else json.dumps(place.expected)
        values += [assigned[0][0], assessor_id, place.question_id, position, place.shown, place.role]
        values.append(expected)
    execute(PLACES + ", ".join([PLACE] * len(places)), values)
    return True


def size_for_newcomers(size: int, free: int) -> int:
    """Size of the first batch of somebody from the open link: at most half of the free questions.

    So the next person to join finds some too. free: free questions, counted up to two batches.
    """
    return min(size, -(-free // 2))


AT_HAND = """
SELECT (SELECT count(*) FROM (SELECT 1 FROM judging_question
            WHERE task_id = %s AND taken < wanted AND set_aside_at IS NULL
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
    """Count open questions of the task `asked_id` and challenges of another that an assessor was not asked.

    Counts up to `size` and `wanted`. assessor None: for somebody new.
    """
    nobody = -1
    own = assessor_id or nobody
    ((free, known),) = execute(AT_HAND, [asked_id, own, size, task_id, own, challenges])
    return free, known


IDLE = """
WITH idle AS (
    SELECT assignment.id FROM judging_assignment assignment
    JOIN judging_assessor assessor ON assessor.id = assignment.assessor_id
    WHERE assessor.study_id = %s AND assessor.by_link AND assessor.id <> %s AND assignment.state = 'working'
          AND NOT EXISTS (SELECT 1 FROM judging_judgment WHERE assignment_id = assignment.id)
    LIMIT %s)
SELECT (SELECT count(*) FROM idle),
       (SELECT count(*) FROM judging_batchquestion
        WHERE assignment_id IN (SELECT id FROM idle) AND role = 'counts'),
       (SELECT count(*) FROM (SELECT 1 FROM judging_question
            WHERE task_id IN (SELECT id FROM judging_task WHERE study_id = %s) AND taken < wanted
            AND set_aside_at IS NULL LIMIT %s) free)
"""
# More questions than this are enough for everybody who may be idle.
PLENTY = 1000


def idle_by_link(study_id: int, assessor_id: int, most: int) -> tuple[int, int, int]:
    """Count open batches without an answer of others who joined by the open link, up to `most`, the questions
    that these hold, and those that are still open, up to PLENTY.
    """
    ((idle, held, free),) = execute(IDLE, [study_id, assessor_id, most, study_id, PLENTY])
    return idle, held, free
