"""Fields of the assessor's forms, which may be missing or forged."""

import math
import re
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.tasks import KINDS, BadAnswer

NONCE = re.compile(r"[A-Za-z0-9-]{0,40}")
# Percent of up to nine passages.
SEEN = re.compile(r"(100|[0-9]{1,2})( (100|[0-9]{1,2})){0,8}")
LONGEST = 24 * 3600.0  # seconds that a question can plausibly have been in view


class BadForm(Exception):
    """A request that none of our pages sends; the message is shown to the sender."""


def answer(form: QueryDict) -> dict[str, Any]:
    """Parse an answer's fields for `answering.answer`. Raises BadForm."""
    position, nonce = number(form.get("position", "")), form.get("nonce", "")
    if position is None:
        raise BadForm(_("The form does not say which question it answers. Load the page again."))
    kind = KINDS.get(form.get("kind", "pair"))
    if kind is None:
        raise BadForm(_("The form does not say which kind of question it answers. Load the page again."))
    try:
        value = kind.parse(form.dict())
    except BadAnswer as error:
        raise BadForm(*error.args) from error
    if not NONCE.fullmatch(nonce):
        raise BadForm(_("The form's nonce is not one of ours. Load the page again."))
    # As durations, it is worth less than the answer, which is kept without it.
    seen = form.get("seen", "")
    seconds, away = _seconds(form.get("seconds", "")), _seconds(form.get("away", ""))
    return {
        "position": position,
        "value": value,
        "kind": kind.name,
        "seconds": seconds,
        "away": away,
        "seen": seen if SEEN.fullmatch(seen) else None,
        "nonce": nonce,
    }


def is_early(form: QueryDict) -> bool:
    """Tell whether an answer was sent before the page's script had started: what was on screen is unknown.

    A script sends its times; a page without scripts has the field `plain`.
    """
    return not (form.get("seconds") or form.get("plain"))


def _seconds(text: str) -> float | None:
    """Parse a duration; None if it is invalid, because an answer is worth storing without its time."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= LONGEST else None


def number(text: str) -> int | None:
    """Parse a whole number as our pages write it; None for anything else. No id has 19 digits."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None
