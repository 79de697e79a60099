"""Items of a topic and the top of each run's ranking, for pages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left, Length

from collection.material.levels import place
from collection.models import Item, Placement, Run, Topic
from web.shared import tokens

# How much of each run is shown: a run may rank a thousand items; a grid fills a page or two.
LIST_SHOWN = 20
GRID_SHOWN = 100
EXCERPT = 180


@dataclass(frozen=True)
class PlacedItem:
    """An item: docno, the beginning of its text or its picture's token, its grade.

    place: its rank among the topic's top items, or None.
    """

    pk: int
    docno: str
    text: str
    cut: bool  # the text goes on
    picture: str  # a signed token, or empty
    width: int | None
    height: int | None
    grade: float | None
    place: int | None


@dataclass(frozen=True)
class GridCell:
    """An item at its rank in a run. row, column: from 0; None outside a grid."""

    item: PlacedItem
    rank: int
    row: int | None
    column: int | None


@dataclass(frozen=True)
class Ranking:
    """The first items, of `total`, that a run ranks for a topic."""

    run: str
    cells: Sequence[GridCell]
    total: int

    @property
    def more(self) -> int:
        """How many items are not shown."""
        return self.total - len(self.cells)

    @property
    def grid(self) -> list[list[GridCell]]:
        """The cells row by row; empty for a list."""
        placed = sorted(
            (cell for cell in self.cells if cell.row is not None), key=lambda c: (c.row or 0, c.column or 0)
        )
        return [list(row) for _, row in groupby(placed, key=lambda cell: cell.row)]


def items(topic: Topic, also: Collection[int], runs: Collection[int]) -> dict[int, PlacedItem]:
    """Items of a topic by id: top items, those in `also`, and those shown of these runs."""
    own = Q(pk__in=also) | Q(top_rank__isnull=False) | Q(pk__in=_shown(topic, runs).values("item_id"))
    return shown_of(Item.objects.filter(own, topic=topic))


def named(topic: Topic, docnos: Collection[str]) -> dict[str, PlacedItem]:
    """Items of a topic by docno."""
    found = shown_of(Item.objects.filter(topic=topic, docno__in=docnos))
    return {item.docno: item for item in found.values()}


def by_id(pks: Collection[int]) -> dict[int, PlacedItem]:
    """Items by id."""
    return shown_of(Item.objects.filter(pk__in=pks))


def shown_of(wanted: QuerySet[Item]) -> dict[int, PlacedItem]:
    """These items by id, as a page shows them, in their order."""
    rows = wanted.annotate(start=Left("text", EXCERPT), length=Length("text"), place=place()).values_list(
        "pk", "docno", "start", "length", "image", "width", "height", "grade__value", "place"
    )
    return {
        pk: PlacedItem(
            pk=pk,
            docno=docno,
            text=start,
            cut=length > EXCERPT,
            picture=tokens.sign_image(pk) if image else "",
            width=width,
            height=height,
            grade=grade,
            place=rank,
        )
        for pk, docno, start, length, image, width, height, grade, rank in rows
    }


def rankings(topic: Topic, runs: Collection[int], shown: dict[int, PlacedItem]) -> list[Ranking]:
    """The top of these runs' rankings of a topic, by run name. shown: from `items`."""
    cells: dict[int, list[GridCell]] = defaultdict(list)
    placements = _shown(topic, runs).order_by("run_id", "rank")
    for run, item, rank, row, column in placements.values_list("run_id", "item_id", "rank", "row", "column"):
        cells[run].append(GridCell(shown[item], rank, row, column))
    # Counted run by run: a join would read the run's placements of all topics.
    own = Placement.objects.filter(topic=topic, run=OuterRef("pk")).order_by().values("run_id")
    ordered = Run.objects.filter(pk__in=runs).order_by("name")
    counted = ordered.annotate(total=Subquery(own.annotate(n=Count("pk")).values("n")))
    rows = counted.values_list("pk", "name", "total")
    return [Ranking(name, cells[pk], total or 0) for pk, name, total in rows]


def _shown(topic: Topic, runs: Collection[int]) -> QuerySet[Placement]:
    most = Q(row=None, rank__lte=LIST_SHOWN) | Q(row__isnull=False, rank__lte=GRID_SHOWN)
    return Placement.objects.filter(most, topic=topic, run__in=runs)
