"""Deployments to measure: the product over copies of one made study, and beside it the floor.

Every burst has a deployment of its own over an untouched copy. So each begins with the same rows and
statistics, whatever the one before left behind: half-judged topics, work in the queue, tables grown.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from bench.load import cpu, material
from tests.ground import ROOT, clean_environment, scratch_folder
from tests.servers import Postgres, Redis, die_with_parent, free_port, wait_until
from tests.stack import Stack, command_of

MADE = "load_made"
FLOOR = "load_floor"
PROCESSES, THREADS = 2, 8


class Deployments:
    """A made study, and what is deployed over copies of it; the floor runs from beginning to end.

    sqlite: one process without any service, as `make run` starts it; the floor is then over SQLite too.
    live: with the processes that standings and the stream to open leaderboards have of their own.
    server: a PostgreSQL that runs already, which is left as it is; without it a durable one of its own.
    """

    def __init__(
        self,
        size: material.Size,
        *,
        sqlite: bool = False,
        live: bool = False,
        server: Postgres | None = None,
    ) -> None:
        self.size, self.sqlite, self.live = size, sqlite, live
        self.processes = 1 if sqlite else PROCESSES
        self.folder = scratch_folder("load")
        self.server = server or Postgres(durable=True)
        self.floor = f"http://127.0.0.1:{(port := free_port())}"
        self._floor_port = port
        self._numbers = iter(range(1, 10**6))
        self._ending = ExitStack()

    def __enter__(self) -> "Deployments":
        try:
            if not self.sqlite:
                if self.server.process is None:
                    self.server.start()
                    self._ending.callback(self.server.stop)
                self.server.create(MADE)
                self._ending.callback(self.server.drop, MADE)
                self.server.create(FLOOR)
                self._ending.callback(self.server.drop, FLOOR)
            self.made = self._make()
            self._start_floor()
        except BaseException:
            self._ending.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.close()

    def _make(self) -> material.Made:
        # With a queue that nobody empties: otherwise each file would rescore every topic at once.
        maker = Stack(
            self.folder / "made",
            database="" if self.sqlite else MADE,
            redis=(redis := Redis(command_of("redis"))),
            workers=0,
            server=self.server,
        )
        redis.start()
        try:
            maker.manage("migrate", "--verbosity=0")
            made = material.make(maker, self.size)
        finally:
            redis.kill9()
        if not self.sqlite:
            with self.server.connect(MADE) as connection:
                connection.execute("VACUUM (ANALYZE)")
        return made

    def _start_floor(self) -> None:
        file = self.folder / "floor.sqlite3"
        url = f"sqlite:///{file}" if self.sqlite else self.server.url(FLOOR)
        environment = clean_environment() | {"FLOOR_DATABASE": url}
        subprocess.run([sys.executable, "-m", "bench.load.floor"], cwd=ROOT, env=environment, check=True)
        command = ["gunicorn", f"--workers={self.processes}", f"--threads={THREADS}", "--no-control-socket"]
        command += [f"--bind=127.0.0.1:{self._floor_port}", "--worker-tmp-dir=/dev/shm"]
        log = (self.folder / "floor.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "bench.load.floor:application"],
            cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True,
            preexec_fn=die_with_parent,
        )  # fmt: skip
        self._ending.callback(process.wait, timeout=20)
        self._ending.callback(process.terminate)
        started = f"Listening at: {self.floor}"
        wait_until(lambda: started in Path(log.name).read_text(), what="the floor listens")

    @contextmanager
    def fresh(self) -> Iterator[Stack]:
        """A deployment that has just come up over a copy of the study; removed afterwards."""
        folder = self.folder / f"burst-{next(self._numbers)}"
        # As docker-compose.yml sets them where nobody says otherwise.
        settings = {"SWEEP_SECONDS": "10", "GATHER_SECONDS": "0.25", "LOG_LEVEL": "WARNING"}
        settings |= {"WEB_PROCESSES": str(self.processes), "WEB_THREADS": str(THREADS)}
        if self.sqlite:
            stack = Stack(folder, database="", redis=None, workers=0, server=self.server, **settings)
        else:
            stack = Stack.over_services(folder, template=MADE, workers=1, server=self.server, **settings)
        try:
            shutil.copytree(self.folder / "made" / "data", folder / "data")
            if not self.sqlite:
                with self.server.connect() as connection:
                    connection.execute("CHECKPOINT")  # what the copy left to write
            stack.start()
            if self.live:
                stack.launch("standings")
                stack.launch("live")
                wait_until(stack.live_listens, what="the stream's process")
            yield stack
        finally:
            stack.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def roots(self, stack: Stack) -> dict[str, list[int]]:
        """Process ids by group, for `cpu`: web, PostgreSQL, worker + beat, Redis."""
        groups = {"web": [stack.processes["web"].pid]}
        if not self.sqlite and self.server.process is not None:
            groups["PostgreSQL"] = [self.server.process.pid]
            groups["worker + beat"] = [
                stack.processes[name].pid for name in stack.services if name not in ("web", "live")
            ]
        if stack.redis is not None and stack.redis.process is not None:
            groups["Redis"] = [stack.redis.process.pid]
        return groups

    def rest(self, stack: Stack) -> float:
        """Wait until nobody works any more; return the seconds that took."""
        return cpu.rest(self.roots(stack))
