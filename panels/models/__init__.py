"""Models of panels: campaigns, places, entries, calls, money, people and mails."""

from panels.models.calls import Call, Pace
from panels.models.campaigns import Campaign, Place
from panels.models.entries import Entry, PanelExclusion
from panels.models.mails import Address, Mail, Mailing
from panels.models.money import Budget, Payment, Posting
from panels.models.people import IdentityAccess, Person

__all__ = [
    "Address",
    "Budget",
    "Call",
    "Campaign",
    "Entry",
    "IdentityAccess",
    "Mail",
    "Mailing",
    "Pace",
    "PanelExclusion",
    "Payment",
    "Person",
    "Place",
    "Posting",
]
