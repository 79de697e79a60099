"""What a query chooses once for all pages of results: measure, persistence, topics, group, pinned runs."""

from urllib.parse import urlencode

from django.http import QueryDict

from collection.models import Study
from scoring.scores.topic_scores import PERSISTENCES

# They stand in the address, and links pass them on.
CARRIED = ("measure", "p", "topics", "group", "pin")
# Pins, each with a colour and a glyph of its own.
MOST_PINS = 5


def persistence_of(asked: QueryDict, study: Study) -> float:
    """Return the p that a query asks for; else the study's; else the largest that is scored."""
    for wanted in (asked.get("p", ""), study.persistence):
        try:
            p = float(wanted)
        except ValueError:
            continue
        if p in PERSISTENCES:
            return p
    return max(PERSISTENCES)


def pins_of(asked: QueryDict) -> list[int]:
    """Ids of the pinned runs in a query, the first pinned first: `pin=3,8`, or `run=3&run=8` of old links."""
    given = asked.getlist("run") or asked.get("pin", "").split(",")
    return list(dict.fromkeys(int(one) for one in given if one.isdecimal() and len(one) < 19))


def kept(asked: QueryDict) -> dict[str, str]:
    """What is chosen for all pages of results, for the hidden fields of a form."""
    return {name: asked.get(name, "") for name in CARRIED if asked.get(name)}


def carried(asked: QueryDict, **changed: str) -> str:
    """The query of what is chosen for all pages of results, some of it changed; "" if nothing is chosen."""
    kept = {name: asked.get(name, "") for name in CARRIED} | changed
    return urlencode({name: value for name, value in kept.items() if value})
