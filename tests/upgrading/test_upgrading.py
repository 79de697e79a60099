"""Older databases are brought up to date: what was judged stays, what follows from it can be made anew.

0001.*.sql are dumps of a study (slug "older") in databases whose apps were all at their first migration, made
by the product as it was then: kept, discarded, lapsed and open batches, an excluded person, a challenge set
aside, corrections, recorded judgments, rounds, scores. Beside them lies what its exports said. They stand as
they are for good; a release adds dumps of its own.
"""

import csv
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.servers import postgres
from tests.stack import Stack

HERE = Path(__file__).parent
MIGRATIONS = "SELECT count(*) FROM django_migrations"
# What is only ever added to, and what follows from it: table -> columns.
KEPT_AS_IT_IS = {
    "judging_judgment": "id, assignment_id, question_id, revision, value, shown, created_at",
    "judging_decision": "id, what, assignment_id, assessor_id, question_id, why, created_at",
    "judging_assignment": "id, state, challenges_wrong, submitted_at",
    "tournament_round": "tournament_id, number, kind, answered, complete",
}
SQLITE_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
# Of conditions the names alone: a dump spells what they say otherwise.
POSTGRESQL_SCHEMA = """
SELECT table_name, column_name, data_type || ' ' || is_nullable
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT tablename, indexname, regexp_replace(indexdef, ' WHERE .*', '')
FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT conrelid::regclass::text, conname,
    CASE contype WHEN 'c' THEN '' ELSE pg_get_constraintdef(oid) END
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT proname, '', prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


class Older(Stack):
    """A deployment of which nothing runs, over a dump of an older version.

    before: rows as the dump has them. after: the same once it is up to date. told: what
    `tests.upgrading.afterwards` tells then.
    """

    before: dict[str, list[Any]]
    after: dict[str, list[Any]]
    told: dict[str, Any]

    @classmethod
    def load(cls, folder: Path, vendor: str) -> "Older":
        """Make a database of this vendor as the dump says."""
        sql = (HERE / f"0001.{vendor}.sql").read_text()
        name = f"older_{os.getpid()}" if vendor == "postgresql" else ""
        older = cls(folder, database=name, redis=None, workers=0, server=postgres)
        if name:
            postgres.start()
            postgres.create(name)
            with postgres.connect(name) as connection:
                connection.execute(sql.encode())
        else:
            (folder / "data").mkdir()
            with closing(sqlite3.connect(folder / "data" / "faceoff.sqlite3")) as file:
                file.executescript(sql)
        return older

    def rows(self) -> dict[str, list[Any]]:
        return {
            table: sorted(self.query(f"SELECT {columns} FROM {table}"), key=str)
            for table, columns in KEPT_AS_IT_IS.items()
        }


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)])
def upgraded(request, tmp_path_factory):
    """An older database that was brought up to date by the command of the service `migrate`."""
    older = Older.load(tmp_path_factory.mktemp("older"), request.param)
    older.before, [(migrations,)] = older.rows(), older.query(MIGRATIONS)
    older.manage("migrate", "--noinput")
    assert older.query(MIGRATIONS) > [(migrations,)]
    older.after = older.rows()
    older.told = json.loads(older.python("from tests.upgrading import afterwards; afterwards.tell()"))
    yield older
    older.stop()


def test_what_was_judged_and_decided_is_as_it_was(upgraded):
    assert upgraded.after == upgraded.before
    assert all(upgraded.before.values())
    exported = (HERE / "0001.judgments.txt").read_text()
    assert sorted(upgraded.told["judgments"].splitlines()) == sorted(exported.splitlines())


def test_scores_of_topics_are_as_they_were(upgraded):
    """Of the measures that there were then. Means are not compared: topics have got weights since."""
    then, now = (HERE / "0001.scores.csv").read_text(), upgraded.told["scores"]
    assert len(table(then)) == 72
    assert {key: table(now)[key] for key in table(then)} == pytest.approx(table(then), abs=1e-9, nan_ok=True)


def table(scores: str) -> dict[tuple[str, ...], float]:
    """Run, topic, measure, p -> value."""
    return {tuple(row[:4]): float(row[4] or "nan") for row in list(csv.reader(scores.splitlines()))[1:]}


def test_a_rebuild_finds_nothing_wrong_and_changes_nothing(upgraded):
    told = upgraded.told
    assert told["rebuilt"].startswith("0 states and counters were wrong")
    assert told["scores again"] == told["scores"]
    assert told["asked again"] == told["asked"]
    assert all(told["asked"])


def test_judging_goes_on_with_the_batch_that_was_open(upgraded):
    assert upgraded.told["verdict"] == "kept"
    assert upgraded.told["rows of the leaderboard"] == 3
    assert upgraded.told["rebuilt again"].startswith("0 states and counters were wrong")


def test_the_tables_are_those_of_a_new_database(upgraded, request, tmp_path):
    """So nobody has changed a migration that older databases have behind them."""
    if not upgraded.database:
        older, new = upgraded.query(SQLITE_SCHEMA), Stack.embedded(tmp_path).query(SQLITE_SCHEMA)
    else:
        older = upgraded.query(POSTGRESQL_SCHEMA)
        with postgres.connect(request.getfixturevalue("migrated_database")) as connection:
            new = connection.execute(POSTGRESQL_SCHEMA.encode()).fetchall()
    assert sorted(older, key=str) == sorted(new, key=str)
    assert len(new) > 50


def test_the_ledger_is_only_added_to(upgraded):
    with pytest.raises(Exception, match="only ever added"):
        upgraded.query("UPDATE judging_judgment SET shown = ''")
