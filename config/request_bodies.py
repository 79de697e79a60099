"""Request bodies: declared length, and limits."""

import json
import logging
import math
from typing import Any, NamedTuple


class ClientGone(Exception):
    """The client closed the connection, or stopped sending or receiving."""


def is_no_client_gone(record: logging.LogRecord) -> bool:
    """Logging filter: a client that disconnects is not a server error."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClientGone))


class BodyLimit(NamedTuple):
    """Maximum bytes of a body, and whether the application reads it in pieces as it arrives."""

    bytes: float
    in_pieces: bool


def length_of(environ: dict[str, Any]) -> float:
    """The declared body length of a WSGI environment; infinite without one."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return math.inf
    length = environ.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isascii() and length.isdigit() else math.inf


# Where programs ask: they are told of errors in one shape (RFC 9457).
API = "/api/"
PROBLEM_TYPE = "application/problem+json"


def too_long(path: str, said: str) -> tuple[str, bytes]:
    """The 413 response at a path: its content type and content."""
    if not path.startswith(API):
        return "text/plain", f"{said}\n".encode()
    told = {"type": "about:blank", "title": "Content Too Large", "status": 413}
    return PROBLEM_TYPE, json.dumps(told | {"code": "too-large", "detail": said, "problems": []}).encode()
