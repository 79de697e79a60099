"""Presets of services that send people by a link: their parameters, and how people return.

Taken from the documentation of the services and of other programs; try the link once before publishing.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

# Placeholder in a redirect address that the organizer has to replace.
TO_REPLACE = "YOUR-"


class Preset(NamedTuple):
    """A service: its title, and the initial settings of a campaign on it.

    codes: outcomes for which it can expect a code each. note: what is still to do by hand, in sentences.
    """

    title: str
    terms: Mapping[str, Any]
    codes: Sequence[str]
    note: str


PRESETS: Mapping[str, Preset] = {
    "connect": Preset(
        "CloudResearch Connect",
        {
            "person_parameter": "participantId",
            "session_parameter": "assignmentId",
            "session_required": True,
            "finish": "code",
            "fee_percent": "25",
        },
        # With a code of their own, people who fail would be refused there.
        codes=("completed",),
        note="Connect adds its ids to the link by itself. Enter the code there as the fixed completion code. "
        "The fee is set to 25 %, as for academic accounts; change it in the settings if yours pays more.",
    ),
    "prolific-by-hand": Preset(
        "Prolific, by hand",
        {
            "person_parameter": "PROLIFIC_PID",
            "session_parameter": "SESSION_ID",
            "session_required": True,
            "finish": "redirect",
            "redirect": "https://app.prolific.com/submissions/complete?cc={code}",
            "fee_percent": "33.3",
        },
        codes=("completed", "failed", "no_consent", "nothing_left"),
        note="Choose there that ids come as parameters of the address, and enter the codes as completion "
        "codes: the first one as completed, that of failed known answers as one to review by hand. The "
        "fee is set to 33.3 %, as for academic accounts; change it in the settings if yours pays more.",
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
        codes=(),
        note="Replace the address to go back to by the client-side completion address that SONA shows, with "
        "{person} at its end where SONA has XXXX.",
    ),
}
# Parameter -> the placeholder that its service replaces by an id in a link.
PLACEHOLDERS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
    "survey_code": "%SURVEY_CODE%",
}
# Parameters that their services add to any link by themselves.
ADDS_ITSELF = {"participantId", "assignmentId"}


def terms_of(name: str) -> dict[str, Any]:
    """Return the initial settings of a campaign for a preset, with new codes; "" for any other service.

    Raises KeyError if there is no such preset.
    """
    if not name:
        # Personal codes need no further settings.
        return {"finish": "own code"}
    preset = PRESETS[name]
    codes = {f"code_{outcome}": secrets.token_hex(6).upper() for outcome in preset.codes}
    return {**preset.terms, **codes, "service": preset.title}


def note_of(terms: Mapping[str, Any]) -> str:
    """Return what is still to do by hand at the service in these settings; "" if the service is unknown."""
    return next((one.note for one in PRESETS.values() if one.title == terms["service"]), "")


def query_of(terms: Mapping[str, Any]) -> str:
    """Return the query string of a campaign's link, with the service's placeholders for ids.

    The value is an ellipsis if the placeholder is unknown; parameters that the service adds by itself are
    left out.
    """
    names = [terms["person_parameter"], terms["session_parameter"]]
    if terms["session_parameter"] not in PLACEHOLDERS and terms["person_parameter"] in PLACEHOLDERS:
        names = names[:1]
    return "&".join(f"{name}={PLACEHOLDERS.get(name, '…')}" for name in names if name not in ADDS_ITSELF)
