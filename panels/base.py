"""The interface of a panel (a source of assessors), and the table in which panels register."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from django.http import HttpRequest

from collection.models import Study
from judging import recorded
from judging.models import Assessor, Assignment, Slot


class UnknownPerson(Exception):
    """The request names nobody, or somebody whom the panel does not know; says so to whoever sent it."""


class Panel(ABC):
    """A source of assessors; one folder of `panels` each, registered in PANELS.

    name: stored with every assessor and slot. title: its name on pages. confirms: whether the panel
    confirms sittings by itself, so that a submitted batch waits for it before it counts for tournaments.
    frame_ancestors: origins that may show the assessor's pages inside theirs, as in the policy header.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    confirms: ClassVar[bool] = False
    frame_ancestors: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        """Find the assessor who sent a request, with their study; `parts` are those of its address.

        Called at every request of somebody's own page, so it writes nothing. Raises UnknownPerson.
        """

    @abstractmethod
    def home(self, assessor: Assessor) -> str:
        """Return the path of the assessor's own page."""

    def completion(self, assignment: Assignment) -> str:
        """What to tell somebody who has sent this batch, such as a code to bring back; "" for nothing.

        The same each time, and whatever became of the batch.
        """
        return ""

    @abstractmethod
    def publish(self, study: Study, number: int) -> list[Slot]:
        """Offer slots for this number of sittings. A repeat after a crash must not offer them twice."""

    @abstractmethod
    def collect(self, study: Study) -> int:
        """Ask the panel what became of its sittings and confirm them; return how many changed."""

    @abstractmethod
    def settle(self, study: Study) -> int:
        """Pay or release what is owed for confirmed sittings; return how many. Never pays twice."""


PANELS: dict[str, Panel] = {}
P = TypeVar("P", bound=type[Panel])


def register(panel: P) -> P:
    """Class decorator that puts a panel into PANELS. Raises ValueError for the name that files have."""
    if panel.name.startswith(recorded.PANEL):
        raise ValueError(f"no panel may be called {panel.name}: its people would pass for labels of files")
    PANELS[panel.name] = panel()
    return panel


def panel_of(assessor: Assessor) -> Panel:
    """The panel that an assessor comes from. Raises KeyError for those of recorded judgments."""
    return PANELS[assessor.panel]
