"""The stream of leaderboards: one small asynchronous process that holds every open page's connection.

Server-sent events: a page opens the address that it was given (a signed token,
`web.shared.tokens.sign_watch`), and is sent each message of its leaderboard's channel. It touches no
database. `uvicorn web.shared.streaming:app` serves it over Redis; without Redis, `start` does so in a thread
of the one process. A listener that is slower than the messages gets them late, and the newest one only when
too many wait: its page then asks for the whole. Anyone who has left the study since they were given the
address is told by the cache, where a connection begins. Cost: the memory of a connection, and one write a
message.
"""

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import uvicorn
from django.conf import settings
from django.core.cache import cache

from config import broadcast
from web.shared import tokens

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
logger = logging.getLogger(__name__)
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
# Proxies and browsers drop a connection on which nothing comes.
HEARTBEAT = 20.0
MOST = 20_000  # listeners
WAITING = 30  # messages for one of them
# A message is for pages that were rendered before it. One that connects later than this asks anyway.
KEPT_SECONDS = 60.0
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would hold messages back
    # No cookie is read here: the token is all that lets somebody in.
    (b"access-control-allow-origin", b"*"),
]


class Hub:
    """Passes messages to listeners through their mailboxes."""

    def __init__(self) -> None:
        # When it came, and the message: the oldest first.
        self.latest: dict[str, tuple[float, bytes]] = {}
        self.mailboxes: dict[str, set[asyncio.Queue[bytes | None]]] = defaultdict(set)
        self.people: dict[str, set[asyncio.Queue[bytes | None]]] = defaultdict(set)
        self.count = 0

    def put(self, channel: str, text: str) -> None:
        """Deliver a message to all listeners of a channel; "left:..." disconnects a person's."""
        if channel.startswith("left:"):
            for mailbox in self.people.get(channel, ()):
                _drop_into(mailbox, None)
            return
        # Written once for all, as it travels.
        event = f"data: {text}\n\n".encode()
        self._keep(channel, event)
        for mailbox in self.mailboxes.get(channel, ()):
            _drop_into(mailbox, event)

    def _keep(self, channel: str, event: bytes) -> None:
        """Keep a channel's newest message for new listeners; drop messages that every page has by now."""
        now = time.monotonic()
        self.latest.pop(channel, None)
        self.latest[channel] = (now, event)
        while (oldest := next(iter(self.latest))) != channel and self.latest[oldest][0] < now - KEPT_SECONDS:
            del self.latest[oldest]

    @contextlib.contextmanager
    def mailbox(self, channel: str, person: str) -> Any:
        """A mailbox for one listener, filled with the channel's newest message."""
        box: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=WAITING)
        if channel in self.latest:
            box.put_nowait(self.latest[channel][1])
        self.mailboxes[channel].add(box)
        self.people[person].add(box)
        self.count += 1
        try:
            yield box
        finally:
            self.count -= 1
            for table, key in ((self.mailboxes, channel), (self.people, person)):
                table[key].discard(box)
                if not table[key]:
                    del table[key]


def _drop_into(mailbox: asyncio.Queue[bytes | None], event: bytes | None) -> None:
    """Add an event to a mailbox; if it is full, or the event is the last (None), the others are dropped."""
    if mailbox.full() or event is None:
        while not mailbox.empty():
            mailbox.get_nowait()
    mailbox.put_nowait(event)


hub = Hub()


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application: serves one connection."""
    if scope["type"] == "lifespan":
        await _live(receive, send)
    elif scope["type"] == "http":
        await _serve(scope, receive, send)


async def _live(receive: Receive, send: Send) -> None:
    """Listen to Redis while the process runs."""
    await receive()
    reader = asyncio.create_task(_read_redis()) if settings.REDIS_URL else None
    await send({"type": "lifespan.startup.complete"})
    await receive()
    if reader:
        reader.cancel()
    await send({"type": "lifespan.shutdown.complete"})


async def _read_redis() -> None:
    from redis import RedisError

    while True:
        try:
            async for channel, text in _messages():
                hub.put(channel, text)
        except (RedisError, OSError) as error:
            logger.warning("Redis gives no messages (%s); trying again.", error)
            await asyncio.sleep(1)


async def _messages() -> AsyncIterator[tuple[str, str]]:
    from redis.asyncio import Redis  # only here: without Redis this process does without its client

    client = Redis.from_url(settings.REDIS_URL, decode_responses=True)
    async with client, client.pubsub() as channels:
        await channels.psubscribe("board:*", "left:*")
        async for message in channels.listen():
            if message["type"] == "pmessage":
                yield message["channel"], message["data"]


async def _serve(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    if scope["path"] == "/health":
        await _answer(send, 200, b"ok")
        return
    try:
        watch = tokens.read_watch(scope["path"].rpartition("/")[2])
    except tokens.BadToken:
        await _answer(send, 403, b"")
        return
    if hub.count >= MOST:
        await _answer(send, 503, b"")
        return
    channel = tokens.board_channel(watch.study_id, watch.view)
    person = tokens.left_channel(watch.study_id, watch.user_id)
    with hub.mailbox(channel, person) as mailbox:
        # Asked once there is a mailbox: who leaves from now on is told through it.
        if await asyncio.to_thread(cache.get, person):
            await _answer(send, 403, b"")
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        # At once: so the page knows that it is connected.
        await _write(send, b"retry: 5000\n\n")
        following = asyncio.create_task(_follow(mailbox, send, watch.until))
        gone = asyncio.create_task(_until_gone(receive))
        await asyncio.wait({following, gone}, return_when=asyncio.FIRST_COMPLETED)
        for task in (following, gone):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await task
    with contextlib.suppress(OSError):
        await send({"type": "http.response.body", "body": b""})


async def _follow(mailbox: asyncio.Queue[bytes | None], send: Send, until: int) -> None:
    """Write messages until the token expires or its holder leaves the study."""
    while (left := until - time.time()) > 0:
        event: bytes | None = b":\n\n"
        with contextlib.suppress(TimeoutError):
            # Not wait_for, which makes a task of each wait.
            async with asyncio.timeout(min(HEARTBEAT, left)):
                event = await mailbox.get()
        if event is None:
            return
        await _write(send, event)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _write(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _answer(send: Send, status: int, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})


def start(port: int, address: str = "127.0.0.1") -> None:
    """Serve the stream in a thread of this process, without Redis, from its own messages."""
    threading.Thread(target=_run, args=(port, address), name="stream", daemon=True).start()


def _run(port: int, address: str) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        broadcast.listen(lambda channel, text: _hand_over(loop, channel, text))
        await server.serve()

    server = uvicorn.Server(
        uvicorn.Config(app, host=address, port=port, log_level="warning", access_log=False, ws="none")
    )
    asyncio.run(serve())


def _hand_over(loop: asyncio.AbstractEventLoop, channel: str, text: str) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(hub.put, channel, text)
