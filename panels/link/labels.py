"""Labels of the link panel's settings on pages, and the ways in which people can finish."""

from collections.abc import Mapping

FINISHES = (
    ("code", "They copy a code into the panel's page"),
    ("redirect", "They are led back to the panel"),
    ("own code", "Each gets a code of their own, which can be checked later"),
)
LABELS: Mapping[str, tuple[str, str]] = {
    "service": ("The panel's name", ""),
    "person_parameter": ("Parameter with the person's id", "As the panel calls it in the address."),
    "session_parameter": ("Parameter with the submission's id", "The same person may come several times."),
    "session_required": ("Refuse addresses without a submission's id", ""),
    "finish": ("At the end", ""),
    "redirect": (
        "Address to go back to",
        "Begins with https://; {code} stands for the outcome's code, {person} for their id at the panel.",
    ),
    "code_completed": ("Code: finished", "8 to 64 letters and digits. Shown only once everything was sent."),
    "code_failed": (
        "Code: finished, known answers failed",
        "Looks the same to people, and is paid. Empty: the code of all who finish.",
    ),
    "code_no_consent": ("Code: does not want to take part", ""),
    "code_nothing_left": ("Code: nothing left to judge", ""),
    "fee_percent": ("The panel's fee, in percent of the reward", ""),
    "duration_minutes": ("Minutes that somebody has", "As the panel allows."),
    "title": ("Title on the panel", "For your own record."),
}
