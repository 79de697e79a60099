"""The desk of assessors with accounts: the studies they judge in, their queue of topics, and judging.

These pages need a login, and answer 404 to anyone who is not an assessor of the study. Answers are posted
with the batch's token, as by assessors who come by a link.
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
from judging.people.own_record import own_record
from judging.questions import texts
from panels import account
from panels.base import UnknownPerson
from tournament.models import Tournament
from web.assessor import views
from web.shared import languages

View = Callable[..., HttpResponseBase]


def for_assessors(*methods: str) -> Callable[[View], View]:
    """Make `view(request, assessor)` a page for assessors of the study named in its address.

    Needs a login. Raises Http404 for anyone who is not an assessor of the study.
    """

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
    """List the studies in which a person judges; redirect to the queue if there is only one."""
    assert isinstance(request.user, User)  # since they are logged in
    own = account.judges(request.user)
    if len(own) == 1:
        return redirect("desk-queue", own[0].study.slug)
    with languages.speaking(None, request):
        unfinished = Tournament.objects.filter(topic__study__in=[one.study_id for one in own], finished=False)
        going_on = unfinished.values_list("topic__study", "topic")
        return page(request, "desk", judging=own, figures=queues.in_short(own, going_on))


@for_assessors("GET", "HEAD")
def queue(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """Show an assessor's queue: for each topic what waits for them, and how many they have answered.

    The number of queries does not depend on the number of topics.
    """
    latest = assessor.latest
    if latest and request.method == "GET" and not assessor.excluded_at:
        views.settle(assessor)
    queued = queues.queue(assessor)
    unfinished = Tournament.objects.filter(topic__study=assessor.study_id, finished=False)
    going_on = set(unfinished.values_list("topic", flat=True))
    in_hand = queues.in_hand(latest) if latest and views.is_open(assessor) else None
    told: dict[str, Any] = {
        "study": assessor.study,
        "queue": queued,
        "first": None if in_hand else queues.going_on_with(assessor, queued),
        "going_on": going_on,
        "open": in_hand,
        "until": latest and latest.deadline,
        "why": views.reason_without_batch(assessor),
        "judge": reverse("desk-judge", args=[assessor.study.slug]),
        "record": own_record(assessor),
        "done": sum(one.is_done(going_on) for one in queued),
        "agreed": {one.topic.pk for one in queued if _agreed(assessor, one)},
    }
    return page(request, "queue", **told)


def _agreed(assessor: Assessor, one: Queued) -> bool:
    """Return True if the assessor has agreed to the current texts of a topic's next batch."""
    return bool(assessor.latest and one.task and texts.agreed(assessor.latest, one.task))


@for_assessors("GET", "HEAD", "POST")
def judge(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """Show the judging page, as to assessors with links, but with batches of one topic (`?topic=`)."""
    return views.judge(request, assessor, csrf=get_token(request))


def page(request: HttpRequest, name: str, *, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page of the desk, with the name of the account and its CSRF token."""
    own = {"csrf": get_token(request), "username": request.user.get_username()}
    return HttpResponse(languages.render(name, own | context), status=status)
