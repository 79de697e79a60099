"""Pages of a campaign's people: who came, what they are owed; and the log of calls to the panel."""

from decimal import Decimal

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from collection.models import Study
from panels.base import PANELS
from panels.models import Call, Entry, Payment
from panels.money import OverCap
from panels.payments import payouts, work_time
from web.organizer.recruitment.campaigns import campaign_of, counts_by_state
from web.shared.access import for_organizers
from web.shared.phrases import count

A_PAGE = 50


@never_cache
@for_organizers
def people(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """List the people who came by a campaign and what they are owed, 50 a page, newest first."""
    campaign = campaign_of(study, pk)
    rows = (
        Entry.objects.filter(campaign=campaign)
        .select_related("assessor", "assignment", "place")
        .order_by("-pk")
    )
    found = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    entries = list(found.object_list)
    owed: dict[int, list[Payment]] = {}
    for payment in Payment.objects.filter(entry__in=entries).order_by("pk"):
        assert payment.entry_id is not None
        owed.setdefault(payment.entry_id, []).append(payment)
    lines = [
        (entry, owed.get(entry.pk, []), _minutes(entry), work_time.top_up(campaign, entry))
        for entry in entries
    ]
    hours = Payment.objects.filter(campaign=campaign, entry=None).select_related("assignment__assessor")
    told = {
        "study": study,
        "campaign": campaign,
        "page": found,
        "lines": lines,
        "hours": list(hours.order_by("-pk")[:200]),
        "by_hand": "approve" not in getattr(PANELS[campaign.panel], "repeats", {}),
        "due": campaign.payments.filter(state=Payment.State.DUE).count(),
        "files": campaign.panel == "link",
        "sees_ids": request.user.has_perm("panels.view_raw_ids"),
        "bonuses": "bonus" in getattr(PANELS[campaign.panel], "repeats", {}),
    }
    return render(request, "organizer/campaign_people.html", told)


def _minutes(entry: Entry) -> Decimal | None:
    """Return the minutes from a person's arrival to submitting their batch; None if not submitted."""
    if entry.assignment is None or entry.assignment.submitted_at is None:
        return None
    taken = entry.assignment.submitted_at - entry.arrived_at
    return Decimal(str(round(taken.total_seconds() / 60, 1)))


@for_organizers
@require_POST
def pay(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Release a payment held for review, mark payments as made by hand, or owe a top-up (by `action`)."""
    campaign = campaign_of(study, pk)
    own = Payment.objects.filter(campaign=campaign)
    action = request.POST.get("action", "")
    try:
        if action == "review":
            payouts.settle_review(get_object_or_404(own, pk=_number(request, "payment")).pk)
            messages.success(request, "It will be paid.")
        elif action == "by-hand":
            chosen = own.filter(state=Payment.State.DUE)
            if not request.POST.get("all"):
                chosen = chosen.filter(pk__in=[n for n in request.POST.getlist("payment") if n.isdecimal()])
            done = payouts.mark_paid(list(chosen.values_list("pk", flat=True)), "by hand")
            messages.success(request, f"{count(done, 'payment')} marked as paid.")
        elif action == "top-up":
            entry = get_object_or_404(Entry, campaign=campaign, pk=_number(request, "entry"))
            amount = work_time.top_up(campaign, entry)
            if amount:
                payouts.owe_bonus(entry, amount, "Your batch took longer than we thought.", kind="top-up")
                messages.success(request, f"A bonus of {amount} {campaign.currency} is owed.")
            else:
                messages.info(request, "Their pay reaches the floor already.")
        else:
            messages.error(request, "Nothing was done: the form does not say what is wanted.")
    except (payouts.CannotPay, OverCap) as error:
        messages.error(request, str(error))
    return redirect("campaign-people", study.slug, pk)


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


@never_cache
@for_organizers
def calls(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """List the calls to the panel with their answers, 50 a page, newest first; `?state=` filters them."""
    campaign = campaign_of(study, pk)
    rows = Call.objects.filter(campaign=campaign).select_related("place").order_by("-pk")
    if request.GET.get("state") in Call.State.values:
        rows = rows.filter(state=request.GET["state"])
    found = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    told = {
        "study": study,
        "campaign": campaign,
        "page": found,
        "states": counts_by_state(campaign.calls),
    }
    return render(request, "organizer/campaign_calls.html", told)
