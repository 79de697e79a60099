"""What the database itself refuses: to change, remove or empty what is only ever added."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.migrations.state import ProjectState
from django.utils import timezone

from judging.audit import hash_chain
from judging.batches import answering, declines
from judging.batches.closed_batch_trigger import answers_at_any_time, no_late_answers
from judging.models import Assignment, Judgment
from panels.models import IdentityAccess
from panels.participants.people import person_for
from tests.emptying import unguarded
from tests.makers import invite, lose_questions, make_study, open_study, sit
from tests.panels.campaigning import running

TABLES = [
    "judging_judgment",
    "judging_decision",
    "judging_batchquestion",
    "judging_decline",
    "judging_seal",
    "judging_withdrawal",
    "judging_textversion",
    "collection_action",
    "panels_posting",
    "panels_identityaccess",
]

# Before any row is made, which is what takes time here.
postgresql_only = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
sqlite_only = pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has INSERT OR REPLACE")
INSERTS = ["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"] if connection.vendor == "sqlite" else ["INSERT"]


@pytest.fixture
def rows():
    """Rows in every table."""
    study = open_study(make_study(batch_pairs=4))
    running(study, publish=1)
    IdentityAccess.objects.create(person=person_for("link", "live", "somebody"), actor="a test", why="a test")
    batch = answering.arrive(invite(study).pk)
    declines.decline(batch.pk, 1, "broken")
    lose_questions(batch, invite(study))
    sit(invite(study))
    hash_chain.seal()


def execute(sql: str) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.rowcount


def tried(sql: str) -> str:
    """How many rows it writes, which are taken back; or what the database says against it."""
    try:
        with transaction.atomic():
            written = execute(sql)
            transaction.set_rollback(True)
    except DatabaseError as error:
        return str(error)
    return f"{written} row"


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


def assert_refused(statement: str) -> None:
    """Each table holds rows and refuses this with the words of its trigger."""
    assert all(map(count, TABLES))
    said = {table: tried(statement.format(table)) for table in TABLES}
    assert [table for table in TABLES if "only ever added" not in said[table]] == []


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_no_row_is_changed_or_removed(rows, statement):
    assert_refused(statement)


@postgresql_only
@pytest.mark.django_db(transaction=True)
def test_postgresql_empties_no_table(rows):
    assert_refused("TRUNCATE {} CASCADE")


@sqlite_only
@pytest.mark.django_db
def test_sqlite_replaces_no_row(rows):
    """Without recursive triggers it would: the row is removed without a DELETE."""
    Assignment.objects.update(state="working")
    assert_refused("INSERT OR REPLACE INTO {0} SELECT * FROM {0}")


@pytest.mark.django_db
def test_a_table_that_is_only_added_to_is_in_the_list():
    """By what its model says of itself: anyone who adds one names it here."""
    said = {m._meta.db_table for m in apps.get_models() if "only ever added" in (m.__doc__ or "")}
    assert said | {"judging_batchquestion"} == set(TABLES)


@pytest.mark.django_db(transaction=True)
def test_tests_alone_can_empty_everything_and_the_triggers_are_there_again(rows):
    call_command("flush", interactive=False)
    assert [count(table) for table in TABLES] == [0] * len(TABLES)
    sit(invite(open_study(make_study(batch_pairs=4))))
    with pytest.raises(DatabaseError, match="only ever added"):
        execute("DELETE FROM judging_judgment")
    with unguarded():
        Judgment.objects.all().delete()
    assert count("judging_judgment") == 0


ONCE_MORE = """
INTO judging_judgment (assignment_id, question_id, topic_id, revision, value, shown, role, created_at)
SELECT assignment_id, question_id, topic_id, revision + 1, value, shown, role, created_at
FROM judging_judgment ORDER BY id LIMIT 1
"""


@pytest.mark.django_db
@pytest.mark.parametrize("insert", INSERTS)
def test_a_judgment_is_added_only_while_its_batch_is_judged_or_loaded(rows, insert):
    """By SQL, past the services: as the next revision of an answer, which would be the valid one."""
    said = {}
    for state in Assignment.State.values:
        Assignment.objects.update(state=state, submitted_at=timezone.now())
        said[state] = tried(insert + ONCE_MORE)
    assert {state for state, words in said.items() if words == "1 row"} == {"working", "loading"}
    refused = [words for state, words in said.items() if state not in ("working", "loading")]
    assert all("only to a batch that is being judged or loaded" in words for words in refused)


@pytest.mark.django_db(transaction=True)
def test_a_migration_can_make_the_table_of_batches_anew(rows):
    """On SQLite, which renames no table while the trigger of another one names it."""
    field = Assignment._meta.get_field("state")
    state = ProjectState.from_apps(apps)
    with connection.schema_editor() as editor:
        answers_at_any_time().database_forwards("judging", editor, state, state)
        if connection.vendor == "sqlite":
            editor._remake_table(Assignment, alter_fields=[(field, field)])
        no_late_answers().database_forwards("judging", editor, state, state)
    with pytest.raises(IntegrityError, match="only to a batch"):
        execute("INSERT" + ONCE_MORE)
