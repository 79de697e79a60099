"""Terms of a campaign on Mechanical Turk: texts, times, qualifications and fees of its HITs.

Checks what botocore does not: lengths, amounts, ids (botocore's service model of 2017-01-17).
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from panels.amounts import CENT, cents_up

DEFAULTS: Mapping[str, Any] = {
    "title": "Which of two results is better?",
    "description": "Compare search results in pairs and say which one you would rather have been given.",
    "keywords": "search, relevance, comparison, judgment",
    "duration_minutes": 60,
    "lifetime_hours": 72,
    "approval_hours": 72,
    "countries": [],
    "approved_least": 1000,
    "approved_percent": 95,
    "adult": False,
    "masters": False,
}
LABELS: Mapping[str, tuple[str, str]] = {
    "title": ("Title of the HITs", "What workers see in the list."),
    "description": ("Description", ""),
    "keywords": ("Keywords", "Separated by commas."),
    "duration_minutes": ("Minutes that somebody has", ""),
    "lifetime_hours": ("Hours that a HIT is on offer", ""),
    "approval_hours": ("Hours until the marketplace pays by itself", "We pay as soon as we see the work."),
    "countries": ("Only workers registered in these countries", "Codes such as US, GB; empty: all."),
    "approved_least": ("Approved HITs, at least", "1000 shuts out anyone who is new; it is your choice."),
    "approved_percent": ("Approved, in percent at least", ""),
    "adult": ("Adults only, by the marketplace's record", ""),
    "masters": ("Masters only (5 % more)", ""),
}
LENGTHS = {"title": 128, "description": 2000, "keywords": 1000}
RANGES = {
    "duration_minutes": (5, 7 * 24 * 60),
    "lifetime_hours": (1, 60 * 24),
    "approval_hours": (1, 30 * 24),
    "approved_least": (0, 100_000),
    "approved_percent": (0, 100),
}
QUESTION_BYTES = 65_535
SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
COUNTRY = re.compile(r"[A-Z]{2}")
LOCALE, APPROVED, PERCENT = "00000000000000000071", "00000000000000000040", "000000000000000000L0"
ADULT = "00000000000000000060"
MASTERS = {"production": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "sandbox": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}
FEE, MASTERS_FEE = Decimal("0.20"), Decimal("0.05")


def problems(terms: Mapping[str, Any]) -> dict[str, str]:
    """Validate the terms of a campaign; return an error sentence by field."""
    found: dict[str, str] = {}
    for field, most in LENGTHS.items():
        text = terms[field]
        if not isinstance(text, str) or not text.strip() or len(text) > most:
            found[field] = f"The {field} has 1 to {most} characters."
    for field, (least, greatest) in RANGES.items():
        value = terms[field]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
            found[field] = (
                f"{field.replace('_', ' ').capitalize()}: a whole number from {least} to {greatest}."
            )
    countries = terms["countries"]
    if not isinstance(countries, list) or len(countries) > 30 or not all(map(_is_country, countries)):
        found["countries"] = "Countries are up to 30 codes of two capital letters, such as US."
    for field in ("adult", "masters"):
        if not isinstance(terms[field], bool):
            found[field] = f"{field.capitalize()} is yes or no."
    if not found and terms["approved_percent"] > 0 and terms["approved_least"] < 100:
        found["approved_percent"] = (
            "Mechanical Turk says 100 % for everybody with fewer than 100 approved HITs: ask for at least "
            "100 approved HITs as well, or for no percentage (0)."
        )
    return found


def _is_country(code: object) -> bool:
    return isinstance(code, str) and COUNTRY.fullmatch(code) is not None


def fee(amount: Decimal, kind: str, terms: Mapping[str, Any]) -> Decimal:
    """Return the fee on a reward or bonus: 20 %, at least a cent, rounded up to the cent.

    Masters cost 5 % more, on rewards only. A HIT of ten assignments or more would cost 20 % more; ours have
    one.
    """
    if not amount:
        return Decimal(0)
    share = FEE + (MASTERS_FEE if kind == "reward" and terms.get("masters") else Decimal(0))
    return max(CENT, cents_up(amount * share))


def qualifications(terms: Mapping[str, Any], environment: str, excluded: str) -> list[dict[str, Any]]:
    """Return who may take a HIT: nobody who is excluded, and in production only workers as in the terms."""
    asked: list[dict[str, Any]] = [
        {
            "QualificationTypeId": excluded,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        }
    ]
    if environment != "production":
        # In the sandbox nobody has a history, so nobody would qualify.
        return asked
    if terms["countries"]:
        values = [{"Country": country} for country in terms["countries"]]
        asked.append({"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": values})
    if terms["approved_least"]:
        least = [terms["approved_least"]]
        asked.append(
            {"QualificationTypeId": APPROVED, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": least}
        )
    if terms["approved_percent"]:
        percent = [terms["approved_percent"]]
        asked.append(
            {"QualificationTypeId": PERCENT, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": percent}
        )
    if terms["adult"]:
        asked.append({"QualificationTypeId": ADULT, "Comparator": "EqualTo", "IntegerValues": [1]})
    if terms["masters"]:
        asked.append({"QualificationTypeId": MASTERS[environment], "Comparator": "Exists"})
    return asked


def external_question(address: str) -> str:
    """Return the question of a HIT: a frame with our page at this URL, as high as the window.

    Raises ValueError if the URL is too long.
    """
    root = Element("ExternalQuestion", xmlns=SCHEMA)
    SubElement(root, "ExternalURL").text = address
    SubElement(root, "FrameHeight").text = "0"
    text = tostring(root, encoding="unicode")
    if len(text.encode()) > QUESTION_BYTES:
        raise ValueError("The question is longer than Mechanical Turk takes.")
    return text


def dollars(amount: Decimal) -> str:
    """Format an amount for the API: dollars with two decimals. Raises ValueError for any other amount."""
    if amount != amount.quantize(CENT) or amount < 0:
        raise ValueError(f"{amount} is no amount in dollars and cents.")
    return f"{amount:.2f}"
