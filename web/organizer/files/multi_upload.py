"""The page of files: drop, check and load them together, or load one by the form of its kind."""

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import Truncator

from collection import jobs
from collection.models import Import, Study
from collection.upload import pending_uploads, unknown_topics
from collection.upload.kinds import KINDS
from config.task_queue import run_in_background
from prefir.formats import HEAD, LABELS, usual_roles
from prefir.formats.answer_columns import (
    MESSAGES,
    MESSAGES_A,
    MESSAGES_B,
    MODEL_A,
    MODEL_B,
    NAMED,
    PROMPT,
    TEXT_A,
    TEXT_B,
    TOPIC,
    WINNER,
)
from web.organizer.files.uploads import (
    closed_because,
    for_uploads,
    load_one_kind,
    loaded_files,
    upload_groups,
)
from web.shared import waiting_pages
from web.shared.phrases import count, listed
from web.shared.view_choices import choice_of

MOST_FILES = 400
# Problems shown for each file; loading the file alone lists all of them.
SHOWN = 8
# Of more files, those without anything to decide are folded.
FEW_FILES = 8
# Kinds of which a table's columns can be named.
MAPPED = ("topics", "groups", "items", "answers", "qrels", "run", "judgments")
# Of a table whose columns are asked about.
SHOWN_ROWS, SHOWN_LETTERS = 3, 90


@dataclass(frozen=True)
class Column:
    """A column of a table: its name, its first values, and its role as it is known or guessed."""

    name: str
    values: list[str]
    role: str


@dataclass(frozen=True)
class Draft:
    """A file that waits to be loaded, as the page shows it.

    looked: whether it was checked. aside: whether it is set aside, as a part that was not recognized.
    kinds: the kinds it may be loaded as (key, title). closed: why it cannot be loaded now, "" if it can.
    columns: those of a table, if the page asks what they are. guessed: whether it is taken for answers by
    guesses that wait for the organizer. usual, others: the roles that they may have,
    those of the file's kind first, with what the page calls them. said: what was found in it. why: why it
    is taken for its kind.
    """

    row: Import
    title: str
    looked: bool
    aside: bool
    kinds: list[tuple[str, str]]
    closed: str
    columns: list["Column"]
    guessed: bool
    usual: dict[str, str]
    others: dict[str, str]
    said: str
    why: str

    @property
    def has_columns(self) -> bool:
        """Whether it may be a table whose columns can be named."""
        is_table = self.row.kind in MAPPED or (
            self.aside and pending_uploads.columns_of(self.row) is not None
        )
        return not self.columns and is_table

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to decide about it, and nothing to read before it is loaded."""
        row = self.row
        asks = self.aside or self.closed or self.columns or self.can_leave_out or self.leaves_out
        told = row.problem_count or row.doubts or row.notes
        return bool(row.kind) and row.kind != "judgments" and not asks and not told

    @property
    def loses_first(self) -> bool:
        """Whether naming its columns would take a record for their names."""
        return bool(self.columns) and not self.row.options.get("headed", True)

    @property
    def leaves_out(self) -> bool:
        """Whether its lines about topics that are not loaded will be left out."""
        return bool(self.row.options.get(unknown_topics.OPTION))

    @property
    def is_kept(self) -> bool:
        """Whether it is kept for later while the others are loaded."""
        return pending_uploads.is_kept(self.row)

    @property
    def can_leave_out(self) -> bool:
        """Whether leaving out such lines would help."""
        return pending_uploads.can_leave_out(self.row)

    @property
    def problems(self) -> list[str]:
        """The first problems, as many as the page shows."""
        return list(self.row.problems[:SHOWN])

    @property
    def more(self) -> int:
        """The number of problems that are not shown."""
        return max(0, len(self.row.problems) - SHOWN)


@for_uploads
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the waiting files and what was found in them, the forms of each kind, and what is loaded.

    POST adds files, sets the kind of one, removes one, leaves out unknown topics, or loads all; or loads
    files of the kind that it names at once. Few small files are checked at once; others by a job, and the
    page refreshes until it is done.
    """
    chosen = choice_of(request.GET, "kind", KINDS)
    if request.method == "POST" and "what" not in request.POST and "kind" in request.POST:
        came = load_one_kind(request, study, request.POST["kind"])
        return came if isinstance(came, HttpResponse) else _show(request, study, came)
    if request.method == "POST":
        return _act(request, study)
    return _show(request, study, {"groups": upload_groups(study, chosen)})


def _show(
    request: HttpRequest, study: Study, told: dict[str, Any], said: tuple[int, Mapping[str, str]] = (0, {})
) -> HttpResponse:
    """Show the page. said: a draft's key and what its columns were said to be, where that was refused."""
    rows = pending_uploads.of(study)
    if rows and not all(map(pending_uploads.is_looked_over, rows)) and pending_uploads.is_small(rows):
        pending_uploads.look_over(study.pk)
        rows = pending_uploads.of(study)
    asked = said[0] or _number(request.GET.get("columns", ""))
    aside = pending_uploads.set_aside(rows)
    shown = [
        _draft(study, row, asked, said[1] if row.pk == said[0] else {}, aside=row in aside) for row in rows
    ]
    waits = not all(one.looked for one in shown)
    context = {
        "study": study,
        "drafts": shown,
        "few": FEW_FILES,
        "doubtful": any(one.row.options.get("doubts") and not one.is_kept for one in shown),
        "waits": waits,
        "can_leave_out": sum(1 for one in shown if one.can_leave_out),
        "wrong": sum(1 for one in shown if one.row.problem_count or one.closed),
        "guessed": sum(1 for one in shown if one.guessed),
        "unknown": sum(
            1
            for one in shown
            if one.looked and not (one.row.kind or one.aside or one.guessed or one.row.problem_count)
        ),
        "loadable": sum(1 for one in shown if not one.is_kept and not one.aside),
        # Votes that may answer all that people could be asked.
        "votes": sum(1 for one in shown if one.row.kind == "judgments" and not one.is_kept),
        # A file is loaded by the columns that were said, not by those that are being chosen.
        "choosing": any(one.columns and one.row.kind and not one.aside for one in shown),
        "ready": pending_uploads.ready(rows) and not any(one.closed for one in shown),
        **loaded_files(study),
        **told,
    }
    if waits:
        run_in_background(jobs.look_over)
        return waiting_pages.looks_again(request, "organizer/files.html", context)
    status = HTTPStatus.CONFLICT if told.get("refused") or said[0] else HTTPStatus.OK
    return render(request, "organizer/files.html", context, status=status)


def _draft(study: Study, row: Import, asked: int, said_to_be: Mapping[str, str], *, aside: bool) -> Draft:
    answers = study.case == Study.Case.ANSWERS
    own = {"answers": KINDS["answers"].title, "topics": "Prompts"} if answers else {}
    order = dict.fromkeys((*own, *pending_uploads.ORDER))
    kinds = [(key, own.get(key, KINDS[key].title)) for key in order if study.kind in KINDS[key].fits]
    closed = closed_because(study, row.kind) if row.kind else ""
    title = KINDS[row.kind].title if row.kind else "Not recognized"
    if row.kind == "answers" and row.options.get("first"):
        title = "Prompts"
    found = pending_uploads.columns_of(row) if not (row.kind or aside) or row.pk == asked else None
    columns = _columns(found, said_to_be) if found else []
    why = row.options.get("why", "")
    guessed = answers and not row.kind and found is not None and found.are_answers
    if found and guessed:
        title, why = f"These look like answers of {_models(row, found)}", ""
        if row.problem_count:
            columns, guessed = [], False  # its lines are mended first
        else:
            title += ". Check the columns"
    elif columns and not row.kind:
        seen = why.partition(": rename them")[0]
        why = f"{seen}. Say below what each column is, and press “Use these columns”."
    usual = usual_roles(row.kind or "answers" * answers, {one.role for one in columns})
    labels = _labels(study)
    return Draft(
        row,
        title,
        pending_uploads.is_looked_over(row),
        aside,
        kinds,
        closed,
        columns,
        guessed,
        {role: label for role, label in labels.items() if role in usual},
        {role: label for role, label in labels.items() if role not in usual},
        study.words.counted_in(row.summary),
        _of_prompts(why) if answers else why,
    )


def _labels(study: Study) -> dict[str, str]:
    """What the page calls the roles of columns: in a study of answers, without words of rankings."""
    if study.case != Study.Case.ANSWERS:
        return dict(LABELS)
    return {role: _of_prompts(label) for role, label in LABELS.items()}


def _of_prompts(words: str) -> str:
    return re.sub(" or (topic|query|passage)", "", words)


def _models(row: Import, found: pending_uploads.Columns) -> str:
    """How many models a table seems to have; without a number where only its first rows were read."""
    whole = len(found.rows) < pending_uploads.GUESSED and row.options.get("size", 0) < HEAD
    return count(found.models, "model") if whole and found.models else "models"


def _columns(found: pending_uploads.Columns, said: Mapping[str, str]) -> list[Column]:
    """The columns of a table, with their first values. said: what they were said to be, else guessed."""
    roles = said or found.roles
    return [
        Column(name, [_cell(one.get(name)) for one in found.rows[:SHOWN_ROWS]], roles.get(name, ""))
        for name in found.names
    ]


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return Truncator(" ".join(text.split())).chars(SHOWN_LETTERS)


def _number(text: str) -> int:
    """Return the number of a row in a form; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _act(request: HttpRequest, study: Study) -> HttpResponse:
    what, key = request.POST.get("what", "add"), _number(request.POST.get("file", ""))
    if what == "load-kept":
        pending_uploads.keep_for_later(study, key, wanted=False)
    if what == "load-others":
        for row in pending_uploads.of(study):
            pending_uploads.keep_for_later(study, row.pk, wanted=True)
    if what in ("load", "load-kept", "load-others"):
        return _load(request, study)
    if what == "leave-out-all":
        for row in filter(pending_uploads.can_leave_out, pending_uploads.of(study)):
            pending_uploads.leave_out(study, row.pk, wanted=True)
        return redirect(_at(study, "found"))
    if what == "drop":
        pending_uploads.remove(study, key)
    elif what in ("leave-out", "take-all"):
        pending_uploads.leave_out(study, key, wanted=what == "leave-out")
    elif what in ("later", "now"):
        pending_uploads.keep_for_later(study, key, wanted=what == "later")
    elif what == "columns":
        return _say_columns(request, study, key)
    elif what == "kind":
        pending_uploads.set_kind(study, key, request.POST.get("kind", ""))
        # What its columns are for this kind, where it is a table, is asked with it.
        return redirect(_at(study, f"file-{key}", f"?columns={key}"))
    else:
        return redirect(_at(study, _add(request, study)))
    left = [row.pk for row in pending_uploads.of(study)]
    return redirect(_at(study, f"file-{key}" if key in left else "found" if left else "files"))


def _add(request: HttpRequest, study: Study) -> str:
    """Add the files of a form, or say why not; return the place of the page that tells."""
    files = [file for file in request.FILES.getlist("files") if file.name]
    if not files:
        messages.error(request, "Choose at least one file first.")
    elif len(files) + len(pending_uploads.of(study)) > MOST_FILES:
        messages.error(request, f"At most {MOST_FILES} files at a time. Load these first.")
    else:
        pending_uploads.add(study, files)
        return "found"
    return "said"


def _say_columns(request: HttpRequest, study: Study, key: int) -> HttpResponse:
    """Store what the columns of a draft are; refuse a role that two columns have."""
    row = next((one for one in pending_uploads.of(study) if one.pk == key), None)
    found = pending_uploads.columns_of(row) if row else None
    if found is None:
        return redirect("files", study.slug)
    given = [request.POST.get(f"column-{n}", "") for n in range(len(found.names))]
    columns = {name: role for name, role in zip(found.names, given, strict=True) if role in LABELS}
    roles = [role for role in columns.values() if role != NAMED]
    if twice := next((role for role in roles if roles.count(role) > 1), ""):
        messages.error(request, f"Two columns are said to be: {_labels(study)[twice]}. Choose one of them.")
    elif not pending_uploads.set_columns(study, key, columns):
        messages.error(request, f"These columns make no file that is known. {_lacking({*roles})}.")
    else:
        return redirect(_at(study, f"file-{key}"))
    groups = {"groups": upload_groups(study, "")}
    return _show(request, study, groups, (key, columns))


def _lacking(roles: Set[str]) -> str:
    """What columns of these roles lack, to be votes if they name who won, else answers."""
    asked = [] if {TOPIC, PROMPT, MESSAGES} & roles else ["a prompt or its id"]
    if WINNER not in roles or {TEXT_A, TEXT_B, MESSAGES_A, MESSAGES_B} & roles:
        return f"Answers need {asked[0] if asked else 'a column of answers'}"
    asked += [f"a {LABELS[role]}" for role in (MODEL_A, MODEL_B) if role not in roles]
    return f"Votes need {listed(asked)}"


def _load(request: HttpRequest, study: Study) -> HttpResponse:
    if any(closed_because(study, row.kind) for row in pending_uploads.of(study) if row.kind):
        messages.error(request, "Nothing was loaded: remove what is locked.")
        return redirect(_at(study, "said"))
    number = pending_uploads.load_all(study)
    if not number and not pending_uploads.of(study):
        return redirect(_at(study, "loaded"))  # pressed twice
    if not number:
        messages.error(request, "Nothing was loaded: fix or remove what is marked.")
        return redirect(_at(study, "said"))
    run_in_background(jobs.load_next)
    return redirect(_at(study, "loaded"))


def _at(study: Study, place: str, query: str = "") -> str:
    """The address of a place of the page, which then has the focus: of what came, or of what is said."""
    return f"{reverse('files', args=[study.slug])}{query}#{place}"
