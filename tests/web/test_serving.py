"""The HTTP server: slow and broken clients hold no thread, and every kind of body comes and goes whole.

A server of its own with one thread, a small WSGI application behind it, and clients on bare sockets.
"""

import contextlib
import io
import logging
import socket
import threading
from collections.abc import Iterable, Iterator
from http.client import HTTPConnection
from itertools import count
from wsgiref.util import FileWrapper

import pytest
import uvicorn

from config import http_server
from config.http_server import ClientConnection, Door
from config.request_bodies import BodyLimit, ClientGone
from tests.servers import free_port

MOST = 100_000
SLOW_CLIENTS = 40


class Streamed:
    """A reply that is written piece by piece, as Django's streaming responses are."""

    streaming = True

    def __init__(self) -> None:
        self.closed = threading.Event()
        self.lines: Iterable[int] = range(100_000)

    def __iter__(self) -> Iterator[bytes]:
        for number in self.lines:
            yield b"%06d\n" % number

    def close(self) -> None:
        self.closed.set()


class Application:
    """Answers with what it was sent; /pieces reads as it comes, /stream and /file reply so."""

    def __init__(self) -> None:
        self.seen: list[dict] = []
        self.began, self.ended = threading.Event(), threading.Event()
        self.gone = 0
        self.streamed = Streamed()
        self.file = io.BytesIO()

    def limit_of(self, path: str) -> BodyLimit:
        return BodyLimit(10**9, in_pieces=True) if path == "/pieces" else BodyLimit(MOST, in_pieces=False)

    def __call__(self, environ, start_response):
        self.seen.append(environ)
        start_response("200 OK", [("Content-Type", "text/plain"), ("X-Twice", "1"), ("X-Twice", "2")])
        if environ["PATH_INFO"] == "/stream":
            return self.streamed
        if environ["PATH_INFO"] == "/file":
            self.file = io.BytesIO(b"f" * 1_000_000)
            return FileWrapper(self.file)
        if environ["PATH_INFO"] == "/pieces":
            self.began.set()
            try:
                return [b"%d" % len(environ["wsgi.input"].read())]
            except ClientGone:
                self.gone += 1
                raise
            finally:
                self.ended.set()
        return [b"took ", environ["wsgi.input"].read()]


@pytest.fixture
def served() -> Iterator[tuple[Application, int]]:
    """A server over a fresh application with one thread, and its port."""
    application, port = Application(), free_port()
    config = uvicorn.Config(
        Door(application, threads=1), port=port, loop="uvloop", http=ClientConnection, lifespan="off",
        ws="none", log_config=None, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    listening.listen(200)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield application, port
    server.should_exit = True
    thread.join(10)
    assert not thread.is_alive()


def ask(port: int, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Status and body of one request on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection):
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return reply.status, reply.read()


def send(port: int, text: bytes) -> socket.socket:
    """An open connection on which so much was sent."""
    opened = socket.create_connection(("127.0.0.1", port), timeout=10)
    opened.sendall(text)
    return opened


def reply_on(opened: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    with opened:
        found = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := opened.recv(65536):
                found += piece
        return found


def test_a_form_comes_whole_and_is_answered(served):
    _, port = served
    assert ask(port, "POST", "/", b"a" * MOST) == (200, b"took " + b"a" * MOST)
    assert ask(port, "GET", "/") == (200, b"took ")
    assert ask(port, "HEAD", "/") == (200, b"")


def test_slow_heads_and_slow_bodies_hold_no_thread(served):
    """There is one thread; where threads read requests, each of these connections would have taken it."""
    application, port = served
    slow = [send(port, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ") for _ in range(SLOW_CLIENTS)]
    slow += [
        send(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc") for _ in range(SLOW_CLIENTS)
    ]
    assert ask(port, "POST", "/", b"quick") == (200, b"took quick")
    assert len(application.seen) == 1
    for one in slow:
        one.close()


def test_a_head_that_takes_too_long_is_ended(served, monkeypatch):
    _, port = served
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.1)
    assert reply_on(send(port, b"")) == b""
    assert reply_on(send(port, b"GET / HTTP/1.1\r\nHost: x\r\n")) == b""


def test_the_head_of_a_later_request_on_a_connection_is_timed_too(served, monkeypatch):
    _, port = served
    opened = send(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert opened.recv(65536).startswith(b"HTTP/1.1 200")
    monkeypatch.setattr(http_server, "HEAD_SECONDS", 0.1)
    opened.sendall(b"GET / HTT")
    assert b"HTTP/1.1" not in reply_on(opened)


def test_a_head_without_end_is_ended(served):
    application, port = served
    opened = send(port, b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: ")
    with contextlib.suppress(ConnectionError):
        for _ in range(100):
            opened.sendall(b"x" * 10_000)
    assert reply_on(opened) == b""
    assert not application.seen


def test_a_body_that_takes_too_long_is_ended(served, monkeypatch):
    application, port = served
    monkeypatch.setattr(http_server, "BODY_SECONDS", 0.1)
    assert b" 408 " in reply_on(send(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"))
    assert not application.seen


@pytest.mark.parametrize("length", [b"Content-Length: 100001", b"Transfer-Encoding: chunked"])
def test_a_body_that_is_too_long_or_does_not_say_is_refused_before_it_comes(served, length):
    application, port = served
    assert b" 413 " in reply_on(send(port, b"POST / HTTP/1.1\r\nHost: x\r\n" + length + b"\r\n\r\n"))
    assert not application.seen


def test_an_upload_is_read_as_it_comes(served):
    """The application begins before the body has come: it can say no before anything of it is read."""
    application, port = served
    opened = send(port, b"POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n")
    assert application.began.wait(10)
    assert not application.ended.is_set()
    opened.sendall(b"u" * 300_000)
    assert b"\r\n300000\r\n" in reply_on(opened)


def test_an_upload_that_is_broken_off_or_stops_gives_its_thread_back(served, monkeypatch):
    application, port = served
    head = b"POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\nabc"
    send(port, head).close()
    assert application.ended.wait(10)
    monkeypatch.setattr(http_server, "PIECE_SECONDS", 0.1)
    application.ended.clear()
    stopped = send(port, head)
    assert application.ended.wait(10)
    assert application.gone == 2, "neither was taken for a shorter upload"
    assert ask(port, "GET", "/") == (200, b"took ")
    stopped.close()


def test_a_reply_in_pieces_and_a_file_come_whole_and_are_closed(served):
    application, port = served
    status, body = ask(port, "GET", "/stream")
    assert (status, body) == (200, b"".join(b"%06d\n" % number for number in range(100_000)))
    assert application.streamed.closed.wait(10)
    assert ask(port, "GET", "/file") == (200, b"f" * 1_000_000)
    assert ask(port, "GET", "/") == (200, b"took ")
    assert application.file.closed


def test_somebody_who_does_not_read_a_reply_in_pieces_gives_the_thread_back(served, monkeypatch):
    application, port = served
    monkeypatch.setattr(http_server, "PIECE_SECONDS", 0.2)
    unread = socket.socket()
    unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    unread.connect(("127.0.0.1", port))
    unread.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    assert application.streamed.closed.wait(10)
    assert ask(port, "GET", "/") == (200, b"took ")
    unread.close()


def test_slow_uploads_and_slow_readers_hold_up_no_page(served):
    """More of both than there are threads; the server has one of each kind."""
    application, port = served
    head = b"POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\nabc"
    slow = [send(port, head) for _ in range(SLOW_CLIENTS)]
    assert application.began.wait(10)
    assert ask(port, "GET", "/") == (200, b"took ")
    for one in slow:
        one.close()
    assert application.ended.wait(10)
    application.streamed.lines = count()  # however much the system buffers, it does not hold all
    unread = []
    for _ in range(SLOW_CLIENTS):
        unread.append(socket.socket())
        unread[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        unread[-1].connect(("127.0.0.1", port))
        unread[-1].sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
    assert unread[0].recv(8).startswith(b"HTTP")
    assert ask(port, "GET", "/") == (200, b"took ")
    assert not application.streamed.closed.is_set()
    for one in unread:
        one.close()


def test_an_upload_that_goes_on_too_slowly_is_ended(served, monkeypatch):
    """A byte before each wait ends is no way to hold a thread for ever."""
    application, port = served
    monkeypatch.setattr(http_server, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(http_server, "LEAST_SPEED", 10**12)
    slow = send(port, b"POST /pieces HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\nabc")
    assert application.ended.wait(10)
    assert application.gone == 1
    slow.close()


@pytest.mark.parametrize(("error", "told"), [(ClientGone("broken off"), False), (ValueError("x"), True)])
def test_a_client_that_breaks_off_is_no_error_in_the_log(error, told):
    logger, why = logging.getLogger("django.request"), (type(error), error, None)
    record = logger.makeRecord(logger.name, logging.ERROR, __file__, 1, "Internal Server Error", (), why)
    assert bool(logger.filter(record)) is told


def test_readers_of_a_file_hold_no_thread(served):
    _, port = served
    unread = [send(port, b"GET /file HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(SLOW_CLIENTS)]
    assert ask(port, "GET", "/") == (200, b"took ")
    for one in unread:
        one.close()


def test_the_environment_is_that_of_wsgi(served):
    application, port = served
    text = (
        b"GET /caf%C3%A9/?q=%00&b=2 HTTP/1.1\r\nHost: x\r\nCookie: a=1\r\nCookie: b=2\r\nAccept: text/a\r\n"
        b"Accept: text/b\r\nX_Forwarded_Proto: https\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    )
    reply = reply_on(send(port, text))
    assert reply.count(b"x-twice:") == 2
    (environ,) = application.seen
    assert environ["PATH_INFO"] == "/café/".encode().decode("latin-1")
    assert environ["QUERY_STRING"] == "q=%00&b=2"
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["HTTP_ACCEPT"] == "text/a,text/b"
    assert environ["CONTENT_TYPE"] == "text/plain"
    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert environ["SERVER_PORT"] == str(port)
    assert "HTTP_X_FORWARDED_PROTO" not in environ
