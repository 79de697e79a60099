"""Emulators for tests, each a program of its own on a free port: `with mturk(folder / "state") as market`."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.ground import ROOT
from tests.servers import die_with_parent, free_port, wait_until


class Emulated:
    """A running emulator: where it is, and how to steer it."""

    def __init__(self, name: str, state: Path) -> None:
        self.name, self.file = name, state
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def site(self) -> str:
        """The same program under another origin, as workers see it."""
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Start it, or start it again on the same port and state, and wait until it answers."""
        command = [sys.executable, "manage.py", "emulate", self.name]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--state", str(self.file)],
            cwd=ROOT, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        )  # fmt: skip
        wait_until(self._answers, seconds=60, what=f"the {self.name} emulator answers")

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"the {self.name} emulator did not start")
        try:
            return bool(self.show("health"))
        except OSError:
            return False

    def kill9(self) -> None:
        """End it at once; its state stays."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def steer(self, method: str, what: str, asked: object = None) -> Any:
        """Send a control request."""
        body = None if asked is None else json.dumps(asked).encode()
        request = urllib.request.Request(f"{self.url}/_emulator/{what}", body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{method} {what}: {refused.code} {refused.read().decode()}") from None

    def show(self, what: str) -> Any:
        """What a control address shows: books, log, state, clock, switches, faults."""
        return self.steer("GET", what)

    def fault(self, fault: str, operation: str = "*", **how: Any) -> None:
        """Order a fault; `how` has times, seconds, when, every, after."""
        self.steer("POST", "faults", {"fault": fault, "operation": operation, **how})

    def calm(self) -> None:
        """Take all faults away."""
        self.steer("DELETE", "faults")

    def advance(self, seconds: float) -> None:
        """Move its clock."""
        self.steer("POST", "clock", {"advance": seconds})

    def switch(self, **values: Any) -> None:
        """Set switches: facts about the real service that nobody has verified."""
        self.steer("POST", "switches", values)

    def log(self, operation: str = "") -> list[dict[str, Any]]:
        """Requests of one operation, or all, that arrived, with their answers."""
        return self.show(f"log?operation={operation}")


@contextmanager
def emulated(name: str, state: Path) -> Iterator[Emulated]:
    """An emulator that runs until the block ends."""
    running = Emulated(name, state)
    running.start()
    try:
        yield running
    finally:
        running.kill9()


def mturk(state: Path) -> AbstractContextManager[Emulated]:
    """The MTurk emulator."""
    return emulated("mturk", state)


def prolific(state: Path) -> AbstractContextManager[Emulated]:
    """The Prolific emulator."""
    return emulated("prolific", state)
