"""Pages instead of one that cannot be shown: why, who can help, and where to go."""

import re
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from collection.models import Membership
from web.shared.access import ORGANIZER, NotForRole, study_for
from web.shared.navigation import navigation
from web.shared.phrases import listed

TEMPLATE = "notice.html"
IN_STUDY = re.compile(r"/studies/([-\w]+)/")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say why somebody is refused: by their role in a study, with its organizers, or by their account."""
    said, _, more = str(exception).partition(". ")
    told: dict[str, Any] = {
        "heading": "Not open to you",
        "said": f"{said.rstrip('.')}." if said else "Your role cannot see this page.",
        "more": more,
    }
    if isinstance(exception, NotForRole):
        study = exception.study
        told |= {"study": study, "sections": navigation(study, "", request.GET).sections}
        told["more"] = f"{more} {_role_said(study)}".strip()
    return render(request, TEMPLATE, told, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is no such page, or none that the reader may see: the two look the same."""
    more = "The address may be mistyped, or it may belong to a study in which you have no part."
    if not request.user.is_authenticated:
        more += " If you were sent here, log in first."
    told: dict[str, Any] = {"heading": "Not found", "said": "There is no such page.", "more": more}
    if (study := _study_at(request)) is not None:
        told |= {"study": study, "sections": navigation(study, "", request.GET).sections}
        told["more"] = f"The address may be mistyped, or what it showed in {study.name} is gone."
    return render(request, TEMPLATE, told, status=404)


def _study_at(request: HttpRequest) -> Any:
    """Return the study in the address, if the reader has a part in it."""
    inside = IN_STUDY.match(request.path_info)
    if inside is None or not request.user.is_authenticated:
        return None
    try:
        return study_for(request.user, inside[1])
    except NotForRole as refused:
        return refused.study
    except Http404:
        return None


def broken(request: HttpRequest) -> HttpResponse:
    """Say that the server failed. Nothing here asks who reads it: that may be what failed."""
    told = {
        "heading": "Something went wrong",
        "said": "The fault is the server's, and its log has the details.",
        "more": "What the server had confirmed is stored. Try again in a moment.",
    }
    return HttpResponse(render_to_string(TEMPLATE, told), status=500)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say whether a form came from an untrusted address, or was too old."""
    if "checking failed" in reason:
        said = "This server does not trust the address that your browser shows, so it refused the form."
        more = (
            "If you run the server: set CSRF_TRUSTED_ORIGINS to that address, such as "
            "https://judge.example.org, and start the server again. It is needed behind HTTPS."
        )
    else:
        said = "The form you sent was too old, or cookies are turned off."
        more = "Go back, reload the page and send it again."
    return render(
        request, TEMPLATE, {"heading": "Nothing was changed", "said": said, "more": more}, status=403
    )


def _role_said(study: Any) -> str:
    if study.role == ORGANIZER:
        return f"You are an organizer of {study.name}, and see all its {study.words.runs}."
    found = Membership.objects.filter(study=study, role=ORGANIZER, user__is_active=True)
    names = found.order_by("user__username").values_list("user__username", flat=True)
    organizers = listed(list(names))
    helped = (
        "Its organizers can do this for you, or give you another role on their page People: "
        f"ask {organizers}."
        if organizers
        else "It has no organizer at the moment: ask the server's administrator."
    )
    return f"You are a {study.role} of {study.name}. {helped}"
