"""Cached rankings of a topic by every run; a run never changes, a new version is another run."""

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from threading import Lock

from collection.models import Placement

Ranked = dict[str, list[str]]
# Placements that a process keeps: some 8 bytes each.
MOST_KEPT = 500_000

Runs = Mapping[int, datetime]
Key = tuple[int, tuple[tuple[int, datetime], ...]]

_kept: OrderedDict[Key, Ranked] = OrderedDict()
_size = 0
_lock = Lock()


def of_topic(topic_id: int, runs: Runs) -> Ranked:
    """Docnos that each run ranks for a topic, best first, by the run's id. One query, or none.

    runs: id -> when it was added. A topic that is judged is scored again and again: those scored last are
    kept.
    """
    key = (topic_id, tuple(runs.items()))
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = _read(topic_id, runs)
    _keep(key, found)
    return found


def _read(topic_id: int, runs: Runs) -> Ranked:
    found: Ranked = {str(run): [] for run in runs}
    rows = (
        Placement.objects.filter(topic=topic_id)
        .order_by("run_id", "rank")
        .values_list("run_id", "item__docno")
    )
    # Each docno once: most runs rank the same items.
    same: dict[str, str] = {}
    for run, docno in rows:
        own = found.get(str(run))
        if own is not None:
            own.append(same.setdefault(docno, docno))
    return found


def _keep(key: Key, found: Ranked) -> None:
    global _size
    with _lock:
        if key not in _kept:
            _kept[key] = found
            _size += _length(found)
        while _size > MOST_KEPT:
            _, gone = _kept.popitem(last=False)
            _size -= _length(gone)


def _length(found: Ranked) -> int:
    return len(found) + sum(map(len, found.values()))
