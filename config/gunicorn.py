"""How gunicorn serves the product: `gunicorn --config config/gunicorn.py config.wsgi`."""

import os
import threading
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

# One process, for SQLite mode runs its tasks and its cache in it. More only where Redis carries them.
workers = int(os.environ.get("WEB_PROCESSES") or 1)
threads = int(os.environ.get("WEB_THREADS") or 8)
worker_class = "gthread"
bind = f"{os.environ.get('WEB_ADDRESS') or '127.0.0.1'}:{os.environ.get('PORT') or 8000}"
loglevel = os.environ.get("WEB_LOG_LEVEL") or "info"
# A stop waits this long for open requests; open leaderboards would otherwise hold it up for 30 s.
graceful_timeout = 5
# Nobody steers it at run time, and the socket would lie in the home folder, shared by all instances.
control_socket_disable = True
# Heartbeats go through a file: on a disk they can stall, in memory they cannot.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108


def post_worker_init(worker: Any) -> None:
    """Say what `make run` has to say, once requests are answered and not before; load what is compiled."""
    threading.Thread(target=_warm, daemon=True).start()
    welcome = os.environ.get("WEB_WELCOME")
    # A worker that is started again is older, and has nothing new to say.
    if welcome and worker.age == 1:
        print(welcome, flush=True)


def _warm() -> None:
    # By name: the ground knows no room.
    import_string("prefir.measures.warm.warm")()
