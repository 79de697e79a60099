"""Topic pages: all topics of a study with their progress, and one topic's tournament."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from collection.models import Study, Topic
from tournament.plans import plan_of
from web.access import for_viewers, steers
from web.coordinator import following, progress
from web.coordinator.detail import detail
from web.words import searched

TOPICS_A_PAGE = 100


@for_viewers
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """All topics of a study. The number of queries does not grow with it."""
    # Read first: what is shown may be newer than this version, never older.
    context = _topics(request, study, following.look(study))
    context |= {"tab": "topics", "steers": steers(study), "follow": following.addresses(request, study)}
    return render(request, "coordinator/topics.html", context)


@require_safe
def topics_live(request: HttpRequest, token: str) -> HttpResponse:
    """The part of the page of topics that changes; 304 without any query if nothing has changed."""

    def part(study: Study, version: str) -> str:
        return render_to_string("coordinator/_topics.html", _topics(request, study, version))

    return following.poll(request, token, part)


@for_viewers
@require_safe
def renew(request: HttpRequest, study: Study) -> HttpResponse:
    """New addresses for a page of topics that stays open, as JSON."""
    response = JsonResponse(following.addresses(request, study))
    response["Cache-Control"] = "no-store"
    return response


def _topics(request: HttpRequest, study: Study, version: str) -> dict[str, Any]:
    state, search = request.GET.get("state", ""), searched(request)
    page = Paginator(progress.topics(study, state=state, search=search), TOPICS_A_PAGE).get_page(
        request.GET.get("page")
    )
    filters = request.GET.copy()
    filters.pop("page", None)
    return {
        "study": study,
        "plan": plan_of(study),
        "version": f'"{version}"',
        "query": request.GET.urlencode(),
        "filters": filters.urlencode(),
        "state": state,
        "search": search,
        "states": progress.STATES,
        "summary": following.summary(study, version),
        "page": page,
        "lines": progress.lines(study, list(page.object_list)),
    }


@for_viewers
@require_safe
def topic(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """One topic's tournament. The number of queries does not grow with it."""
    found = get_object_or_404(Topic, study=study, pk=pk)
    context = {"study": study, "tab": "topics", "topic": found, "detail": detail(study, found)}
    return render(request, "coordinator/topic.html", context)
