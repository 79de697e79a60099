"""What the page of money says first: what finishing costs, what to do next, and each budget drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from collection.models import Study
from panels.models import Budget, Campaign
from tournament.remaining_work import left
from web.forecast import completion, purchase_section
from web.forecast.completion import Completion
from web.forecast.purchase_form import answers
from web.forecast.topic_work import topic_work
from web.organizer.recruitment.budget_bar import drawn_budget

# States in which a campaign's page has a form of the cap.
CAPPED = (Campaign.State.DRAFT, Campaign.State.ARMED, Campaign.State.RUNNING)


@dataclass(frozen=True)
class Lead:
    """A link: what it says, and where it leads."""

    said: str
    address: str


def told(asked: QueryDict, study: Study, campaigns: Sequence[Campaign]) -> dict[str, Any]:
    """Return the answer of the page, its drawings, and what more would buy, as a query asks.

    campaigns: all of the study. Cost grows with topics.
    """
    budgets = list(Budget.objects.filter(study=study).order_by("rehearsal", "currency"))
    found = completion.completion_of(study)
    return {
        "headline": completion.headline(found, budgets),
        "room": completion.room(found, budgets),
        "leads": _leads(study, found, budgets, campaigns),
        "reckoning": completion.reckoning(found),
        "drawings": [drawn_budget(one, found.still(one)) for one in budgets if one.cap],
        **_more(asked, study, found),
    }


def _more(asked: QueryDict, study: Study, found: Completion) -> dict[str, Any]:
    """Return what the part of the page shows that says what more would buy; {} before there is an answer."""
    if not answers(study):
        return {}
    told = purchase_section.section(asked, study, found.cost, topic_work(study, left(study)), found.out)
    return told | {"finished": not (found.batches or found.out)}


def _leads(
    study: Study, found: Completion, budgets: Sequence[Budget], campaigns: Sequence[Campaign]
) -> list[Lead]:
    """Return what to do next about money; [] where nothing is in the way."""
    if found.bare:
        return [Lead("Load files", reverse("files", args=[study.slug]))]
    if not found.batches:
        return []
    if found.price is None:
        return [
            _pay(study, campaigns),
            Lead("invite people without pay", reverse("people", args=[study.slug])),
        ]
    budget = found.asked(budgets)
    if budget is None or budget.left >= found.price:
        return []
    enough = f"{budget.committed + found.price:,.2f} {budget.currency}"
    kind = (budget.rehearsal, budget.currency)
    for one in campaigns:
        if one.state in CAPPED and (one.is_rehearsal, one.currency) == kind:
            word = "Raise" if budget.cap else "Set"
            return [Lead(f"{word} the cap to {enough}", f"{_page(one)}#cap")]
    return [Lead(f"Draft another campaign, with a cap of {enough}", "#new")]


def _pay(study: Study, campaigns: Sequence[Campaign]) -> Lead:
    """Return how to give judgments a price: in the last draft, else in a new campaign."""
    for one in campaigns:
        if one.state == Campaign.State.DRAFT:
            return Lead(f"Set the pay of {one.name}", f"{_page(one)}#terms")
    return Lead("Choose where paid people come from", "#new")


def _page(campaign: Campaign) -> str:
    return reverse("campaign", args=[campaign.study.slug, campaign.pk])
