"""What a number of assessors met: their answers, how long each step took, what went wrong; and their pace."""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import inf


@dataclass(slots=True)
class Answer:
    """An answer that was sent, when, and when the server said that it is stored: None if it never did."""

    nonce: str
    choice: str
    challenge: bool
    sent: float
    acknowledged: float | None = None


@dataclass
class Burst:
    """What assessors met between two moments of `time.perf_counter`, and every answer they ever sent.

    seconds: by step. nothing: how often somebody was told that there is nothing to judge.
    """

    began: float
    until: float = inf
    answers: list[Answer] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    faults: Counter[str] = field(default_factory=Counter)
    nothing: int = 0

    @property
    def over(self) -> bool:
        return time.perf_counter() >= self.until

    def count(self, seconds: float) -> None:
        """Let the burst begin now; what was met before does not count."""
        self.began = time.perf_counter()
        self.until = self.began + seconds
        self.seconds.clear()
        self.faults.clear()
        self.nothing = 0

    @property
    def stored(self) -> list[Answer]:
        """Every answer that was acknowledged, whenever."""
        return [one for one in self.answers if one.acknowledged is not None]

    @property
    def acknowledged(self) -> int:
        """Answers acknowledged during the burst; those before and after it count in no rate."""
        return sum(1 for one in self.stored if self.began <= (one.acknowledged or 0.0) < self.until)

    @property
    def rate(self) -> float:
        """Acknowledged answers a second."""
        return self.acknowledged / (self.until - self.began)


class Pacer:
    """A turn for each answer of all assessors together, `rate` a second; 0 lets everybody go at once."""

    def __init__(self, rate: float) -> None:
        self.every = 1 / rate if rate else 0.0
        self.next = 0.0
        self._open = asyncio.Event()
        self.go()

    def hold(self) -> None:
        """Give no turn until `go`."""
        self._open.clear()

    def go(self) -> None:
        self._open.set()

    async def turn(self) -> None:
        """Return when it is this answer's turn."""
        await self._open.wait()
        if self.every:
            # Who is late may catch up a little, not with a crowd.
            mine = max(self.next, time.perf_counter() - 0.25)
            self.next = mine + self.every
            await asyncio.sleep(mine - time.perf_counter())
