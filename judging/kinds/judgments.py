"""Recorded judgments: preferences between two items that were collected elsewhere."""

from collection.models import Import
from collection.upload import record_store
from collection.upload.kinds.base import Finish, Kind, Progress, Source, halves, register, text_of
from judging.transfer import judgment_import
from prefir.formats import read_judgments


@register
class JudgmentsFile(Kind):
    """Judgments made elsewhere, which count like any other."""

    key = "judgments"
    title = "Recorded judgments"
    format = (
        "Topic, docno a, docno b, winner (a's docno, b's docno, or the word tie); "
        "then, if you like, the assessor's label, and after it the strength: 1, 2 (definitely), 0 with a tie."
        " Or a table (CSV, JSON, .xlsx) with the columns topic, docno_a, docno_b, winner and, if you like, "
        "assessor and strength."
    )
    group = "Judging"
    of_answers = True
    example_name = "judgments.txt"
    locked_by_opening = False
    once = True

    def example(self) -> bytes:
        """Two people's answers, one of them a tie."""
        return text_of(["tides tides-1 tides-2 tides-1 anna", "tides tides-1 tides-2 tie ben"])

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        records = read_judgments(
            source.name,
            source.path,
            known,
            prompts=record_store.prompts(source.study),
            columns=source.columns,
            progress=read,
        )
        return judgment_import.stage_judgments(source.row, records, write)

    def undo(self, row: Import) -> None:
        judgment_import.undo_judgments(row)
