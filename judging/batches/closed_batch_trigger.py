"""Database trigger that refuses answers to a batch that is closed, as an operation for migrations.

Answers are taken while a batch is being judged, and recorded judgments while their file is loaded. The
services see to that; the trigger refuses what goes past them: a later revision of an answer
that counts would be the valid one, and would be sealed like any other. It looks up one row by its primary
key, which an answer has just read and locked. Restored dumps bring their triggers after their rows. What was
added while the trigger was off is named by `judging.audit.verification`.

SQLite refuses to rename a table while a trigger of another one names a table that is not there. A migration
that makes `judging_assignment` anew begins with `answers_at_any_time` and ends with `no_late_answers`.
"""

from typing import Any

from django.db.migrations import RunPython

SENTENCE = "answers are added only to a batch that is being judged or loaded: this one is closed"
NAME = "judging_judgment_is_in_time"

_OPEN = (
    "SELECT 1 FROM judging_assignment assignment WHERE assignment.id = NEW.assignment_id "
    "AND assignment.state IN ('working', 'loading')"
)
POSTGRESQL_BACK = (
    f"DROP TRIGGER IF EXISTS {NAME} ON judging_judgment",
    f"DROP FUNCTION IF EXISTS {NAME}()",
)
POSTGRESQL = (
    *POSTGRESQL_BACK,
    f"""
CREATE FUNCTION {NAME}() RETURNS trigger AS $$
BEGIN
    IF NOT EXISTS ({_OPEN}) THEN
        RAISE EXCEPTION '{SENTENCE}' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$ LANGUAGE plpgsql
""",
    f"CREATE TRIGGER {NAME} BEFORE INSERT ON judging_judgment FOR EACH ROW EXECUTE FUNCTION {NAME}()",
)
SQLITE_BACK = (f"DROP TRIGGER IF EXISTS {NAME}",)
SQLITE = (
    *SQLITE_BACK,
    f"CREATE TRIGGER {NAME} BEFORE INSERT ON judging_judgment WHEN NOT EXISTS ({_OPEN}) "
    f"BEGIN SELECT RAISE(ABORT, '{SENTENCE}'); END",
)


def no_late_answers() -> RunPython:
    """Migration operation that makes the database refuse answers to closed batches."""
    return RunPython(_refuse, _allow)


def answers_at_any_time() -> RunPython:
    """Migration operation that takes the trigger away, before `judging_assignment` is made anew."""
    return RunPython(_allow, _refuse)


def _refuse(apps: Any, schema_editor: Any) -> None:
    _run(schema_editor, POSTGRESQL, SQLITE)


def _allow(apps: Any, schema_editor: Any) -> None:
    _run(schema_editor, POSTGRESQL_BACK, SQLITE_BACK)


def _run(schema_editor: Any, postgresql: tuple[str, ...], sqlite: tuple[str, ...]) -> None:
    for sql in postgresql if schema_editor.connection.vendor == "postgresql" else sqlite:
        schema_editor.execute(sql, params=None)
