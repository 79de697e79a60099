"""A red sailing boat on a blue sea under fair-weather clouds."""

import math
import random

from scripts.painter.paint import HEIGHT, WIDTH, Colour, Point, Sheet, hills, mix

SKIES = [
    ("#2c7fc4", "#6db6e6", "#cdeaf7"),
    ("#f2a65e", "#f8cf9a", "#fdebc9"),
    ("#1f6fa8", "#4fb0cf", "#d9f3ee"),
    ("#5a86c9", "#a9bfe6", "#f4dfe3"),
]
SEAS = [
    ("#5fb4d6", "#1f7db5", "#0d4a80"),
    ("#f0b878", "#b3787a", "#4a4a7d"),
    ("#7fd6cf", "#1f9aa8", "#0b5a78"),
    ("#a9b7de", "#4c78b5", "#20407c"),
]
BOATS = [(262.0, 1.0), (215.0, 1.06), (285.0, 0.94), (200.0, 1.0)]
SAIL = ("#ff6a4d", "#e0352f", "#a81629")
HORIZON = 214.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds islands, clouds, wake and gulls, 0 is bare."""
    sky, sea, (x, size) = SKIES[look], SEAS[look], BOATS[look]
    sheet.fill((0, 0, WIDTH, HORIZON), *sky)
    light = (86.0 if x > WIDTH / 2 else 394.0, 70.0 if look != 1 else 168.0)
    sheet.glow(light, 170, colour="#fff4d0", strength=0.75)
    if look == 1:
        sheet.glow((light[0], HORIZON), 240, 90, colour="#ff9a4a", strength=0.4)
        sheet.oval(light, 27, 27, "#fffbe0", "#ffe3a0")
    else:
        sheet.oval(light, 17, 17, "#fffbe6")
    if detail >= 1:
        clouds = [(90, 150, 60), (395, 128, 74), (250, 60, 52)] if detail == 2 else [(360, 90, 60)]
        for cx, cy, width in clouds:
            sheet.cumulus(rng, (cx + rng.uniform(-30, 30), cy + rng.uniform(-10, 10)), width, sky)
    if detail == 2:
        for base, height, share in ((HORIZON - 12, 16, 0.25), (HORIZON - 3, 12, 0.5)):
            land = hills(rng, base, height)
            sheet.land(land, HORIZON, mix(sky[1], "#37617a", share), mix(sky[2], "#4a7f80", share))
        sheet.mist(HORIZON - 26, HORIZON + 4, sky[2], 0.55)
    sheet.fill((0, HORIZON, WIDTH, HEIGHT), *sea)
    if detail >= 1:
        sheet.glow((light[0], HORIZON + 20), 150, 40, colour=sky[2], strength=0.4)
        sheet.ripples(
            rng, HORIZON, HEIGHT, [sea[0], mix(sea[2], "black", 0.15), sea[1], "#ffffff"], 110 * detail
        )
    if look == 1 and detail >= 1:
        sheet.glitter(rng, light[0], HORIZON, "#fff0c8", 45 * detail)
    _reflection(sheet, rng, x, size, sea[1], detail)
    _boat(sheet, x, size, detail)
    if detail == 2:
        _swell(sheet, rng, sea)
        for _ in range(4):
            gx, gy, wing = rng.uniform(30, 450), rng.uniform(40, 120), rng.uniform(5, 8)
            sheet.bird((gx, gy), wing, "#ffffff", 1.4)


def _reflection(sheet: Sheet, rng: random.Random, x: float, size: float, sea: str, detail: int) -> None:
    if detail == 0:
        return
    for i in range(26 * detail):
        depth = i / (26 * detail)
        y = 274 + depth * 78
        half = size * (52 - 30 * depth) * rng.uniform(0.35, 1)
        shift = rng.gauss(0, 3 + 9 * depth)
        colour: Colour = mix(rng.choice(SAIL), sea, 0.25 + 0.5 * depth)
        sheet.stroke((x + shift, y), half, 1.4, colour, alpha=0.7 - 0.4 * depth)


def _boat(sheet: Sheet, x: float, size: float, detail: int) -> None:
    def at(px: float, py: float) -> Point:
        # The boat heels a little to the right.
        lean = 0.07 if detail else 0.0
        return x + size * (px - py * lean * -1), 272 + size * (py + px * lean * 0.4)

    def curve(a: Point, b: Point, bulge: float, steps: int = 14) -> list[Point]:
        nx, ny = b[1] - a[1], a[0] - b[0]
        return [
            at(
                a[0] + (b[0] - a[0]) * t / steps + nx * bulge * math.sin(math.pi * t / steps),
                a[1] + (b[1] - a[1]) * t / steps + ny * bulge * math.sin(math.pi * t / steps),
            )
            for t in range(steps + 1)
        ]

    bulge = 0.09 if detail else 0.0
    head, tack, clew = (-2.0, -196.0), (2.0, -34.0), (76.0, -30.0)
    main = [*curve(head, clew, bulge), *curve(clew, tack, 0.02), at(*tack)]
    jib = [
        *curve((-5.0, -178.0), (-70.0, -22.0), -0.03),
        *curve((-70.0, -22.0), (-10.0, -30.0), -0.06),
        *curve((-10.0, -30.0), (-5.0, -178.0), 0.08),
    ]
    sheet.line([at(0, 0), at(-1, -202)], "#5a3a2a", 3.2 * size)
    sheet.shape(main, *SAIL, sideways=True)
    sheet.shape(jib, mix(SAIL[0], "#ffd9b0", 0.35), SAIL[0], SAIL[1], sideways=True)
    if detail == 2:
        for y in (-160, -125, -90, -58):
            reach = 76 * (y + 196) / 166
            sheet.line(curve((0.0, float(y)), (reach + 5, y + 2.0), -0.03), mix(SAIL[1], SAIL[2], 0.5), 0.8)
        sheet.shape([at(-1, -202), at(20, -197), at(-1, -191)], "#ffffff")
        sheet.line([at(2, -32), at(80, -28)], "#7a4a2f", 2.6 * size)
        sheet.line([at(-72, -21), at(-2, -190)], "#f2e6d6", 0.7)
    hull = [*curve((-84.0, -22.0), (86.0, -18.0), 0.035), at(78, 2), at(60, 10), at(-52, 10), at(-70, 0)]
    sheet.shape(hull, "#f04e3e", "#c22032", "#7d1024")
    if detail >= 1:
        sheet.shape(
            [*curve((-84.0, -22.0), (86.0, -18.0), 0.035), at(85, -13), at(-81, -17)], "#fff4e2", "#ead3bd"
        )
        sheet.shape([at(-76, -6), at(82, -3), at(80, 0), at(-74, -3)], "#ffe9d2", alpha=0.8)
    if detail == 2:
        sheet.shape([at(-28, -20), at(-22, -32), at(26, -31), at(34, -18)], "#fff1dc", "#d8b79c")
        for px in (-12, 2, 16):
            sheet.oval(at(px, -25.5), 3 * size, 2.6 * size, "#2d5878")
        sheet.oval(at(48, -27), 4.6, 5, "#2c3f63")
        sheet.oval(at(48, -35), 3.4, 3.4, "#e7b48d")
    # The waterline: foam along the hull and at the bow.
    for i in range(18 if detail else 0):
        sheet.oval(at(-78 + i * 9.4, 9 + 2 * math.sin(i * 1.7)), 8, 2.6, "#ffffff", alpha=0.75)
    if detail == 2:
        for i in range(14):
            sheet.oval(at(-80 - i * 3.2, 8 + i * 0.9), 7 - i * 0.3, 2.4, "#ffffff", alpha=0.5 - i * 0.03)


def _swell(sheet: Sheet, rng: random.Random, sea: tuple[str, ...]) -> None:
    for y, share in ((304, 0.25), (326, 0.5), (346, 0.75)):
        phase, size = rng.uniform(0, 6), 3 + 4 * share
        crest = [
            (float(px), y + size * math.sin(px / (26 + 20 * share) + phase)) for px in range(-8, WIDTH + 9, 8)
        ]
        under = [(px, py + 7 + 9 * share) for px, py in reversed(crest)]
        sheet.shape([*crest, *under], mix(sea[0], "white", 0.2), mix(sea[1], sea[2], share), alpha=0.28)
