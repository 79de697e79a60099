"""Pages of the loaded data: a study's topics and a topic's items, with search and paging; both as CSV."""

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collection.material import contents
from collection.material.levels import place
from collection.models import Item, Run, Study, Topic
from prefir.formats import plain_turns
from web.coordinator.material import duplicates_section
from web.coordinator.placements import EXCERPT, placed_items
from web.shared import tokens, waiting_pages
from web.shared.access import for_members
from web.shared.csv_files import csv_file
from web.shared.phrases import searched
from web.shared.view_choices import choice_of

TOPICS_A_PAGE = ITEMS_A_PAGE = 50
TOPICS_WITH = {
    "bare": "with items that have nothing to show",
    "ungraded": "without any grade",
    "empty": "without any item",
}
ITEMS_WITH = {
    "bare": "with nothing to show",
    "graded": "with a grade",
    "ungraded": "without a grade",
    "unranked": "that no run ranks",
}


@for_members
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """List topics with what each holds. Cost grows with the topics shown."""
    search, only = searched(request), _only(request, TOPICS_WITH)
    page = _page(request, contents.topics(study, search=search, only=only), TOPICS_A_PAGE)
    context = _list(request, study, page, search, only, TOPICS_WITH) | {
        "lines": list(zip(page.object_list, contents.holdings(list(page.object_list)), strict=True)),
        "all": Topic.objects.filter(study=study).count(),
        "runs": Run.objects.filter(study=study).count(),
        "copies": duplicates_section.section(request, study),
    }
    if context["copies"].get("looking"):
        return waiting_pages.looks_again(request, "coordinator/data.html", context)
    return render(request, "coordinator/data.html", context)


@for_members
@require_safe
def topics_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download all rows of the list of topics as CSV, with the same search and filter."""
    found = contents.topics(study, search=searched(request), only=_only(request, TOPICS_WITH))
    return csv_file(_topic_rows(list(found)), f"{study.slug}-topics")


def _topic_rows(found: list[Topic]) -> Iterator[list[Any]]:
    yield ["topic", "text", "items", "graded", "nothing_to_show", "runs"]
    for start in range(0, len(found), TOPICS_A_PAGE):
        piece = found[start : start + TOPICS_A_PAGE]
        for topic, holding in zip(piece, contents.holdings(piece), strict=True):
            yield [topic.name, topic.text, *holding]


@for_members
@require_safe
def items(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """List a topic's items. A search reads the topic's texts."""
    topic = get_object_or_404(Topic, study=study, pk=pk)
    search, only = searched(request), _only(request, ITEMS_WITH)
    page = _page(request, contents.items(topic, search=search, only=only), ITEMS_A_PAGE)
    rows: Any = page.object_list
    shown = placed_items(rows)
    ranked = contents.runs_of(list(shown))
    context = _list(request, study, page, search, only, ITEMS_WITH) | {
        "topic": topic,
        "holding": contents.holdings([topic])[0],
        "lines": [(item, ranked.get(item.pk, 0)) for item in shown.values()],
        "placed": any(item.place is not None for item in shown.values()),
        "runs": Run.objects.filter(study=study).count(),
    }
    return render(request, "coordinator/data_topic.html", context)


@for_members
@require_safe
def items_csv(request: HttpRequest, study: Study, pk: int) -> StreamingHttpResponse:
    """Download all rows of a topic's list of items as CSV, with full texts and the same search and filter."""
    topic = get_object_or_404(Topic, study=study, pk=pk)
    found = contents.items(topic, search=searched(request), only=_only(request, ITEMS_WITH))
    return csv_file(
        _item_rows(topic, found.select_related("grade").annotate(place=place())),
        f"{study.slug}-items-{topic.pk}",
    )


def _item_rows(topic: Topic, found: Any) -> Iterator[list[Any]]:
    yield ["topic", "docno", "grade", "runs", "place", "shows", "width", "height", "text", "description"]
    pages = Paginator(found, 10 * ITEMS_A_PAGE)
    for number in pages.page_range:
        piece: list[Item] = list(pages.page(number).object_list)
        ranked = contents.runs_of([item.pk for item in piece])
        for item in piece:
            grade = item.grade.value if hasattr(item, "grade") else None
            shows = "picture" if item.image else "text" if item.text else "nothing"
            size = [item.width, item.height]
            runs = ranked.get(item.pk, 0)
            yield [
                topic.name,
                item.docno,
                grade,
                runs,
                getattr(item, "place", None),
                shows,
                *size,
                plain_turns(item.text),
                item.description,
            ]


def picture_of(item: Item) -> str:
    """Return the token for an item's picture; "" if it has none."""
    return tokens.sign_image(item.pk) if item.image else ""


def _only(request: HttpRequest, known: dict[str, str]) -> str:
    return choice_of(request.GET, "only", known)


def _page(request: HttpRequest, rows: Any, size: int) -> Page:
    return Paginator(rows, size).get_page(request.GET.get("page"))


def _list(
    request: HttpRequest, study: Study, page: Page, search: str, only: str, choices: dict[str, str]
) -> dict[str, Any]:
    filters = request.GET.copy()
    filters.pop("page", None)
    return {
        "study": study,
        "what": "picture" if study.kind == Study.Kind.IMAGE else "text",
        "page": page,
        "search": search,
        "only": only,
        "choices": choices,
        "filters": filters.urlencode(),
        "excerpt": EXCERPT,
    }
