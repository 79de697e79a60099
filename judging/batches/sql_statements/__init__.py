"""Written statements of the assessor's path: what happens at every answer, in one round trip each.

Each function here does the usual case of a rule and says which; for whatever is rare it changes nothing and
returns None, and its caller takes the way through the ORM, which is also the plain form that tests hold
these statements against. The texts are the same for PostgreSQL and SQLite (`config.sql`).
"""

from judging.batches.sql_statements.answer import StoredRow, store_answer
from judging.batches.sql_statements.arrival import (
    PLENTY,
    at_hand,
    idle_by_link,
    open_batch,
    size_for_newcomers,
)
from judging.batches.sql_statements.open_page import ShownItem, ShownQuestion, picture_of, shown_batch
from judging.batches.sql_statements.pages import ShownCell, ShownPages, page_picture_of, shown_pages
from judging.batches.sql_statements.person import person, sender_of
from judging.batches.sql_statements.submission import keep_batch

__all__ = [
    "PLENTY",
    "ShownCell",
    "ShownItem",
    "ShownPages",
    "ShownQuestion",
    "StoredRow",
    "at_hand",
    "idle_by_link",
    "keep_batch",
    "open_batch",
    "page_picture_of",
    "person",
    "picture_of",
    "sender_of",
    "shown_batch",
    "shown_pages",
    "size_for_newcomers",
    "store_answer",
]
