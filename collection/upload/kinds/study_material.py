"""Material of another study: its topics, items, grades and runs, as a new study takes them over."""

from collections.abc import Sequence

from collection.models import Import, Run, Study, Topic
from collection.upload.kinds.base import CannotLoad, Finish, Kind, Progress, Source, register_own
from collection.upload.staging import Pieces, remove_hidden
from config.sql import execute, ids

TOPICS = """
INSERT INTO collection_topic (study_id, name, text, earlier, description, "groups", weight,
                              revision, settled, asked, full_rounds)
SELECT %s, name, text, earlier, description, "groups", weight, 0, 0, 0, 0
FROM collection_topic WHERE study_id = %s ORDER BY id
"""
# Of a piece of the topics. Pictures are the same files: `collection.study.study_deletion` asks who else shows
# them.
ITEMS = """
INSERT INTO collection_item (topic_id, docno, text, words, image, width, height, seconds,
                             description, sources, loaded_by_id)
SELECT copy.id, item.docno, item.text, item.words, item.image, item.width, item.height, item.seconds,
       item.description, item.sources, %s
FROM collection_item item JOIN collection_topic topic ON topic.id = item.topic_id
JOIN collection_topic copy ON copy.study_id = %s AND copy.name = topic.name
WHERE item.topic_id {among} ORDER BY item.id
"""
PAIRED = """
FROM collection_topic topic JOIN collection_topic copy ON copy.study_id = %s AND copy.name = topic.name
JOIN collection_item item ON item.topic_id = topic.id
JOIN collection_item twin ON twin.topic_id = copy.id AND twin.docno = item.docno
"""
GRADES = f"""
INSERT INTO collection_grade (item_id, value)
SELECT twin.id, grade.value {PAIRED} JOIN collection_grade grade ON grade.item_id = item.id
WHERE topic.id {{among}}
"""
# "row" and "column" are words of SQL.
PLACEMENTS = f"""
INSERT INTO collection_placement (run_id, topic_id, item_id, rank, "row", "column", row_length)
SELECT own.id, copy.id, twin.id, place.rank, place."row", place."column", place.row_length
{PAIRED} JOIN collection_placement place ON place.item_id = item.id
JOIN collection_run run ON run.id = place.run_id AND run.shown
JOIN collection_run own ON own.study_id = %s AND own.name = run.name
WHERE topic.id {{among}}
"""
# Topics that are copied in one transaction at first: each may have a thousand items in 300 runs.
AT_ONCE = 2


@register_own
class Copied(Kind):
    """Topics, items, pictures and grades of another study, and its runs if they are wanted.

    Only into a study that has no topic. Cost grows with the rows: some seconds for each 100,000.
    """

    key = "study"
    title = "Another study"
    format = ""
    group = ""
    example_name = ""

    def example(self) -> bytes:
        """Nothing: nobody loads such a file."""
        return b""

    def load(self, source: Source, progress: Progress) -> Finish:
        original = Study.objects.filter(pk=source.options["study"], deleting_since=None).first()
        if original is None:
            raise CannotLoad("The study that was to be copied is gone.")
        if Import.objects.filter(study=original, state=Import.State.RUNNING).exists():
            raise CannotLoad("Files were being loaded into the study that was to be copied. Copy it again.")
        if Topic.objects.filter(study=source.study).exists():
            raise CannotLoad("This study has topics already: a study is copied into an empty one.")
        own, row = source.study.pk, source.row
        Pieces(row).write([original.pk], lambda _: execute(TOPICS, [own, original.pk]))
        runs = list(Run.objects.filter(study=original)) if source.options.get("runs") else []
        Pieces(row).write(
            [Run(study=source.study, name=run.name, topics=run.topics, shown=False) for run in runs],
            lambda some: Run.every.bulk_create(some),
        )
        topics = list(Topic.objects.filter(study=original).order_by("pk").values_list("pk", flat=True))
        done = 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            progress(done, len(topics))

        def store(piece: Sequence[int]) -> None:
            among = ids(piece)
            execute(ITEMS, [row.pk, own, among])
            execute(GRADES, [own, among])
            if runs:
                execute(PLACEMENTS, [own, own, among])

        Pieces(row, first=AT_ONCE, least=1).write(topics, store, told)

        def finish() -> str:
            Run.every.filter(study=own, shown=False, name__in=[run.name for run in runs]).update(shown=True)
            return f"{len(topics):,} topics" + (f" and {len(runs):,} runs" if runs else "")

        return finish

    def undo(self, row: Import) -> None:
        """Remove the topics too, which were seen while their items were not."""
        remove_hidden(row)
        Topic.objects.filter(study=row.study_id, items=None, study__opened_at=None).delete()
