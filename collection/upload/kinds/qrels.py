"""Grades: TREC qrels."""

from collection.upload import doubts, record_store, unknown_topics
from collection.upload.kinds.base import Finish, Kind, Progress, Source, halves, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import read_qrels, read_table


@register
class Qrels(Kind):
    """Grades of items, from which a topic's candidates are chosen."""

    key = "qrels"
    title = "Grades (qrels)"
    format = (
        "TREC qrels: topic, 0, docno, grade. A grade above 0 means relevant. "
        "Or a table (CSV, JSON, .xlsx) with the columns topic, docno and grade."
    )
    group = "Collection"
    options = (unknown_topics.OPTION,)
    locked_by_opening = False
    of_new_topics = True
    example_name = "grades.qrels"

    def example(self) -> bytes:
        """The grades of the example passages."""
        return text_of(
            f"{topic} 0 {topic}-{n} {grade}"
            for topic, (_, passages) in PASSAGES.items()
            for n, (_, grade) in enumerate(passages, 1)
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study, adding=True)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: read_table(
                "qrels",
                source.name,
                source.path,
                lambda given: read_qrels(source.name, given, known, progress=read),
                columns=source.columns,
            ),
        )
        source.doubts.extend(doubts.of_records("qrels", kept.records, known))
        return kept.said_after(record_store.stage_grades(source.row, kept.records, write))
