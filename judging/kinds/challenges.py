"""Challenges: pairs with a known answer."""

from collection.upload import record_store
from collection.upload.kinds.base import Finish, Kind, Progress, Source, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from judging.transfer import judgment_import
from prefir.formats import read_challenges, read_table, topic_by_text


@register
class Challenges(Kind):
    """Pairs whose answer is known, mixed into batches to check that assessors pay attention.

    Once judging is open, no pair that is asked or was judged becomes one, and no known answer changes.
    """

    key = "challenges"
    title = "Challenges"
    format = (
        "Topic, docno a, docno b, winner: pairs whose answer nobody who pays attention gets wrong. "
        "Or a table (CSV, JSON, .xlsx) with the columns topic, docno_a, docno_b and winner."
    )
    group = "Judging"
    of_answers = True
    example_name = "challenges.txt"
    locked_by_opening = False

    def example(self) -> bytes:
        """Enough challenges for two batches with three each."""
        return text_of(
            f"{topic} {topic}-{good} {topic}-{bad} {topic}-{good}"
            for topic in PASSAGES
            for good, bad in ((1, 5), (1, 6), (2, 5))
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        known = record_store.known(source.study)
        records = read_table(
            "judgments",
            source.name,
            source.path,
            lambda given: read_challenges(source.name, given, known, progress=progress),
            topic_of=topic_by_text(known, record_store.prompts(source.study)),
        )
        return judgment_import.stage_challenges(source.row, records)
