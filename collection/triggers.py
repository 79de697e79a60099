"""Database triggers that let rows of a table only be added, as operations for migrations.

UPDATE and DELETE are refused on both databases, and on PostgreSQL TRUNCATE. SQLite carries out INSERT OR
REPLACE by removing the older row, and asks a trigger first only under `PRAGMA recursive_triggers`, which
`config/settings.py` sets for every connection. Rows of a study that is deleted for good may go
(`collection.deleting`), and by no other way. Whoever owns the database can drop triggers: what was changed
behind them is found by the seals (`judging.sealing`).
"""

from collections.abc import Callable
from typing import Any

from django.db.migrations import RunPython

Apply = Callable[[Any, Any], None]

# On PostgreSQL, {table}_is_append_only is both a trigger and the function that it calls.
POSTGRESQL_BACK = """
DROP TRIGGER IF EXISTS {table}_is_append_only ON {table};
DROP TRIGGER IF EXISTS {table}_is_never_emptied ON {table};
DROP FUNCTION IF EXISTS {table}_is_append_only();
"""
POSTGRESQL = (
    POSTGRESQL_BACK
    + """
CREATE FUNCTION {table}_is_append_only() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'rows of {table} are only ever added' USING ERRCODE = 'integrity_constraint_violation';
END $$ LANGUAGE plpgsql;
CREATE TRIGGER {table}_is_append_only BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_is_append_only();
CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_append_only();
"""
)
# SQLite takes one statement at a time.
SQLITE_BACK = (
    "DROP TRIGGER IF EXISTS {table}_is_append_only",
    "DROP TRIGGER IF EXISTS {table}_is_never_emptied",
)
SQLITE = (
    *SQLITE_BACK,
    "CREATE TRIGGER {table}_is_append_only BEFORE UPDATE ON {table} "
    "BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END",
    "CREATE TRIGGER {table}_is_never_emptied BEFORE DELETE ON {table} "
    "BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END",
)


# Only the transactions that delete a study see such a row.
GOING_ON = "EXISTS (SELECT 1 FROM collection_deletion WHERE going_on)"
POSTGRESQL_BUT_DELETION = POSTGRESQL.replace(
    "BEGIN\n", f"BEGIN\n    IF TG_OP = 'DELETE' AND {GOING_ON} THEN RETURN OLD; END IF;\n", 1
)
SQLITE_BUT_DELETION = (
    *SQLITE[:-1],
    SQLITE[-1].replace("BEFORE DELETE ON {table} ", f"BEFORE DELETE ON {{table}} WHEN NOT {GOING_ON} "),
)


def append_only_but_deletion(table: str) -> RunPython:
    """Migration operation that makes the database refuse to change a table's rows, and to remove any but
    those of a study that is being deleted.

    It replaces the triggers of `append_only`; going back makes those again. SQLite drops a table's triggers
    whenever a migration makes the table anew: end it with this.
    """

    def back(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL,), SQLITE)

    def forward(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL_BUT_DELETION,), SQLITE_BUT_DELETION)

    return RunPython(forward, back)


def append_only(table: str, *, earlier: Apply | None = None) -> RunPython:
    """Migration operation that makes the database refuse to change or remove any of a table's rows.

    It replaces triggers that an earlier migration made under the same name; going back, `earlier` makes those
    again. Migrations later than `append_only_but_deletion` use that.
    """

    def back(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL_BACK,), SQLITE_BACK)
        if earlier is not None:
            earlier(apps, schema_editor)

    def forward(apps: Any, schema_editor: Any) -> None:
        _run(schema_editor, table, (POSTGRESQL,), SQLITE)

    return RunPython(forward, back)


def _run(schema_editor: Any, table: str, postgresql: tuple[str, ...], sqlite: tuple[str, ...]) -> None:
    for sql in postgresql if schema_editor.connection.vendor == "postgresql" else sqlite:
        schema_editor.execute(sql.format(table=table), params=None)
