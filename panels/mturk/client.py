"""Client of Mechanical Turk's API: boto3 for one environment, and the meaning of its errors.

The only file that imports boto3. Which environment is spoken to is never left to boto3: it would take the
real one by default, and any other that the environment's variables name.
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
    """A reply without what it has to hold: cut short on its way, or not the service's."""


# What calls of the client raise.
ERRORS = (ClientError, BotoCoreError, BadRequest, TurkUnreadable)
# Nothing was sent.
UNSENT = (ConnectTimeoutError, EndpointConnectionError, ProxyConnectionError)
WITHOUT_KEYS = (NoCredentialsError, PartialCredentialsError, InvalidEndpointConfigurationError)
# Words in codes and messages. Asked too often: nothing was done.
TOO_OFTEN = ("throttl", "too many requests", "toomanyrequests", "rate exceeded", "requestlimitexceeded")
BROKEN = ("servicefault", "serviceunavailable", "internalfailure", "internalerror")
WITHOUT_MONEY = ("insufficientfunds", "insufficient funds", "not enough funds")
# Codes for which no request of this account is served; the last two are a page in place of an answer.
CLOSED = (
    "accessdenied", "accessdeniedexception", "unrecognizedclientexception", "invalidsignatureexception",
    "signaturedoesnotmatch", "invalidclienttokenid", "expiredtoken", "expiredtokenexception",
    "optinrequired", "403", "410",
)  # fmt: skip


def client(environment: str, *, once: bool) -> Any:
    """A client for one environment. once: for calls that create or pay, which are never repeated silently:
    each attempt is one that we have stored. Reads are repeated up to five times.
    """
    keys = ("emulator", "emulator")
    if environment != "emulator":
        keys = (settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY)
    if not all(keys):
        # boto3 would look for others: in files, in the environment, at the machine's host.
        raise NoCredentialsError
    with _making:
        return _made(endpoint(environment), once, *keys, os.getpid())


_making = threading.Lock()  # clients may be shared by threads, and are made one at a time


@lru_cache(maxsize=8)
def _made(address: str, once: bool, key: str, secret: str, process: int) -> Any:
    """A client, made once for a process: it reads the whole service model. The keys are always given, since
    boto3 else asks around for some.
    """
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
    """Called by boto3 with each request before it is sent. Raises BadRequest."""
    limits.check(params)


def _whole(http_response: Any, model: Any, **_: Any) -> None:
    """Called by boto3 with each reply: a success that is cut short, or a page of something between us and the
    service, is no answer, though boto3 takes it for one. Raises Unreadable.
    """
    if http_response.status_code < 300 and http_response.content:
        try:
            json.loads(http_response.content)
        except ValueError:
            raise TurkUnreadable(f"The reply to {model.name} is not whole.") from None


def rows(reads: Any, operation: str, member: str, **asked: Any) -> Iterator[dict[str, Any]]:
    """All rows of a list, to the last page. Raises Unreadable for a page without them: the list would seem
    to be shorter than it is.
    """
    for page in reads.get_paginator(operation).paginate(**asked, PaginationConfig={"PageSize": 100}):
        if not isinstance(page.get(member), list):
            raise TurkUnreadable(f"A page of {operation} has no {member}.")
        yield from page[member]


def message_of(error: ClientError) -> str:
    """What an error says, whichever of its members holds it."""
    response: Mapping[str, Any] = error.response
    return str(response.get("Message") or response.get("Error", {}).get("Message") or error)


def code_of(error: ClientError) -> str:
    """An error's code in lower case: Mechanical Turk's own where there is one."""
    response: Mapping[str, Any] = error.response
    return str(response.get("TurkErrorCode") or response.get("Error", {}).get("Code", "")).lower()


def says(error: ClientError, *words: str) -> bool:
    """Whether an error's code or message has one of these words, in whatever case."""
    said = f"{code_of(error)} {message_of(error)}".lower()
    return any(word.lower() in said for word in words)


def outcome_of(error: Exception) -> Outcome:
    """What an error means for the call that got it."""
    if isinstance(error, (ParamValidationError, BadRequest)):
        return Refused(f"The request is not valid, and was not sent: {error}")
    if isinstance(error, WITHOUT_KEYS):
        return Refused(f"Nothing was sent, for want of keys or an address: {error}", closes=True)
    if isinstance(error, UNSENT):
        return Later("Mechanical Turk could not be reached.")
    if not isinstance(error, ClientError):
        # A connection that broke, a reply that made no sense: the request may have been carried out.
        return Doubt(f"{type(error).__name__}: {error}")
    message = message_of(error)
    if says(error, *TOO_OFTEN):
        return Later(message)
    if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500 or says(error, *BROKEN):
        return Doubt(message)
    code = code_of(error).rpartition(".")[2]
    if code.isdecimal() and code not in CLOSED:
        # No code of the service's own: the reply was cut short, and what it said is not known.
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
