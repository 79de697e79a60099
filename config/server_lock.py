"""Lock of a data folder: one server at a time, unless caches and streams are shared through Redis."""

import fcntl
import os
import sys
import time
from pathlib import Path

NAME = "server.lock"
# A server that was stopped still ends its open requests, and one that was killed its processes.
PATIENCE_SECONDS = 20.0
_held: dict[Path, int] = {}


def hold(folder: Path) -> None:
    """Keep a folder for this process and its children. A repeat changes nothing.

    Waits for a server that is ending; raises SystemExit with what to do where it goes on.
    """
    folder = folder.resolve()
    if folder in _held:
        return
    file = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    os.set_inheritable(file, True)  # `make dev` goes on as another program
    until, told = time.monotonic() + PATIENCE_SECONDS, False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(file)
                sys.exit(
                    f"Another server uses the data in {folder}. Stop it, or give this one a folder of its "
                    "own: FACEOFF_DATA=/path/to/folder make run. Several on the same data need Redis."
                )
            if not told:
                print("Another server uses this data; waiting for it to end ...", flush=True)
                told = True
            time.sleep(0.2)
        else:
            _held[folder] = file
            return
