"""The desk of assessors with accounts: the studies they judge in, their queue over topics, judging by it.

Anyone who has no part in a study as its assessor finds nothing at these addresses. Unlike the pages of those
with links, they are reached by a login; answers are posted as by everybody, with the batch's token.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import reverse

from judging.batches import queues
from judging.batches.queues import Queued
from judging.models import Assessor
from judging.questions import texts
from panels import account
from panels.base import UnknownPerson
from tournament.models import Tournament
from web.assessor import views
from web.shared import languages

View = Callable[..., HttpResponseBase]


def for_assessors(*methods: str) -> Callable[[View], View]:
    """Decorator: make `view(request, assessor)` a page for the assessors of the study in its address."""

    def wrap(view: View) -> View:
        @login_required
        @wraps(view)
        def door(request: HttpRequest, slug: str, **parts: Any) -> HttpResponseBase:
            assert isinstance(request.user, User)  # since they are logged in
            try:
                assessor = account.judge_of(request.user, slug)
            except UnknownPerson as error:
                raise Http404("No such study.") from error
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            with languages.speaking(assessor.study, request):
                response = view(request, assessor, **parts)
            response.setdefault("Cache-Control", "no-store")
            return response

        return door

    return wrap


@login_required
def desk(request: HttpRequest) -> HttpResponseBase:
    """List the studies in which a person judges; with a single one, show its queue."""
    assert isinstance(request.user, User)  # since they are logged in
    own = account.judges(request.user)
    if len(own) == 1:
        return redirect("desk-queue", own[0].study.slug)
    with languages.speaking(None, request):
        return page(request, "desk", judging=own)


@for_assessors("GET", "HEAD")
def queue(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """Show an assessor's queue over a study's topics: what waits for them, and what they have answered."""
    latest = assessor.latest
    if latest and request.method == "GET" and not assessor.excluded_at:
        views.settle(assessor)
    queued = queues.queue(assessor)
    going_on = Tournament.objects.filter(topic__study=assessor.study_id, finished=False)
    told: dict[str, Any] = {
        "study": assessor.study,
        "queue": queued,
        "first": queues.following(queued, None),
        "going_on": set(going_on.values_list("topic", flat=True)),
        "open": views.is_open(assessor),
        "why": views.why_not(assessor),
        "judge": reverse("desk-judge", args=[assessor.study.slug]),
        "agreed": {one.topic.pk for one in queued if _agreed(assessor, one)},
    }
    return page(request, "queue", **told)


def _agreed(assessor: Assessor, one: Queued) -> bool:
    """Tell whether somebody has agreed to all texts of a topic's next batch."""
    return bool(assessor.latest and one.task and texts.agreed(assessor.latest, one.task))


@for_assessors("GET", "HEAD", "POST")
def judge(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """Show the judging page as for an assessor with a link; `topic` in the address limits the batch."""
    return views.judge(request, assessor, csrf=get_token(request))


def page(request: HttpRequest, name: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page of the desk, with the logged-in account."""
    own = {"csrf": get_token(request), "username": request.user.get_username()}
    return HttpResponse(languages.render(name, own | context), status=status)
