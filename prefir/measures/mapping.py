"""The map of systems: their distances over all topics, how stable these are, and a drawing of them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .hoeffding import Run, hoeffding_matrix
from .rbo import ABSENT, rank_of


@dataclass(frozen=True, slots=True)
class Distances:
    """How far systems are apart: matrix (systems, systems), the mean of by_topic (topics, systems, systems).

    The diagonals are 0. Systems and topics are in the order of the first system's run.
    """

    systems: tuple[str, ...]
    topics: tuple[Hashable, ...]
    matrix: NDArray[np.float64]
    by_topic: NDArray[np.float64]


def distance_matrix(
    runs: Mapping[str, Run],
    *,
    depth: int | None = None,
    n: int | None = None,
    q: float = 1.0,
    normalize: bool = True,
) -> Distances:
    """Expected weighted Hoeffding distance of each system from each other, over the topics all have.

    runs: system -> topic -> ranking. depth: how many items of each ranking are looked at, by default all.
    n: how many items there are, by default for each topic those that any of the systems lists, so that
    all distances of a topic compare; a topic in which none lists anything is left out without n.
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
            layers.append(hoeffding_matrix(codes, n=n or len(number), q=q, normalize=normalize))
    if not topics:
        raise ValueError("there is no topic in which all systems have rankings to compare")
    by_topic = np.stack(layers)
    return Distances(systems, tuple(topics), by_topic.mean(axis=0), by_topic)


def stability(distances: Distances) -> tuple[float, ...]:
    """For each system, how much its distances to the other systems vary over topics: small is stable.

    This project's definition, not checked against equation 14 of Sun, Lebanon & Collins-Thompson:
    the square root of the variance over topics (sample variance) of its distance to another system,
    averaged over the other systems: in the unit of the distances. `ABSENT` (nan) below two topics or
    two systems. It is 0 where a system stands to the others in every topic as on average.
    """
    topics, count = len(distances.topics), len(distances.systems)
    if topics < 2 or count < 2:
        return (ABSENT,) * count
    variance = distances.by_topic.var(axis=0, ddof=1)
    return tuple(float(value) for value in np.sqrt(variance.sum(axis=1) / (count - 1)))


@dataclass(frozen=True, slots=True)
class SystemMap:
    """Systems as points in the plane, and what a Shepard plot shows of how true the map is.

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
    metric: the map shows the distances themselves, or else only their order; then it is scaled so that
    the distances on it are, in least squares, as large as those given. Equal distances may differ
    on a non-metric map. The best of a classical start and of random ones from `seed`; equal input
    gives an equal map: its centre is at 0, it is widest along x, and the point that is farthest out on
    an axis is on its positive side. Systems at distance 0 may coincide.
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
    from sklearn.manifold import MDS

    # A non-metric embedding would take 0 between two systems for "unknown".
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
    """Stress, points turned to their standard position, distances on the map, and disparities."""
    points = points - points.mean(axis=0)
    points = points @ np.linalg.svd(points, full_matrices=False)[2].T
    # Rounded first, so that the last digit of two equal extremes does not choose the side.
    far = np.abs(np.round(points, 9)).argmax(axis=0)
    points = points * np.where(points[far, [0, 1]] < 0, -1.0, 1.0)
    left, right = np.triu_indices(len(points), 1)
    shown = np.hypot(*(points[left] - points[right]).T)
    disparities = wanted
    if not metric:
        from sklearn.isotonic import IsotonicRegression

        scale = (wanted @ shown) / (shown @ shown) if shown.any() else 1.0
        points, shown = points * scale, shown * scale
        disparities = IsotonicRegression().fit_transform(wanted, shown)
    misses = float(((disparities - shown) ** 2).sum())
    squares = float((shown**2).sum())
    return (sqrt(misses / squares) if squares else 0.0), points, shown, disparities


WIDE, HIGH, SIDE, TOP = 960, 560, 560, 72  # the drawing, the map's share of its width, the heading
INK, MUTED, HAIR, PAPER, BLUE, ORANGE = "#1b1f24", "#59636e", "#d5dae0", "#ffffff", "#0072b2", "#d55e00"


def map_svg(
    plan: SystemMap,
    labels: Sequence[str],
    stabilities: Sequence[float] | None = None,
    *,
    title: str = "Map of systems",
) -> str:
    """The map as an SVG drawing: a point and a circle for each system, and a Shepard plot beside it.

    labels (systems,): the names. stabilities (systems,): what `stability` gives; radii are proportional
    to it and the key says how large one is; nan draws no circle. Without it there are points only.
    The drawing has its own light background, a title and a description in words, and needs nothing else.
    Raises ValueError where there are not as many labels or stabilities as points, or one is negative.
    """
    count = len(plan.points)
    spreads = [ABSENT] * count if stabilities is None else [float(value) for value in stabilities]
    if len(labels) != count or len(spreads) != count:
        raise ValueError(
            f"{count} points need as many labels ({len(labels)}) and stabilities ({len(spreads)})"
        )
    if any(value < 0 or value == float("inf") for value in spreads):
        raise ValueError("a stability is negative or not finite")
    largest = max((value for value in spreads if value >= 0), default=0.0)
    radii = [30 * value / largest if value >= 0 and largest else 0.0 for value in spreads]
    centres, unit = _placed(plan.points)
    kind = "metric" if plan.metric else "non-metric"
    shape = "; a circle's radius: how much its distances vary over topics" if largest else ""
    told = f"Near systems rank items alike{shape}. {kind.capitalize()}, stress {plan.stress:.3f}."
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        'role="img" aria-labelledby="map-title map-told" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="{INK}">',
        f'<title id="map-title">{_text(title)}</title>',
        f'<desc id="map-told">{_text(told)}</desc>',
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>',
        f'<text x="24" y="34" font-size="18" font-weight="600">{_text(title)}</text>',
        f'<text x="24" y="56" fill="{MUTED}">{_text(told)}</text>',
    ]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{BLUE}" fill-opacity="0.13" '
        f'stroke="{BLUE}" stroke-opacity="0.45"/>'
        for (x, y), radius in zip(centres, radii, strict=True)
        if radius
    ]
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{BLUE}"/>' for x, y in centres]
    parts += _named(centres, labels)
    parts += _key(unit if plan.metric else 0.0, largest)  # only a metric map has one scale throughout
    parts += _shepard(plan)
    return "\n".join([*parts, "</svg>", ""])


def _placed(points: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], float]:
    """The points on the drawing, both axes to one scale, and how many pixels a distance of 1 has."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    wide, high = SIDE - 170, HIGH - TOP - 150
    unit = min(wide / ((max(xs) - min(xs)) or 1e-9), high / ((max(ys) - min(ys)) or 1e-9))
    if unit > 1e8:  # all in one place
        unit = 0.0
    middle = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
    centre = (SIDE / 2, TOP + 50 + high / 2)
    return [(centre[0] + unit * (x - middle[0]), centre[1] - unit * (y - middle[1])) for x, y in points], unit


def _named(centres: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    """The labels, each where it hides least: beside its point first, then farther out with a line."""
    taken = [(x - 5.0, y - 5.0, x + 5.0, y + 5.0) for x, y in centres]
    drawn = []
    for (x, y), label in zip(centres, labels, strict=True):
        shown = label if len(label) <= 28 else label[:27] + "…"
        width = sum(13.0 if east_asian_width(sign) in "WF" else 8.0 for sign in shown)
        best: tuple[float, float, float, float, int] | None = None
        for far in (8.0, 20.0, 34.0, 50.0):
            for across, down in ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)):
                near = far if across == 0 or down == 0 else far * 0.7
                left = x + across * near - (0 if across > 0 else width if across < 0 else width / 2)
                upper = y + down * (near + 3) - 8
                box = (left, upper, left + width, upper + 16)
                hidden = sum(_overlap(box, other) for other in taken)
                outside = max(0.0, 4 - left) + max(0.0, left + width - SIDE + 4)
                outside += max(0.0, TOP - upper) + max(0.0, upper + 16 - HIGH + 44)
                cost = hidden * 4 + outside * 100 + far
                if best is None or cost < best[0] - 1e-6:
                    best = (cost, left, upper, far, across)
        assert best is not None
        _, left, upper, far, across = best
        taken.append((left, upper, left + width, upper + 16))
        if far > 8:
            edge = min(max(x, left), left + width), min(max(y, upper + 2), upper + 14)
            drawn.append(
                f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{edge[0]:.1f}" y2="{edge[1]:.1f}" stroke="{MUTED}" '
                'stroke-width="0.75"/>'
            )
        drawn.append(
            f'<text x="{left + width * (1 - across) / 2:.1f}" y="{upper + 12:.1f}" '
            f'text-anchor="{("middle", "start", "end")[across]}" stroke="{PAPER}" '
            f'stroke-width="3" paint-order="stroke">{_text(shown)}</text>'
        )
    return drawn


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _key(unit: float, largest: float) -> list[str]:
    """What a length on the map and the largest circle stand for."""
    parts, y = [], HIGH - 30
    if unit:
        step = _round_step(120 / unit)
        parts += [
            f'<path d="M24 {y - 4}v8M24 {y}h{step * unit:.1f}m0 -4v8" fill="none" stroke="{MUTED}"/>',
            f'<text x="{32 + step * unit:.1f}" y="{y + 4}" fill="{MUTED}">distance {step:g}</text>',
        ]
    if largest:
        parts += [
            f'<circle cx="330" cy="{y - 6}" r="30" fill="{BLUE}" fill-opacity="0.13" stroke="{BLUE}" '
            'stroke-opacity="0.45"/>',
            f'<text x="370" y="{y + 4}" fill="{MUTED}">standard deviation {largest:.3g}</text>',
        ]
    return parts


def _shepard(plan: SystemMap) -> list[str]:
    """Distances on the map over those given: the nearer to the line, the truer the map."""
    left, right, top, bottom = SIDE + 64, WIDE - 32, TOP + 50, HIGH - 96
    most = max((*plan.dissimilarities, *plan.distances, *plan.disparities), default=0.0) or 1.0
    step = _round_step(most / 3)
    ticks = [step * i for i in range(int(most / step * 1.0001) + 1)]
    span = most * 1.04

    def at(given: float, shown: float) -> tuple[float, float]:
        return left + (right - left) * given / span, bottom - (bottom - top) * shown / span

    parts = [
        f'<text x="{left}" y="{top - 18}" font-weight="600">Shepard plot</text>',
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="{MUTED}"/>',
    ]
    for tick in ticks:
        (x, y), name = at(tick, tick), f"{tick:.10g}"
        parts += [
            f'<path d="M{left} {y:.1f}H{right}" stroke="{HAIR}" stroke-width="0.75"/>',
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{MUTED}">{name}</text>',
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle" fill="{MUTED}">{name}</text>',
        ]
    parts += [
        f'<text x="{(left + right) / 2}" y="{bottom + 40}" text-anchor="middle" fill="{MUTED}">'
        "distance between systems</text>",
        f'<text transform="translate({left - 44} {(top + bottom) / 2}) rotate(-90)" text-anchor="middle" '
        f'fill="{MUTED}">distance on the map</text>',
    ]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{BLUE}" fill-opacity="0.55"/>'
        for x, y in (at(*pair) for pair in zip(plan.dissimilarities, plan.distances, strict=True))
    ]
    line = sorted(zip(plan.dissimilarities, plan.disparities, strict=True))
    if plan.metric:
        line = [(0.0, 0.0), (most, most)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*pair) for pair in line))
    if path:
        parts.append(f'<polyline points="{path}" fill="none" stroke="{ORANGE}" stroke-width="1.5"/>')
        what = "equal distances" if plan.metric else "nearest rising line"
        parts.append(
            f'<text x="{right}" y="{top - 18}" text-anchor="end" fill="{ORANGE}">line: {what}</text>'
        )
    return parts


def _round_step(most: float) -> float:
    """The largest of 1, 2, 5 x 10^i that is not above `most`."""
    power = 10.0 ** np.floor(np.log10(most))
    return float(max(digit for digit in (1, 2, 5) if digit * power <= most * 1.0000001) * power)


def _text(words: str) -> str:
    # XML has no sign for most control characters, not even escaped.
    return escape("".join(sign if sign.isprintable() else " " for sign in words))
