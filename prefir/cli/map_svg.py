"""Draw a map of systems as SVG: points, circles for stability, labels that stay apart, and a Shepard plot."""

from collections.abc import Sequence
from html import escape
from math import floor, log10, nan
from unicodedata import east_asian_width

from prefir.measures.system_map import SystemMap

from .map_families import KEY_HEIGHT, family_key, family_signs

WIDE, HIGH, SIDE, TOP = 960, 560, 560, 72  # the drawing, the map's share of its width, the heading
INK, MUTED, HAIR, PAPER, BLUE, ORANGE = "#1b1f24", "#59636e", "#d5dae0", "#ffffff", "#0072b2", "#d55e00"


def map_svg(
    plan: SystemMap,
    labels: Sequence[str],
    stabilities: Sequence[float] | None = None,
    *,
    title: str = "Map of systems",
    families: Sequence[tuple[str, str]] | None = None,
    spread: str = "standard deviation",
) -> str:
    """Draw the map as SVG: a point and a circle for each system, and a Shepard plot beside them.

    labels (systems,): the names. stabilities (systems,): the result of `stability`; radii are proportional
    to it and the key gives the scale; nan draws no circle. Without stabilities there are points only.
    families (systems,): family and variant of each, such as an engine and a way to ask it, or its day: colour
    and shape of the points, with a line through each family in the order given.
    spread: what the stabilities are, in the key.
    The drawing is self-contained and has its own light background, a title and a description in words.
    Raises ValueError where there are not as many labels, stabilities or families as points, or a stability is
    negative.
    """
    count = len(plan.points)
    spreads = [nan] * count if stabilities is None else [float(value) for value in stabilities]
    if len(labels) != count or len(spreads) != count:
        raise ValueError(
            f"{count} points need as many labels ({len(labels)}) and stabilities ({len(spreads)})"
        )
    if families is not None and len(families) != count:
        raise ValueError(f"{count} points need as many families ({len(families)})")
    if any(value < 0 or value == float("inf") for value in spreads):
        raise ValueError("a stability is negative or not finite")
    largest = max((value for value in spreads if value >= 0), default=0.0)
    radii = [30 * value / largest if value >= 0 and largest else 0.0 for value in spreads]
    centres, unit = _placed(plan.points)
    kind = "metric" if plan.metric else "non-metric"
    shape = "; a circle's radius: how much its distances vary over topics" if largest else ""
    told = f"Near systems rank items alike{shape}. {kind.capitalize()}, stress {plan.stress:.3f}."
    high = HIGH + (KEY_HEIGHT if families else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" height="{high}" '
        'role="img" aria-labelledby="map-title map-told" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="{INK}">',
        f'<title id="map-title">{_text(title)}</title>',
        f'<desc id="map-told">{_text(told)}</desc>',
        f'<rect width="{WIDE}" height="{high}" fill="{PAPER}"/>',
        f'<text x="24" y="34" font-size="18" font-weight="600">{_text(title)}</text>',
        f'<text x="24" y="56" fill="{MUTED}">{_text(told)}</text>',
    ]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{BLUE}" fill-opacity="0.13" '
        f'stroke="{BLUE}" stroke-opacity="0.45"/>'
        for (x, y), radius in zip(centres, radii, strict=True)
        if radius
    ]
    if families:
        parts += family_signs(centres, families)
        parts += family_key(families, 24, HIGH + 12, WIDE - 48)
    else:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{BLUE}"/>' for x, y in centres]
    parts += _named(centres, labels)
    parts += _key(unit if plan.metric else 0.0, largest, spread)  # only a metric map has one scale throughout
    parts += _shepard(plan)
    return "\n".join([*parts, "</svg>", ""])


def _placed(points: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], float]:
    """Scale the points to the drawing, both axes alike; also returns the pixels of a distance of 1."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    wide, high = SIDE - 170, HIGH - TOP - 150
    unit = min(wide / ((max(xs) - min(xs)) or 1e-9), high / ((max(ys) - min(ys)) or 1e-9))
    if unit > 1e8:  # all in one place
        unit = 0.0
    middle = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
    centre = (SIDE / 2, TOP + 50 + high / 2)
    return [(centre[0] + unit * (x - middle[0]), centre[1] - unit * (y - middle[1])) for x, y in points], unit


def _named(centres: Sequence[tuple[float, float]], labels: Sequence[str]) -> list[str]:
    """Draw the labels, each where it hides least: beside its point first, then farther out with a line."""
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


def _key(unit: float, largest: float, spread: str) -> list[str]:
    """Draw the key: the scale of the map and the meaning of the largest circle."""
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
            f'<text x="370" y="{y + 4}" fill="{MUTED}">{_text(spread)} {largest:.3g}</text>',
        ]
    return parts


def _shepard(plan: SystemMap) -> list[str]:
    """Draw the Shepard plot: distances on the map over those given; nearer to the line is truer."""
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
    power = 10.0 ** floor(log10(most))
    return float(max(digit for digit in (1, 2, 5) if digit * power <= most * 1.0000001) * power)


def _text(words: str) -> str:
    # XML 1.0 cannot represent most control characters, not even escaped.
    return escape("".join(sign if sign.isprintable() else " " for sign in words))
