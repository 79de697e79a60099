"""Large studies written by SQL: the rows that files, assessors and tournaments would have left behind.

Going through files and requests would take hours, so the collection, the batches and the ledger are written
by statements that number their rows; rounds, scores and the standing are then made by the product's own
commands. Each topic has a pool of 15 and recorded answers to most of its 105 pairs, given in batches of ten
with three challenges: one to a pair, or as many as it takes to hold all judgments. So tournaments have played
their first round and wait for some answers of the second. Topics have a category and a language, the first
run is the baseline, and answers came evenly over a month. Runs rank `depth` of a topic's items: 300 runs of
20 over 10,000 topics would be 60,000,000 rows, so depths of 5 to 10 are what fits into minutes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from random import Random
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils import timezone

from collection.models import Membership, Run, Study
from judging.models import Task
from scoring.models import Standing
from tournament.models import Plan, Tournament

SLUG = "growth"
COORDINATOR = "growth-coordinator"
ITEMS, POOL = 20, 15  # of a topic; the others are graded 0
PAIRS = list(combinations(range(POOL), 2))
CHALLENGES = [(n % POOL, POOL + n % (ITEMS - POOL)) for n in range(10)]
QUESTIONS = len(PAIRS) + len(CHALLENGES)
BATCH, KNOWN = 10, 3
# Judged evenly over so long, until now.
DAYS = 30

# Indexes of the tables with most rows: table, name, whether it is a constraint's, how it is made.
INDEXES = """
SELECT index.indrelid::regclass::text, index.indexrelid::regclass::text, own.conname IS NOT NULL,
       coalesce(pg_get_constraintdef(own.oid), pg_get_indexdef(index.indexrelid))
FROM pg_index index LEFT JOIN pg_constraint own ON own.conindid = index.indexrelid AND own.contype = 'u'
WHERE NOT index.indisprimary AND index.indrelid::regclass::text IN (
    'collection_placement', 'judging_subject', 'judging_question', 'judging_batchquestion',
    'judging_judgment')
"""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """How large a study is. judgments: answers that are no challenges, in whole batches of one topic."""

    judgments: int
    topics: int
    runs: int
    depth: int = 10

    @property
    def wanted(self) -> int:
        """Answers to each pair that is asked."""
        once = len(PAIRS) // BATCH * BATCH
        return max(1, -(-self.judgments // self.topics // once))

    @property
    def asked(self) -> int:
        """Batches that together ask each pair of a topic once, as far as they go."""
        return min(self.judgments // self.topics // BATCH, len(PAIRS) // BATCH)

    @property
    def batches(self) -> int:
        """Batches of each topic."""
        return self.asked * self.wanted

    @property
    def assessors(self) -> int:
        """People, each with some ten batches of different topics."""
        return max(2 * self.batches, self.topics * self.batches // 10)

    def __str__(self) -> str:
        return (
            f"{self.topics * self.batches * BATCH:,} judgments, {self.topics:,} topics x {ITEMS}, "
            f"{self.runs:,} runs of {self.depth}"
        )


def make(size: Size, say: Progress) -> Study:
    """Write a study of this size into an empty, migrated database."""
    if Study.objects.exists():
        raise SystemExit("The database has studies already: growth is measured in one of its own.")
    began = timezone.now() - timedelta(days=DAYS)
    study = Study.objects.create(slug=SLUG, name="Growth", seed="growth", opened_at=began)
    task = Task.objects.create(study=study, batch_size=BATCH, batch_challenges=KNOWN, wrong_allowed=2)
    settings = {"judgments_per_pair": size.wanted}
    Plan.objects.create(study=study, task=task, seed="growth", settings=settings)
    user = get_user_model().objects.create_superuser(COORDINATOR)
    Membership.objects.create(study=study, user=user, role=Membership.Role.ORGANIZER)
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Rows refer to what was written a moment ago: no need to look each one up.
            cursor.execute("SET LOCAL session_replication_role = replica")
        with _without_indexes(cursor, say):
            for what, statement in _statements(size, study, task.pk):
                say(what)
                cursor.execute(statement)
        Tournament.objects.bulk_create(
            (
                Tournament(topic_id=n + 1, pool=[1 + n * ITEMS + i for i in range(POOL)])
                for n in range(size.topics)
            ),
            batch_size=2000,
        )
        models = [m for m in _models() if m._meta.auto_field is not None]
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
    Study.objects.filter(pk=study.pk).update(baseline="run-1001", least_difference=0.01)
    study.refresh_from_db()
    say("statistics")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return study


def write_history(study: Study, count: int) -> None:
    """Put standings before the last one, evenly over the days, each with means that differ a little."""
    last = Standing.objects.filter(study=study).order_by("-number")[0]
    Standing.objects.filter(pk=last.pk).update(number=count + 1)
    random = Random(1)
    for number in range(1, count + 1):
        board = deepcopy(last.board)
        for run in board["runs"]:
            shift = random.uniform(-0.02, 0.02) * (count - number) / count
            for kind in ("means", "whole"):
                for by_option in run.get(kind, {}).values():
                    for mean in by_option.values():
                        mean[:3] = [
                            None if one is None else min(1.0, max(0.0, one + shift)) for one in mean[:3]
                        ]
        board["judgments"] = board["judgments"] * number // count
        made = Standing.objects.create(study=study, number=number, version=f"before-{number}", board=board)
        at = timezone.now() - timedelta(days=DAYS * (count - number + 1) / count)
        Standing.objects.filter(pk=made.pk).update(created_at=at)


@contextmanager
def _without_indexes(cursor: Any, say: Progress) -> Iterator[None]:
    """Drop what makes writing many rows slow, and build it in the end, when that is a matter of sorting."""
    if connection.vendor != "postgresql":
        yield
        return
    cursor.execute(INDEXES)
    found = cursor.fetchall()
    for table, name, constraint, _ in found:
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}" if constraint else f"DROP INDEX {name}")
    yield
    say("indexes")
    for table, name, constraint, text in found:
        cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {text}" if constraint else text)


def _models() -> list[Any]:
    from django.apps import apps

    return list(apps.get_models())


def _numbers(**counts: int) -> str:
    """A WITH clause: each name as a table of one column i, from 0 on."""
    tables = (
        f"{name}(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM {name} WHERE i < {count - 1})"
        for name, count in counts.items()
    )
    return "WITH RECURSIVE " + ", ".join(tables)


def _listed(name: str, rows: Sequence[tuple[int, ...]], columns: str) -> str:
    """A table of a WITH clause that holds these rows, numbered by its first column."""
    values = ", ".join(f"({', '.join(map(str, (n, *row)))})" for n, row in enumerate(rows))
    return f"{name}({columns}) AS (VALUES {values})"


def _statements(size: Size, made: Study, task: int) -> list[tuple[str, str]]:
    study, postgres = made.pk, connection.vendor == "postgresql"
    json = "to_jsonb({})" if postgres else "CAST({} AS text)"
    start = f"'{made.opened_at:%Y-%m-%d %H:%M:%S}'"
    # The moment of the n-th batch.
    each = DAYS * 86400 / (size.topics * size.batches)
    moment = (
        f"{start}::timestamptz + %s * {each} * interval '1 second'"
        if postgres
        else f"datetime({start}, (%s * {each}) || ' seconds')"
    )
    of_batch = moment % "b.i"
    groups = '\'{"category": "c\' || (i % 8) || \'", "language": "l\' || (i % 3) || \'"}\''
    groups = f"({groups})" + ("::jsonb" if postgres else "")
    text = "'" + "A passage of some length about the topic that it was found for. " * 7 + "'"
    batches = size.topics * size.batches
    # Answers are refused once their batch is closed; on PostgreSQL no trigger watches here.
    state, close = "kept", []
    if not postgres:
        state, close = "loading", [("their states", "UPDATE judging_assignment SET state = 'kept'")]
    subjects = _listed("subject", PAIRS + CHALLENGES, "q, a, b")
    # A batch's place: of a pair the q-th of its topic, of a challenge one of the topic's ten.
    place = (
        f"CASE WHEN p.i < {BATCH} THEN b.i % {size.asked} * {BATCH} + p.i "
        f"ELSE {len(PAIRS)} + (b.i % {size.batches} * {KNOWN} + p.i - {BATCH}) % {len(CHALLENGES)} END"
    )
    topic = f"b.i / {size.batches}"
    shown = "CASE WHEN (b.i + p.i) % 2 = 0 THEN '01' ELSE '10' END"
    # Four of five prefer the item that was loaded first.
    lean = f"CASE WHEN p.i >= {BATCH} OR (b.i * 7 + p.i * 13) % 5 > 0 THEN 1 ELSE -1 END"
    sign = "CASE WHEN (b.i + p.i) % 2 = 0 THEN 1 ELSE -1 END"
    question = f"{topic} * {QUESTIONS} + {place} + 1"
    role = f"CASE WHEN p.i >= {BATCH} THEN 'challenge' ELSE 'counts' END"
    places = f"{_numbers(b=batches, p=BATCH + KNOWN)} SELECT"
    return [
        (
            "topics",
            f"INSERT INTO collection_topic (id, study_id, name, text, revision, settled, asked, full_rounds, "
            f"opened_at, groups) {_numbers(t=size.topics)} "
            f"SELECT i + 1, {study}, 't' || (100001 + i), 'What is said of it?', 1, 1, 0, 0, {start}, "
            f"{groups} FROM t",
        ),
        (
            "items",
            "INSERT INTO collection_item (id, topic_id, docno, text, image) "
            f"{_numbers(t=size.topics, n=ITEMS)} "
            f"SELECT t.i * {ITEMS} + n.i + 1, t.i + 1, 't' || (100001 + t.i) || '-d' || (100 + n.i), "
            f"{text}, '' FROM t CROSS JOIN n",
        ),
        (
            "grades",
            "INSERT INTO collection_grade (item_id, value) "
            f"SELECT id, CASE WHEN (id - 1) % {ITEMS} < {POOL} THEN 1.0 ELSE 0.0 END FROM collection_item",
        ),
        (
            "questions",
            "INSERT INTO judging_question (id, study_id, topic_id, task_id, key, expected, draw_key, wanted, "
            f"taken) {_numbers(t=size.topics)}, {subjects} "
            f"SELECT t.i * {QUESTIONS} + q + 1, {study}, t.i + 1, {task}, "
            f"(t.i * {ITEMS} + a + 1) || ' ' || (t.i * {ITEMS} + b + 1), "
            f"CASE WHEN q >= {len(PAIRS)} THEN {json.format(1)} END, "
            f"CASE WHEN q >= {len(PAIRS)} THEN (t.i * 7919 + q * 10473) % 100003 / 100003.0 END, "
            f"0, CASE WHEN q < {size.asked * BATCH} THEN {size.wanted} ELSE 0 END FROM t CROSS JOIN subject",
        ),
        (
            "their subjects",
            "INSERT INTO judging_subject (question_id, position, item_id) "
            f"{_numbers(t=size.topics, side=2)}, {subjects} "
            f"SELECT t.i * {QUESTIONS} + q + 1, side.i, t.i * {ITEMS} + 1 + CASE side.i WHEN 0 THEN a ELSE b "
            "END FROM t CROSS JOIN subject CROSS JOIN side",
        ),
        (
            "assessors",
            "INSERT INTO judging_assessor (id, study_id, panel, reference, label, by_link, created_at, "
            f"excluded_why) {_numbers(a=size.assessors)} "
            f"SELECT i + 1, {study}, 'local', 'growth-' || (i + 1), 'Person ' || i, FALSE, {start}, '' "
            "FROM a",
        ),
        (
            "batches",
            "INSERT INTO judging_assignment (id, assessor_id, task_id, state, opened_at, deadline, "
            f"submitted_at, challenges_wrong) {_numbers(b=batches)} "
            f"SELECT i + 1, i % {size.assessors} + 1, {task}, '{state}', "
            f"{of_batch}, {of_batch}, {of_batch}, 0 FROM b",
        ),
        (
            "their verdicts",
            "INSERT INTO judging_decision (what, assignment_id, why, created_at) "
            f"SELECT 'kept', id, '0 of {KNOWN} challenges wrong', submitted_at FROM judging_assignment",
        ),
        (
            "their questions",
            "INSERT INTO judging_batchquestion (assignment_id, assessor_id, question_id, position, shown, "
            f"role, expected) {places} b.i + 1, b.i % {size.assessors} + 1, {question}, p.i + 1, "
            f"{shown}, {role}, CASE WHEN p.i >= {BATCH} THEN {json.format(1)} END "
            "FROM b CROSS JOIN p",
        ),
        (
            "the ledger",
            "INSERT INTO judging_judgment (assignment_id, question_id, topic_id, revision, value, shown, "
            f"role, seconds, away, nonce, created_at) {places} b.i + 1, {question}, {topic} + 1, 0, "
            f"{json.format(f'({lean}) * ({sign})')}, {shown}, {role}, 7.5, 0.0, "
            f"'n' || (b.i * {BATCH + KNOWN} + p.i), {of_batch} FROM b CROSS JOIN p",
        ),
        *close,
        *_runs(size, study, start),
    ]


def _runs(size: Size, study: int, start: str) -> list[tuple[str, str]]:
    ranked = ", ".join(str(f.column) for f in Run._meta.local_fields if f.name not in ("id", "study", "name"))
    values = {"created_at": start, "topics": str(size.topics), "shown": "TRUE"}
    chosen = ", ".join(values[column] for column in ranked.split(", "))
    return [
        (
            "runs",
            f"INSERT INTO collection_run (id, study_id, name, {ranked}) {_numbers(r=size.runs)} "
            f"SELECT i + 1, {study}, 'run-' || (1001 + i), {chosen} FROM r",
        ),
        (
            "placements",
            "INSERT INTO collection_placement (run_id, topic_id, item_id, rank) "
            f"{_numbers(r=size.runs, t=size.topics, k=size.depth)} "
            # Seven and the number of items have no factor in common: each item comes once.
            f"SELECT r.i + 1, t.i + 1, t.i * {ITEMS} + (k.i * 7 + r.i * 13 + t.i) % {ITEMS} + 1, k.i + 1 "
            "FROM r CROSS JOIN t CROSS JOIN k",
        ),
        (
            "imports",
            "INSERT INTO collection_import (study_id, kind, name, digest, file, options, once, state, "
            "summary, problems, problem_count, attempts, written, created_at, finished_at) "
            f"SELECT {study}, 'run', name, '', '', '{{}}', FALSE, "
            f"'done', 'loaded', '[]', 0, 1, 0, {start}, {start} FROM collection_run",
        ),
    ]
