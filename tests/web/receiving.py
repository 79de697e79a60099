"""Receiving notices in tests: a real web server that keeps what is posted to it, and who watches what."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.cache import cache

from collection.models import Watch
from tests.judging.organizing import account
from web.alerts import notifications


class Receiver:
    """A web server that keeps what is posted to it. status: what it answers next, else 204."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status: list[int] = []
        self.location = ""
        self.url = ""

    @property
    def bodies(self) -> list[dict]:
        return [json.loads(body) for _, body in self.got]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.got.append((dict(self.headers), body))
            self.send_response(found.status.pop(0) if found.status else 204)
            if found.location:
                self.send_header("Location", found.location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/hook?a=b"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def to_this_machine(settings):
    cache.clear()
    settings.WEBHOOKS_TO_PRIVATE = True
    settings.PUBLIC_URL = "https://judging.example.org"


def bobs(study, **wanted) -> Watch:
    given = dict.fromkeys(("topics", "stalls", "challenges", "finished", "money", "mail"), False)
    return notifications.watch(study, account("bob").pk, **({"webhook": ""} | given | wanted))
