"""The ledger only grows: the database refuses to change a judgment, and on PostgreSQL to remove one.

SQLite has no TRUNCATE, with which tests empty their database, so removal is not refused there.
"""

from django.db import migrations

POSTGRESQL = """
CREATE FUNCTION judging_ledger_is_append_only() RETURNS trigger AS $$
BEGIN
    RAISE EXCEPTION 'judgments are only ever added' USING ERRCODE = 'integrity_constraint_violation';
END $$ LANGUAGE plpgsql;
CREATE TRIGGER judging_ledger_is_append_only BEFORE UPDATE OR DELETE ON judging_judgment
    FOR EACH ROW EXECUTE FUNCTION judging_ledger_is_append_only();
"""
POSTGRESQL_BACK = """
DROP TRIGGER judging_ledger_is_append_only ON judging_judgment;
DROP FUNCTION judging_ledger_is_append_only();
"""
SQLITE = """
CREATE TRIGGER judging_ledger_is_append_only BEFORE UPDATE ON judging_judgment
BEGIN SELECT RAISE(ABORT, 'judgments are only ever added'); END;
"""
SQLITE_BACK = "DROP TRIGGER judging_ledger_is_append_only;"


def run(postgresql, sqlite):
    def apply(apps, schema_editor):
        sql = postgresql if schema_editor.connection.vendor == "postgresql" else sqlite
        schema_editor.execute(sql, params=None)

    return apply


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [migrations.RunPython(run(POSTGRESQL, SQLITE), run(POSTGRESQL_BACK, SQLITE_BACK))]
