"""Many at once: assessors of the product, and connections to the floor."""

import asyncio
import time

from bench.load.assessors import JSON, Person
from bench.load.seen import Burst, Pacer
from bench.load.wire import Connection

PATIENCE = 30.0  # seconds that requests may still take after the burst
SITS_DOWN = 120.0  # seconds that everybody may need to get a batch


class Crowd:
    """So many assessors at once, who judge from now on until the burst that `seen` describes is over."""

    def __init__(self, address: str, link: str, assessors: int, rate: float = 0.0) -> None:
        self.seen, self.pacer = Burst(time.perf_counter()), Pacer(rate)
        self.people = [Person(address, link, self.seen, self.pacer) for _ in range(assessors)]
        self.tasks = [asyncio.create_task(person.judge()) for person in self.people]

    async def sit_down(self) -> None:
        """Wait until everybody has a batch, then let them pause where they are. Raises TimeoutError."""
        async with asyncio.timeout(SITS_DOWN):
            while not all(person.judged for person in self.people):
                for task in self.tasks:
                    if task.done():
                        task.result()
                await asyncio.sleep(0.02)
        self.pacer.hold()

    async def judge(self, seconds: float) -> Burst:
        """Let the burst begin; return what was seen when its last requests are answered."""
        self.seen.count(seconds)
        self.pacer.go()
        _, late = await asyncio.wait(self.tasks, timeout=seconds + PATIENCE)
        for task in late:
            task.cancel()
        for result in await asyncio.gather(*self.tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
        return self.seen


async def burst(
    address: str, link: str, assessors: int, seconds: float, *, rate: float = 0.0, seated: bool = False
) -> Burst:
    """Let so many people judge for some seconds; `seated`: who have all begun before that."""
    crowd = Crowd(address, link, assessors, rate)
    if seated:
        await crowd.sit_down()
    return await crowd.judge(seconds)


async def hammer(address: str, connections: int, seconds: float) -> float:
    """Post to the floor's view from so many connections; return replies a second."""
    until = time.perf_counter() + seconds
    done = 0

    async def one() -> None:
        nonlocal done
        connection = Connection(address)
        while time.perf_counter() < until:
            reply = await connection.post("/", {"question": "7", "value": "1"}, **JSON)
            if reply.status != 200:
                raise RuntimeError(f"The floor answered {reply.status}: {reply.text[:2000]}")
            done += time.perf_counter() < until
        connection.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return done / seconds
