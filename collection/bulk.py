"""Written statements that store many rows at once: the rows travel as one list in JSON.

The ORM takes longer to make such a row than the database does, and it does so while SQLite's one lock is
held: a list is made before (`listed`), and the statement then runs without Python. The texts are the same for
PostgreSQL and SQLite, but for what reads the list.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

# What stands for {given} in a text, whose rows are then `one.value`: on PostgreSQL and on SQLite.
GIVEN = ("json_array_elements(CAST(%s AS json)) one", "json_each(%s) one")

ITEMS = """
INSERT INTO collection_item (topic_id, docno, text, image, width, height, loaded_by_id)
SELECT CAST(one.value ->> 0 AS bigint), one.value ->> 1, one.value ->> 2, '', NULL, NULL, %s FROM {given}
RETURNING topic_id, docno, id
"""
# The columns are those of collection.models.Placement; "row" and "column" are words of SQL.
PLACEMENTS = """
INSERT INTO collection_placement (run_id, topic_id, item_id, rank, "row", "column", row_length)
SELECT %s, CAST(one.value ->> 0 AS bigint), CAST(one.value ->> 1 AS bigint), CAST(one.value ->> 2 AS integer),
       CAST(one.value ->> 3 AS integer), CAST(one.value ->> 4 AS integer), CAST(one.value ->> 5 AS integer)
FROM {given}
"""


def listed(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as a statement takes them."""
    return json.dumps(list(rows), ensure_ascii=False, separators=(",", ":"))


def execute(text: str, values: Sequence[Any], **parts: tuple[str, str]) -> list[tuple[Any, ...]]:
    """Run a text with its parts filled in, of which each is one for PostgreSQL and one for SQLite."""
    at = connection.vendor != "postgresql"
    chosen = {name: both[at] for name, both in parts.items()}
    with connection.cursor() as cursor:
        cursor.execute(text.format(given=GIVEN[at], **chosen), values)
        return cursor.fetchall() if cursor.description else []


def add_items(rows: str, import_id: int) -> list[tuple[int, str, int]]:
    """Add items of an import, each given as topic, docno, text; return topic, docno and id of each."""
    return execute(ITEMS, [import_id, rows])


def add_placements(rows: str, run_id: int) -> None:
    """Add placements of a run: topic, item, rank; in a grid also row, column, length of the row."""
    execute(PLACEMENTS, [run_id, rows])
