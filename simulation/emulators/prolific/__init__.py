"""Emulates Prolific: the researcher's REST API, and a site for participants.

What is emulated follows Prolific's published documentation and open-source clients of it; what nobody here
has tried against the real service is a switch (tables.py).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import EmulatedReply, Request, see
from simulation.emulators.prolific import api, groups, hooks, money, site, submissions, tables

__all__ = ["EmulatedProlific", "groups"]


class EmulatedProlific(Emulator):
    """The service; see simulation/emulators/emulator_base.py for what an emulator has to do."""

    title = "Faceoff Prolific emulator"
    schema = tables.SCHEMA
    switches = tables.SWITCHES

    def operation(self, request: Request) -> str:
        if request.path == site.COMPLETE:
            return "complete"
        found = api.found(request)
        return found[0] if found else "site"

    def answer(self, request: Request) -> EmulatedReply:
        if request.method == "GET" and request.path == "/":
            return see(site.ROOT)
        if request.path == site.COMPLETE or request.path.startswith(site.ROOT):
            return site.answer(self, request)
        most = self.switch("rate_limit")
        if most:
            lately = self.rows("SELECT id FROM log WHERE at > ? AND status < 300", self.now - 1)
            if len(lately) >= most:
                return self.failing("throttle")
        return api.answer(self, request)

    def failing(self, fault: str) -> EmulatedReply:
        match fault:
            case "throttle":
                reply = api.error(429, "Too many requests", "Request was throttled.")
                return reply._replace(headers={**reply.headers, "Retry-After": "1"})
            case "503":
                return EmulatedReply(503, b"upstream connect error", {"Content-Type": "text/plain"})
            case "html403":
                page = "<html><body><h1>403 Forbidden</h1></body></html>"
                return EmulatedReply(403, page.encode(), {"Content-Type": "text/html"})
        return api.error(500, "Server error", "Something went wrong.")

    def catch_up(self) -> None:
        submissions.catch_up(self)

    def outgoing(self) -> list[Callable[[], None]]:
        return [partial(hooks.send, *event) for event in hooks.take_events(self)]

    def books(self) -> dict[str, Any]:
        return money.books(self)

    def state(self) -> dict[str, Any]:
        return {name: self.rows(f"SELECT * FROM {name} ORDER BY 1") for name in tables.TABLES}  # noqa: S608
