"""Writing checked records into a study: topics, items, pictures, grades and runs.

What many records bring is written in pieces that nobody is shown; each `stage_...` returns the function that
makes it seen and writes the rest, to be called in one transaction. Cost grows with the records; queries with
the records by the thousand. `progress(done, total)` counts records.
"""

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, models, transaction

from collection.changes import raise_revisions
from collection.material import pictures
from collection.models import Grade, Import, Item, Placement, Run, Study, Topic
from collection.presets import ANSWERS, PRESETS
from collection.upload import bulk
from collection.upload.doubts import count
from collection.upload.staging import Pieces, remove_hidden
from collection.word_count import count_words
from config.sql import listed
from prefir.formats import (
    Answers,
    CitedSource,
    DescriptionRecord,
    GradeRecord,
    GridRecord,
    ImageRecord,
    ItemRecord,
    Known,
    PromptRecord,
    RunRecord,
    SourcesRecord,
    TopicRecord,
    prompt_key,
)

Progress = Callable[[int, int], None]
Finish = Callable[[], str]
Key = tuple[str, str]  # names of a topic and of an item of it
CHUNK = 2000
IN_LIST = 500
# An option of an import: the study's last topic before it.
TOPICS_BEFORE = "topics_before"
TOGETHER = 20_000  # items that are looked up and added together
T = TypeVar("T")


def known(study: Study, *, adding: bool = False) -> Known:
    """Read which topics and items the study already has, for the readers.

    adding: the file brings items or grades, which topics that are open for judging do not take; one more.
    """
    items: dict[str, set[str]] = {name: set() for name in topics_of(study)}
    rows = Item.objects.filter(topic__study=study)
    for topic, docno in rows.values_list("topic__name", "docno").iterator(CHUNK):
        items[topic].add(docno)
    return Known(
        topics=items.keys(),
        items=items,
        kind=study.kind,  # type: ignore[arg-type]
        new_items=_may_name_items(study),
        new_topics=not items,
        fixed=opened(study).keys() if adding else (),
    )


def opened(study: Study) -> dict[str, str]:
    """Topics that are open for judging, with their texts. One query."""
    return dict(Topic.objects.filter(study=study, opened_at__isnull=False).values_list("name", "text"))


def _may_name_items(study: Study) -> bool:
    """Whether judgments may bring in new items: only if no item can be shown anyway."""
    return not Item.objects.filter(topic__study=study).exclude(text="", image="").exists()


def _topics_told(row: Import, topics: Collection[str]) -> str:
    return row.study.words.count_topics(len(topics))


def add_topics(study: Study, records: Sequence[TopicRecord]) -> str:
    """Add topics; an existing one gets the new text."""
    _store_topics(study, records, ["text"])
    return study.words.count_topics(len(records))


def stage_items(row: Import, records: Sequence[ItemRecord], progress: Progress) -> Finish:
    """Add passages; an existing one gets the new text in the end."""
    topics, stored = topics_of(row.study), stored_items(row.study)
    telling = _counting(len(records), progress)

    Pieces(row).write(
        (r for r in records if (r.topic, r.docno) not in stored),
        lambda piece: bulk.add_items(piece, row.pk),
        telling,
        prepare=lambda piece: listed((topics[r.topic], r.docno, r.text, count_words(r.text)) for r in piece),
    )
    given = {pk: r.text for r in records if (pk := stored.get((r.topic, r.docno)))}
    changed = [
        (given[pk], count_words(given[pk]), pk)
        for pk, text in _values(Item.objects.all(), given, "text")
        if given[pk] != text
    ]
    if given:
        telling(len(given))

    def finish() -> str:
        _write_many("UPDATE {item} SET text = %s, words = %s WHERE id = %s", changed)
        return f"{len(records):,} items for {_topics_told(row, {r.topic for r in records})}"

    return finish


def stage_images(
    row: Import, records: Sequence[ImageRecord], progress: Progress, *, stored: list[str]
) -> Finish:
    """Store pictures or recordings and name them in the study; a docno that has one gets the new one at last.

    A row never names a missing file: files are written first, and their names appended to `stored`, so
    that the caller can remove them if the import fails.
    """
    topics, known_items = topics_of(row.study), stored_items(row.study)
    fresh: list[Item] = []
    changed: list[tuple[Any, ...]] = []
    for done, record in enumerate(records, 1):
        topic = Topic(pk=topics[record.topic], study=row.study)
        item = Item(topic=topic, docno=record.docno, width=record.width, height=record.height, loaded_by=row)
        item.seconds = record.seconds
        name = item.image.field.generate_filename(item, f"{record.docno}.{record.format}")
        content = record.bare()
        if record.captions:
            name = pictures.with_captions(name)
        item.image.name = default_storage.save(name, ContentFile(content))
        stored.append(item.image.name)
        if record.captions:
            captions = pictures.captions_of(item.image.name)
            stored.append(default_storage.save(captions, ContentFile(record.captions)))
        if row.study.kind == Study.Kind.IMAGE:
            stored.extend(
                pictures.store_copies(item.image.name, content, record.width or 0, record.height or 0)
            )
        pk = known_items.get((record.topic, record.docno))
        if pk is None:
            fresh.append(item)
        else:
            changed.append((item.image.name, item.width, item.height, item.seconds, pk))
        progress(done, len(records))
    Pieces(row).write(fresh, lambda piece: Item.every.bulk_create(piece))

    def finish() -> str:
        replaced = _pictures(row.study, {(r.topic, r.docno) for r in records})
        _write_many(
            "UPDATE {item} SET image = %s, width = %s, height = %s, seconds = %s WHERE id = %s", changed
        )
        transaction.on_commit(lambda: _remove_files(replaced))
        what = f"{row.study.kind}s" if row.study.kind != Study.Kind.SOUND else "recordings"
        return f"{len(records):,} {what} for {_topics_told(row, {r.topic for r in records})}"

    return finish


def stage_sources(row: Import, records: Sequence[SourcesRecord], progress: Progress) -> Finish:
    """Give answers the sources that they cite, in the end; earlier ones are replaced."""
    items = stored_items(row.study)
    given = [(json.dumps(stored_sources(r.sources)), items[r.topic, r.docno]) for r in records]
    progress(len(records), len(records))

    def finish() -> str:
        _write_many("UPDATE {item} SET sources = %s WHERE id = %s", given)
        return f"sources of {len(records):,} items for {_topics_told(row, {r.topic for r in records})}"

    return finish


def stored_sources(sources: Iterable[CitedSource]) -> list[dict[str, str]]:
    """Sources as an item's row has them: what is empty is left out."""
    return [{name: value for name, value in one._asdict().items() if value} for one in sources]


def stage_descriptions(row: Import, records: Sequence[DescriptionRecord], progress: Progress) -> Finish:
    """Give pictures their descriptions, in the end; an earlier one is replaced."""
    items = stored_items(row.study)
    given = [(record.description, items[record.topic, record.docno]) for record in records]
    progress(len(records), len(records))

    def finish() -> str:
        _write_many("UPDATE {item} SET description = %s WHERE id = %s", given)
        return f"{len(records):,} descriptions for {_topics_told(row, {r.topic for r in records})}"

    return finish


def _pictures(study: Study, keys: Container[Key]) -> list[str]:
    """Names of the picture files that items of these (topic, docno) have already."""
    rows = Item.objects.filter(topic__study=study).exclude(image="")
    return [
        name
        for topic, docno, name in rows.values_list("topic__name", "docno", "image").iterator(CHUNK)
        if (topic, docno) in keys
    ]


def _remove_files(names: Iterable[str]) -> None:
    for name in names:
        pictures.remove(name)


def stage_grades(row: Import, records: Sequence[GradeRecord], progress: Progress) -> Finish:
    """Add grades; an item that has one gets the new one, a new docno becomes an item."""
    items = stage_missing(row, ((r.topic, r.docno) for r in records))
    given = {items[r.topic, r.docno]: r.grade for r in records}
    graded = dict(_values(Grade.objects.all(), given, "value"))
    changed = [(pk, value) for pk, value in given.items() if graded.get(pk) != value]
    touched = {r.topic for r in records}
    progress(len(records), len(records))

    def finish() -> str:
        _write_many(
            "INSERT INTO {grade} (item_id, value) VALUES (%s, %s) "
            "ON CONFLICT (item_id) DO UPDATE SET value = EXCLUDED.value",
            changed,
        )
        _levels_changed(row.study, touched)
        return f"{len(records):,} grades for {_topics_told(row, touched)}"

    return finish


def stage_run(row: Import, record: RunRecord, progress: Progress) -> Finish:
    """Add a run; in the end it replaces one of the same name. New docnos become items."""
    return _stage_ranking(row, record.tag, record.rankings, lambda docno: (docno, None, None, None), progress)


def stage_topics(row: Import, records: Sequence[TopicRecord | PromptRecord], changed: Sequence[str]) -> None:
    """Add topics that come with items, seen at once; those that are there get the fields `changed`."""
    last = Topic.objects.filter(study=row.study).aggregate(last=models.Max("pk"))["last"] or 0
    row.options = row.options | {TOPICS_BEFORE: last}
    Import.objects.filter(pk=row.pk).update(options=row.options)
    Pieces(row).write(records, lambda piece: _store_topics(row.study, piece, changed))


def remove_staged(row: Import) -> None:
    """Remove what an unfinished import wrote, its topics too, which are seen while their items are not."""
    remove_hidden(row)
    before = row.options.get(TOPICS_BEFORE)
    if before is not None:
        Topic.objects.filter(study=row.study_id, pk__gt=before, opened_at=None, items=None).delete()


def prompts(study: Study) -> dict[str, str]:
    """The study's topics by their texts, as `prompt_key` has them."""
    rows = Topic.objects.filter(study=study).order_by("-pk").values_list("text", "name")
    return {prompt_key(text): name for text, name in rows}


def stage_answers(row: Import, found: Answers, progress: Progress) -> Finish:
    """Add prompts as topics, answers as items and models as runs.

    Topics are seen at once, and their items in the end. A run of a model that the study has keeps what it
    ranks on other topics.
    """
    stage_topics(row, found.prompts, ["text", "earlier"])
    finish_items = stage_items(row, found.items, partial(_part, progress, 0, 1 + len(found.rankings)))
    finish_runs = []
    for number, (model, rankings) in enumerate(found.rankings.items(), 1):
        part = partial(_part, progress, number, 1 + len(found.rankings))
        whole = _earlier_rankings(row.study, model, rankings) | rankings
        finish_runs.append(_stage_ranking(row, model, whole, lambda docno: (docno, None, None, None), part))

    # A study that has neither runs nor measures of its own takes those of answers.
    others = Run.objects.filter(study=row.study).exists()
    fresh = Study.objects.filter(pk=row.study_id, case=Study.Case.RANKINGS, measures="", opened_at=None)
    as_answers = {name: PRESETS[ANSWERS][name] for name in ("case", "measures")}

    def finish() -> str:
        finish_items()
        for finish_run in finish_runs:
            finish_run()
        topics = {record.topic for record in found.items} | {record.topic for record in found.prompts}
        said = count(len(topics), "prompt")
        if found.items:
            said += f", {count(len(found.items), 'answer')} of {count(len(found.rankings), 'model')}"
        plain = not others and fresh.filter(markup=Study.Markup.PLAIN)
        if plain and plain.update(**as_answers, markup=PRESETS[ANSWERS]["markup"]):
            said += "; the study compares answers of models now, by win rate, and shows them as Markdown"
        elif not others and fresh.update(**as_answers):
            said += "; the study compares answers of models now, by win rate"
        return said

    return finish


def _store_topics(
    study: Study, records: Sequence[TopicRecord | PromptRecord], changed: Sequence[str]
) -> None:
    """Add topics; those that are there get the fields `changed`, and further ones that the file has."""
    usual = Topic()
    further = [
        name
        for name in ("groups", "description", "weight")
        if any(getattr(record, name) != getattr(usual, name) for record in records)
    ]
    Topic.objects.bulk_create(
        [
            Topic(
                study=study,
                name=record.topic,
                text=record.text,
                earlier=getattr(record, "earlier", ""),
                description=record.description,
                groups=dict(record.groups),
                weight=record.weight,
            )
            for record in records
        ],
        update_conflicts=True,
        unique_fields=["study", "name"],
        update_fields=[*changed, *further],
        batch_size=CHUNK,
    )


def _earlier_rankings(study: Study, name: str, others: Container[str]) -> dict[str, list[str]]:
    """What a run of the study ranks on other topics than these."""
    placed = Placement.objects.filter(run__study=study, run__name=name).order_by("topic_id", "rank")
    found: dict[str, list[str]] = {}
    for topic, docno in placed.values_list("topic__name", "item__docno").iterator(CHUNK):
        if topic not in others:
            found.setdefault(topic, []).append(docno)
    return found


def stage_grid(row: Import, name: str, record: GridRecord, progress: Progress) -> Finish:
    """Add a run of image grids; in the end it replaces one of the same name."""
    return _stage_ranking(
        row,
        name,
        record.rankings,
        lambda cell: (cell.docno, cell.row, cell.column, cell.row_length),
        progress,
    )


def add_grids(row: Import, grids: Mapping[str, GridRecord], progress: Progress) -> str:
    """Add runs of image grids with their topics, whose data set has no file of them; call in a transaction.

    All at once, since topics cannot be hidden: for a data set that is known to be small.
    """
    Topic.objects.bulk_create(
        [
            Topic(study=row.study, name=topic, text=topic)
            for grid in grids.values()
            for topic in grid.rankings
        ],
        ignore_conflicts=True,
        batch_size=CHUNK,
    )
    said = []
    for number, (name, grid) in enumerate(grids.items()):
        part = partial(_part, progress, number, len(grids))
        said.append(stage_grid(row, name, grid, part)())
    return "; ".join(said)


def _part(progress: Progress, number: int, parts: int, done: int, total: int) -> None:
    progress(number * total + done, parts * total)


Entry = tuple[str, int | None, int | None, int | None]  # docno; in a grid also row, column, length of the row


def _stage_ranking(
    row: Import,
    name: str,
    rankings: Mapping[str, Sequence[T]],
    entry_of: Callable[[T], Entry],
    progress: Progress,
) -> Finish:
    """Write a run some topics at a time, so that only their items are in memory besides the file."""
    topics = topics_of(row.study)
    topics_ranked = sum(map(bool, rankings.values()))
    run = Run.every.create(study=row.study, name=name, shown=False, topics=topics_ranked)
    total = sum(map(len, rankings.values()))
    pieces, telling = Pieces(row), _counting(total, progress)
    for names in _gathered(rankings):
        ranked = [
            (topic, rank, entry_of(one)) for topic in names for rank, one in enumerate(rankings[topic], 1)
        ]
        items = _items_of(row, names, ((topic, entry[0]) for topic, _, entry in ranked), pieces)
        pieces.write(
            ranked,
            lambda piece: bulk.add_placements(piece, run.pk),
            telling,
            prepare=lambda piece, items=items: listed(  # type: ignore[misc]
                (topics[topic], items[topic, docno], rank, *cell) for topic, rank, (docno, *cell) in piece
            ),
        )

    def finish() -> str:
        # What it replaces is removed later, in pieces.
        Run.objects.filter(study=row.study, name=name).update(shown=False)
        Run.every.filter(pk=run.pk).update(shown=True)
        # All topics, since a topic that the run does not rank scores 0.
        _levels_changed(row.study, topics.keys())
        return f"run {name}: {total:,} placements for {_topics_told(row, rankings)}"

    return finish


def topics_of(study: Study) -> dict[str, int]:
    """Topic name -> id."""
    return dict(Topic.objects.filter(study=study).values_list("name", "pk"))


def _gathered(rankings: Mapping[str, Sequence[Any]]) -> Iterator[list[str]]:
    """Names of topics, so many at a time as together rank some thousands of items."""
    names: list[str] = []
    size = 0
    for name, ranking in rankings.items():
        names.append(name)
        size += len(ranking)
        if size >= TOGETHER:
            yield names
            names, size = [], 0
    if names:
        yield names


def stage_missing(row: Import, wanted: Iterable[Key]) -> dict[Key, int]:
    """Map each wanted (topic, docno) to its item's id; a missing one is added, hidden, with its docno."""
    return _items_of(row, None, wanted, Pieces(row))


def _items_of(
    row: Import, topic_names: Sequence[str] | None, wanted: Iterable[Key], pieces: Pieces
) -> dict[Key, int]:
    """Map each wanted (topic, docno) and every other item of these topics (None: of all) to the item's id;
    a missing one is added.
    """
    found = stored_items(row.study, topic_names)
    missing = dict.fromkeys(key for key in wanted if key not in found)
    for topic, docno, _, pk in add_missing(row, missing, pieces):
        found[topic, docno] = pk
    return found


def add_missing(row: Import, keys: Iterable[Key], pieces: Pieces) -> Iterator[tuple[str, str, int, int]]:
    """Add items, hidden, with nothing but their docnos; yield topic, docno, the topic's id, the item's."""
    topics = topics_of(row.study)
    names = {pk: name for name, pk in topics.items()}
    rest = iter(keys)
    while some := list(islice(rest, TOGETHER)):
        made: list[tuple[int, str, int]] = []
        pieces.write(
            some,
            lambda piece, made=made: made.extend(bulk.add_items(piece, row.pk)),  # type: ignore[misc]
            prepare=lambda piece: listed((topics[topic], docno, "", 0) for topic, docno in piece),
        )
        for topic, docno, pk in made:
            yield names[topic], docno, topic, pk


def stored_items(study: Study, topic_names: Sequence[str] | None = None) -> dict[Key, int]:
    """Map (topic, docno) to the item's id, hidden ones included, of these topics or of all."""
    rows = Item.every.filter(topic__study=study)
    some = (
        [rows]
        if topic_names is None
        else [rows.filter(topic__name__in=names) for _, names in chunks(topic_names, IN_LIST)]
    )
    return {
        (topic, docno): pk
        for part in some
        for topic, docno, pk in part.values_list("topic__name", "docno", "pk").iterator(CHUNK)
    }


def _values(rows: "models.QuerySet[Any]", wanted: Iterable[int], field: str) -> Iterable[tuple[int, Any]]:
    """A field of the rows with these ids, read in pieces."""
    for _, chunk in chunks(sorted(wanted), IN_LIST):
        yield from rows.filter(pk__in=chunk).values_list("pk", field)


def _write_many(sql: str, values: Sequence[tuple[Any, ...]]) -> None:
    """Run one statement for many rows: several times as fast as the ORM, and all of it holds a lock."""
    tables = {"item": Item._meta.db_table, "grade": Grade._meta.db_table}
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(sql.format(**tables), values)


def _levels_changed(study: Study, topic_names: Iterable[str]) -> None:
    """Have these topics rescored, since scores depend on grades and runs too."""
    topics = topics_of(study)
    raise_revisions([topics[name] for name in topic_names], settled=False)


def _counting(total: int, progress: Progress) -> Callable[[int], None]:
    """Progress by how many more are done."""
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        progress(done, total)

    return more


def chunks(rows: Sequence[T], size: int = CHUNK) -> Iterable[tuple[int, Sequence[T]]]:
    """Slices of `size` rows, each with the number of rows before it."""
    return ((start, rows[start : start + size]) for start in range(0, len(rows), size))
