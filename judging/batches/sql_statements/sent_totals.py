"""Totals of what somebody has sent: answers and time of their latest batch and of all."""

from typing import NamedTuple

from config.sql import execute

# A correction is a further row of the same answer and takes time of its own; a row without a value takes the
# answer back, unless another follows.
TOTALS = """
WITH sent AS (
    SELECT id FROM judging_assignment
    WHERE assessor_id = %s AND (submitted_at IS NOT NULL OR state IN ('kept', 'discarded'))),
given AS (
    SELECT assignment_id, seconds,
           CASE WHEN revision = 0 THEN 1
                WHEN value IS NULL AND NOT EXISTS (
                     SELECT 1 FROM judging_judgment later
                     WHERE later.assignment_id = judgment.assignment_id
                           AND later.question_id = judgment.question_id
                           AND later.revision > judgment.revision) THEN -1
                ELSE 0 END AS answers
    FROM judging_judgment judgment WHERE assignment_id IN (SELECT id FROM sent))
SELECT COALESCE(sum(CASE WHEN assignment_id = %s THEN answers END), 0),
       COALESCE(sum(CASE WHEN assignment_id = %s THEN seconds END), 0),
       (SELECT count(*) FROM sent), COALESCE(sum(answers), 0), COALESCE(sum(seconds), 0)
FROM given
"""


class SentTotals(NamedTuple):
    """Answers that stand and seconds in view, of one batch and of all; the number of batches."""

    answers: int
    seconds: float
    batches: int
    all_answers: int
    all_seconds: float


def sent_totals(assessor_id: int, assignment_id: int) -> SentTotals:
    """Add up what somebody has sent. Cost grows with their own answers."""
    (row,) = execute(TOTALS, [assessor_id, assignment_id, assignment_id])
    return SentTotals(*row)
