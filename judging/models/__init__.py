"""Models of judging: tasks and questions, assessors and batches, the ledger of answers, decisions."""

from judging.models.assessor_stats import PersonFigures
from judging.models.decisions import Decision
from judging.models.ledger import (
    COUNTING,
    FROM_FILES,
    OPEN,
    UNDECIDED,
    Assessor,
    Assignment,
    BatchQuestion,
    Decline,
    Judgment,
    JudgmentQuerySet,
    QuestionRole,
    Withdrawal,
    is_first,
)
from judging.models.notes import AnswerNote
from judging.models.questions import Question, Subject, Task, question_key
from judging.models.releases import Release
from judging.models.seals import Seal
from judging.models.texts import TextVersion

__all__ = [
    "COUNTING",
    "FROM_FILES",
    "OPEN",
    "UNDECIDED",
    "AnswerNote",
    "Assessor",
    "Assignment",
    "BatchQuestion",
    "Decision",
    "Decline",
    "Judgment",
    "JudgmentQuerySet",
    "PersonFigures",
    "Question",
    "QuestionRole",
    "Release",
    "Seal",
    "Subject",
    "Task",
    "TextVersion",
    "Withdrawal",
    "is_first",
    "question_key",
]
