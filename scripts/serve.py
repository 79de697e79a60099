"""The second half of `make run`: database, demonstration study, then the server in the foreground.

Usage: .venv/bin/python scripts/serve.py [--dev]. PORT chooses the port (unset: the first free one from 8000).
--dev: Django's development server, which starts again at every change of the code and shows errors.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent  # of .venv
TRIED_PORTS = range(8000, 8021)


def free(port: int) -> bool:
    """Whether nothing listens on this port of the loopback address."""
    with socket.socket() as probe:
        # As gunicorn does: a port whose last connection is still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose_port() -> int:
    """PORT, or the first free port from 8000. Raises SystemExit with what to do."""
    asked = os.environ.get("PORT", "")
    if asked:
        if not asked.isdigit() or not 0 < int(asked) < 65536:
            sys.exit(f"PORT={asked} is not a port: choose a number from 1 to 65535.")
        if not free(int(asked)):
            sys.exit(f"Port {asked} is taken by another program: stop it, or choose another port.")
        return int(asked)
    for port in TRIED_PORTS:
        if free(port):
            if port != TRIED_PORTS[0]:
                print(f"Port {TRIED_PORTS[0]} is taken; using {port}.", flush=True)
            return port
    sys.exit(f"Ports {TRIED_PORTS[0]} to {TRIED_PORTS[-1]} are taken: choose one with PORT=9000 make run.")


def manage(step: str, *command: str, needed: bool = True) -> str:
    """Run one manage.py command: show what it prints up to an empty line, and return the rest.

    Raises SystemExit where it fails; one that is not needed only says so, on its own.
    """
    print(step, flush=True)
    words = [sys.executable, str(ROOT / "manage.py"), *command]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    rest: list[str] = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout or ():
            if rest or not line.strip():
                rest.append(line)
            else:
                print(f"  {line}", end="", flush=True)
    if process.returncode and needed:
        sys.exit(f"{''.join(rest)}`manage.py {' '.join(command)}` failed; the reason stands above.")
    return "".join(rest)


def main(*, dev: bool) -> None:
    """Prepare, then become the server."""
    os.chdir(ROOT)
    port = choose_port()
    manage("Bringing the database up to date ...", "migrate", "--verbosity=0")
    welcome = manage(
        "Loading the demonstration study, if it is not there ...",
        "demo",
        f"--address=http://127.0.0.1:{port}",
    )
    manage("Catching up with what was left undone ...", "catchup", needed=False)
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    # The server takes this process's place: signals reach it, and nothing is left behind.
    if dev:
        print(welcome, flush=True)
        command = [sys.executable, "manage.py", "runserver", f"127.0.0.1:{port}"]
        os.execve(sys.executable, command, environment | {"DEBUG": "true"})
    live = next((number for number in range(port + 1, port + 100) if free(number)), "")
    environment |= {
        "PORT": str(port),
        "WEB_ADDRESS": "127.0.0.1",
        # Open leaderboards are told what changed through a port of their own.
        "LIVE_PORT": str(live),
        "LIVE_URL": f":{live}/" if live else "",
        "WEB_LOG_LEVEL": os.environ.get("WEB_LOG_LEVEL", "warning"),
        "WEB_WELCOME": f"{welcome.rstrip()}\n\nCtrl-C stops the server; the data stay.",
    }
    os.execve(BIN / "gunicorn", ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"], environment)


if __name__ == "__main__":
    main(dev=sys.argv[1:] == ["--dev"])
