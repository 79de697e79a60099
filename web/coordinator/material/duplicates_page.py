"""The page of duplicates: items of a topic with the same content, and topics with the same text."""

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from collection.material.duplicates import DUPLICATES, DuplicateReport
from collection.models import Item, Study
from web.coordinator.placements import placed_items
from web.shared import waiting_pages
from web.shared.access import for_members
from web.shared.csv_files import csv_file

GROUPS_A_PAGE = 30
TOPICS_SHOWN = 100
ITEMS_SHOWN = 20


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the duplicates found. If they are not computed yet, a job does so and the page refreshes."""
    told: dict[str, Any] = {"study": study}
    found = waiting_pages.result(DUPLICATES, study)
    if found is None:
        told["state"] = DUPLICATES.progress(study)
        return waiting_pages.looks_again(request, "coordinator/duplicates.html", told)
    shown = Paginator(found.groups, GROUPS_A_PAGE).get_page(request.GET.get("page"))
    first = placed_items(Item.objects.filter(pk__in=[group.items[0][0] for group in shown.object_list]))
    told |= {
        "found": found,
        "page": shown,
        "groups": [
            (group, first.get(group.items[0][0]), group.items[:ITEMS_SHOWN], len(group.items) - ITEMS_SHOWN)
            for group in shown.object_list
        ],
        "topics": found.topics[:TOPICS_SHOWN],
    }
    return render(request, "coordinator/duplicates.html", told)


@for_members
@require_safe
def as_csv(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download the duplicates as CSV, a line for each item or topic of a group.

    Redirects to the page if they are not computed yet.
    """
    found = waiting_pages.result(DUPLICATES, study)
    if found is None:
        return redirect("duplicates", study.slug)
    return csv_file(_rows(found), f"{study.slug}-duplicates")


def _rows(found: DuplicateReport) -> Iterator[list[Any]]:
    yield ["group", "same", "topic", "docno"]
    for number, names in enumerate(found.topics, 1):
        for _, name in names:
            yield [number, "topic", name, None]
    for number, group in enumerate(found.groups, len(found.topics) + 1):
        for _, docno in group.items:
            yield [number, group.what, group.name, docno]
