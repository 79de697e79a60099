"""Names of studies and groups at Prolific, for finding them again; completion codes and addresses."""

import secrets
from decimal import Decimal
from hashlib import sha256
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from panels.calls.effects import key_of
from panels.models import Call, Campaign

# What a taking part can end with, each with a code of its own; both look the same, and both are paid.
CODES = {"completed": "COMPLETED", "failed": "OTHER"}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # nothing that looks like something else


def annotation(call: Call) -> str:
    """Internal name of a study at Prolific: the call's key, to find it again."""
    return call.key.replace(":", "-").replace("#", "-again-")


def prefix(campaign: Campaign) -> str:
    """Prefix of the internal names of all studies of a campaign, and of no other campaign."""
    return key_of(campaign, "").replace(":", "-")


def group_name(campaign: Campaign) -> str:
    """The name of the participant group of those who are excluded from a study of ours."""
    # Not the seed itself: anyone who knows it knows what is drawn from it.
    own = sha256(f"excluded:{campaign.study.seed}".encode()).hexdigest()[:12]
    return f"Faceoff {campaign.study.slug} {own}"


def address(campaign: Campaign) -> str:
    """The address of a campaign with Prolific's placeholders, which it fills in."""
    base = settings.PUBLIC_URL.rstrip("/") + reverse("enter", args=[campaign.token])
    given = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    return f"{base}?{given}"


def new_codes() -> dict[str, str]:
    """New random codes, one for each outcome."""
    return {outcome: "".join(secrets.choice(LETTERS) for _ in range(10)) for outcome in CODES}


def is_emulated() -> bool:
    """Whether PROLIFIC_URL names this machine: a rehearsal, without real people and money."""
    return urlsplit(str(settings.PROLIFIC_URL)).hostname in LOOPBACK


def site() -> str:
    """The site to which participants go back."""
    if settings.PROLIFIC_SITE:
        return str(settings.PROLIFIC_SITE).rstrip("/")
    if is_emulated():
        parts = urlsplit(str(settings.PROLIFIC_URL))
        return f"{parts.scheme}://{parts.netloc}"
    return "https://app.prolific.com"


def minor(amount: Decimal) -> int:
    """An amount in the minor unit of its currency, as the API takes it."""
    return int(amount * 100)
