"""Models of judging: tasks and questions, assessors and batches, the ledger of answers, decisions."""

from judging.models.answering import (
    COUNTING,
    UNDECIDED,
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Judgment,
    JudgmentQuerySet,
    Slot,
)
from judging.models.asking import Question, Subject, Task, question_key
from judging.models.sealing import Seal

__all__ = [
    "COUNTING",
    "UNDECIDED",
    "Assessor",
    "Assignment",
    "BatchQuestion",
    "Decision",
    "Judgment",
    "JudgmentQuerySet",
    "Question",
    "Seal",
    "Slot",
    "Subject",
    "Task",
    "question_key",
]
