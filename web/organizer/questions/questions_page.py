"""The page *Questions*: challenges, and what could not be judged."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from web.organizer.questions import cannot_judge, challenge_list
from web.shared.access import for_organizers


@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the challenges, and the questions that somebody could not judge."""
    told = {"study": study, "declined": cannot_judge.section(request, study)}
    return render(request, "organizer/questions.html", told | challenge_list.section(request, study))
