"""The interface of a panel (a source of assessors), and the table in which panels register.

A panel that offers places outside also says how: which calls it has, how each is made and looked for, what
the panel lists, and who arrives. `panels.calls.outbox` makes the calls, and everything that follows from them
is the core's, the same for all panels.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from django.http import HttpRequest

from judging.models import FROM_FILES, Assessor, Assignment
from judging.verdicts import decisions

if TYPE_CHECKING:  # models import no panel, and panels are found before models are ready
    from panels.models import Call, Campaign, Entry, Place


class UnknownPerson(Exception):
    """The request names nobody, or somebody unknown to the panel."""


class CannotEnter(Exception):
    """Somebody from a panel cannot be let in; the message says what to do."""


class Repeat(Enum):
    """How a call may be retried after its reply was lost."""

    SAFE = "as often as one likes: it happens once all the same"
    TOKEN = "under the same token while the panel remembers it; then only after looking"  # noqa: S105
    LOOK = "only after looking has shown that it did not happen"


@dataclass(frozen=True)
class Done:
    """The panel has carried out the call; a short reply for the record.

    then: the next call that belongs to it, and its request; the effects follow after that one.
    """

    answer: Mapping[str, Any] = field(default_factory=dict)
    then: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Refused:
    """The panel has surely not carried out the call, and a retry will not help.

    closes: it refuses everything else too, for example for lack of money; publishing stops until somebody has
    looked.
    """

    message: str
    closes: bool = False


@dataclass(frozen=True)
class Later:
    """The panel has surely not carried out the call yet; retry later (throttled, or too early)."""

    message: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Doubt:
    """It is unknown whether the panel has carried out the call: the reply was lost or makes no sense."""

    message: str


Outcome = Done | Refused | Later | Doubt


class Looked(Enum):
    """Result of looking for a call in doubt that was not found."""

    ABSENT = "absent"  # in everything that the panel lists
    UNCLEAR = "unclear"  # the panel could not be asked, or not wholly


class Participation(NamedTuple):
    """One participation as the panel lists it.

    outside: the panel's id of it. place: the panel's name of the place, or "". person: the panel's raw id.
    status: one of STATUSES. receipt: what our page sent with it, or "".
    """

    outside: str
    place: str
    person: str
    status: str
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    approved_at: datetime | None = None
    receipt: str = ""


# What a taking part can be, in words that are the same for all panels.
STATUSES = ("active", "submitted", "approved", "rejected", "returned", "timed out")


class Arrival(NamedTuple):
    """The raw ids in a panel's entry address. preview: nobody has accepted yet, somebody only looks."""

    preview: bool
    person: str = ""
    outside: str = ""


@dataclass(frozen=True)
class Completion:
    """How somebody who has finished returns: by a posted form, a link, or a code.

    address: of the form or the link. fields: of the form. code: to show, or "". said: a sentence.
    """

    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    said: str = ""


class Framing(NamedTuple):
    """Origins that may frame a page, and those to which its forms may post."""

    ancestors: tuple[str, ...] = ()
    form_targets: tuple[str, ...] = ()


class Panel(ABC):
    """A source of assessors; one folder of `panels` each, registered in PANELS.

    name: stored with every assessor. title: its name on pages. invites_by_name: whether organizers
    invite its people themselves, by a link or an account. confirms: whether the panel
    confirms sittings by itself, so that a submitted batch waits for it before it counts for tournaments.
    offer: the words by which a campaign on it is chosen; empty where there can be none.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    confirms: ClassVar[bool] = False
    invites_by_name: ClassVar[bool] = False
    offer: ClassVar[str] = ""

    @abstractmethod
    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        """Find the assessor who sent a request, with their study; `parts` are those of its address.

        Called at every request of their own page, so it writes nothing. Raises UnknownPerson.
        """

    @abstractmethod
    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        """Return the path of the assessor's own page, of that of one batch where each has its own."""

    def sent(self, assignment_id: int) -> None:
        """Note that somebody has submitted a batch; reconciliation finds it without this call too."""
        return

    def completion(self, assignment: Assignment) -> str:
        """What to tell somebody who has submitted this batch, such as a code; "" for nothing.

        The same each time, and for every verdict.
        """
        return ""


class Marketplace(Panel):
    """A panel that offers places outside; `panels.recruitment.campaigns` and `panels.calls.outbox` use it.

    environments: its worlds, the one that is meant where nothing is said first. repeats: its calls, and how
    each may be repeated. The core's words for them are publish (a place, or with `request["places"]` that
    many in all), approve (an entry), bonus (a payment), exclude, readmit, expire (a place, or the
    campaign's), total (what a place has cost, before it is disposed of), dispose (of a place, with what
    total found in the request); a panel leaves out what it does not have. prepares: those before the
    first publish, in order; what they answer is kept in `Campaign.refs`, and "outside" in
    `Campaign.outside`. means: which of the core's words a call has that follows another (`Done.then`).
    own_places: whether each place has a name of its own outside, as a HIT has. receipts: whether it brings
    back the receipt that our page gave to anyone who finished.
    """

    confirms = True
    environments: ClassVar[tuple[str, ...]] = ("live",)
    currencies: ClassVar[tuple[str, ...]] = ("USD",)
    repeats: ClassVar[Mapping[str, Repeat]] = {}
    prepares: ClassVar[tuple[str, ...]] = ()
    means: ClassVar[Mapping[str, str]] = {}
    own_places: ClassVar[bool] = False
    # Whether the panel brings back what our page gave to anyone who finished.
    receipts: ClassVar[bool] = False
    # Settings of a campaign that are this panel's own: their names, and what they are unless said; what they
    # are called on pages, with a hint; and of some all that they can be, each with its words.
    defaults: ClassVar[Mapping[str, Any]] = {}
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {}
    choices: ClassVar[Mapping[str, Sequence[tuple[str, str]]]] = {}
    # Services that the panel knows the settings of: their names, and what they are called on pages.
    presets: ClassVar[Mapping[str, str]] = {}

    def starting_terms(self, preset: str = "") -> Mapping[str, Any]:
        """The settings of a new campaign besides `defaults`; preset: one of `presets`."""
        return {}

    @abstractmethod
    def check_terms(self, terms: Mapping[str, Any]) -> dict[str, str]:
        """Errors of a campaign's own settings, by field, in sentences."""

    @abstractmethod
    def fee(self, amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
        """The panel's fee on a reward or a bonus ("reward", "bonus"), rounded up to the cent."""

    def refusal(self, campaign: "Campaign") -> str:
        """Why nothing can be published now in the campaign's environment, with what to do; "" if it can.

        Reads settings only; sends no request.
        """
        return ""

    def environment(self) -> str:
        """The default environment, which the settings may decide."""
        return self.environments[0]

    def needs(self, campaign: "Campaign") -> list[str]:
        """What a campaign still needs before it can be armed, in sentences."""
        return []

    def perform(self, call: "Call") -> Outcome:
        """Send one request to the panel; called outside transactions. Raises nothing."""
        return Refused(f"{self.title} has no call {call.op!r}.")

    def look(self, call: "Call") -> Done | Looked:
        """Find out whether a call in doubt has happened. Reads only, up to the last page."""
        return Looked.UNCLEAR

    def survey(self, campaign: "Campaign") -> Iterable[Participation]:
        """All participations that the panel lists for a campaign now. Reads only, up to the last page.

        Raises Unavailable if the panel cannot be reached.
        """
        return ()

    def strays(self, campaign: "Campaign") -> "Iterable[Stray]":
        """Offers that the panel lists for this campaign and that have no place here.

        They come from a restored backup or a false reply. Reads only, up to the last page. Raises
        Unavailable.
        """
        return ()

    def balance(self, campaign: "Campaign") -> Decimal | None:
        """What the account at the panel can still pay; None if the panel does not say. Raises Unavailable."""
        return None

    def books(self, campaign: "Campaign") -> "Books | None":
        """What the panel says a campaign has cost; None if it cannot be asked. Raises Unavailable."""
        return None

    @abstractmethod
    def arrival(self, request: HttpRequest, campaign: "Campaign", place: "Place | None") -> Arrival:
        """Parse the parameters that the panel adds to the address of a campaign or place.

        Raises CannotEnter for missing or invalid parameters.
        """

    @abstractmethod
    def finish(self, entry: "Entry", outcome: str) -> Completion:
        """How somebody returns to the panel. outcome: "completed", "failed", "no consent", "nothing left".

        Looks the same for completed and failed; the same each time.
        """

    def framing(self, campaign: "Campaign") -> Framing:
        """Who may frame a campaign's pages, and where their forms may post."""
        return Framing()


class Unavailable(Exception):
    """The panel could not be reached, and why. permanent: a retry will not help."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class Stray(NamedTuple):
    """An offer without a place. outside: the panel's name of it. touched: it was accepted or submitted."""

    outside: str
    touched: bool


class Books(NamedTuple):
    """What the panel says it paid for a campaign: rewards and bonuses without fees, and how many."""

    rewards: Decimal
    approved: int
    bonuses: Decimal
    bonused: int


PANELS: dict[str, Panel] = {}
P = TypeVar("P", bound=type[Panel])


def register(panel: P) -> P:
    """Class decorator that registers a panel in PANELS. Raises ValueError for the name that files have."""
    if panel.name.startswith(FROM_FILES):
        raise ValueError(f"no panel may be called {panel.name}: its people would pass for labels of files")
    PANELS[panel.name] = panel()
    if issubclass(panel, Marketplace):
        decisions.PAYING.add(panel.name)
    return panel


def panel_of(assessor: Assessor) -> Panel:
    """The panel that an assessor comes from. Raises KeyError for those of recorded judgments."""
    return PANELS[assessor.panel]


def marketplace(name: str) -> Marketplace:
    """The marketplace of this name. Raises KeyError if there is none, or it offers no places."""
    panel = PANELS[name]
    if not isinstance(panel, Marketplace):
        raise KeyError(name)
    return panel
