"""Indexes of foreign keys that no query uses: a migration operation that drops them, and nothing else.

Django indexes each foreign key by itself, also where a unique constraint begins with it. Altering the field
would make SQLite build its table anew, and with the old one the triggers that guard the ledger would be gone.
"""

from collections.abc import Callable
from typing import Any

from django.db import migrations, models
from django.db.migrations.operations.base import Operation


def unindexed(app: str, model: str, name: str, field: models.ForeignKey) -> Operation:
    """Drop the index that Django made for a foreign key; `field` is as the model has it now."""

    def run(change: Callable[[Any, Any, str, str], None]) -> Callable[[Any, Any], None]:
        def apply(apps: Any, schema_editor: Any) -> None:
            table = apps.get_model(app, model)._meta.db_table
            column = f"{name}_id"
            change(schema_editor, schema_editor.quote_name, table, column)

        return apply

    return migrations.SeparateDatabaseAndState(
        database_operations=[migrations.RunPython(run(_drop), run(_make))],
        state_operations=[migrations.AlterField(model, name, field)],
    )


def _drop(schema_editor: Any, quote: Any, table: str, column: str) -> None:
    index = schema_editor._create_index_name(table, [column])
    schema_editor.execute(f"DROP INDEX IF EXISTS {quote(index)}")


def _make(schema_editor: Any, quote: Any, table: str, column: str) -> None:
    index = schema_editor._create_index_name(table, [column])
    schema_editor.execute(f"CREATE INDEX {quote(index)} ON {quote(table)} ({quote(column)})")
