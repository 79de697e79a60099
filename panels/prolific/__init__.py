"""Prolific: one Prolific study for each campaign, drafted, published, approved and paid by its API.

People come by a link with three ids, to the page itself and not in a frame, and return with a code. The
requests, and how their responses are interpreted, are in the modules `calls` and `lists`.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from panels.amounts import cents_up
from panels.base import (
    Arrival,
    Books,
    CannotEnter,
    Charges,
    Completion,
    Done,
    Looked,
    Outcome,
    Participation,
    Repeat,
    Stray,
    register,
)
from panels.models import Call, Campaign, Entry, Place
from panels.participants.address_parameters import read_parameter
from panels.participants.entry_marketplace import EntryMarketplace
from panels.prolific import campaign_settings
from panels.prolific.external_names import is_emulated, site


@register
class Prolific(EntryMarketplace):
    """Prolific, or an emulator of its API on this machine."""

    name = "prolific"
    title = "Prolific"
    offer = "Prolific, through its API: studies, approvals, bonuses and exclusions by program"
    environments = ("live", "emulator")
    currencies = ("USD", "GBP")
    prepares = ("group", "draft")
    defaults = campaign_settings.DEFAULTS
    labels = campaign_settings.LABELS
    # The second of two steps to pay a bonus.
    means: ClassVar[Mapping[str, str]] = {"pay_bonus": "bonus"}
    repeats: ClassVar[Mapping[str, Repeat]] = {
        "group": Repeat.LOOK,
        "draft": Repeat.LOOK,
        # Reads the present total of places, and sets the wanted total.
        "publish": Repeat.SAFE,
        # A second approval is ignored.
        "approve": Repeat.SAFE,
        # Only registers a bonus and moves no money; paying it twice ("pay_bonus") would.
        "bonus": Repeat.SAFE,
        "pay_bonus": Repeat.LOOK,
        "exclude": Repeat.SAFE,
        "readmit": Repeat.SAFE,
        "expire": Repeat.SAFE,
        "withdraw": Repeat.SAFE,
    }

    def environment(self) -> str:
        return "emulator" if is_emulated() else "live"

    def check_terms(self, terms: Mapping[str, Any]) -> dict[str, str]:
        return campaign_settings.problems(terms)

    def fee(self, amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
        return cents_up(amount * Decimal(str(terms["fee_percent"])) / 100)

    def pays_by_itself(self, terms: Mapping[str, Any]) -> str:
        return "Prolific pays what it lists as sent by itself, 21 days later."

    def refusal(self, campaign: Campaign) -> str:
        meant = self.environment()
        if campaign.environment != meant:
            return f"This campaign is meant for {campaign.environment}; PROLIFIC_URL is {meant}."
        if meant == "emulator":
            return ""
        if not settings.PROLIFIC_TOKEN:
            return "Set PROLIFIC_TOKEN to the token of the researcher's account at Prolific."
        if settings.DEBUG:
            return "A server with DEBUG publishes nothing for real people."
        if not settings.PUBLIC_URL.startswith("https://"):
            return "Participants reach our pages by HTTPS: set PUBLIC_URL to the address of this server."
        return ""

    def needs(self, campaign: Campaign) -> list[str]:
        said = [] if campaign.reward else ["Say what a place pays: nobody works there for nothing."]
        least = campaign_settings.least_allowed(campaign.minutes)
        if campaign.terms["duration_minutes"] < least:
            said.append(
                f"Let people have {least} minutes at least, as Prolific does where {campaign.minutes} are "
                "expected."
            )
        return said

    def perform(self, call: Call) -> Outcome:
        from panels.prolific import calls  # httpx is slow to import, and pages do without it

        return calls.perform(call)

    def look(self, call: Call) -> Done | Looked:
        from panels.prolific import lists

        return lists.look(call)

    def survey(self, campaign: Campaign) -> Iterable[Participation]:
        from panels.prolific import lists

        return lists.survey(campaign)

    def strays(self, campaign: Campaign) -> Iterable[Stray]:
        from panels.prolific import lists

        return lists.strays(campaign)

    def balance(self, campaign: Campaign) -> Decimal | None:
        from panels.prolific import account

        return account.balance(campaign)

    def charge(self, campaign: Campaign, places: int) -> Decimal | None:
        from panels.prolific import account

        return account.charge(campaign, places)

    @property
    def sends_events(self) -> bool:
        return bool(settings.PROLIFIC_WEBHOOK_SECRET)

    def charges(self, campaign: Campaign) -> Charges | None:
        from panels.prolific import lists

        return lists.charges(campaign)

    def books(self, campaign: Campaign) -> Books | None:
        from panels.prolific import lists

        return lists.books(campaign)

    def arrival(self, request: HttpRequest, campaign: Campaign, place: Place | None) -> Arrival:
        person, study, session = (
            read_parameter(request, name) for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
        )
        if campaign.outside and study != campaign.outside:
            raise CannotEnter(_("This link belongs to another offer. Open it from the panel's page again."))
        return Arrival(preview=False, person=person, outside=session)

    def finish(self, entry: Entry, outcome: str) -> Completion:
        """Return with a code; people without consent or without questions return their place at Prolific."""
        code = (entry.campaign.refs.get("codes") or {}).get(outcome, "")
        return (
            Completion(address=f"{site()}/submissions/complete?cc={code}", code=code)
            if code
            else Completion()
        )
