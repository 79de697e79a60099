"""Pages of people's ids at panels: show one for a stated reason, find a person by it. Each look is logged."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from collection.models import Study
from judging.models import Assessor
from judging.people import person_names
from panels import encryption
from panels.participants import people
from web.organizer.forms import PanelIdForm, ReasonForm
from web.shared.access import for_organizers

A_PAGE = 50


def _allowed(request: HttpRequest) -> None:
    if not request.user.has_perm(people.PERMISSION):
        raise PermissionDenied(people.NOT_ALLOWED)


@never_cache
@for_organizers
@sensitive_post_parameters("given")
def showings(request: HttpRequest, study: Study) -> HttpResponse:
    """List who looked at whose id and why; on POST find a person by their id.

    The id is only sent by POST, so that it is in no address.
    """
    _allowed(request)
    form = PanelIdForm(request.POST or None)
    found = None
    if request.method == "POST" and form.is_valid():
        found = people.find(study, form.cleaned_data["given"], request.user)  # type: ignore[arg-type]
    named = {person.pk: assessor for person, assessor in people.known_as(study).items()}
    page = Paginator(people.showings(study), A_PAGE).get_page(request.GET.get("page"))
    shown = [named[row.person_id] for row in page.object_list] + (found or [])
    names = person_names.names(study, [one.pk for one in shown], labels=True)
    rows = [(row, names[(of := named[row.person_id]).pk], of) for row in page.object_list]
    context = {
        "study": study,
        "form": form,
        "found": None if found is None else [(names[one.pk], one) for one in found],
        "page": page,
        "rows": rows,
    }
    return render(request, "organizer/panel_ids.html", context)


@never_cache
@for_organizers
def panel_id(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show who looked at one person's id at their panel; on POST with a reason, show the id."""
    assessor = get_object_or_404(Assessor, study=study, pk=pk)
    _allowed(request)
    persons = list(people.known_as(study, assessor.pk))
    if not persons:
        messages.info(request, "No panel has an id for them: they did not come by one.")
        return redirect("person", study.slug, pk)
    person, name = persons[-1], person_names.name_of(assessor)
    form, shown, wrong_key = ReasonForm(request.POST or None), None, ""
    if request.method == "POST" and form.is_valid():
        try:
            shown = people.view(person, request.user, form.cleaned_data["why"])  # type: ignore[arg-type]
        except encryption.WrongKey as error:
            wrong_key = str(error)
    context = {
        "study": study,
        "assessor": assessor,
        "name": name,
        "person": person,
        "form": form,
        "shown": shown,
        "wrong_key": wrong_key,
        "rows": [(row, name, assessor) for row in person.viewings.order_by("-pk")[:A_PAGE]],
    }
    return render(request, "organizer/panel_ids.html", context)
