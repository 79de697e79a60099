"""Database triggers as judging's first migration made them; its fourth replaces them.

They let rows be deleted on SQLite and truncated on PostgreSQL. Those in force are of `collection.triggers`.
"""

from collections.abc import Callable
from typing import Any

from django.db.migrations import RunPython

POSTGRESQL = """
CREATE FUNCTION {table}_is_append_only() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'rows of {table} are only ever added' USING ERRCODE = 'integrity_constraint_violation';
END $$ LANGUAGE plpgsql;
CREATE TRIGGER {table}_is_append_only BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_is_append_only();
"""
POSTGRESQL_BACK = """
DROP TRIGGER {table}_is_append_only ON {table};
DROP FUNCTION {table}_is_append_only();
"""
SQLITE = """
CREATE TRIGGER {table}_is_append_only BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END;
"""
SQLITE_BACK = "DROP TRIGGER {table}_is_append_only;"


def append_only(table: str) -> RunPython:
    """Migration operation that makes the database refuse changes to a table's rows."""
    return RunPython(_run(table, POSTGRESQL, SQLITE), _run(table, POSTGRESQL_BACK, SQLITE_BACK))


def _run(table: str, postgresql: str, sqlite: str) -> Callable[[Any, Any], None]:
    def apply(apps: Any, schema_editor: Any) -> None:
        sql = postgresql if schema_editor.connection.vendor == "postgresql" else sqlite
        schema_editor.execute(sql.format(table=table), params=None)

    return apply
