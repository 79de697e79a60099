"""A real deployment for end-to-end tests: the commands of docker-compose.yml, run by hand on free ports.

Every process is steered by environment variables alone and writes its log to a file. Nothing of it
runs inside the test's process.
"""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml

from tests.ground import ROOT, clean_environment, scratch_folder
from tests.servers import (
    MIGRATED,
    Postgres,
    Redis,
    die_with_parent,
    free_port,
    migrated,
    postgres,
    wait_until,
)

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
# What tests really used, for the closing report: name -> version.
used: dict[str, str] = {}

# The name that the product gives its SQLite file.
SQLITE = "faceoff.sqlite3"
TEMPLATE = "faceoff_template"

_databases = 0


# Migrated, empty databases, to be copied: bringing one up to date takes seconds.


@cache
def migrated_file() -> Path:
    """An empty SQLite file brought up to date by the command `migrate`, once for all parts of a run."""
    folder = migrated() or scratch_folder("migrated")
    if not (folder / SQLITE).exists():
        Stack.migrate("", data=folder)
    [file] = folder.glob(f"{SQLITE}*")  # nothing of it is left in a write-ahead log
    return file


def migrated_template() -> str:
    """The name of a migrated, empty database of the private PostgreSQL."""
    postgres.start()
    if not postgres.has(TEMPLATE):
        postgres.create(TEMPLATE)
        Stack.migrate(postgres.url(TEMPLATE))
    return TEMPLATE


def migrate_for_all() -> None:
    """Make both, and let this run and those that it starts find them."""
    with ThreadPoolExecutor() as pool:
        file = pool.submit(migrated_file)
        migrated_template()  # in this thread: the server ends with the one that started it
    folder = file.result().parent
    postgres.stop()
    subprocess.run(["cp", "--archive", str(postgres.data), str(folder / "cluster")], check=True)
    os.environ[MIGRATED] = str(folder)


def command_of(service: str) -> list[str]:
    """The command line that docker-compose.yml gives a service."""
    return list(COMPOSE["services"][service]["command"])


def group_lives(group: int) -> bool:
    """Whether a process group has a member that is not a zombie. Linux only: elsewhere always False."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name stands in brackets and may itself hold spaces.
            state, _, member_of, *_ = path.read_text().rpartition(")")[2].split()
            if int(member_of) == group and state != "Z":
                return True
    return False


class Stack:
    """Web, workers and beat as processes of their own; made by `over_services` or `embedded`.

    server: the PostgreSQL that holds `database`; unused where that is empty, which means SQLite.
    """

    def __init__(
        self,
        folder: Path,
        *,
        database: str,
        redis: Redis | None,
        workers: int,
        server: Postgres,
        **env: str,
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.server = server
        self.database = database
        self.redis = redis
        self.port = free_port()
        self.live_port = free_port()
        self.services = ["web"]
        if redis is not None:
            self.services += [f"worker{n}" for n in range(1, workers + 1)] + ["beat"]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._log_from: dict[str, int] = {}  # where the log of a process's present life begins
        self.environment = clean_environment() | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "FACEOFF_DATA": str(folder / "data"),
            "PORT": str(self.port),
            "LOG_LEVEL": "INFO",
            "PYTHONUNBUFFERED": "1",
            # Each round of a replay waits for it.
            "GATHER_SECONDS": "0.1",
            # Everybody comes from one address.
            "JOINS_A_MINUTE": "1000000",
            "LINK_SITTINGS": "1000000",
        }
        if database:
            self.environment["DATABASE_URL"] = server.url(database)
        self.environment["LIVE_URL"] = f":{self.live_port}/"
        if redis is not None:
            self.environment["REDIS_URL"] = redis.url
        else:
            self.environment["LIVE_PORT"] = str(self.live_port)
        self.environment |= env

    @classmethod
    def over_services(
        cls, folder: Path, *, template: str, workers: int = 1, server: Postgres = postgres, **env: str
    ) -> "Stack":
        """Over PostgreSQL (a copy of the migrated database `template`) and a Redis of its own.

        Sweeps run every second unless SWEEP_SECONDS says otherwise. Further keywords are variables.
        """
        global _databases
        _databases += 1
        database = f"stack_{os.getpid()}_{_databases}"
        server.create(database, template)
        redis = Redis(command_of("redis"))
        env = {"SWEEP_SECONDS": "1", "WEB_PROCESSES": "2"} | env
        return cls(folder, database=database, redis=redis, workers=workers, server=server, **env)

    @classmethod
    def embedded(cls, folder: Path, **env: str) -> "Stack":
        """One web process over SQLite, a copy of a migrated file; tasks run in it."""
        stack = cls(folder, database="", redis=None, workers=0, server=postgres, **env)
        (folder / "data").mkdir(mode=0o700)  # as the product makes it
        shutil.copy(migrated_file(), folder / "data" / SQLITE)
        return stack

    @staticmethod
    def migrate(database_url: str, data: Path | None = None) -> None:
        """Run the command of the service `migrate` on a database; without an address, on one in `data`."""
        environment = clean_environment() | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "FACEOFF_DATA": str(data or os.environ["FACEOFF_DATA"]),
        }
        if database_url:
            environment["DATABASE_URL"] = database_url
        done = subprocess.run(
            command_of("migrate"), cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"migrate failed:\n{done.stdout}{done.stderr}")

    def start(self) -> "Stack":
        """Start every process and wait until each is ready."""
        if self.redis is not None and self.redis.process is None:
            self.redis.start()
            used["Redis"] = self.redis.version()
        for name in self.services:
            self._launch(name)
        self.wait_ready()
        return self

    def wait_ready(self) -> None:
        """Wait until the web process answers and each worker says that it is ready."""
        wait_until(self._web_answers, seconds=60, what=f"the web process answers:\n{self.log('web')[-2000:]}")
        for name in self.services:
            if name.startswith("worker"):
                wait_until(partial(self._says, name, " ready."), seconds=60, what=f"{name} is ready")
                used["Celery worker"] = self.fresh_log(name).partition(" v")[2].split(" ")[0]
            if name == "beat":
                wait_until(partial(self._says, name, "beat: Starting"), seconds=60, what="beat starts")

    def _says(self, name: str, words: str) -> bool:
        self.check_alive()
        return words in self.fresh_log(name)

    def _web_answers(self) -> bool:
        self.check_alive()
        try:
            return self.get("/health")[0] == 200
        except OSError:
            return False

    def _launch(self, name: str) -> None:
        service = name.rstrip("0123456789")
        command = command_of(service)
        if service == "live":
            command[command.index("--port") + 1] = str(self.live_port)
        if service == "worker" and name != "worker1":
            # Containers differ in their host's name; here they share one.
            command.append(f"--hostname={name}@%h")
        log = self._log_path(name)
        with log.open("ab") as file:
            self._log_from[name] = file.tell()
            self.processes[name] = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=file, stderr=file,
                start_new_session=True, preexec_fn=die_with_parent,
            )  # fmt: skip

    def live_listens(self) -> bool:
        """Whether the process "live" takes connections."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.live_port)) == 0

    def launch(self, name: str) -> None:
        """Start one more process of the compose file: "live", "standings"."""
        self.services.append(name)
        self._launch(name)

    def check_alive(self) -> None:
        """Raise RuntimeError with its log when a process that serves has ended by itself."""
        for name, process in self.processes.items():
            if name in self.services and process.poll() is not None:
                raise RuntimeError(f"{name} ended with {process.returncode}:\n{self.log(name)[-4000:]}")

    def wait_until(self, predicate: Callable[[], object], *, seconds: float = 60, what: str = "") -> None:
        """As `wait_until`, while services that end by themselves are started again, as compose does."""

        def met() -> bool:
            self.revive(*(name for name in self.services if name in self.processes))
            return bool(predicate())

        wait_until(met, seconds=seconds, what=what)

    def revive(self, *names: str) -> None:
        """Start every service again, or these, that was killed or has ended, as `restart: unless-stopped`."""
        for name in names or self.services:
            if name not in self.processes or self.processes[name].poll() is not None:
                self._launch(name)

    def kill9(self, name: str) -> None:
        """kill -9 of a process with all its children: "web", "worker1", "beat"."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_until(lambda: not group_lives(process.pid), what=f"{name} and its children are dead")

    def restart(self, name: str) -> None:
        """Start a process that was killed, or end one gently and start it again; wait until it is ready."""
        if name in self.processes:
            self._end(name)
        self._launch(name)
        self.wait_ready()

    def _end(self, name: str) -> None:
        process = self.processes.pop(name)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # anyone who of its children is left
        process.wait()

    def stop(self) -> None:
        """Kill every process and remove the database."""
        for name in list(self.processes):
            self.kill9(name)
        if self.redis is not None:
            self.redis.kill9()
        if self.database:
            self.server.drop(self.database)

    def healthy(self, service: str) -> bool:
        """What the health check of docker-compose.yml says of a service, run by hand."""
        kind, *check = COMPOSE["services"][service]["healthcheck"]["test"]
        check = [part.replace("$$", "$") for part in check]
        for usual, port in ((8000, self.port), (8001, self.live_port)):
            check = [part.replace(f":{usual}/", f":{port}/") for part in check]
        command = ["sh", "-c", *check] if kind == "CMD-SHELL" else check
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, check=False)
        return done.returncode == 0

    def manage(self, *command: str) -> str:
        """Run a manage.py command in this deployment; return what it printed. Raises RuntimeError."""
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(command)}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def begin(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a manage.py command and return at once; it is killed with the stack. Its log: "command"."""
        with self._log_path("command").open("ab") as file:
            process = subprocess.Popen(
                [sys.executable, "manage.py", *command], cwd=ROOT, env=self.environment,
                stdout=file, stderr=file, start_new_session=True, preexec_fn=die_with_parent,
            )  # fmt: skip
        self.processes["command"] = process
        return process

    def python(self, code: str) -> str:
        """What a piece of Python prints inside this deployment, with Django and its models at hand."""
        return self.manage("shell", "--verbosity=0", "-c", code)

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the deployment's database; placeholders are written %s."""
        if self.database:
            with self.server.connect(self.database) as connection:
                return connection.execute(sql.encode(), values).fetchall()
        file = sqlite3.connect(self.folder / "data" / SQLITE, timeout=60)
        with contextlib.closing(file):
            return file.execute(sql.replace("%s", "?"), values).fetchall()

    @property
    def address(self) -> str:
        """Where its web process listens, without a final slash."""
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a GET. Raises OSError when nobody answers."""
        try:
            with urllib.request.urlopen(self.address + path, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def log(self, name: str) -> str:
        """Everything that a process, and those that ran under its name before, wrote."""
        path = self._log_path(name)
        return path.read_text(errors="replace") if path.exists() else ""

    def fresh_log(self, name: str) -> str:
        return self._log_path(name).read_bytes()[self._log_from[name] :].decode(errors="replace")

    def _log_path(self, name: str) -> Path:
        return self.folder / f"{name}.log"
