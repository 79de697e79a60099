"""Enqueueing Celery tasks: after the commit, and without holding up or failing the request."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from celery import Task
from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction

logger = logging.getLogger(__name__)
T = TypeVar("T")

# A broker that does not answer blocks its caller for seconds, so only this thread talks to it.
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nudges")
# Seconds after a failure in which nudges are dropped, so that they do not queue behind a dead broker.
REST = 5.0
_rests_until = 0.0


class SweepFailed(Exception):
    """A sweep went on to its end, but something in it failed; the message names it."""


def nudge(task: Task, *args: int) -> None:
    """Enqueue a task once the open transaction is committed.

    If the broker is down, that is logged and the nudge dropped: the work is in the database, where a
    sweep finds it. Without a broker the task runs at once.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: task.delay(*args), robust=True)
    else:
        transaction.on_commit(lambda: _sender.submit(_send, task, args), robust=True)


def _send(task: Task, args: tuple[int, ...], seconds: float = 0.0) -> None:
    global _rests_until
    if time.monotonic() < _rests_until:
        return
    try:
        task.apply_async(args, countdown=seconds)
    except Exception as error:  # of any kind: sweeps make up for the lost nudge
        _rests_until = time.monotonic() + REST
        logger.warning("Redis does not take tasks (%s); sweeps will make up for it.", error)


def nudge_once_in(seconds: float, task: Task, *args: int) -> None:
    """Enqueue a task to run in some seconds, unless it waits already, so that many changes cost one run.

    Without a broker a timer of this process runs it; with 0 seconds it runs at once.
    """
    if seconds and not cache.add(f"waits:{task.name}:{args}", 1, timeout=seconds):
        return
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: _sender.submit(_send, task, args, seconds), robust=True)
    elif not seconds:
        nudge(task, *args)
    else:
        transaction.on_commit(lambda: _start_timer(seconds, task, args), robust=True)


def _start_timer(seconds: float, task: Task, args: tuple[int, ...]) -> None:
    timer = threading.Timer(seconds, _run, args=(task, *args))
    timer.daemon = True  # it may be lost: the next page or sweep does its work
    timer.start()


def sweep_each(what: str, things: Iterable[T], do: Callable[[T], object]) -> int:
    """Do something for each thing, going on past those that fail; return how many succeeded.

    Failures are logged with what failed. Raises SweepFailed in the end if there were any, so that the
    sweep itself counts as failed.
    """
    failed, done = [], 0
    for thing in things:
        try:
            do(thing)
            done += 1
        except Exception:
            logger.exception("A sweep failed: %s %s", what, thing)
            failed.append(thing)
    if failed:
        raise SweepFailed(f"{what} failed for {', '.join(map(str, failed[:20]))} ({len(failed)} in all)")
    return done


def sweep_all(*sweeps: Callable[[], object]) -> None:
    """Do sweeps one after another, those after a failed one too. Raises SweepFailed in the end if any did."""
    failed = []
    for sweep in sweeps:
        try:
            sweep()
        except SweepFailed as error:
            failed.append(str(error))
    if failed:
        raise SweepFailed("; ".join(failed))


def run_aside(task: Task, *args: int) -> None:
    """Start a long task in the background: on a worker, or without Redis in a thread of this process."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: threading.Thread(target=_run, args=(task, *args)).start())
    else:
        nudge(task, *args)


def _run(task: Task, *args: int) -> None:
    try:
        task(*args)
    finally:
        connection.close()
