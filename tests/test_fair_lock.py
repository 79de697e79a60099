"""Fair lock: threads of one process write to SQLite in the order in which they came."""

import threading

import pytest
from django.db import connection, transaction
from django.db.utils import OperationalError

from collection.models import Study
from config.fair_lock import FairLock
from tests.servers import wait_until

LONG = 30.0


def queued(lock: FairLock, name: str, had: list[str]) -> threading.Thread:
    """Start a thread that notes when it has the lock, and return once it waits."""
    before = lock.waiting()

    def wait() -> None:
        assert lock.acquire(LONG)
        had.append(name)
        lock.release()

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until(lambda: lock.waiting() == before + 1, what="the thread waits")
    return thread


def test_somebody_who_lets_go_comes_after_all_who_wait():
    lock, had = FairLock(), []
    assert lock.acquire(LONG)
    threads = [queued(lock, name, had) for name in "abc"]
    lock.release()
    assert lock.acquire(LONG)
    assert had == ["a", "b", "c"]
    lock.release()
    for thread in threads:
        thread.join()
    assert lock.acquire(0)


def test_somebody_who_gives_up_waiting_is_passed_over():
    lock, had = FairLock(), []
    lock.acquire(LONG)
    assert not lock.acquire(0.0)
    assert lock.waiting() == 0
    thread = queued(lock, "a", had)
    lock.release()
    thread.join()
    assert had == ["a"]
    assert lock.acquire(0)


@pytest.fixture
def lock():
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    from config.sqlite3.base import lock_of

    return lock_of(str(connection.settings_dict["NAME"]))


def free(lock: FairLock) -> bool:
    """Whether nobody has the lock."""
    if lock.acquire(0):
        lock.release()
        return True
    return False


@pytest.mark.django_db(transaction=True)
def test_a_transaction_has_the_lock_until_its_end(lock):
    with transaction.atomic():
        assert not free(lock)
        with transaction.atomic():
            Study.objects.create(name="A", slug="a")
        assert not free(lock)
    assert free(lock)
    with transaction.atomic():
        assert not free(lock)
        transaction.set_rollback(True)
    assert free(lock)


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_writes_alone_waits_for_the_lock_and_queries_do_not(lock):
    Study.objects.create(name="A", slug="a")
    rename = "WITH new(name) AS (SELECT 'B') UPDATE collection_study SET name = (SELECT name FROM new)"
    done: list[str] = []

    def write() -> None:
        with connection.cursor() as cursor:
            cursor.execute(rename)
        done.append("written")
        connection.close()

    lock.acquire(LONG)
    thread = threading.Thread(target=write)
    thread.start()
    wait_until(lambda: lock.waiting() == 1, what="the writer waits")
    assert Study.objects.get().name == "A"
    assert done == []
    lock.release()
    thread.join()
    assert Study.objects.get().name == "B"
    assert free(lock)


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_closed_in_a_transaction_gives_the_lock_back(lock):
    def leave() -> None:
        connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        connection.close()

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    assert free(lock)


@pytest.mark.django_db(transaction=True)
def test_where_the_lock_does_not_come_the_database_is_locked(lock, monkeypatch):
    Study.objects.count()  # the connection is open
    monkeypatch.setattr(connection.connection, "patience", 0.0)
    lock.acquire(LONG)
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        pass
    with pytest.raises(OperationalError, match="locked"):
        Study.objects.create(name="A", slug="a")
    lock.release()
    Study.objects.create(name="A", slug="a")
    assert free(lock)
