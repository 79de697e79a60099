"""Writing checked records into a study: topics, items, pictures, grades and runs.

Each function is one transaction: all records or none. Cost grows with the records; queries with the
records by the thousand. `progress(done, total)` counts records.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from typing import TypeVar

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from collection.changes import raise_revisions
from collection.models import Grade, Item, Placement, Run, Study, Topic
from prefir.formats import (
    GradeRecord,
    GridRecord,
    ImageRecord,
    ItemRecord,
    Known,
    RunRecord,
    TopicRecord,
)

Progress = Callable[[int, int], None]
CHUNK = 2000
T = TypeVar("T")


def known(study: Study) -> Known:
    """Read which topics and items the study already has, for the readers. Three queries."""
    items: dict[str, set[str]] = {name: set() for name in topics_of(study)}
    rows = Item.objects.filter(topic__study=study)
    for topic, docno in rows.values_list("topic__name", "docno").iterator(CHUNK):
        items[topic].add(docno)
    return Known(
        topics=items.keys(),
        items=items,
        kind="image" if study.kind == Study.Kind.IMAGE else "text",
        new_items=_may_name_items(study),
    )


def _may_name_items(study: Study) -> bool:
    """Whether judgments may bring in new items: only if no item can be shown anyway."""
    return not Item.objects.filter(topic__study=study).exclude(text="", image="").exists()


@transaction.atomic
def add_topics(study: Study, records: Sequence[TopicRecord]) -> str:
    """Add topics; an existing one gets the new text."""
    Topic.objects.bulk_create(
        [Topic(study=study, name=record.topic, text=record.text) for record in records],
        update_conflicts=True,
        unique_fields=["study", "name"],
        update_fields=["text"],
        batch_size=CHUNK,
    )
    return f"{len(records):,} topics"


@transaction.atomic
def add_items(study: Study, records: Sequence[ItemRecord], progress: Progress) -> str:
    """Add passages; an existing one gets the new text."""
    topics = topics_of(study)
    for start, chunk in chunks(records):
        Item.objects.bulk_create(
            [Item(topic_id=topics[r.topic], docno=r.docno, text=r.text) for r in chunk],
            update_conflicts=True,
            unique_fields=["topic", "docno"],
            update_fields=["text"],
        )
        progress(start + len(chunk), len(records))
    return f"{len(records):,} items for {len({r.topic for r in records}):,} topics"


@transaction.atomic
def add_images(study: Study, records: Sequence[ImageRecord], progress: Progress, *, stored: list[str]) -> str:
    """Store pictures and name them in the study; a docno that has a picture gets the new one.

    A row never names a missing file: files are written first, and their names appended to `stored`, so
    that the caller can remove them if the transaction fails.
    """
    topics = topics_of(study)
    rows = []
    for done, record in enumerate(records, 1):
        topic = Topic(pk=topics[record.topic], study=study)
        item = Item(topic=topic, docno=record.docno, width=record.width, height=record.height)
        name = item.image.field.generate_filename(item, f"{record.docno}.{record.format}")
        item.image.name = default_storage.save(name, ContentFile(record.read()))
        stored.append(item.image.name)
        rows.append(item)
        progress(done, len(records))
    replaced = _pictures(study, {(r.topic, r.docno) for r in records})
    Item.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["topic", "docno"],
        update_fields=["image", "width", "height"],
        batch_size=CHUNK,
    )
    transaction.on_commit(lambda: _remove_files(replaced))
    return f"{len(records):,} images for {len({r.topic for r in records}):,} topics"


def _pictures(study: Study, keys: Container[tuple[str, str]]) -> list[str]:
    """Names of the picture files that items of these (topic, docno) have already."""
    rows = Item.objects.filter(topic__study=study).exclude(image="")
    return [
        name
        for topic, docno, name in rows.values_list("topic__name", "docno", "image").iterator(CHUNK)
        if (topic, docno) in keys
    ]


def _remove_files(names: Iterable[str]) -> None:
    for name in names:
        default_storage.delete(name)


@transaction.atomic
def add_grades(study: Study, records: Sequence[GradeRecord], progress: Progress) -> str:
    """Add grades; an item that has one gets the new one, a new docno becomes an item."""
    items = items_of(study, ((r.topic, r.docno) for r in records))
    for start, chunk in chunks(records):
        Grade.objects.bulk_create(
            [Grade(item_id=items[r.topic, r.docno], value=r.grade) for r in chunk],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["value"],
        )
        progress(start + len(chunk), len(records))
    touched = {r.topic for r in records}
    _levels_changed(study, touched)
    return f"{len(records):,} grades for {len(touched):,} topics"


@transaction.atomic
def add_run(study: Study, record: RunRecord, progress: Progress) -> str:
    """Add a run; one of the same name is replaced. New docnos become items."""
    rankings: dict[str, list[Entry]] = {
        topic: [(docno, None, None, None) for docno in docnos] for topic, docnos in record.rankings.items()
    }
    return _add_ranking(study, record.tag, rankings, progress)


@transaction.atomic
def add_grid(
    study: Study, name: str, record: GridRecord, progress: Progress, *, new_topics: bool = False
) -> str:
    """Add a run of image grids; one of the same name is replaced.

    `new_topics`: add the run's topics too, since the data set has no file of them.
    """
    if new_topics:
        Topic.objects.bulk_create(
            [Topic(study=study, name=topic, text=topic) for topic in record.rankings],
            ignore_conflicts=True,
            batch_size=CHUNK,
        )
    rankings: dict[str, list[Entry]] = {
        topic: [(cell.docno, cell.row, cell.column, cell.row_length) for cell in grid]
        for topic, grid in record.rankings.items()
    }
    return _add_ranking(study, name, rankings, progress)


Entry = tuple[str, int | None, int | None, int | None]  # docno; in a grid also row, column, length of the row


def _add_ranking(study: Study, name: str, rankings: dict[str, list[Entry]], progress: Progress) -> str:
    topics = topics_of(study)
    items = items_of(study, ((topic, entry[0]) for topic, ranking in rankings.items() for entry in ranking))
    Run.objects.filter(study=study, name=name).delete()
    run = Run.objects.create(study=study, name=name)
    rows = [
        Placement(
            run=run,
            topic_id=topics[topic],
            item_id=items[topic, docno],
            rank=rank,
            row=row,
            column=column,
            row_length=row_length,
        )
        for topic, ranking in rankings.items()
        for rank, (docno, row, column, row_length) in enumerate(ranking, 1)
    ]
    for start, chunk in chunks(rows):
        Placement.objects.bulk_create(chunk)
        progress(start + len(chunk), len(rows))
    # All topics, since a topic that the run does not rank scores 0.
    _levels_changed(study, topics.keys())
    return f"run {name}: {len(rows):,} placements for {len(rankings):,} topics"


def topics_of(study: Study) -> dict[str, int]:
    """Topic name -> id. One query."""
    return dict(Topic.objects.filter(study=study).values_list("name", "pk"))


def items_of(study: Study, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Map each wanted (topic, docno) to its item's id; a missing item is added with its docno alone."""
    topics = topics_of(study)
    found = _stored_items(study)
    missing = [key for key in dict.fromkeys(wanted) if key not in found]
    for _, chunk in chunks(missing):
        made = Item.objects.bulk_create([Item(topic_id=topics[t], docno=docno) for t, docno in chunk])
        found |= {key: item.pk for key, item in zip(chunk, made, strict=True)}
    return found


def _stored_items(study: Study) -> dict[tuple[str, str], int]:
    rows = Item.objects.filter(topic__study=study)
    return {
        (topic, docno): pk
        for topic, docno, pk in rows.values_list("topic__name", "docno", "pk").iterator(CHUNK)
    }


def _levels_changed(study: Study, topic_names: Iterable[str]) -> None:
    """Have these topics rescored, since scores depend on grades and runs too."""
    topics = topics_of(study)
    raise_revisions([topics[name] for name in topic_names], settled=False)


def chunks(rows: Sequence[T]) -> Iterable[tuple[int, Sequence[T]]]:
    """Slices of CHUNK rows, each with the number of rows before it."""
    return ((start, rows[start : start + CHUNK]) for start in range(0, len(rows), CHUNK))
