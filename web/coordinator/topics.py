"""Topic pages: all topics of a study with their progress, and one topic's tournament."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import condition, require_safe

from collection.models import Study, Topic
from tournament.plans import plan_of
from web.access import for_members, steers
from web.coordinator import progress
from web.coordinator.detail import detail
from web.words import searched

TOPICS_A_PAGE = 100


def _version(request: HttpRequest, study: Study, **_: Any) -> str:
    return f'"{progress.version(study)}"'


@for_members
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """All topics of a study. The number of queries does not grow with it."""
    context = _topics(request, study) | {"tab": "topics", "steers": steers(study)}
    return render(request, "coordinator/topics.html", context)


@for_members
@require_safe
@condition(etag_func=_version)
def topics_live(request: HttpRequest, study: Study) -> HttpResponse:
    """The part of the page of topics that changes; 304 after four queries if nothing has changed."""
    return render(request, "coordinator/_topics.html", _topics(request, study))


def _topics(request: HttpRequest, study: Study) -> dict[str, Any]:
    state, search = request.GET.get("state", ""), searched(request)
    # Read first: what is shown may be newer than this version, never older.
    version = progress.version(study)
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
        "summary": progress.summary(study),
        "page": page,
        "lines": progress.lines(study, list(page.object_list)),
    }


@for_members
@require_safe
def topic(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """One topic's tournament. The number of queries does not grow with it."""
    found = get_object_or_404(Topic, study=study, pk=pk)
    context = {"study": study, "tab": "topics", "topic": found, "detail": detail(study, found)}
    return render(request, "coordinator/topic.html", context)
