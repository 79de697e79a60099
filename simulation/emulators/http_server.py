"""HTTP for an emulator: a request, a reply, a page that says what it is, and a threaded loopback server."""

import html
import json
import socket
import sqlite3
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.1"
BODY_LIMIT = 8 * 1024 * 1024


class Request(NamedTuple):
    """What a client sent. `path` has no query; `headers` have lower-case names."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON. Raises ValueError."""
        return json.loads(self.body.decode("utf-8"))

    def form(self) -> dict[str, list[str]]:
        """The body as a form's fields, in their order. Raises ValueError."""
        return parse_qs(self.body.decode("utf-8"), keep_blank_values=True)

    def one(self, name: str) -> str:
        """The first value of a parameter of the query; "" if there is none."""
        return self.query.get(name, [""])[0]

    @property
    def origin(self) -> str:
        """The origin under which the client knows this server: it may be 127.0.0.1 or localhost."""
        return f"http://{self.headers.get('host', LOOPBACK)}"

    @property
    def wants_json(self) -> bool:
        """Whether the client is a program, such as a simulated worker, and not a browser."""
        return "application/json" in self.headers.get("accept", "")


class EmulatedReply(NamedTuple):
    """What to send back."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def as_json(what: object, status: int = 200, kind: str = "application/json", **headers: str) -> EmulatedReply:
    """A reply that holds JSON."""
    return EmulatedReply(status, json.dumps(what).encode(), {"Content-Type": kind, **headers})


def see(address: str) -> EmulatedReply:
    """Send a browser elsewhere after a form."""
    return EmulatedReply(303, b"", {"Location": address})


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
:root {{ color-scheme: light dark }} body {{ font: 16px/1.5 system-ui, sans-serif; margin: 0 }}
header, main {{ padding: 8px 16px }} header {{ border-bottom: 2px solid; font-weight: 600 }}
iframe {{ width: 100%; height: 80vh; border: 1px solid }}
form {{ display: inline-block; margin: 4px 8px 4px 0 }}
table {{ border-collapse: collapse }}
h1 {{ overflow-wrap: anywhere }}
td, th {{ padding: 4px 12px 4px 0; text-align: left; overflow-wrap: break-word }}
</style></head><body><header>{who}: no real marketplace, no real money.</header>
<main><h1>{title}</h1>{body}</main></body></html>"""


def as_page(who: str, title: str, body: str, status: int = 200, **headers: str) -> EmulatedReply:
    """A page in HTML, which says first that it is an emulator's. `body` is HTML; the rest is text."""
    text = PAGE.format(who=html.escape(who), title=html.escape(title), body=body)
    return EmulatedReply(status, text.encode(), {"Content-Type": "text/html; charset=utf-8", **headers})


def button(action: str, label: str, **fields: str) -> str:
    """A form of one button, in HTML."""
    hidden = "".join(
        f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
        for name, value in fields.items()
    )
    return (
        f'<form method="post" action="{html.escape(action)}">{hidden}'
        f"<button>{html.escape(label)}</button></form>"
    )


def server(port: int, name: str, handle: Callable[[Request], EmulatedReply | None]) -> ThreadingHTTPServer:
    """An HTTP/1.1 server on a port of the loopback address; `handle` answers, or None hangs up."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body leave in two writes

        def version_string(self) -> str:
            return name

        def log_message(self, *_: Any) -> None:
            """Nothing: the log is in the state, and addresses hold the ids of workers."""

        def respond(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            if length > BODY_LIMIT:
                self.send_error(413)
                self.close_connection = True
                return
            request = Request(
                self.command,
                parts.path,
                parse_qs(parts.query, keep_blank_values=True),
                {key.lower(): value for key, value in self.headers.items()},
                self.rfile.read(length),
            )
            try:
                reply = handle(request)
            except (ValueError, KeyError, TypeError, sqlite3.Error) as problem:
                reply = as_json({"error": str(problem)}, 400)
            if reply is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(reply.status)
            for key, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = respond  # noqa: N815

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            """Nothing: a client that hangs up is no news."""

    return Server((LOOPBACK, port), Handler)
