"""What is done about the payments of a campaign."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection.models import Study
from panels.models import Entry, Payment
from panels.money import OverCap
from panels.payments import payouts, work_time
from web.organizer.recruitment.campaign_lists import campaign_of
from web.shared.access import for_organizers
from web.shared.phrases import count


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
        elif action == "review-all":
            waiting = list(own.filter(state=Payment.State.REVIEW).order_by("pk").values_list("pk", flat=True))
            for one in waiting:
                payouts.settle_review(one)
            messages.success(request, f"{count(len(waiting), 'payment')} will be paid.")
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
    return redirect(f"{reverse('campaign', args=[study.slug, pk])}#people")


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
