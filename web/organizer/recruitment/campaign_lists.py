"""Lists on a campaign's page: who came and what they are owed, and the calls to the panel."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Case, Count, Exists, OuterRef, Q, When
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from collection.models import Study
from judging.models import Judgment
from judging.people import person_names
from panels.base import PANELS
from panels.models import Call, Campaign, Entry, Payment, Place
from panels.payments import work_time
from scoring.quality.trust import TRUST
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.objections import objections_to_people
from web.shared.phrases import time_taken
from web.shared.view_choices import choice_of
from web.shared.waiting_pages import recent_result

A_PAGE = 50
# People in these states who gave no answer and are owed nothing stand folded: so many at most.
MOST_BARE = 200
BARE = [Entry.State.OPENED, Entry.State.SUPERSEDED, Entry.State.RETURNED, Entry.State.LAPSED]


def campaign_of(study: Study, pk: int) -> Campaign:
    """Return a campaign of a study, or raise Http404."""
    found = get_object_or_404(Campaign, study=study, pk=pk)
    # This study object holds the reader's role, which the page's head shows.
    found.study = study
    return found


def counts_by_state(rows: Any) -> dict[str, int]:
    """Count rows by state; the keys are the labels of the states."""
    words = dict(rows.model.State.choices)
    found = rows.order_by("state").values_list("state").annotate(n=Count("pk"))
    return {str(words[state]): n for state, n in found}


def why_refused(campaign: Campaign, places: Mapping[str, int]) -> str:
    """Return what the panel said when it last refused places; "" if it refused none of them (by state)."""
    if not places.get(str(Place.State.REFUSED.label)):
        return ""
    refused = campaign.calls.filter(op="publish", state=Call.State.REFUSED).order_by("-pk")
    return refused.values_list("error", flat=True).first() or ""


def is_paid_by_hand(campaign: Campaign) -> bool:
    """Tell whether payments are made outside and marked here, since the panel makes none by program."""
    return "approve" not in getattr(PANELS[campaign.panel], "repeats", {})


def people(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """Return who came by a campaign and what they are owed, 50 a page.

    Those who wait for the organizer first, then the newest. `bare` are the newest who left without answers,
    payments and anything to do, apart.
    """
    by_hand, bonuses = is_paid_by_hand(campaign), "bonus" in getattr(PANELS[campaign.panel], "repeats", {})
    asks = [Payment.State.REVIEW, *([Payment.State.DUE] if by_hand else [])]
    own = Payment.objects.filter(entry=OuterRef("pk"))
    answered = Judgment.objects.filter(assignment=OuterRef("assignment"))
    bare = Q(state__in=BARE) & ~Q(Exists(own)) & ~Q(Exists(answered))
    every = Entry.objects.filter(campaign=campaign).select_related("assessor", "assignment", "place")
    waits = Q(state=Entry.State.REVIEW) | Exists(own.filter(state__in=asks))
    rows = every.exclude(bare).annotate(waits=Case(When(waits, then=1), default=0)).order_by("-waits", "-pk")
    without = every.filter(bare).order_by("-pk")
    found = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    entries = list(found.object_list)
    owed: dict[int, list[Payment]] = {}
    for payment in Payment.objects.filter(entry__in=entries).order_by("pk"):
        assert payment.entry_id is not None
        owed.setdefault(payment.entry_id, []).append(payment)
    lines = [
        (entry, owed.get(entry.pk, []), _taken(entry), work_time.top_up(campaign, entry)) for entry in entries
    ]
    timed = Payment.objects.filter(campaign=campaign, entry=None).select_related("assignment")
    hours = list(timed.order_by("-pk")[:200])
    left = list(without[:MOST_BARE])
    came = [entry.assessor_id for entry in (*entries, *left)] + [
        one.assignment.assessor_id for one in hours if one.assignment
    ]
    return {
        "page": found,
        "entries": lines,
        "bare": left,
        "bare_all": without.count() if len(left) == MOST_BARE else len(left),
        "acts": any(
            _asks(payments, by_hand=by_hand)
            or (bonuses and topup and entry.state == Entry.State.CONFIRMED and len(payments) < 2)
            for entry, payments, _, topup in lines
        ),
        "hours": hours,
        "against": _against(campaign.study, came),
        "names": person_names.names(campaign.study, {pk for pk in came if pk}, labels=True),
        "due": campaign.payments.filter(state=Payment.State.DUE).count(),
        "paid_by_hand": by_hand,
        "files": campaign.panel == "link",
        "sees_ids": request.user.has_perm("panels.view_raw_ids"),
        "bonuses": bonuses,
    }


def _against(study: Study, people: Iterable[int | None]) -> dict[int | None, list[str]]:
    """Return what speaks against the answers of each of these people, at most a minute old."""
    found = recent_result(TRUST, study, rest=PAUSE_SECONDS)
    every = objections_to_people(study, found.value) if found else {}
    return {pk: every.get(pk or 0, []) for pk in people}


def _asks(payments: list[Payment], *, by_hand: bool) -> bool:
    """Tell whether one of these payments waits for the organizer."""
    states = {payment.state for payment in payments}
    return Payment.State.REVIEW in states or (by_hand and Payment.State.DUE in states)


def _taken(entry: Entry) -> str:
    """Say how long a person took from the first page to sending; "" if they have not sent."""
    seconds = work_time.seconds_taken(entry.assignment)
    return "" if seconds is None else time_taken(seconds)


def calls(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """Return the calls to the panel with their answers, 50 a page, newest first; `?state=` filters them."""
    rows = Call.objects.filter(campaign=campaign).select_related("place").order_by("-pk")
    if state := choice_of(request.GET, "state", Call.State.values):
        rows = rows.filter(state=state)
    return {
        "calls_page": Paginator(rows, A_PAGE).get_page(request.GET.get("calls")),
        "calls_open": not {"calls", "state"}.isdisjoint(request.GET),
        "calls": counts_by_state(campaign.calls),
    }
