"""Bodies of requests: how long they say they are, and how long they may be."""

import json
import logging
import math
from typing import Any, NamedTuple


class ClientGone(Exception):
    """The client has closed the connection, or sends or takes nothing any more."""


def is_no_client_gone(record: logging.LogRecord) -> bool:
    """Filter of logs: a client that breaks off is no error of the server's."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClientGone))


class BodyLimit(NamedTuple):
    """How many bytes a body may have, and whether the application reads it piece by piece as it comes."""

    bytes: float
    in_pieces: bool


def length_of(environ: dict[str, Any]) -> float:
    """The length that a request (a WSGI environment) gives its body; infinite where it does not say."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return math.inf
    length = environ.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isascii() and length.isdigit() else math.inf


# Where programs ask: they are told of errors in one shape (RFC 9457).
API = "/api/"
PROBLEM_TYPE = "application/problem+json"


def too_long(path: str, said: str) -> tuple[str, bytes]:
    """How a body that is too long is answered (status 413) at a path: its type, and the content."""
    if not path.startswith(API):
        return "text/plain", f"{said}\n".encode()
    told = {"type": "about:blank", "title": "Content Too Large", "status": 413}
    return PROBLEM_TYPE, json.dumps(told | {"code": "too-large", "detail": said, "problems": []}).encode()
