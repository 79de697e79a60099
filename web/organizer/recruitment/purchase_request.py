"""The request for a purchase in one step: the next wave of topics, a draft campaign, and the notification."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from collection.models import Study, Watch
from config.task_queue import run_in_background
from panels.base import PANELS, Marketplace
from panels.models import Campaign
from panels.recruitment import campaigns
from panels.recruitment.campaigns import CannotCampaign
from tournament import jobs, services
from tournament.remaining_work import left
from web.alerts import notifications
from web.forecast.judging_cost import cost_of
from web.forecast.purchase import Purchase
from web.forecast.purchase_form import MoreForm, answer_form, state
from web.forecast.topic_work import topic_work
from web.shared.access import for_organizers
from web.shared.phrases import count

AGAIN = (
    "Topics were opened or a campaign was made since this page was shown, so nothing was done now. "
    "Look at what it buys as things stand."
)


@dataclass(frozen=True)
class Requested:
    """What a request led to. told: a sentence for each part, done or skipped. opened: topics opened.
    campaign: the draft, None without one.
    """

    told: list[str]
    opened: int
    campaign: Campaign | None


@for_organizers
def ask(request: HttpRequest, study: Study) -> HttpResponse:
    """Open the topics that a purchase finishes, draft its campaign, and have its reader told of the end."""
    cost = cost_of(study)
    form = MoreForm(request.POST, cost)
    there = f"{redirect('progress', study.slug).url}?{_query(request)}#more"
    if request.method != "POST" or not form.is_valid() or form.lacks_price or not study.judging_is_open:
        return redirect(there)
    bought = answer_form(form, study, topic_work(study, left(study))).bought
    try:
        done = ask_for(study, request.user, bought, cost.campaign, request.POST.get("upon", ""))
    except (services.CannotStart, CannotCampaign) as error:
        messages.error(request, str(error))
        return redirect(there)
    if done is None:
        messages.info(request, AGAIN)
        return redirect(there)
    if done.opened:
        run_in_background(jobs.sweep)
    messages.success(request, " ".join(done.told))
    if done.campaign is not None:
        return redirect("campaign", study.slug, done.campaign.pk)
    return redirect(there)


def _query(request: HttpRequest) -> str:
    given = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "upon"):
        given.pop(name, None)
    return given.urlencode()


@transaction.atomic
def ask_for(study: Study, user: Any, bought: Purchase, like: Campaign | None, upon: str) -> Requested | None:
    """Do all parts or none; None if topics were opened or a campaign made since `upon`, its `state` then.

    like: the campaign whose terms the draft takes over. Raises CannotStart and CannotCampaign.
    """
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if state(locked) != upon:
        return None
    opened, wave = _open(locked, bought)
    campaign, drafted = _draft(locked, bought, like)
    return Requested([wave, drafted, _notify(locked, user)], opened, campaign)


def _open(study: Study, bought: Purchase) -> tuple[int, str]:
    wanted = len(bought.to_open)
    if not wanted:
        why = (
            "the batches are used up by those that are open" if services.waiting(study.pk) else "all are open"
        )
        return 0, f"No further {study.words.topic} was opened: {why}."
    opened = services.start(study.pk, wanted)
    return opened, f"{count(opened, 'further ' + study.words.topic)} opened."


def _draft(study: Study, bought: Purchase, like: Campaign | None) -> tuple[Campaign | None, str]:
    """Draft a campaign for these batches, or change the places of the draft that there is."""
    if like is None:
        return None, "No campaign was drafted: none has a price yet. Choose a panel under Money."
    if not isinstance(PANELS[like.panel], Marketplace):
        return None, f"No campaign was drafted: {like.name} pays invited people by the hour, without places."
    places = min(bought.usable, campaigns.MOST["places"])
    if like.state == Campaign.State.DRAFT:
        changed = campaigns.change(like.pk, places=places)
        return changed, f"The draft {changed.name} now has {count(places, 'place')}. Nothing is spent."
    terms = dict(like.terms)
    same = {name: getattr(like, name) for name in ("reward", "currency", "floor", "minutes")}
    made = campaigns.new(study, like.panel, environment=like.environment, places=places, terms=terms, **same)
    return made, f"{made.name} is drafted with {count(places, 'place')}. Nothing is spent until you arm it."


def _notify(study: Study, user: Any) -> str:
    """Have a person told when topics end, by the ways that they have chosen, else by e-mail."""
    topics = study.words.topics
    watch = Watch.objects.filter(study=study, user=user.pk).first()
    if watch is not None and watch.topics and watch.ways:
        return f"You are told already when {topics} end."
    by_mail = watch.mail if watch is not None and watch.ways else bool(user.email)
    webhook = watch.webhook if watch is not None else ""
    if not by_mail and not webhook:
        return "You are not told when it is done: give an e-mail address under Records, Notifications."
    others = ("stalls", "challenges", "finished", "money")
    kept = {name: bool(watch and getattr(watch, name)) for name in others}
    notifications.watch(study, user.pk, topics=True, mail=by_mail, webhook=webhook, **kept)
    return f"You will be told when {topics} end."
