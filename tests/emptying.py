"""Emptying the database between tests that commit, for tests only: the product's triggers refuse it.

Django does it by `flush`, with TRUNCATE on PostgreSQL and DELETE on SQLite.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations


@contextmanager
def unguarded() -> Iterator[None]:
    """Switch every trigger of the database off within the block, as its owner can."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            yield
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield
        for _, sql in triggers:
            cursor.execute(sql)


def let_flush_empty_all(monkeypatch) -> None:
    """Let `flush` empty the append-only tables too."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def execute(operations: BaseDatabaseOperations, statements: list[str]) -> None:
        with unguarded():
            flush(operations, statements)

    monkeypatch.setattr(BaseDatabaseOperations, "execute_sql_flush", execute)
