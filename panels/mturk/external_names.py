"""Names of places, calls and qualifications at Mechanical Turk, for finding them again."""

import re
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.urls import reverse

from panels.base import Done, Doubt, Outcome
from panels.calls.effects import key_of
from panels.models import Call, Campaign, Place

HIT_IN_MESSAGE = re.compile(r"[A-Z0-9]{20,}")
TOKEN_LENGTH = 64


def address(place: Place) -> str:
    """The address of a place, as a HIT shows it in its frame."""
    return settings.PUBLIC_URL.rstrip("/") + reverse("enter", args=[place.token])


def annotation(call: Call) -> str:
    """What a HIT says of itself, by which it is found again: the call's key."""
    return call.key.replace(":", "-").replace("#", "-again-")[:255]


def prefix(campaign: Campaign) -> str:
    """What the annotations of all HITs of a campaign begin with, and of no other campaign's."""
    return key_of(campaign, "").replace(":", "-")


def token(call: Call) -> str:
    """The token under which a call is made once: the key, or where that is too long its hash."""
    named = annotation(call)
    return named if len(named) <= TOKEN_LENGTH else sha256(named.encode()).hexdigest()


def reference(call: Call) -> str:
    """What a bonus says of itself, by which it is found again."""
    payment = call.payment
    return sha256(f"{payment.key if payment else ''}".encode()).hexdigest()[:12]


def excluded_name(campaign: Campaign) -> str:
    """The name of the qualification that anyone who is excluded from a study has."""
    # Not the seed itself: anyone who knows it knows what is drawn from it.
    own = sha256(f"excluded:{campaign.study.seed}".encode()).hexdigest()[:12]
    return f"Faceoff {campaign.study.slug} {own}"


def named(answer: Mapping[str, Any], member: str, name: str, kept: str) -> Outcome:
    """What was made, by its id; in doubt where the reply does not name it."""
    made = (answer.get(member) or {}).get(name)
    return Done({kept: made}) if made else Doubt(f"The reply has no {name}.")


def published(hit: Mapping[str, Any]) -> Outcome:
    if not hit.get("HITId"):
        return Doubt("The reply names no HIT.")
    expires = hit.get("Expiration")
    told = expires.isoformat() if isinstance(expires, datetime) else ""
    return Done({"outside": hit["HITId"], "expires_at": told})
