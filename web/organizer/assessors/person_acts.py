"""Actions of organizers on one person: pause, resume, undo a release, erase sentences."""

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection.models import Study
from judging.batches import sittings
from judging.models import Assessor, Assignment
from judging.people import person_names, remarks
from judging.verdicts import pauses
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import ReasonForm
from web.shared.access import for_organizers
from web.shared.phrases import count


@for_organizers
@require_POST
def pause(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Pause a person, with a reason: they get no new batch until they are resumed."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(
            request, "Nothing was changed: give a reason for the pause, of 200 characters at most."
        )
    elif pauses.pause(assessor.pk, form.cleaned_data["why"], by=request.user):
        messages.success(request, "Paused: they get no new batch until you let them go on.")
    else:
        messages.info(request, "They are paused already.")
    return redirect("person", study.slug, pk)


@for_organizers
@require_POST
def resume(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Resume a paused person."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    if pauses.resume(assessor.pk, by=request.user):
        messages.success(request, "They can go on: they get batches again.")
    else:
        messages.info(request, "They are not paused.")
    return redirect("person", study.slug, pk)


@for_organizers
@require_POST
def take_back(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Give a person who is away the questions of their batch back that are still free."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    batch = Assignment.objects.filter(assessor=assessor, state=Assignment.State.IDLE).first()
    if batch and sittings.take_back(batch.pk):
        messages.success(request, "Taken back: what nobody else was given is theirs again.")
    else:
        messages.info(request, "Nothing was changed: no batch of theirs is away any more.")
    return redirect("person", study.slug, pk)


@for_organizers
def erase_sentences(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show which of a person's sentences would be erased; on POST erase them, for good."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    if request.method == "POST":
        messages.success(request, f"{count(remarks.erase(assessor), 'sentence')} erased.")
        return redirect("person", study.slug, pk)
    number = remarks.number_of(assessor)
    name = person_names.name_of(assessor)
    asked = Confirmation(
        heading=f"Erase what {name} wrote?",
        says=(
            f"The words of {count(number, 'sentence')} are deleted for good. This cannot be undone.",
            "The answers stay, with their aspects and reasons, and the ledger still verifies: it holds the "
            "hash of each sentence.",
        ),
        back=(name, reverse("person", args=[study.slug, pk])),
        button="Erase their sentences" if number else "",
        grave=True,
    )
    return confirm(request, study, asked, Form())
