"""Private servers for tests: PostgreSQL and Redis, started when needed and stopped with the run.

Nothing of a PostgreSQL or Redis that is already running is touched.
"""

import atexit
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from tests.ground import scratch_folder

T = TypeVar("T")
MISSING = "{} is not installed, and these tests do not pass without it: `make test` as root installs it."


def wait_until(predicate: Callable[[], T], *, seconds: float = 30, what: str = "") -> T:
    """Return what `predicate()` gives once it is true; fail after `seconds`, naming what it waited for."""
    end = time.monotonic() + seconds
    while not (found := predicate()):
        if time.monotonic() > end:
            raise TimeoutError(f"After {seconds} s still not: {what or predicate.__name__}")
        time.sleep(0.05)
    return found


def free_port() -> int:
    """A port of the loopback address that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """For `preexec_fn`: on Linux the kernel ends this process when the test run is killed."""
    if sys.platform == "linux":
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def children(pid: int) -> list[int]:
    """Processes that a process has started and that still run. Linux only."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has just ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def has_ended(pid: int) -> bool:
    """Whether a process has ended, with or without somebody who takes note of it. Linux only."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in ("Z", "X")


def find(program: str, folders: Sequence[str] = ()) -> str:
    """The path of a program on the PATH or in one of these folders, newest last. Raises RuntimeError."""
    places = [str(p) for pattern in folders for p in sorted(Path("/").glob(pattern.lstrip("/")))]
    found = shutil.which(program) or shutil.which(program, path=os.pathsep.join(reversed(places)))
    if found is None:
        raise RuntimeError(MISSING.format(program))
    return found


class Postgres:
    """A PostgreSQL cluster in a scratch folder, reached only by a socket in that folder.

    durable: with PostgreSQL's own settings, as operators run it; otherwise quick, and safe from kill -9 only.
    original: the folder of a cluster that is stopped, to begin with a copy of it instead of a new one.
    """

    USER = "faceoff"

    def __init__(self, *, durable: bool = False, original: Path | None = None) -> None:
        self.durable = durable
        self.original = original
        self.folder = scratch_folder("postgres")
        self.data = self.folder / "cluster"
        self.process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        """DATABASE_URL of one of its databases; the cluster need not run yet."""
        return f"postgres://{self.USER}@/{self.folder}/{database}"

    def connect(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        """A connection in autocommit mode."""
        return psycopg.connect(host=str(self.folder), user=self.USER, dbname=database, autocommit=True)

    def version(self) -> str:
        """What the running server says it is."""
        with self.connect() as connection:
            row = connection.execute("SHOW server_version").fetchone()
        return str(row[0]) if row else ""

    def start(self) -> None:
        """Start it, unless it runs; make the cluster before. Raises RuntimeError with the server's reason."""
        if self.process is not None:
            return
        account = self._account()
        programs = ["/usr/lib/postgresql/*/bin"]
        data = self.data
        if not data.exists() and self.original is not None:
            subprocess.run(["cp", "--archive", str(self.original), str(data)], check=True)
        if not data.exists():
            initdb = [find("initdb", programs), "-D", str(data), "-U", self.USER, "-A", "trust", "-E", "UTF8"]
            made = subprocess.run(
                [*initdb, "--locale=C.UTF-8", "--no-sync"],
                cwd=self.folder, capture_output=True, text=True, check=False, **account,
            )  # fmt: skip
            if made.returncode:
                raise RuntimeError(f"initdb failed: {made.stderr}")
        options = ["listen_addresses=", f"unix_socket_directories={self.folder}"]
        if not self.durable:
            # A test's database need not outlive the machine; it does outlive kill -9 of any process.
            options += ["fsync=off", "full_page_writes=off", "max_connections=200"]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [find("postgres", programs), "-D", str(data), *(part for o in options for part in ("-c", o))],
            cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
            preexec_fn=die_with_parent, **account,
        )  # fmt: skip
        atexit.register(self.stop)
        wait_until(self._answers, seconds=60, what=f"PostgreSQL answers; see {log.name}")

    def _account(self) -> dict[str, Any]:
        """Whose processes they are: PostgreSQL refuses to be run by root."""
        if os.geteuid() != 0:
            return {}
        try:
            owner = pwd.getpwnam("postgres")
        except KeyError:
            raise RuntimeError(MISSING.format("the user postgres")) from None
        os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def kill9(self) -> None:
        """End all its processes at once, as a container that is killed; `start` starts it again."""
        if self.process is None:
            return
        # Each has a session of its own. The one that would start others meanwhile is held first.
        self.process.send_signal(signal.SIGSTOP)
        own = children(self.process.pid)
        for pid in (self.process.pid, *own):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.process = None
        # The cluster's memory is in use until the last of them has ended.
        wait_until(lambda: all(map(has_ended, own)), seconds=60, what="PostgreSQL's processes end")

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()}")
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def has(self, database: str) -> bool:
        """Whether there is a database of this name."""
        with self.connect() as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone()
        return found is not None

    def create(self, database: str, template: str = "template1") -> None:
        """Make an empty database, or a copy of another one to which nobody is connected."""
        with self.connect() as connection:
            connection.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"'.encode())

    def drop(self, database: str) -> None:
        """Remove a database, anyone who is connected to it."""
        with self.connect() as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)'.encode())

    def stop(self) -> None:
        """End every session and stop."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)  # "fast shutdown"
            self.process.wait(timeout=30)
            self.process = None


class Redis:
    """A Redis server of one's own on a free port, which keeps nothing on disk."""

    def __init__(self, command: Sequence[str] = ("redis-server", "--save", "", "--appendonly", "no")) -> None:
        self.command = list(command)
        self.folder = scratch_folder("redis")
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, or start again on the same port."""
        program, *rest = self.command
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            [find(program), *rest, "--port", str(self.port), "--bind", "127.0.0.1"],
            cwd=self.folder, stdout=log, stderr=log, start_new_session=True, preexec_fn=die_with_parent,
        )  # fmt: skip
        atexit.register(self.kill9)
        wait_until(self._answers, what=f"Redis answers; see {log.name}")

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"Redis did not start: {(self.folder / 'log').read_text()}")
        return self.ask("PING").startswith("+PONG")

    def ask(self, command: str) -> str:
        """The server's answer to a command, unparsed; empty when nobody answers."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(f"{command}\r\n".encode())
                return connection.recv(65536).decode(errors="replace")
        except OSError:
            return ""

    def version(self) -> str:
        """What the running server says it is."""
        return self.ask("INFO server").partition("redis_version:")[2].partition("\r\n")[0]

    def freeze(self) -> None:
        """Let it hold connections and answer nothing, as behind a network that is gone."""
        if self.process is not None:
            self.process.send_signal(signal.SIGSTOP)

    def kill9(self) -> None:
        """End it at once; whatever it held is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


# The variable that names a folder of migrated databases: `tests.stack.migrated_for_all` makes it.
MIGRATED = "FACEOFF_TESTS_MIGRATED"


def migrated() -> Path | None:
    """The folder of migrated databases that all parts of this run share, if it has parts."""
    return Path(os.environ[MIGRATED]) if os.environ.get(MIGRATED) else None


def _own() -> Postgres:
    folder = migrated()
    return Postgres(original=folder / "cluster" if folder else None)


# One cluster serves the whole run; it starts with the first test that needs it.
postgres = _own()
