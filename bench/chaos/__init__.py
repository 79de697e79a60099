"""A paid campaign on the emulated marketplace while processes are killed with kill -9, and its books then.

Usage: .venv/bin/python -m bench.chaos [--kills 100] [--workers 60] [--topics 173] [--pause 0] [--seed 1]

Starts everything itself: a private PostgreSQL, Redis, the services of docker-compose.yml, the emulator of
Mechanical Turk, and simulated workers (`simulation.turkers`), of whom some answer by chance, return their
place, leave it, press twice or go on in an older page. The emulator loses answers, throttles, fails and
takes requests twice. Until every pairing of the first round of every topic is judged, one process after
another, chosen by the seed, is killed and started again. Then the campaign is stopped, drained and closed,
and compared with the emulator. With the public data in ../shared/data the 173 topics and their grades are
those of CAsT 2019, else they are made up. Prints a report in Markdown; ends with an error where anything is
wrong.
"""

import argparse
import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg

from bench.chaos.outcome import Outcome
from bench.chaos.study import SLUG, make_study, prefer
from bench.kills import BACK, KINDS, revive
from bench.load.report import say
from simulation.turkers import Became, Down, Habits, Turker
from tests.panels.emulated import Emulated, mturk
from tests.servers import Postgres, wait_until
from tests.stack import Stack

TEMPLATE = "chaos_template"
STRIKES = (
    *("web", "one web process", "worker", "one worker process", "beat"),
    *("Redis", "PostgreSQL", "one PostgreSQL backend"),
)
# Faults of the emulator all the time: the operation, the fault, and of how many requests it strikes one.
FAULTS = (
    ("CreateHITWithHITType", "lose_reply", 11),
    ("CreateHITWithHITType", "503", 17),
    ("CreateHITWithHITType", "duplicate", 23),
    ("ApproveAssignment", "lose_reply", 7),
    ("ApproveAssignment", "throttle", 13),
    ("ApproveAssignment", "truncate", 19),
    ("AssociateQualificationWithWorker", "lose_reply", 3),
    ("ListAssignmentsForHIT", "500", 29),
    ("UpdateExpirationForHIT", "lose_reply", 9),
    ("externalSubmit", "lose_reply", 15),
)
ENDS, DRAINS = 3600.0, 1200.0  # seconds that the first round, and what is left after it, may take
TURNED_AWAY, NOTHING = 5.0, 1.0  # seconds after which a worker looks again
HABITS = Habits(careless=0.08, returns=0.04, leaves=0.02, doubles=0.1, reloads=0.1)
REWARD, FEE = Decimal("2.00"), Decimal("0.40")

OPEN = "SELECT count(*) FROM tournament_round WHERE number = 1 AND NOT complete"
ANSWERS = "SELECT count(*) FROM judging_judgment"
# Pairings of first rounds without an answer of a kept batch: seen from the answers, not from counters.
UNJUDGED = """
    SELECT count(*) FROM tournament_pairing pairing
    JOIN tournament_round round ON round.id = pairing.round_id AND round.number = 1
    WHERE NOT EXISTS (
        SELECT 1 FROM judging_judgment judgment
        JOIN judging_assignment batch ON batch.id = judgment.assignment_id AND batch.state = 'kept'
        WHERE judgment.question_id = pairing.question_id AND judgment.role = 'counts')
"""
PAIRINGS = """
    SELECT count(*) FROM tournament_pairing pairing
    JOIN tournament_round round ON round.id = pairing.round_id AND round.number = 1
"""
BUDGET = "SELECT cap, committed FROM panels_budget"
POSTED = "SELECT kind, sum(amount) FROM panels_posting GROUP BY kind"
PLACES = "SELECT count(*) FROM panels_place WHERE outside <> ''"
BATCHES = "SELECT state, count(*) FROM judging_assignment GROUP BY state ORDER BY state"
UNSETTLED = "SELECT count(*) FROM panels_call WHERE state IN ('waiting', 'calling', 'doubt')"
CALLS = """
    SELECT op, count(*), sum(attempts), sum(doubts) FROM panels_call GROUP BY op ORDER BY min(id)
"""
DOUBTED = """
    SELECT op, state, settled_how, count(*) FROM panels_call WHERE doubts > 0
    GROUP BY op, state, settled_how ORDER BY op, state, settled_how
"""


class People:
    """Simulated workers, each in a thread, until they are told to stop."""

    def __init__(
        self, market: Emulated, number: int, pause: float, seed: int, habits: Habits = HABITS
    ) -> None:
        self._over = threading.Event()
        self.failures: list[BaseException] = []
        self.workers = [
            Turker(
                market.site,
                f"ACHAOS{n:03}",
                prefer,
                seed=str(seed),
                pause=pause,
                habits=habits,
                stop=self._over.is_set,
            )
            for n in range(number)
        ]
        self._threads = [
            threading.Thread(target=self._work, args=(one,), daemon=True) for one in self.workers
        ]

    def begin(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=120)

    def became(self) -> Counter[Became]:
        return sum((one.became for one in self.workers), Counter())

    def _work(self, worker: Turker) -> None:
        rests = {Became.TURNED_AWAY: TURNED_AWAY, Became.NOTHING: NOTHING, Became.LEFT: TURNED_AWAY}
        while not self._over.is_set():
            try:
                became = worker.visit()
            except (Down, ValueError) as error:
                self.failures.append(error)
                return
            self._over.wait(rests.get(became, 0.0) * random.uniform(0.5, 1.5))


def offer(stack: Stack, pairings: int) -> None:
    """Make the campaign, arm it, publish what the first round needs; it publishes further places itself."""
    places = pairings // 10 * 3 + 60
    cap = (REWARD + FEE) * places

    def campaign(*words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(stack.manage("campaign", SLUG, *words, "--json"))
        return found

    campaign(
        *("new", "--panel", "mturk", "--reward", str(REWARD), "--places", str(places), "--cap", str(cap)),
        *("--top-up", "on", "--minutes", "10"),
        *("--term", "approved_least=0", "--term", "approved_percent=0", "--term", "duration_minutes=5"),
    )
    campaign("arm", "--hash", campaign("estimate")["hash"])
    stack.begin("campaign", SLUG, "publish", "--places", str(pairings // 10 + 1))


def strike(stack: Stack, kinds: Iterable[str], outcome: Outcome, chooser: random.Random) -> None:
    """Kill one process after another while people judge, until the first round is judged."""
    for kind in kinds:
        before = outcome.answers
        pause = time.monotonic() + chooser.uniform(1.0, 5.0)

        def goes_on(before: int = before, pause: float = pause) -> bool:
            revive(stack)
            look(stack, outcome)
            return (outcome.answers > before + 10 and time.monotonic() > pause) or not _left(stack)

        wait_until(goes_on, seconds=ENDS, what=f"people judge on after {outcome.struck}")
        if not _left(stack):
            return
        if KINDS[kind](stack):
            outcome.struck[kind] += 1
            say(f"{outcome.struck.total()}. {kind}, after {outcome.answers:,} answers")
        time.sleep(BACK)


def look(stack: Stack, outcome: Outcome) -> None:
    """Note how far they are, and whether more is committed than may be."""
    try:
        [(answers,)] = stack.query(ANSWERS)
        [(cap, committed)] = stack.query(BUDGET)
    except (psycopg.Error, ValueError):
        return
    outcome.answers, outcome.cap = answers, cap
    outcome.highest = max(outcome.highest, committed)


def _left(stack: Stack) -> int:
    """Rounds of the first that are not judged yet; one while the database does not answer."""
    try:
        return int(stack.query(OPEN)[0][0])
    except psycopg.Error:
        return 1


def survive(
    stack: Stack,
    market: Emulated,
    kinds: Iterable[str],
    *,
    workers: int,
    pause: float = 0.0,
    seed: int = 1,
    habits: Habits = HABITS,
) -> Outcome:
    """Have a first round judged for pay while processes are killed; drain, close, and compare the books."""
    outcome, people, began = Outcome(), People(market, workers, pause, seed, habits), time.perf_counter()
    outcome.pairings = int(stack.query(PAIRINGS)[0][0])
    for operation, fault, every in FAULTS:
        market.fault(fault, operation, times=None, every=every)
    offer(stack, outcome.pairings)
    people.begin()
    strike(stack, kinds, outcome, random.Random(seed))

    def judged() -> bool:
        revive(stack)
        look(stack, outcome)
        if people.failures:
            raise people.failures[0]
        return not _left(stack)

    wait_until(judged, seconds=ENDS, what="every pairing of the first round is judged")
    say(f"judged after {time.perf_counter() - began:.0f} s; draining")
    stack.wait_until(lambda: _done(stack, "campaign", SLUG, "stop"), seconds=DRAINS, what="it is stopped")
    stack.wait_until(lambda: _drained(stack), seconds=DRAINS, what="nothing is outstanding")
    people.end()
    look(stack, outcome)
    outcome.seconds = time.perf_counter() - began
    outcome.became = people.became()
    _compare(stack, market, outcome)
    if not _done(stack, "campaign", SLUG, "close"):
        outcome.wrong.append("the campaign cannot be closed")
    return outcome


def _done(stack: Stack, *command: str) -> bool:
    try:
        stack.manage(*command)
    except RuntimeError as error:
        say(str(error)[-300:])
        return False
    return True


def _drained(stack: Stack) -> bool:
    """Whether nothing stands in the way of closing; asked seldom, since each time is a process."""
    time.sleep(2.0)
    try:
        status = json.loads(stack.manage("campaign", SLUG, "status", "--json"))
    except RuntimeError:
        return False
    return not status["before it can be closed"]


def _compare(stack: Stack, market: Emulated, outcome: Outcome) -> None:
    """Compare what is stored here with what the marketplace holds."""
    state, books = market.show("state"), market.show("books")
    posted = dict(stack.query(POSTED))
    ours = {kind: posted.get(kind, Decimal(0)) for kind in ("reward", "fee", "bonus")}
    theirs = {"reward": Decimal(books["rewards"]), "bonus": Decimal(books["bonuses"])}
    theirs["fee"] = Decimal(books["fees"])
    outcome.spent = sum(ours.values(), Decimal(0))
    outcome.hits, annotations = len(state["hits"]), [hit["annotation"] for hit in state["hits"]]
    taken = Counter(one["state"] for one in state["assignments"])
    outcome.submitted = taken["Submitted"] + taken["Approved"] + taken["Rejected"]
    rewards = Counter(one["assignment"] for one in state["postings"] if one["kind"] == "reward")
    outcome.batches, outcome.calls = stack.query(BATCHES), stack.query(CALLS)
    outcome.doubted = stack.query(DOUBTED)
    checks = {
        "a pairing is not judged": stack.query(UNJUDGED)[0][0],
        "an annotation twice": len(annotations) - len({*annotations}),
        "HITs of no place, or places of no HIT": len(annotations) - stack.query(PLACES)[0][0],
        "submitted and not approved": outcome.submitted - taken["Approved"],
        "approved and not paid once": sum(n != 1 for n in rewards.values())
        + taken["Approved"]
        - len(rewards),
        "rejected": taken["Rejected"],
        "books differ": 0 if ours == theirs else f"ours {ours}, the marketplace's {theirs}",
        "calls not settled": stack.query(UNSETTLED)[0][0],
        "committed beyond the cap": max(Decimal(0), outcome.highest - outcome.cap),
        "spent is not so many times the price": outcome.spent - (REWARD + FEE) * outcome.submitted,
    }
    outcome.wrong += [f"{name}: {found}" for name, found in checks.items() if found]


def settings_of(market: Emulated) -> dict[str, Any]:
    """Variables of a deployment that offers places on this emulator."""
    return {
        "MTURK_MODE": "emulator",
        "MTURK_EMULATOR_URL": market.url,
        "MTURK_EMULATOR_SITE": market.site,
        "PANEL_SECONDS": "2",
        "PANEL_CALLS_A_SECOND": "40",
        "PANEL_CLAIM_SECONDS": "30",
        # Everybody comes from one address.
        "PANEL_ARRIVALS_A_MINUTE": "1000000",
    }


@contextmanager
def deployed(folder: Path) -> Iterator[tuple[Stack, Emulated]]:
    """A deployment that offers places on an emulator, over a PostgreSQL of its own, which may be killed."""
    server = Postgres(durable=True)
    server.start()
    try:
        with mturk(folder / "market" / "state") as market:
            server.create(TEMPLATE)
            Stack.migrate(server.url(TEMPLATE), data=folder)
            stack = Stack.over_services(
                folder / "stack", template=TEMPLATE, server=server, **settings_of(market)
            )
            try:
                yield stack.start(), market
            finally:
                stack.stop()
    finally:
        server.stop()


def main() -> None:
    """Kill, then print the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description="kill -9 during a campaign")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--workers", type=int, default=60)
    parser.add_argument("--topics", type=int, default=173)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before each answer, about")
    parser.add_argument("--seed", type=int, default=1, help="chooses what is killed when, and who does what")
    asked = parser.parse_args()
    kinds = random.Random(asked.seed).choices(STRIKES, k=asked.kills)
    with tempfile.TemporaryDirectory() as name, deployed(Path(name)) as (stack, market):
        make_study(stack, asked.topics)
        outcome = survive(stack, market, kinds, workers=asked.workers, pause=asked.pause, seed=asked.seed)
    print(outcome)
    if outcome.wrong:
        raise SystemExit("something is wrong: see above")
