"""Signs that answers were not given by a person, as the page of people shows them."""

from typing import NamedTuple

from collection.models import Study
from judging.people import person_names
from scoring.compute.automation_signs import PersonSigns
from scoring.quality.automation_signs import SIGNS
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.phrases import count, percent
from web.shared.waiting_pages import recent_result

# People that the page lists.
MOST = 20


class AutomationRow(NamedTuple):
    """A person and their signs. varies: of their times, in words."""

    pk: int
    name: str
    signs: PersonSigns
    varies: str


class Automation(NamedTuple):
    """What the page says. left: people with a sign who are not listed."""

    verdict: str
    rows: list[AutomationRow]
    left: int


def automation(study: Study) -> Automation | None:
    """The people whose answers show a sign, at most a minute old; None until that is computed.

    No query where it is younger and nobody shows one, else one more.
    """
    found = recent_result(SIGNS, study, rest=PAUSE_SECONDS)
    if found is None or not found.value:
        return None
    showing = [one for one in found.value if one.signs]
    listed = showing[:MOST]
    names = person_names.names(study, [one.person for one in listed], labels=True)
    rows = [AutomationRow(one.person, names[one.person], one, percent(one.variation)) for one in listed]
    return Automation(_verdict(len(showing), len(found.value)), rows, len(showing) - len(listed))


def _verdict(showing: int, every: int) -> str:
    if not showing:
        return f"No sign of a program among {count(every, 'person')}"
    show = "shows" if showing == 1 else "show"
    return f"{showing:,} of {count(every, 'person')} {show} a sign of a program"
