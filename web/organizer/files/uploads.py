"""What is loaded: a form for each kind of file, the progress of what was sent, and errors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from itertools import product
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_safe

from collection import jobs
from collection.models import Import, Study
from collection.upload import loading
from collection.upload.kinds import GROUPS, Kind
from config.task_queue import run_in_background
from judging.questions import grading
from prefir.formats import ImageLimits
from prefir.formats.lines import megabytes
from web.organizer.forms import OPTIONS, LoadForm
from web.shared.access import for_organizers
from web.shared.phrases import listed
from web.shared.view_choices import choice_of

# Limit of one request's files. Zipping hardly shrinks pictures, so a zip may be as large as its contents.
MOST_BYTES = ImageLimits().total_bytes
SHOWN_PROBLEMS = 200
SHOWN_IMPORTS = 50
# Groups of kinds as a study of answers calls them.
OF_ANSWERS = {"Systems": "Models", "Collection": "Prompts"}


@dataclass(frozen=True)
class UploadOffer:
    """One kind of file on the page, with its form. title: in the study's words."""

    key: str
    title: str
    kind: Kind
    form: LoadForm
    unfolded: bool


@dataclass(frozen=True)
class File:
    """One uploaded file in the list. percent: its progress, None if unknown. said: what was found in it."""

    row: Import
    percent: int | None
    said: str

    @property
    def running(self) -> bool:
        """Whether the file is waiting or being read."""
        return self.row.state in (Import.State.WAITING, Import.State.RUNNING)


@dataclass(frozen=True)
class UploadGroup:
    """A group of kinds of files. closed: the titles of those that are locked, in words. rest: whether they
    are seldom what the study needs.
    """

    title: str
    offers: list[UploadOffer]
    closed: str
    rest: bool

    @property
    def unfolded(self) -> bool:
        """Whether one of them is shown with its form."""
        return any(offer.unfolded for offer in self.offers)


def for_uploads(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Make `view(request, study)` an organizers' page that takes uploads.

    The size (413 if too large) and the user's rights are checked before the body is read. The CSRF token is
    checked after that, since it is part of the same body as the files.
    """
    protected = for_organizers(csrf_protect(view))

    @csrf_exempt
    @wraps(view)
    def door(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        size = request.headers.get("Content-Length") or "0"
        if size.isdigit() and int(size) > MOST_BYTES:
            return HttpResponse(
                f"These files are larger than {megabytes(MOST_BYTES)} together. "
                "Load them one by one, or with manage.py load.",
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                content_type="text/plain; charset=utf-8",
            )
        try:
            return protected(request, **parts)
        except TooManyFilesSent:
            return HttpResponse(
                f"These are more than {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files. "
                "Send fewer at a time; nothing was kept of these.",
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                content_type="text/plain; charset=utf-8",
            )

    return door


@for_organizers
@require_safe
def moved(request: HttpRequest, study: Study) -> HttpResponse:
    """Lead on from the addresses of pages that are parts of *Files* now."""
    chosen = request.GET.get("kind", "")
    if chosen in loading.KINDS:
        return redirect(f"{reverse('files', args=[study.slug])}?kind={chosen}#{chosen}")
    return redirect(f"{reverse('files', args=[study.slug])}#loaded")


def load_one_kind(request: HttpRequest, study: Study, chosen: str) -> HttpResponse | dict[str, Any]:
    """Store and queue files that the form of one kind has sent, and redirect to their progress.

    Returns the context of the page that shows the form again if it is refused.
    """
    if chosen not in loading.KINDS:
        raise Http404("There is no such kind of file.")
    if refused := closed_because(study, chosen):
        return {"refused": refused, "groups": upload_groups(study, chosen)}
    form = LoadForm(request.POST, request.FILES, key=chosen, kind=loading.KINDS[chosen])
    if form.is_valid():
        return _begin(request, study, chosen, form)
    return {"form": form, "groups": upload_groups(study, chosen, form)}


def loaded_files(study: Study) -> dict[str, Any]:
    """Return the latest files of a study, newest first, and how many are still waiting or being read.

    mended: refused files whose name was loaded later. before: how many files came before those.
    """
    loaded = study.imports.exclude(state=Import.State.DRAFT).defer("problems")
    files: list[File] = []
    mended: list[File] = []
    done: set[str] = set()
    for row in loaded.order_by("-pk")[:SHOWN_IMPORTS]:
        if row.state == Import.State.DONE:
            done.add(row.name)
        file = _file(study, row)
        (mended if row.state == Import.State.REFUSED and row.name in done else files).append(file)
    listed = len(files) + len(mended)
    before = loaded.count() - listed if listed == SHOWN_IMPORTS else 0
    running = sum(file.running for file in files)
    return {"files": files, "mended": mended, "before": before, "running": running}


def _file(study: Study, row: Import) -> File:
    return File(row, _percent(row), study.words.counted_in(row.summary))


@for_organizers
@require_safe
def imports(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the list of files, which changes while they load."""
    return render(request, "organizer/_imports.html", {"study": study, **loaded_files(study)})


def _begin(request: HttpRequest, study: Study, kind: str, form: LoadForm) -> HttpResponse:
    options = {name: str(form.cleaned_data[name]) for name in OPTIONS if form.cleaned_data.get(name)}
    rows = [loading.begin(study, kind, file.name, file, options) for file in form.cleaned_data["files"]]
    run_in_background(jobs.load_next)
    if len(rows) == 1:
        return redirect("import", study.slug, rows[0].pk)
    messages.success(
        request,
        f"{len(rows)} files were sent. They are loaded one after another; what comes of each is said below.",
    )
    return redirect(f"{reverse('files', args=[study.slug])}#loaded")


def upload_groups(study: Study, chosen: str, form: LoadForm | None = None) -> list[UploadGroup]:
    """Return the kinds of files that fit the study, grouped, in the order in which it needs them."""
    groups = []
    # Answers bring their prompts and models with them.
    of_answers = study.case == Study.Case.ANSWERS
    titles = sorted(GROUPS, key=lambda title: of_answers and title != "Systems")
    for rest, title in product((False, True) if of_answers else (False,), titles):
        offers, closed = [], []
        for key, kind in loading.KINDS.items():
            if kind.group != title or _wrong_kind(study, key) or (of_answers and kind.of_answers == rest):
                continue
            if closed_because(study, key):
                closed.append(kind.title)
                continue
            own = form if form is not None and key == chosen else LoadForm(key=key, kind=kind)
            called = study.words.put_in(kind.title) if kind.of_answers else kind.title
            offers.append(UploadOffer(key, called, kind, own, unfolded=key == chosen))
        if offers or closed:
            called = OF_ANSWERS.get(title, title) if of_answers and not rest else title
            groups.append(UploadGroup(called, offers, listed(closed), rest))
    return groups


def closed_because(study: Study, kind: str) -> str:
    """Return why files of this kind cannot be loaded into this study now; "" if they can."""
    if _wrong_kind(study, kind):
        return f"This study compares {study.get_kind_display().lower()}: such a file does not belong to it."
    if loading.KINDS[kind].locked_by_opening and study.opened_at:
        return "Locked: judging is open and its candidates were chosen from these files."
    if loading.KINDS[kind].of_new_topics and study.opened_at and _grades_came_first(study):
        return "Locked: judging is open, and the grades that came first chose the candidates of all topics."
    return ""


def _grades_came_first(study: Study) -> bool:
    """Return `grading.came_first`, cached on the study, since it is asked for each kind of file."""
    if not hasattr(study, "grades_came_first"):
        study.grades_came_first = grading.came_first(study)  # type: ignore[attr-defined]
    return bool(study.grades_came_first)  # type: ignore[attr-defined]


def _wrong_kind(study: Study, kind: str) -> bool:
    return study.kind not in loading.KINDS[kind].fits


@login_required
@require_safe
def example(request: HttpRequest, kind: str) -> HttpResponse:
    """Download a small example file of a kind; `of`: for which kind of study."""
    if kind not in loading.KINDS:
        raise Http404("There is no such kind of file.")
    of = choice_of(request.GET, "of", Study.Kind.values, Study.Kind.TEXT)
    response = HttpResponse(loading.KINDS[kind].example_of(of), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{loading.KINDS[kind].example_name}"'
    return response


@for_organizers
@require_safe
def import_page(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show one uploaded file: its progress, what was loaded, or the lines that were wrong."""
    return render(request, "organizer/import.html", {"study": study, **_progress_of(study, pk)})


@for_organizers
@require_safe
def progress(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Render the part of an import's page that changes while it loads."""
    return render(request, "organizer/_import.html", {"study": study, **_progress_of(study, pk)})


def _progress_of(study: Study, pk: int) -> dict[str, Any]:
    row = get_object_or_404(Import, study=study, pk=pk)
    file = _file(study, row)
    return {
        "import": row,
        "said": file.said,
        "kind": loading.KINDS.get(row.kind),
        "running": file.running,
        "percent": file.percent,
        "problems": row.problems[:SHOWN_PROBLEMS],
        "problems_all": row.problem_count,
        "problems_told": len(row.problems),
        "problems_more": len(row.problems) - SHOWN_PROBLEMS,
    }


def _percent(row: Import) -> int | None:
    """Return the progress of a file in percent, at most 99; None if it is not known."""
    being_read = row.state == Import.State.RUNNING
    done, total = (loading.progress(row.pk) if being_read else None) or (0, 0)
    return min(99, 100 * done // total) if total else None


@for_organizers
@require_safe
def problems(request: HttpRequest, study: Study, pk: int) -> StreamingHttpResponse:
    """Download the stored problems of a refused file, one per line."""
    row = get_object_or_404(Import, study=study, pk=pk)
    lines = (f"{problem}\n" for problem in row.problems)
    response = StreamingHttpResponse(lines, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="problems-{row.pk}.txt"'
    return response
