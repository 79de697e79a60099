"""Saguaro cacti in a desert, with mesas on the horizon."""

import math
import random
from itertools import pairwise

from scripts.painter.paint import HEIGHT, WIDTH, Colour, Point, Sheet, hills, mix

SKIES = [
    ("#3c2f6b", "#c2557a", "#f9965c", "#ffdf95"),
    ("#2f86c4", "#7fc0e0", "#d8ecdf", "#fbeecb"),
    ("#7a2b4a", "#e0563f", "#fb9a45", "#ffe08a"),
    ("#14224f", "#3d4f94", "#a878ac", "#f5b79a"),
]
SANDS = [
    ("#e8a066", "#c4713f", "#6f3540"),
    ("#f3d39a", "#dba866", "#a86b3c"),
    ("#f0a04c", "#c65f30", "#6a2430"),
    ("#c68f8a", "#8f5f78", "#3a2a52"),
]
GREENS = ["#4f7f58", "#4f9a4d", "#4a6f45", "#3f6a6a"]
PLANTS = [
    [(330, 312, 1.0), (112, 272, 0.52), (222, 254, 0.3)],
    [(150, 318, 1.02), (352, 276, 0.56), (268, 252, 0.28)],
    [(248, 316, 1.08), (404, 268, 0.46), (76, 264, 0.42)],
    [(352, 318, 0.98), (172, 282, 0.62), (64, 256, 0.3)],
]
HORIZON = 226.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds mesas, dunes, stones and spines, 0 is bare."""
    sky, sand, green = SKIES[look], SANDS[look], GREENS[look]
    sheet.fill((0, 0, WIDTH, HORIZON), *sky)
    sun = ((150.0, 176.0), (366.0, 66.0), (120.0, 160.0), (196.0, 92.0))[look]
    if detail == 2 and look in (0, 3):
        sheet.stars(rng, 60, 90)
    sheet.glow(sun, 190, colour="#ffe3a0", strength=0.75)
    if detail >= 1:
        disc = 20 if look == 3 else 30
        sheet.oval(sun, disc, disc, "#fffbe0", mix("#ffe08a", sky[3], 0.4))
    if detail == 2:
        for _ in range(5):
            x, y = rng.uniform(0, WIDTH), rng.uniform(50, 150)
            sheet.soft(
                [(x + i * 30, y + rng.uniform(-3, 3), 46, 3.4) for i in range(4)], mix(sky[2], sky[3], 0.5), 6
            )
        _mesas(sheet, rng, sky, sand)
    sheet.fill((0, HORIZON, WIDTH, HEIGHT), *sand)
    if detail >= 1:
        for base, height, share in ((240, 8, 0.2), (266, 10, 0.5), (304, 12, 0.8))[: 3 if detail == 2 else 2]:
            dune = hills(rng, base, height, 2)
            sheet.land(
                dune, base + 70, mix(sand[0], sand[1], share * 0.6), mix(sand[1], sand[2], share * 0.8)
            )
        if detail == 2:
            sheet.fill((0, 338, WIDTH, HEIGHT), mix(sand[1], sand[2], 0.64), mix(sand[1], sand[2], 0.85))
            _ground(sheet, rng, sand, green)
    plants = PLANTS[look] if detail else [(240, 310, 1.0)]
    for x, ground, size in reversed(plants):
        far = mix(green, sky[3], 0.5 * max(0, 0.6 - size) if detail else 0)
        if detail:
            _shadow(sheet, x, ground, size, 1 if sun[0] < x else -1, sand[2])
        _saguaro(
            sheet,
            rng,
            x,
            ground,
            size,
            far,
            -1 if sun[0] < x else 1,
            sky[3],
            mix(sand[0], sand[1], (ground - 226) / 110),
            detail,
        )
    if detail == 2:
        for x, size in ((30, 1.0), (448, 1.25), (236, 0.8)):
            _barrel(sheet, rng, x + rng.uniform(-14, 14), 344, 19 * size, green, sky[3])


def _mesas(sheet: Sheet, rng: random.Random, sky: tuple[str, ...], sand: tuple[str, ...]) -> None:
    for share, count, tall in ((0.30, 4, 34), (0.55, 3, 52)):
        colour = mix(sky[3], mix(sand[2], sky[1], 0.35), share)
        for _ in range(count):
            x, wide, high = rng.uniform(-20, WIDTH), rng.uniform(34, 92), tall * rng.uniform(0.6, 1.15)
            y = HORIZON - high
            sheet.shape(
                [
                    (x - wide * 0.25, HORIZON),
                    (x, y + high * 0.55),
                    (x + wide * 0.06, y),
                    (x + wide * 0.9, y + 2),
                    (x + wide, y + high * 0.5),
                    (x + wide * 1.3, HORIZON),
                ],
                mix(colour, sky[3], 0.1),
                colour,
            )
            for i in range(3):
                bx = x + wide * (0.2 + 0.24 * i)
                sheet.shape(
                    [
                        (bx, y + 3),
                        (bx + wide * 0.1, y + 3),
                        (bx + wide * 0.13, HORIZON),
                        (bx + wide * 0.02, HORIZON),
                    ],
                    mix(colour, sand[2], 0.4),
                    alpha=0.35,
                )
    sheet.mist(HORIZON - 34, HORIZON + 12, sky[3], 0.6)


def _ground(sheet: Sheet, rng: random.Random, sand: tuple[str, ...], green: str) -> None:
    for _ in range(90):
        near = rng.random()
        x, y = rng.uniform(0, WIDTH), HORIZON + 14 + near * 120
        size = 0.8 + 3 * near * rng.random()
        sheet.oval((x + size * 0.6, y + size * 0.4), size * 1.3, size * 0.5, sand[2], alpha=0.4)
        sheet.oval((x, y), size, size * 0.7, mix(sand[0], "white", 0.15), mix(sand[1], sand[2], 0.5))
    for _ in range(26):
        near = rng.random()
        x, y, size = rng.uniform(0, WIDTH), HORIZON + 16 + near * 110, 3 + 8 * near
        for i in range(7):
            angle = math.pi * (0.15 + 0.7 * i / 6)
            end = (x + size * math.cos(angle), y - size * math.sin(angle))
            sheet.line([(x, y), end], mix(mix(green, sand[0], 0.45), sand[2], 0.4 * rng.random()), 0.9)


def _shadow(sheet: Sheet, x: float, ground: float, size: float, side: int, colour: str) -> None:
    w, reach = 16 * size, 130 * size
    foot: list[Point] = [(x - w, ground), (x + w, ground)]
    sheet.shape(
        [*foot, (x + side * reach + w, ground + 24 * size), (x + side * reach - w, ground + 24 * size)],
        colour,
        alpha=0.32,
    )


def _saguaro(
    sheet: Sheet,
    rng: random.Random,
    x: float,
    ground: float,
    size: float,
    colour: Colour,
    lit: int,
    light: str,
    sand: Colour,
    detail: int,
) -> None:
    """A tall ribbed stem with two bent arms; `lit` is the side the sun is on (-1 left, 1 right)."""
    first = rng.choice([-1, 1])
    for side, start, out, up, thick in ((first, 92.0, 40.0, 62.0, 12.0), (-first, 116.0, 38.0, 50.0, 11.0)):
        spine = _bend(x, ground - start * size, side, out * size, up * size)
        _limb(sheet, spine, thick * size, colour, lit, light, detail)
    trunk = [(x, ground + 3 - 212 * size * t / 12) for t in range(13)]
    _limb(sheet, trunk, 18 * size, colour, lit, light, detail)
    if detail:
        # A drift of sand and dry grass hides the foot of the stem.
        sheet.oval((x, ground + 5 * size), 30 * size, 6 * size, sand)
        for i in range(16 * (detail - 1)):
            gx, long = x + rng.uniform(-24, 24) * size, rng.uniform(5, 15) * size
            blade = mix(colour, sand, rng.uniform(0.3, 0.8))
            sheet.line(
                [(gx, ground + 6 * size), (gx + (i - 8) * 0.5 * size, ground + 6 * size - long)],
                blade,
                1.1 * size,
            )
    if detail == 2 and size > 0.5:
        tip = trunk[-1][1]
        for i in range(7):
            angle = math.pi * i / 6
            flower = (x + 11 * size * math.cos(angle), tip - 9 * size * math.sin(angle) - 5 * size)
            sheet.oval(flower, 3.6 * size, 3.2 * size, "#fff6e6")
            sheet.oval(flower, 1.4 * size, 1.3 * size, "#ffc93a")


def _bend(x: float, y: float, side: int, out: float, up: float) -> list[Point]:
    """The middle line of an arm: sideways out of the stem, a quarter turn, then up."""
    corner = 0.55 * out
    line = [(x + side * t * (out - corner) / 3, y) for t in range(4)]
    for t in range(1, 7):
        angle = math.pi / 2 * t / 6
        line.append(
            (x + side * (out - corner + corner * math.sin(angle)), y - corner * (1 - math.cos(angle)))
        )
    line += [(x + side * out, y - corner - (up - corner) * t / 4) for t in range(1, 5)]
    return line


def _limb(
    sheet: Sheet, spine: list[Point], thick: float, colour: Colour, lit: int, light: str, detail: int
) -> None:
    """A rounded limb along its middle line: body, ribs shaded across the width, spines."""
    layers = 1 if detail == 0 else (5 if detail == 1 else 9)
    for i in range(layers):
        # From the full width in shade to a narrow strip in light, moving towards the sun.
        share = i / max(1, layers - 1)
        half = thick * (1 - 0.86 * share)
        shift = lit * thick * 0.5 * share
        tone = mix(mix(colour, "#0d1f2a", 0.45), mix(colour, light, 0.5), share) if layers > 1 else colour
        moved = [(px + shift, py) for px, py in spine]
        sheet.line(moved, tone, 2 * half)
        sheet.oval(moved[-1], half, half, tone)
    if detail == 2 and thick > 4:
        for number, rib in enumerate((-0.72, -0.42, -0.1, 0.24, 0.56, 0.82)):
            line = _beside(spine, rib * thick)
            sheet.line(line, mix(colour, "#0d1f2a", 0.5), max(0.5, thick * 0.05))
            for (px, py), (qx, qy) in pairwise(line):
                share = 0.1 + 0.45 * (number % 2)  # neighbouring ribs have their spines staggered
                sx, sy = px + (qx - px) * share, py + (qy - py) * share
                spines = [(sx - thick * 0.1, sy - 1), (sx, sy), (sx + thick * 0.1, sy - 1)]
                sheet.line(spines, mix(light, "white", 0.3), 0.5)


def _beside(spine: list[Point], offset: float) -> list[Point]:
    """The line that keeps `offset` to the right of the middle line, seen along it."""
    moved = []
    for i, (px, py) in enumerate(spine):
        (ax, ay), (bx, by) = spine[max(0, i - 1)], spine[min(len(spine) - 1, i + 1)]
        length = math.hypot(bx - ax, by - ay) or 1
        moved.append((px - (by - ay) / length * offset, py + (bx - ax) / length * offset))
    return moved


def _barrel(
    sheet: Sheet, rng: random.Random, x: float, ground: float, size: float, green: str, light: str
) -> None:
    sheet.oval((x, ground + size * 0.5), size * 1.4, size * 0.3, "#2a1420", alpha=0.35)
    sheet.oval((x, ground), size, size * 0.86, mix(green, light, 0.35), mix(green, "#0d1f2a", 0.45))
    for i in range(-3, 4):
        reach = i / 3.6
        rib = [
            (x + size * reach * math.sin(math.pi * t / 10), ground - size * 0.84 * math.cos(math.pi * t / 10))
            for t in range(11)
        ]
        sheet.line(rib, mix(green, "#0d1f2a", 0.55), 0.8)
        for px, py in rib[1:-1]:
            sheet.line([(px - 1.6, py - 1), (px, py), (px + 1.6, py - 1)], mix(light, "white", 0.3), 0.5)
    for i in range(5):
        sheet.oval(
            (x - 6 + i * 3, ground - size * 0.86 - rng.uniform(0, 2.4)),
            2.6,
            2.4,
            rng.choice(["#ff5a8a", "#ff8a5a", "#ffd23a"]),
        )
