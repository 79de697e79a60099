"""`make run`, `make dev` and the installed `faceoff demo`: what they print, serve and keep."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from scripts.wheel import build
from tests.ground import ROOT, clean_environment
from tests.servers import die_with_parent, wait_until
from tests.stack import SQLITE

pytestmark = pytest.mark.services
LAST_LINE = "Ctrl-C stops the server; the data stay."
SERVE = (sys.executable, "scripts/serve.py")


class Start:
    """One start of a command that serves, read up to the line that says how to stop it."""

    def __init__(
        self,
        folder: Path,
        port: int,
        *options: str,
        last_line: str = LAST_LINE,
        command: Sequence[str | Path] = SERVE,
        cwd: Path = ROOT,
    ) -> None:
        environment = clean_environment() | {"FACEOFF_DATA": str(folder), "PORT": str(port)}
        self.process = subprocess.Popen(
            [*command, *options], cwd=cwd, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=die_with_parent,
        )  # fmt: skip
        self.lines: list[str] = []
        for line in self.process.stdout or ():
            self.lines.append(line.rstrip())
            if self.lines[-1] == last_line:
                break

    def stop(self) -> int:
        """What Ctrl-C does: SIGINT to the whole group. Returns the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.lines += (self.process.stdout or ()).read().splitlines()  # type: ignore[union-attr]
        return self.process.wait(timeout=300)

    def found(self, pattern: str) -> list[str]:
        """Every match in what was printed."""
        return re.findall(pattern, "\n".join(self.lines))


def next_port() -> int:
    """A port that stays free, as those after it: below those that the machine gives to connections."""
    return next(one for one in range(20_000 + os.getpid() % 50 * 200, 32_000, 200) if is_free(one))


@pytest.fixture
def started(tmp_path) -> Iterator[tuple[Start, int]]:
    port = next_port()
    start = Start(tmp_path, port)
    yield start, port
    if start.process.poll() is None:
        start.stop()


def test_it_says_addresses_and_logins_once_it_serves_and_keeps_everything_for_the_next_start(
    started, tmp_path
):
    first, port = started
    addresses = first.found(r"http://\S+")
    assert first.found(r"log in as\s+(\w+)") == ["organizer", "coordinator"]
    assert len(addresses) == 5
    assert all(address.startswith(f"http://127.0.0.1:{port}/") for address in addresses)
    # The judging links need no login; the moment the words stand there, they work.
    for address in [a for a in addresses if "/join/" in a]:
        assert urllib.request.urlopen(address, timeout=300).status == 200
    # Two installations on one machine, at two ports, do not log each other's people out.
    login = urllib.request.urlopen(f"http://127.0.0.1:{port}/login/", timeout=300)
    assert str(login.headers["Set-Cookie"]).startswith(f"csrftoken-{port}=")
    assert first.stop() == 0
    assert first.lines[-1] == LAST_LINE

    second = Start(tmp_path, port)
    assert second.found(r"http://\S+") == addresses
    assert second.found(r"password\s+(\S+)") == first.found(r"password\s+(\S+)")
    assert second.stop() == 0

    # `make dev` serves the same by Django's own server, whose pages of errors say what is wrong.
    third = Start(tmp_path, port, "--dev", last_line="Quit the server with CONTROL-C.")
    try:
        assert set(third.found(r"http://\S+")) == set(addresses)
        with pytest.raises(urllib.error.HTTPError, match="404") as error:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/nothing/", timeout=300)
        assert "DEBUG = True" in error.value.read().decode()
    finally:
        assert third.stop() == 0


def test_the_paid_campaign_is_done_by_simulated_workers_while_the_server_runs(started, tmp_path):
    first, port = started
    assert first.found(r"Paid campaign +(\S+)") == [f"http://127.0.0.1:{port}/studies/paid/campaigns/1/"]
    near = [f"http://127.0.0.1:{number}" for number in range(port + 100, port + 200)]

    def paid() -> int:
        with contextlib.closing(sqlite3.connect(tmp_path / SQLITE, timeout=300)) as file:
            return file.execute("SELECT count(*) FROM panels_payment WHERE state = 'paid'").fetchone()[0]

    market = wait_until(lambda: next(filter(answers, near), ""), seconds=300, what="the marketplace is open")
    wait_until(lambda: paid() >= 2, seconds=900, what="two places are done and paid")
    with urllib.request.urlopen(f"{market}/_emulator/books", timeout=300) as answer:
        books = json.load(answer)
    assert float(books["rewards"]) >= 4.0
    assert first.stop() == 0
    wait_until(lambda: not answers(market), seconds=300, what="the marketplace ends with the server")


def is_free(port: int) -> bool:
    """Whether nobody listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def answers(address: str) -> bool:
    """Whether somebody answers there."""
    try:
        urllib.request.urlopen(f"{address}/_emulator/health", timeout=5).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("port", "sentence"),
    [("x", "PORT=x is not a port: choose a number from 1 to 65535."), ("0", "PORT=0 is not a port")],
)
def test_a_port_that_is_none_is_refused(tmp_path, port, sentence):
    start = Start(tmp_path, port)
    assert start.process.wait(timeout=300) == 1
    assert sentence in start.lines[0]
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_refused_before_anything_is_made(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        start = Start(tmp_path, port)
        assert start.process.wait(timeout=300) == 1
    assert start.lines == [f"Port {port} is taken by another program: stop it, or choose another port."]
    assert list(tmp_path.iterdir()) == []


def test_the_installed_package_shows_the_same_in_an_environment_of_its_own(tmp_path):
    """From the wheel alone: the demonstration, pages with their hashed sheets, and the commands."""
    environment = tmp_path / "environment"
    uv = (sys.executable, "-m", "uv")
    install = ("pip", "install", "--quiet", "--python", environment)
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, environment], check=True)
    done = subprocess.run([*uv, *install, build(tmp_path)], capture_output=True, text=True, check=False)
    if "error sending request" in done.stderr:
        pytest.skip(f"no index of packages can be reached: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    faceoff, port = environment / "bin" / "faceoff", next_port()
    data = tmp_path / "data"
    start = Start(data, port, "demo", command=[faceoff], cwd=tmp_path)
    try:
        assert start.found(r"log in as\s+(\w+)") == ["organizer", "coordinator"]
        [judging, *_] = [one for one in start.found(r"http://\S+") if "/join/" in one]
        page = urllib.request.urlopen(judging, timeout=300).read().decode()
        [sheet, *_] = re.findall(r'href="(/static/css/tokens\.[0-9a-f]{12}\.css)"', page)
        assert urllib.request.urlopen(f"http://127.0.0.1:{port}{sheet}", timeout=300).status == 200
    finally:
        assert start.stop() == 0
    settings = clean_environment() | {"FACEOFF_DATA": str(data)}
    checked = subprocess.run(
        [faceoff, "manage", "migrate", "--check"], env=settings, cwd=tmp_path, check=False
    )
    assert checked.returncode == 0
