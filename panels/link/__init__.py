"""The link panel: any service that sends people by a link with ids, and takes a code or a redirect.

No requests are made to the service. Organizers publish there by hand, see here whom to pay and whom to
exclude, and upload the service's own list to compare it (`panels.link.files`).
"""

import hmac
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from collection.models import Study
from panels.amounts import cents_up
from panels.base import Arrival, Completion, register
from panels.link.labels import FINISHES, LABELS
from panels.link.presets import PRESETS, TO_REPLACE, terms_of
from panels.participants import people
from panels.participants.address_parameters import NO_SESSION, read_parameter
from panels.participants.entry_marketplace import EntryMarketplace

if TYPE_CHECKING:
    from panels.models import Campaign, Entry, Place

# Outcomes of a participation, each with its own code if the service takes codes.
OUTCOMES = ("completed", "failed", "no consent", "nothing left")
CODE = re.compile(r"[A-Za-z0-9_-]{8,64}")
NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")


def code_field(outcome: str) -> str:
    """Return the name of the setting that holds an outcome's code."""
    return "code_" + outcome.replace(" ", "_")


@register
class Link(EntryMarketplace):
    """Any service whose people come by a link with ids, and return with a code or by a redirect."""

    name = "link"
    title = "Panel link"
    offer = "Any other panel that sends people by a link with their ids (Cint, your own …)"
    # The service cannot be asked for confirmation, so finished work counts and is owed at once.
    confirms = False
    currencies = Study.CURRENCIES
    defaults: ClassVar[Mapping[str, Any]] = {
        "service": "",
        "person_parameter": "participant",
        "session_parameter": "session",
        "session_required": False,
        "finish": "code",
        "redirect": "",
        "code_completed": "",
        "code_failed": "",
        "code_no_consent": "",
        "code_nothing_left": "",
        "fee_percent": "0",
        "duration_minutes": 60,
        "title": "",
    }

    presets: ClassVar[Mapping[str, str]] = {name: one.title for name, one in PRESETS.items()}
    labels = LABELS
    choices: ClassVar[Mapping[str, Any]] = {"finish": FINISHES}

    def starting_terms(self, preset: str = "") -> Mapping[str, Any]:
        return terms_of(preset)

    def needs(self, campaign: "Campaign") -> list[str]:
        terms = {**self.defaults, **campaign.terms}
        if terms["finish"] == "redirect" and TO_REPLACE in terms["redirect"]:
            return [f"In the address to go back to, replace what begins with {TO_REPLACE} by your own."]
        return []

    def check_terms(self, terms: Mapping[str, Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for field in ("person_parameter", "session_parameter"):
            if not NAME.fullmatch(str(terms[field])):
                found[field] = f"{terms[field]!r} is no name of a parameter: use letters, digits, _ . and -."
        if terms["person_parameter"] == terms["session_parameter"]:
            found["session_parameter"] = "The person and the session need parameters of different names."
        if terms["finish"] not in ("code", "redirect", "own code"):
            found["finish"] = "People finish with a code, by a redirect, or with an own code each."
        if terms["finish"] == "redirect" and (why := _no_redirect(str(terms["redirect"]))):
            found["redirect"] = why
        codes = [str(terms[code_field(one)]) for one in OUTCOMES]
        for outcome, code in zip(OUTCOMES, codes, strict=True):
            if code and not CODE.fullmatch(code):
                found[code_field(outcome)] = (
                    f"The code for “{outcome}” needs 8 to 64 letters, digits, _ or -: others are guessed."
                )
        given = [code for code in codes if code]
        if len(set(given)) < len(given):
            found["code_completed"] = "Each outcome needs a code of its own."
        if "{code}" in str(terms["redirect"]) and terms["finish"] == "redirect" and not codes[0]:
            found["code_completed"] = "The address to go back to has {code}: enter the code of who finishes."
        if terms["finish"] == "code" and not codes[0]:
            found["code_completed"] = "Enter the code that the service expects of anyone who has finished."
        try:
            if not 0 <= Decimal(str(terms["fee_percent"])) <= 200:
                raise InvalidOperation
        except InvalidOperation:
            found["fee_percent"] = "The service's fee is a percentage of the reward, from 0 to 200."
        if (
            not isinstance(terms["duration_minutes"], int)
            or not 5 <= terms["duration_minutes"] <= 7 * 24 * 60
        ):
            found["duration_minutes"] = "People have between 5 minutes and 7 days."
        return found

    def fee(self, amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
        return cents_up(amount * Decimal(str(terms["fee_percent"])) / 100)

    def arrival(self, request: HttpRequest, campaign: "Campaign", place: "Place | None") -> Arrival:
        terms = campaign.terms
        person = read_parameter(request, terms["person_parameter"])
        session = read_parameter(request, terms["session_parameter"], required=terms["session_required"])
        return Arrival(preview=False, person=person, outside=session or no_session(campaign))

    def finish(self, entry: "Entry", outcome: str) -> Completion:
        terms = entry.campaign.terms
        code = terms[code_field(outcome)]
        if outcome == "failed":
            # Looks the same as a completion; without its own code it is the same.
            code = code or terms["code_completed"]
        if terms["finish"] == "own code":
            code = own_code(entry) if outcome in ("completed", "failed") else ""
        if terms["finish"] == "redirect" and (code or outcome in ("completed", "failed")):
            return Completion(address=_back(terms["redirect"], entry, code))
        if code:
            return Completion(code=code, said=_("Copy this code, and enter it on the panel's page."))
        return Completion()


def codes_of(terms: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the codes that the service has to know, each after what it stands for."""
    if terms["finish"] == "own code":
        return []
    codes = [(LABELS[field][0].removeprefix("Code: "), terms[field]) for field in map(code_field, OUTCOMES)]
    return [(outcome, code) for outcome, code in codes if code]


def no_session(campaign: "Campaign") -> str:
    """Return the stand-in for a session id if the service has none.

    It is not the person's id, because that is only stored encrypted.
    """
    return f"{NO_SESSION}{campaign.pk}"


def session_of(entry: "Entry") -> str:
    """Return the service's session id of an entry; "" if it has none."""
    return "" if entry.outside.startswith(NO_SESSION) else entry.outside


def own_code(entry: "Entry") -> str:
    """Return the personal completion code of an entry.

    It is derived from the entry with a key, so an uploaded list can be checked against it and nobody can
    guess it.
    """
    said = f"{entry.campaign_id}:{entry.person.digest}:{entry.outside}".encode()
    key = sha256(b"own codes:" + settings.SECRET_KEY.encode()).digest()
    return hmac.new(key, said, sha256).hexdigest()[:16].upper()


def _back(address: str, entry: "Entry", code: str) -> str:
    """Return the redirect address, with the outcome's code and the person's id filled in."""
    address = address.replace("{code}", code)
    if "{person}" not in address:
        return address
    return address.replace("{person}", quote(people.raw(entry.person), safe=""))


def _no_redirect(address: str) -> str:
    """Return why an address cannot be used as a redirect; "" if it can."""
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.username:
        return "The address to go back to begins with https:// and names the service's host."
    return ""
