"""Marketplaces whose people arrive through entries."""

from typing import Any

from django.http import HttpRequest

from judging.models import Assessor
from panels.base import Marketplace, UnknownPerson
from panels.participants import arrivals


class EntryMarketplace(Marketplace):
    """A marketplace whose people have an entry each: each with a page of its own."""

    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        """The assessor at an entry's address."""
        assessor = arrivals.at(parts.get("named", "")).assessor
        if assessor is None:
            raise UnknownPerson
        return assessor

    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        """The page of the entry that a batch belongs to, of the last one where none is named."""
        return arrivals.home(assessor, assignment_id)

    def sent(self, assignment_id: int) -> None:
        """Note that the batch of an entry was sent."""
        arrivals.sent(assignment_id)
