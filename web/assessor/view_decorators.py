"""The decorator of the assessor's views: request method, headers, language, and replies to errors.

A panel may show these pages in a frame, where browsers send no cookies. So no view reads or sets one;
the signed token in a form decides what it may do.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from http import HTTPStatus
from typing import Any, NamedTuple

from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt

from collection.models import Study
from judging.batches import answering, sql_statements
from judging.models import Assignment
from panels.base import CannotEnter, UnknownPerson
from web.assessor import form_data
from web.judging_page import sitting
from web.shared import languages, tokens

View = Callable[..., HttpResponseBase]


class NoPicture(Exception):
    """The item has no picture, or its file is gone."""


class DoorRefusal(NamedTuple):
    """The reply to one type of error: a code for scripts, an HTTP status, and a heading for people."""

    kind: type[Exception]
    code: str
    status: HTTPStatus
    heading: Any


# The first that matches is used, so the general JudgingError comes after its subclasses.
REFUSALS = (
    DoorRefusal(tokens.BadToken, "token", HTTPStatus.FORBIDDEN, _("This page cannot be used")),
    DoorRefusal(Assignment.DoesNotExist, "token", HTTPStatus.FORBIDDEN, _("This page cannot be used")),
    DoorRefusal(answering.NotAsked, "not-asked", HTTPStatus.FORBIDDEN, _("This answer was not taken")),
    DoorRefusal(answering.Elsewhere, "over", HTTPStatus.CONFLICT, _("This batch is open in another window")),
    DoorRefusal(answering.Over, "over", HTTPStatus.CONFLICT, _("This batch is over")),
    DoorRefusal(answering.Gone, "gone", HTTPStatus.CONFLICT, _("This question has gone to somebody else")),
    DoorRefusal(answering.Left, "left", HTTPStatus.CONFLICT, _("This answer was not taken")),
    DoorRefusal(answering.Unfinished, "unfinished", HTTPStatus.CONFLICT, _("Not quite finished")),
    DoorRefusal(answering.JudgingError, "refused", HTTPStatus.BAD_REQUEST, _("This answer was not taken")),
    DoorRefusal(form_data.BadForm, "form", HTTPStatus.BAD_REQUEST, _("This answer was not taken")),
    DoorRefusal(CannotEnter, "enter", HTTPStatus.CONFLICT, _("This place cannot be taken")),
    DoorRefusal(UnknownPerson, "unknown", HTTPStatus.NOT_FOUND, _("This link leads nowhere")),
    DoorRefusal(NoPicture, "no-picture", HTTPStatus.NOT_FOUND, _("There is no picture here")),
)


def assessors_door(*methods: str) -> Callable[[View], View]:
    """Make a view a page for assessors: check the method, set headers, reply to errors by REFUSALS."""

    def wrap(view: View) -> View:
        @csrf_exempt  # without cookie or login a foreign page has nothing to misuse
        @wraps(view)
        def door(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            # Use the browser's language until the view knows the study.
            with languages.speaking(None, request):
                try:
                    response = _once_more(view, request, parts)
                except tuple(refusal.kind for refusal in REFUSALS) as error:
                    response = _refuse(request, error)
            response["Referrer-Policy"] = "no-referrer"
            response.setdefault("Cache-Control", "no-store")
            return response

        return door

    return wrap


def _once_more(view: View, request: HttpRequest, parts: dict[str, Any]) -> HttpResponseBase:
    """Call a view; retry it once on a new connection if the database had closed the kept one.

    Every request of an assessor may safely be repeated.
    """
    try:
        return view(request, **parts)
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block or connection.is_usable():
            raise
        connection.close()
        return view(request, **parts)


def wants_json(request: HttpRequest) -> bool:
    """Return True for fetch() from judge.js; a plain form post accepts */*."""
    return "application/json" in request.META.get("HTTP_ACCEPT", "")


def see_other(address: str) -> HttpResponse:
    """Send the browser on with a GET, so that a reload does not post again."""
    return HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": address})


def page(name: str, *, status: int = HTTPStatus.OK, **context: Any) -> HttpResponse:
    """Render a template of the assessor's pages in the active language."""
    # Without the request, no context processor looks for a user, a session or messages.
    return HttpResponse(languages.render(name, context), status=status)


def judging_page(request: HttpRequest, *, home: str, **context: Any) -> HttpResponse:
    """Render the judging page; with `plain` in the query, it and the pages after it use no scripts."""
    asked, plain = request.GET.copy(), "plain" in request.GET
    asked["plain"] = "1"
    after = without_scripts(home) if plain else home
    return page("judging", plain=plain, plainly=f"?{asked.urlencode()}", home=after, **context)


def without_scripts(address: str) -> str:
    """Return the address of a judging page's version without scripts."""
    return f"{address}{'&' if '?' in address else '?'}plain=1"


def _refuse(request: HttpRequest, error: Exception) -> HttpResponse:
    """Reply to an error with JSON, or with a page that says what to do next."""
    refusal = next(refusal for refusal in REFUSALS if isinstance(error, refusal.kind))
    _speak_to_sender(request)
    altered = _("This page was made by another server, or altered.")
    sentence, heading = str(altered if refusal.code == "token" else error), str(refusal.heading)
    if wants_json(request):
        return JsonResponse({"error": sentence, "code": refusal.code}, status=refusal.status)
    told: dict[str, Any] = {"heading": heading, "sentence": sentence, "next": _next(request)}
    told["label"] = _("Go on") if refusal.code == "over" else _("Back to your questions")
    if refusal.code == "unknown":
        told["advice"] = _("Check that you have the whole address, or ask the person who sent it to you.")
    elif refusal.code != "enter":  # whose sentence says what to do
        told["advice"] = _("Open the address that you were given, and go on from there.")
    return page("notice", status=refusal.status, **told)


def turned_away(study: Study, sentence: str, *, again: str = "") -> HttpResponse:
    """Tell somebody whom a panel sent why they get no page now; `again`: an address to try again."""
    told = {"heading": _("Not here, not now"), "label": _("Try again"), "next": again}
    return page("notice", status=HTTPStatus.CONFLICT, study=study, sentence=sentence, **told)


def _speak_to_sender(request: HttpRequest) -> None:
    """Activate the language of the study that a form's token belongs to, if there is one."""
    with suppress(tokens.BadToken, Assignment.DoesNotExist):
        sender = sql_statements.sender_of(tokens.read_assignment(request.POST.get("token", "")))
        languages.speak(sender.study, request)


def _next(request: HttpRequest) -> str | None:
    """Return the page of the token's assessor, to go on from after a refusal; None for a bad token."""
    try:
        return sitting.home(tokens.read_assignment(request.POST.get("token", "")))
    except (tokens.BadToken, Assignment.DoesNotExist):
        return None
