"""Whether the database holds what assessors were told: every acknowledged answer once, and none too many."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from bench.load.seen import Answer
from tests.stack import Stack

# How the ledger writes down what a button says.
VALUES = {"left": 1, "tie": 0, "right": -1}

LEDGER = "SELECT nonce, value, revision FROM judging_judgment"
ABOVE = "SELECT count(*) FROM judging_question WHERE taken > wanted"
# Batches kept or being judged, from their rows, against the two counters of their questions: they hold
# what they have answered, and while their assessor is there also what they have not.
HELD = """
    SELECT coalesce(sum(CASE WHEN held.n > question.wanted THEN held.n - question.wanted ELSE 0 END), 0),
           coalesce(sum(CASE WHEN held.n <> question.taken THEN 1 ELSE 0 END), 0)
    FROM judging_question question
    JOIN (
        SELECT place.question_id, count(*) AS n
        FROM judging_batchquestion place
        JOIN judging_assignment assignment ON assignment.id = place.assignment_id
        WHERE place.role = 'counts' AND assignment.state IN ('working', 'idle', 'submitted', 'kept')
              AND (EXISTS (SELECT 1 FROM judging_judgment judgment
                           WHERE judgment.assignment_id = place.assignment_id
                                 AND judgment.question_id = place.question_id)
                   OR assignment.state = 'working'
                   AND NOT EXISTS (SELECT 1 FROM judging_withdrawal gone
                                   WHERE gone.assignment_id = place.assignment_id
                                         AND gone.question_id = place.question_id))
        GROUP BY place.question_id
    ) held ON held.question_id = question.id
"""


@dataclass(frozen=True)
class Found:
    """What is wrong, in numbers that should all be 0.

    lost: acknowledged and not stored. double: stored again. other: stored with another value.
    strange: stored, and nobody sent it. above: questions handed out more often than wanted, by their
    counters. surplus: answers beyond what is wanted, by batches. miscounted: counters that differ from these.
    """

    lost: int
    double: int
    other: int
    strange: int
    above: int
    surplus: int
    miscounted: int

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not any(astuple(self))

    def __str__(self) -> str:
        wrong = [f"{n:,} {name}" for name, n in vars(self).items() if n]
        return ", ".join(wrong) or "right"


def check(stack: Stack, answers: Sequence[Answer]) -> Found:
    """Compare a deployment's ledger with all answers that were ever sent to it."""
    stored: dict[str, int] = {}
    times: Counter[str] = Counter()
    corrections = 0
    for nonce, value, revision in stack.query(LEDGER):
        times[nonce] += 1
        stored[nonce] = json.loads(value) if isinstance(value, str) else value
        corrections += revision > 0  # nobody corrects an answer here
    sent = {one.nonce: one for one in answers}
    acknowledged = [one for one in answers if one.acknowledged is not None]
    [(above,)] = stack.query(ABOVE)
    [(surplus, miscounted)] = stack.query(HELD)
    return Found(
        lost=sum(1 for one in acknowledged if one.nonce not in stored),
        double=corrections + sum(n - 1 for n in times.values()),
        other=sum(
            1 for nonce, value in stored.items() if nonce in sent and value != VALUES[sent[nonce].choice]
        ),
        strange=sum(1 for nonce in stored if nonce not in sent),
        above=int(above),
        surplus=int(surplus),
        miscounted=int(miscounted),
    )
