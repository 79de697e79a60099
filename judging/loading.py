"""Loading a file into a study: which kinds there are, and one import from its upload to its end."""

import hashlib
import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone
from PIL import Image

from config.queueing import run_aside
from judging import collection, formats
from judging.formats import BadFile
from judging.models import Import, Study

Progress = Callable[[int, int], None]


class CannotLoad(Exception):
    """Why a file was refused as a whole, in a sentence."""


@dataclass(frozen=True)
class Source:
    """A file to load. `name` is what people call it; `options` come from the form or command line."""

    study: Study
    name: str
    path: Path
    digest: str
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A kind of file: how it is called, what it looks like, and the function that loads it."""

    title: str
    format: str
    example_name: str
    example: Callable[[], bytes]
    load: Callable[[Source, Progress], str]
    # Topics, items and grades decide the pools; they stand still once judging is open.
    stands_still: bool = True


def _lines(*lines: str) -> Callable[[], bytes]:
    return lambda: ("\n".join(lines) + "\n").encode()


def _example_zip() -> bytes:
    """A zip of two small pictures in the folder of their topic."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for docno, colour in (("lighthouse-1", "#2b4c7e"), ("lighthouse-2", "#e8a33d")):
            picture = io.BytesIO()
            Image.new("RGB", (64, 48), colour).save(picture, "PNG")
            archive.writestr(f"lighthouse/{docno}.png", picture.getvalue())
    return packed.getvalue()


def _topics(source: Source, progress: Progress) -> str:
    return collection.add_topics(
        source.study, formats.read_topics(source.name, source.path, progress=progress)
    )


def _items(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    return collection.add_items(
        source.study, formats.read_items(source.name, source.path, known, progress=read), write
    )


def _images(source: Source, progress: Progress) -> str:
    if source.study.kind != Study.Kind.IMAGE:
        raise CannotLoad("This study compares passages of text: images cannot be loaded into it.")
    read, write = _halves(progress)
    known = collection.known(source.study)
    if source.path.is_dir():
        records = formats.read_images_folder(source.path, known, progress=read)
    else:
        records = formats.read_images_zip(source.name, source.path, known, progress=read)
    return collection.add_images(source.study, records, write)


def _qrels(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    return collection.add_grades(
        source.study, formats.read_qrels(source.name, source.path, known, progress=read), write
    )


def _run(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    ties = source.options.get("ties") or "descending"
    record = formats.read_run(source.name, source.path, known, ties, progress=read)  # type: ignore[arg-type]
    return collection.add_run(source.study, record, write)


def _grid(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    record = formats.read_grid(source.name, source.path, known, progress=read)
    name = source.options.get("name") or re.sub(r"\.(grid|tsv|txt)(\.gz)?$", "", source.name)
    return collection.add_grid(source.study, name, record, write)


def _judgments(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    _refuse_second_time(source, "judgments")
    known = collection.known(source.study)
    records = formats.read_preferences(source.name, source.path, known, progress=read)
    return collection.add_judgments(source.study, records, write, source=source.name, digest=source.digest)


def _challenges(source: Source, progress: Progress) -> str:
    known = collection.known(source.study)
    records = formats.read_challenges(source.name, source.path, known, progress=progress)
    return collection.add_challenges(source.study, records)


def _xie_positions(source: Source, progress: Progress) -> str:
    grids = formats.read_xie_positions(source.name, source.path)
    with transaction.atomic():
        said = [
            collection.add_grid(source.study, name, grid, progress, new_topics=True)
            for name, grid in zip(("sogou", "baidu"), grids, strict=True)
        ]
    return "; ".join(said)


def _xie_judgments(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    _refuse_second_time(source, "xie-judgments")
    known = collection.known(source.study)
    records = formats.read_xie_annotations(source.name, source.path, known, progress=read)
    return collection.add_judgments(
        source.study, records, write, source=source.name, digest=source.digest, sides_known=True
    )


def _xie_relevance(source: Source, progress: Progress) -> str:
    read, write = _halves(progress)
    known = collection.known(source.study)
    records = formats.read_xie_relevance(source.name, source.path, known, progress=read)
    return collection.add_grades(source.study, records, write)


KINDS: dict[str, Kind] = {
    "topics": Kind(
        "Topics",
        "Tab-separated: the topic's id, a tab, its text. One topic a line.",
        "topics.tsv",
        _lines("31_1\tWhat is throat cancer?", "31_2\tIs throat cancer treatable?"),
        _topics,
    ),
    "items": Kind(
        "Passages",
        'JSON lines: one object a line with "docno", "topic" and "text".',
        "items.jsonl",
        _lines(
            '{"docno": "d1", "topic": "31_1", "text": "Throat cancer is a cancer of the pharynx."}',
            '{"docno": "d2", "topic": "31_1", "text": "A sore throat mostly has other causes."}',
        ),
        _items,
    ),
    "images": Kind(
        "Images",
        "A zip with one folder a topic, named by the topic's id; in it its pictures (jpg, png, webp, gif), "
        "each named by its docno.",
        "images.zip",
        _example_zip,
        _images,
    ),
    "qrels": Kind(
        "Grades (qrels)",
        "TREC qrels: topic, 0, docno, grade. A grade above 0 means relevant.",
        "grades.qrels",
        _lines("31_1 0 d1 3", "31_1 0 d2 0"),
        _qrels,
    ),
    "run": Kind(
        "Run",
        "TREC run: topic, Q0, docno, rank, score, tag. Ordered by score; the tag names the run.",
        "bm25.run",
        _lines("31_1 Q0 d1 1 14.2 bm25", "31_1 Q0 d2 2 11.7 bm25"),
        _run,
        stands_still=False,
    ),
    "grid": Kind(
        "Run of image grids",
        "Tab-separated with a header: topic, docno, row, column, counted from 0. "
        "The file's name is the run's.",
        "system-a.grid",
        _lines(
            "topic\tdocno\trow\tcolumn", "lighthouse\tlighthouse-1\t0\t0", "lighthouse\tlighthouse-2\t0\t1"
        ),
        _grid,
        stands_still=False,
    ),
    "judgments": Kind(
        "Recorded judgments",
        "Topic, docno a, docno b, winner (a's docno, b's docno, or the word tie); "
        "then, if you like, the assessor's label.",
        "judgments.txt",
        _lines("31_1 d1 d2 d1", "31_1 d1 d2 tie"),
        _judgments,
        stands_still=False,
    ),
    "challenges": Kind(
        "Challenges",
        "Topic, docno a, docno b, winner: pairs whose answer nobody who pays attention gets wrong.",
        "challenges.txt",
        _lines("31_1 d1 d2 d1"),
        _challenges,
        stands_still=False,
    ),
    "xie-positions": Kind(
        "Image_position.json (Xie et al. 2020)",
        "Their JSON of queries, engines and image places: makes the topics, the images' docnos and two runs.",
        "Image_position.json",
        _lines('{"lighthouse": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 1]}}}'),
        _xie_positions,
    ),
    "xie-judgments": Kind(
        "image_pairs_annotation (Xie et al. 2020)",
        "Their pairs with three assessors' labels from -2 (definitely left) to 2 (definitely right).",
        "image_pairs_annotation",
        _lines(
            "Query\tImage_pair\tpreference_tags",
            "lighthouse\tbaidu/lighthouse_0.jpg,sogou/lighthouse_0.jpg\t-1\t0\t2",
        ),
        _xie_judgments,
        stands_still=False,
    ),
    "xie-relevance": Kind(
        "relevance_data (Xie et al. 2020)",
        "Their mean relevance of each image, 0 to 100.",
        "relevance_data",
        _lines("Query\tImage\tAverage_Relevance_Score", "lighthouse\tbaidu/lighthouse_0.jpg\t59.0"),
        _xie_relevance,
    ),
}


def load(
    study: Study,
    kind: str,
    path: Path,
    *,
    name: str = "",
    options: dict[str, str] | None = None,
    progress: Progress = lambda done, total: None,
) -> str:
    """Load one file now and say what was loaded. All of it or nothing.

    Raises BadFile naming every bad line, or CannotLoad for a file that cannot be loaded at all.
    """
    row = Import.objects.create(study=study, kind=kind, name=(name or path.name)[:200])
    return _run_import(row, path, options or {}, progress)


def begin(study: Study, kind: str, name: str, upload: File, options: dict[str, str]) -> Import:
    """Keep an upload and start loading it aside: on a worker, or in a thread. Returns at once."""
    from judging.tasks import run_import  # here: tasks import this module

    stored = default_storage.save("uploads/file", upload)
    row = Import.objects.create(study=study, kind=kind, name=name[:200], file=stored, options=options)
    run_aside(run_import, row.pk)
    return row


def run(import_id: int) -> None:
    """Load an upload that `begin` kept. What goes wrong is written to its row, not raised.

    A repeat does nothing: the row is claimed first.
    """
    if not Import.objects.filter(pk=import_id, state=Import.State.WAITING).update(state=Import.State.RUNNING):
        return
    row = Import.objects.select_related("study").get(pk=import_id)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        with default_storage.open(row.file) as file, path.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        try:
            _run_import(row, path, row.options, _to_cache(import_id))
        except (BadFile, CannotLoad):
            pass  # the row says it
        finally:
            default_storage.delete(row.file)


def sweep() -> None:
    """Start uploads whose task was lost, and close imports whose process died: nothing was loaded.

    An import is taken for dead when it has reported no progress for ten minutes.
    """
    from judging.tasks import run_import

    quiet = timezone.now() - timedelta(minutes=10)
    for row in Import.objects.filter(state=Import.State.RUNNING, created_at__lt=quiet):
        if progress(row.pk) is None:
            _refused(row, ["The server stopped while the file was read. Nothing was loaded: load it again."])
    for pk in Import.objects.filter(state=Import.State.WAITING, created_at__lt=quiet).values_list("pk"):
        run_aside(run_import, *pk)


def progress(import_id: int) -> tuple[int, int] | None:
    """How far a running import has got, as (done, total); None where nothing is known."""
    return cache.get(_progress_key(import_id))


def _run_import(row: Import, path: Path, options: dict[str, str], progress: Progress) -> str:
    row.state = Import.State.RUNNING
    row.digest = _digest(path)
    row.save(update_fields=["state", "digest"])
    kind = KINDS[row.kind]
    try:
        if kind.stands_still and row.study.opened_at:
            raise CannotLoad(
                f"{kind.title} cannot be loaded any more: judging is open, and its pools were made from them."
            )
        with transaction.atomic():
            summary = kind.load(Source(row.study, row.name, path, row.digest, options), progress)
            row.state, row.summary, row.finished_at = Import.State.DONE, summary, timezone.now()
            row.save(update_fields=["state", "summary", "finished_at"])
    except BadFile as error:
        _refused(row, [str(problem) for problem in error.problems])
        raise
    except CannotLoad as error:
        _refused(row, [str(error)])
        raise
    except IntegrityError as error:
        _refused(row, ["The study changed while the file was loaded. Load it again."])
        raise CannotLoad(row.problems[0]) from error
    except Exception:
        _refused(row, ["Loading failed for a reason that is not the file's; the server's log has it."])
        raise
    return summary


def _refused(row: Import, problems: list[str]) -> None:
    row.state, row.problems, row.finished_at = Import.State.REFUSED, problems, timezone.now()
    row.save(update_fields=["state", "problems", "finished_at"])


def _refuse_second_time(source: Source, kind: str) -> None:
    earlier = Import.objects.filter(
        study=source.study, kind=kind, digest=source.digest, state=Import.State.DONE
    ).first()
    if earlier:
        raise CannotLoad(
            f"The same judgments were already loaded as {earlier.name}; loaded again they would count twice."
        )


def _digest(path: Path) -> str:
    """SHA-256 of a file, or of a folder's file names and sizes."""
    if path.is_dir():
        listing = sorted(f"{p.relative_to(path)} {p.stat().st_size}" for p in path.rglob("*") if p.is_file())
        return hashlib.sha256("\n".join(listing).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _halves(progress: Progress) -> tuple[Progress, Progress]:
    """Reading is the first half of the way, writing the second."""
    return (
        lambda done, total: progress(done, 2 * total),
        lambda done, total: progress(total + done, 2 * total),
    )


def _to_cache(import_id: int) -> Progress:
    def report(done: int, total: int) -> None:
        cache.set(_progress_key(import_id), (done, total), timeout=600)

    return report


def _progress_key(import_id: int) -> str:
    return f"import:{import_id}:progress"
