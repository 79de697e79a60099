"""The REST API of the Prolific emulator: addresses, authorization, errors, and pages of a list."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from simulation.emulators.emulator_base import Emulator, Refusal
from simulation.emulators.http_server import EmulatedReply, Request, as_json

ROOT = "/api/v1"
ID = "([0-9a-f]{24})"
Answer = Callable[..., Any]
# (method, address) -> the operation's name and what answers it.
OPERATIONS: list[tuple[str, re.Pattern[str], str, Answer]] = []


def operation(method: str, address: str) -> Callable[[Answer], Answer]:
    """Decorator: the function answers requests to an address, in which ID stands for an id.

    It is called with the emulator, the request and the ids, and returns JSON, or (JSON, status).
    """
    pattern = re.compile(ROOT + address.replace("ID", ID))

    def add(function: Answer) -> Answer:
        OPERATIONS.append((method, pattern, function.__name__, function))
        return function

    return add


def found(request: Request) -> tuple[str, Answer, tuple[str, ...]] | None:
    """The operation that a request asks for, what answers it, and the ids in its address."""
    for method, pattern, name, function in OPERATIONS:
        match = pattern.fullmatch(request.path)
        if match and method == request.method:
            return name, function, match.groups()
    return None


def answer(m: Emulator, request: Request) -> EmulatedReply:
    """Answer a request to the API."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme != "Token" or not token.strip():
        return error(401, "Authentication failed", "Authentication credentials were not provided.")
    asked = found(request)
    if asked is None:
        return error(404, "Not found", "There is nothing at this address.")
    said = asked[1](m, request, *asked[2])
    if isinstance(said, EmulatedReply):
        return said
    body, status = said if isinstance(said, tuple) else (said, 200)
    return EmulatedReply(status, b"", {}) if body is None else as_json(body, status)


def error(status: int, title: str, detail: Any) -> EmulatedReply:
    """An error as Prolific words them."""
    told = {"status": status, "error_code": 140000 + status, "title": title, "detail": detail}
    extra = {"additional_information": "/api/v1/errors/", "traceback": None, "interactive": False}
    return as_json({"error": told | extra}, status)


def refuse(status: int, title: str, detail: Any) -> Refusal:
    """The exception that answers with an error."""
    return Refusal(error(status, title, detail))


def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that was sent. Raises Refusal."""
    try:
        given = request.json()
    except ValueError:
        raise refuse(400, "Bad request", "JSON parse error") from None
    if not isinstance(given, dict):
        raise refuse(400, "Bad request", "Invalid data. Expected a dictionary.")
    return given


def listed(m: Emulator, request: Request, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A page of a list, with the address of the next one."""
    size = max(1, min(1000, int(request.one("limit") or request.one("page_size") or m.switch("page_size"))))
    number = max(1, int(request.one("page") or 1))
    begin = (number - 1) * size
    last = max(1, -(-len(rows) // size))

    def link(to: int | None, title: str) -> dict[str, Any]:
        if to is None:
            return {"href": None, "title": title}
        query = {name: values[0] for name, values in request.query.items()} | {"page": str(to)}
        return {"href": f"{request.origin}{request.path}?{urlencode(query)}", "title": title}

    return {
        "results": list(rows[begin : begin + size]),
        "_links": {
            "self": link(number, "Current"),
            "next": link(number + 1 if number < last else None, "Next"),
            "previous": link(number - 1 if number > 1 else None, "Previous"),
            "last": link(last, "Last"),
        },
        "meta": {"count": len(rows)},
    }


def when(seconds: float | None) -> str | None:
    """A time as the API writes it."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
