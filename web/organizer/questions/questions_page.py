"""The page *Questions*: challenges, and what could not be judged."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from web.organizer.questions import cannot_judge, challenge_list
from web.shared.access import for_organizers
from web.shared.phrases import count


@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the challenges, and the questions that somebody could not judge."""
    declined, challenges = cannot_judge.section(request, study), challenge_list.section(request, study)
    told = {"study": study, "declined": declined, "said": _said(declined, challenges)}
    return render(request, "organizer/questions.html", told | challenges)


def _said(declined: dict[str, Any], challenges: dict[str, Any]) -> str:
    """Say in a sentence or two what is to be looked at."""
    known, number = challenges["page"].paginator.count, declined["page"].paginator.count
    asked, wrong = count(known, "challenge"), challenges["doubtful"]
    if wrong:
        said = f"{wrong:,} of {asked} {'is' if wrong == 1 else 'are'} answered wrong by half of the people."
    elif known and challenges["answered"]:
        by = " by half of the people" if challenges["wrong"] else ""
        said = f"No challenge is suspicious: none of {known:,} was answered wrong{by}."
    else:
        said = f"{asked}, not answered yet." if known else "No challenge is asked."
    return f"{said} {count(number, 'question')} could not be judged." if number else said
