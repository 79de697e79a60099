"""Client of Mechanical Turk's API: boto3 for one environment, and how its errors are interpreted.

The only file that imports boto3. The endpoint is always given to boto3: by default it would use production,
or any endpoint that environment variables name.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    InvalidEndpointConfigurationError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProxyConnectionError,
)
from django.conf import settings

from panels.base import Doubt, Later, Outcome, Refused
from panels.mturk import limits
from panels.mturk.environments import ENDPOINTS, REGION, endpoint
from panels.mturk.limits import BadRequest

__all__ = ["ENDPOINTS", "ERRORS", "ClientError", "client", "code_of", "message_of", "outcome_of", "says"]


class TurkUnreadable(Exception):
    """A response without the required content: truncated, or not from the service."""


# What calls of the client raise.
ERRORS = (ClientError, BotoCoreError, BadRequest, TurkUnreadable)
# Nothing was sent.
UNSENT = (ConnectTimeoutError, EndpointConnectionError, ProxyConnectionError)
WITHOUT_KEYS = (NoCredentialsError, PartialCredentialsError, InvalidEndpointConfigurationError)
# Words in codes and messages. TOO_OFTEN: rate limited, nothing was done.
TOO_OFTEN = ("throttl", "too many requests", "toomanyrequests", "rate exceeded", "requestlimitexceeded")
BROKEN = ("servicefault", "serviceunavailable", "internalfailure", "internalerror")
WITHOUT_MONEY = ("insufficientfunds", "insufficient funds", "not enough funds")
# Codes that mean that the service refuses this account. The last two are the HTTP status of an HTML page.
CLOSED = (
    "accessdenied", "accessdeniedexception", "unrecognizedclientexception", "invalidsignatureexception",
    "signaturedoesnotmatch", "invalidclienttokenid", "expiredtoken", "expiredtokenexception",
    "optinrequired", "403", "410",
)  # fmt: skip


def client(environment: str, *, once: bool) -> Any:
    """Return a boto3 client for one environment.

    once: for calls that create or pay. They are never retried silently, because each attempt has to be stored
    first. Reads are tried up to five times.
    """
    keys = ("emulator", "emulator")
    if environment != "emulator":
        keys = (settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY)
    if not all(keys):
        # boto3 would look for other keys: in files, environment variables and the host's metadata service.
        raise NoCredentialsError
    with _making:
        return _made(endpoint(environment), once, *keys, os.getpid())


_making = threading.Lock()  # threads may share a client, but must create clients one at a time


@lru_cache(maxsize=8)
def _made(address: str, once: bool, key: str, secret: str, process: int) -> Any:
    """Create a client, once in each process because it reads the whole service model; always with keys."""
    made = boto3.client(
        "mturk",
        region_name=REGION,
        endpoint_url=address,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": 1 if once else 5},
            connect_timeout=5,
            read_timeout=20,
            ignore_configured_endpoint_urls=True,
        ),
    )
    if made.meta.endpoint_url.rstrip("/") != address:
        raise AssertionError(f"boto3 speaks to {made.meta.endpoint_url} in place of {address}.")
    made.meta.events.register("before-parameter-build.mturk", _check)
    made.meta.events.register("after-call.mturk", _whole)
    return made


def _check(params: Mapping[str, Any], **_: Any) -> None:
    """Check each request before boto3 sends it (an event handler). Raises BadRequest."""
    limits.check(params)


def _whole(http_response: Any, model: Any, **_: Any) -> None:
    """Check that each successful response is complete JSON (an event handler). Raises TurkUnreadable.

    boto3 would accept a truncated response, or the page of a proxy between us and the service.
    """
    if http_response.status_code < 300 and http_response.content:
        try:
            json.loads(http_response.content)
        except ValueError:
            raise TurkUnreadable(f"The reply to {model.name} is not whole.") from None


def rows(reads: Any, operation: str, member: str, **asked: Any) -> Iterator[dict[str, Any]]:
    """Yield all rows of a list, from all pages.

    Raises TurkUnreadable for a page without rows: otherwise the list would seem shorter than it is.
    """
    for page in reads.get_paginator(operation).paginate(**asked, PaginationConfig={"PageSize": 100}):
        if not isinstance(page.get(member), list):
            raise TurkUnreadable(f"A page of {operation} has no {member}.")
        yield from page[member]


def message_of(error: ClientError) -> str:
    """Return the message of an error, from whichever field has it."""
    response: Mapping[str, Any] = error.response
    return str(response.get("Message") or response.get("Error", {}).get("Message") or error)


def code_of(error: ClientError) -> str:
    """Return the code of an error in lower case, preferably Mechanical Turk's own."""
    response: Mapping[str, Any] = error.response
    return str(response.get("TurkErrorCode") or response.get("Error", {}).get("Code", "")).lower()


def says(error: ClientError, *words: str) -> bool:
    """Return True if an error's code or message contains one of these words, ignoring case."""
    said = f"{code_of(error)} {message_of(error)}".lower()
    return any(word.lower() in said for word in words)


def outcome_of(error: Exception) -> Outcome:
    """Return the outcome of a call that raised this error."""
    if isinstance(error, (ParamValidationError, BadRequest)):
        return Refused(f"The request is not valid, and was not sent: {error}")
    if isinstance(error, WITHOUT_KEYS):
        return Refused(f"Nothing was sent, for want of keys or an address: {error}", closes=True)
    if isinstance(error, UNSENT):
        return Later("Mechanical Turk could not be reached.")
    if not isinstance(error, ClientError):
        # A broken connection or an unreadable response: the request may have been carried out.
        return Doubt(f"{type(error).__name__}: {error}")
    message = message_of(error)
    if says(error, *TOO_OFTEN):
        return Later(message)
    if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500 or says(error, *BROKEN):
        return Doubt(message)
    code = code_of(error).rpartition(".")[2]
    if code.isdecimal() and code not in CLOSED:
        # Only an HTTP status and no code of the service: a truncated response, so its meaning is unknown.
        return Doubt(message)
    if says(error, *WITHOUT_MONEY):
        return Refused(f"The account has too little money: {message}", closes=True)
    if code in CLOSED or says(error, "not authorized"):
        return Refused(
            f"Mechanical Turk does not serve this account ({code_of(error)}): {message} It closed to the "
            "public on 30 September 2026.",
            closes=True,
        )
    return Refused(message)
