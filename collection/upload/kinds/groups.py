"""Groups of topics: a table with a column of ids; each other column is a group."""

from functools import partial

from collection.upload import group_store, record_store, unknown_topics
from collection.upload.kinds.base import CannotLoad, Finish, Kind, Progress, Source, register, text_of
from collection.upload.kinds.example_material import PASSAGES
from prefir.formats import read_groups


@register
class Groups(Kind):
    """Groups of topics that are loaded already. They choose no candidate, so they may come at any time."""

    key = "groups"
    title = "Groups of topics"
    format = (
        "A table (CSV, JSON, .xlsx) with the column topic; every other column is a group, such as category. "
        "An empty cell takes the topic out of its group in that column."
    )
    group = "Collection"
    of_answers = True
    options = (unknown_topics.OPTION,)
    locked_by_opening = False
    example_name = "groups.csv"

    def example(self) -> bytes:
        """Two columns of groups for the example topics."""
        rows = (f"{topic},{'short' if n % 2 else 'long'},general" for n, topic in enumerate(PASSAGES))
        return text_of(["topic,length,category", *rows])

    def load(self, source: Source, progress: Progress) -> Finish:
        known = record_store.known(source.study)
        kept = unknown_topics.read(
            known,
            source.options,
            lambda known: read_groups(source.name, source.path, known, columns=source.columns),
        )
        if many := group_store.too_many_groups(source.study, kept.records):
            raise CannotLoad(many)
        progress(len(kept.records), len(kept.records))
        return kept.said_after(partial(group_store.set_groups, source.study, kept.records))
