"""Duplicates, a section of the page *Data*: items of a topic that show the same, topics of the same text."""

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
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


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the duplicates for the page *Data*: those known, or with `?duplicates` what a job finds.

    looking: whether that job is at work, so that the page is fetched again in a moment.
    """
    asked = "duplicates" in request.GET
    found = waiting_pages.result(DUPLICATES, study) if asked else DUPLICATES.cached(study)
    if found is None:
        return {"looking": asked, "waiting": waiting_pages.waiting(DUPLICATES, study) if asked else None}
    shown = Paginator(found.groups, GROUPS_A_PAGE).get_page(request.GET.get("copies"))
    first = placed_items(Item.objects.filter(pk__in=[group.items[0][0] for group in shown.object_list]))
    return {
        "found": found,
        "asked": asked,
        "page": shown,
        "groups": [
            (group, first.get(group.items[0][0]), group.items[:ITEMS_SHOWN], len(group.items) - ITEMS_SHOWN)
            for group in shown.object_list
        ],
        "topics": found.topics[:TOPICS_SHOWN],
    }


@for_members
@require_safe
def as_csv(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Download the duplicates as CSV, a line for each item or topic of a group.

    Redirects to the section if they are not computed yet.
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
