"""Exports of the ledger: a study's judgments, line by line, as they can be loaded."""

from collections.abc import Iterator

from collection.models import Item, Study, Topic
from judging import ledger, recorded
from judging.models import Judgment
from prefir.formats import PreferenceRecord, write_preferences


def judgments(study: Study, *, assessors: bool = False) -> Iterator[str]:
    """Yield judgments as lines `topic a b winner`, ties as the word `tie`, in the order of the ledger.

    Only settled ones, from batches that were kept: others may yet be corrected or discarded, and
    challenges are questions about the assessor. `assessors` adds a fifth column that tells people
    apart: the file's label of recorded judgments, else the panel and a number; never the secret of a
    link. Three queries, the judgments read in pieces; memory grows with the items alone.
    """
    topics = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    docnos = dict(Item.objects.filter(topic__study=study).values_list("pk", "docno"))
    rows = ledger.derived_with(
        Judgment.objects.settled().filter(topic__study=study),
        "assignment__assessor__panel",
        "assignment__assessor__label",
        "assignment__assessor_id",
    )
    return write_preferences(
        PreferenceRecord(
            topic=topics[found.topic],
            a=docnos[found.first],
            b=docnos[found.second],
            winner=docnos[found.first if found.lean > 0 else found.second] if found.lean else None,
            assessor=_label(*person) if assessors else None,
        )
        for found, person in rows
    )


def _label(panel: str, label: str, pk: int) -> str:
    """Return a label without spaces, since the format separates columns by spaces."""
    return "_".join(label.split()) if panel == recorded.PANEL and label.split() else f"{panel}-{pk}"
