"""HTTP over raw streams: a kept-alive connection that costs little of the machine shared with the server."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

GIVES_UP = 20.0  # seconds after which post.js lets go of a request


class NoReply(Exception):
    """The server took no connection, closed it, or did not answer in time."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: its status, its headers by lower-case name, its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


class Connection:
    """A connection to one server, opened when it is first needed and kept; one request at a time.

    cookie: sent with every request. Nothing that the server sets is remembered.
    """

    def __init__(self, address: str, *, cookie: str = "") -> None:
        self.host = urlsplit(address).hostname or ""
        self.port = urlsplit(address).port or 80
        self.always = f"Host: {self.host}:{self.port}\r\n" + (f"Cookie: {cookie}\r\n" if cookie else "")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str, *, gives_up: float = GIVES_UP, **headers: str) -> Reply:
        """Fetch a page. Raises NoReply."""
        return await self._ask("GET", path, None, headers, gives_up)

    async def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Reply:
        """Send a form. Raises NoReply."""
        return await self._ask("POST", path, urlencode(fields).encode(), headers, GIVES_UP)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """Lines of a response that goes on, in chunks, until it ends. Raises NoReply where there is none."""
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port, limit=2**20)
        except OSError as error:
            raise NoReply(f"{path}: {error!r}") from error
        try:
            writer.write(f"GET {path} HTTP/1.1\r\n{self.always}\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise NoReply(f"{path}: {head[:40]!r}")
            rest = b""
            async for part in _chunks(reader):
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield line
        finally:
            writer.close()

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], gives_up: float
    ) -> Reply:
        lines = [f"{method} {path} HTTP/1.1\r\n{self.always}"]
        lines += [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
        if body is not None:
            lines.append("Content-Type: application/x-www-form-urlencoded;charset=UTF-8\r\n")
            lines.append(f"Content-Length: {len(body)}\r\n")
        request = "".join([*lines, "\r\n"]).encode() + (body or b"")
        kept = self._streams is not None
        try:
            async with asyncio.timeout(gives_up):
                try:
                    return await self._exchange(request)
                except (ConnectionError, asyncio.IncompleteReadError):
                    self.close()
                    if not kept:
                        raise
                # The server had closed a connection that was kept: browsers then open another one.
                return await self._exchange(request)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            raise NoReply(f"{method} {path}: {error!r}") from error
        except asyncio.CancelledError:
            self.close()  # half of a reply may still come
            raise

    async def _exchange(self, request: bytes) -> Reply:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port, limit=2**20)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head[:-4].split("\r\n")
        status = int(first.split(" ", 2)[1])
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if status == 304 or status == 204:
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            body = b"".join([part async for part in _chunks(reader)])
        else:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Reply(status, headers, body)


async def _chunks(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        yield await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
