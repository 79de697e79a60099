"""Written statements that store many rows at once: the rows travel as one list (`config.sql.listed`).

The ORM takes longer to make such a row than the database does, and it does so while SQLite's one lock is
held: a list is made before, and the statement then runs without Python.
"""

from config.sql import execute

ITEMS = """
INSERT INTO collection_item (topic_id, docno, text, words, image, width, height, loaded_by_id)
SELECT CAST({column[0]} AS bigint), {column[1]}, {column[2]}, CAST({column[3]} AS integer),
       '', NULL, NULL, %s FROM {given}
RETURNING topic_id, docno, id
"""
# The columns are those of collection.models.Placement; "row" and "column" are words of SQL.
PLACEMENTS = """
INSERT INTO collection_placement (run_id, topic_id, item_id, rank, "row", "column", row_length)
SELECT %s, CAST({column[0]} AS bigint), CAST({column[1]} AS bigint), CAST({column[2]} AS integer),
       CAST({column[3]} AS integer), CAST({column[4]} AS integer), CAST({column[5]} AS integer)
FROM {given}
"""


def add_items(rows: str, import_id: int) -> list[tuple[int, str, int]]:
    """Add items of an import, each given as topic, docno, text, words; return topic, docno and id of each."""
    return execute(ITEMS, [import_id, rows])


def add_placements(rows: str, run_id: int) -> None:
    """Add placements of a run: topic, item, rank; in a grid also row, column, length of the row."""
    execute(PLACEMENTS, [run_id, rows])
