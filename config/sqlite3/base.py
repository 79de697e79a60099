"""Django's backend for SQLite, with a fair lock before SQLite's own.

SQLite has one lock for writing, and no queue before it: anyone who finds it taken looks again after a while,
and waits for seconds where others take it again and again. Here the threads of a process queue for a lock of
their own first, so that they write in the order in which they came; only other processes may still come in
between. Readers wait for nobody.
"""

import re
import sqlite3
import threading
from collections import defaultdict
from typing import Any

from django.db.backends.sqlite3 import base

from config.fair_lock import FairLock

# What writes where no transaction is open. A query may begin with WITH too.
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE|WITH\b.*\b(INSERT|UPDATE|DELETE)\b)", re.I | re.S)
# Of each database file.
_locks: dict[str, FairLock] = defaultdict(FairLock)
_making = threading.Lock()


def lock_of(database: str) -> FairLock:
    """The lock for writers of this process to a database file."""
    with _making:
        return _locks[database]


class FairConnection(sqlite3.Connection):
    """A connection that knows its file's lock, and whether it holds it."""

    fair_lock: FairLock
    patience: float
    holds = False

    def lock(self) -> None:
        """Wait for the lock. Raises OperationalError as SQLite does where it does not come."""
        if not self.fair_lock.acquire(self.patience):
            raise sqlite3.OperationalError("database is locked")
        self.holds = True

    def unlock(self) -> None:
        """Release the lock, if this connection holds it."""
        if self.holds:
            self.holds = False
            self.fair_lock.release()


class Cursor(base.SQLiteCursorWrapper):
    """A cursor that waits for the lock if a statement writes outside a transaction."""

    connection: FairConnection

    def execute(self, query: str, params: Any = None) -> Any:
        return self._locked(query, super().execute, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        return self._locked(query, super().executemany, param_list)

    def _locked(self, query: str, run: Any, values: Any) -> Any:
        if self.connection.in_transaction or self.connection.holds or not WRITES.match(query):
            return run(query, values)
        self.connection.lock()
        try:
            return run(query, values)
        finally:
            self.connection.unlock()


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, which holds the lock from the start of each transaction to its end."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        made = super().get_new_connection(conn_params | {"factory": FairConnection})
        made.fair_lock = lock_of(str(conn_params["database"]))
        made.patience = conn_params.get("timeout", 5.0)
        return made

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        with self.wrap_database_errors:
            self.connection.lock()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self.connection.unlock()
            raise

    def _commit(self) -> None:
        # One that fails is rolled back, and ends then.
        super()._commit()  # type: ignore[misc]
        if self.connection is not None:
            self.connection.unlock()

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]
        if self.connection is not None:
            self.connection.unlock()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            if self.connection is not None:
                self.connection.unlock()
