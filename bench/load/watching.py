"""Watchers of the leaderboard, and the lag between an acknowledged answer and the number that each one sees.

Only the class `Watcher` knows how the page is kept up to date.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Sequence
from html import unescape
from urllib.parse import urlsplit

from bench.load.seen import Burst
from bench.load.wire import Connection, NoReply

# As in static/js/live.js, in seconds.
EVERY, AFTER_FAULT, GIVES_UP = 1.0, 5.0, 10.0
LIVE = re.compile(r'data-live="([^"]*)" data-stream="([^"]*)"[^>]* data-version="([^"]*)"')
JUDGMENTS = re.compile(r'data-key="judgments" data-value="(\d+)"')
AT_ONCE = 8  # leaderboards that are opened side by side


class Watcher:
    """Somebody with the leaderboard open, who is told what changed, or asks for it each second."""

    def __init__(self, address: str, page: str, cookie: str, *, streamed: bool = True) -> None:
        self.connection = Connection(address, cookie=cookie)
        self.page = page
        self.streamed = streamed
        self.live = self.version = self.stream = ""
        self.shown: list[tuple[float, int]] = []  # when how many judgments appeared
        self.asked = self.faults = 0

    async def open(self) -> None:
        """Load the page. Raises RuntimeError where it is no leaderboard."""
        reply = await self.connection.get(self.page)
        found = LIVE.search(reply.text)
        if found is None:
            raise RuntimeError(f"{self.page} answered {reply.status} and has no live part")
        self.live, self.version = unescape(found[1]), unescape(found[3])
        self.stream = unescape(found[2]) if self.streamed else ""
        self._see(reply.text)

    async def follow(self) -> None:
        """Keep the page up to date until cancelled: by its stream if it has one, else by asking."""
        try:
            if self.stream:
                await self._hear()
                raise RuntimeError(f"the stream {self.stream} has ended")
            while True:
                await asyncio.sleep(EVERY)
                self.asked += 1
                if not await self._ask():
                    self.faults += 1
                    await asyncio.sleep(AFTER_FAULT - EVERY)
        finally:
            self.connection.close()

    async def _ask(self) -> bool:
        """Ask for news; False where the page would say that it cannot be updated."""
        try:
            reply = await self.connection.get(self.live, gives_up=GIVES_UP, If_None_Match=self.version)
        except NoReply:
            return False
        if reply.status == 200:
            self.version = reply.headers.get("etag", "")
            self._see(reply.text)
        return reply.status in (200, 304)

    def _see(self, html: str) -> None:
        if found := JUDGMENTS.search(html):
            self.shown.append((time.perf_counter(), int(found[1])))

    async def _hear(self) -> None:
        """Read the stream's messages; ask for the whole where they do not begin at what is shown."""
        stream = Connection(self.stream)
        async for line in stream.lines(urlsplit(self.stream).path):
            if not line.startswith(b"data: "):
                continue
            message = json.loads(line[6:])
            if _number(message["version"]) <= _number(self.version):
                continue
            if "pieces" in message and f'"{message["base"]}"' == self.version:
                self.version = f'"{message["version"]}"'
                self._see("".join(message["pieces"].values()))
            else:
                await asyncio.sleep(random.random() * EVERY)
                self.asked += 1
                self.faults += not await self._ask()

    @property
    def judgments(self) -> int:
        """How many judgments the page says that there are."""
        return self.shown[-1][1] if self.shown else 0


def _number(version: str) -> int:
    return int(version.strip('"').partition(".")[0] or 0)


async def open_all(watchers: Sequence[Watcher]) -> "list[asyncio.Task[None]]":
    """Let everybody open the page, a few at a time, and follow it from then on."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(watcher: Watcher) -> asyncio.Task[None]:
        async with gate:
            await watcher.open()
        return asyncio.create_task(watcher.follow())

    return list(await asyncio.gather(*(one(watcher) for watcher in watchers)))


def shown_in(seen: Burst) -> list[float]:
    """When each answer of a burst was acknowledged that the page counts, which leaves challenges out."""
    times = [one.acknowledged or 0.0 for one in seen.stored if not one.challenge]
    return sorted(at for at in times if at >= seen.began)


def lags(watcher: Watcher, acknowledged: Sequence[float]) -> tuple[list[float], int]:
    """Seconds from each acknowledgement to the number that counts its answer; and how many were never shown.

    Answers are told apart by their number alone: the n-th that was acknowledged is shown by a number that
    has grown by n since the page was opened.
    """
    base = watcher.shown[0][1]
    found: list[float] = []
    for at, judgments in watcher.shown[1:]:
        found += [max(0.0, at - then) for then in acknowledged[len(found) : max(0, judgments - base)]]
    return found, len(acknowledged) - len(found)
