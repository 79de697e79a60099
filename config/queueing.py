"""Handing work to Celery: after the commit, and never at the cost of the request that asks for it."""

import threading

from celery import Task
from django.conf import settings
from django.db import connection, transaction


def nudge(task: Task, *args: int) -> None:
    """Enqueue a task once the open transaction is committed.

    A broker that is down is logged and forgotten: what was asked for is in the database, where a
    sweep finds it.
    """
    transaction.on_commit(lambda: task.delay(*args), robust=True)


def run_aside(task: Task, *args: int) -> None:
    """Start a task that takes long, and return at once: on a worker, or in a thread of this process."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: threading.Thread(target=_run, args=(task, *args)).start())
    else:
        transaction.on_commit(lambda: task.delay(*args))


def _run(task: Task, *args: int) -> None:
    try:
        task(*args)
    finally:
        connection.close()
