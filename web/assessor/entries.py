"""Pages for people who come from a panel: the address that lets them in, and a page for each entry.

The pages use no cookies, since the panel may show them in a frame: the address and the token in the forms
decide what is allowed. An entry leads to one batch, and then back to the panel.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.clickjacking import xframe_options_exempt

from judging.batches import answering
from judging.models import Assignment
from judging.questions import texts
from panels.base import CannotEnter, Framing, marketplace
from panels.models import Campaign, Entry
from panels.participants import arrivals, participations
from web.assessor import form_data, views
from web.assessor.view_decorators import assessors_door, judging_page, page, see_other, turned_away
from web.judging_page import offers, sitting
from web.live import live_topics
from web.shared import languages, throttles
from web.shared.throttles import Limit

State = Entry.State
ARRIVALS = Limit("arrivals", settings.PANEL_ARRIVALS_A_MINUTE, 60)


def framed(response: HttpResponseBase, framing: Framing) -> HttpResponseBase:
    """Allow only the panel's origins to show a response in a frame and to receive its forms (CSP)."""
    if not framing.ancestors and not framing.form_targets:
        return response
    policy = {"form-action": ["'self'", *framing.form_targets]}
    if framing.ancestors:
        policy["frame-ancestors"] = list(framing.ancestors)
        response = xframe_options_exempt(lambda: response)()
    response._csp_replace = policy  # type: ignore[attr-defined]  # read by django-csp
    return response


@assessors_door("GET", "HEAD")
def enter(request: HttpRequest, token: str) -> HttpResponseBase:
    """Let in somebody who comes by the address that a panel shows; redirect to the page of their entry.

    A preview, or a HEAD request, only shows the offer. Replies 429 after too many arrivals from one address.
    """
    campaign, place = arrivals.offered(token)
    languages.speak(campaign.study, request)
    panel = marketplace(campaign.panel)
    arrival = panel.arrival(request, campaign, place)
    if arrival.preview or request.method == "HEAD":
        return framed(_preview(campaign), panel.framing(campaign))
    if not throttles.count(ARRIVALS, campaign.pk, throttles.address_of(request)):
        busy = page("rest", study=campaign.study, why="busy", status=HTTPStatus.TOO_MANY_REQUESTS)
        busy["Retry-After"] = "60"
        return framed(busy, panel.framing(campaign))
    try:
        try:
            entry = arrivals.enter(campaign, place, arrival)
        except arrivals.Full:
            # Somebody may have returned a place to the panel without us knowing yet.
            if not participations.collect_sooner(campaign):
                raise
            entry = arrivals.enter(campaign, place, arrival)
    except CannotEnter as error:
        return framed(turned_away(campaign.study, str(error)), panel.framing(campaign))
    return see_other(arrivals.address(entry))


def _preview(campaign: Campaign) -> HttpResponse:
    """Show the offer to somebody who has not taken it: store nothing, and show no question."""
    offer = offers.offer(campaign.study)
    task = offer.task if offer else None
    return page("offered", study=campaign.study, campaign=campaign, offer=offer, task=task)


def _framed_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Make `view(request, entry)` the page of the entry named in an address, framed as its panel needs."""

    @wraps(view)
    def shown(request: HttpRequest, named: str) -> HttpResponseBase:
        entry = arrivals.at(named)
        languages.speak(entry.campaign.study, request)
        framing = marketplace(entry.campaign.panel).framing(entry.campaign)
        return framed(view(request, entry), framing)

    return shown


@assessors_door("GET", "HEAD", "POST")
@_framed_page
def entry_page(request: HttpRequest, entry: Entry) -> HttpResponseBase:
    """Show an entry's own page: instructions, the open batch, or the way back to the panel."""
    if request.method == "POST":
        return _posted(request, entry)
    assessor, study, batch = entry.assessor, entry.campaign.study, entry.assignment
    assert assessor is not None
    home = arrivals.address(entry)
    assessor.latest = batch
    if "practice" in request.GET and (asked := views.practice_of(request, assessor, home)):
        return judging_page(request, study=study, sitting=asked, task=asked.task, home=asked.feedback.next)
    if batch is not None and batch.submitted_at is None and request.method == "GET":
        found = sitting.come_back(batch)
        if found.gone:
            return page("before", study=study, found=found, until=batch.deadline, home=home)
    if batch is not None and sitting.is_open(batch):
        open_batch = sitting.sitting(batch, study, form_data.number(request.GET.get("at", "")))
        told: dict[str, Any] = {"panel": request.GET.get("cannot"), "home": home, "again": False}
        return judging_page(request, study=study, sitting=open_batch, task=open_batch.task, **told)
    if batch is not None and (given := views.answers_given(request, batch, study, home)):
        return given
    if batch is not None and batch.submitted_at is not None:
        # If the panel has to confirm first, the outcome is not known yet, and the page must not change later.
        failed = batch.state == Assignment.State.DISCARDED and not marketplace(entry.panel).confirms
        return _back(entry, "failed" if failed else "completed", why="sent")
    if entry.state not in (State.OPENED, State.WORKING):
        return _back(entry, "", why="over")
    if not study.judging_is_open:
        return _back(entry, "nothing left", why=views.reason_closed(study))
    offer = offers.offer(study, assessor)
    if offer is None:
        return _back(entry, "nothing left", why="nothing")
    told = views.examples_of(request, offer.task, batch)
    return page(
        "instructions",
        study=study,
        offer=offer,
        task=offer.task,
        campaign=entry.campaign,
        lapsed=views.lapse_of(batch),
        unread="unread" in request.GET,
        **told,
    )


def _posted(request: HttpRequest, entry: Entry) -> HttpResponseBase:
    """Begin a batch, or give the place back (action `decline`)."""
    action = request.POST.get("action")
    if action == "decline":
        arrivals.give_back(entry)
        return _back(entry, "no consent", why="declined")
    if action != "begin":
        raise form_data.BadForm("This page knows two actions, begin and decline. Load it again.")
    home = arrivals.address(entry)
    try:
        arrivals.begin(entry, views.seen_texts(request.POST) or texts.NO_TEXTS)
        live_topics.note(entry.campaign.study_id)
    except texts.NotRead:
        return see_other(f"{home}?unread")
    except arrivals.SitsElsewhere as error:
        return turned_away(entry.campaign.study, str(error), again=home)
    except answering.NothingLeft:
        return _back(entry, "nothing left", why="nothing")
    return see_other(home)


def _back(entry: Entry, outcome: str, *, why: str) -> HttpResponse:
    """Show the way back to the panel, after a batch or without one; `why` chooses the page's words."""
    finish = marketplace(entry.campaign.panel).finish(entry, outcome) if outcome else None
    batch = entry.assignment
    received: Any = sitting.receipt(batch) if why == "sent" else None
    return page("sent", study=entry.campaign.study, why=why, finished=received, finish=finish)
