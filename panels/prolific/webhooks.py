"""Webhooks of Prolific: which requests are Prolific's, and which campaigns an event is of.

Facts: https://docs.prolific.com/api-reference/webhooks/verifying and .../receiving. An event says only that
something changed; what it is, is read from Prolific's lists, so that an event that comes twice, late, or not
at all changes nothing.
"""

import hashlib
import hmac
import json
from base64 import b64encode
from collections.abc import Iterable

from django.conf import settings

from panels.models import Campaign, Entry

EVENTS = ("submission.status.change", "study.status.change")
# Seconds that an event's time may differ from ours: an old one was recorded by somebody and sent again.
TOLERANCE = 300


def is_signed(body: bytes, timestamp: str, signature: str, now: float) -> bool:
    """Return True if a request was signed with the workspace's secret, and lately.

    timestamp, now: seconds since the epoch.
    """
    secret = str(settings.PROLIFIC_WEBHOOK_SECRET).strip()
    if not secret or not timestamp.isdecimal() or abs(now - int(timestamp)) > TOLERANCE:
        return False
    signed = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(b64encode(signed), signature.encode())


def campaigns_of(body: bytes) -> list[int]:
    """Return the campaigns that an event may be of: ids of open ones.

    Of a submission that is not known here yet, all are. Raises ValueError for no event.
    """
    event = json.loads(body)
    if not isinstance(event, dict):
        raise ValueError("an event is an object")
    return list(_of_event(str(event.get("event_type")), str(event.get("resource_id"))))


def _of_event(kind: str, resource: str) -> Iterable[int]:
    closed = (Campaign.State.DRAFT, Campaign.State.CLOSED)
    campaigns = Campaign.objects.filter(panel="prolific").exclude(state__in=closed).order_by("pk")
    if kind.startswith("study."):
        return campaigns.filter(outside=resource).values_list("pk", flat=True)
    if not kind.startswith("submission."):
        return []
    known = Entry.objects.filter(panel="prolific", outside=resource).values("campaign")
    return (campaigns.filter(pk__in=known) if known.exists() else campaigns).values_list("pk", flat=True)
