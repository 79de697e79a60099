"""What a query chooses once for all pages of results: measure, persistence, topics, group, pinned runs."""

from collections.abc import Container
from urllib.parse import urlencode

from django.http import QueryDict

from collection.models import Study
from scoring.scores.stored_measures import chosen
from scoring.scores.topic_scores import PERSISTENCES
from web.shared.measure_names import TITLES

# They stand in the address, and links pass them on.
CARRIED = ("measure", "p", "topics", "group", "pin")
# Parameters that name a page of a list.
PAGED = ("page", "doubts", "declined", "copies", "calls", "answers")
# Pins, each with a colour and a glyph of its own.
MOST_PINS = 5


def choice_of(asked: QueryDict, name: str, known: Container[str], usual: str = "", *, said: str = "") -> str:
    """Return what a query chooses by a name, if it is known; else what is usual, and the page says so.

    said: what is shown then, in words.
    """
    given = asked.get(name, "")
    if not given or given in known:
        return given or usual
    _note(asked, name, given, said or usual)
    return usual


def _note(asked: QueryDict, name: str, given: str, shown: str) -> None:
    # Kept with the query itself, which all that reads it is given; a copy of it has none.
    vars(asked).setdefault("unknown", {}).setdefault(name, (given, shown))


def unknown_choices(asked: QueryDict) -> list[str]:
    """Say which choices of a query were not known, and what is shown instead, as far as it was read."""
    return [
        f"{name} = {given[:40]} is not known; {f'showing {shown}' if shown else 'it is left out'}."
        for name, (given, shown) in vars(asked).get("unknown", {}).items()
    ]


def page_numbers(asked: QueryDict) -> None:
    """Note pages of lists that are no number; of these the first is shown."""
    for name in PAGED:
        given = asked.get(name, "")
        if given and not given.isdecimal():
            _note(asked, name, given, "the first page")


def persistence_of(asked: QueryDict, study: Study) -> float:
    """Return the p that a query asks for; else the study's; else the largest that is scored."""
    usual = study.persistence if study.persistence in PERSISTENCES else max(PERSISTENCES)
    given = asked.get("p", "")
    try:
        p = float(given or usual)
    except ValueError:
        p = 0.0
    if p in PERSISTENCES:
        return p
    _note(asked, "p", given, f"{usual:g}")
    return usual


def measure_of(asked: QueryDict, study: Study) -> str:
    """Return the measure that a query asks for, if the study has it; else the one that ranks its runs."""
    measures = chosen(study.measures)
    return choice_of(asked, "measure", measures, measures[0], said=TITLES[measures[0]])


def whole_of(asked: QueryDict) -> bool | None:
    """Whether a query asks for topics alone that are judged to the end, or for all; None if for neither."""
    return {"whole": True, "all": False}.get(choice_of(asked, "topics", ("all", "whole")))


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
