"""Measuring one action in this process: milliseconds, statements, rows that the database read, memory."""

import contextlib
import resource
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from bench.load import cpu

READ = "SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_user_tables"


@dataclass(frozen=True)
class Cost:
    """What an action took. ms: median of its repeats; statements and rows: of one of them.

    cpu: milliseconds of this process's own, the median too. database: the same of PostgreSQL's process for
    this connection, the mean; None on SQLite. rows: that PostgreSQL fetched from tables; None on SQLite.
    grown: MiB by which the process's memory grew at most. slowest: the statement that took longest, and its
    milliseconds. size: bytes of the reply; None without a reply.
    """

    ms: float
    cpu: float
    database: float | None
    statements: int
    rows: int | None
    grown: float
    slowest: str
    slowest_ms: float
    size: int | None = None


def measured(act: Callable[[], Any], *, repeats: int = 5, warm: bool = True) -> Cost:
    """Do something once to warm up, then a few times more, and say what it took."""
    if warm:
        act()
    times, own, reply = [], [], None
    peak = _Peak()
    database = _database_seconds()
    with peak:
        for _ in range(repeats):
            started, spent = time.perf_counter(), time.process_time()
            reply = act()
            times.append(1000 * (time.perf_counter() - started))
            own.append(1000 * (time.process_time() - spent))
    used = _database_seconds() - database
    before = _rows_read()
    with CaptureQueriesContext(connection) as queries:
        if warm:
            act()
    after = _rows_read()
    rows = None if before is None or after is None or not warm else after - before
    slowest = max(queries.captured_queries, key=lambda query: float(query["time"]), default=None)
    return Cost(
        statistics.median(times),
        statistics.median(own),
        1000 * used / repeats if before is not None else None,
        len(queries),
        rows,
        peak.grown,
        slowest["sql"] if slowest else "",
        1000 * float(slowest["time"]) if slowest else 0.0,
        len(reply.content) if isinstance(reply, HttpResponse) else None,
    )


def after(before: Callable[[], Any], act: Callable[[], Any]) -> Callable[[], Any]:
    """Both, one after the other."""

    def do() -> None:
        before()
        act()

    return do


def well(reply: Any) -> Any:
    """The reply, read to its end. Ends the program where it is not what was asked for."""
    if reply.status_code not in (200, 303, 304):
        raise SystemExit(f"{reply.request['PATH_INFO']}: {reply.status_code} {reply.content[:500]!r}")
    with contextlib.suppress(AttributeError):
        _ = reply.content
    return reply


def explained(sql: str) -> str:
    """What PostgreSQL says of how it carries out a SELECT; empty for anything else."""
    if connection.vendor != "postgresql" or not sql.lstrip().upper().startswith(("SELECT", "WITH")):
        return ""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        try:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {sql.replace('%', '%%')}", [])
            return "\n".join(row[0] for row in cursor.fetchall())
        except Exception as error:
            return f"not explained: {error}"
        finally:
            cursor.execute("ROLLBACK")


def _database_seconds() -> float:
    """CPU seconds of PostgreSQL's process for this connection so far; 0 on SQLite."""
    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    return cpu.seconds({"": [connection.connection.info.backend_pid]})[""]


def _rows_read() -> int | None:
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(READ)
        return int(cursor.fetchone()[0])


class _Peak:
    """The most by which this process's resident memory grows while the block runs, in MiB."""

    def __enter__(self) -> "_Peak":
        self._before = self._most = resident()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._end.wait(0.01):
            self._most = max(self._most, resident())

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()
        self._most = max(self._most, resident())

    @property
    def grown(self) -> float:
        return self._most - self._before


def resident() -> float:
    """This process's resident memory in MiB."""
    try:
        with open("/proc/self/statm") as told:
            return int(told.read().split()[1]) * resource.getpagesize() / 2**20
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
