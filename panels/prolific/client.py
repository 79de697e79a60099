"""Client of Prolific's API: single requests without retries, and how errors are interpreted.

The only file that imports httpx.
"""

import atexit
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings

from panels.base import Doubt, Later, Outcome, Refused, Unavailable
from panels.prolific.external_names import is_emulated

A_PAGE = 100
# Nothing was sent.
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
WITHOUT_MONEY = ("enough funds", "insufficient", "not enough balance")


class CallFailed(Exception):
    """Prolific returned an error: the status, its message, and the seconds to wait before a retry."""

    def __init__(self, status: int, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.message, self.wait = status, message, wait


class ProlificUnreadable(Exception):
    """A response without the required content: truncated, or not from the service."""


class NotAllowed(Exception):
    """The settings do not allow requests; the message says what to do."""


# What `ask` and `rows` raise.
ERRORS = (CallFailed, ProlificUnreadable, NotAllowed, httpx.HTTPError)


def root() -> str:
    """Return the base URL of the API, without a final slash."""
    return str(settings.PROLIFIC_URL).rstrip("/")


@lru_cache(maxsize=2)
def _client(process: int) -> httpx.Client:
    # Threads may share it. It uses the machine's proxies and certificates.
    made = httpx.Client(timeout=httpx.Timeout(20.0, connect=5.0), follow_redirects=False)
    atexit.register(made.close)
    return made


def ask(method: str, path: str, body: Mapping[str, Any] | None = None, **query: str) -> dict[str, Any]:
    """Make one request; return the JSON object of the response, {} if it is empty or a sentence.

    Raises one of ERRORS.
    """
    return _asked(method, root() + path, body, query)


def ask_with_header(
    method: str, path: str, body: Mapping[str, Any], header: str
) -> tuple[dict[str, Any], str]:
    """Make one request as `ask`; return the object and a header of the response. Raises one of ERRORS."""
    reply = _reply(method, root() + path, body, {})
    return _object(reply, method, path), reply.headers.get(header, "")


def _asked(
    method: str, address: str, body: Mapping[str, Any] | None, query: Mapping[str, str]
) -> dict[str, Any]:
    return _object(_reply(method, address, body, query), method, urlsplit(address).path)


def _reply(
    method: str, address: str, body: Mapping[str, Any] | None, query: Mapping[str, str]
) -> httpx.Response:
    token = str(settings.PROLIFIC_TOKEN).strip() or ("emulator" if is_emulated() else "")
    if not token:
        raise NotAllowed("Set PROLIFIC_TOKEN to the token of the researcher's account.")
    reply = _client(os.getpid()).request(
        method,
        address,
        json=body,
        params=query or None,
        headers={"Authorization": f"Token {token}", "Accept": "application/json"},
    )
    if not reply.is_success:
        raise CallFailed(reply.status_code, _said(reply), _wait(reply))
    return reply


def _object(reply: httpx.Response, method: str, path: str) -> dict[str, Any]:
    if not reply.content.strip():
        return {}
    try:
        found = reply.json()
    except ValueError as error:
        raise ProlificUnreadable(f"The reply to {method} {path} is not whole.") from error
    if isinstance(found, str):
        return {}
    if not isinstance(found, dict):
        raise ProlificUnreadable(f"The reply to {method} {path} is no object.")
    return found


def _said(reply: httpx.Response) -> str:
    """Return the message of an error response: title and detail, or the start of the page."""
    try:
        error = reply.json()["error"]
        return f"{error.get('title', '')}: {error.get('detail', '')}"[:400]
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{reply.status_code} {' '.join(reply.text.split())[:200]}"


def _wait(reply: httpx.Response) -> float:
    given = reply.headers.get("Retry-After", "")
    return float(given) if given.isdecimal() else 0.0


def rows(path: str, **query: str) -> Iterator[dict[str, Any]]:
    """Yield all rows of a list, from all pages.

    Raises one of ERRORS, also if there are fewer rows than the list's own count: it would seem shorter than
    it is.
    """
    page = _asked("GET", root() + path, None, {**query, "limit": str(A_PAGE)})
    seen = 0
    while True:
        found = page.get("results")
        if not isinstance(found, list):
            raise ProlificUnreadable(f"A page of {path} has no results.")
        seen += len(found)
        yield from found
        following = ((page.get("_links") or {}).get("next") or {}).get("href")
        if not following:
            break
        if urlsplit(following).netloc.rpartition(":")[0] != urlsplit(root()).netloc.rpartition(":")[0]:
            raise ProlificUnreadable(
                f"The list {path} goes on at another server."
            )  # which would get the token
        page = _asked("GET", following, None, {})
    count = (page.get("meta") or {}).get("count")
    if isinstance(count, int) and seen < count:
        raise ProlificUnreadable(f"The list {path} has {count} rows and ended after {seen}.")


def outcome_of(error: Exception) -> Outcome:
    """Return the outcome of a call that raised this error."""
    if isinstance(error, NotAllowed):
        return Refused(f"Nothing was sent: {error}", closes=True)
    if isinstance(error, UNSENT):
        return Later("Prolific could not be reached.")
    if not isinstance(error, CallFailed):
        # A broken connection or an unreadable response: the request may have been carried out.
        return Doubt(f"{type(error).__name__}: {error}")
    if error.status == 429:
        return Later(error.message, error.wait)
    if error.status >= 500 or error.status < 400:
        return Doubt(error.message)
    if any(words in error.message.lower() for words in WITHOUT_MONEY):
        return Refused(f"The account has too little money. {error.message}", closes=True)
    if error.status in (401, 403):
        return Refused(f"Prolific does not serve this token. {error.message}", closes=True)
    return Refused(error.message)


def unavailable(error: Exception) -> Unavailable:
    """Convert a client error to Unavailable."""
    said = outcome_of(error)
    message = said.message if not hasattr(said, "answer") else str(error)
    return Unavailable(message, permanent=isinstance(said, Refused) and said.closes)
