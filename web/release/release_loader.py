"""Load a release as a study, all or nothing: checksums first, scores compared last."""

import math
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from collection import audit_log
from collection.material import pictures
from collection.models import Grade, Item, Membership, Placement, Run, Study, Topic
from collection.study import lifecycle
from collection.study.study_copy import SETTINGS
from collection.upload.record_store import stored_sources
from judging.transfer.release_import import Restored
from prefir.formats import description_problem, sources_of
from prefir.formats.ids import docno_problem, groups_problem, id_problem, text_problem, weight_problem
from prefir.formats.images import (
    MOST_CAPTIONS,
    checked_captions,
    checked_picture,
    checked_recording,
    limits_of,
)
from scoring.board import standings
from scoring.scores import topic_scores as scoring
from tournament import services as tournament
from tournament.models import Plan, Tournament
from web.release import files
from web.release.folder import SUMS
from web.release.source import BadRelease, ReleaseSource, named
from web.shared import measure_names

Progress = Callable[[str], None]
T = TypeVar("T")
CHUNK = 2000
PIECE = 2**20
# Problems that are told one by one.
MOST = 20
REQUIRED = (
    *("study.json", "topics.jsonl", "items.jsonl", "grades.qrels", "runs.json", "pools.jsonl"),
    *("assessors.jsonl", "batches.jsonl", "questions.jsonl", "asked.jsonl", "judgments.jsonl"),
    *("unanswered.jsonl", "decisions.jsonl", "scores.csv"),
)


def load(
    path: Path, *, slug: str = "", organizer: Any = None, progress: Progress = lambda what: None
) -> Study:
    """Make a study of a release, a folder or a zip; all of it or nothing is there in the end.

    Its scores are computed anew and held against the release's: one byte of difference, and nothing is
    loaded. `progress` is told what comes next. Everybody in it is known by a pseudonym; judging is over.
    One transaction: on SQLite others wait meanwhile. Cost grows with the rows.

    Raises BadRelease, which names every file with another checksum, or the line that does not fit.
    """
    source = ReleaseSource(path)
    progress("checking the checksums")
    digest = _check(source)
    stored: list[str] = []
    try:
        with transaction.atomic(), named("the release"):
            study = _write(source, slug, organizer, digest, path.name, stored, progress)
            progress("comparing the scores")
            _compare(source, study)
        return study
    except BaseException:
        for name in stored:
            pictures.remove(name)
        raise


def _check(source: ReleaseSource) -> str:
    """Compare every file with its checksum; return the checksum of the checksums. Raises BadRelease, naming
    all.
    """
    if SUMS not in source.names:
        raise BadRelease(f"{SUMS} is missing: this is no release, or a part of one.")
    said, whole = {}, sha256()
    for number, line in source.text(SUMS):
        whole.update(line.encode())
        digest, _, name = line.rstrip("\n").partition("  ")
        if not name:
            raise BadRelease(f"{SUMS}, line {number}: expected a checksum, two spaces and a file's name")
        said[name] = digest
    wrong = [f"{name} is missing" for name in REQUIRED if name not in said]
    wrong += [f"{name} has no checksum" for name in sorted(source.names - said.keys() - {SUMS})]
    for name, digest in said.items():
        if name not in source.names:
            wrong.append(f"{name} is missing")
        elif _digest(source, name) != digest:
            wrong.append(f"{name} was changed: it has another checksum")
    if wrong:
        told = wrong[:MOST] + ([f"and {len(wrong) - MOST:,} more"] if len(wrong) > MOST else [])
        raise BadRelease("\n".join(told))
    return whole.hexdigest()


def _digest(source: ReleaseSource, name: str) -> str:
    digest = sha256()
    with source.open(name) as file, named(name):
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _write(
    source: ReleaseSource,
    slug: str,
    organizer: Any,
    digest: str,
    called: str,
    stored: list[str],
    progress: Progress,
) -> Study:
    told = source.json("study.json")
    with named("study.json"):
        if told["format"] != files.FORMAT:
            raise ValueError(f"it has the format {told['format']}; this version reads {files.FORMAT}")
        study = _study(told, slug)
    Membership.objects.bulk_create(
        [Membership(study=study, user=organizer, role=Membership.Role.ORGANIZER)] if organizer else []
    )
    audit_log.note(study.pk, audit_log.What.MADE, about=called, after={"release": digest})
    restored = Restored(study, called)
    with named("study.json"):
        restored.add_tasks(told["tasks"])
        if told["plan"]:
            given = told["plan"]
            Plan.objects.create(
                study=study,
                task=restored.tasks[given["task"]],
                strategy=given["strategy"],
                settings=given["settings"],
                seed=given["seed"],
            )
        elif any(source.rows("pools.jsonl")):
            raise ValueError("it has no plan, though pools.jsonl has tournaments")
    progress("topics, items and runs")
    topics = _topics(source, study)
    items = _items(source, study.kind, topics, stored)
    _grades(source, items)
    _runs(source, study, topics, items)
    progress("answers")
    for name in ("assessors", "questions", "batches", "asked", "judgments", "unanswered", "decisions"):
        with named(f"{name}.jsonl"):
            getattr(restored, f"add_{name}")(source.rows(f"{name}.jsonl"))
    restored.finish()
    progress("tournaments")
    with named("pools.jsonl"):
        for some in _chunks(source.rows("pools.jsonl")):
            Tournament.objects.bulk_create(
                Tournament(topic_id=topics[row["topic"]], pool=[items[row["topic"], d] for d in row["pool"]])
                for row in some
            )
    tournament.play_again(tournament.drop(study.pk))
    progress("scores")
    for topic in scoring.outdate(study.pk):
        scoring.rescore(topic)
    standings.write(study)
    return study


# Settings that were added since the first releases.
SINCE = ("ground", "play_first", "levelled", "case", "baseline", "least_difference", "currency")


def _study(told: Mapping[str, Any], slug: str) -> Study:
    # Releases of before have fewer settings.
    usual = Study()
    given = {name: getattr(usual, name) for name in SINCE} | told["settings"]
    study = Study(
        name=_free_name(told["name"]),
        seed=told["seed"],
        **{name: given[name] for name in SETTINGS},
    )
    if told["opened"]:
        study.opened_at = study.closed_at = timezone.now()
    study.slug = slug or _free_slug(told["name"])
    study.full_clean()
    unknown = [name for name in study.measures.split() if name not in measure_names.TITLES]
    if unknown or study.language not in ("", *dict(settings.LANGUAGES)):
        raise ValueError(f"its settings name {', '.join(unknown) or study.language}, which is not known here")
    study.save(force_insert=True)
    return study


def _free_name(name: str) -> str:
    """The release's name, made distinct from studies that exist here."""
    most = Study._meta.get_field("name").max_length or 0
    endings = ["", " (loaded)", *(f" (loaded {n})" for n in range(2, 1000))]
    names = (f"{name[: most - len(ending)]}{ending}" if ending else name for ending in endings)
    return next((one for one in names if not Study.objects.filter(name=one).exists()), name)


def _free_slug(name: str) -> str:
    wanted = slugify(name)[:50].strip("-") or "study"
    if wanted in lifecycle.RESERVED or Study.objects.filter(slug=wanted).exists():
        return f"{wanted}-{get_random_string(4, 'abcdefghjkmnpqrstuvwxyz23456789')}"
    return wanted


def _topics(source: ReleaseSource, study: Study) -> dict[str, int]:
    with named("topics.jsonl"):
        made = Topic.objects.bulk_create(
            Topic(
                study=study,
                name=_checked(row["topic"], id_problem("topic", row["topic"])),
                text=_checked(row["text"], text_problem(row["text"])),
                earlier=_optional(row, "earlier"),
                description=_optional(row, "description"),
                groups=_checked(row.get("groups", {}), groups_problem(row.get("groups", {}))),
                weight=_checked(row.get("weight", 1.0), weight_problem(row.get("weight", 1.0))),
                opened_at=study.opened_at if row["opened"] else None,
            )
            for row in source.rows("topics.jsonl")
        )
    return {topic.name: topic.pk for topic in made}


def _optional(row: Mapping[str, Any], name: str) -> str:
    given = row.get(name, "")
    return _checked(given, text_problem(given) if given else None)


def _items(
    source: ReleaseSource, kind: str, topics: Mapping[str, int], stored: list[str]
) -> dict[tuple[str, str], int]:
    """Items in the file's order, which rounds are drawn in."""
    found: dict[tuple[str, str], int] = {}
    names = {pk: name for name, pk in topics.items()}
    with named("items.jsonl"):
        for some in _chunks(source.rows("items.jsonl")):
            made = Item.objects.bulk_create(_item(source, kind, row, topics, stored) for row in some)
            found |= {(names[item.topic_id], item.docno): item.pk for item in made}
    return found


def _item(
    source: ReleaseSource, kind: str, row: Mapping[str, Any], topics: Mapping[str, int], stored: list[str]
) -> Item:
    docno, text = row["docno"], row["text"]
    item = Item(topic_id=topics[row["topic"]], docno=_checked(docno, docno_problem(docno)))
    item.text = _checked(text, text_problem(text) if text else None)
    if description := row.get("description", ""):
        item.description = _checked(description, description_problem(description))
    if listed := row.get("sources"):
        found = sources_of(listed)
        if isinstance(found, str):
            raise ValueError(f"docno {docno}: {found}")
        item.sources = stored_sources(found)
    if "image" in row:
        content = _shown_file(source, kind, row["image"], item)
        name = item.image.field.generate_filename(item, row["image"])
        if "captions" in row:
            name = pictures.with_captions(name)
        item.image.name = default_storage.save(name, ContentFile(content))
        stored.append(item.image.name)
        if "captions" in row:
            with source.open(row["captions"]) as file, named(row["captions"]):
                captions = checked_captions(file.read(MOST_CAPTIONS + 1))
            default_storage.save(pictures.captions_of(item.image.name), ContentFile(captions))
        if kind not in Study.RECORDED:
            # The copies go with the picture.
            list(pictures.store_copies(item.image.name, content, item.width or 0, item.height or 0))
    return item


def _shown_file(source: ReleaseSource, kind: str, name: str, item: Item) -> bytes:
    """A picture or recording without metadata, by the rules for uploads; sets the item's size and length."""
    most = limits_of(kind).file_bytes
    with source.open(name) as file, named(name):
        content = file.read(most + 1)
        if len(content) > most:
            raise ValueError("the file is too large")
        if kind not in Study.RECORDED:
            content, item.width, item.height = checked_picture(content)
            return content
        found = checked_recording(content, kind)
        item.width, item.height = found.width or None, found.height or None
        item.seconds = found.seconds or None
        return found.bare


def _checked(value: str, problem: str | None) -> str:
    if problem:
        raise ValueError(problem)
    return value


def _grades(source: ReleaseSource, items: Mapping[tuple[str, str], int]) -> None:
    def read() -> Iterator[Grade]:
        for number, line in source.text("grades.qrels"):
            with named("grades.qrels", number):
                topic, _, docno, value = line.split()
                if not math.isfinite(float(value)):
                    raise ValueError(f"the grade {value} is not a finite number")
                yield Grade(item_id=items[topic, docno], value=float(value))

    with named("grades.qrels"):
        for some in _chunks(read()):
            Grade.objects.bulk_create(some)


def _runs(
    source: ReleaseSource, study: Study, topics: Mapping[str, int], items: Mapping[tuple[str, str], int]
) -> None:
    runs = source.json("runs.json")
    for told in runs:
        with named("runs.json"):
            name = _checked(told["name"], id_problem("run", told["name"]))
        run = Run.objects.create(study=study, name=name)
        ranked: set[str] = set()
        with named(told["file"]):
            for some in _chunks(_placements(source, told["file"], run, topics, items, ranked)):
                Placement.objects.bulk_create(some)
        Run.objects.filter(pk=run.pk).update(topics=len(ranked))


def _placements(
    source: ReleaseSource,
    name: str,
    run: Run,
    topics: Mapping[str, int],
    items: Mapping[tuple[str, str], int],
    ranked: set[str],
) -> Iterator[Placement]:
    for number, line in source.text(name):
        with named(name, number):
            topic, _, docno, rank, _, _, *cell = line.split()
            ranked.add(topic)
            row, column, length = map(int, cell) if cell else (None, None, None)
            yield Placement(
                run=run,
                topic_id=topics[topic],
                item_id=items[topic, docno],
                rank=int(rank),
                row=row,
                column=column,
                row_length=length,
            )


def _compare(source: ReleaseSource, study: Study) -> None:
    """Compare the scores with those of the release line by line.

    Raises BadRelease at the first difference.
    """
    now = (line for block in files.scores(study) for line in block.decode().splitlines(keepends=True))
    wrong = []
    then = (line for _, line in source.text("scores.csv"))
    for number, (before, after) in enumerate(zip_longest(then, now, fillvalue=""), 1):
        if before != after:
            wrong.append(f"scores.csv, line {number}: the release has {before!r}, its answers give {after!r}")
            if len(wrong) == MOST:
                break
    if wrong:
        raise BadRelease("\n".join(["The scores come out otherwise than the release has them:", *wrong]))


def _chunks(rows: Iterator[T]) -> Iterator[list[T]]:
    while some := list(islice(rows, CHUNK)):
        yield some
