"""Command `faceoff`: start the platform on this machine, or run a command of its manage.py."""

import argparse
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

APP = Path(__file__).resolve().parent / "app"
DATA = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "faceoff"


def main(words: Sequence[str] | None = None) -> None:
    """Run the command: `demo`, or `manage` with what follows it.

    Data lie in the folder FACEOFF_DATA, by default `faceoff` in the user's folder for data.
    """
    parser = argparse.ArgumentParser(
        prog="faceoff",
        description="Which system is better? People judge pairs, and Faceoff scores the systems.",
        epilog=f"Data lie in {os.environ.get('FACEOFF_DATA') or DATA}; FACEOFF_DATA chooses another folder, "
        "PORT another port than 8000.",
    )
    parser.add_argument("--version", action="version", version=f"faceoff {version('faceoff')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="database, demonstration study, then the server until Ctrl-C")
    manage = commands.add_parser("manage", help="a command of the server: `faceoff manage help` lists them")
    manage.add_argument("words", nargs=argparse.REMAINDER)
    chosen = parser.parse_args(words)
    os.environ.setdefault("FACEOFF_DATA", str(DATA))
    sys.path.insert(0, str(APP))
    if chosen.command == "manage":
        sys.argv = ["faceoff manage", *chosen.words]
        runpy.run_path(str(APP / "manage.py"), run_name="__main__")
        return
    compile_loops()
    sys.argv = ["faceoff demo"]
    runpy.run_path(str(APP / "scripts" / "serve.py"), run_name="__main__")


def compile_loops() -> None:
    """Compile the loops of the measures, once for each version; else the first page that needs one waits."""
    folder = Path(os.environ["FACEOFF_DATA"])
    done = folder / f"compiled-{version('faceoff')}"
    if done.exists():
        return
    print("Compiling the loops of the measures ...", flush=True)
    warm = [sys.executable, "-m", "prefir.measures.warm"]
    if not subprocess.run(warm, cwd=APP, check=False).returncode:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        done.touch()


if __name__ == "__main__":
    main()
