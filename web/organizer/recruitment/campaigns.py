"""Pages of campaigns, from draft to closed."""

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collection.models import Study
from config.task_queue import enqueue_coalesced
from panels import jobs, link, money
from panels.base import PANELS, Marketplace, Unavailable
from panels.link import presets
from panels.models import Call, Campaign, Payment, Place
from panels.money import OverCap
from panels.participants import participations
from panels.payments import payouts
from panels.recruitment import campaigns, closure, cost_estimate
from panels.recruitment.campaigns import CannotCampaign
from panels.recruitment.standstill import Standstill, places_out, standstills
from web.forecast.judging_cost import cost_by_hour
from web.forecast.needs import needed
from web.organizer.recruitment import campaign_lists, money_answer
from web.organizer.recruitment.budget_bar import drawn_budget
from web.organizer.recruitment.campaign_forms import ArmForm, CapForm, NewForm, TermsForm, WaveForm
from web.organizer.recruitment.campaign_lists import campaign_of, counts_by_state, why_refused
from web.organizer.recruitment.campaign_next import NextStep, next_step, steps
from web.shared.access import for_organizers
from web.shared.phrases import count
from web.shared.waiting_pages import changed_part

# Failing calls are counted up to this number.
HELD = 100
State = Campaign.State
# States before anybody can come.
PLANNED = (State.DRAFT, State.ARMED)


class CampaignLine(NamedTuple):
    """A campaign in the list: its places by state, why the panel refused some, its money, why it stands
    still, and what to do next.
    """

    campaign: Campaign
    places: dict[str, int]
    refused: str
    sums: money.Sums
    still: Standstill | None
    next: NextStep


@never_cache
@for_organizers
def index(request: HttpRequest, study: Study) -> HttpResponse:
    """List the study's campaigns and budgets; on POST, create a campaign."""
    form = NewForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            panel, _, preset = form.cleaned_data["panel"].partition("/")
            made = campaigns.new(study, panel, preset=preset, **_as_needed(study, panel))
        except CannotCampaign as error:
            form.add_error(None, str(error))
        else:
            return redirect("campaign", study.slug, made.pk)
    found = Campaign.objects.filter(study=study).order_by("-number")
    still = {one.campaign.pk: one for one in standstills(study)}
    lines = [_line(one, still.get(one.pk)) for one in found]
    told = {"study": study, "lines": lines, "form": form, "still": list(still.values())}
    if study.tasks.exists():
        told |= money_answer.told(request.GET, study, [line.campaign for line in lines])
    # Without a campaign there is nothing that more could be asked for by.
    told |= {"steers": True, "judging": bool(lines) and study.judging_is_open}
    told["publish"] = _to_publish(study, lines)
    return render(request, "organizer/campaigns.html", told)


def _to_publish(study: Study, lines: list[CampaignLine]) -> str:
    """Return where planned places are published; "" where no campaign has that as its next step."""
    found = next((line.campaign.pk for line in lines if line.next.part == "publish"), None)
    return f"{reverse('campaign', args=[study.slug, found])}#publish" if found else ""


def _line(campaign: Campaign, still: Standstill | None) -> CampaignLine:
    places = counts_by_state(campaign.slots)
    refused = why_refused(campaign, places)
    return CampaignLine(campaign, places, refused, money.sums(campaign), still, next_step(campaign))


def _as_needed(study: Study, panel: str) -> dict[str, Any]:
    """Return {"places": n}, as many as the study is expected to need.

    {} if the panel offers no places or the need is not known.
    """
    market = isinstance(PANELS[panel], Marketplace)
    if not market or not study.tasks.exists() or not (found := needed(study)).batches:
        return {}
    return {"places": min(found.places(places_out(study)) or 1, campaigns.MOST["places"])}


@never_cache
@for_organizers
def page(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show a campaign: terms, estimate, budget and progress; on POST, do the `action` asked for (ACTIONS).

    The number of queries does not grow with the places.
    """
    campaign = campaign_of(study, pk)
    forms: dict[str, Any] = {}
    if request.method == "POST":
        done = ACTIONS.get(request.POST.get("action", ""))
        if done is None:
            messages.error(request, "Nothing was done: the form does not say what is wanted.")
            return redirect("campaign", study.slug, pk)
        try:
            forms = done(request, campaign) or {}
        except (CannotCampaign, OverCap, payouts.CannotPay) as error:
            messages.error(request, str(error))
        except Unavailable as error:
            title = PANELS[campaign.panel].title
            messages.error(
                request, f"{title} could not be asked: {error} Nothing was changed; try again later."
            )
        if not forms:
            return redirect("campaign", study.slug, pk)
    return _render(request, campaign, forms)


def _render(request: HttpRequest, campaign: Campaign, forms: dict[str, Any]) -> HttpResponse:
    study = campaign.study
    panel = PANELS[campaign.panel]
    market = isinstance(panel, Marketplace)
    published = campaign.slots.exclude(state=Place.State.REFUSED).count()
    needs = needed(study) if market and campaign.state in (*PLANNED, State.RUNNING) else None
    wave = campaigns.next_wave(campaign)
    out = places_out(study) if needs else 0
    wanted = needs.places(out) if needs else wave
    still = next((one.said for one in standstills(study) if one.campaign == campaign), "")
    estimate = (
        cost_estimate.estimate(campaign, needs.batches, checked=needs.checked)
        if needs
        else cost_estimate.estimate(campaign)
    )
    todo, budget = next_step(campaign), money.budget_of(campaign)
    armed = campaign.terms_hash == estimate.hash and campaign.state != State.DRAFT
    told: dict[str, Any] = {
        "study": study,
        "campaign": campaign,
        "panel": panel,
        "market": market,
        "by_hour": _by_hour(campaign) if not market and campaign.state in PLANNED else None,
        "by_itself": panel.pays_by_itself(campaign.terms) if isinstance(panel, Marketplace) else "",
        "published": published,
        "estimate": estimate,
        "needs": needs,
        "armed": armed,
        "drawn": drawn_budget(budget),
        **_counts(campaign),
        # People on a panel without places judge as soon as the campaign is armed.
        "follows": campaign.state in (State.RUNNING, State.STOPPING, *(() if market else (State.ARMED,))),
        "compared_every": _spoken(settings.PANEL_SECONDS),
        "pay": estimate.pay,
        "wave": wave,
        "wanted": wanted,
        "out": out,
        "next": todo,
        "steps": steps(campaign, todo.part, wrong=forms),
        **campaign_lists.people(request, campaign),
        **(campaign_lists.calls(request, campaign) if market else {}),
        "still": still,
        "refusal": panel.refusal(campaign) if isinstance(panel, Marketplace) and not still else "",
        "unfinished": closure.unfinished(campaign) if campaign.state == State.STOPPING else [],
        "terms": forms.get("terms") or TermsForm(instance=campaign, fixed=published > 0),
        "cap": forms.get("cap") or CapForm(campaign=campaign),
        "arm": forms.get("arm")
        or ArmForm(production=campaign.environment == "production", initial={"hash": estimate.hash}),
        "publish": forms.get("publish")
        or WaveForm(
            campaign=campaign,
            proposed=min(wave, wanted or wave),
            published=published,
            room=budget.left,
        ),
        "problems": campaigns.armable(campaign, estimate.hash, typed=campaign.name, acknowledged=True)
        if campaign.state in (State.DRAFT, State.ARMED)
        else [],
        "form": next(iter(forms.values()), None),
        **_by_hand(request, campaign),
    }
    return render(request, "organizer/campaign.html", told)


def _by_hour(campaign: Campaign) -> dict[str, Any]:
    """Return what a study still needs of people who are paid by the hour: batches, hours and money."""
    needs = needed(campaign.study)
    hours, pay = cost_by_hour(campaign, needs.with_failing)
    return {"needs": needs, "hours": hours, "pay": pay}


def _by_hand(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """Return the address to give the service of a panel link, with its placeholders, the codes that it has to
    know, and what to do there.
    """
    if campaign.panel != link.Link.name:
        return {"address": "", "codes": [], "by_hand": ""}
    terms = {**link.Link.defaults, **campaign.terms}
    query = presets.query_of(terms)
    address = request.build_absolute_uri(f"/p/{campaign.token}/") + (f"?{query}" if query else "")
    return {"address": address, "codes": link.codes_of(terms), "by_hand": presets.note_of(terms)}


def _counts(campaign: Campaign) -> dict[str, Any]:
    """Return what a campaign has reached so far: places, people, payments, sums, and failing calls."""
    tried = [Call.State.WAITING, Call.State.DOUBT]
    held = campaign.calls.filter(state__in=tried, attempts__gt=0).exclude(error="").order_by("-pk")
    said = list(held.values_list("error", flat=True)[:HELD])
    places = counts_by_state(campaign.slots)
    return {
        "campaign": campaign,
        "held": len(said),
        "held_most": len(said) == HELD,
        "held_by": said[0] if said else "",
        "sums": money.sums(campaign),
        "places": places,
        "refused": why_refused(campaign, places),
        "people": counts_by_state(campaign.entries),
        "payments": counts_by_state(campaign.payments),
        "review": campaign.payments.filter(state=Payment.State.REVIEW).count(),
    }


def _spoken(seconds: float) -> str:
    """Return an interval in words: "minute" or "N seconds"."""
    return "minute" if seconds == 60 else f"{seconds:g} seconds"


@for_organizers
@require_safe
def counts(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Render the counts of a campaign for its page, which polls each second. At most ten queries."""
    return changed_part(
        request,
        "organizer/_campaign_counts.html",
        _counts(campaign_of(study, pk)),
        of=reverse("campaign", args=[study.slug, pk]),
    )


@for_organizers
@require_safe
def budget(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Render the budget of a campaign for its page, which polls each second."""
    return changed_part(
        request,
        "organizer/_budget.html",
        {"drawn": drawn_budget(money.budget_of(campaign_of(study, pk)))},
        of=reverse("campaign", args=[study.slug, pk]),
    )


def _save(request: HttpRequest, campaign: Campaign) -> dict[str, Any] | None:
    form = TermsForm(
        request.POST, instance=Campaign.objects.get(pk=campaign.pk), fixed=campaign.slots.exists()
    )
    if not form.is_valid():
        return {"terms": form}
    given = form.given
    if campaign.slots.exists():
        given = {name: value for name, value in given.items() if name not in ("reward", "currency", "terms")}
    try:
        campaigns.change(campaign.pk, **given)
    except CannotCampaign as error:
        form.add_error(None, str(error))
        return {"terms": form}
    messages.success(request, "Saved.")
    return None


def _cap(request: HttpRequest, campaign: Campaign) -> dict[str, Any] | None:
    form = CapForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return {"cap": form}
    money.set_cap(campaign, form.cleaned_data["cap"])
    messages.success(request, f"The study may spend {form.cleaned_data['cap']} {campaign.currency}.")
    return None


def _arm(request: HttpRequest, campaign: Campaign) -> dict[str, Any] | None:
    production = campaign.environment == "production"
    form = ArmForm(request.POST, production=production)
    if not form.is_valid():
        return {"arm": form}
    if production and not request.user.has_perm("panels.publish_for_real"):
        raise PermissionDenied(
            "Your account may not publish for real people. Somebody who may, and may make accounts, gives "
            "that permission there, or the server's administrator: "
            "manage.py account rights NAME --may-publish-for-real."
        )
    given = form.cleaned_data
    campaigns.arm(
        campaign.pk,
        given["hash"],
        typed=given.get("typed", ""),
        acknowledged=given.get("acknowledged", False),
        by=request.user,
    )
    market = isinstance(PANELS[campaign.panel], Marketplace)
    follows = (
        "Nothing is published yet: choose how many places to begin with."
        if market
        else "The measured time of what invited people begin from now on is owed."
    )
    messages.success(request, f"Armed. {follows}")
    return None


def _publish(request: HttpRequest, campaign: Campaign) -> dict[str, Any] | None:
    published = campaign.slots.exclude(state=Place.State.REFUSED).count()
    wave = campaigns.next_wave(campaign)
    form = WaveForm(
        request.POST,
        campaign=campaign,
        proposed=wave,
        published=published,
        room=money.budget_of(campaign).left,
    )
    if not form.is_valid():
        return {"publish": form}
    number, upon = form.cleaned_data["places"], form.cleaned_data["after"]
    campaigns.refuse_beyond_balance(campaign, number)
    places = campaigns.publish(campaign.pk, number, upon=upon)
    cost = payouts.cost(campaign) * len(places)
    messages.success(
        request, f"{count(len(places), 'place')} set aside ({cost} {campaign.currency}) and being published."
    )
    return None


def _collect(request: HttpRequest, campaign: Campaign) -> None:
    if participations.ask(campaign):
        enqueue_coalesced(jobs.compare, campaign.pk)
    else:
        messages.info(request, "It is being compared already.")


def _stop(request: HttpRequest, campaign: Campaign) -> None:
    withdrawn = closure.stop(campaign.pk)
    market = isinstance(PANELS[campaign.panel], Marketplace)
    done = f"Stopped: {count(withdrawn, 'place')} withdrawn." if market else "Stopped."
    messages.success(request, f"{done} Anyone who has begun finishes, and is paid.")


def _close(request: HttpRequest, campaign: Campaign) -> None:
    closure.close(campaign.pk)
    messages.success(request, "Closed. Its books are kept.")


def _go_on(request: HttpRequest, campaign: Campaign) -> None:
    campaigns.go_on(campaign.pk)
    messages.success(request, "Publishing goes on.")


ACTIONS: dict[str, Any] = {
    "save": _save,
    "cap": _cap,
    "arm": _arm,
    "publish": _publish,
    "collect": _collect,
    "stop": _stop,
    "close": _close,
    "go-on": _go_on,
}
