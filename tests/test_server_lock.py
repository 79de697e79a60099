"""Two servers on one data folder: the second one says so and ends, where there is no Redis."""

import os
import subprocess
import sys

import pytest

from config import gunicorn, server_lock
from tests.ground import ROOT, clean_environment

HOLDER = (
    "import sys; from config import server_lock; server_lock.hold({!r}); print('held', flush=True); input()"
)


@pytest.fixture
def held(tmp_path, monkeypatch):
    """A data folder that another process holds until its standard input ends."""
    monkeypatch.setenv("FACEOFF_DATA", str(tmp_path))
    monkeypatch.setattr(server_lock, "PATIENCE_SECONDS", 0.3)
    code = f"from pathlib import Path; folder = Path({str(tmp_path)!r}); " + HOLDER.replace("{!r}", "folder")
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=clean_environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate()
    server_lock._held.clear()


def test_a_second_server_is_refused_and_says_what_to_do(held, tmp_path, monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)
    with pytest.raises(SystemExit, match=f"Another server uses the data in {tmp_path}"):
        gunicorn.on_starting(None)


def test_with_redis_there_may_be_any_number(held, monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://localhost/0")
    gunicorn.on_starting(None)


def test_a_server_that_was_killed_holds_nothing(held, monkeypatch):
    monkeypatch.delenv("REDIS_URL", raising=False)
    held.kill()
    held.wait()
    gunicorn.on_starting(None)
    gunicorn.on_starting(None)
    os.close(server_lock._held.popitem()[1])
