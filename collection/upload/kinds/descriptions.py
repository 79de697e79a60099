"""Descriptions of pictures and recordings: JSON lines of docno, topic and description."""

import json

from collection.upload import doubts, record_store, unknown_topics
from collection.upload.kinds.base import (
    FILM,
    IMAGE,
    SOUND,
    Finish,
    Kind,
    Progress,
    Source,
    halves,
    register,
    text_of,
)
from collection.upload.kinds.example_material import PICTURES
from prefir.formats import read_descriptions, read_table


@register
class Descriptions(Kind):
    """What pictures show and recordings hold, for people who cannot see or hear them."""

    key = "descriptions"
    title = "Descriptions"
    format = (
        "A table (CSV, JSON, .xlsx) with the columns docno, topic and description. "
        "Screen readers read it out in place of the picture; that of a recording can be unfolded too."
    )
    group = "Collection"
    options = (unknown_topics.OPTION,)
    locked_by_opening = False
    example_name = "descriptions.jsonl"
    fits = (IMAGE, SOUND, FILM)

    def example(self) -> bytes:
        """A sentence on each example picture."""
        return text_of(
            json.dumps({"docno": docno, "topic": "lighthouse", "description": f"A lighthouse, {n} of 4."})
            for n, docno in enumerate(PICTURES, 1)
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: read_table(
                "descriptions",
                source.name,
                source.path,
                lambda given: read_descriptions(source.name, given, known, progress=read),
            ),
        )
        source.doubts.extend(doubts.of_descriptions(source.study, kept.records))
        return kept.said_after(record_store.stage_descriptions(source.row, kept.records, write))
