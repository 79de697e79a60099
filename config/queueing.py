"""Handing work to Celery: after the commit, and never at the cost of the request that asks for it."""

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from celery import Task
from django.conf import settings
from django.db import connection, transaction

logger = logging.getLogger(__name__)

# A broker that does not answer holds up whoever talks to it for seconds: only this thread does.
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nudges")
# Seconds after a failure in which nudges are dropped, so that they do not queue behind a dead broker.
REST = 5.0
_rests_until = 0.0


def nudge(task: Task, *args: int) -> None:
    """Enqueue a task once the open transaction is committed.

    A broker that is down is logged and forgotten: what was asked for is in the database, where a
    sweep finds it. Without a broker the task runs here and now.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: task.delay(*args), robust=True)
    else:
        transaction.on_commit(lambda: _sender.submit(_send, task, args), robust=True)


def _send(task: Task, args: tuple[int, ...]) -> None:
    global _rests_until
    if time.monotonic() < _rests_until:
        return
    try:
        task.delay(*args)
    except Exception as error:  # whatever it is: the sweeps do not need the broker's answer
        _rests_until = time.monotonic() + REST
        logger.warning("Redis does not take tasks (%s); sweeps will make up for it.", error)


def run_aside(task: Task, *args: int) -> None:
    """Start a task that takes long, and return at once: on a worker, or in a thread of this process."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: threading.Thread(target=_run, args=(task, *args)).start())
    else:
        nudge(task, *args)


def _run(task: Task, *args: int) -> None:
    try:
        task(*args)
    finally:
        connection.close()
