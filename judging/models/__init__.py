"""Models of judging: tasks and questions, assessors and batches, the ledger of answers, decisions."""

from judging.models.answering import (
    COUNTING,
    OPEN,
    UNDECIDED,
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Declined,
    Judgment,
    JudgmentQuerySet,
    Withdrawn,
)
from judging.models.asking import Question, Subject, Task, question_key
from judging.models.figures import PersonFigures
from judging.models.releases import Release
from judging.models.sealing import Seal
from judging.models.texts import TextVersion

__all__ = [
    "COUNTING",
    "OPEN",
    "UNDECIDED",
    "Assessor",
    "Assignment",
    "BatchQuestion",
    "Decision",
    "Declined",
    "Judgment",
    "JudgmentQuerySet",
    "PersonFigures",
    "Question",
    "Release",
    "Seal",
    "Subject",
    "Task",
    "TextVersion",
    "Withdrawn",
    "question_key",
]
