"""Contents of a study, for browsing: its topics with counts, and a topic's items. Not cached."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from collection.models import Item, Placement, Run, Study, Topic
from prefir.formats.conversations import NO_ANSWER

# Nothing to show: known by its docno alone, or an answer of a model that is empty.
BARE = Q(text__in=("", NO_ANSWER), image="")
# What a list may be narrowed to.
TOPICS_WITH = ("bare", "ungraded", "empty")
ITEMS_WITH = ("bare", "graded", "ungraded", "unranked")


class Holding(NamedTuple):
    """Counts of a topic: its items, those with a grade, those without content, and the runs that rank any of
    them.
    """

    items: int = 0
    graded: int = 0
    bare: int = 0
    runs: int = 0


def topics(study: Study, *, search: str = "", only: str = "") -> QuerySet[Topic]:
    """Topics of a study by name, those with every word of `search` in their name or text.

    only: one of TOPICS_WITH: those with items that have nothing to show, without any grade, without any item.
    """
    rows = Topic.objects.filter(study=study).order_by("name")
    for word in search.split():
        rows = rows.filter(Q(name__icontains=word) | Q(text__icontains=word))
    own = Item.objects.filter(topic=OuterRef("pk"))
    if only == "bare":
        rows = rows.filter(Exists(own.filter(BARE)))
    elif only == "ungraded":
        rows = rows.filter(~Exists(own.filter(grade__isnull=False)))
    elif only == "empty":
        rows = rows.filter(~Exists(own))
    return rows


def holdings(found: Sequence[Topic]) -> list[Holding]:
    """Counts of these topics of one study, in order.

    Cost grows with the items of these topics, and with the topics times the study's runs.
    """
    ids = [topic.pk for topic in found]
    counted = (
        Item.objects.filter(topic__in=ids)
        .order_by()
        .values("topic_id")
        .annotate(items=Count("pk"), graded=Count("grade"), bare=Count("pk", filter=BARE))
    )
    items = {row["topic_id"]: (row["items"], row["graded"], row["bare"]) for row in counted}
    # Run by run, by an index each: a count of placements would read all of them.
    ranked = Placement.every.filter(topic=OuterRef(OuterRef("pk")), run=OuterRef("pk"))
    runs = Run.objects.filter(Exists(ranked), study=OuterRef("study")).order_by().values("study")
    of_runs = Coalesce(Subquery(runs.annotate(n=Count("pk")).values("n")), 0)
    by_topic = dict(Topic.objects.filter(pk__in=ids).annotate(n=of_runs).values_list("pk", "n"))
    return [Holding(*items.get(pk, (0, 0, 0)), by_topic.get(pk, 0)) for pk in ids]


def total(study: Study) -> Holding:
    """Counts of all items of a study, without its runs. Cost grows with its items."""
    counted = Item.objects.filter(topic__study=study).aggregate(
        items=Count("pk"), graded=Count("grade"), bare=Count("pk", filter=BARE)
    )
    return Holding(**counted)


def items(topic: Topic, *, search: str = "", only: str = "") -> QuerySet[Item]:
    """A topic's items by docno, those with every word of `search` in their docno or text.

    only: one of ITEMS_WITH: those with nothing to show, with a grade, without one, that no run ranks.
    Cost of a search grows with the topic's texts.
    """
    rows = Item.objects.filter(topic=topic).order_by("docno")
    for word in search.split():
        rows = rows.filter(Q(docno__icontains=word) | Q(text__icontains=word))
    if only == "bare":
        rows = rows.filter(BARE)
    elif only in ("graded", "ungraded"):
        rows = rows.filter(grade__isnull=only == "ungraded")
    elif only == "unranked":
        rows = rows.filter(~Exists(Placement.objects.filter(item=OuterRef("pk"))))
    return rows


def ranks_of(found: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Number of runs that rank each of these items, and its best rank, by id; others are left out."""
    return _ranks(Placement.objects.filter(item__in=found))


def ranks_in(topic: Topic) -> dict[int, tuple[int, int]]:
    """`ranks_of` all items of a topic. Cost grows with its placements."""
    return _ranks(Placement.objects.filter(topic=topic))


def _ranks(rows: QuerySet[Placement]) -> dict[int, tuple[int, int]]:
    counted = rows.order_by().values_list("item_id").annotate(n=Count("pk"), best=Min("rank"))
    return {item: (n, best) for item, n, best in counted}
