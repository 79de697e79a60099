"""The page of duplicates: items of a topic that show the same, and topics that ask the same."""

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from collection import duplicates, jobs
from collection.duplicates import Found
from collection.models import Item, Study
from config.task_queue import run_aside
from web import waiting_pages
from web.access import for_members
from web.coordinator.data_files import csv_file
from web.coordinator.placements import shown_of

GROUPS_A_PAGE = 30
TOPICS_SHOWN = 100
ITEMS_SHOWN = 20


@for_members
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """What was found; else a job looks for it. Six queries with those of the login."""
    told: dict[str, Any] = {"study": study, "tab": "data"}
    found = _found(study)
    if found is None:
        told["state"] = duplicates.state(study)
        return waiting_pages.looks_again(request, "coordinator/duplicates.html", told)
    shown = Paginator(found.groups, GROUPS_A_PAGE).get_page(request.GET.get("page"))
    first = shown_of(Item.objects.filter(pk__in=[group.items[0][0] for group in shown.object_list]))
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
    """What was found, a line for each item or topic of a group; the page, where it is not found yet."""
    found = _found(study)
    if found is None:
        return redirect("duplicates", study.slug)
    return csv_file(_rows(found), f"{study.slug}-duplicates")


def _rows(found: Found) -> Iterator[list[Any]]:
    yield ["group", "same", "topic", "docno"]
    for number, names in enumerate(found.topics, 1):
        for _, name in names:
            yield [number, "topic", name, None]
    for number, group in enumerate(found.groups, len(found.topics) + 1):
        for _, docno in group.items:
            yield [number, group.what, group.name, docno]


def _found(study: Study) -> Found | None:
    """The duplicates that are kept, or found at once in a small study; else a job is asked for them."""
    found = duplicates.kept(study)
    if found is not None:
        return found
    if duplicates.is_small(study):
        return duplicates.compute(study)
    if duplicates.state(study) is None:
        run_aside(jobs.find_duplicates, study.pk)
    return None
