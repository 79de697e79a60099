"""Emptying the database between tests that commit, for tests only: the product's triggers refuse it.

Django's `flush` truncates every table, used or not, which takes PostgreSQL ten times longer than deleting
the few rows of a test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.commands import flush as command
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.operations import BaseDatabaseOperations

# What follows from the models alone. Django would empty these too, and fill them again each time, which
# takes longer than all the rest.
KEPT = {"auth_permission", "django_content_type"}


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
    """Let `flush` delete the rows of the append-only tables too, and leave those that are KEPT."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def execute(operations: BaseDatabaseOperations, statements: list[str]) -> None:
        with unguarded():
            flush(operations, statements)

    def statements(style: Any, database: BaseDatabaseWrapper, **options: bool) -> list[str]:
        every = database.introspection.django_table_names(only_existing=True, include_views=False)
        tables = set(every) - KEPT
        used = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in tables)
        with database.cursor() as cursor:
            cursor.execute(used)
            return [f"DELETE FROM {name}" for (name,) in cursor.fetchall()]

    monkeypatch.setattr(BaseDatabaseOperations, "execute_sql_flush", execute)
    monkeypatch.setattr(command, "sql_flush", statements)
    monkeypatch.setattr(command, "emit_post_migrate_signal", lambda *_, **__: None)
