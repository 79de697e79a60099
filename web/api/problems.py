"""Errors of the API in the shape of RFC 9457 (problem+json), with a code for programs."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, RawPostDataException
from ninja import Field, NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from config.request_bodies import PROBLEM_TYPE
from judging.batches import answering
from judging.questions import texts
from panels.base import UnknownPerson
from web.assessor.view_decorators import REFUSALS

# What any request can meet, whichever it is.
ALWAYS = (401, 403, 404, 422, 429)
MOST_PROBLEMS = 20


class Problem(Schema):
    """Why a request failed."""

    type: str = Field("about:blank", description="always about:blank: `code` says more")
    title: str = Field(description="the status in words")
    status: int = Field(description="that of the answer")
    code: str = Field(description="a word for programs, which stays the same")
    detail: str = Field(description="a sentence for people")
    problems: list[str] = Field([], description="what is wrong with the request, a sentence each")


class ApiRefusal(Exception):
    """A refused request: its status, a code for programs, a sentence for people."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.headers = dict(headers or {})


def answers(shape: Any, *more: int, status: int = 200) -> dict[int, Any]:
    """Responses of a route for its description: a shape, the problems of ALWAYS, and those of `more`."""
    return {status: shape} | dict.fromkeys(sorted({*ALWAYS, *more}), Problem)


def problem(
    status: int, code: str, detail: str, *, problems: list[str] | None = None, **headers: str
) -> HttpResponse:
    """A problem response."""
    told = Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        problems=problems or [],
    )
    response = HttpResponse(json.dumps(told.dict()), status=status, content_type=PROBLEM_TYPE)
    for name, value in headers.items():
        response[name.replace("_", "-")] = value
    return response


def unauthenticated() -> HttpResponse:
    """The response to a request without a valid token; the same for every reason."""
    said = (
        "Send a token that works: Authorization: Bearer faceoff_... Tokens are made on the page Your account."
    )
    return problem(401, "unauthenticated", said, WWW_Authenticate='Bearer realm="faceoff"')


def no_such_route(request: HttpRequest) -> HttpResponse:
    """The response at an unknown address of the API."""
    return problem(404, "not-found", "There is nothing at this address. /api/v1/openapi.json lists what is.")


def not_allowed(response: HttpResponse) -> HttpResponse:
    """The response to an unsupported method, in the shape of the others."""
    allowed = response["Allow"]
    return problem(405, "method", f"This address knows {allowed} alone.", Allow=allowed)


def handle(api: NinjaAPI) -> None:
    """Make an API answer every expected error with a problem."""
    handlers = {
        ApiRefusal: lambda _, e: problem(e.status, e.code, e.detail, **e.headers),
        AuthenticationError: lambda *_: unauthenticated(),
        ValidationError: lambda _, e: _invalid([_sentence(one) for one in e.errors]),
        HttpError: lambda _, e: problem(422, "invalid", str(e)),
        RequestDataTooBig: lambda *_: problem(
            413, "too-large", "The body is longer than this address takes."
        ),
        RawPostDataException: lambda *_: _invalid(["The body cannot be read."]),
        Http404: lambda *_: not_found(),
        UnknownPerson: lambda *_: not_found(),
        PermissionDenied: lambda *_: problem(
            403, "organizers", "This is for the study's organizers, and you are not one of them."
        ),
        texts.NotRead: lambda *_: problem(
            409, "reread", "What the batch asks was changed. Read it again, and send its task and version."
        ),
        answering.Limited: lambda _, e: problem(409, e.why, str(e)),
        answering.NothingLeft: lambda _, e: problem(409, "nothing", str(e)),
        **{refusal.kind: _assessors_refusal for refusal in REFUSALS if refusal.kind is not UnknownPerson},
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def not_found() -> HttpResponse:
    """The response for something missing; the same if the token's owner may not see it."""
    return problem(404, "not-found", "There is no such thing here for the owner of this token.")


def _invalid(problems: list[str]) -> HttpResponse:
    said = "The request does not fit its description: " + "; ".join(problems[:3])
    return problem(422, "invalid", said, problems=problems[:MOST_PROBLEMS])


def _sentence(error: Mapping[str, Any]) -> str:
    place = " ".join(str(part) for part in error.get("loc", ()))
    return f"{place}: {error.get('msg', 'cannot be read')}"


def _assessors_refusal(request: HttpRequest, error: Exception) -> HttpResponse:
    """Convert a refusal of the assessor's page, with the same code."""
    refusal = next(one for one in REFUSALS if isinstance(error, one.kind))
    status = {400: 422, 403: 404}.get(int(refusal.status), int(refusal.status))
    return problem(status, refusal.code, str(error))
