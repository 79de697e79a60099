"""What judging stores: the collection, the people, what they are asked and what they answered."""

from judging.models.answering import Assessor, Assignment, BatchQuestion, Judgment, Slot
from judging.models.asking import Choice, Question
from judging.models.collection import Grade, Item, Placement, Run, Study, Topic
from judging.models.people import Import, Membership

__all__ = [
    "Assessor",
    "Assignment",
    "BatchQuestion",
    "Choice",
    "Grade",
    "Import",
    "Item",
    "Judgment",
    "Membership",
    "Placement",
    "Question",
    "Run",
    "Slot",
    "Study",
    "Topic",
]
