"""Parsers of the assessor's forms, whose fields may be missing or forged."""

import json
import math
import re
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging import paradata
from judging.tasks import KINDS, BadAnswer, aspects

NONCE = re.compile(r"[A-Za-z0-9-]{0,40}")
# How much of each of up to nine passages was seen, in percent.
SEEN = re.compile(r"(100|[0-9]{1,2})( (100|[0-9]{1,2})){0,8}")
LONGEST_PARADATA = 200  # letters
LONGEST = 24 * 3600.0  # seconds that a question can plausibly have been in view


class BadForm(Exception):
    """The form is not one that our pages send; the message is shown to the sender."""


def answer(form: QueryDict) -> dict[str, Any]:
    """Parse the fields of an answer into arguments of `answering.answer`. Raises BadForm."""
    position, nonce = number(form.get("position", "")), form.get("nonce", "")
    if position is None:
        raise BadForm(_("The form does not say which question it answers. Load the page again."))
    kind = KINDS.get(form.get("kind", "pair"))
    if kind is None:
        raise BadForm(_("The form does not say which kind of question it answers. Load the page again."))
    try:
        value = kind.parse(form.dict())
        details = aspects.parse(form.dict(), " ".join(form.getlist("reason")).split())
    except BadAnswer as error:
        raise BadForm(*error.args) from error
    if not NONCE.fullmatch(nonce):
        raise BadForm(_("The form's nonce is not one of ours. Load the page again."))
    # Like a bad duration, bad `seen` and paradata are dropped: the answer is worth keeping without them.
    seen = form.get("seen", "")
    seconds, away = _seconds(form.get("seconds", "")), _seconds(form.get("away", ""))
    return {
        "position": position,
        "value": value,
        "kind": kind.name,
        "seconds": seconds,
        "away": away,
        "seen": seen if SEEN.fullmatch(seen) else None,
        "paradata": _paradata(form.get("paradata", "")),
        "nonce": nonce,
        "details": details,
    }


def is_early(form: QueryDict) -> bool:
    """Return True if an answer was posted before the page's script had started.

    It is unknown what such a page had drawn. The script adds `seconds` to the form; forms of pages and
    browsers without scripts have the field `plain`.
    """
    return not (form.get("seconds") or form.get("plain"))


def _paradata(text: str) -> dict[str, Any] | None:
    """Parse how the answer was given; return None for anything that the script does not send."""
    try:
        return paradata.restored(json.loads(text[:LONGEST_PARADATA])) if text else None
    except ValueError:
        return None


def _seconds(text: str) -> float | None:
    """Parse a duration; return None if it is impossible, since the answer is worth keeping without it."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and 0 <= seconds <= LONGEST else None


def number(text: str) -> int | None:
    """Parse a whole number of at most 18 digits (no id has more); return None for anything else."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None
