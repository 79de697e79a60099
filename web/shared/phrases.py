"""Numbers and lists in sentences, and search terms."""

import re
import unicodedata
from collections.abc import Sequence

from django.http import HttpRequest

# Texts that begin with so many equal words are told apart by what follows.
PARTED = 3
MINUS = "\u2212"
# Of so many ranks a range that holds all says nothing.
MANY_RANKS = 10
# A name between these is ordered by itself, whatever stands beside it.
ISOLATE, END = "\u2068", "\u2069"
# Longer docnos are cut in the middle: their ends tell them apart.
LONGEST_DOCNO, DOCNO_START, DOCNO_END = 24, 14, 8
PLURALS = {
    "batch": "batches",
    "open batch": "open batches",
    "person": "people",
    "named person": "named people",
    "other person": "other people",
    "address": "addresses",
}


def count(n: int, noun: str) -> str:
    """Write a number with its noun: "1 topic", "2,673 topics"."""
    return f"{n:,} {noun if n == 1 else PLURALS.get(noun, noun + 's')}"


def the(n: int, noun: str) -> str:
    """Write a number with its noun after "the": "the place", "the 3 places"."""
    return f"the {count(n, noun).removeprefix('1 ')}"


def duration(hours: float) -> str:
    """Write a time as people say it: "48 minutes", "3.4 hours", "1,200 hours"."""
    if (minutes := round(hours * 60) or int(hours > 0)) < 60:
        return count(minutes, "minute")
    tenths = round(hours, 1)
    return count(round(hours), "hour") if hours >= 10 or tenths == 1 else f"{tenths:g} hours"


def seconds_said(seconds: float) -> str:
    """Write a short time: "less than a second", "14 seconds", "2 minutes"."""
    if seconds < 1:
        return "less than a second"
    return count(round(seconds), "second") if seconds < 60 else duration(seconds / 3600)


def time_taken(seconds: float) -> str:
    """Write a measured time in short: "8 s", "4 min 12 s", "1 h 5 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def percent(share: float | None) -> str:
    """Format a share: 84 %; a dash for None or nan."""
    return "–" if share is None or share != share else f"{100 * share:.0f} %"


def number(value: float | None, places: int = 2) -> str:
    """Format a number: 0.12, −0.03; a dash for None.

    Rounded twice, so that sums in another order, which differ in the sixteenth digit, read alike.
    """
    return "–" if value is None else f"{round(value, 12):.{places}f}".replace("-", MINUS)


def possible_ends(low: float, high: float) -> tuple[float, float]:
    """Ends of an interval of a difference of two shares, as far as they are possible: from -1 to 1."""
    return max(low, -1.0), min(high, 1.0)


def interval(low: float, high: float) -> str:
    """Format the interval of a difference: "−0.416 to +1.000"."""
    low, high = possible_ends(low, high)
    return f"{signed(low)} to {signed(high)}"


def ranks_said(ranks: tuple[int, int] | None, of: int) -> str:
    """Write a range of ranks: "1–3", "2", "any" where it is all of many, a dash for None."""
    if ranks is None:
        return "–"
    best, worst = ranks
    if of >= MANY_RANKS and worst - best + 1 == of:
        return "any"
    return f"{best}" if best == worst else f"{best}–{worst}"


def signed(value: float) -> str:
    """Format a difference: +0.120, −0.034, 0.000."""
    text = f"{abs(value):.3f}"
    if float(text) == 0:
        return text
    return f"+{text}" if value > 0 else f"{MINUS}{text}"


def parted(texts: Sequence[str], letters: int) -> list[str]:
    """Cut texts to so many letters, without the words with which all begin if these are PARTED or more."""
    words = [text.split() for text in texts]
    same = next((n for n, both in enumerate(zip(*words, strict=False)) if len({*both}) > 1), 0)
    if same < PARTED:
        same = 0
    rest = [" ".join(own[same:]) for own in words]
    cut = [one if len(one) <= letters else f"{one[:letters].rsplit(' ', 1)[0]} …" for one in rest]
    return [f"… {one}" for one in cut] if same else cut


def listed(names: Sequence[str], most: int = 6) -> str:
    """Join names as in "a, b and c"; of a long list, the first ones and how many more."""
    if len(names) > most:
        shown, last = list(names[:most]), f"{len(names) - most:,} more"
    else:
        shown, last = list(names[:-1]), names[-1] if names else ""
    return f"{', '.join(shown)} and {last}" if shown else last


def isolated(name: str) -> str:
    """A name that turns nothing beside it: one with letters from right to left stands in isolates."""
    turns = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"{ISOLATE}{name}{END}" if turns else name


def cut_docno(docno: str) -> str:
    """A docno or name as a line can hold it; pages give the whole beside it, as its title."""
    return docno if len(docno) <= LONGEST_DOCNO else f"{docno[:DOCNO_START]}…{docno[-DOCNO_END:]}"


def natural(name: str) -> list[str | int]:
    """A key that sorts names with numbers by these: 67_2 comes before 67_10."""
    return [int(part) if n % 2 else part for n, part in enumerate(re.split(r"([0-9]+)", name))]


def searched(request: HttpRequest) -> str:
    """The search term `q` of an address, without NUL, which PostgreSQL refuses."""
    return request.GET.get("q", "").replace("\x00", "").strip()
