"""Copying, archiving and deleting a study, from the last section of its settings."""

from collections.abc import Callable
from http import HTTPStatus

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from collection import jobs
from collection.models import Study
from collection.study import lifecycle
from config.task_queue import run_in_background
from web.organizer.setup import whole_study
from web.organizer.setup.keeping_forms import CopyForm, DeleteForm
from web.organizer.setup.settings_page import settings_page
from web.shared.access import for_organizers


@for_organizers
@require_POST
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    """Copy a study. Staff only, like creating one."""
    if not request.user.is_staff:
        raise PermissionDenied("New studies are made by staff. Ask the server's administrator.")
    form = CopyForm(request.POST, auto_id="copy-%s")
    if not form.is_valid():
        return settings_page(request, study, copy=form, status=HTTPStatus.BAD_REQUEST)
    given = form.cleaned_data
    made, begun = whole_study.copy(
        study, given["name"], request.user, what=given["what"], members=given["members"]
    )
    messages.success(request, f"{made.name} was made, a copy of {study.name}.")
    if begun is not None:
        run_in_background(jobs.load_next)
        messages.info(request, "Its topics and items are being copied; Files says how far that is.")
    return redirect("study", made.slug)


@for_organizers
@require_POST
def archive(request: HttpRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive (`out` in the form)."""
    if request.POST.get("out"):
        return _steered(request, study, lifecycle.unarchive, f"{study.name} is out of the archive.")
    return _steered(request, study, lifecycle.archive, f"{study.name} is in the archive.")


def _steered(request: HttpRequest, study: Study, do: Callable[[int], None], done: str) -> HttpResponse:
    try:
        do(study.pk)
    except lifecycle.CannotSteer as error:
        return settings_page(request, study, refused=str(error), status=HTTPStatus.CONFLICT)
    messages.success(request, done)
    return redirect("studies")


@for_organizers
@require_POST
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete a study for good: hide it at once, and remove its rows and pictures by a job."""
    form = DeleteForm(request.POST, name=study.name)
    if not form.is_valid():
        return settings_page(request, study, delete=form, status=HTTPStatus.BAD_REQUEST)
    try:
        whole_study.begin_deletion(study.pk)
    except lifecycle.CannotSteer as error:
        return settings_page(request, study, refused=str(error), status=HTTPStatus.CONFLICT)
    run_in_background(jobs.delete_studies)
    messages.success(request, f"{study.name} is deleted. Its rows and pictures are being removed.")
    return redirect("studies")
