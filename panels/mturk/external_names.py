"""Names by which HITs, calls, bonuses and qualifications are found again at Mechanical Turk."""

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
    """Return the URL of a place, as a HIT shows it in its frame."""
    return settings.PUBLIC_URL.rstrip("/") + reverse("enter", args=[place.token])


def annotation(call: Call) -> str:
    """Return the annotation of a call's HIT, by which it is found again: the call's key."""
    return call.key.replace(":", "-").replace("#", "-again-")[:255]


def prefix(campaign: Campaign) -> str:
    """Return the common prefix of the annotations of all HITs of a campaign, and of no other campaign's."""
    return key_of(campaign, "").replace(":", "-")


def token(call: Call) -> str:
    """Return the idempotency token of a call: the key, or its hash if the key is too long."""
    named = annotation(call)
    return named if len(named) <= TOKEN_LENGTH else sha256(named.encode()).hexdigest()


def reference(call: Call) -> str:
    """Return the reference in a bonus's reason, by which it is found again."""
    payment = call.payment
    return sha256(f"{payment.key if payment else ''}".encode()).hexdigest()[:12]


def excluded_name(campaign: Campaign) -> str:
    """Return the name of the qualification that a study's excluded workers have."""
    # Not the seed itself: with it, all random draws of the study could be predicted.
    own = sha256(f"excluded:{campaign.study.seed}".encode()).hexdigest()[:12]
    return f"Faceoff {campaign.study.slug} {own}"


def named(answer: Mapping[str, Any], member: str, name: str, kept: str) -> Outcome:
    """Return the id of what was created, as an outcome; Doubt if the response does not contain it."""
    made = (answer.get(member) or {}).get(name)
    return Done({kept: made}) if made else Doubt(f"The reply has no {name}.")


def published(hit: Mapping[str, Any]) -> Outcome:
    if not hit.get("HITId"):
        return Doubt("The reply names no HIT.")
    expires = hit.get("Expiration")
    told = expires.isoformat() if isinstance(expires, datetime) else ""
    return Done({"outside": hit["HITId"], "expires_at": told})
