"""Page: load a release as a new study. A job reads it; the page says how far it is."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_safe

from config.task_queue import run_in_background
from web.organizer.files.uploads import MOST_BYTES
from web.release import loading_job
from web.shared import waiting_pages
from web.shared.form_words import Worded


def _for_staff(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Make a page of staff that takes an upload: rights and size are checked before the body is read."""
    protected = csrf_protect(view)

    @csrf_exempt
    @login_required
    def door(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        if not request.user.is_staff:
            raise PermissionDenied("Releases are loaded by staff. Ask the server's administrator.")
        size = request.headers.get("Content-Length") or "0"
        if size.isdigit() and int(size) > MOST_BYTES:
            return HttpResponse(
                "This release is too large for a page. Load it with manage.py load_release.",
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                content_type="text/plain; charset=utf-8",
            )
        return protected(request, **parts)

    return door


class ReleaseForm(Worded, forms.Form):
    """The file of a release."""

    release = forms.FileField(
        label="Release",
        help_text="What is dropped is loaded at once.",
        # The id by which drop.js finds it.
        widget=forms.FileInput(attrs={"id": "files", "accept": ".zip"}),
        error_messages={"required": "Choose the zip of a release first."},
    )


@_for_staff
def upload(request: HttpRequest) -> HttpResponse:
    """Take the zip of a release, and have it loaded."""
    if request.method != "POST":
        return render(request, "organizer/load_release.html", {"form": ReleaseForm()})
    form = ReleaseForm(request.POST, request.FILES)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render(request, "organizer/load_release.html", {"form": form}, status=status)
    token = loading_job.begin(form.cleaned_data["release"], request.user)
    run_in_background(loading_job.load_release, token)
    return redirect("release-loading", token)


@login_required
@require_safe
def loading(request: HttpRequest, token: str) -> HttpResponse:
    """Show how far a release is; redirect to its study once it is loaded."""
    told = loading_job.state(token)
    if told is None or told["by"] != request.user.pk:
        raise Http404("No release is loaded under this address.")
    if told["state"] == loading_job.DONE:
        return redirect("study", told["slug"])
    if told["state"] == loading_job.RUNNING:
        return waiting_pages.looks_again(request, "organizer/load_release.html", {"told": told})
    return render(request, "organizer/load_release.html", {"told": told, "form": ReleaseForm()})
