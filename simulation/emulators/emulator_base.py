"""An emulator's ground: state in one SQLite file, a clock that can be moved, faults on demand, a log.

Each request is one transaction, so that a kill -9 at any moment leaves either nothing of a request or all of
it; a client that lost the reply cannot tell which. Tests and people steer an emulator under /_emulator/:

GET  health, books, log[?operation=], state, clock, switches, faults
POST clock {advance: seconds}; switches {name: value};
     faults {operation, fault, times, seconds, when, every, after}; DELETE faults takes them all away

A fault strikes requests of one operation ("*": any), `times` of them (null: always), only each `every`-th,
and passes the first `after`. `when` says whether the work is done before the fault shows.
"""

import json
import sqlite3
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from simulation.emulators.http_server import EmulatedReply, Request, as_json, server

CONTROL = "/_emulator/"
LOG_LIMIT = 50_000  # requests that the log keeps, at least
BEFORE, AFTER = "before", "after"
# Each fault, and whether the work is done before it shows, unless the fault says otherwise.
FAULTS = {
    "lose_reply": AFTER,  # the connection is closed instead of an answer
    "drop_before": BEFORE,  # the same, and nothing was done
    "throttle": BEFORE,
    "503": BEFORE,
    "500": BEFORE,
    "html403": BEFORE,  # what a gateway in front of a closed service may say
    "slow": AFTER,  # the answer comes after `seconds`
    "duplicate": AFTER,  # the request arrives twice; the client sees the first answer
    "truncate": AFTER,  # half of the answer, and a length that agrees with the half
}
SCHEMA = """
CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fault (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, fault TEXT NOT NULL, "when" TEXT NOT NULL,
    times INTEGER, seconds REAL NOT NULL, every INTEGER NOT NULL, after INTEGER NOT NULL,
    seen INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS log (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, operation TEXT NOT NULL, attempt TEXT NOT NULL,
    request TEXT NOT NULL, status INTEGER NOT NULL, answer TEXT NOT NULL, fault TEXT NOT NULL);
"""


class Refusal(Exception):
    """The request is answered with this reply, and whatever it has changed is undone."""

    def __init__(self, reply: EmulatedReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


class Fault(NamedTuple):
    """A fault that strikes the request at hand."""

    fault: str
    when: str
    seconds: float


class Emulator(ABC):
    """What one marketplace does. Methods get the connection of the request's transaction as `self.db`.

    title: what it calls itself. schema: its tables. switches: facts nobody has verified, with defaults.
    """

    title: ClassVar[str]
    schema: ClassVar[str]
    switches: ClassVar[dict[str, Any]] = {}
    db: sqlite3.Connection
    now: float  # seconds since the epoch by the emulator's clock; set at each request

    @abstractmethod
    def operation(self, request: Request) -> str:
        """The name of the request's operation, for faults and the log."""

    @abstractmethod
    def answer(self, request: Request) -> EmulatedReply:
        """Do what a request asks for. Raises Refusal."""

    @abstractmethod
    def failing(self, fault: str) -> EmulatedReply:
        """How this marketplace words `throttle`, `503`, `500` or `html403`."""

    def catch_up(self) -> None:  # noqa: B027 - for a marketplace where nothing happens by itself
        """Do what should have happened since the last request, by the clock."""

    def outgoing(self) -> list[Callable[[], None]]:
        """What is to be sent to others after a request: each sends one message, outside of transactions."""
        return []

    @abstractmethod
    def books(self) -> dict[str, Any]:
        """The money, as decimal strings."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """All that it holds, for tests and for the curious."""

    def switch(self, name: str) -> Any:
        """The value of a switch."""
        return self.setting(f"switch:{name}", self.switches[name])

    def setting(self, name: str, default: Any = None) -> Any:
        """A stored value."""
        row = self.db.execute("SELECT value FROM setting WHERE name = ?", [name]).fetchone()
        return json.loads(row["value"]) if row else default

    def set(self, name: str, value: Any) -> None:
        """Store a value."""
        self.db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [name, json.dumps(value)])

    def rows(self, sql: str, *parts: Any) -> list[dict[str, Any]]:
        """The rows that a query finds."""
        return [dict(row) for row in self.db.execute(sql, parts)]

    def row(self, sql: str, *parts: Any) -> dict[str, Any] | None:
        """The first row that a query finds."""
        row = self.db.execute(sql, parts).fetchone()
        return dict(row) if row else None


class Ground:
    """Serves an emulator: opens its state, strikes with faults, keeps the log, answers control requests."""

    def __init__(self, emulator: Emulator, state: Path) -> None:
        self.emulator = emulator
        self.lock = threading.RLock()  # one request at a time, as each is one transaction
        self.stopped = threading.Event()
        state.parent.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(state, isolation_level=None, check_same_thread=False)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")  # outlives the process, if not the machine
        self.db.executescript(SCHEMA + emulator.schema)
        emulator.db = self.db
        emulator.now = time.time()

    def server(self, port: int) -> ThreadingHTTPServer:
        """A server that answers for this emulator; call its `serve_forever`."""
        return server(port, self.emulator.title, self.handle)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, at the emulator's time."""
        with self.lock:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                self.emulator.now = time.time() + self.emulator.setting("clock", 0.0)
                yield
            except BaseException:
                self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def handle(self, request: Request) -> EmulatedReply | None:
        """Answer a request, or None to hang up; what it leads to is sent to others meanwhile."""
        reply = self.answer(request)
        with self.transaction():
            sends = self.emulator.outgoing()
        for send in sends:
            threading.Thread(target=send, daemon=True).start()
        return reply

    def answer(self, request: Request) -> EmulatedReply | None:
        if request.path.startswith(CONTROL):
            with self.transaction():
                self.emulator.catch_up()
                return self.control(request)
        operation = self.emulator.operation(request)
        with self.transaction():
            fault = self.struck(operation)
        if fault and fault.when == BEFORE:
            self.wait(fault)
            if fault.fault != "slow":
                reply = self.failing(fault)
                with self.transaction():
                    self.log(request, operation, reply, fault)
                return reply
        reply = self.work(request, operation, fault)
        if fault and fault.fault == "duplicate":
            self.work(request, operation, fault)
        if fault and fault.when == AFTER:
            self.wait(fault)
            if fault.fault == "truncate":
                return reply._replace(body=reply.body[: len(reply.body) // 2])
            if fault.fault not in ("slow", "duplicate"):
                return self.failing(fault)
        return reply

    def work(self, request: Request, operation: str, fault: Fault | None) -> EmulatedReply:
        """Let the emulator answer, in one transaction with the entry in the log."""
        with self.transaction():
            self.emulator.catch_up()
            self.db.execute("SAVEPOINT work")
            try:
                reply = self.emulator.answer(request)
            except Refusal as refusal:
                self.db.execute("ROLLBACK TO work")
                reply = refusal.reply
            except Exception:
                self.db.execute("ROLLBACK TO work")
                reply = EmulatedReply(500, traceback.format_exc().encode(), {"Content-Type": "text/plain"})
            self.log(request, operation, reply, fault)
        return reply

    def failing(self, fault: Fault) -> EmulatedReply | None:
        """What the client sees of a fault."""
        return None if fault.fault in ("lose_reply", "drop_before") else self.emulator.failing(fault.fault)

    def wait(self, fault: Fault) -> None:
        """Let a slow answer take its time, without holding anybody else up."""
        if fault.seconds:
            self.stopped.wait(fault.seconds)

    def struck(self, operation: str) -> Fault | None:
        """The fault that strikes this request, if any; counts it."""
        for row in self.emulator.rows("SELECT * FROM fault ORDER BY id"):
            if row["operation"] not in ("*", operation):
                continue
            seen = row["seen"] + 1
            self.db.execute("UPDATE fault SET seen = ? WHERE id = ?", [seen, row["id"]])
            nth = seen - row["after"]
            if nth < 1 or nth % row["every"]:
                continue
            if row["times"] is not None and nth // row["every"] > row["times"]:
                continue
            return Fault(row["fault"], row["when"], row["seconds"])
        return None

    def log(self, request: Request, operation: str, reply: EmulatedReply | None, fault: Fault | None) -> None:
        """Keep what was asked and answered."""
        self.db.execute(
            "INSERT INTO log (at, operation, attempt, request, status, answer, fault) VALUES (?,?,?,?,?,?,?)",
            [
                self.emulator.now,
                operation,
                request.headers.get("amz-sdk-request", ""),
                request.body.decode("utf-8", "replace"),
                reply.status if reply else 0,
                reply.body.decode("utf-8", "replace")[:4000] if reply else "",
                fault.fault if fault else "",
            ],
        )
        last = self.db.execute("SELECT last_insert_rowid()").fetchone()[0]
        if last % LOG_LIMIT == 0:  # workers who look for work all night leave no endless log
            self.db.execute("DELETE FROM log WHERE id <= ?", [last - LOG_LIMIT])

    def control(self, request: Request) -> EmulatedReply:
        """Answer a control request."""
        what = (request.method, request.path.removeprefix(CONTROL))
        asked: dict[str, Any] = request.json() if request.body else {}
        if what == ("POST", "faults"):
            self.add_fault(**asked)
        elif what == ("DELETE", "faults"):
            self.db.execute("DELETE FROM fault")
        elif what == ("POST", "clock"):
            self.emulator.set("clock", self.emulator.setting("clock", 0.0) + float(asked["advance"]))
            self.emulator.now += float(asked["advance"])
            self.emulator.catch_up()
        elif what == ("POST", "switches"):
            for name, value in asked.items():
                if name not in self.emulator.switches:
                    raise ValueError(
                        f"no switch is called {name}; there are {', '.join(self.emulator.switches)}"
                    )
                self.emulator.set(f"switch:{name}", value)
        elif request.method != "GET":
            return as_json({"error": f"no {request.method} of {request.path}"}, 404)
        return self.shown(what[1], request.one("operation"))

    def shown(self, what: str, operation: str) -> EmulatedReply:
        """What a control request shows."""
        match what:
            case "health":
                return as_json({"emulator": self.emulator.title, "real": False, "now": self.emulator.now})
            case "clock":
                return as_json({"now": self.emulator.now})
            case "faults":
                return as_json(self.emulator.rows("SELECT * FROM fault ORDER BY id"))
            case "switches":
                return as_json({name: self.emulator.switch(name) for name in self.emulator.switches})
            case "log":
                sql = "SELECT * FROM log WHERE ? IN ('', operation) ORDER BY id"
                return as_json(self.emulator.rows(sql, operation))
            case "books":
                return as_json(self.emulator.books())
            case "state":
                return as_json(self.emulator.state())
        return as_json({"error": f"nothing is shown at {CONTROL}{what}"}, 404)

    def add_fault(
        self,
        fault: str,
        operation: str = "*",
        times: int | None = 1,
        seconds: float = 0,
        when: str = "",
        every: int = 1,
        after: int = 0,
    ) -> None:
        """Order a fault. Raises ValueError."""
        if fault not in FAULTS:
            raise ValueError(f"no fault is called {fault}; there are {', '.join(FAULTS)}")
        when = when or FAULTS[fault]
        fixed = ("lose_reply", "drop_before", "duplicate", "truncate")
        if when not in (BEFORE, AFTER) or (fault in fixed and when != FAULTS[fault]):
            raise ValueError(f"{fault} cannot be {when}")
        if every < 1 or after < 0 or seconds < 0 or (times is not None and times < 1):
            raise ValueError("every and times are at least 1; after and seconds are not negative")
        self.db.execute(
            'INSERT INTO fault (operation, fault, "when", times, seconds, every, after, seen)'
            " VALUES (?,?,?,?,?,?,?,0)",
            [operation, fault, when, times, seconds, every, after],
        )
