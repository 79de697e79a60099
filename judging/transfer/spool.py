"""Spool of recorded judgments: a file's records in a scratch database on disk, so that memory stays flat.

Questions about all records at once are asked in SQL, such as which of a label's judgments of a pair is the
second.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

from judging.assessor_names import NOBODY
from prefir.formats import PreferenceRecord

BATCH = 5000
TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;
CREATE TABLE records (
    n INTEGER PRIMARY KEY, topic TEXT, a TEXT, b TEXT, winner TEXT, strength INTEGER, label TEXT
);
CREATE TABLE items (topic TEXT, docno TEXT, pk INTEGER, topic_pk INTEGER, PRIMARY KEY (topic, docno))
    WITHOUT ROWID;
CREATE TABLE judged (
    n INTEGER PRIMARY KEY, topic INTEGER, first INTEGER, second INTEGER, lean INTEGER, swapped INTEGER,
    person TEXT
);
CREATE TABLE people (name TEXT PRIMARY KEY, assignment INTEGER) WITHOUT ROWID;
"""
# The pair's smaller id comes first; who judges a pair under one label again is another person, numbered.
RESOLVE = """
INSERT INTO judged
SELECT n, topic, first, second, lean, swapped,
       label || CASE WHEN turn = 1 THEN '' ELSE ' (' || turn || ')' END
FROM (
    SELECT n, a.topic_pk AS topic, min(a.pk, b.pk) AS first, max(a.pk, b.pk) AS second,
           CASE winner WHEN '' THEN 0 WHEN records.a THEN 1 ELSE -1 END * strength
               * CASE WHEN a.pk < b.pk THEN 1 ELSE -1 END AS lean,
           a.pk > b.pk AS swapped, label,
           row_number() OVER (
               PARTITION BY label, a.topic_pk, min(a.pk, b.pk), max(a.pk, b.pk) ORDER BY n
           ) AS turn
    FROM records
    JOIN items AS a ON a.topic = records.topic AND a.docno = records.a
    JOIN items AS b ON b.topic = records.topic AND b.docno = records.b
)
"""
MISSING = """
SELECT topic, a FROM records UNION SELECT topic, b FROM records EXCEPT SELECT topic, docno FROM items
"""


class Judged(NamedTuple):
    """A record with ids for names. lean > 0 prefers the pair's first item. n: number in the file, from 1.

    swapped: the file names the pair's second item first.
    """

    n: int
    topic: int
    first: int
    second: int
    lean: int
    swapped: bool
    assignment: int


class Spool:
    """Records of one file. Call `fill`, then `resolve`, then `seat`; from then on `judged` yields all of
    them.
    """

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "spool.sqlite3", isolation_level=None)
        self._base.executescript(TABLES)
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._base.close()

    def fill(self, records: Iterable[PreferenceRecord]) -> None:
        """Add all records, in file order."""
        rows = ((r.topic, r.a, r.b, r.winner or "", r.strength or 1, r.assessor or NOBODY) for r in records)
        self._many(
            "INSERT INTO records (topic, a, b, winner, strength, label) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
        [[self.count]] = self._base.execute("SELECT count(*) FROM records")

    def know(self, items: Iterable[tuple[str, str, int, int]]) -> None:
        """Add items: topic, docno, the item's id, the topic's id."""
        self._many("INSERT INTO items VALUES (?, ?, ?, ?)", items)

    def missing(self) -> Iterator[tuple[str, str]]:
        """(topic, docno) of the items that records name and `know` was not given."""
        return self._read(MISSING)

    def resolve(self) -> None:
        """Find the ids that the records name, and the people behind their labels."""
        self._base.execute(RESOLVE)
        self._base.execute("DROP TABLE records")
        self._base.execute("INSERT INTO people SELECT DISTINCT person, NULL FROM judged")

    def people(self) -> Iterator[str]:
        """Labels of the people, in alphabetical order."""
        return (name for (name,) in self._read("SELECT name FROM people ORDER BY name"))

    def seat(self, assignments: Iterable[tuple[str, int]]) -> None:
        """Add the assignment of each person, by label."""
        rows = ((assignment, name) for name, assignment in assignments)
        self._many("UPDATE people SET assignment = ? WHERE name = ?", rows)

    def judged(self, after: int = 0) -> Iterator[Judged]:
        """Records in file order, starting after number `after`."""
        rows = self._read(
            "SELECT n, topic, first, second, lean, swapped, assignment FROM judged "
            "JOIN people ON name = person WHERE n > ? ORDER BY n",
            after,
        )
        return (
            Judged(n, topic, a, b, lean, bool(swapped), seat) for n, topic, a, b, lean, swapped, seat in rows
        )

    def pairs(self) -> int:
        """Count the different pairs; the same two runs on another topic are another pair."""
        [[count]] = self._base.execute(
            "SELECT count(*) FROM (SELECT DISTINCT topic, first, second FROM judged)"
        )
        return int(count)

    def topics(self) -> list[int]:
        """Ids of the judged topics."""
        return [topic for (topic,) in self._base.execute("SELECT DISTINCT topic FROM judged")]

    def _many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        rest = iter(rows)
        while batch := list(islice(rest, BATCH)):
            self._base.execute("BEGIN")
            self._base.executemany(sql, batch)
            self._base.execute("COMMIT")

    def _read(self, sql: str, *values: object) -> Iterator[Any]:
        # Not `yield from`: it would close the cursor of a reading broken off, after the file is gone.
        for row in self._base.execute(sql, values):  # noqa: UP028
            yield row
