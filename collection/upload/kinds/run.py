"""Runs: TREC runs."""

from collection.upload import doubts, record_store, unknown_topics
from collection.upload.kinds.base import Finish, Kind, Progress, Source, halves, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import read_run, read_table


@register
class TrecRun(Kind):
    """A system's rankings; the tag in the file names the run."""

    key = "run"
    title = "Run"
    format = (
        "TREC run: topic, Q0, docno, rank, score, tag. Ordered by score; the tag names the run. "
        "Or a table (CSV, JSON, .xlsx) with the columns topic, docno, and rank or score."
    )
    group = "Systems"
    example_name = "bm25.run"
    options = ("ties", unknown_topics.OPTION)
    several = True
    locked_by_opening = False

    def example(self) -> bytes:
        """A run that ranks four passages of each topic."""
        return text_of(
            f"{topic} Q0 {topic}-{n} {rank} {15 - 1.5 * rank} bm25"
            for topic in PASSAGES
            for rank, n in enumerate((2, 1, 5, 3), 1)
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        ties = source.options.get("ties") or "descending"
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: [
                read_table(
                    "run",
                    source.name,
                    source.path,
                    lambda given: read_run(source.name, given, known, ties, progress=read),  # type: ignore[arg-type]
                    columns=source.columns,
                )
            ],
        )
        source.doubts.extend(doubts.of_records("run", kept.records, known))
        return kept.said_after(record_store.stage_run(source.row, kept.records[0], write))
