"""Items of a topic, and the top of each run's ranking, as pages show them."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left, Length

from collection.material.levels import place
from collection.material.pictures import is_picture
from collection.models import Item, Placement, Run, Topic
from prefir.formats import plain_turns
from web.shared import tokens
from web.shared.phrases import cut_docno
from web.shared.typesetting import start

# How many items of each run are shown: a run may rank a thousand; a grid fills a page or two.
LIST_SHOWN = 20
GRID_SHOWN = 100
EXCERPT = 180


@dataclass(frozen=True)
class PlacedItem:
    """An item as pages show it: docno, the beginning of its text or a token for its picture, grade.

    place: its rank among the topic's top items, None if it is not one of them.
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

    @property
    def short(self) -> str:
        """Its docno, cut in the middle if it is long."""
        return cut_docno(self.docno)


@dataclass(frozen=True)
class GridCell:
    """An item at its rank in a run; row and column count from 0, and are None if the run has no grid."""

    item: PlacedItem
    rank: int
    row: int | None
    column: int | None


@dataclass(frozen=True)
class Ranking:
    """The first of the `total` items that a run ranks for a topic."""

    run: str
    cells: Sequence[GridCell]
    total: int

    @property
    def more(self) -> int:
        """The number of items that are not shown."""
        return self.total - len(self.cells)

    @property
    def grid(self) -> list[list[GridCell]]:
        """The cells row by row; empty for a ranking that is not a grid."""
        placed = sorted(
            (cell for cell in self.cells if cell.row is not None), key=lambda c: (c.row or 0, c.column or 0)
        )
        return [list(row) for _, row in groupby(placed, key=lambda cell: cell.row)]


def items(topic: Topic, also: Collection[int], runs: Collection[int]) -> dict[int, PlacedItem]:
    """Return items of a topic by id: its top items, those in `also`, and those that `rankings` will show."""
    own = Q(pk__in=also) | Q(top_rank__isnull=False) | Q(pk__in=_shown(topic, runs).values("item_id"))
    return placed_items(Item.objects.filter(own, topic=topic))


def named(topic: Topic, docnos: Collection[str]) -> dict[str, PlacedItem]:
    """Return items of a topic by docno."""
    found = placed_items(Item.objects.filter(topic=topic, docno__in=docnos))
    return {item.docno: item for item in found.values()}


def by_id(pks: Collection[int]) -> dict[int, PlacedItem]:
    """Return items by id."""
    return placed_items(Item.objects.filter(pk__in=pks))


def placed_items(wanted: QuerySet[Item]) -> dict[int, PlacedItem]:
    """Return items as pages show them, by id, in the query's order; only the starts of texts are read."""
    rows = wanted.annotate(begins=Left("text", EXCERPT), length=Length("text"), place=place()).values_list(
        "pk",
        "docno",
        "begins",
        "length",
        "image",
        "width",
        "height",
        "grade__value",
        "place",
        "topic__study__markup",
    )
    return {
        pk: PlacedItem(
            pk=pk,
            docno=docno,
            text=start(plain_turns(text), markup, EXCERPT) if markup else plain_turns(text),
            cut=length > EXCERPT,
            picture=tokens.sign_image(pk) if is_picture(image) else "",
            width=width,
            height=height,
            grade=grade,
            place=rank,
        )
        for pk, docno, text, length, image, width, height, grade, rank, markup in rows
    }


def rankings(topic: Topic, runs: Collection[int], shown: dict[int, PlacedItem]) -> list[Ranking]:
    """Return the top of these runs' rankings of a topic, by run name. shown: the result of `items`."""
    cells: dict[int, list[GridCell]] = defaultdict(list)
    placements = _shown(topic, runs).order_by("run_id", "rank")
    for run, item, rank, row, column in placements.values_list("run_id", "item_id", "rank", "row", "column"):
        cells[run].append(GridCell(shown[item], rank, row, column))
    # Count by a subquery, since a join would read each run's placements of all topics.
    own = Placement.objects.filter(topic=topic, run=OuterRef("pk")).order_by().values("run_id")
    ordered = Run.objects.filter(pk__in=runs).order_by("name")
    counted = ordered.annotate(total=Subquery(own.annotate(n=Count("pk")).values("n")))
    rows = counted.values_list("pk", "name", "total")
    return [Ranking(name, cells[pk], total or 0) for pk, name, total in rows]


def _shown(topic: Topic, runs: Collection[int]) -> QuerySet[Placement]:
    most = Q(row=None, rank__lte=LIST_SHOWN) | Q(row__isnull=False, rank__lte=GRID_SHOWN)
    return Placement.objects.filter(most, topic=topic, run__in=runs)
