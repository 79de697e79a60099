"""Change counters of topics, and the signal that a topic changed."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from django.db.models import Count, Sum
from django.dispatch import Signal

from collection.models import Study, Topic
from config.sql import execute, ids, lock_rows

# Sent inside the transaction, with topic_id and settled (a verdict fell). Listeners enqueue their task on
# commit; a lost nudge is made up for by their sweeps, which compare revisions.
judgments_changed = Signal()
# Changes that are kept back, each topic with whether a verdict fell; None: none are.
_kept_back: ContextVar[dict[int, bool] | None] = ContextVar("kept_back", default=None)

RAISE = "UPDATE collection_topic SET revision = revision + 1, settled = settled + %s WHERE id {among}"


@contextmanager
def kept_back() -> Iterator[dict[int, bool]]:
    """Context manager: collect the notifications of the block, for a later `announce`."""
    changes: dict[int, bool] = {}
    token = _kept_back.set(changes)
    try:
        yield changes
    finally:
        _kept_back.reset(token)


def announce(changes: Mapping[int, bool]) -> None:
    """Notify listeners that these topics changed."""
    for topic_id, settled in changes.items():
        judgments_changed.send(sender=Topic, topic_id=topic_id, settled=settled)


def raise_revisions(topic_ids: Iterable[int], *, settled: bool, notify: bool = True) -> None:
    """Raise the change counters of topics and notify listeners; call in the change's transaction.

    settled: a verdict was given, so tournaments may advance. notify=False: the caller notifies.
    """
    changed = sorted(set(topic_ids))
    if changed:
        # In one order everywhere; otherwise two batches over the same topics could deadlock.
        lock_rows(Topic, changed)
        execute(RAISE, [int(settled), ids(changed)])
    if not notify:
        return
    kept = _kept_back.get()
    if kept is None:
        announce(dict.fromkeys(changed, settled))
    else:
        kept.update((topic_id, settled or kept.get(topic_id, False)) for topic_id in changed)


def verdicts_version(study: Study) -> int:
    """A number that rises with every verdict on judgments of a study."""
    settled = Topic.objects.filter(study=study).aggregate(n=Sum("settled"))["n"]
    return settled or 0


def judgments_version(study: Study) -> str:
    """A stamp that changes with the judgments of a study that count, whether they are scored or not."""
    topics = Topic.objects.filter(study=study).aggregate(n=Count("pk"), revisions=Sum("revision"))
    return f"{topics['n']}.{topics['revisions'] or 0}"
