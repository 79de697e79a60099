"""Stopping the server: in order and by itself, anyone who is told and whatever a request is doing."""

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from tests.ground import ROOT, clean_environment
from tests.servers import die_with_parent, free_port


def application(environ, start_response):
    """A request that is never done."""
    print("asked", flush=True)
    threading.Event().wait()


@pytest.fixture
def served():
    """gunicorn with the product's settings, and a request in it that never ends."""
    port = free_port()
    # As over services, where nothing is done besides.
    environment = clean_environment() | {"REDIS_URL": "redis://127.0.0.1:1/0", "PORT": str(port)}
    options = ["--config", "config/gunicorn.py", "--graceful-timeout", "5"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", *options, "tests.web.test_stopping:application"],
        cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=die_with_parent,
    )  # fmt: skip
    lines = iter(process.stdout or ())
    assert any("Listening at" in line for line in lines)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert any(line == "asked\n" for line in lines)
        yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_never_ends_does_not_hold_up_a_stop_until_it_is_killed(served, number):
    """The signal goes to gunicorn alone, as from a service manager."""
    os.kill(served.pid, number)
    said, _ = served.communicate(timeout=60)
    assert "SIGKILL" not in said
    assert served.returncode == 0


HELD_UP = """
import threading
from concurrent.futures import ThreadPoolExecutor
from config import http_server
ThreadPoolExecutor(1).submit(threading.Event().wait)
http_server._end()
"""


def test_a_process_ends_although_a_thread_of_its_pool_does_not():
    """Python would wait for it for ever."""
    done = subprocess.run([sys.executable, "-c", HELD_UP], cwd=ROOT, check=False, timeout=60)
    assert done.returncode == 0
