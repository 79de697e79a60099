"""Exports of the ledger: a study's judgments, line by line, as they can be loaded."""

from collections.abc import Iterator

from collection.models import Study
from judging import recorded
from judging.models import Choice, Judgment
from prefir.formats import PreferenceRecord, write_preferences

CHUNK = 2000


def judgments(study: Study, *, assessors: bool = False) -> Iterator[str]:
    """Lines `topic a b winner`, ties as the word `tie`, in the order of the ledger.

    The settled ones: answers of batches that were kept. Those still being judged may yet be corrected or
    discarded, and challenges are questions about the assessor. `assessors` adds a fifth column that
    tells people apart: the file's label of recorded judgments, else the panel and a number; never the
    secret of a link. One query, read in pieces; memory does not grow with the judgments.
    """
    rows = (
        Judgment.objects.settled()
        .filter(question__topic__study=study)
        .order_by("pk")
        .values_list(
            "question__topic__name",
            "question__item_a__docno",
            "question__item_b__docno",
            "choice",
            "assignment__assessor__panel",
            "assignment__assessor__label",
            "assignment__assessor_id",
        )
    )
    return write_preferences(
        PreferenceRecord(
            topic=topic,
            a=a,
            b=b,
            winner={Choice.A: a, Choice.B: b}.get(Choice(choice)),
            assessor=_label(panel, label, pk) if assessors else None,
        )
        for topic, a, b, choice, panel, label, pk in rows.iterator(CHUNK)
    )


def _label(panel: str, label: str, pk: int) -> str:
    """A label without spaces, since the format's columns stand between spaces."""
    return "_".join(label.split()) if panel == recorded.PANEL and label.split() else f"{panel}-{pk}"
