"""Presets of services that send people by a link: their parameters, and how people go back.

As the services and other programs document them; anyone who uses one tries the link once before it is
published.
"""

import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

# Stands in an address to go back to until it was replaced.
TO_REPLACE = "YOUR-"


class Preset(NamedTuple):
    """A service: its name, the settings that a campaign on it begins with, and whether it expects codes.

    note: what is still to do by hand, a sentence.
    """

    title: str
    terms: Mapping[str, Any]
    codes: bool
    note: str


PRESETS: Mapping[str, Preset] = {
    "connect": Preset(
        "CloudResearch Connect",
        {
            "person_parameter": "participantId",
            "session_parameter": "assignmentId",
            "session_required": True,
            "finish": "code",
        },
        codes=True,
        note="Connect adds its ids to the link by itself. Enter the code of those who finish there as the "
        "fixed completion code.",
    ),
    "prolific-by-hand": Preset(
        "Prolific, by hand",
        {
            "person_parameter": "PROLIFIC_PID",
            "session_parameter": "SESSION_ID",
            "session_required": True,
            "finish": "redirect",
            "redirect": "https://app.prolific.com/submissions/complete?cc={code}",
        },
        codes=True,
        note="Choose there that ids come as parameters of the address, and enter the codes as completion "
        "codes: the first one as completed, that of failed known answers as one to review by hand.",
    ),
    "sona": Preset(
        "SONA",
        {
            "person_parameter": "survey_code",
            "session_parameter": "session",
            "finish": "redirect",
            "redirect": "https://YOUR-SCHOOL.sona-systems.com/webstudy_credit.aspx?experiment_id=YOUR-STUDY"
            "&credit_token=YOUR-TOKEN&survey_code={person}",
        },
        codes=False,
        note="Replace the address to go back to by the client-side completion address that SONA shows, with "
        "{person} at its end where SONA has XXXX.",
    ),
}
# How the services write the place of an id in a link, by what they call it.
PLACEHOLDERS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
    "survey_code": "%SURVEY_CODE%",
}
# Those who add their ids to any link by themselves.
ADDS_ITSELF = {"participantId", "assignmentId"}


def terms_of(name: str) -> dict[str, Any]:
    """The settings that a campaign begins with, codes of its own among them; "" for any other service.

    Raises KeyError if there is no such preset.
    """
    if not name:
        # A code that needs no settings: of their own for each.
        return {"finish": "own code"}
    preset = PRESETS[name]
    outcomes = ("completed", "failed", "no_consent", "nothing_left") if preset.codes else ()
    codes = {f"code_{outcome}": secrets.token_hex(6).upper() for outcome in outcomes}
    return {**preset.terms, **codes, "service": preset.title}


def note_of(terms: Mapping[str, Any]) -> str:
    """What is still to do by hand at the service that these settings name; "" where it is not known."""
    return next((one.note for one in PRESETS.values() if one.title == terms["service"]), "")


def query_of(terms: Mapping[str, Any]) -> str:
    """The ids in the address for the service, as it writes their places; an ellipsis where that is not known,
    and nothing where it adds them by itself.
    """
    names = [terms["person_parameter"], terms["session_parameter"]]
    if terms["session_parameter"] not in PLACEHOLDERS and terms["person_parameter"] in PLACEHOLDERS:
        names = names[:1]
    return "&".join(f"{name}={PLACEHOLDERS.get(name, '…')}" for name in names if name not in ADDS_ITSELF)
