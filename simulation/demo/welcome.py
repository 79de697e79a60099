"""The welcome of the demonstration: addresses and logins, and whether all of it is there."""

import json
import secrets

from django.conf import settings
from django.contrib.auth.models import User

from collection.models import Study
from simulation.demo import paid
from simulation.demo.studies import PASSAGES, PICTURES, made

RECIPES = {"passages": PASSAGES, "pictures": PICTURES}
NAMES = ("organizer", "coordinator")
SIMULATED = "The paid campaign is done by simulated workers: publish further places, and watch its books."


def logins() -> dict[str, str]:
    """Passwords by name, kept in DATA_DIR so that every start can print them; empty before they are kept."""
    path = settings.DATA_DIR / "demo-logins.json"
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return known


def keep(found: dict[str, str]) -> None:
    """Keep the passwords, once the accounts have them."""
    path = settings.DATA_DIR / "demo-logins.json"
    # Under its name only when it is whole: a start may be cut short.
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(found, indent=1))
    draft.replace(path)


def new_logins() -> dict[str, str]:
    """A new password for each account."""
    return {name: secrets.token_urlsafe(9) for name in NAMES}


def welcome(address: str) -> str:
    """What `make run` prints once it serves; empty where something of the demonstration is missing."""
    known = logins()
    studies = {what: made(recipe) for what, recipe in RECIPES.items()}
    if not known or User.objects.filter(username__in=known).count() < len(known):
        return ""
    passages, pictures = studies["passages"], studies["pictures"]
    if passages is None or pictures is None:
        return ""
    campaign = paid.campaign_of(made(paid.PAID)) if paid.wanted() else None
    if paid.wanted() and campaign is None:
        return ""
    url = address.rstrip("/")
    offered = f"{url}{paid.address_of(campaign)}" if campaign else ""
    return _words(url, known, {"passages": passages, "pictures": pictures}, offered)


def _words(url: str, known: dict[str, str], studies: dict[str, Study], offered: str) -> str:
    lines = [
        f"Faceoff          {url}/",
        *(f"  log in as      {name:<12} password  {password}" for name, password in known.items()),
        # An organizer may have turned an open link off.
        *(
            f"Judge {what}   {url}/join/{study.join_token}/"
            for what, study in studies.items()
            if study.join_token
        ),
        f"Leaderboard      {url}/studies/{studies['passages'].slug}/leaderboard/",
        *([f"Paid campaign    {offered}"] if offered else []),
        "",
        "Open a judging link in one window and the leaderboard in another.",
        *([SIMULATED] if offered else []),
    ]
    return "\n".join(lines)
