"""What judging stores: who is asked what, and the ledger of what they answered."""

from judging.models.answering import Assessor, Assignment, BatchQuestion, Judgment, Slot
from judging.models.asking import Choice, Question

__all__ = ["Assessor", "Assignment", "BatchQuestion", "Choice", "Judgment", "Question", "Slot"]
