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
from judging.models import FROM_FILES
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
    person TEXT, turn INTEGER
);
CREATE TABLE seats (name TEXT, turn INTEGER, assignment INTEGER, PRIMARY KEY (name, turn)) WITHOUT ROWID;
"""
# The smaller id of a pair comes first. Where nobody is named, who judges it again is somebody else, numbered.
RESOLVE = f"""
INSERT INTO judged
SELECT n, topic, first, second, lean, swapped,
       CASE WHEN named OR turn = 1 THEN label ELSE label || ' (' || turn || ')' END,
       CASE WHEN named THEN turn ELSE 1 END
FROM (
    SELECT n, a.topic_pk AS topic, min(a.pk, b.pk) AS first, max(a.pk, b.pk) AS second,
           CASE winner WHEN '' THEN 0 WHEN records.a THEN 1 ELSE -1 END * strength
               * CASE WHEN a.pk < b.pk THEN 1 ELSE -1 END AS lean,
           a.pk > b.pk AS swapped, label, label NOT IN ('{NOBODY}', '{FROM_FILES}-{NOBODY}') AS named,
           row_number() OVER (
               PARTITION BY label, a.topic_pk, min(a.pk, b.pk), max(a.pk, b.pk) ORDER BY n
           ) AS turn
    FROM records
    JOIN items AS a ON a.topic = records.topic AND a.docno = records.a
    JOIN items AS b ON b.topic = records.topic AND b.docno = records.b
)
"""  # noqa: S608 - texts of ours
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
        self._base.execute("INSERT INTO seats SELECT DISTINCT person, turn, NULL FROM judged")

    def seats(self) -> Iterator[tuple[int, str, int]]:
        """The seats: a person's number and label, and which of their answers to a pair it is for.

        In the order of labels; seats of a person from the first answers on.
        """
        return self._read(
            "SELECT dense_rank() OVER (ORDER BY name), name, turn FROM seats ORDER BY name, turn"
        )

    def seat(self, assignments: Iterable[tuple[str, int, int]]) -> None:
        """Add the assignment of each seat, by label and turn."""
        rows = ((assignment, name, turn) for name, turn, assignment in assignments)
        self._many("UPDATE seats SET assignment = ? WHERE name = ? AND turn = ?", rows)

    def judged(self, after: int = 0) -> Iterator[Judged]:
        """Records in file order, starting after number `after`."""
        rows = self._read(
            "SELECT n, topic, first, second, lean, swapped, assignment FROM judged "
            "JOIN seats ON name = person AND seats.turn = judged.turn WHERE n > ? ORDER BY n",
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

    def again(self) -> int:
        """Count the second and later answers of a person to a pair."""
        [[count]] = self._base.execute("SELECT count(*) FROM judged WHERE turn > 1")
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
