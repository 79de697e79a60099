"""Runs of image grids, which give each image a cell."""

import re

from collection.upload import doubts, record_store, unknown_topics
from collection.upload.kinds.base import IMAGE, Finish, Kind, Progress, Source, halves, register, text_of
from collection.upload.kinds.example_material import PICTURES
from prefir.formats import read_grid, read_table


@register
class GridFile(Kind):
    """A system's grids of images; the file's name is the run's, unless another is given."""

    key = "grid"
    title = "Run of image grids"
    format = (
        "A table (tabs, CSV, JSON, .xlsx) with the columns topic, docno, row, column, counted from 0. "
        "The file's name is the run's."
    )
    group = "Systems"
    example_name = "system-a.grid"
    fits = (IMAGE,)
    options = ("name", unknown_topics.OPTION)
    several = True
    locked_by_opening = False

    def example(self) -> bytes:
        """A run that shows the example pictures in two rows of two."""
        cells = [f"lighthouse\t{docno}\t{i // 2}\t{i % 2}" for i, docno in enumerate(PICTURES)]
        return text_of(["topic\tdocno\trow\tcolumn", *cells])

    def load(self, source: Source, progress: Progress) -> Finish:
        read, write = halves(progress)
        known = record_store.known(source.study)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: [
                read_table(
                    "grid",
                    source.name,
                    source.path,
                    lambda given: read_grid(source.name, given, known, progress=read),
                )
            ],
        )
        name = source.options.get("name") or re.sub(
            r"\.(grid|tsv|txt|csv|xlsx)(\.gz)?$", "", source.name.rpartition("/")[2]
        )
        source.doubts.extend(doubts.of_records("grid", kept.records, known))
        return kept.said_after(record_store.stage_grid(source.row, name, kept.records[0], write))
