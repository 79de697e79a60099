"""Mechanical Turk: each place is a HIT with one assignment, and our pages are shown in its frame.

Mechanical Turk closed to the public on 30 September 2026. The panel is complete, and tested against the
emulator (`manage.py emulate mturk`); only requesters who still have access need it. See docs/panels.md.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from panels.base import (
    Arrival,
    Books,
    CannotEnter,
    Completion,
    Done,
    Framing,
    Looked,
    Outcome,
    Participation,
    Repeat,
    Stray,
    register,
)
from panels.models import Call, Campaign, Entry, Place
from panels.mturk import environments
from panels.mturk import terms as own_terms
from panels.mturk.limits import ENTITY, WORKER
from panels.participants.entry_marketplace import EntryMarketplace

NOBODY = "ASSIGNMENT_ID_NOT_AVAILABLE"
CLOSURE = "https://www.mturk.com"


@register
class MechanicalTurk(EntryMarketplace):
    """Amazon Mechanical Turk: its emulator, its sandbox or its production site."""

    name = "mturk"
    title = "Mechanical Turk"
    offer = "Amazon Mechanical Turk, through its API"
    environments = ("sandbox", "emulator", "production")
    own_places = True
    receipts = True
    prepares = ("qualify", "prepare")
    defaults = own_terms.DEFAULTS
    labels = own_terms.LABELS
    repeats: ClassVar[Mapping[str, Repeat]] = {
        # The name of a qualification is unique, so a lost one is found by it.
        "qualify": Repeat.LOOK,
        # The same values give the same HIT type.
        "prepare": Repeat.SAFE,
        "publish": Repeat.TOKEN,
        "approve": Repeat.SAFE,
        "bonus": Repeat.TOKEN,
        "exclude": Repeat.SAFE,
        "readmit": Repeat.SAFE,
        "expire": Repeat.SAFE,
        "total": Repeat.SAFE,
        "dispose": Repeat.SAFE,
        "withdraw": Repeat.SAFE,
    }

    def environment(self) -> str:
        return str(settings.MTURK_MODE)

    def check_terms(self, terms: Mapping[str, Any]) -> dict[str, str]:
        return own_terms.problems(terms)

    def fee(self, amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
        return own_terms.fee(amount, kind, terms)

    def pays_by_itself(self, terms: Mapping[str, Any]) -> str:
        return f"The marketplace pays what was sent by itself, {terms['approval_hours']} hours later."

    def refusal(self, campaign: Campaign) -> str:
        environment = campaign.environment
        if environment != settings.MTURK_MODE:
            return (
                f"This campaign is meant for the {environment}; the server is set to the "
                f"{settings.MTURK_MODE} (MTURK_MODE)."
            )
        try:
            environments.endpoint(environment)
        except ValueError as error:
            return str(error)
        if environment == "production":
            if not settings.MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30:
                return (
                    "Mechanical Turk closed to the public on 30 September 2026. Anyone who can still use it "
                    "sets MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30=1 on the server. "
                    f"See {CLOSURE}, and docs/panels.md for panels that are open."
                )
            if settings.DEBUG:
                return "A server with DEBUG publishes nothing for real people."
        if environment != "emulator" and not settings.MTURK_ACCESS_KEY_ID:
            return (
                "Set MTURK_ACCESS_KEY_ID and MTURK_SECRET_ACCESS_KEY to the keys of the requester's account."
            )
        if environment != "emulator" and not settings.PUBLIC_URL.startswith("https://"):
            return "Workers reach our pages by HTTPS alone: set PUBLIC_URL to the address of this server."
        return ""

    def needs(self, campaign: Campaign) -> list[str]:
        return [] if campaign.reward else ["Say what a place pays: nobody works there for nothing."]

    def perform(self, call: Call) -> Outcome:
        from panels.mturk import calls  # boto3 is slow to import, and pages do without it

        return calls.perform(call)

    def look(self, call: Call) -> Done | Looked:
        from panels.mturk import lists

        return lists.look(call)

    def survey(self, campaign: Campaign) -> Iterable[Participation]:
        from panels.mturk import lists

        return lists.survey(campaign)

    def strays(self, campaign: Campaign) -> Iterable[Stray]:
        from panels.mturk import lists

        return lists.strays(campaign)

    def balance(self, campaign: Campaign) -> Decimal:
        from panels.mturk import lists

        return lists.balance(campaign)

    def books(self, campaign: Campaign) -> Books:
        from panels.mturk import lists

        return lists.books(campaign)

    def arrival(self, request: HttpRequest, campaign: Campaign, place: Place | None) -> Arrival:
        given = {name: _given(request, name) for name in ("assignmentId", "hitId", "workerId")}
        if given["assignmentId"] in ("", NOBODY) or not given["workerId"]:
            return Arrival(preview=True)
        shapes = (ENTITY, ENTITY, WORKER)
        if not all(shape.fullmatch(value) for shape, value in zip(shapes, given.values(), strict=True)):
            raise CannotEnter(_("The address is damaged. Please return the HIT, and tell the researchers."))
        back = _given(request, "turkSubmitTo")
        if back and environments.origin(back) not in environments.submit_origins(campaign.environment):
            raise CannotEnter(
                _("The address leads back to another place than Mechanical Turk. Please return the HIT.")
            )
        if place is None or not place.outside:
            raise CannotEnter(
                _("This HIT was published a moment ago. Please load the page again in a minute.")
            )
        if given["hitId"] != place.outside:
            raise CannotEnter(_("The address belongs to another HIT. Please return this one."))
        return Arrival(preview=False, person=given["workerId"], outside=given["assignmentId"])

    def finish(self, entry: Entry, outcome: str) -> Completion:
        if outcome not in ("completed", "failed"):
            return Completion()
        return Completion(
            address=f"{environments.submit_origins(entry.campaign.environment)[0]}/mturk/externalSubmit",
            fields={"assignmentId": entry.outside, "receipt": entry.receipt},
        )

    def framing(self, campaign: Campaign) -> Framing:
        named = campaign.environment
        return Framing(environments.frame_origins(named), environments.submit_origins(named))


def _given(request: HttpRequest, name: str) -> str:
    """Return a query parameter, "" if it is missing. Raises CannotEnter for several different values."""
    values = set(request.GET.getlist(name))
    if len(values) > 1:
        raise CannotEnter(_("The address is damaged. Please return the HIT, and tell the researchers."))
    return values.pop() if values else ""
