"""Drafts: files that are looked over together before anything is loaded, and then loaded together.

Each is recognized by its content, read to its end as loading would read it, and held against the others:
topics that the file of topics has count as known. What was found stays in the row of the draft.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from collection import audit_log
from collection.models import Import, Study
from collection.upload import dry_run, unknown_topics
from collection.upload.kinds import KINDS
from config.task_queue import sweep_each
from prefir.formats import (
    HEAD,
    BadFile,
    Guess,
    check_rows,
    first_rows,
    first_text,
    is_text,
    parts_of,
    recognize,
    recognize_columns,
    suggest_roles,
    table_names,
)
from prefir.formats.answer_columns import MESSAGES, MODEL, MODEL_A, MODEL_B, NAMED, PROMPT, TOPIC

# Kinds in the order in which they are loaded, each after those that it names.
ORDER = (
    *("topics", "items", "answers", "images", "descriptions", "sources", "groups", "qrels"),
    *("run", "grid", "challenges"),
    "judgments",
)
# What the votes of a file of answers are called, which are a draft of their own.
VOTES, WHY_VOTES = " (votes)", "who won of the two answers in each row"
# Bytes of all files up to which they are looked over while a page waits.
AT_ONCE = 2_000_000
# Drafts that nobody has touched for so long are dropped, but for those that are kept for later.
KEPT = timedelta(days=7)
# Columns of a table that a page asks about; more are no table of answers.
MOST_COLUMNS = 60
# Rows by which their roles are guessed: some prompts, each with the answers of all models.
GUESSED = 400
# Options of a draft that loading needs.
TAKEN = ("columns", unknown_topics.OPTION)
# What is known of a draft before it is looked over.
SAID = (
    *("why", "headed", "others", "size", "part", "again", "columns", "first", "later"),
    unknown_topics.OPTION,
)


def of(study: Study) -> list[Import]:
    """A study's drafts in the order in which they would be loaded."""
    rows = list(Import.objects.filter(study=study, state=Import.State.DRAFT).order_by("pk"))
    return sorted(rows, key=_place)


def _place(row: Import) -> tuple[int, bool, int]:
    """Place of a draft in the loading order; prompts come before answers to them."""
    kind = ORDER.index(row.kind) if row.kind in ORDER else len(ORDER)
    return kind, not row.options.get("first"), row.pk


def add(study: Study, uploads: Iterable[File]) -> int:
    """Keep files as drafts, each taken for what its content says; return how many. `look_over` reads them.

    What a zip or a workbook holds is kept as if it had come alone. A file takes the place of one of its name
    that was not recognized, or had something to mend; a part of another file that of the same part before.
    """
    number = 0
    before_now = {row.name: row for row in of(study)}
    for upload, broken, whole in _unpacked(uploads):
        head = upload.read(HEAD)
        upload.seek(0)
        guess = Guess("", broken) if broken else recognize(head)
        kind, why, others = guess.kind, guess.why, guess.others
        name = (upload.name or "file")[:200]
        before = before_now.get(name)
        if before is not None and not (whole or not before.kind or before.problem_count):
            before = None
        if before is not None:
            del before_now[name]
            _drop(before)
        fits = [key for key in (kind, *others) if key in KINDS and study.kind in KINDS[key].fits]
        if kind and not fits:
            said = f"{KINDS[kind].title} do not fit a study of {study.get_kind_display().lower()}"
            kind, why = "", f"{why}. {said}"
        told = {"why": why, "others": list(others), "size": upload.size, "part": whole}
        told["headed"] = guess.headed
        told |= {"again": before is not None, "later": before is not None and is_kept(before)}
        _keep(study, upload, name, kind, told | {"first": not guess.answered})
        if kind and guess.votes:
            old = before_now.pop(_votes_of(name), None)
            if old is not None:
                _drop(old)
            later = old is not None and is_kept(old)
            _keep(study, upload, _votes_of(name), "judgments", told | {"why": WHY_VOTES, "later": later})
        number += 1
    _unlook(study)
    return number


def _keep(study: Study, upload: File, name: str, kind: str, told: dict[str, Any]) -> None:
    upload.seek(0)
    Import.objects.create(
        study=study,
        kind=kind,
        name=name,
        by_id=audit_log.account_id(),
        file=default_storage.save("uploads/draft", upload),
        state=Import.State.DRAFT,
        options=told,
    )


def _votes_of(name: str) -> str:
    """What the draft of a file's votes is called."""
    return f"{name[: 200 - len(VOTES)]}{VOTES}"


def _unpacked(uploads: Iterable[File]) -> Iterator[tuple[File, str, str]]:
    """Each file, or those that it holds: with why it cannot be unpacked, if so, and the file of which it is a
    part, if of any.
    """
    for upload in uploads:
        name = upload.name or "file"
        try:
            parts = parts_of(name, upload)  # type: ignore[arg-type]
            for part in parts:
                with part.open() as content:
                    yield File(content, part.name), "", name if part.name != name else ""
        except BadFile as error:
            upload.seek(0)
            yield upload, str(error.problems[0]), ""
            continue
        if not parts:
            yield upload, "", ""


def set_kind(study: Study, pk: int, kind: str) -> bool:
    """Say what a draft is. False if there is no such draft, or no such kind for the study."""
    if kind not in ORDER or study.kind not in KINDS[kind].fits:
        return False
    row = Import.objects.filter(study=study, pk=pk, state=Import.State.DRAFT).first()
    if row is None:
        return False
    # What was said of its columns holds for the kind that they made.
    columns = row.options.get("columns") if kind == row.kind else {}
    row.kind, row.options = kind, row.options | {"why": "as you said", "columns": columns or {}}
    row.save(update_fields=["kind", "options"])
    _unlook(study)
    return True


class Columns(NamedTuple):
    """The columns of a draft: names, first rows, and the role of each that has one."""

    names: list[str]
    rows: list[dict[str, Any]]
    roles: dict[str, str]

    @property
    def are_answers(self) -> bool:
        """Whether these roles are all that a table of answers needs."""
        asked = {TOPIC, PROMPT, MESSAGES} & {*self.roles.values()}
        return bool(asked) and recognize_columns(self.roles).kind == "answers"

    @property
    def models(self) -> int:
        """How many models the first rows name; 0 if they name none."""
        named = sum(role == NAMED for role in self.roles.values())
        names = [name for name, role in self.roles.items() if role in (MODEL, MODEL_A, MODEL_B)]
        return named or len({str(row[name]) for row in self.rows for name in names if row.get(name)})


def columns_of(row: Import) -> Columns | None:
    """Read the columns of a draft by the start of its file; None if it is no table."""
    with default_storage.open(row.file) as file:
        start = file.read(HEAD)
    head = first_text(start)
    names = table_names(head.lstrip()) if is_text(start) else []
    if not names or len(names) > MOST_COLUMNS:
        return None
    rows = first_rows(head, GUESSED)
    return Columns(names, rows, row.options.get("columns") or suggest_roles(names, rows))


def set_columns(study: Study, pk: int, columns: Mapping[str, str]) -> bool:
    """Say what the columns of a draft are; its kind follows. False if there is no such draft, or no kind."""
    row = Import.objects.filter(study=study, pk=pk, state=Import.State.DRAFT).first()
    if row is None:
        return False
    guess = recognize_columns(columns)
    if guess.kind not in KINDS or study.kind not in KINDS[guess.kind].fits:
        return False
    row.kind, row.options = guess.kind, row.options | {"why": guess.why, "columns": dict(columns)}
    row.save(update_fields=["kind", "options"])
    if guess.votes and not any(one.name == _votes_of(row.name) for one in of(study)):
        with default_storage.open(row.file) as file:
            told = row.options | {"why": WHY_VOTES}
            _keep(study, File(file, row.name), _votes_of(row.name), "judgments", told)
    _unlook(study)
    return True


def can_leave_out(row: Import) -> bool:
    """Whether a draft would have less to mend if what it says of topics that are not loaded were left out."""
    takes = row.kind in KINDS and unknown_topics.OPTION in KINDS[row.kind].options
    return takes and bool(row.options.get("unknown"))


def leave_out(study: Study, pk: int, *, wanted: bool) -> bool:
    """Leave out of a draft, or not, lines on topics that are not loaded. Returns whether there is one."""
    row = Import.objects.filter(study=study, pk=pk, state=Import.State.DRAFT).first()
    if row is None:
        return False
    row.options = row.options | {unknown_topics.OPTION: "yes" if wanted else ""}
    row.save(update_fields=["options"])
    _unlook(study)
    return True


def keep_for_later(study: Study, pk: int, *, wanted: bool) -> bool:
    """Keep a draft of judgments while the others are loaded, or not, so that people are asked about its pairs
    first. Returns whether there is such a draft.
    """
    row = Import.objects.filter(study=study, pk=pk, state=Import.State.DRAFT, kind="judgments").first()
    if row is None:
        return False
    row.options = row.options | {"later": wanted}
    row.save(update_fields=["options"])
    return True


def is_kept(row: Import) -> bool:
    """Whether a draft is kept for later."""
    return bool(row.options.get("later")) and row.kind == "judgments"


def set_aside(drafts: Iterable[Import]) -> list[Import]:
    """Return the parts of files that were not recognized while others of the same file were, such as a sheet
    of notes: they are not loaded, and hold nothing up.
    """
    rows = list(drafts)
    known = {row.options.get("part") for row in rows if row.kind}
    return [row for row in rows if not row.kind and row.options.get("part") and row.options["part"] in known]


def remove(study: Study, pk: int) -> bool:
    """Drop a draft with its file."""
    row = Import.objects.filter(study=study, pk=pk, state=Import.State.DRAFT).first()
    if row is None:
        return False
    _drop(row)
    _unlook(study)
    return True


def drop_old() -> int:
    """Drop drafts that nobody has touched for a week; return how many."""
    old = Import.objects.filter(state=Import.State.DRAFT, created_at__lt=timezone.now() - KEPT)
    rows = [row for row in old if not is_kept(row)]
    for row in rows:
        _drop(row)
    return len(rows)


def _drop(row: Import) -> None:
    row.delete()
    default_storage.delete(row.file)


def _unlook(study: Study) -> None:
    """Every draft is looked over anew: what fits depends on the others."""
    for row in of(study):
        row.options = {name: row.options[name] for name in SAID if name in row.options}
        row.problems, row.problem_count, row.summary, row.alive_at = [], 0, "", None
        row.save(update_fields=["options", "problems", "problem_count", "summary", "alive_at"])


def is_small(drafts: Iterable[Import]) -> bool:
    """Whether they are looked over while a page waits."""
    return sum(row.options.get("size", 0) for row in drafts) <= AT_ONCE


def is_looked_over(row: Import) -> bool:
    """Whether what was found in a draft is there."""
    return "rows" in row.options


def look_over(study_id: int) -> int:
    """Look over every draft of a study that was not; return how many. Nothing is loaded.

    Time and memory as of reading the files. May be repeated.
    """
    study = Study.objects.get(pk=study_id)
    rows = of(study)
    if all(map(is_looked_over, rows)):
        return 0
    aside = set_aside(rows)
    nothing = ((row, dry_run.FileFinding()) for row in aside)
    for row, found in chain(dry_run.look_over(study, [row for row in rows if row not in aside]), nothing):
        if not row.kind and row not in aside and study.case == Study.Case.ANSWERS:
            found = _look_at_rows(row)
        options = row.options | {"rows": found.rows, "doubts": found.doubts, "notes": found.notes}
        options["unknown"] = found.unknown
        # Not if it was changed or dropped meanwhile.
        drafts = Import.objects.filter(pk=row.pk, state=Import.State.DRAFT)
        same = drafts.filter(kind=row.kind, options=row.options)
        same.update(
            options=options,
            summary=found.counts[:300],
            problems=found.problems,
            problem_count=found.lines,
            alive_at=timezone.now(),
        )
    return len(rows)


def _look_at_rows(row: Import) -> dry_run.FileFinding:
    """Say what keeps a table whose columns are guessed from being read, before the page asks about them."""
    columns = columns_of(row)
    if columns is None or not columns.are_answers:
        return dry_run.FileFinding()
    try:
        with default_storage.open(row.file) as file:
            check_rows(row.name, cast(BinaryIO, file), columns.roles)
    except BadFile as error:
        return dry_run.FileFinding(problems=dry_run.gathered(error), lines=error.count)
    return dry_run.FileFinding()


def look_over_all() -> None:
    """Look over the drafts of every study that were not: what a job that died has left."""
    waiting = Import.objects.filter(state=Import.State.DRAFT, alive_at=None)
    sweep_each("drafts", sorted(set(waiting.values_list("study_id", flat=True))), look_over)


def ready(drafts: Sequence[Import]) -> bool:
    """Whether all drafts that are neither kept for later nor set aside can be loaded: each is of a kind,
    looked over, and without a problem.
    """
    aside = set_aside(drafts)
    rows = [row for row in drafts if not is_kept(row) and row not in aside]
    return bool(rows) and all(row.kind and is_looked_over(row) and not row.problem_count for row in rows)


@transaction.atomic
def load_all(study: Study) -> int:
    """Queue every draft that is not kept for later, in the order in which they name each other; return how
    many, 0 if some are not ready. The caller starts the job.
    """
    list(Study.objects.select_for_update(no_key=True).filter(pk=study.pk))
    aside = set_aside(of(study))
    rows = [row for row in of(study) if not is_kept(row) and row not in aside]
    if not ready(rows):
        return 0
    for row in aside:
        _drop(row)
    # Loaded by rising number: so they get new ones.
    for made in _queued(rows):
        made.save(force_insert=True)
    Import.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _queued(rows: Sequence[Import]) -> Iterator[Import]:
    for row in rows:
        yield Import(
            study_id=row.study_id,
            kind=row.kind,
            name=row.name,
            by_id=row.by_id,
            file=row.file,
            once=KINDS[row.kind].once,
            options={name: row.options[name] for name in TAKEN if row.options.get(name)},
        )
