"""Loading a file into a study: one import from its upload to its end."""

import hashlib
import logging
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from collection import audit_log
from collection.changes import announce, kept_back
from collection.models import Import, Study, Topic
from collection.upload import staging
from collection.upload.kinds import KINDS, CannotLoad, Kind, Progress, Source, kind_of
from prefir.formats import BadFile

__all__ = [
    "KINDS",
    "CannotLoad",
    "Kind",
    "announce_all",
    "begin",
    "load",
    "progress",
    "run",
    "run_next",
    "sweep",
]
logger = logging.getLogger(__name__)

# Without a sign of life for so long an import counts as dead.
DEAD_AFTER = timedelta(minutes=10)
# An upload whose process died is taken up once more; a file that ends two is refused.
MOST_ATTEMPTS = 2
SIGN_OF_LIFE = 20.0  # seconds
LOOKS_AGAIN = 0.5  # seconds after which a command asks whether the study's other file is loaded
# Of studies of which more files wait: changed topics, each with whether a verdict fell. What a process that
# dies has not announced is found by the sweeps.
_changes: dict[int, dict[int, bool]] = {}


def load(
    study: Study,
    kind: str,
    path: Path,
    *,
    name: str = "",
    options: dict[str, str] | None = None,
    progress: Progress = lambda done, total: None,
    more: bool = False,
) -> Import:
    """Load one file now; return its import, which says what was loaded and what it leaves open.

    Waits while another file of the study is being loaded. `more`: others follow, so that nothing is rescored
    before `announce_all`. Raises BadFile naming the bad lines, or CannotLoad for a file that cannot be loaded
    at all.
    """
    row = Import.objects.create(
        study=study, kind=kind, name=(name or path.name)[:200], options=options or {}, once=kind_of(kind).once
    )
    while not _claim(row):
        time.sleep(LOOKS_AGAIN)
        sweep()
    _run_import(row, path, progress, more=more)
    return row


def begin(study: Study, kind: str, name: str, upload: File, options: dict[str, str]) -> Import:
    """Keep an upload for `run_next`, and return at once; the caller starts the job that loads it."""
    stored = default_storage.save("uploads/file", upload)
    return Import.objects.create(
        study=study,
        kind=kind,
        name=name[:200],
        by_id=audit_log.account_id(),
        file=stored,
        options=options,
        once=kind_of(kind).once,
    )


def run_next() -> bool:
    """Load the upload that waits longest of those whose study has no other being read; False if none does.

    Bad files are reported in their rows, not raised.
    """
    busy = Import.objects.filter(state=Import.State.RUNNING).values("study_id")
    waiting = _waiting_uploads().exclude(study__in=busy)
    return any(run(pk) for pk in waiting.order_by("pk").values_list("pk", flat=True))


def run(import_id: int) -> bool:
    """Load an upload that `begin` kept, and return True; False if it does not wait, or its study is busy."""
    row = Import.objects.select_related("study", "by").get(pk=import_id)
    if row.state != Import.State.WAITING or not _claim(row):
        return False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        try:
            with default_storage.open(row.file) as file, path.open("wb") as copy:
                shutil.copyfileobj(file, copy)
        except FileNotFoundError:
            _refuse(row, ["The uploaded file is gone. Nothing was loaded: load it again."])
            return True
        try:
            with audit_log.acting_as(row.by):
                _run_import(row, path, lambda done, total: None, more=_more_of(row.study_id))
        except (BadFile, CannotLoad):
            pass  # reported in the row
        finally:
            if not Import.objects.unfinished().filter(pk=row.pk).exists():
                default_storage.delete(row.file)
            if not _more_of(row.study_id):
                announce_all(row.study_id)
    return True


def announce_all(study_id: int) -> None:
    """Have rescored what files loaded with `more` have changed."""
    announce(_changes.pop(study_id, {}))


def sweep(*, alone: bool = False) -> bool:
    """Close imports whose process died, or let them wait again; return whether uploads wait.

    An import is dead after ten minutes without a sign of life. `alone`: no other process loads uploads, as
    when the only one has just been started; then they count as dead at once. What they wrote is removed.
    """
    silent = timezone.now() - DEAD_AFTER
    for row in Import.objects.unfinished().defer("problems").order_by("pk"):
        quiet = (row.alive_at or row.created_at) < silent
        if row.state == Import.State.RUNNING and (quiet or (alone and row.file)):
            _bury(row)
        elif row.state == Import.State.WAITING and quiet and not row.file:
            # Its command was ended while it waited for another file.
            _refuse(row, ["Loading was stopped before it began. Nothing was loaded."])
    return _waiting_uploads().exists()


def _bury(row: Import) -> None:
    """Let an import whose process died wait again, or refuse it; remove what it left."""
    # From here on its process, should it be alive after all, writes nothing more.
    own = Import.objects.filter(pk=row.pk, state=Import.State.RUNNING, attempts=row.attempts)
    if not own.update(attempts=F("attempts") + 1, alive_at=timezone.now()):
        return
    row.refresh_from_db()
    if row.file and row.attempts <= MOST_ATTEMPTS:
        if not row.written:  # what is stored for good is gone on with
            kind_of(row.kind).undo(row)
        Import.objects.filter(pk=row.pk, attempts=row.attempts).update(state=Import.State.WAITING)
        return
    _refuse(row, ["The server stopped while the file was read. Nothing was loaded: load it again."])
    if row.file:
        default_storage.delete(row.file)


def _waiting_uploads() -> QuerySet[Import]:
    return Import.objects.filter(state=Import.State.WAITING).exclude(file="")


def _more_of(study_id: int) -> bool:
    """Whether more uploads of a study wait that this process will load."""
    return settings.CELERY_TASK_ALWAYS_EAGER and _waiting_uploads().filter(study=study_id).exists()


def _claim(row: Import) -> bool:
    """Begin an import that waits; False if it waits no more, or its study is busy with another."""
    now = timezone.now()
    own = Import.objects.filter(pk=row.pk, state=Import.State.WAITING)
    try:
        with transaction.atomic():
            claimed = own.update(state=Import.State.RUNNING, attempts=F("attempts") + 1, alive_at=now)
    except IntegrityError:  # one at a time of a study
        own.update(alive_at=now)
        return False
    if claimed:
        row.refresh_from_db()
    return bool(claimed)


def progress(import_id: int) -> tuple[int, int] | None:
    """Progress of a running import as (done, total); None if unknown."""
    return cache.get(_progress_key(import_id))


def _run_import(row: Import, path: Path, progress: Progress, *, more: bool) -> None:
    """Load the file of an import that was claimed: read, write hidden, then show all of it at once."""
    tell = _telling(row, progress)
    source = Source(row, row.study, row.name, path, _digest(path), row.options, _opened(row.study_id))
    Import.objects.filter(pk=row.pk).update(digest=source.digest)
    row.digest = source.digest
    kind = kind_of(row.kind)
    try:
        with _files_undone(source.stored):
            staging.remove_replaced(row.study_id)
            _refuse_if_late(source, kind)
            finish = kind.load(source, tell)
            _count_rows()
            with kept_back() as changes, transaction.atomic():
                if not staging.still_running(row):
                    raise staging.GivenUp
                _refuse_if_late(source, kind)
                row.summary = finish()
                row.state, row.finished_at = Import.State.DONE, timezone.now()
                row.problems = []
                row.options = row.options | {"doubts": source.doubts, "notes": source.notes}
                row.save(update_fields=["state", "summary", "problems", "options", "finished_at"])
                audit_log.note(row.study_id, audit_log.What.LOADED, about=row.name, after=_told(row))
    except BadFile as error:
        _refuse(row, [str(problem) for problem in error.problems], error.count)
        raise
    except CannotLoad as error:
        _refuse(row, [str(error)])
        raise
    except staging.GivenUp as error:
        raise CannotLoad("Loading gave no sign of life for long, and was given up. Load it again.") from error
    except IntegrityError as error:
        _refuse(row, ["The study changed while the file was loaded. Load it again."])
        raise CannotLoad(row.problems[0]) from error
    except (KeyboardInterrupt, SystemExit):
        _refuse(row, ["Loading was stopped before its end. Nothing was loaded."])
        raise
    except Exception:
        _refuse(row, ["Loading failed for a reason that is not the file's; the server's log has it."])
        raise
    waiting = _changes.setdefault(row.study_id, {})
    for topic_id, settled in changes.items():
        waiting[topic_id] = settled or waiting.get(topic_id, False)
    if not more:
        announce_all(row.study_id)
    staging.remove_replaced(row.study_id)


def _told(row: Import) -> dict[str, str]:
    """What the trail tells of a loaded file."""
    return {"kind": row.kind, "what": row.summary, "sha256": row.digest}


def _refuse_if_late(source: Source, kind: Kind) -> None:
    """Refuse a file that may not be loaded now. Called before reading and again with the study locked."""
    if kind.once:
        _refuse_second_time(source, kind)
    if kind.locked_by_opening or kind.of_new_topics:
        study = Study.objects.all()
        if connection.in_atomic_block:
            # Locked until the commit: opening the study waits, so its pools are made from the whole file.
            study = study.select_for_update(no_key=True)
        own = study.get(pk=source.study.pk)
        if _opened(own.pk) != source.opened:
            raise CannotLoad("Topics were opened for judging while the file was read. Load it again.")
        if own.opened_at and kind.locked_by_opening:
            raise CannotLoad(
                f"{kind.title} cannot be loaded any more: judging is open, and its pools were made from them."
            )


def _opened(study_id: int) -> int:
    """How many topics of a study are open for judging."""
    return Topic.objects.filter(study=study_id, opened_at__isnull=False).count()


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


def _refuse(row: Import, problems: Sequence[str], count: int = 0) -> None:
    """Close an import that did not come to its end, after removing what it wrote."""
    if row.state == Import.State.RUNNING:
        kind_of(row.kind).undo(row)
    row.state, row.problems, row.finished_at = Import.State.REFUSED, list(problems), timezone.now()
    row.problem_count = max(count, len(problems))
    row.save(update_fields=["state", "problems", "problem_count", "finished_at"])


def _digest(path: Path) -> str:
    """SHA-256 of a file, or of a folder's file names and sizes."""
    if path.is_dir():
        listing = sorted(f"{p.relative_to(path)} {p.stat().st_size}" for p in path.rglob("*") if p.is_file())
        return hashlib.sha256("\n".join(listing).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _telling(row: Import, progress: Progress) -> Progress:
    """Wrap `progress` so that it also tells pages how far the import is, and sweeps that it is alive."""
    told = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal told
        try:
            cache.set(_progress_key(row.pk), (done, total), timeout=600)
        except Exception as error:
            # Without the cache nobody sees the progress, but the import goes on.
            logger.warning("The progress of import %s cannot be told: %s", row.pk, error)
        if time.monotonic() - told > SIGN_OF_LIFE:
            staging.still_running(row)
            told = time.monotonic()
        progress(done, total)

    report(0, 1)
    return report


def _progress_key(import_id: int) -> str:
    return f"import:{import_id}:progress"
