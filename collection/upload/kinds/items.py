"""Passages: JSON lines of docno, topic and text."""

import json

from collection.upload import doubts, record_store, unknown_topics
from collection.upload.kinds.base import TEXT, Finish, Kind, Progress, Source, halves, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import read_items, read_table


@register
class Items(Kind):
    """Passages of text, which assessors compare within a topic."""

    key = "items"
    title = "Passages"
    format = (
        'JSON lines: one object a line with "docno", "topic" and "text". '
        "Or a table (CSV, JSON, .xlsx) with the columns docno, topic and text."
    )
    group = "Collection"
    options = (unknown_topics.OPTION,)
    locked_by_opening = False
    of_new_topics = True
    example_name = "items.jsonl"
    fits = (TEXT,)

    def example(self) -> bytes:
        """Every example passage."""
        return text_of(
            json.dumps({"docno": f"{topic}-{n}", "topic": topic, "text": text})
            for topic, (_, passages) in PASSAGES.items()
            for n, (text, _) in enumerate(passages, 1)
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study, adding=True)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: read_table(
                "items",
                source.name,
                source.path,
                lambda given: read_items(source.name, given, known, progress=read),
                columns=source.columns,
            ),
        )
        source.doubts.extend(doubts.of_records("items", kept.records, known))
        source.doubts.extend(doubts.of_texts(kept.records, source.study.markup))
        return kept.said_after(record_store.stage_items(source.row, kept.records, write))
