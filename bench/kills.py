"""Whether anything is lost where processes are killed with kill -9 while people judge, time and again.

Usage: .venv/bin/python -m bench.kills [--kills 100] [--assessors 8] [--rate 25] [--topics 0] [--seed 1]

Starts everything itself: a private PostgreSQL with its own settings, Redis, and every service of
docker-compose.yml. Assessors judge without pause, and so without mercy for anyone who loses an answer: each
is repeated until the server has said that it is stored. One process after another, of a kind that chance
chooses, is killed while they judge, and started again as `restart: unless-stopped` does. When the study has
been judged to its end, the ledger is compared with what was acknowledged, and every derived row with a
rebuild. Prints a report in Markdown; ends with an error where anything is wrong.
"""

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import psycopg

from bench.load.check import Found, check
from bench.load.crowd import Crowd
from bench.load.deployment import Deployments
from bench.load.material import SLUG, Size
from bench.load.report import say, table
from bench.load.seen import Burst
from tests.servers import children, wait_until
from tests.stack import Stack

BACK = 0.3  # seconds after which a container is started again
GOES_ON = 10  # answers that are stored between two kills, so that each kill meets people at work
ANSWERS_A_TOPIC = 75  # of the study of 14 items a topic, challenges among them
STALLS = 60.0  # seconds without an answer after which nobody can go on
ENDS, SETTLES = 900.0, 120.0  # seconds that the study's end, and what it leaves to do, may take

UNFINISHED = "SELECT count(*) FROM tournament_tournament WHERE NOT finished"
BEHIND = """
import json
from scoring.scores import topic_scores as services
from scoring.board import standings
print(json.dumps(len(services.behind()) + len(standings.behind())))
"""
# What a rebuild makes anew, without the numbers of rows and the times at which they were written.
DERIVED = {
    "questions": "SELECT id, wanted, taken FROM judging_question ORDER BY id",
    "batches": "SELECT id, state, challenges_wrong FROM judging_assignment ORDER BY id",
    "assessors": "SELECT id, excluded_at IS NULL FROM judging_assessor ORDER BY id",
    "tournaments": "SELECT topic_id, finished FROM tournament_tournament ORDER BY topic_id",
    "rounds": """
        SELECT topic_id, number, kind, round.pool, wins, answered, complete
        FROM tournament_round round JOIN tournament_tournament played ON played.id = round.tournament_id
        ORDER BY topic_id, number
    """,
    "pairings": """
        SELECT topic_id, number, question_id FROM tournament_pairing pairing
        JOIN tournament_round round ON round.id = pairing.round_id
        JOIN tournament_tournament played ON played.id = round.tournament_id
        ORDER BY topic_id, number, question_id
    """,
    "top ranks": "SELECT id, top_rank FROM collection_item ORDER BY id",
    "scores": "SELECT topic_id, columns, runs, numbers FROM scoring_storedscores ORDER BY topic_id",
    "standing": "SELECT board FROM scoring_standing ORDER BY number DESC LIMIT 1",
}


class People(threading.Thread):
    """Assessors who judge in a thread of their own until they are told that it is over."""

    def __init__(self, stack: Stack, link: str, assessors: int, rate: float) -> None:
        super().__init__(daemon=True)
        self._about = (stack.address, link, assessors, rate)
        self._ready = threading.Event()
        self.failure: BaseException | None = None
        self.seen: Burst
        self.crowd: Crowd

    def run(self) -> None:
        try:
            asyncio.run(self._judge())
        except BaseException as error:
            self.failure = error
            self._ready.set()

    async def _judge(self) -> None:
        self.crowd = Crowd(*self._about)
        self.seen = self.crowd.seen
        self._ready.set()
        await asyncio.gather(*self.crowd.tasks)

    def begin(self) -> None:
        """Let them begin."""
        self.start()
        self._ready.wait()

    def stored(self) -> int:
        """Answers that were acknowledged so far. Raises what made the client itself stop."""
        if self.failure is not None:
            raise self.failure
        return len(self.seen.stored)

    def stalled(self) -> bool:
        """Whether nothing was acknowledged for long."""
        times = [one.acknowledged or 0.0 for one in self.seen.stored] or [self.seen.began]
        return time.perf_counter() - max(times) > STALLS

    def hurry(self) -> None:
        """From now on let them judge as fast as they can."""
        self.crowd.pacer.every = 0.0

    def end(self) -> None:
        """Tell them that it is over, and wait for the last replies."""
        self.seen.until = time.perf_counter()
        self.join(timeout=60)
        self.stored()


@dataclass
class Outcome:
    """What was killed and met, and what is wrong at the end: nothing should be."""

    struck: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    answers: int = 0
    longest: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    found: Found | None = None
    unfinished: int = 0
    behind: int = 0
    differ: list[str] = field(default_factory=list)

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return bool(self.found and self.found.right) and not (self.unfinished or self.behind or self.differ)

    def __str__(self) -> str:
        struck = ", ".join(f"{kind} {n}" for kind, n in self.struck.most_common())
        lines = [
            ("killed", f"{self.struck.total()}: {struck}"),
            ("answers acknowledged", f"{self.answers:,} in {self.seconds:.0f} s"),
            ("longest answer, repeats included", f"{self.longest:.1f} s"),
            (
                "met on the way",
                ", ".join(f"{n} {name}" for name, n in self.faults.most_common()) or "nothing",
            ),
            ("ledger", str(self.found)),
            ("tournaments not ended", str(self.unfinished)),
            ("scores and standings behind", str(self.behind)),
            ("differs from a rebuild", ", ".join(self.differ) or "nothing"),
        ]
        return table(("", ""), lines)


def _one_of(pids: Iterable[int]) -> bool:
    """Kill one of these processes, if there is one."""
    found = list(pids)
    if found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(random.choice(found), signal.SIGKILL)
    return bool(found)


def _whole(name: str) -> Callable[[Stack], bool]:
    def kill(stack: Stack) -> bool:
        if name not in stack.processes:
            return False
        stack.kill9(name)
        return True

    return kill


def _part(name: str) -> Callable[[Stack], bool]:
    return lambda stack: name in stack.processes and _one_of(children(stack.processes[name].pid))


def _redis(stack: Stack) -> bool:
    assert stack.redis is not None
    stack.redis.kill9()
    return True


def _postgres(stack: Stack) -> bool:
    stack.server.kill9()
    return True


def _backend(stack: Stack) -> bool:
    sql = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    try:
        return _one_of(pid for (pid,) in stack.query(sql, stack.database))
    except psycopg.OperationalError:
        return False  # it is not up again yet


# What can be killed: a service as a whole, one of its processes, or a server; False if there was none.
KINDS: dict[str, Callable[[Stack], bool]] = {
    "web": _whole("web"),
    "one web process": _part("web"),
    "worker": _whole("worker1"),
    "one worker process": _part("worker1"),
    "standings": _whole("standings"),
    "stream": _whole("live"),
    "beat": _whole("beat"),
    "Redis": _redis,
    "PostgreSQL": _postgres,
    "one PostgreSQL backend": _backend,
}


def revive(stack: Stack) -> None:
    """Start again whatever does not run."""
    if stack.server.process is None or stack.server.process.poll() is not None:
        stack.server.process = None
        stack.server.start()
    if stack.redis is not None and (stack.redis.process is None or stack.redis.process.poll() is not None):
        stack.redis.start()
    stack.revive()


def unfinished(stack: Stack) -> int:
    """Tournaments that have not ended; -1 while the database does not answer."""
    try:
        return int(stack.query(UNFINISHED)[0][0])
    except psycopg.OperationalError:
        return -1


def derived(stack: Stack) -> dict[str, str]:
    """A fingerprint of each kind of derived rows."""
    return {
        name: hashlib.sha256(repr(stack.query(sql)).encode()).hexdigest() for name, sql in DERIVED.items()
    }


def strike(stack: Stack, people: People, kinds: Iterable[str], *, back: float = BACK) -> Counter[str]:
    """Kill one process after another while people judge; return how many of each kind."""
    struck: Counter[str] = Counter()

    def goes_on() -> bool:
        revive(stack)
        return people.stored() >= before + GOES_ON or not unfinished(stack) or people.stalled()

    for kind in kinds:
        before = people.stored()
        wait_until(goes_on, seconds=ENDS, what=f"people judge on after {struck}")
        if not unfinished(stack) or people.stalled():
            break
        # What was killed a moment ago may have nothing yet that can be killed.
        wait_until(partial(_found, stack, kind), seconds=STALLS, what=f"there is something to kill: {kind}")
        struck[kind] += 1
        say(f"{struck.total()}. {kind}, after {people.stored():,} answers")
        time.sleep(back)
    return struck


def _found(stack: Stack, kind: str) -> bool:
    revive(stack)
    return KINDS[kind](stack)


def survive(
    stack: Stack,
    link: str,
    kinds: Iterable[str],
    *,
    assessors: int = 8,
    rate: float = 25.0,
    back: float = BACK,
) -> Outcome:
    """Let a study be judged to its end while processes are killed; compare what is left with the replies."""
    people, began = People(stack, link, assessors, rate), time.perf_counter()
    people.begin()
    outcome = Outcome(struck=strike(stack, people, kinds, back=back))

    def ended() -> bool:
        revive(stack)
        people.stored()
        return not unfinished(stack) or people.stalled()

    people.hurry()
    wait_until(ended, seconds=ENDS, what="the study is judged to its end")
    people.end()
    outcome.seconds, seen = time.perf_counter() - began, people.seen
    outcome.answers, outcome.faults = len(seen.stored), seen.faults
    outcome.longest = max(seen.seconds["answer"])

    def settled() -> bool:
        revive(stack)
        outcome.behind = int(json.loads(stack.python(BEHIND)))
        return not outcome.behind

    with contextlib.suppress(TimeoutError):  # the outcome says so
        wait_until(settled, seconds=SETTLES)
    outcome.unfinished = unfinished(stack)
    before = derived(stack)
    stack.manage("rebuild", SLUG)
    after = derived(stack)
    outcome.differ = [name for name in DERIVED if before[name] != after[name]]
    outcome.found = check(stack, seen.answers)
    return outcome


def main() -> None:
    """Kill, then print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.kills", description="kill -9 under load")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--assessors", type=int, default=8)
    parser.add_argument("--rate", type=float, default=25.0, help="answers a second in all; 0: as many as go")
    parser.add_argument("--topics", type=int, default=0, help="of the study; 0: enough for so many kills")
    parser.add_argument("--seed", type=int, default=1, help="chooses what is killed")
    asked = parser.parse_args()
    topics = asked.topics or max(6, asked.kills * 6 * GOES_ON // ANSWERS_A_TOPIC)
    kinds = random.Random(asked.seed).choices(list(KINDS), k=asked.kills)
    with Deployments(Size(topics, 14, 4), live=True) as place, place.fresh() as stack:
        outcome = survive(stack, place.made.link, kinds, assessors=asked.assessors, rate=asked.rate)
    print(outcome)
    if not outcome.right:
        raise SystemExit("something is wrong: see above")


if __name__ == "__main__":
    main()
