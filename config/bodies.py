"""Bodies of requests: how long they say they are, and how long they may be."""

import math
from typing import Any, NamedTuple


class Limit(NamedTuple):
    """How many bytes a body may have, and whether the application reads it piece by piece as it comes."""

    bytes: float
    in_pieces: bool


def length_of(environ: dict[str, Any]) -> float:
    """The length that a request (a WSGI environment) gives its body; infinite where it does not say."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return math.inf
    length = environ.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isascii() and length.isdigit() else math.inf
