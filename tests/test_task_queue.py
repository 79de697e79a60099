"""Queueing: nudges gathered into one job, jobs that run at most once in a while, sweeps without a worker."""

import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.db import transaction

from config import task_queue
from tests.servers import wait_until


class Job:
    """A job that notes when it was run, by which thread, and on what."""

    name = "tests.job"

    def __init__(self) -> None:
        self.done: list[object] = []
        self.threads: set[int] = set()

    def __call__(self, *args: object) -> None:
        self.threads.add(threading.get_ident())
        self.done.append(args[0] if args else "swept")

    def delay(self, *args: object) -> None:
        self(*args)


@pytest.mark.django_db(transaction=True)
def test_what_is_asked_for_together_is_done_once_and_not_by_somebody_who_asks(settings):
    settings.GATHER_SECONDS = 3600.0
    job = Job()
    with transaction.atomic():
        for pk in (2, 1, 2):
            task_queue.enqueue_coalesced(job, pk)
    assert job.done == []
    task_queue.send_gathered()
    assert job.done == [[1, 2]]
    task_queue.send_gathered()
    assert job.done == [[1, 2]]


@pytest.mark.django_db(transaction=True)
def test_what_is_gathered_is_done_by_a_thread_of_its_own(settings):
    settings.GATHER_SECONDS = 0.01
    job = Job()
    task_queue.enqueue_coalesced(job, 1)
    wait_until(lambda: job.done == [[1]], what="the timer")
    assert threading.get_ident() not in job.threads


@pytest.mark.django_db(transaction=True)
def test_in_one_process_a_job_is_run_by_one_thread_at_a_time(settings):
    """While it runs, what it is asked for waits; another job does not."""
    settings.CELERY_TASK_ALWAYS_EAGER = True
    settings.GATHER_SECONDS = 0.001
    begun, go_on, others = [], threading.Event(), []

    def work(pks: list[int]) -> None:
        begun.append(pks)
        assert go_on.wait(30)

    job, other = Mock(side_effect=work), Mock(side_effect=others.append)
    job.name, other.name = "tests.long", "tests.other"
    task_queue.enqueue_coalesced(job, 1)
    wait_until(lambda: begun == [[1]], what="the job has begun")
    task_queue.enqueue_coalesced(job, 2)
    for pk in (1, 2):  # the second shows that timers from before have been
        task_queue.enqueue_coalesced(other, pk)
        wait_until(lambda pk=pk: others[-1:] == [[pk]], what="the other job")
    task_queue.enqueue_coalesced(job, 3)
    assert begun == [[1]]
    go_on.set()
    wait_until(lambda: begun == [[1], [2, 3]], what="the rest")


@pytest.mark.django_db(transaction=True)
def test_the_more_was_asked_for_at_last_the_longer_is_gathered(settings, monkeypatch):
    """A fiftieth of a second for each id, from GATHER_SECONDS to two seconds."""
    settings.GATHER_SECONDS = 0.25
    waits: list[float] = []
    monkeypatch.setattr(task_queue.threading, "Timer", lambda seconds, *_: waits.append(seconds) or Mock())
    job = Job()
    for number in (1, 12, 50, 500, 1):
        for pk in range(number):
            task_queue.enqueue_coalesced(job, pk)
        task_queue.send_gathered()
    task_queue.enqueue_coalesced(job, 1)
    assert waits == [0.25, 0.25, 0.25, 1.0, 2.0, 0.25]
    task_queue.send_gathered()


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_asks_for_nothing(settings):
    settings.GATHER_SECONDS = 3600.0
    job = Job()
    with transaction.atomic():
        task_queue.enqueue_coalesced(job, 1)
        transaction.set_rollback(True)
    task_queue.send_gathered()
    assert job.done == []


@pytest.fixture
def due(monkeypatch):
    """In how many seconds each job is started, instead of starting it."""
    found: list[float] = []
    monkeypatch.setattr(task_queue, "_start_timer", lambda seconds, task, pk: found.append(seconds))
    return found


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves."""
    now = [1000.0]
    monkeypatch.setattr(task_queue.time, "time", lambda: now[0])
    return now


@pytest.mark.django_db(transaction=True)
def test_a_job_begins_at_most_once_in_its_time_and_misses_nothing(due, clock):
    """Asked for at once and while it waits; then after it began, when it waits for its time."""
    job = Job()
    for _ in range(3):
        task_queue.nudge_at_most_every(1.0, job, 7)
    assert due == [0.0]
    task_queue.began(job, 7)
    clock[0] += 0.25
    for _ in range(3):
        task_queue.nudge_at_most_every(1.0, job, 7)
    assert due == [0.0, 0.75]
    clock[0] += 0.75
    task_queue.began(job, 7)
    clock[0] += 5
    task_queue.nudge_at_most_every(1.0, job, 7)
    assert due == [0.0, 0.75, 0.0]


def test_without_a_worker_the_sweeps_run_in_this_process_each_in_its_time(settings, monkeypatch):
    often, seldom = Job(), Job()
    tasks = {"often": often, "seldom": seldom}
    settings.CELERY_BEAT_SCHEDULE = {
        "a": {"task": "often", "schedule": 0.01},
        "b": {"task": "seldom", "schedule": 3600},
    }
    monkeypatch.setattr(task_queue, "current_app", SimpleNamespace(tasks=tasks, loader=Mock()))
    caught_up: list[str] = []
    monkeypatch.setattr(task_queue, "call_command", caught_up.append)
    end = task_queue.start_sweeping()
    wait_until(lambda: len(often.done) >= 3, what="three sweeps")
    end.set()
    assert seldom.done == []
    assert caught_up == ["catchup"]


# Long lists


@pytest.fixture
def sent(settings, monkeypatch):
    """What is asked for over a broker: (job, its rows)."""
    settings.CELERY_TASK_ALWAYS_EAGER = False
    found: list[list[int]] = []
    monkeypatch.setattr(task_queue, "nudge", lambda task, pks: found.append(pks))
    return found


def test_a_job_with_a_long_list_goes_to_the_end_of_the_queue_after_each_piece(sent):
    done: list[int] = []
    rows = list(range(2 * task_queue.PIECE + 3))
    lengths, left = [], rows
    while left:
        task_queue.run_in_pieces(Job(), "doing", left, done.append)
        lengths.append(len(done))
        left = sent.pop() if sent else []
    assert lengths == [task_queue.PIECE, 2 * task_queue.PIECE, len(rows)]
    assert done == rows


def test_rows_after_one_that_fails_are_asked_for_all_the_same(sent):
    rows = list(range(task_queue.PIECE + 2))
    with pytest.raises(task_queue.SweepFailed, match=r"doing failed for 0"):
        task_queue.run_in_pieces(Job(), "doing", rows, lambda pk: 1 / pk)
    assert sent == [rows[-2:]]


def test_a_long_list_is_shared_out_and_each_row_asked_for_once(sent):
    rows = list(range(7, 7 + 3 * task_queue.PIECE))
    task_queue.enqueue_shares(Job(), rows)
    assert len(sent) == task_queue.SHARES
    assert sorted(pk for share in sent for pk in share) == rows
    sent.clear()
    task_queue.enqueue_shares(Job(), rows[:3])
    assert sent == [rows[:3]]


def test_a_sweep_with_much_to_do_hands_it_out_once_and_does_a_piece_each_time(sent):
    done: list[int] = []
    rows = list(range(4 * task_queue.PIECE))
    task_queue.sweep_in_turns(Job(), "doing", rows, done.append)
    assert sorted(pk for share in sent for pk in share) == rows
    sent.clear()
    task_queue.sweep_in_turns(Job(), "doing", rows[task_queue.PIECE :], done.append)
    assert sent == []
    assert done == rows[: 2 * task_queue.PIECE]


def test_in_one_process_a_long_list_leaves_half_of_the_time_to_those_who_answer(settings, monkeypatch):
    """In a thread beside requests, after a first piece; not in a command, which has its process to itself."""
    settings.CELERY_TASK_ALWAYS_EAGER = True
    clock, slept = [0.0], []
    monkeypatch.setattr(task_queue.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(task_queue.time, "sleep", slept.append)

    def work(_: int) -> None:
        clock[0] += 0.25

    rows = list(range(task_queue.PIECE + 4))
    thread = threading.Thread(target=task_queue.sweep_each, args=("doing", rows, work))
    thread.start()
    thread.join()
    assert slept == [0.25] * 4
    task_queue.sweep_each("doing", rows, work)
    assert slept == [0.25] * 4
