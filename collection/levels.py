"""Effectiveness levels: grades, and above them the top places that tournaments hand back."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max

from collection.changes import raise_revisions
from collection.models import Grade, Item


def grades(topic_id: int) -> dict[int, float]:
    """Grades of a topic by item id. One query."""
    return dict(Grade.objects.filter(item__topic_id=topic_id).values_list("item_id", "value"))


def levels(topic_id: int) -> dict[str, float]:
    """Effectiveness levels of a topic by docno: the top places in order above all its grades, ties on one
    level; the rest as graded. One query."""
    return merged_levels([topic_id])[topic_id]


def merged_levels(topic_ids: Sequence[int], *, above: float = 0.0) -> dict[int, dict[str, float]]:
    """`levels` of several topics, by topic id. One query.

    The last place of a topic stands on the first whole number over its highest grade and over `above`;
    each better place one higher.
    """
    graded: dict[int, dict[str, float]] = {pk: {} for pk in topic_ids}
    placed: dict[int, dict[str, int]] = {pk: {} for pk in topic_ids}
    highest = dict.fromkeys(topic_ids, above)
    rows = Item.objects.filter(topic_id__in=topic_ids).exclude(grade=None, place=None)
    for topic_id, docno, place, grade in rows.values_list("topic_id", "docno", "place", "grade__value"):
        highest[topic_id] = max(highest[topic_id], grade or 0.0)
        if place is not None:
            placed[topic_id][docno] = place
        else:
            graded[topic_id][docno] = grade
    for topic_id, places in placed.items():
        order = sorted(set(places.values()), reverse=True)
        lowest = highest[topic_id] // 1 + 1
        graded[topic_id] |= {docno: lowest + order.index(place) for docno, place in places.items()}
    return graded


def highest_grade(study_id: int) -> float:
    """The highest grade of a study, 0 where there is none: one scale for all topics of an export.

    One query.
    """
    found = Grade.objects.filter(item__topic__study_id=study_id).aggregate(highest=Max("value"))["highest"]
    return found or 0.0


@transaction.atomic
def set_places(topic_id: int, places: Mapping[int, int]) -> bool:
    """Store the top places (item id -> place, 1 is best) of a topic, and forget all others.

    Returns whether anything changed; only then are listeners nudged. Three queries at most.
    """
    items = list(Item.objects.filter(topic_id=topic_id).exclude(place=None))
    items += Item.objects.filter(topic_id=topic_id, pk__in=places, place=None)
    changed = [item for item in items if item.place != places.get(item.pk)]
    if not changed:
        return False
    for item in changed:
        item.place = places.get(item.pk)
    Item.objects.bulk_update(changed, ["place"])
    raise_revisions([topic_id], settled=False)
    return True
