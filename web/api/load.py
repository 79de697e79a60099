"""Routes that load files: the body of a request is stored and read like an upload of the page."""

import shutil
import tempfile
from collections.abc import Callable
from typing import Annotated, Any, Literal

from django.core.files.base import File
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Status

from collection import jobs
from collection.models import Import
from collection.upload import loading, unknown_topics
from config.task_queue import run_in_background
from web.api import read
from web.api.authorization import Id, Scope, Slug, Token, acting, study_of
from web.api.problems import ApiRefusal, answers
from web.api.shapes import ImportShape
from web.organizer.files.uploads import closed_because

LOAD = Token(Scope.LOAD)
router = Router(auth=LOAD, tags=["load"])
router.add_decorator(acting, mode="operation")
PIECE_BYTES = 2**18
ANY_BYTES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
FileName = Annotated[
    str, Query(pattern=r"^[^\x00-\x1f/]*$", max_length=200, description="what people call the file")
]
Ties = Annotated[
    Literal["descending", "ascending", "rank"],
    Query(description="order of equal scores: by docno, or by the rank column"),
]

LeaveOut = Annotated[bool, Query(description="leave out what is said of topics that are not loaded")]


def _route(path: str, kind: str, at: Router = router) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the route that takes files of a kind."""
    told = f"{loading.KINDS[kind].format} The import that is answered holds the outcome."
    return at.post(
        f"/studies/{{study}}/{path}",
        response=answers(ImportShape, 409, 413, status=202),
        openapi_extra=ANY_BYTES,
        auth=LOAD,
        tags=["load"],
        description=told,
    )


# Beside the route that lists them, at the same address: Ninja asks the first router that has it.
@_route("topics", "topics", at=read.router)
def load_topics(request: HttpRequest, study: Slug, name: FileName = "topics") -> Any:
    return _begin(request, study, "topics", name)


@_route("items", "items")
def load_items(
    request: HttpRequest, study: Slug, name: FileName = "items", leave_out: LeaveOut = False
) -> Any:
    return _begin(request, study, "items", name, **_choice(leave_out))


@_route("answers", "answers")
def load_answers(request: HttpRequest, study: Slug, name: FileName = "answers") -> Any:
    return _begin(request, study, "answers", name)


@_route("qrels", "qrels")
def load_qrels(
    request: HttpRequest, study: Slug, name: FileName = "qrels", leave_out: LeaveOut = False
) -> Any:
    return _begin(request, study, "qrels", name, **_choice(leave_out))


@_route("runs", "run")
def load_run(
    request: HttpRequest,
    study: Slug,
    name: FileName = "run",
    ties: Ties = "descending",
    leave_out: LeaveOut = False,
) -> Any:
    return _begin(request, study, "run", name, ties=ties, **_choice(leave_out))


@_route("pictures", "images")
def load_pictures(request: HttpRequest, study: Slug, name: FileName = "pictures.zip") -> Any:
    return _begin(request, study, "images", name)


@_route("descriptions", "descriptions")
def load_descriptions(
    request: HttpRequest, study: Slug, name: FileName = "descriptions", leave_out: LeaveOut = False
) -> Any:
    return _begin(request, study, "descriptions", name, **_choice(leave_out))


@_route("sources", "sources")
def load_sources(
    request: HttpRequest, study: Slug, name: FileName = "sources", leave_out: LeaveOut = False
) -> Any:
    return _begin(request, study, "sources", name, **_choice(leave_out))


@_route("groups", "groups")
def load_groups(
    request: HttpRequest, study: Slug, name: FileName = "groups", leave_out: LeaveOut = False
) -> Any:
    return _begin(request, study, "groups", name, **_choice(leave_out))


@_route("grids", "grid")
def load_grid(
    request: HttpRequest,
    study: Slug,
    run: Annotated[str, Query(pattern=r"^[^\x00-\x1f]*$", max_length=100, description="the run's name")],
    name: FileName = "grid",
    leave_out: LeaveOut = False,
) -> Any:
    return _begin(request, study, "grid", name, name=run, **_choice(leave_out))


def _choice(leave_out: bool) -> dict[str, str]:
    return {unknown_topics.OPTION: "yes"} if leave_out else {}


def _begin(request: HttpRequest, slug: str, kind: str, called: str, **options: str) -> Any:
    """Store the body of a request in pieces, for the job that loads it."""
    study = study_of(request, slug, organizer=True)
    if why := closed_because(study, kind):
        raise ApiRefusal(409, "locked", why)
    # First into a file of its own: of a request that breaks off nothing is kept.
    with tempfile.TemporaryFile() as body:
        shutil.copyfileobj(request, body, PIECE_BYTES)
        if not body.tell():
            raise ApiRefusal(422, "empty", "The request has no body. Send the file as its body.")
        if body.tell() < int(request.headers.get("Content-Length") or 0):
            raise ApiRefusal(422, "incomplete", "The body is shorter than its Content-Length. Send it again.")
        body.seek(0)
        row = loading.begin(study, kind, called or kind, File(body), options)
    run_in_background(jobs.load_next)
    return Status(202, _told(row))


@router.get("/studies/{study}/imports/{number}", response=answers(ImportShape))
def one_import(request: HttpRequest, study: Slug, number: Id) -> Any:
    """Show the state of an uploaded file; poll while it is queued or being read."""
    return _told(get_object_or_404(Import, study=study_of(request, study, organizer=True), pk=number))


def _told(row: Import) -> dict[str, Any]:
    fields = ("kind", "name", "state", "summary", "doubts", "problems", "problem_count")
    return {"id": row.pk} | {name: getattr(row, name) for name in fields}
