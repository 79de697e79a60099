"""Counts of a study's items, by grade and by whether they have content."""

from collections import defaultdict
from collections.abc import Mapping

from django.db.models import BooleanField, Count, ExpressionWrapper, Q

from collection.models import Item, Study, Topic

# Items of a topic, counted by grade (None: ungraded) and by whether there is nothing to show.
Counts = Mapping[tuple[float | None, bool], int]
# Whether an item has nothing to show: only its docno is known.
BARE = ExpressionWrapper(Q(text="", image=""), output_field=BooleanField())


def counted(study: Study) -> dict[int, Counts]:
    """Counts of each topic's items, by topic id."""
    found: dict[int, dict[tuple[float | None, bool], int]] = {
        pk: defaultdict(int) for pk in Topic.objects.filter(study=study).values_list("pk", flat=True)
    }
    rows = (
        Item.objects.filter(topic__study=study)
        .annotate(bare=BARE)
        .values_list("topic_id", "grade__value", "bare")
        .annotate(n=Count("pk"))
        .order_by()
    )
    for topic, grade, bare, n in rows:
        found[topic][grade, bool(bare)] += n
    return dict(found)
