"""Judgments of the image data set of Xie et al. (SIGIR 2020), in its own format."""

from collection.models import Import
from collection.upload import record_store
from collection.upload.kinds.base import (
    GROUPS,
    IMAGE,
    Finish,
    Kind,
    Progress,
    Source,
    halves,
    register,
    text_of,
)
from judging.transfer import judgment_import
from prefir.formats import read_xie_annotations


@register
class XieJudgments(Kind):
    """Three assessors' labels of each pair of images."""

    key = "xie-judgments"
    title = "image_pairs_annotation (Xie et al. 2020)"
    format = "Their pairs with three assessors' labels from -2 (definitely left) to 2 (definitely right)."
    group = GROUPS[-1]
    example_name = "image_pairs_annotation"
    fits = (IMAGE,)
    locked_by_opening = False
    once = True

    def example(self) -> bytes:
        """One pair."""
        return text_of(
            [
                "Query\tImage_pair\tpreference_tags",
                "lighthouse\tbaidu/lighthouse_0.jpg,sogou/lighthouse_0.jpg\t-1\t0\t2",
            ]
        )

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        records = read_xie_annotations(source.name, source.path, known, progress=read)
        return judgment_import.stage_judgments(source.row, records, write, sides_known=True)

    def undo(self, row: Import) -> None:
        judgment_import.undo_judgments(row)
