"""Loading a file into a study: one import from its upload to its end."""

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.apps import apps
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from collection import trail
from collection.kinds import KINDS, CannotLoad, Kind, Progress, Source
from collection.models import Import, Study
from prefir.formats import BadFile

__all__ = ["KINDS", "CannotLoad", "Kind", "begin", "load", "progress", "run", "sweep"]
logger = logging.getLogger(__name__)


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
    row = Import.objects.create(study=study, kind=kind, name=(name or path.name)[:200], once=KINDS[kind].once)
    return _run_import(row, path, options or {}, progress)


def begin(study: Study, kind: str, name: str, upload: File, options: dict[str, str]) -> Import:
    """Keep an upload for `run`, and return at once; the caller starts the job that loads it."""
    stored = default_storage.save("uploads/file", upload)
    return Import.objects.create(
        study=study,
        kind=kind,
        name=name[:200],
        by_id=trail.account_id(),
        file=stored,
        options=options,
        once=KINDS[kind].once,
    )


def run(import_id: int) -> None:
    """Load an upload that `begin` kept. Bad files are reported in its row, not raised.

    A repeat does nothing: the row is claimed first.
    """
    if not Import.objects.filter(pk=import_id, state=Import.State.WAITING).update(state=Import.State.RUNNING):
        return
    row = Import.objects.select_related("study", "by").get(pk=import_id)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        try:
            with default_storage.open(row.file) as file, path.open("wb") as copy:
                shutil.copyfileobj(file, copy)
        except FileNotFoundError:
            _refused(row, ["The uploaded file is gone. Nothing was loaded: load it again."])
            return
        try:
            with trail.acting_as(row.by):
                _run_import(row, path, row.options, lambda done, total: None)
        except (BadFile, CannotLoad):
            pass  # reported in the row
        finally:
            default_storage.delete(row.file)


def sweep(*, alone: bool = False) -> list[int]:
    """Close imports whose process died (nothing was loaded); return the uploads whose task was lost.

    A task counts as lost after a minute, an import as dead after ten without progress. `alone`: no other
    process loads, as when the only one has just been started; then both count at once.
    """
    now = timezone.now()
    dead = Import.objects.filter(state=Import.State.RUNNING)
    lost = Import.objects.filter(state=Import.State.WAITING)
    if not alone:
        dead = dead.filter(created_at__lt=now - timedelta(minutes=10))
        lost = lost.filter(created_at__lt=now - timedelta(minutes=1))
    for row in dead:
        if progress(row.pk) is None:
            why = "The server stopped while the file was read. Nothing was loaded: load it again."
            # Only if it is still marked as running: it may end at this very moment.
            dead.filter(pk=row.pk).update(state=Import.State.REFUSED, problems=[why], finished_at=now)
            if row.file:
                default_storage.delete(row.file)
    return list(lost.order_by("pk").values_list("pk", flat=True))


def progress(import_id: int) -> tuple[int, int] | None:
    """Progress of a running import as (done, total); None if unknown."""
    return cache.get(_progress_key(import_id))


def _run_import(row: Import, path: Path, options: dict[str, str], progress: Progress) -> str:
    tell = _telling(row.pk, progress)
    row.state = Import.State.RUNNING
    row.digest = _digest(path)
    row.save(update_fields=["state", "digest"])
    source = Source(row.study, row.name, path, row.digest, options)
    try:
        with _files_undone(source.stored), transaction.atomic():
            summary = _load(source, KINDS[row.kind], tell)
            _count_rows()
            row.state, row.summary, row.finished_at = Import.State.DONE, summary, timezone.now()
            row.problems = []
            row.save(update_fields=["state", "summary", "problems", "finished_at"])
            trail.note(row.study_id, trail.What.LOADED, about=row.name, after=_told(row))
    except BadFile as error:
        _refused(row, [str(problem) for problem in error.problems])
        raise
    except CannotLoad as error:
        _refused(row, [str(error)])
        raise
    except IntegrityError as error:
        _refused(row, ["The study changed while the file was loaded. Load it again."])
        raise CannotLoad(row.problems[0]) from error
    except (KeyboardInterrupt, SystemExit):
        _refused(row, ["Loading was stopped before its end. Nothing was loaded."])
        raise
    except Exception:
        _refused(row, ["Loading failed for a reason that is not the file's; the server's log has it."])
        raise
    return summary


def _told(row: Import) -> dict[str, str]:
    """What the trail tells of a loaded file."""
    return {"kind": row.kind, "what": row.summary, "sha256": row.digest}


def _load(source: Source, kind: Kind, progress: Progress) -> str:
    """Read and write one file; call in a transaction. Raises BadFile, CannotLoad."""
    if kind.once:
        _refuse_second_time(source, kind)
    if kind.locked_by_opening:
        # Locked until the commit: opening the study waits, so its pools are made from the whole file.
        study = Study.objects.select_for_update(no_key=True).get(pk=source.study.pk)
        if study.opened_at:
            raise CannotLoad(
                f"{kind.title} cannot be loaded any more: judging is open, and its pools were made from them."
            )
    return kind.load(source, progress)


def _refuse_second_time(source: Source, kind: Kind) -> None:
    earlier = Import.objects.filter(
        study=source.study, kind=kind.key, digest=source.digest, state=Import.State.DONE
    ).first()
    if earlier:
        raise CannotLoad(
            f"The same judgments were already loaded as {earlier.name}; loaded again they would count twice."
        )


def _count_rows() -> None:
    """Update PostgreSQL's statistics of the tables, which it does by itself only after a minute or so.

    Until then it plans as if they were as small as before, and one query over 100,000 new judgments can
    take an hour. Costs tenths of a second, whatever the size.
    """
    if connection.vendor == "postgresql":
        tables = [model._meta.db_table for model in apps.get_models()]
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, tables))}")


@contextmanager
def _files_undone(names: list[str]) -> Iterator[None]:
    """Remove these files again if the block, the commit included, fails."""
    try:
        yield
    except BaseException:
        for name in names:
            default_storage.delete(name)
        raise


def _refused(row: Import, problems: list[str]) -> None:
    row.state, row.problems, row.finished_at = Import.State.REFUSED, problems, timezone.now()
    row.save(update_fields=["state", "problems", "finished_at"])


def _digest(path: Path) -> str:
    """SHA-256 of a file, or of a folder's file names and sizes."""
    if path.is_dir():
        listing = sorted(f"{p.relative_to(path)} {p.stat().st_size}" for p in path.rglob("*") if p.is_file())
        return hashlib.sha256("\n".join(listing).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _telling(import_id: int, progress: Progress) -> Progress:
    """Wrap `progress` so that it also tells pages and sweeps that the import is alive."""

    def report(done: int, total: int) -> None:
        try:
            cache.set(_progress_key(import_id), (done, total), timeout=600)
        except Exception as error:
            # Without the cache nobody sees the progress, but the import goes on.
            logger.warning("The progress of import %s cannot be told: %s", import_id, error)
        progress(done, total)

    report(0, 1)
    return report


def _progress_key(import_id: int) -> str:
    return f"import:{import_id}:progress"
