"""The interface of a panel (a source of assessors), and the registry of panels.

A marketplace also defines its calls: how each is made, how the panel is searched for one whose outcome is
unknown, what the panel lists, and how arrivals are identified. `panels.calls.outbox` makes the calls. What
follows from a call is the same for all panels (`panels.calls.effects`).
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

if TYPE_CHECKING:  # models import no panel, and panels are imported before models are ready
    from panels.models import Call, Campaign, Entry, Place


class UnknownPerson(Exception):
    """The request identifies nobody, or somebody unknown to the panel; the message is shown to the sender."""


class CannotEnter(Exception):
    """The reason why a person from a panel gets no page, as a sentence that says what to do."""


class Repeat(Enum):
    """When a call may be repeated after its response was lost."""

    SAFE = "as often as one likes: it happens once all the same"
    TOKEN = "under the same token while the panel remembers it; then only after looking"  # noqa: S105
    LOOK = "only after looking has shown that it did not happen"


@dataclass(frozen=True)
class Done:
    """The panel has carried out the call.

    answer: what the panel said, in short, stored with the call and used by its effects. then: the next call
    (op, request) that belongs to this one; the effects then follow from that call instead.
    """

    answer: Mapping[str, Any] = field(default_factory=dict)
    then: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Refused:
    """The panel has certainly not carried out the call, and a retry would not help.

    closes: the panel refuses all other calls too, for example for lack of money; publishing stops until
    somebody has looked.
    """

    message: str
    closes: bool = False


@dataclass(frozen=True)
class Later:
    """The panel has certainly not carried out the call yet, and may do so later (rate limit, or too early).

    seconds: the wait before the next attempt; 0 for the default backoff.
    """

    message: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Doubt:
    """It is unknown if the panel carried out the call: the response was lost or makes no sense."""

    message: str


Outcome = Done | Refused | Later | Doubt


class Looked(Enum):
    """The result of searching the panel for a call in doubt that was not found."""

    ABSENT = "absent"  # not in the complete list of the panel
    UNCLEAR = "unclear"  # the panel could not be read, or only in part


class Participation(NamedTuple):
    """One participation as the panel lists it, such as an assignment or a submission.

    outside: the panel's id of it. place: the panel's id of the place, "" if it has none. person: the panel's
    raw id of the person. status: one of STATUSES. receipt: the receipt that our page sent with the work, ""
    if none.
    """

    outside: str
    place: str
    person: str
    status: str
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    approved_at: datetime | None = None
    receipt: str = ""


# Statuses of a participation, the same for all panels.
STATUSES = ("active", "submitted", "approved", "rejected", "returned", "timed out")


class Arrival(NamedTuple):
    """The raw ids of the person who opened a panel's link.

    preview: the person only looks and has accepted nothing yet, so there are no ids.
    """

    preview: bool
    person: str = ""
    outside: str = ""


@dataclass(frozen=True)
class Completion:
    """How a person who has finished returns to the panel: by a form, a link, or a code.

    address: of the form or the link. fields: fields of the form, which the browser posts. code: shown to the
    person, "" for none. said: a sentence to show.
    """

    address: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    said: str = ""


class Framing(NamedTuple):
    """Origins that may show a page in a frame, and origins to which its forms may be posted."""

    ancestors: tuple[str, ...] = ()
    form_targets: tuple[str, ...] = ()


class Panel(ABC):
    """A source of assessors: one folder of `panels`, registered in PANELS.

    name: stored with every assessor. title: its name on pages. invites_by_name: whether organizers invite its
    people themselves, by a link or an account. confirms: whether the panel itself confirms participation, so
    that a submitted batch waits for that before it counts for tournaments. offer: how the panel is described
    where somebody creates a campaign; empty if it can have none.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    confirms: ClassVar[bool] = False
    invites_by_name: ClassVar[bool] = False
    offer: ClassVar[str] = ""

    @abstractmethod
    def identify(self, request: HttpRequest, **parts: Any) -> Assessor:
        """Find the assessor who sent a request, with their study; `parts` are the URL's arguments.

        Called on every request for an assessor's page, so it writes nothing. Raises UnknownPerson.
        """

    @abstractmethod
    def home(self, assessor: Assessor, assignment_id: int | None = None) -> str:
        """Return the path of the assessor's page; of the given batch, if each batch has its own page."""

    def sent(self, assignment_id: int) -> None:
        """Note that a batch was submitted. Reconciliation also finds submitted batches without this call."""
        return

    def completion(self, assignment: Assignment) -> str:
        """Return what to tell a person who has submitted this batch, such as a code; "" for nothing.

        The same for every call, and for every outcome of the batch.
        """
        return ""


class Marketplace(Panel):
    """A panel that offers paid places outside of this server.

    environments: such as live or sandbox, the default first. repeats: its calls, and when each may be
    repeated. The common calls are publish (one place, or a total of `request["places"]`), approve (an entry),
    bonus (a payment), exclude, readmit, expire (one place, or all of the campaign), total (what a place has
    cost, read before it is disposed of), and dispose (of a place, with the result of total in the request); a
    panel leaves out those that it does not have. prepares: the calls before the first publish, in order;
    their answers are stored in `Campaign.refs`, and the key "outside" in `Campaign.outside`. means: for a
    call that follows another (`Done.then`), the common call whose effects it has. own_places: whether each
    place has its own id at the panel, such as a HIT. receipts: whether the panel returns the receipt that our
    page gave to a person who finished.
    """

    confirms = True
    environments: ClassVar[tuple[str, ...]] = ("live",)
    currencies: ClassVar[tuple[str, ...]] = ("USD",)
    repeats: ClassVar[Mapping[str, Repeat]] = {}
    prepares: ClassVar[tuple[str, ...]] = ()
    means: ClassVar[Mapping[str, str]] = {}
    own_places: ClassVar[bool] = False
    # Whether the panel returns the receipt that our page gave to a person who finished.
    receipts: ClassVar[bool] = False
    # A campaign's settings that only this panel has: the default of each, its label and hint on pages, and
    # for some the possible values with their labels.
    defaults: ClassVar[Mapping[str, Any]] = {}
    labels: ClassVar[Mapping[str, tuple[str, str]]] = {}
    choices: ClassVar[Mapping[str, Sequence[tuple[str, str]]]] = {}
    # Services for which the panel has preset settings: name -> title on pages.
    presets: ClassVar[Mapping[str, str]] = {}

    def starting_terms(self, preset: str = "") -> Mapping[str, Any]:
        """Return the initial settings of a new campaign besides `defaults`; preset: one of `presets`."""
        return {}

    @abstractmethod
    def check_terms(self, terms: Mapping[str, Any]) -> dict[str, str]:
        """Validate a campaign's panel settings; return an error sentence by field, {} if all are valid."""

    @abstractmethod
    def fee(self, amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
        """Return the panel's fee on an amount, rounded up to the cent; kind: "reward" or "bonus"."""

    def pays_by_itself(self, terms: Mapping[str, Any]) -> str:
        """Return when the panel pays work that nobody has looked at, as a sentence; "" if it never does."""
        return ""

    def refusal(self, campaign: "Campaign") -> str:
        """Return why the campaign's environment allows no publishing now, and what to do; "" if it does.

        Makes no request: it only reads settings.
        """
        return ""

    def environment(self) -> str:
        """Return the default environment; the server's settings may decide it."""
        return self.environments[0]

    def needs(self, campaign: "Campaign") -> list[str]:
        """Return what else a campaign needs before it can be armed, in sentences."""
        return []

    def perform(self, call: "Call") -> Outcome:
        """Make one request to the panel, once. Called outside of any transaction; raises nothing."""
        return Refused(f"{self.title} has no call {call.op!r}.")

    def look(self, call: "Call") -> Done | Looked:
        """Search the panel for a call in doubt, to see if it was carried out. Only reads, all pages."""
        return Looked.UNCLEAR

    def survey(self, campaign: "Campaign") -> Iterable[Participation]:
        """Yield all participations that the panel lists for a campaign now. Only reads, all pages.

        Raises Unavailable if the panel cannot be read.
        """
        return ()

    def strays(self, campaign: "Campaign") -> "Iterable[Stray]":
        """Return the offers that the panel lists for this campaign and that match no place here.

        They exist after a backup was restored, or after a wrong answer of the panel. Only reads, all pages.
        Raises Unavailable.
        """
        return ()

    @property
    def sends_events(self) -> bool:
        """Whether the panel says by itself that something has changed there."""
        return False

    def balance(self, campaign: "Campaign") -> Decimal | None:
        """Return the balance of the account at the panel; None if it does not tell.

        Raises Unavailable, and WrongAccount.
        """
        return None

    def charge(self, campaign: "Campaign", places: int) -> Decimal | None:
        """Return what the account would be charged for places, with fees and taxes; None if it does not tell.

        Raises Unavailable.
        """
        return None

    def charges(self, campaign: "Campaign") -> "Charges | None":
        """Return what the panel has charged for a campaign; None if it does not tell. Raises Unavailable."""
        return None

    def books(self, campaign: "Campaign") -> "Books | None":
        """Return what the panel says the campaign has cost; None if it does not tell. Raises Unavailable."""
        return None

    @abstractmethod
    def arrival(self, request: HttpRequest, campaign: "Campaign", place: "Place | None") -> Arrival:
        """Identify the person who opened a campaign's or place's link, by the panel's parameters in it.

        Raises CannotEnter for parameters that are missing or make no sense.
        """

    @abstractmethod
    def finish(self, entry: "Entry", outcome: str) -> Completion:
        """Return how a person returns to the panel.

        outcome: "completed", "failed", "no consent" or "nothing left". The result looks the same for
        completed and failed, and is the same for every call.
        """

    def framing(self, campaign: "Campaign") -> Framing:
        """Return who may show a campaign's pages in a frame, and where their forms may be posted."""
        return Framing()


class Unavailable(Exception):
    """The panel could not be read; the message says why. permanent: a retry would not help."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class WrongAccount(Exception):
    """The account at the panel cannot serve the campaign as it is; the message says what to change."""


class Stray(NamedTuple):
    """An offer at the panel without a place here.

    outside: the panel's id of it. touched: somebody has accepted or submitted it.
    """

    outside: str
    touched: bool


class Books(NamedTuple):
    """What the panel says it paid for a campaign: sums and counts of rewards and bonuses, without fees.

    bonused: None where it gives no count.
    """

    rewards: Decimal
    approved: int
    bonuses: Decimal
    bonused: int | None


class Charges(NamedTuple):
    """What the panel charged for a campaign: rewards and bonuses, and fees with tax on them."""

    paid: Decimal
    fees: Decimal


PANELS: dict[str, Panel] = {}
P = TypeVar("P", bound=type[Panel])


def register(panel: P) -> P:
    """Register a panel in PANELS (a class decorator).

    Raises ValueError for a name that is reserved for judgments from files.
    """
    if panel.name.startswith(FROM_FILES):
        raise ValueError(f"no panel may be called {panel.name}: its people would pass for labels of files")
    PANELS[panel.name] = panel()
    if issubclass(panel, Marketplace):
        decisions.PAYING.add(panel.name)
    return panel


def panel_of(assessor: Assessor) -> Panel:
    """Return the panel of an assessor. Raises KeyError for assessors from files."""
    return PANELS[assessor.panel]


def marketplace(name: str) -> Marketplace:
    """Return the marketplace of this name. Raises KeyError if no marketplace has it."""
    panel = PANELS[name]
    if not isinstance(panel, Marketplace):
        raise KeyError(name)
    return panel
