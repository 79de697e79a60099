"""Database triggers that let rows of a table only be added, as operations for migrations.

UPDATE and DELETE are refused on both databases, and on PostgreSQL TRUNCATE. SQLite carries out INSERT OR
REPLACE by removing the older row, and asks a trigger first only under `PRAGMA recursive_triggers`, which
`config/settings.py` sets for every connection. Rows of a study that is deleted for good may go
(`collection.study.study_deletion`), and by no other way. Anyone who owns the database can drop triggers: what
was changed behind them is found by the seals (`judging.audit.hash_chain`).
"""

from typing import Any

from django.db.migrations import RunPython
from django.db.migrations.operations.base import Operation

# Only the transactions that delete a study see such a row.
GOING_ON = "EXISTS (SELECT 1 FROM collection_deletion WHERE going_on)"
# On PostgreSQL, {table}_is_append_only is both a trigger and the function that it calls.
POSTGRESQL_BACK = """
DROP TRIGGER IF EXISTS {table}_is_append_only ON {table};
DROP TRIGGER IF EXISTS {table}_is_never_emptied ON {table};
DROP FUNCTION IF EXISTS {table}_is_append_only();
"""
POSTGRESQL = f"""{POSTGRESQL_BACK}
CREATE FUNCTION {{table}}_is_append_only() RETURNS trigger AS $$
BEGIN
    IF TG_OP = 'DELETE' AND {GOING_ON} THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'rows of {{table}} are only ever added' USING ERRCODE = 'integrity_constraint_violation';
END $$ LANGUAGE plpgsql;
CREATE TRIGGER {{table}}_is_append_only BEFORE UPDATE OR DELETE ON {{table}}
    FOR EACH ROW EXECUTE FUNCTION {{table}}_is_append_only();
CREATE TRIGGER {{table}}_is_never_emptied BEFORE TRUNCATE ON {{table}}
    FOR EACH STATEMENT EXECUTE FUNCTION {{table}}_is_append_only();
"""
# SQLite takes one statement at a time.
SQLITE_BACK = (
    "DROP TRIGGER IF EXISTS {table}_is_append_only",
    "DROP TRIGGER IF EXISTS {table}_is_never_emptied",
)
SQLITE = (
    *SQLITE_BACK,
    "CREATE TRIGGER {table}_is_append_only BEFORE UPDATE ON {table} "
    "BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END",
    f"CREATE TRIGGER {{table}}_is_never_emptied BEFORE DELETE ON {{table}} WHEN NOT {GOING_ON} "
    "BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END",
)


def append_only(table: str) -> RunPython:
    """Migration operation that makes the database refuse to change a table's rows, and to remove any but
    those of a study that is being deleted.

    SQLite drops a table's triggers when a migration rebuilds the table: end such a migration with this.
    """

    def forward(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL,), SQLITE)

    def back(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL_BACK,), SQLITE_BACK)

    return RunPython(forward, back)


def append_only_but(table: str, column: str) -> RunPython:
    """Migration operation as `append_only`, of a table that has it already; but this column may become null,
    while all others stay as they are.
    """

    def forward(apps: Any, schema_editor: Any) -> None:
        gone = f"OLD.{column} IS NOT NULL AND NEW.{column} IS NULL"
        if schema_editor.connection.vendor == "postgresql":
            erased = f"{gone} AND to_jsonb(NEW) - '{column}' = to_jsonb(OLD) - '{column}'"
            allowed = f"BEGIN\n    IF TG_OP = 'UPDATE' THEN IF {erased} THEN RETURN NEW; END IF; END IF;"
            _run(schema_editor, table, (POSTGRESQL.replace("BEGIN", allowed, 1),), ())
            return
        with schema_editor.connection.cursor() as cursor:
            found = schema_editor.connection.introspection.get_table_description(cursor, table)
        others = (f"NEW.{one.name} IS OLD.{one.name}" for one in found if one.name != column)
        erased = " AND ".join([gone, *others])
        allowed = SQLITE[2].replace(" ON {table} ", f" ON {{table}} WHEN NOT ({erased}) ")
        _run(schema_editor, table, (), (*SQLITE_BACK, allowed, SQLITE[3]))

    def back(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL,), SQLITE)

    return RunPython(forward, back)


def rows_may_change(table: str) -> RunPython:
    """Migration operation that drops a table's triggers, for a migration that fills one of its columns.

    End such a migration with `append_only`.
    """

    def drop(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL_BACK,), SQLITE_BACK)

    def add(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL,), SQLITE)

    return RunPython(drop, add)


def rename_append_only(old: str, new: str, rename: Operation) -> list[Operation]:
    """Migration operations that rename an append-only table: its triggers say their table's name."""

    return [rows_may_change(old), rename, append_only(new)]


def _run(schema_editor: Any, table: str, postgresql: tuple[str, ...], sqlite: tuple[str, ...]) -> None:
    for sql in postgresql if schema_editor.connection.vendor == "postgresql" else sqlite:
        schema_editor.execute(sql.format(table=table), params=None)
