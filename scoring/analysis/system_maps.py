"""Maps of a study's systems by how differently they rank, without any judgment. Cached while the
runs are the same, and computed in pieces: for 300 runs and 1,000 topics a map takes a minute.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Q

from collection.cached_results import CachedResult, Progress
from collection.models import Placement, Run, Study, Topic
from scoring.analysis.topic_filter import groups_of, topics_in
from scoring.compute import child_process
from scoring.models import StoredScores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import DistanceKind
    from scoring.compute.map_layout import Mapped

# The top of the rankings that is compared. Deeper ones would differ in what hardly anybody sees.
DEPTH = 20
KEPT_SECONDS = 7 * 86400
# Distances that a piece of the work computes, and topics that it reads at most: a second's work or less.
PIECE, PIECE_TOPICS = 250_000, 200
# A map that takes fewer distances is computed at once.
AT_ONCE = 60_000


def kinds() -> "dict[str, DistanceKind]":
    """Distances for a map, by name, the default first."""
    from prefir.measures import DISTANCES

    return DISTANCES


@dataclass(frozen=True)
class Systems:
    """A study's runs, by name, and the version of their rankings."""

    runs: list[tuple[int, str]]
    version: str


def systems(study: Study) -> Systems:
    """The runs of a map."""
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    # A run that is replaced has another id, and its rankings never change.
    stamp = hashlib.sha256(repr(runs).encode()).hexdigest()[:20]
    return Systems(runs, stamp)


def _version(study: Study) -> str:
    return systems(study).version


def _is_small(study: Study) -> bool:
    runs = Run.objects.filter(study=study).count()
    return runs * (runs - 1) // 2 * Topic.objects.filter(study=study).count() <= AT_ONCE


def _compute(study: Study, progress: Progress, kind: str, group: str = "") -> "Mapped | None":
    """Compute a map in chunks of 200 topics, all or those of a group (`topics_in`); None without topics.

    Time grows with topics x runs squared.
    """
    from scoring.compute.map_layout import mapped, totals

    kept = topics_in(study, group)
    every = Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    topics = [topic for topic in every if kept is None or topic in kept]
    runs = [pk for pk, _ in systems(study).runs]
    summed = None
    done = 0
    for piece in _pieces(topics, len(runs)):
        progress(done, len(topics))
        found = child_process.call(totals, kind, _rankings(piece, runs, Q(topic__in=piece)))
        if summed is None:
            summed = found
        else:
            summed.join(found)
        done += len(piece)
    return child_process.call(mapped, summed) if summed is not None else None


def _group_version(study: Study) -> str:
    groups = hashlib.sha256(repr(groups_of(study)).encode()).hexdigest()[:20]
    return f"{_version(study)}.{groups}"


# Of a kind of distance.
MAPS = CachedResult("map", version=_version, compute=_compute, is_small=_is_small)


# Of a kind of distance, and a group of topics.
GROUP_MAPS = CachedResult("group-map", version=_group_version, compute=_compute, is_small=_is_small)


def _pieces(topics: Sequence[int], runs: int) -> Iterator[Sequence[int]]:
    size = min(PIECE_TOPICS, max(1, PIECE // max(1, runs * (runs - 1) // 2)))
    for start in range(0, len(topics), size):
        yield topics[start : start + size]


def _rankings(topics: Sequence[int], runs: Sequence[int], of: Q) -> "list[NDArray[np.int32]]":
    """Tops of the runs' rankings of each topic, (runs, DEPTH); items are numbered from 0, -1 pads the end."""
    import numpy as np

    place = {run: i for i, run in enumerate(runs)}
    line = {topic: i for i, topic in enumerate(topics)}
    tables = np.full((len(topics), len(runs), DEPTH), -1, dtype=np.int32)
    rows = Placement.objects.filter(of, run__in=runs, rank__lte=DEPTH)
    numbers: list[dict[int, int]] = [{} for _ in topics]
    for topic, run, rank, item in rows.values_list("topic_id", "run_id", "rank", "item_id"):
        number = numbers[line[topic]]
        tables[line[topic], place[run], rank - 1] = number.setdefault(item, len(number))
    # A rank that a run leaves out is not one of its list.
    for table in tables:
        for row in np.flatnonzero((table[:, :-1] < table[:, 1:]) & (table[:, :-1] < 0)) // (DEPTH - 1):
            held = table[row][table[row] >= 0]
            table[row] = -1
            table[row, : len(held)] = held
    return list(tables)


@dataclass(frozen=True)
class TopicApart:
    """Distance of two runs on a topic, its number of judgments, and whether its tournament has ended."""

    topic: int
    distance: float
    judgments: int
    decided: bool = False


def by_topic(
    study: Study, of: Systems, kind: str, first: int, second: int, group: str = ""
) -> list[TopicApart]:
    """The topics, all or those of a group, that both runs rank, largest distance first."""
    from scoring.compute.map_layout import apart_by_topic

    key = f"apart:{study.pk}:{of.version}:{kind}:{first}:{second}:{DEPTH}"
    distances: dict[int, float] | None = cache.get(key)
    if distances is None:
        topics = list(Topic.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
        lists = _rankings(topics, [first, second], Q(topic__study=study))
        found = child_process.call(apart_by_topic, kind, lists)
        distances = {topic: value for topic, value in zip(topics, found, strict=True) if value == value}
        cache.set(key, distances, timeout=KEPT_SECONDS)
    rows = StoredScores.objects.filter(topic__study=study)
    known = {
        topic: (judgments, bool(decided))
        for topic, judgments, decided in rows.values_list(
            "topic_id", "judgments", "topic__tournament__finished"
        )
    }
    kept = topics_in(study, group)
    lines = [
        TopicApart(topic, value, *known.get(topic, (0, False)))
        for topic, value in distances.items()
        if kept is None or topic in kept
    ]
    return sorted(lines, key=lambda line: -line.distance)
