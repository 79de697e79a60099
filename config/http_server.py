"""HTTP server of the product: many connections on one event loop, few threads that work.

A thread is given a request only when all of it has come, and gives its reply away at once: anyone who sends
or reads slowly holds a connection, never a thread. What takes too long to come is ended. gunicorn starts and
watches the processes (`config/gunicorn.py`), uvicorn speaks HTTP in each, and `Door` hands complete requests
to the WSGI application. Two kinds of request wait for their client in a thread, and only members of a study
can make them: uploads, which are read piece by piece, and exports, which are written so. They have threads of
their own, so that slow ones hold up other files and no page; those that are too slow are ended.
"""

import asyncio
import io
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn_worker import UvicornWorker

from config.request_bodies import BodyLimit, ClientGone, length_of, too_long

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

HEAD_SECONDS = 20.0  # for the first line and the headers of a request
HEAD_BYTES = 64 * 2**10
BODY_SECONDS = 30.0  # for a form to come
PIECE_SECONDS = 60.0  # for the next piece of an upload to come, or of a reply to be taken
# A file that was waited for this long must have come, or been taken, at this many bytes a second by then.
SLOW_SECONDS, LEAST_SPEED = 60.0, 8 * 2**10
END_SECONDS = 3  # for what threads still do when a stop has waited for open requests
PIECE_BYTES = 256 * 2**10
NO_LIMIT = BodyLimit(math.inf, in_pieces=False)


class ClientConnection(HttpToolsProtocol):
    """One connection, closed if the head of a request arrives too slowly or is too long."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._end_of_head()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_of_head()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _end_of_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer, self._head_bytes = None, 0


class Worker(UvicornWorker):
    """gunicorn's worker class: the WSGI application behind `Door`, with `threads` threads."""

    CONFIG_KWARGS = {
        "loop": "uvloop",
        "http": ClientConnection,
        "ws": "none",
        "lifespan": "off",
        "interface": "asgi3",
        "access_log": False,
        "server_header": False,
        # Who asks is read from a proxy's headers where settings say so, not here.
        "proxy_headers": False,
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Shorter than gunicorn waits before SIGKILL: what is registered for the end has its time too.
        self.config.timeout_graceful_shutdown = max(1, self.cfg.graceful_timeout - END_SECONDS - 1)

    def load_wsgi(self) -> None:
        application: Any = self.app.wsgi()
        self.wsgi: Any = Door(application, self.cfg.threads)

    def init_signals(self) -> None:
        super().init_signals()
        # uvicorn ends its work in order and then raises the signal again: the process must end in order too,
        # with what is registered for that.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Stop on SIGQUIT as on SIGTERM: gunicorn sends it after a SIGINT, and uvicorn does not handle it."""
        signal.raise_signal(signal.SIGTERM)


def _end(*_: object) -> None:
    """End the process in order; after END_SECONDS as it is, since a thread may be held up for long.

    Whatever that one was doing is a transaction that is not committed, or is found by a sweep.
    """
    last = threading.Timer(END_SECONDS, os._exit, (0,))
    last.daemon = True
    last.start()
    sys.exit(0)


class Reply(NamedTuple):
    """The application's response: its whole body, the file to read it from, or pieces still to come."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    file: FileWrapper | None = None
    pieces: Iterable[bytes] | None = None


class Door:
    """ASGI application that calls a WSGI application in threads, for complete requests.

    A request costs two changes of thread more than in a server whose threads read it themselves, some 50
    microseconds, and no more where a thousand connections are open.
    """

    def __init__(self, application: Application, threads: int) -> None:
        self.application = application
        # One that does not say how long its bodies may be takes them all.
        self.limit_of: Callable[[str], BodyLimit] = getattr(application, "limit_of", lambda _: NO_LIMIT)
        self.threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="web")
        self.transfers = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="transfer")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request; 413 if its body is too long, 408 if it does not arrive."""
        environ = environ_of(scope)
        length = length_of(environ)
        limit = self.limit_of(environ["PATH_INFO"])
        if length > limit.bytes:
            kind, said = too_long(environ["PATH_INFO"], "This is longer than can be sent here.")
            await _refuse(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said, kind)
            return
        loop, pool = asyncio.get_running_loop(), self.threads
        if length and limit.in_pieces:
            pool = self.transfers
            environ["wsgi.input"] = io.BufferedReader(_Pieces(receive, loop), PIECE_BYTES)
        elif length:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    environ["wsgi.input"] = io.BytesIO(await _body(receive))
            except TimeoutError:
                await _refuse(send, HTTPStatus.REQUEST_TIMEOUT, b"This came too slowly.\n")
                return
            except ClientGone:
                return
        call = _Call(self.application, environ, send, loop)
        reply = await loop.run_in_executor(pool, call.run)
        headers = reply.headers if pool is self.threads else [*reply.headers, (b"connection", b"close")]
        if reply.pieces is not None:
            await loop.run_in_executor(self.transfers, call.write, reply)
            return
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        if reply.file is None:
            await send({"type": "http.response.body", "body": reply.body})
        else:
            await self._send_file(reply.file, send)

    async def _send_file(self, file: FileWrapper, send: Send) -> None:
        loop = asyncio.get_running_loop()
        try:
            while piece := await loop.run_in_executor(self.threads, file.filelike.read, PIECE_BYTES):
                async with asyncio.timeout(PIECE_SECONDS):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            file.filelike.close()


class _Call:
    """One call of the application in a thread."""

    def __init__(
        self, application: Application, environ: Environ, send: Send, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.application, self.environ, self.send, self.pace = application, environ, send, _Pace(loop)
        self.status, self.headers = 0, list[tuple[bytes, bytes]]()

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        """WSGI's start_response; the write() that it could return is not used here."""
        self.status = int(status[:3])
        self.headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]

    def run(self) -> Reply:
        """Run the application. Pieces to come are for `write`, everything else is whole."""
        found = self.application(self.environ, self.start)
        if isinstance(found, FileWrapper):
            return Reply(self.status, self.headers, b"", file=found)
        if getattr(found, "streaming", False):
            return Reply(self.status, self.headers, b"", pieces=found)
        with _closing(found):
            return Reply(self.status, self.headers, b"".join(found))

    def write(self, reply: Reply) -> None:
        """Write a reply's pieces as they are made. Their generator and its database connection live in this
        thread alone. Raises Gone.
        """
        assert reply.pieces is not None
        with _closing(reply.pieces):
            self._write({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
            for piece in _gathered(reply.pieces):
                self._write({"type": "http.response.body", "body": piece, "more_body": True}, len(piece))
            self._write({"type": "http.response.body", "body": b""})

    def _write(self, message: Message, size: int = 0) -> None:
        self.pace.wait(self.send(message), lambda _: size)


@contextmanager
def _closing(body: Iterable[bytes]) -> Iterator[None]:
    """Close a response's body in the thread that read it, whose database connection it may hold."""
    try:
        yield
    finally:
        if close := getattr(body, "close", None):
            close()


class _Pace:
    """How long a thread has waited for its client, and for how many bytes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._seconds, self._bytes = loop, 0.0, 0

    def wait(self, coroutine: Any, size: Callable[[Any], int]) -> Any:
        """Have the event loop do something, and return its result, which has so many bytes. Raises Gone where
        this takes too long, or the whole transfer does.
        """
        begun = time.monotonic()
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            found = future.result(PIECE_SECONDS)
        except TimeoutError as error:
            future.cancel()
            raise ClientGone("The other side neither sends nor reads.") from error
        self._seconds += time.monotonic() - begun
        self._bytes += size(found)
        if self._seconds > SLOW_SECONDS and self._bytes < self._seconds * LEAST_SPEED:
            raise ClientGone("The other side sends or reads too slowly.")
        return found


class _Pieces(io.RawIOBase):
    """The body of an upload, read by a thread as it arrives."""

    def __init__(self, receive: Receive, loop: asyncio.AbstractEventLoop) -> None:
        self._receive, self._pace = receive, _Pace(loop)
        self._rest, self._more = b"", True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for the next piece. Raises Gone."""
        while not self._rest and self._more:
            message = self._pace.wait(self._receive(), lambda message: len(message.get("body", b"")))
            if message["type"] != "http.request":
                raise ClientGone("The upload was broken off.")
            self._rest, self._more = message.get("body", b""), message.get("more_body", False)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join short pieces, such as lines of a file, because each written piece costs a thread switch."""
    waiting, size = [], 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


async def _body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone("The request was broken off.")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _refuse(send: Send, status: HTTPStatus, sentence: bytes, kind: str = "text/plain") -> None:
    headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"connection", b"close")]
    headers.append((b"content-length", str(len(sentence)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence})


def environ_of(scope: Message) -> Environ:
    """The WSGI environment of an ASGI request (PEP 3333: texts are bytes in Latin-1)."""
    host, port = scope.get("server") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": "HTTP/" + scope["http_version"],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
    }
    for raw_name, raw_value in scope["headers"]:
        # "X_Forwarded_For" would come out as "X-Forwarded-For" does, past a proxy that removes only that.
        if b"_" in raw_name:
            continue
        name, value = raw_name.decode("latin-1").upper().replace("-", "_"), raw_value.decode("latin-1")
        if name not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            name = "HTTP_" + name
        if name in environ:
            value = f"{environ[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{value}"
        environ[name] = value
    return environ
