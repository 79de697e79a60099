"""Grids and grades of the image data set of Xie et al. (SIGIR 2020), in its own formats."""

from functools import partial

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
from prefir.formats import read_xie_positions, read_xie_relevance


@register
class XiePositions(Kind):
    """Image grids of two search engines; makes the topics, the docnos and two runs."""

    key = "xie-positions"
    title = "Image_position.json (Xie et al. 2020)"
    format = (
        "Their JSON of queries, engines and image places: makes the topics, the images' docnos and two runs."
    )
    group = GROUPS[-1]
    example_name = "Image_position.json"
    fits = (IMAGE,)

    def example(self) -> bytes:
        """One query with one image of each engine."""
        return text_of(['{"lighthouse": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 1]}}}'])

    def load(self, source: Source, progress: Progress) -> Finish:
        grids = read_xie_positions(source.name, source.path)
        named = dict(zip(("sogou", "baidu"), grids, strict=True))
        return partial(record_store.add_grids, source.row, named, progress)


@register
class XieRelevance(Kind):
    """The mean relevance of each image, taken as its grade."""

    key = "xie-relevance"
    title = "relevance_data (Xie et al. 2020)"
    format = "Their mean relevance of each image, 0 to 100."
    group = GROUPS[-1]
    example_name = "relevance_data"
    fits = (IMAGE,)

    def example(self) -> bytes:
        """The relevance of one image."""
        return text_of(["Query\tImage\tAverage_Relevance_Score", "lighthouse\tbaidu/lighthouse_0.jpg\t59.0"])

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        records = read_xie_relevance(source.name, source.path, known, progress=read)
        return record_store.stage_grades(source.row, records, write)
