"""Emulates Amazon Mechanical Turk: the requester's API for an unmodified boto3, and a site for workers.

The marketplace that it emulates closed in September 2026. What is emulated follows botocore's service model,
the documentation and reports of what the real service did; what nobody has verified is a switch (tables.py).
"""

from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import EmulatedReply, Request, see
from simulation.emulators.mturk import hits, money, qualifications, site, tables, wire, work

__all__ = ["EmulatedTurk", "qualifications"]


class EmulatedTurk(Emulator):
    """The marketplace; see simulation/emulators/emulator_base.py for what an emulator has to do."""

    title = "Faceoff MTurk emulator"
    schema = tables.SCHEMA
    switches = tables.SWITCHES

    def operation(self, request: Request) -> str:
        if request.path == site.SUBMIT:
            return "externalSubmit"
        return wire.target(request) or "site"

    def answer(self, request: Request) -> EmulatedReply:
        if request.path.startswith(site.ROOT):
            return site.answer(self, request)
        if request.method == "GET" and request.path == "/":
            return see(site.ROOT)
        closed = self.switch("closed")
        if closed:
            return self.failing("html403")._replace(status=closed)
        most = self.switch("rate_limit")
        if most:
            lately = self.rows("SELECT id FROM log WHERE at > ? AND status = 200", self.now - 1)
            if len(lately) >= most:
                return self.failing("throttle")
        return wire.answer(self, request)

    def failing(self, fault: str) -> EmulatedReply:
        match fault:
            case "throttle":
                return wire.sent({"__type": "ThrottlingException", "message": "Rate exceeded"}, 400)
            case "503":
                return EmulatedReply(503, b"", {"Content-Type": wire.KIND})
            case "html403":
                text = "<html><body><h1>403 Forbidden</h1></body></html>"
                return EmulatedReply(403, text.encode(), {"Content-Type": "text/html"})
        body = {"__type": "com.amazonaws.mturk.requester#ServiceFault", "Message": "Service fault"}
        return wire.sent({**body, "TurkErrorCode": "AWS.ServiceUnavailable"}, 500)

    def catch_up(self) -> None:
        work.catch_up(self)
        hits.forget(self)

    def books(self) -> dict[str, Any]:
        return money.books(self)

    def state(self) -> dict[str, Any]:
        all_hits = self.rows("SELECT * FROM hit ORDER BY number")
        return {
            "hits": [{**hit, "status": hits.status(self, hit), **hits.counts(self, hit)} for hit in all_hits],
            **{
                name: self.rows(f"SELECT * FROM {table} ORDER BY 1")  # noqa: S608 - names of ours
                for name, table in TABLES.items()
            },
        }


TABLES = {
    "hit_types": "hit_type",
    "assignments": "assignment",
    "events": "event",
    "bonuses": "bonus",
    "postings": "posting",
    "qualification_types": "qualification_type",
    "qualifications": "qualification",
}
