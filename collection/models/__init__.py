"""What is compared: studies, topics, items, grades and runs; and the people who run a study."""

from collection.models.actions import Action
from collection.models.deletions import Deletion
from collection.models.imports import Import
from collection.models.items import Grade, Item, Topic
from collection.models.notices import Delivery, Event, NotificationLog, Watch
from collection.models.people import Membership
from collection.models.runs import Placement, Run
from collection.models.shares import Share
from collection.models.study import Study
from collection.models.tokens import ApiToken

__all__ = [
    "Action",
    "ApiToken",
    "Deletion",
    "Delivery",
    "Event",
    "Grade",
    "Import",
    "Item",
    "Membership",
    "NotificationLog",
    "Placement",
    "Run",
    "Share",
    "Study",
    "Topic",
    "Watch",
]
