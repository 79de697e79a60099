"""Sources that answers cite: JSON lines of docno, topic and a list of sources."""

import json

from collection.upload import record_store, unknown_topics
from collection.upload.kinds.base import TEXT, Finish, Kind, Progress, Source, halves, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import read_sources


@register
class Sources(Kind):
    """What answers cite, shown beside them."""

    key = "sources"
    title = "Sources of answers"
    format = (
        'JSON lines: one object a line with "docno", "topic" and "sources", a list in the order of their '
        "numbers. A source is a text, or an object with text, title and url."
    )
    group = "Collection"
    of_answers = True
    options = (unknown_topics.OPTION,)
    locked_by_opening = False
    example_name = "sources.jsonl"
    fits = (TEXT,)

    def example(self) -> bytes:
        """Two sources of the first example passage of each topic."""
        return text_of(
            json.dumps(
                {
                    "docno": f"{topic}-1",
                    "topic": topic,
                    "sources": [
                        {"title": "A handbook", "text": f"What the handbook says of {topic}."},
                        "A passage that was found.",
                    ],
                }
            )
            for topic in PASSAGES
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: read_sources(source.name, source.path, known, progress=read),
        )
        return kept.said_after(record_store.stage_sources(source.row, kept.records, write))
