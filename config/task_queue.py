"""Enqueue Celery tasks: after the commit, without delaying or failing the request."""

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from celery import Task, current_app
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import InterfaceError, OperationalError, close_old_connections, connection, transaction

logger = logging.getLogger(__name__)
T = TypeVar("T")

# A broker that does not answer blocks its caller for seconds, so only this thread talks to it.
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="nudges")
# Rows that a job works through before it lets others have their turn, and how many jobs share a long list.
PIECE, SHARES = 25, 4
# Ids that a job is asked for in a second by one process: where more come, they are gathered for longer, two
# seconds at most, so that many answers to a topic still cost one rescoring.
IDS_A_SECOND, LONGEST_GATHERING = 50, 2.0
# Seconds after a failure in which nudges are dropped, so that they do not queue behind a dead broker.
REST = 5.0
_rests_until = 0.0


class SweepFailed(Exception):
    """A sweep finished, but some of its items failed; the message names them."""


def nudge(task: Task, *args: Any) -> None:
    """Enqueue a task once the open transaction is committed.

    If the broker is down, that is logged and the nudge dropped: the work is in the database, where a
    sweep finds it. Without a broker the task runs at once.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: task.delay(*args), robust=True)
    else:
        transaction.on_commit(lambda: _submit(task, args), robust=True)


def _submit(task: Task, args: tuple[Any, ...], seconds: float = 0.0) -> None:
    try:
        _sender.submit(_send, task, args, seconds)
    except RuntimeError:  # this process ends, and its pools of threads before what is registered with atexit
        _send(task, args, seconds)


def _send(task: Task, args: tuple[Any, ...], seconds: float = 0.0) -> None:
    global _rests_until
    if time.monotonic() < _rests_until:
        return
    try:
        task.apply_async(args, countdown=seconds)
    except Exception as error:  # of any kind: sweeps make up for the lost nudge
        _rests_until = time.monotonic() + REST
        logger.warning("Redis does not take tasks (%s); sweeps will make up for it.", error)


class _Gatherer:
    """Nudges of this process that wait to be sent together, each job with the ids that it is asked for.

    Without a broker a job is run by one thread at a time: several would only be in each other's way. What it
    is asked for meanwhile waits until it is done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[Task, set[int]]] = {}
        # Jobs that a timer's thread will do, and those that one is doing.
        self._timers: dict[str, threading.Timer] = {}
        # How many ids each job was asked for the last time.
        self._last: dict[str, int] = {}
        self._running: set[str] = set()

    def add(self, task: Task, pk: int, seconds: float) -> None:
        with self._lock:
            self._waiting.setdefault(task.name, (task, set()))[1].add(pk)
            if task.name not in self._timers and task.name not in self._running:
                self._start(task.name, seconds)

    def _start(self, name: str, seconds: float) -> None:
        wait = max(seconds, min(LONGEST_GATHERING, self._last.get(name, 0) / IDS_A_SECOND))
        timer = self._timers[name] = threading.Timer(wait, self._see_to, (name, seconds))
        timer.daemon = True
        timer.start()

    def _see_to(self, name: str, seconds: float) -> None:
        with self._lock:
            self._timers.pop(name, None)
            self._running.add(name)
        try:
            self._send(name)
        finally:
            with self._lock:
                self._running.discard(name)
                if name in self._waiting:
                    self._start(name, seconds)

    def _send(self, name: str) -> None:
        with self._lock:
            task, pks = self._waiting.pop(name, (None, set()))
            self._last[name] = len(pks)
        if task is None:
            return
        if settings.CELERY_TASK_ALWAYS_EAGER:
            _run(task, sorted(pks))
        else:
            for share in _shares(sorted(pks)):
                _submit(task, (share,))

    def send(self) -> None:
        with self._lock:
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()
            waiting = list(self._waiting)
        for name in waiting:
            self._send(name)


_gatherer = _Gatherer()


def enqueue_coalesced(task: Task, pk: int) -> None:
    """Ask for a job on a row after the commit, together with whatever is asked for meanwhile.

    One message for all rows of GATHER_SECONDS, or of longer where there are many (IDS_A_SECOND), so that many
    answers to one topic cost one rescoring. Nothing of it is done in the request: without a broker, a timer's
    thread runs the job. With 0 seconds it runs, or is sent, at once. What a process that dies had gathered is
    found by the sweeps.
    """
    seconds = settings.GATHER_SECONDS
    if seconds:
        transaction.on_commit(lambda: _gatherer.add(task, pk, seconds), robust=True)
    else:
        nudge(task, [pk])


def _shares(pks: Sequence[int]) -> list[list[int]]:
    """Split a long list for several workers; a short one stays whole."""
    shares = [list(pks[part::SHARES]) for part in range(SHARES)] if len(pks) > PIECE else [list(pks)]
    return [share for share in shares if share]


def enqueue_shares(task: Task, pks: Sequence[int]) -> None:
    """Ask for a job on many rows after the commit, in shares that any worker takes. Nothing without a broker.

    For those who work through all of them anyway, and want help.
    """
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        for share in _shares(pks):
            nudge(task, share)


def run_in_pieces(task: Task, what: str, pks: Sequence[int], do: Callable[[int], object]) -> None:
    """Do something for each row of a list that was given to a job; a long one does not hold up the others.

    On a worker the rest goes to the end of the queue after a piece, behind what was asked for meanwhile.
    Raises SweepFailed as `sweep_each`.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        sweep_each(what, pks, do)
        return
    try:
        sweep_each(what, pks[:PIECE], do)
    finally:
        if rest := list(pks[PIECE:]):
            nudge(task, rest)


def sweep_in_turns(task: Task, what: str, pks: Sequence[int], do: Callable[[int], object]) -> None:
    """Do a sweep's work, or where it is long a piece of it, and give the rest to whichever workers there are.

    They are not asked again while they may be at it. Raises SweepFailed as `sweep_each`.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER or len(pks) <= PIECE:
        sweep_each(what, pks, do)
        return
    if cache.add(f"handed-out:{task.name}", 1, timeout=REST + 0.1 * len(pks)):
        enqueue_shares(task, pks)
    sweep_each(what, pks[:PIECE], do)


@atexit.register
def send_gathered() -> None:
    """Send gathered nudges, or run their jobs without a broker; called when a process ends in order."""
    _gatherer.send()


def nudge_at_most_every(seconds: float, task: Task, pk: int) -> None:
    """Ask for a job on a row that runs at most once in so many seconds, however often it is asked for.

    It runs at once if the last time is long enough ago, else as soon as it is; the job says by `began` that
    it runs, and what changes from then on asks for the next time. Without a broker a timer runs it.
    """
    waits, last = _keys(task, pk)
    if not seconds:
        nudge(task, pk)
    # Forgotten after a while, since a job may be lost.
    elif cache.add(waits, 1, timeout=seconds + REST):
        due = max(0.0, (cache.get(last) or 0.0) + seconds - time.time())
        if settings.CELERY_TASK_ALWAYS_EAGER:
            transaction.on_commit(lambda: _start_timer(due, task, pk), robust=True)
        else:
            transaction.on_commit(lambda: _submit(task, (pk,), due), robust=True)


def began(task: Task, pk: int) -> None:
    """Note that a job from `nudge_at_most_every` starts."""
    waits, last = _keys(task, pk)
    cache.set(last, time.time(), timeout=3600)
    cache.delete(waits)


def _keys(task: Task, pk: int) -> tuple[str, str]:
    return f"waits:{task.name}:{pk}", f"began:{task.name}:{pk}"


def _start_timer(seconds: float, task: Task, pk: int) -> None:
    timer = threading.Timer(seconds, _run, args=(task, pk))
    timer.daemon = True  # it may be lost: the next page or sweep does its work
    timer.start()


def sweep_each(what: str, things: Iterable[T], do: Callable[[T], object]) -> int:
    """Call `do` for each thing, continuing after failures; return how many succeeded.

    Failures are logged with what failed. Raises SweepFailed in the end if there were any, so that the
    sweep itself counts as failed. In a thread beside those that answer requests, half of the time is theirs.
    """
    failed, done = [], 0
    beside = settings.CELERY_TASK_ALWAYS_EAGER and threading.current_thread() is not threading.main_thread()
    for thing in things:
        began_at = time.monotonic()
        try:
            do(thing)
            done += 1
        except Exception as error:
            logger.exception("A sweep failed: %s %s", what, thing)
            failed.append(thing)
            if isinstance(error, (OperationalError, InterfaceError)) and not connection.in_atomic_block:
                # If the database has ended the connection, the next one begins with another.
                close_old_connections()
        if beside and done > PIECE:
            time.sleep(min(1.0, time.monotonic() - began_at))
    if failed:
        raise SweepFailed(f"{what} failed for {', '.join(map(str, failed[:20]))} ({len(failed)} in all)")
    return done


def sweep_all(*sweeps: Callable[[], object]) -> None:
    """Run sweeps one after another, also after a failed one. Raises SweepFailed at the end if any failed."""
    failed = []
    for sweep in sweeps:
        try:
            sweep()
        except SweepFailed as error:
            failed.append(str(error))
    if failed:
        raise SweepFailed("; ".join(failed))


def start_sweeping() -> threading.Event:
    """Do in a thread of this process what beat and a worker do elsewhere: every sweep, first at once.

    Setting the event that is returned ends it.
    """
    end = threading.Event()
    threading.Thread(target=_sweep_until, args=(end,), name="sweeps", daemon=True).start()
    return end


def _sweep_until(end: threading.Event) -> None:
    # A web process imports only those jobs that its pages ask for.
    current_app.loader.import_default_modules()
    try:
        # By its name, since it joins rooms: what was left undone when the last process stopped.
        call_command("catchup")
    except Exception:  # what failed is tried again by the sweeps
        logger.exception("Catching up failed.")
    finally:
        connection.close()
    sweeps = settings.CELERY_BEAT_SCHEDULE.values()
    due = {entry["task"]: time.monotonic() + entry["schedule"] for entry in sweeps}
    while not end.wait(max(0.0, min(due.values()) - time.monotonic())):
        for entry in sweeps:
            if due[entry["task"]] <= time.monotonic():
                _run(current_app.tasks[entry["task"]])
                due[entry["task"]] = time.monotonic() + entry["schedule"]


class _Aside:
    """Background tasks of this process: those of one name run one after another, in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Of each task with a thread: the arguments with which it is still to be called.
        self._waiting: dict[str, deque[tuple[Any, ...]]] = {}

    def add(self, task: Task, args: tuple[Any, ...]) -> None:
        with self._lock:
            waiting = self._waiting.get(task.name)
            if waiting is None:
                self._waiting[task.name] = deque([args])
                # A stop does not wait for it: what it leaves undone is in the database.
                threading.Thread(target=self._work, args=(task,), name=task.name, daemon=True).start()
            elif args not in waiting:
                waiting.append(args)

    def _work(self, task: Task) -> None:
        while True:
            with self._lock:
                if not self._waiting[task.name]:
                    del self._waiting[task.name]
                    return
                args = self._waiting[task.name].popleft()
            _run(task, *args)


_aside = _Aside()


def run_in_background(task: Task, *args: Any) -> None:
    """Start a long task in the background: on a worker, or without Redis in a thread of this process.

    There a task runs once at a time, and one that already waits to be begun is not asked for again.
    """
    if settings.CELERY_TASK_ALWAYS_EAGER:
        transaction.on_commit(lambda: _aside.add(task, args))
    else:
        nudge(task, *args)


def _run(task: Task, *args: Any) -> None:
    try:
        task(*args)
    except Exception:  # nobody waits for this thread: sweeps make up for what was left undone
        logger.exception("A job failed: %s %s", task.name, args)
    finally:
        connection.close()
