"""How gunicorn serves the product: `gunicorn --config config/gunicorn.py config.wsgi`."""

import os
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

# One process, since without Redis it runs the tasks and holds the cache. More only with Redis.
workers = int(os.environ.get("WEB_PROCESSES") or 1)
threads = int(os.environ.get("WEB_THREADS") or 8)
# Many connections on one event loop, and so many threads that work: a slow sender holds none of them.
worker_class = "config.http_server.Worker"
# Longer than the proxies before it keep an idle connection, so that they end it and not this side.
keepalive = 75
bind = f"{os.environ.get('WEB_ADDRESS') or '127.0.0.1'}:{os.environ.get('PORT') or 8000}"
loglevel = os.environ.get("WEB_LOG_LEVEL") or "info"
# Pictures and the database are readable by their owner alone.
umask = 0o077
# A stop waits five seconds for open requests (open leaderboards would otherwise hold it up for 30), then
# three for what threads still do (`config.http_server`); what has not ended after nine is killed, before
# Docker's ten are over.
graceful_timeout = 9
# Nothing uses the control socket, and it would lie in the home folder, shared by all instances.
control_socket_disable = True
# Heartbeats go through a file: on a disk they can stall, in memory they cannot.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108


def on_starting(server: Any) -> None:
    """Refuse a second server on the same data if caches and streams are not shared through Redis."""
    if not os.environ.get("REDIS_URL"):
        import_string("config.server_lock.hold")(import_string("config.data_folder.data_folder")())


def post_worker_init(worker: Any) -> None:
    """Start this process's background threads, and print the welcome of `make run` once requests are
    accepted.
    """
    # A child that computes and draws, from the first call on: what it loads is as large as this process.
    import_string("scoring.compute.child_process.start")()
    if not os.environ.get("REDIS_URL"):
        # No worker and no beat: this process is all there is.
        import_string("config.task_queue.start_sweeping")()
        import_string("web.live.database_watch.start")()
        if os.environ.get("LIVE_PORT"):
            import_string("web.shared.streaming.start")(int(os.environ["LIVE_PORT"]), bind.rpartition(":")[0])
    welcome = os.environ.get("WEB_WELCOME")
    # Once only: a worker that replaces another has a higher age.
    if welcome and worker.age == 1:
        print(welcome, flush=True)
