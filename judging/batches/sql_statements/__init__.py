"""SQL statements of the assessor's path: each step in one or a few round trips.

Each function handles the usual case of a rule. In any rarer case it changes nothing and returns None or
False, and its caller takes the ORM form, against which tests hold these statements. The SQL runs on
PostgreSQL and SQLite (`config.sql`).
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
from judging.batches.sql_statements.sent_totals import SentTotals, sent_totals
from judging.batches.sql_statements.submission import keep_batch

__all__ = [
    "PLENTY",
    "SentTotals",
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
    "sent_totals",
    "shown_batch",
    "shown_pages",
    "size_for_newcomers",
    "store_answer",
]
