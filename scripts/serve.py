"""The second half of `make run`: database, demonstration study, then the server in the foreground.

Usage: .venv/bin/python scripts/serve.py [--dev]. PORT chooses the port (unset: the first free one from 8000).
--dev: Django's development server, which starts again at every change of the code and shows errors.
"""

import gc
import os
import socket
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIED_PORTS = range(8000, 8021)
MARKET_SECONDS = 120.0


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
    sys.exit(f"Ports {TRIED_PORTS[0]} to {TRIED_PORTS[-1]} are taken: choose one, as by PORT=9000.")


def manage(step: str, *command: str, needed: bool = True) -> None:
    """Run one manage.py command, and show what it prints up to an empty line.

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


def prepare(address: str) -> str:
    """Bring database and demonstration up to date where they are not; return the welcome.

    Whether they are is asked in this process, which goes on as the server: a start that finds everything
    done loads Django once. What there is to do is done by processes of its own, which leave nothing behind.
    """
    if not migrated():
        manage("Bringing the database up to date ...", "migrate", "--verbosity=0")
    from simulation.demo.welcome import welcome

    if not (words := welcome(address)):
        manage("Loading the demonstration study ...", "demo", f"--address={address}")
        words = welcome(address)
    return words


def migrated() -> bool:
    """Whether every migration was applied; False too where the database cannot say so."""
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return False  # `migrate` says what is wrong


def open_market(port: int) -> int:
    """Start the emulated marketplace of the paid demonstration, unless a marketplace was chosen already; its
    port, 0 for none.

    It ends when its standard input does, which this process holds open: however this process ends.
    """
    if "MTURK_MODE" in os.environ:
        return 0
    number = next((number for number in range(port + 100, min(port + 200, 65536)) if free(number)), None)
    if number is None:
        return 0
    os.environ |= {
        "MTURK_MODE": "emulator",
        "MTURK_EMULATOR_URL": f"http://127.0.0.1:{number}",
        "MTURK_EMULATOR_SITE": f"http://localhost:{number}",
    }
    # Its books are to be seen moving.
    os.environ.setdefault("PANEL_SECONDS", "5")
    state = import_module("config.data_folder").data_folder() / "demo-market.sqlite3"
    words = ["demomarket", f"--port={number}", f"--state={state}", "--until-eof"]
    kept, held = os.pipe()
    os.set_inheritable(held, True)  # `make dev` goes on as another program
    subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *words],
        stdin=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    os.close(kept)
    return number


def wait_for_market(port: int) -> None:
    """Wait until the marketplace takes connections, since the server asks it at once; not for ever."""
    until = time.monotonic() + MARKET_SECONDS
    while port and time.monotonic() < until:
        with socket.socket() as probe:
            if not probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.1)


def main(*, dev: bool) -> None:
    """Prepare, then go on as the server."""
    gc.disable()  # what is imported stays
    os.umask(0o077)  # the database and pictures are readable by their owner alone
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    port = choose_port()
    os.environ |= {"PYTHONUNBUFFERED": "1", "PORT": str(port), "WEB_ADDRESS": "127.0.0.1"}
    os.environ.setdefault("WEB_LOG_LEVEL", "warning")
    if port != TRIED_PORTS[0]:
        os.environ.setdefault("COOKIE_SUFFIX", f"-{port}")
    if not dev:
        # Open leaderboards are told what changed through a port of their own.
        live = next((number for number in range(port + 1, port + 100) if free(number)), "")
        os.environ |= {"LIVE_PORT": str(live), "LIVE_URL": f":{live}/" if live else ""}

    if not os.environ.get("REDIS_URL"):
        import_module("config.server_lock").hold(import_module("config.data_folder").data_folder())
    market = open_market(port)
    import_module("config.wsgi")  # sets Django up, by what was said above
    welcome = prepare(f"http://127.0.0.1:{port}")
    wait_for_market(market)
    from django.conf import settings

    from simulation.demo.welcome import SIMULATED

    if not market:
        nobodys = "Nobody does the paid campaign by itself: its places are on the marketplace that you chose."
        welcome = welcome.replace(SIMULATED, nobodys)

    settings.ADDRESS_NOTE.write_text(f"http://127.0.0.1:{port}\n")  # for commands in other shells
    if dev:
        manage("Catching up with what was left undone ...", "catchup", needed=False)
        print(f"\n{welcome}", flush=True)
        command = [sys.executable, "manage.py", "runserver", f"127.0.0.1:{port}"]
        os.execve(sys.executable, command, os.environ | {"DEBUG": "true"})
    os.environ["WEB_WELCOME"] = f"\n{welcome}\n\nCtrl-C stops the server; the data stay."
    serve()


def serve() -> None:
    """Go on as gunicorn; its web process is a fork of this one, and shares what was imported."""
    from django.db import connections
    from gunicorn.app.wsgiapp import WSGIApplication

    connections.close_all()
    gc.collect()
    gc.freeze()
    gc.enable()
    sys.argv = ["gunicorn", "--config", "config/gunicorn.py", "config.wsgi"]
    WSGIApplication("%(prog)s [OPTIONS] [APP_MODULE]").run()


if __name__ == "__main__":
    main(dev=sys.argv[1:] == ["--dev"])
