"""Names by which studies and groups are found again at Prolific; completion codes and URLs."""

import secrets
from decimal import Decimal
from hashlib import sha256
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from panels.calls.effects import key_of
from panels.models import Call, Campaign

# Outcomes of a participation -> Prolific's type of its code; both look the same, and both are paid.
CODES = {"completed": "COMPLETED", "failed": "OTHER"}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without letters and digits that look alike


def annotation(call: Call) -> str:
    """Return the internal name of a call's study, by which it is found again: the call's key."""
    return call.key.replace(":", "-").replace("#", "-again-")


def prefix(campaign: Campaign) -> str:
    """Return the common prefix of the internal names of a campaign's studies, and of no other campaign's."""
    return key_of(campaign, "").replace(":", "-")


def group_name(campaign: Campaign) -> str:
    """Return the name of the participant group of a study's excluded people."""
    # Not the seed itself: with it, all random draws of the study could be predicted.
    own = sha256(f"excluded:{campaign.study.seed}".encode()).hexdigest()[:12]
    return f"Faceoff {campaign.study.slug} {own}"


def address(campaign: Campaign) -> str:
    """Return a campaign's link, with the placeholders that Prolific fills in."""
    base = settings.PUBLIC_URL.rstrip("/") + reverse("enter", args=[campaign.token])
    given = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    return f"{base}?{given}"


def new_codes() -> dict[str, str]:
    """Create random completion codes, one for each outcome."""
    return {outcome: "".join(secrets.choice(LETTERS) for _ in range(10)) for outcome in CODES}


def is_emulated() -> bool:
    """Return True if PROLIFIC_URL is on this machine: a rehearsal, without real people and money."""
    return urlsplit(str(settings.PROLIFIC_URL)).hostname in LOOPBACK


def site() -> str:
    """Return the URL of the site to which participants return."""
    if settings.PROLIFIC_SITE:
        return str(settings.PROLIFIC_SITE).rstrip("/")
    if is_emulated():
        parts = urlsplit(str(settings.PROLIFIC_URL))
        return f"{parts.scheme}://{parts.netloc}"
    return "https://app.prolific.com"


def minor(amount: Decimal) -> int:
    """Convert an amount to the minor unit of its currency, as the API takes it."""
    return int(amount * 100)
