"""Base class of marketplaces whose people arrive through entries."""

from typing import Any

from django.http import HttpRequest

from judging.models import Assessor
from panels.base import Marketplace, UnknownPerson
from panels.participants import arrivals


class EntryMarketplace(Marketplace):
    """A marketplace whose people have entries, each with its own page."""

    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        """Return the assessor of the entry in the path."""
        assessor = arrivals.at(parts.get("named", "")).assessor
        if assessor is None:
            raise UnknownPerson
        return assessor

    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        """Return the path of the entry of a batch; of the assessor's last entry if no batch is given."""
        return arrivals.home(assessor, assignment_id)

    def sent(self, assignment_id: int) -> None:
        """Note that the batch of an entry was submitted."""
        arrivals.sent(assignment_id)
