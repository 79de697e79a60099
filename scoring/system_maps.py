"""Maps of a study's systems by how differently they rank, without any judgment: computed in pieces, and kept
as long as the runs are the same.

A map takes every topic's rankings once: for 300 runs and 1,000 topics that is a minute's work. So pages show
what is kept, and ask for a job where nothing is (`scoring.jobs.map_systems`).
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.db.models import Q

from collection.models import Placement, Run, Study, Topic
from scoring import child_process
from scoring.models import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import DistanceKind
    from scoring.map_layout import Mapped

# The top of the rankings that is compared. Deeper ones would differ in what hardly anybody sees.
DEPTH = 20
KEPT_SECONDS = 7 * 86400
# Distances that a piece of the work computes, and topics that it reads at most: a second's work or less.
PIECE, PIECE_TOPICS = 250_000, 200
# A map that takes fewer distances is computed at once.
AT_ONCE = 60_000
# How long a map is taken for being computed by somebody of whom nothing is heard, and asked for.
LEASE_SECONDS = 60
ASKED_SECONDS = 600


def kinds() -> "dict[str, DistanceKind]":
    """Distances by which a map can be drawn, by name, the usual one first."""
    from prefir.measures import DISTANCES

    return DISTANCES


@dataclass(frozen=True)
class Systems:
    """A study's runs, by name, and the version of their rankings."""

    runs: list[tuple[int, str]]
    version: str


def systems(study: Study) -> Systems:
    """The runs that a map would show. One query."""
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    # A run that is replaced has another id, and its rankings never change.
    stamp = hashlib.sha256(repr(runs).encode()).hexdigest()[:20]
    return Systems(runs, stamp)


def kept(study: Study, of: Systems, kind: str) -> "Mapped | None":
    """The map of these runs, if it was computed. No query."""
    found: Mapped | None = cache.get(_map(study.pk, of, kind))
    return found


def state(study: Study, of: Systems, kind: str) -> tuple[int, int] | None:
    """How many topics of how many are done; None if nobody is at it. No query."""
    found: tuple[int, int] | None = cache.get(_lease(study.pk, of, kind))
    return found


def is_small(study: Study, of: Systems) -> bool:
    """Whether a map is computed while a page waits. One query."""
    pairs = len(of.runs) * (len(of.runs) - 1) // 2
    return pairs * Topic.objects.filter(study=study).count() <= AT_ONCE


def ask(study: Study, kind: str) -> None:
    """Note that somebody wants a map, for the job."""
    cache.set(_asked(study.pk, kind), 1, timeout=ASKED_SECONDS)


def compute_asked(study: Study) -> None:
    """Compute the maps that were asked for and are not there."""
    of = systems(study)
    for kind in kinds():
        if cache.get(_asked(study.pk, kind)) and kept(study, of, kind) is None:
            compute(study, of, kind)
            cache.delete(_asked(study.pk, kind))


def compute(study: Study, of: Systems, kind: str) -> "Mapped | None":
    """Compute a map and keep it; None if another process is at it.

    A query for each piece of 200 topics or fewer; time grows with topics x runs squared.
    """
    from scoring.map_layout import mapped, totals

    topics = list(Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True))
    lease = _lease(study.pk, of, kind)
    if not cache.add(lease, (0, len(topics)), timeout=LEASE_SECONDS):
        return None
    try:
        summed = None
        done = 0
        for piece in _pieces(topics, len(of.runs)):
            lists = _rankings(piece, [pk for pk, _ in of.runs], Q(topic__in=piece))
            found = child_process.call(totals, kind, lists)
            if summed is None:
                summed = found
            else:
                summed.join(found)
            done += len(piece)
            cache.set(lease, (done, len(topics)), timeout=LEASE_SECONDS)
        if summed is None:
            return None
        result = child_process.call(mapped, summed)
        cache.set(_map(study.pk, of, kind), result, timeout=KEPT_SECONDS)
    finally:
        cache.delete(lease)
    return result


def _pieces(topics: Sequence[int], runs: int) -> Iterator[Sequence[int]]:
    size = min(PIECE_TOPICS, max(1, PIECE // max(1, runs * (runs - 1) // 2)))
    for start in range(0, len(topics), size):
        yield topics[start : start + size]


def _rankings(topics: Sequence[int], runs: Sequence[int], of: Q) -> "list[NDArray[np.int32]]":
    """The tops of the runs' rankings of each topic, (runs, DEPTH), items numbered from 0, -1 at the end. One
    query for the placements `of` these topics.
    """
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
    """How far apart two runs rank a topic, and how many judgments it has."""

    topic: int
    distance: float
    judgments: int


def by_topic(study: Study, of: Systems, kind: str, first: int, second: int) -> list[TopicApart]:
    """The topics that two runs rank, the one that they rank most differently first.

    One query, two more once while the runs are the same.
    """
    from scoring.map_layout import apart_by_topic

    key = f"apart:{study.pk}:{of.version}:{kind}:{first}:{second}:{DEPTH}"
    distances: dict[int, float] | None = cache.get(key)
    if distances is None:
        topics = list(Topic.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
        lists = _rankings(topics, [first, second], Q(topic__study=study))
        found = child_process.call(apart_by_topic, kind, lists)
        distances = {topic: value for topic, value in zip(topics, found, strict=True) if value == value}
        cache.set(key, distances, timeout=KEPT_SECONDS)
    judged = dict(Scored.objects.filter(topic__study=study).values_list("topic_id", "judgments"))
    lines = [TopicApart(topic, value, judged.get(topic, 0)) for topic, value in distances.items()]
    return sorted(lines, key=lambda line: -line.distance)


def _map(study_id: int, of: Systems, kind: str) -> str:
    return f"map:{study_id}:{of.version}:{kind}:{DEPTH}"


def _lease(study_id: int, of: Systems, kind: str) -> str:
    return f"mapping:{study_id}:{of.version}:{kind}:{DEPTH}"


def _asked(study_id: int, kind: str) -> str:
    return f"map-asked:{study_id}:{kind}"
