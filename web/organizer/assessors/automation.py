"""Signs that answers were not given by a person, as the page of people shows them."""

from typing import NamedTuple

from collection.models import Study
from judging.models import Assessor
from judging.people import roster
from scoring.compute.automation_signs import PersonSigns
from scoring.quality.automation_signs import SIGNS
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.phrases import count, percent
from web.shared.waiting_pages import recent_result

# People that the page lists.
MOST = 20


class AutomationRow(NamedTuple):
    """A person by their number in the table of people, and their signs; varies: of their times, in words."""

    number: int
    person: Assessor
    signs: PersonSigns
    varies: str


class Automation(NamedTuple):
    """What the page says. left: people with a sign who are not listed."""

    verdict: str
    rows: list[AutomationRow]
    left: int


def automation(study: Study) -> Automation | None:
    """The people whose answers show a sign, at most a minute old; None until that is computed.

    No query where it is younger and nobody shows one, else two more.
    """
    found = recent_result(SIGNS, study, rest=PAUSE_SECONDS)
    if found is None or not found.value:
        return None
    showing = [one for one in found.value if one.signs]
    listed = showing[:MOST]
    people = {one.pk: one for one in Assessor.objects.filter(pk__in=[one.person for one in listed])}
    numbers = roster.numbers(study, list(people)) if people else {}
    rows = [
        AutomationRow(numbers[one.person], people[one.person], one, percent(one.variation))
        for one in listed
        if one.person in people
    ]
    return Automation(_verdict(len(showing), len(found.value)), rows, len(showing) - len(listed))


def signs_of(study: Study, assessor: Assessor) -> str:
    """Return the signs of a program that a person's answers show, in a few words; "" for none."""
    found = recent_result(SIGNS, study, rest=PAUSE_SECONDS)
    own = next((one for one in found.value if one.person == assessor.pk), None) if found else None
    if own is None or not own.signs:
        return ""
    said = (
        (own.fast, f"{own.fast:,} too fast"),
        (own.even, f"times that vary by {percent(own.variation)} only"),
        (own.alike, f"the same times as {count(own.alike, 'other person')}"),
        (own.inputs.none, f"{own.inputs.none:,} without any input"),
        (own.inputs.still, f"{own.inputs.still:,} by a mouse that never moved"),
        (own.inputs.pasted, f"{own.inputs.pasted:,} with pasted text"),
    )
    return ", ".join(words for shown, words in said if shown)


def _verdict(showing: int, every: int) -> str:
    if not showing:
        return f"No sign of a program among {count(every, 'person')}"
    show = "shows" if showing == 1 else "show"
    return f"{showing:,} of {count(every, 'person')} {show} a sign of a program"
