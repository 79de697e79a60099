"""An assessor without think time: joins by the open link and judges batch after batch, as a browser would."""

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from bench.load import forms
from bench.load.material import JUNK_WIDTH
from bench.load.seen import Answer, Burst, Pacer
from bench.load.wire import Connection, NoReply, Reply

JSON = {"Accept": "application/json"}  # what post.js sets; it sends no cookie
LONGEST_WAIT = 15.0
LOOKS_AGAIN = 1.0  # seconds after which somebody who found nothing to judge asks again
SIDES = ("left", "right")


class Person:
    """One assessor at a time on one connection: joins, judges, joins anew when nothing is left for them."""

    def __init__(self, address: str, link: str, burst: Burst, pacer: Pacer) -> None:
        self.link, self.burst, self.pacer = link, burst, pacer
        self.connection = Connection(address)
        self.home = ""
        self.judged = False
        self.answered: set[tuple[tuple[str, str], ...]] = set()
        self.pictures: dict[str, bytes] = {}  # a browser keeps them

    async def judge(self) -> None:
        """Judge until the burst is over."""
        page = ""
        try:
            while not self.burst.over:
                if batch := forms.sitting(page):
                    page = await self._sit(batch)
                elif fields := forms.beginning(page):
                    page = await self._begin(fields)
                else:
                    page = await self._join()
        finally:
            self.connection.close()

    async def _join(self) -> str:
        self.home, self.judged = "", False
        self.pictures.clear()
        self.answered.clear()
        page = await self._fetch("join", self.link)
        fields = forms.beginning(page)
        if fields is not None and not self.burst.over:
            reply = await self._send("join", self.link, fields)
            self.home = reply.headers.get("location", "")
        if not self.home:
            await asyncio.sleep(LOOKS_AGAIN)
            return ""
        return await self._fetch("join", self.home)

    async def _begin(self, fields: Mapping[str, str]) -> str:
        reply = await self._send("arrive", self.home, fields)
        if "location" in reply.headers:
            return "" if self.burst.over else await self._fetch("page", reply.headers["location"])
        self.burst.nothing += 1
        await asyncio.sleep(LOOKS_AGAIN)
        # Somebody who has judged may have seen everything that is open; a new person has not.
        return "" if self.judged else reply.text

    async def _sit(self, batch: forms.Sitting) -> str:
        self.judged = True
        await self._load([address for one in batch.questions for side in one.pictures for address in side])
        for question in batch.questions:
            asked = tuple(question.form.fields.items())
            if asked in self.answered:
                continue  # one of these was refused, and the page was fetched again
            await self.pacer.turn()
            if self.burst.over:
                return ""
            if not await self._answer(batch.answer, question):
                return await self._fetch("after", self.home)
            self.answered.add(asked)
        await self._send("submit", batch.submit, batch.submission.fields, JSON)
        return "" if self.burst.over else await self._fetch("after", self.home)

    async def _answer(self, address: str, question: forms.Question) -> bool:
        """Send one answer until the server has replied, and say whether it was taken."""
        name, choice = random.choice(question.form.buttons)
        junk = [
            seen or self._wrong(side) for seen, side in zip(question.junk, question.pictures, strict=True)
        ]
        if any(junk):
            choice = SIDES[junk.index(False)]
        answer = Answer(secrets.token_hex(16), choice, any(junk), time.perf_counter())
        self.burst.answers.append(answer)
        times = {"seconds": f"{random.uniform(2, 20):.2f}", "away": "0.00", "seen": "100 100"}
        fields = {**question.form.fields, name: choice, **times, "nonce": answer.nonce}
        reply = await self._send("answer", address, fields, JSON)
        if b'"stored"' not in reply.body:
            return False
        answer.acknowledged = time.perf_counter()
        return True

    def _wrong(self, side: list[str]) -> bool:
        # A PNG says its width in the bytes from 16 on.
        return any(int.from_bytes(self.pictures[one][16:20]) == JUNK_WIDTH for one in side)

    async def _load(self, addresses: list[str]) -> None:
        for address in addresses:
            while address not in self.pictures and not self.burst.over:
                reply = await self._again("picture", partial(self.connection.get, address))
                self.pictures[address] = reply.body

    async def _fetch(self, step: str, path: str) -> str:
        return (await self._again(step, partial(self.connection.get, path))).text

    async def _send(
        self, step: str, path: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Reply:
        return await self._again(step, partial(self.connection.post, path, fields, **(headers or {})))

    async def _again(self, step: str, ask: Callable[[], Awaitable[Reply]]) -> Reply:
        """Ask until there is a reply, as post.js does; note how long all of it took, and what went wrong."""
        started, tries = time.perf_counter(), 0
        while True:
            try:
                reply = await ask()
            except NoReply:
                self.burst.faults["no reply"] += 1
            else:
                if reply.status < 500 and reply.status not in (408, 429):
                    break
                self.burst.faults["5xx"] += 1
            await asyncio.sleep(min(LONGEST_WAIT, 0.5 * 2**tries) * random.uniform(0.75, 1.25))
            tries += 1
        self.burst.seconds[step].append(time.perf_counter() - started)
        if reply.status >= 400:
            self.burst.faults["refused"] += 1
        return reply
