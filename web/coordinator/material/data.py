"""Pages of the loaded data: a study's topics and a topic's items, with search and paging; both as CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collection.material import contents
from collection.material.levels import place
from collection.material.pictures import is_picture
from collection.models import Item, Run, Study, Topic
from judging import ledger
from prefir.formats import plain_turns
from prefir.formats.conversations import NO_ANSWER
from web.coordinator.material import duplicates_section
from web.coordinator.placements import EXCERPT, PlacedItem, placed_items
from web.shared import tokens, typesetting, waiting_pages
from web.shared.access import for_members
from web.shared.csv_files import csv_file
from web.shared.phrases import natural, searched
from web.shared.sorted_heads import heads, sort_of, without
from web.shared.view_choices import choice_of

A_PAGE = 50
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
# Sort keys of the lists: numbers sort descending at first, ranks ascending, since 1 is best.
TOPIC_SORTS = ("name", "items", "graded", "bare", "runs", "judged")
ITEM_SORTS = ("docno", "grade", "runs", "best", "judged", "place")
# Of an item that no run ranks: the number of runs and the best rank.
NOWHERE: tuple[int, int | None] = (0, None)


@dataclass(frozen=True)
class ItemLine:
    """An item with the number of runs that rank it, its best rank in them and its number of judgments."""

    item: PlacedItem
    runs: int
    best: int | None
    judged: int


@for_members
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """List topics with what each holds. Cost grows with the topics shown."""
    search, only = searched(request), _only(request, TOPICS_WITH)
    sort, down = sort_of(request.GET, TOPIC_SORTS)
    page = _page(request, _sorted_topics(contents.topics(study, search=search, only=only), sort, down))
    known = Topic.objects.in_bulk(list(page.object_list))
    shown = [known[pk] for pk in page.object_list if pk in known]
    judged = ledger.judgments_of_topics([topic.pk for topic in shown])
    what, total = study.shows, contents.total(study)
    columns = [
        ("name", study.words.topic.capitalize(), False),
        ("items", study.words.items.capitalize(), True),
        *([("graded", "Graded", True)] if total.graded else []),
        *([("bare", f"Without {what}", True)] if total.bare else []),
        ("runs", study.words.runs.capitalize(), True),
        ("judged", "Judgments", True),
    ]
    context = _list(request, study, page, search, only, TOPICS_WITH) | {
        "heads": heads(columns, sort, down, without(request.GET)),
        "lines": [
            (topic, holding, judged.get(topic.pk, 0))
            for topic, holding in zip(shown, contents.holdings(shown), strict=True)
        ],
        "bare": total.bare > 0,
        "all": Topic.objects.filter(study=study).count(),
        "total": total,
        "runs": Run.objects.filter(study=study).count(),
        "copies": duplicates_section.section(request, study),
    }
    if context["copies"].get("looking"):
        return waiting_pages.looks_again(request, "coordinator/data.html", context)
    return render(request, "coordinator/data.html", context)


def _sorted_topics(found: QuerySet[Topic], sort: str, down: bool) -> list[int]:
    """Return the ids of topics in the order that is asked for. By a number, all of them are counted."""
    named = sorted(found.values_list("pk", "name"), key=lambda one: natural(one[1]))
    ids = [pk for pk, _ in named]
    if sort == "name":
        return ids[::-1] if down else ids
    if sort == "judged":
        numbers = ledger.judgments_of_topics(ids)
    else:
        rows = list(found)
        held = zip(rows, contents.holdings(rows), strict=True)
        numbers = {topic.pk: getattr(holding, sort) for topic, holding in held}
    return sorted(ids, key=lambda pk: numbers.get(pk, 0) * (-1 if down else 1))


@for_members
@require_safe
def topics_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download all rows of the list of topics as CSV, with the same search and filter."""
    found = contents.topics(study, search=searched(request), only=_only(request, TOPICS_WITH))
    return csv_file(_topic_rows(list(found)), f"{study.slug}-topics")


def _topic_rows(found: list[Topic]) -> Iterator[list[Any]]:
    yield ["topic", "text", "items", "graded", "nothing_to_show", "runs", "judgments"]
    for start in range(0, len(found), A_PAGE):
        piece = found[start : start + A_PAGE]
        judged = ledger.judgments_of_topics([topic.pk for topic in piece])
        for topic, holding in zip(piece, contents.holdings(piece), strict=True):
            yield [topic.name, topic.text, *holding, judged.get(topic.pk, 0)]


@for_members
@require_safe
def items(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """List a topic's items, the top first once it is known. A search reads the topic's texts."""
    topic = get_object_or_404(Topic, study=study, pk=pk)
    search, only = searched(request), _only(request, ITEMS_WITH)
    placed, sort, down = _item_sort(request, topic)
    judged = ledger.judgments_of_items(topic.pk)
    page = _page(request, listed_items(request, topic))
    shown: list[int] = list(page.object_list)
    items_of, ranks = placed_items(Item.objects.filter(pk__in=shown)), contents.ranks_of(shown)
    holding = contents.holdings([topic])[0]
    # Each model has one answer, its own, of rank 1.
    ranked = study.case != Study.Case.ANSWERS
    columns = [
        ("docno", "Docno" if ranked else "Model", False),
        *([("grade", "Grade", True)] if holding.graded else []),
        *((("runs", "In runs", True), ("best", "Best rank", False)) if ranked else ()),
        ("judged", "Judgments", True),
        *([("place", "Place", False)] if placed else []),
    ]
    context = _list(request, study, page, search, only, ITEMS_WITH) | {
        "topic": topic,
        "holding": holding,
        "heads": heads(columns, sort, down, without(request.GET)),
        "lines": [
            ItemLine(_plain(items_of[pk], study.set_as), *ranks.get(pk, NOWHERE), judged=judged.get(pk, 0))
            for pk in shown
            if pk in items_of
        ],
        "placed": placed,
        "ranked": ranked,
        "finds": f"Find in {'docno' if ranked else 'model'} or text",
        "runs": Run.objects.filter(study=study).count(),
    }
    return render(request, "coordinator/data_topic.html", context)


def _item_sort(request: HttpRequest, topic: Topic) -> tuple[bool, str, bool]:
    """Return whether a topic's top is known, by what its items are sorted, and whether that descends."""
    placed = Item.objects.filter(topic=topic, top_rank__isnull=False).exists()
    sort, down = sort_of(request.GET, ITEM_SORTS)
    return placed, "place" if placed and "sort" not in request.GET else sort, down


def listed_items(request: HttpRequest, topic: Topic) -> QuerySet[Item, int] | list[int]:
    """Return the ids of a topic's items that an address asks for, in its order."""
    found = contents.items(topic, search=searched(request), only=_only(request, ITEMS_WITH))
    return _sorted_items(found, topic, *_item_sort(request, topic)[1:])


def _plain(item: PlacedItem, markup: str) -> PlacedItem:
    """Return the item with the beginning of its text as plain words, "" of an empty answer."""
    text = "" if item.text == NO_ANSWER else item.text
    return replace(item, text=typesetting.start(text, markup, EXCERPT) if text else "")


def _sorted_items(
    found: QuerySet[Item], topic: Topic, sort: str, down: bool
) -> QuerySet[Item, int] | list[int]:
    """Return the ids of a topic's items in the order that is asked for; those without a number come last."""
    if sort == "docno":
        return found.order_by("-docno" if down else "docno").values_list("pk", flat=True)
    if sort in ("grade", "place"):
        by = F("grade__value" if sort == "grade" else "top_rank")
        order = by.desc(nulls_last=True) if down else by.asc(nulls_last=True)
        graded = F("grade__value").desc(nulls_last=True)
        return found.order_by(order, graded, "docno").values_list("pk", flat=True)
    ids = list(found.values_list("pk", flat=True))
    if sort == "judged":
        numbers: Mapping[int, int] = ledger.judgments_of_items(topic.pk)
    else:
        ranks = contents.ranks_in(topic).items()
        numbers = {pk: best if sort == "best" else runs for pk, (runs, best) in ranks}
    none = inf if sort == "best" and not down else 0
    return sorted(ids, key=lambda pk: numbers.get(pk, none) * (-1 if down else 1))


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
    head = ["topic", "docno", "grade", "runs", "best_rank", "judgments", "place", "shows", "width", "height"]
    yield [*head, "text", "description"]
    judged = ledger.judgments_of_items(topic.pk)
    pages = Paginator(found, 10 * A_PAGE)
    for number in pages.page_range:
        piece: list[Item] = list(pages.page(number).object_list)
        ranked = contents.ranks_of([item.pk for item in piece])
        for item in piece:
            grade = item.grade.value if hasattr(item, "grade") else None
            shows = "picture" if item.image else "nothing" if item.text in ("", NO_ANSWER) else "text"
            size = [item.width, item.height]
            yield [
                topic.name,
                item.docno,
                grade,
                *ranked.get(item.pk, NOWHERE),
                judged.get(item.pk, 0),
                getattr(item, "place", None),
                shows,
                *size,
                plain_turns(item.text),
                item.description,
            ]


def picture_of(item: Item) -> str:
    """Return the token for an item's picture; "" if it has none."""
    return tokens.sign_image(item.pk) if is_picture(item.image.name) else ""


def _only(request: HttpRequest, known: dict[str, str]) -> str:
    return choice_of(request.GET, "only", known)


def _page(request: HttpRequest, rows: Any) -> Page:
    return Paginator(rows, A_PAGE).get_page(request.GET.get("page"))


def _list(
    request: HttpRequest, study: Study, page: Page, search: str, only: str, choices: dict[str, str]
) -> dict[str, Any]:
    filters = request.GET.copy()
    filters.pop("page", None)
    return {
        "study": study,
        "what": study.shows,
        "page": page,
        "search": search,
        "only": only,
        # Each answer is ranked by its own model.
        "choices": {
            key: study.words.put_in(label)
            for key, label in choices.items()
            if key != "unranked" or study.case != Study.Case.ANSWERS
        },
        "filters": filters.urlencode(),
    }
