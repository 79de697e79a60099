"""The page of one item: as assessors see it, with its grade, every run's rank of it, and its judgments."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collection.material import duplicates
from collection.material.levels import place
from collection.material.pictures import medium_of
from collection.models import Item, Placement, Run, Study
from judging.assessor_names import assessor_name
from judging.models import COUNTING, Assignment, Judgment, JudgmentQuerySet, QuestionRole, Subject
from judging.people import person_names
from judging.people.person_names import UNNAMED
from judging.tasks import KINDS
from web.coordinator.material import data
from web.coordinator.placements import PlacedItem, by_id
from web.shared import tokens
from web.shared.access import May, for_members, may, steers
from web.shared.csv_files import csv_file
from web.shared.typesetting import shows_nothing, typeset

JUDGMENTS_A_PAGE = 50
FIELDS = (
    *("pk", "value", "shown", "seconds", "role", "created_at", "question__key", "question__task__kind"),
    *("assignment__state", "assignment__assessor_id", "assignment__assessor__panel"),
    *("assignment__assessor__label", "assignment__assessor__excluded_at"),
)


@dataclass(frozen=True)
class ItemAnswer:
    """An answer about an item.

    who: its assessor as the reader knows them, recorded_as: as the ledger does; person: their id, 0 where a
    file names nobody. shown: the items as shown, from left to right. said: the answer in the form's word.
    meant: what it says about this item ("won", "lost", "tied", "won and lost"), "" if nothing. counts:
    whether scores use it.
    """

    pk: int
    at: datetime
    who: str
    recorded_as: str
    person: int
    shown: list[PlacedItem]
    said: str
    meant: str
    seconds: float | None
    batch: str
    challenge: bool
    counts: bool


@for_members
@require_safe
def page(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show an item. Fifteen queries at most with those of the login.

    Cost grows with its runs and with the judgments of its topic.
    """
    item = get_object_or_404(
        Item.objects.select_related("topic", "grade").annotate(place=place()), topic__study=study, pk=pk
    )
    ranks = list(_ranks(item))
    before, after, at, of = _beside(request, item)
    filters = request.GET.copy()
    filters.pop("page", None)
    pictured = study.shows_file(item.image.name, item.text)
    text = "" if pictured else typeset(item.text, study.set_as)
    context: dict[str, Any] = {
        "study": study,
        "item": item,
        "grade": item.grade.value if hasattr(item, "grade") else None,
        "file": tokens.sign_image(item.pk) if pictured else "",
        "medium": medium_of(item.image.name) if pictured else "",
        "text": text,
        "empty": bool(text) and shows_nothing(text),
        "ranks": ranks,
        "ranked": study.case != Study.Case.ANSWERS,
        "runs": Run.objects.filter(study=study).count(),
        "filters": filters.urlencode(),
        "before": before,
        "after": after,
        "at": at,
        "of": of,
        "same": _same(study, item),
        "sees_judgments": may(request.user, study, May.WATCH),
        "steers": may(request.user, study, May.STEER),
    }
    if context["sees_judgments"]:
        rows = _judgments(item).order_by("pk").values_list(*FIELDS)
        shown = Paginator(rows, JUDGMENTS_A_PAGE).get_page(request.GET.get("page"))
        context |= {"page": shown, "told": answers_about(study, item, list(shown.object_list))}
        counted = _judgments(item).counting().count()
        context |= {"counted": counted, "not_counted": shown.paginator.count - counted}
        if shown.paginator.num_pages == 1:
            said = Counter(one.meant for one in context["told"] if one.counts and one.meant)
            context["meant"] = said.most_common()
    return render(request, "coordinator/data_item.html", context)


@for_members
@require_safe
def ranks_csv(request: HttpRequest, study: Study, pk: int) -> StreamingHttpResponse:
    """Download every run's rank of an item, as CSV."""
    item = get_object_or_404(Item.objects.select_related("topic"), topic__study=study, pk=pk)
    return csv_file(_rank_rows(item), f"{study.slug}-ranks-{item.pk}")


def _rank_rows(item: Item) -> Iterator[list[Any]]:
    yield ["topic", "docno", "run", "rank", "row", "column"]
    for _, run, rank, row, column in _ranks(item):
        yield [item.topic.name, item.docno, run, rank, row, column]


@for_members
@require_safe
def judgments_csv(request: HttpRequest, study: Study, pk: int) -> StreamingHttpResponse:
    """Download every judgment of an item as CSV, with assessors named as on pages."""
    item = get_object_or_404(Item.objects.select_related("topic"), topic__study=study, pk=pk)
    return csv_file(_told_rows(study, item), f"{study.slug}-judgments-{item.pk}")


def _told_rows(study: Study, item: Item) -> Iterator[list[Any]]:
    head = ["topic", "docno", "time", "person", "assessor", "shown", "answer"]
    yield [*head, "of_this_item", "seconds", "batch", "challenge", "counts"]
    for one in answers_about(study, item, list(_judgments(item).order_by("pk").values_list(*FIELDS))):
        shown = " ".join(other.docno for other in one.shown)
        said = [one.who, one.recorded_as, shown, one.said, one.meant, one.seconds, one.batch]
        told_of = [int(one.challenge), int(one.counts)]
        yield [item.topic.name, item.docno, one.at.isoformat(), *said, *told_of]


def _ranks(item: Item) -> Any:
    rows = Placement.objects.filter(item=item).order_by("rank", "run__name")
    return rows.values_list("run", "run__name", "rank", "row", "column")


def _judgments(item: Item) -> JudgmentQuerySet:
    """Return the current answers to questions about an item, without those of files being loaded."""
    asked = Subject.objects.filter(item=item).order_by().values("question")
    rows = Judgment.objects.current().filter(topic=item.topic_id, question__in=asked)
    return rows.exclude(assignment__state=Assignment.State.LOADING)


def answers_about(study: Study, item: Item, rows: Sequence[Any]) -> list[ItemAnswer]:
    """Return these judgments (tuples of FIELDS) as answers about the item."""
    names = person_names.names(study, {row[9] for row in rows}, labels=steers(study))
    ids = {int(subject) for row in rows for subject in row[6].split()}
    items = by_id(ids)
    return [_answer_about(item, items, names, *row) for row in rows]


def _answer_about(
    item: Item,
    items: dict[int, PlacedItem],
    names: Mapping[int, str],
    pk: int,
    value: Any,
    shown: str,
    seconds: float | None,
    role: str,
    at: datetime,
    key: str,
    kind: str,
    state: str,
    assessor: int,
    panel: str,
    label: str,
    excluded: datetime | None,
) -> ItemAnswer:
    subjects = [int(subject) for subject in key.split()]
    places = [int(place) for place in shown] if shown else list(range(len(subjects)))
    counting = state in COUNTING and excluded is None
    return ItemAnswer(
        pk=pk,
        at=at,
        who=names[assessor],
        recorded_as=assessor_name(panel, label, assessor),
        person=0 if names[assessor] == UNNAMED else assessor,
        shown=[items[subjects[place]] for place in places],
        said=KINDS[kind].word(value),
        meant=_meant(subjects.index(item.pk), KINDS[kind].leans(value, shown)),
        seconds=seconds,
        batch="excluded" if excluded else str(Assignment.State(state).label),
        challenge=role != QuestionRole.COUNTS,
        counts=counting and role == QuestionRole.COUNTS,
    )


def _meant(own: int, leans: Any) -> str:
    """Return what preferences say about the subject at index `own`.

    "won", "lost" or "tied" if all of them agree, else "won and lost"; "" if none is about it.
    """
    signs = set()
    for first, second, lean in leans:
        if own in (first, second):
            signs.add((lean > 0) - (lean < 0) if own == first else (lean < 0) - (lean > 0))
    if not signs:
        return ""
    if len(signs) > 1:
        return "won and lost"
    return {1: "won", -1: "lost", 0: "tied"}[signs.pop()]


def _beside(request: HttpRequest, item: Item) -> tuple[Item | None, Item | None, int, int]:
    """Return the items before and after one in the list that led to it, its number there, and of how many.

    In the whole list of its topic where that list leaves it out.
    """
    ids = list(data.listed_items(request, item.topic))
    if item.pk not in ids:
        ids = list(Item.objects.filter(topic=item.topic_id).order_by("docno").values_list("pk", flat=True))
    at = ids.index(item.pk)
    near = Item.objects.only("pk", "docno").in_bulk([*ids[max(0, at - 1) : at], *ids[at + 1 : at + 2]])
    before = near.get(ids[at - 1]) if at else None
    after = near.get(ids[at + 1]) if at + 1 < len(ids) else None
    return before, after, at + 1, len(ids)


def _same(study: Study, item: Item) -> list[tuple[int, str]]:
    """Return the duplicates of an item in its topic; [] if duplicates were not searched for yet."""
    found = duplicates.DUPLICATES.cached(study)
    for group in found.groups if found else ():
        if group.topic == item.topic_id and any(pk == item.pk for pk, _ in group.items):
            return [one for one in group.items if one[0] != item.pk]
    return []
