"""Topics: tab-separated lines of an id and a text."""

from functools import partial

from collection.upload import doubts, record_store
from collection.upload.kinds.base import Finish, Kind, Progress, Source, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import Known, read_table, read_topics


@register
class TopicsFile(Kind):
    """Topics; loaded first, since all other files refer to them."""

    key = "topics"
    title = "Topics"
    format = (
        "Tab-separated: the topic's id, a tab, its text. One topic a line. "
        "Or a table (CSV, JSON, .xlsx) with the columns topic and text."
    )
    group = "Collection"
    locked_by_opening = False
    of_new_topics = True
    example_name = "topics.tsv"

    def example(self) -> bytes:
        """The topics of the example passages, and one for the pictures."""
        rows = [(topic, text) for topic, (text, _) in PASSAGES.items()]
        return text_of("\t".join(row) for row in [*rows, ("lighthouse", "lighthouse at dusk")])

    def load(self, source: Source, progress: Progress) -> Finish:
        fixed = record_store.opened(source.study)
        records = read_table(
            "topics",
            source.name,
            source.path,
            lambda given: read_topics(source.name, given, fixed=fixed, progress=progress),
            columns=source.columns,
        )
        source.doubts.extend(doubts.of_records("topics", records, Known(topics=())))
        return partial(record_store.add_topics, source.study, records)
