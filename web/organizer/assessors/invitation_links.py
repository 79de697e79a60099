"""The page of links to send to assessors, the last of the six steps."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collection import audit_log
from collection.models import Study
from judging.models import Assessor, Assignment
from judging.people import person_names
from judging.questions import grading
from panels import local
from panels.models import Campaign
from web.forecast import overview
from web.live import outcome
from web.organizer.forms import WhoAsksForm
from web.shared import stage
from web.shared.access import for_organizers
from web.shared.waiting_pages import changed_part

# How many personal links are shown; the file has all.
SHOWN = 5


def join_link(request: HttpRequest, study: Study) -> str:
    """Return the URL of a study's open link; "" while it is off."""
    return request.build_absolute_uri(reverse("join", args=[study.join_token])) if study.join_token else ""


@never_cache
@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the open link, unused personal links, and where to watch the judging.

    Showing personal links is noted in the trail, at most once an hour.
    """
    unused = Assessor.objects.filter(
        study=study, panel=local.PANEL, by_link=False, excluded_at=None, assignments=None
    )
    shown = list(unused.order_by("pk")[:SHOWN])
    names = person_names.names(study, [one.pk for one in shown], labels=True)
    links = [
        (
            names[one.pk],
            request.build_absolute_uri(reverse("invitation", args=[one.reference])),
        )
        for one in shown
    ]
    if links:
        audit_log.note_once(study.pk, audit_log.What.SAW_LINKS, within=timedelta(hours=1))
    now = stage.stage_of(study)
    context = {
        "study": study,
        "stage": now,
        "follows": now.name == stage.MAKING,
        "finished": now.name == stage.FINISHED,
        "undecided": _is_undecided(study, now),
        "judging": study.judging_is_open,
        "join": join_link(request, study),
        "who": None if study.says_who_asks else WhoAsksForm(instance=study),
        "links": links,
        "more": unused.count() - len(links),
        "people": overview.people(study),
        "waiting": now.questions,
        "begun": _begun(study),
        "grades_first": grading.came_first(study),
        "campaigns": Campaign.objects.filter(study=study).count(),
    }
    return render(request, "organizer/send.html", context)


@for_organizers
@require_safe
def questions_state(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the state of the questions, for the page that polls while they are being made."""
    now = stage.stage_of(study)
    told = {"study": study, "stage": now, "undecided": _is_undecided(study, now), "begun": _begun(study)}
    return changed_part(
        request, "organizer/_send_lead.html", told, of=reverse("study-send", args=[study.slug])
    )


def _is_undecided(study: Study, now: stage.Stage) -> bool:
    return now.name == stage.FINISHED and outcome.is_open(study)


def _begun(study: Study) -> bool:
    return study.opened_at is not None and Assignment.objects.filter(assessor__study=study).exists()
