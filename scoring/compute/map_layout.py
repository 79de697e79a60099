"""Maps of systems, computed without Django: for `child_process.call`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefir.measures import DistanceTotals, system_map, topic_distances

# Pairs of a Shepard plot that are kept: more say no more.
MOST_PAIRS = 2000
# Of each system the nearest others that are kept.
NEAREST = 5


@dataclass(frozen=True)
class Mapped:
    """A map of systems by their places in the order given; plain numbers, so that it can be shown as it is.

    drawn: the places of those on the map, which share a topic pairwise. Of these, in this
    order: points; stabilities, None where they have fewer than two topics; means, of the distances to the
    others; nearest, the places of the nearest five with their distances. shepard: (distance, distance on
    the map) of pairs, at most 2,000 of them, evenly picked. stress: Kruskal's stress-1.
    """

    drawn: list[int]
    points: list[tuple[float, float]]
    stabilities: list[float | None]
    means: list[float]
    nearest: list[list[tuple[int, float]]]
    shepard: list[tuple[float, float]]
    stress: float


def totals(kind: str, topics: list[NDArray[np.int32]]) -> DistanceTotals:
    """Distances summed over topics, each (runs, depth) items numbered from 0, -1 after a list's end."""
    found = DistanceTotals.of(len(topics[0]))
    for lists in topics:
        found.add(topic_distances(lists, kind))
    return found


def mapped(summed: DistanceTotals) -> Mapped:
    """Put systems on a map by their mean distances. Time grows with systems squared: seconds for 300."""
    drawn = _sharing(summed.counts)
    means = summed.means[np.ix_(drawn, drawn)]
    np.fill_diagonal(means, 0.0)
    stabilities = summed.stabilities[drawn]
    if len(drawn) < 2:
        return Mapped(drawn, [(0.0, 0.0)] * len(drawn), [None] * len(drawn), [], [], [], 0.0)
    plan = system_map(means)
    others = means + np.diag(np.full(len(drawn), np.inf))
    near = others.argsort(axis=1, kind="stable")[:, : min(NEAREST, len(drawn) - 1)]
    pairs = list(zip(plan.dissimilarities, plan.distances, strict=True))
    pairs = sorted(pairs)[:: max(1, -(-len(pairs) // MOST_PAIRS))]
    return Mapped(
        drawn=drawn,
        points=list(plan.points),
        stabilities=[None if value != value else float(value) for value in stabilities],
        means=(means.sum(axis=1) / (len(drawn) - 1)).tolist(),
        nearest=[[(drawn[j], float(means[i, j])) for j in row] for i, row in enumerate(near)],
        shepard=pairs,
        stress=plan.stress,
    )


def _sharing(counts: NDArray[np.int64]) -> list[int]:
    """Indices of systems that share a topic pairwise; greedily drops the one that shares with the fewest."""
    there = counts > 0
    left = list(range(len(counts)))
    while left:
        shared = there[np.ix_(left, left)].sum(axis=1)
        if shared.min() == len(left):
            break
        # The last of several, and a system without any topic before all.
        worst = min(range(len(left)), key=lambda i: (shared[i], -i))
        left.pop(worst)
    return left


def apart_by_topic(kind: str, topics: list[NDArray[np.int32]]) -> list[float]:
    """Distance of two systems on each topic; nan where one has no ranking."""
    return [float(topic_distances(lists, kind)[0, 1]) for lists in topics]
