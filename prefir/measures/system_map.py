"""Map systems by their distances: Hoeffding distances over all topics, stability, and the plane (MDS)."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefir.extras import require

from .hoeffding import Run, chances, hoeffding_matrix
from .rbo import ABSENT, rank_of

STABILITY_FORMS = ("deviation", "variance")
"""Forms of `stability`: the project's own, and equation 14 of Sun et al."""


@dataclass(frozen=True, slots=True)
class Distances:
    """Distances between systems: by_topic (topics, systems, systems), and their mean, matrix.

    The diagonals are 0. Systems are in the order given, topics in that of the first system's run.
    chances (topics,): the share of each topic in the mean, adding up to 1; None where all weigh alike.
    """

    systems: tuple[str, ...]
    topics: tuple[Hashable, ...]
    matrix: NDArray[np.float64]
    by_topic: NDArray[np.float64]
    chances: NDArray[np.float64] | None = None


def weighted_distances(
    systems: tuple[str, ...],
    topics: tuple[Hashable, ...],
    by_topic: NDArray[np.float64],
    weights: Mapping[Any, float] | None,
) -> Distances:
    """Make `Distances` of a distance matrix for each topic, with the topics' weights, if any.

    weights: topic -> weight, at least 0, of all topics and not all 0. Raises ValueError for others.
    """
    if weights is None:
        return Distances(systems, topics, by_topic.mean(axis=0), by_topic)
    shares = np.array(chances(topics, weights))
    if not shares.any():
        raise ValueError("all topics have weight 0")
    return Distances(systems, topics, np.tensordot(shares, by_topic, 1), by_topic, shares)


def distance_matrix(
    runs: Mapping[str, Run],
    *,
    depth: int | None = None,
    n: int | None = None,
    q: float = 1.0,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    normalize: bool = True,
    topic_weights: Mapping[Any, float] | None = None,
) -> Distances:
    """Expected weighted Hoeffding distances between all systems, over the topics that all of them have.

    runs: system -> topic -> ranking. depth: how many items of each ranking count, by default all.
    n: the number of items, by default for each topic those that any of the systems lists, so that all
    distances of a topic are comparable; without n a topic in which none lists anything is left out.
    topic_weights: as in `mean_hoeffding`; `stability` weighs by them, too.
    Raises ValueError where there is no system or no topic that all have, depth is below 1, or as
    `hoeffding`. Time grows with topics x systems^2 x depth.
    Source: Sun, Lebanon & Collins-Thompson, WWW 2010.
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth is {depth}; it must be at least 1")
    systems = tuple(runs)
    if not systems:
        raise ValueError("there are no systems to compare")
    topics, layers = [], []
    for topic in runs[systems[0]]:
        if all(topic in run for run in runs.values()):
            rankings = [runs[system][topic][:depth] for system in systems]
            number: dict[str, int] = {}
            for ranking in rankings:
                for docno in rank_of(ranking):
                    number.setdefault(docno, len(number))
            if not number and n is None:
                continue
            if n is not None and n < len(number):
                raise ValueError(f"n is {n}, but the systems list {len(number)} items for topic {topic!r}")
            codes = np.full((len(systems), max(map(len, rankings))), -1, dtype=np.int32)
            for row, ranking in zip(codes, rankings, strict=True):
                row[: len(ranking)] = [number[docno] for docno in ranking]
            topics.append(topic)
            items = n or len(number)
            layers.append(
                hoeffding_matrix(codes, n=items, q=q, floor=floor, weights=weights, normalize=normalize)
            )
    if not topics:
        raise ValueError("there is no topic in which all systems have rankings to compare")
    return weighted_distances(systems, tuple(topics), np.stack(layers), topic_weights)


def stability(distances: Distances, *, form: str = "deviation") -> tuple[float, ...]:
    """Spread over topics of each system's distances to the others; small is stable.

    form: "variance", the sum over the other systems of the variance over topics of the distance to each, as
    equation 14 has it; topics, with the chances that they have, are the whole population there. "deviation":
    the square root of the mean over the other systems of the sample variance, in the unit of the distances,
    whatever the number of systems. Where topics weigh alike both order the systems alike; circles drawn with
    radii by "variance" differ more in size.
    0 where a system's distances are the same in every topic. `ABSENT` (nan) below two topics or two
    systems. Raises ValueError for another form.
    Source: Sun, Lebanon & Collins-Thompson, WWW 2010, eq. 14.
    """
    if form not in STABILITY_FORMS:
        raise ValueError(f"there is no form {form!r} of stability; there are {', '.join(STABILITY_FORMS)}")
    topics, count = len(distances.topics), len(distances.systems)
    if topics < 2 or count < 2:
        return (ABSENT,) * count
    shares = np.full(topics, 1 / topics) if distances.chances is None else distances.chances
    gaps = distances.by_topic - np.tensordot(shares, distances.by_topic, 1)
    variances = np.tensordot(shares, gaps**2, 1)
    if form == "variance":
        return tuple(variances.sum(axis=1).tolist())
    # As n / (n - 1) for topics that weigh alike; of a single topic nothing is known.
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = variances / (1 - (shares**2).sum())
    return tuple(np.sqrt(variances.sum(axis=1) / (count - 1)).tolist())


@dataclass(frozen=True, slots=True)
class SystemMap:
    """Systems as points in the plane, with the figures of a Shepard plot, which shows how true the map is.

    points: (x, y) of each system. stress: Kruskal's stress-1; 0 is a perfect map, .05 good, .2 poor.
    dissimilarities, disparities, distances: for each pair of systems (0, 1), (0, 2) ... (1, 2) ...: what
    was given, what the map should show (the same in a metric map, the nearest rising function of it in
    a non-metric one) and what it shows.
    """

    points: tuple[tuple[float, float], ...]
    stress: float
    dissimilarities: tuple[float, ...]
    disparities: tuple[float, ...]
    distances: tuple[float, ...]
    metric: bool


def system_map(distances: ArrayLike | Distances, *, metric: bool = True, seed: int = 0) -> SystemMap:
    """Multidimensional scaling (SMACOF) of the systems' distances into the plane.

    distances: `Distances`, or a symmetric matrix (systems, systems), at least 0, with 0 on its diagonal.
    metric: show the distances themselves; otherwise only their order, on a map scaled so that its
    distances are, in least squares, as large as those given. Equal distances may differ on a non-metric
    map. The best result of a classical start and of random ones from `seed`; equal input gives an equal
    map: its centre is at 0, it is widest along x, and the point farthest out on an axis is on its
    positive side. Systems at distance 0 may coincide.
    Raises ValueError for another shape, no system, or values that are not distances.
    Source: Kruskal, Psychometrika 29, 1964; the embedding is scikit-learn's. Time grows with systems^2.
    """
    given = np.asarray(distances.matrix if isinstance(distances, Distances) else distances, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not len(given):
        raise ValueError(f"distances must be of shape (systems, systems); the shape is {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise ValueError("a distance is negative or not finite")
    if given.diagonal().any() or not np.allclose(given, given.T, rtol=1e-9, atol=1e-12):
        raise ValueError("distances must be symmetric, with 0 on the diagonal")
    upper = np.triu_indices(len(given), 1)
    wanted = given[upper]
    if not wanted.any():  # one system, or all in one place
        zeros = (0.0,) * len(wanted)
        return SystemMap(((0.0, 0.0),) * len(given), 0.0, zeros, zeros, zeros, metric)
    best = min((_judged(start, wanted, metric) for start in _starts(given, metric, seed)), key=lambda m: m[0])
    stress, points, shown, disparities = best
    return SystemMap(
        tuple((float(x), float(y)) for x, y in points),
        stress,
        tuple(wanted.tolist()),
        tuple(disparities.tolist()),
        tuple(shown.tolist()),
        metric,
    )


def _starts(given: NDArray[np.float64], metric: bool, seed: int) -> list[NDArray[np.float64]]:
    require("sklearn")
    from sklearn.manifold import MDS

    # A non-metric embedding takes 0 between two systems for "unknown".
    known = np.maximum((given + given.T) / 2, given.max() * 1e-9)
    np.fill_diagonal(known, 0.0)
    common = {
        "n_components": 2,
        "metric_mds": metric,
        "metric": "precomputed",
        "max_iter": 300,
        "eps": 1e-8,
        "random_state": seed,
        "normalized_stress": True,
    }
    return [
        MDS(init=init, n_init=count, **common).fit(known).embedding_
        for init, count in (("classical_mds", 1), ("random", 16 if metric else 4))
    ]


def _judged(
    points: NDArray[np.float64], wanted: NDArray[np.float64], metric: bool
) -> tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Turn points to their standard position; returns stress, points, distances on the map, disparities."""
    points = points - points.mean(axis=0)
    points = points @ np.linalg.svd(points, full_matrices=False)[2].T
    # Rounded first, so that the last digit of two equal extremes does not decide the side.
    far = np.abs(np.round(points, 9)).argmax(axis=0)
    points = points * np.where(points[far, [0, 1]] < 0, -1.0, 1.0)
    left, right = np.triu_indices(len(points), 1)
    shown = np.hypot(*(points[left] - points[right]).T)
    disparities = wanted
    if not metric:
        require("sklearn")
        from sklearn.isotonic import IsotonicRegression

        scale = (wanted @ shown) / (shown @ shown) if shown.any() else 1.0
        points, shown = points * scale, shown * scale
        disparities = IsotonicRegression().fit_transform(wanted, shown)
    misses = float(((disparities - shown) ** 2).sum())
    squares = float((shown**2).sum())
    return (sqrt(misses / squares) if squares else 0.0), points, shown, disparities
