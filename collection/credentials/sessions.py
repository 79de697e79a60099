"""Open sessions of an account: in which browsers it is logged in, since when, and ending them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

# What a session remembers of its login.
SINCE, BROWSER = "logged_in_at", "browser"
# Words of a User-Agent that tell a browser and a system: the first that fits, as most name others too.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
SYSTEMS = ("Windows", "Android", "iPhone", "iPad", "Mac", "Linux")


class OpenSession(NamedTuple):
    """A login that still holds. browser, since: "" and None of one that began before these were kept."""

    browser: str
    since: datetime | None
    own: bool


def remember(session: Any, agent: str) -> None:
    """Note in a session that has just begun when and in which browser that was."""
    session[SINCE], session[BROWSER] = timezone.now().isoformat(), browser_of(agent)


def browser_of(agent: str) -> str:
    """Name the browser and the system that a User-Agent tells of, in words; "" if it tells neither."""
    browser = next((name for word, name in BROWSERS.items() if word in agent), "")
    system = next((name for name in SYSTEMS if name in agent), "")
    return " on ".join(filter(None, [browser, system]))


def sessions_of(account: User, own: str | None) -> list[OpenSession]:
    """Return the open sessions of an account, that with the key `own` first; all sessions are read."""
    valid = account.get_session_auth_hash()
    found = []
    for session in _rows(account):
        told = session.get_decoded()
        # Those that began with an earlier password hold no more.
        if told.get(HASH_SESSION_KEY) == valid:
            since = datetime.fromisoformat(told[SINCE]) if SINCE in told else None
            found.append(OpenSession(told.get(BROWSER, ""), since, session.session_key == own))
    return sorted(found, key=lambda one: (not one.own, -one.since.timestamp() if one.since else 0))


def end(account: User, but: str | None = None) -> int:
    """End the sessions of an account, but for the one with this key; return how many."""
    ended = [session.delete() for session in _rows(account) if session.session_key != but]
    return len(ended)


def _rows(account: User) -> Iterator[Session]:
    for session in Session.objects.filter(expire_date__gte=timezone.now()).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(account.pk):
            yield session
