"""Older databases are brought up to date: what was judged stays, what follows from it can be made anew.

unsquashed.*.sql are dumps of a study (slug "older") made by the last version before migrations were squashed:
kept, discarded, lapsed, idle and open batches, an excluded person, questions declined, reassigned and asked
again, a challenge set aside, recorded judgments, rounds, scores, seals, a campaign. Beside them lies what its
exports said. They stand as they are for good; a release adds dumps of its own.
"""

import csv
import json
import os
import re
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
# The order of columns is another where they were added later. Of constraints the names alone, as below.
SQLITE_SCHEMA = """
SELECT tables.name, columns.name,
    columns.type || columns."notnull" || coalesce(columns.dflt_value, '') || columns.pk
FROM sqlite_master tables JOIN pragma_table_info(tables.name) columns WHERE tables.type = 'table'
UNION ALL SELECT tables.name, keys."from", keys."table" || keys."to" || keys.on_delete
FROM sqlite_master tables JOIN pragma_foreign_key_list(tables.name) keys WHERE tables.type = 'table'
UNION ALL SELECT tbl_name, name, sql FROM sqlite_master WHERE type <> 'table' AND name NOT LIKE 'sqlite_%'
"""
SQLITE_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
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
# The dumps have a task of pairs alone: these ask nothing, and are set otherwise than a task begins.
FURTHER_TASKS = """
INSERT INTO {table} (position, kind, scale, guidelines, depth, assessors, average, grades_first, rows,
    study_id, wording, instructions, consent, batch_size, batch_challenges, wrong_allowed, minutes,
    idle_minutes, failing, examples)
SELECT further.*, study_id, wording, instructions, consent, batch_size, batch_challenges, wrong_allowed,
    minutes, idle_minutes, failing, examples
FROM {table}, (SELECT 2, 'grade', '0-100', 'More is better.', 7, 3, 'mean', true, 20
               UNION ALL SELECT 3, 'pages', '5', '', 4, 2, 'median', false, 6) further;
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
        """Make a database of this vendor as the dump says, with further tasks."""
        table = "public.judging_task" if vendor == "postgresql" else "judging_task"
        sql = (HERE / f"unsquashed.{vendor}.sql").read_text() + FURTHER_TASKS.format(table=table)
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

    def told_then(self, name: str) -> str:
        """What an export of the older version said."""
        vendor = "postgresql" if self.database else "sqlite"
        return (HERE / f"unsquashed.{vendor}.{name}").read_text()

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
    exported = upgraded.told_then("judgments.txt")
    assert sorted(upgraded.told["judgments"].splitlines()) == sorted(exported.splitlines())


def test_scores_of_topics_are_as_they_were(upgraded):
    """Of the measures that there were then. Means are not compared: topics have got weights since."""
    then, now = upgraded.told_then("scores.csv"), upgraded.told["scores"]
    assert len(table(then)) == 72
    assert {key: table(now)[key] for key in table(then)} == pytest.approx(table(then), abs=1e-9, nan_ok=True)


def test_the_sweep_gives_every_topic_that_was_scored_its_ceilings(upgraded):
    scored = len(upgraded.query("SELECT topic_id FROM scoring_storedscores"))
    assert len(upgraded.told["to be scored"]) == upgraded.told["scored"] == scored
    assert upgraded.told["ceilings"] == [8 * 2 * 4] * scored  # of two measures at four persistences


def table(scores: str) -> dict[tuple[str, ...], float]:
    """Run, topic, measure, p -> value; without means."""
    rows = list(csv.reader(scores.splitlines()))[1:]
    return {tuple(row[:4]): float(row[4] or "nan") for row in rows if row[1]}


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
        older, new = in_sqlite(upgraded), in_sqlite(Stack.embedded(tmp_path))
    else:
        older = upgraded.query(POSTGRESQL_SCHEMA)
        with postgres.connect(request.getfixturevalue("migrated_database")) as connection:
            new = connection.execute(POSTGRESQL_SCHEMA.encode()).fetchall()
    assert sorted(older, key=str) == sorted(new, key=str)
    assert len(new) > 50


def in_sqlite(stack: Stack) -> list[Any]:
    named = r'CONSTRAINT "(\w+)" (CHECK|UNIQUE)'
    constraints = [
        (table, *found) for table, sql in stack.query(SQLITE_TABLES) for found in re.findall(named, sql)
    ]
    return [*stack.query(SQLITE_SCHEMA), *constraints]


def test_what_tasks_were_set_is_as_it_was(upgraded):
    assert upgraded.told["settings"] == {
        "pair": {
            "aspects": "", "aspects_when": "after", "aspects_needed": "", "reasons": "", "remark": "",
            "claims": "",
        },
        "grade": {
            "guidelines": "More is better.", "depth": 7, "assessors": 3, "average": "mean",
            "grades_first": True,
        },
        "pages": {"depth": 4, "rows": 6, "assessors": 2},
    }  # fmt: skip


def test_what_was_sealed_is_as_it_was(upgraded):
    """Lines of the hash chain are made from the rows as they are now."""
    assert re.match(r"\d\d+ rows are as they were sealed, in \d seals", upgraded.told["verified"])


def test_the_ledger_is_only_added_to(upgraded):
    with pytest.raises(Exception, match="only ever added"):
        upgraded.query("UPDATE judging_judgment SET shown = ''")
