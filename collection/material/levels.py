"""Effectiveness levels: grades, and above them the top ranks that tournaments decide."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, Max, OuterRef, Subquery, When
from django.db.models.functions import Coalesce

from collection.changes import raise_revisions
from collection.models import Grade, Item
from config.sql import execute, ids


def grades(topic_id: int) -> dict[int, float]:
    """Grades of a topic by item id."""
    return dict(Grade.objects.filter(item__topic_id=topic_id).values_list("item_id", "value"))


def levels(topic_id: int) -> dict[str, float]:
    """Effectiveness levels of a topic by docno.

    The topic's top items stand in order above all its grades, ties on one level; the rest keep their grades.
    """
    return merged_levels([topic_id])[topic_id]


def levels_and_grades(topic_id: int) -> tuple[dict[str, float], dict[str, float]]:
    """`levels` of a topic, and its grades as they were given, by docno.

    Every item with a grade has a level.
    """
    rows = execute(LEVELS, [ids([topic_id])])
    return _merged([topic_id], rows, 0.0)[topic_id], {
        docno: grade for _, docno, _, grade in rows if grade is not None
    }


# Of `Item.objects`: those of a file that is being loaded are left out.
LEVELS = """
SELECT item.topic_id, item.docno, item.top_rank, grade.value
FROM collection_item item LEFT JOIN collection_grade grade ON grade.item_id = item.id
WHERE item.topic_id {among} AND (item.top_rank IS NOT NULL OR grade.item_id IS NOT NULL)
      AND (item.loaded_by_id IS NULL
           OR item.loaded_by_id NOT IN (SELECT id FROM collection_import WHERE state = 'running'))
"""


def merged_levels(topic_ids: Sequence[int], *, above: float = 0.0) -> dict[int, dict[str, float]]:
    """`levels` of several topics, by topic id.

    A topic's last top rank gets the first whole number above its highest grade and above `above`, each better
    rank one more.
    """
    return _merged(topic_ids, execute(LEVELS, [ids(topic_ids)]), above)


def _merged(
    topic_ids: Sequence[int], rows: list[tuple[Any, ...]], above: float
) -> dict[int, dict[str, float]]:
    graded: dict[int, dict[str, float]] = {pk: {} for pk in topic_ids}
    ranked: dict[int, dict[str, int]] = {pk: {} for pk in topic_ids}
    highest = dict.fromkeys(topic_ids, above)
    for topic_id, docno, rank, grade in rows:
        highest[topic_id] = max(highest[topic_id], grade or 0.0)
        if rank is not None:
            ranked[topic_id][docno] = rank
        else:
            graded[topic_id][docno] = grade
    for topic_id, ranks in ranked.items():
        order = sorted(set(ranks.values()), reverse=True)
        lowest = highest[topic_id] // 1 + 1
        graded[topic_id] |= {docno: lowest + order.index(rank) for docno, rank in ranks.items()}
    return graded


def highest_grade(study_id: int) -> float:
    """The highest grade of a study, 0 without grades: the same scale for all topics of an export."""
    found = Grade.objects.filter(item__topic__study_id=study_id).aggregate(highest=Max("value"))["highest"]
    return found or 0.0


def place() -> Case:
    """Expression of an item's place in its topic's top as readers count it: items that tie share one, and the
    next is left out (1, 2, 3, 3, 5); null for others.
    """
    above = Item.objects.filter(topic=OuterRef("topic"), top_rank__lt=OuterRef("top_rank")).order_by()
    better = Subquery(above.values("topic").annotate(n=Count("pk")).values("n"))
    return Case(When(top_rank__isnull=False, then=Coalesce(better, 0) + 1), default=None)


@transaction.atomic
def set_top_ranks(topic_id: int, ranks: Mapping[int, int]) -> bool:
    """Store the ranks of a topic's top items (item id -> rank, 1 is best), and forget all others.

    Returns whether anything changed; only then are listeners notified.
    """
    items = list(Item.objects.filter(topic_id=topic_id).exclude(top_rank=None))
    items += Item.objects.filter(topic_id=topic_id, pk__in=ranks, top_rank=None)
    changed = [item for item in items if item.top_rank != ranks.get(item.pk)]
    if not changed:
        return False
    for item in changed:
        item.top_rank = ranks.get(item.pk)
    Item.objects.bulk_update(changed, ["top_rank"])
    raise_revisions([topic_id], settled=False)
    return True
