"""Webhooks of Prolific: which requests are Prolific's, and which campaigns an event wakes.

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

from config.task_queue import nudge_at_most_every
from panels.models import Campaign, Entry

EVENTS = ("submission.status.change", "study.status.change")
# Seconds that an event's time may differ from ours: an old one was recorded by somebody and sent again.
TOLERANCE = 300
# Seconds between two readings of a campaign's list, however many events come.
PAUSE_SECONDS = 5.0


def is_signed(body: bytes, timestamp: str, signature: str, now: float) -> bool:
    """Return True if a request was signed with the workspace's secret, and lately.

    timestamp, now: seconds since the epoch.
    """
    secret = str(settings.PROLIFIC_WEBHOOK_SECRET).strip()
    if not secret or not timestamp.isdecimal() or abs(now - int(timestamp)) > TOLERANCE:
        return False
    signed = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(b64encode(signed), signature.encode())


def wake(body: bytes) -> int:
    """Have the campaigns of an event compared with Prolific's lists soon; return how many.

    Of a submission that is not known here yet, all open campaigns are. Raises ValueError for no event.
    """
    from panels import jobs

    event = json.loads(body)
    if not isinstance(event, dict):
        raise ValueError("an event is an object")
    found = list(_of_event(str(event.get("event_type")), str(event.get("resource_id"))))
    for pk in found:
        nudge_at_most_every(PAUSE_SECONDS, jobs.collect_now, pk)
    return len(found)


def _of_event(kind: str, resource: str) -> Iterable[int]:
    closed = (Campaign.State.DRAFT, Campaign.State.CLOSED)
    campaigns = Campaign.objects.filter(panel="prolific").exclude(state__in=closed).order_by("pk")
    if kind.startswith("study."):
        return campaigns.filter(outside=resource).values_list("pk", flat=True)
    if not kind.startswith("submission."):
        return []
    known = Entry.objects.filter(panel="prolific", outside=resource).values("campaign")
    return (campaigns.filter(pk__in=known) if known.exists() else campaigns).values_list("pk", flat=True)
