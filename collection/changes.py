"""Change counters of topics, and the signal that a topic changed; listeners connect themselves."""

from collections.abc import Iterable

from django.db.models import F
from django.dispatch import Signal

from collection.models import Topic

# Sent inside the transaction, with topic_id and settled (a verdict fell). Listeners enqueue their task on
# commit; a lost nudge is made up for by their sweeps, which compare revisions.
judgments_changed = Signal()


def raise_revisions(topic_ids: Iterable[int], *, settled: bool) -> None:
    """Raise the change counters of topics and notify listeners; call inside the change's transaction.

    `settled`: a verdict fell, so tournaments may move. One query for one topic, two for more.
    """
    ids = sorted(set(topic_ids))
    if len(ids) > 1:
        # Rows are locked in one order everywhere; otherwise two batches over the same topics could deadlock.
        rows = Topic.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
        list(rows.values_list("pk"))
    changes = {"revision": F("revision") + 1}
    if settled:
        changes["settled"] = F("settled") + 1
    Topic.objects.filter(pk__in=ids).update(**changes)
    for topic_id in ids:
        judgments_changed.send(sender=Topic, topic_id=topic_id, settled=settled)
