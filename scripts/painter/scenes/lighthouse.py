"""A lighthouse on a headland at dusk, its lamp lit, the sun just gone below the sea."""

import random

from scripts.painter.paint import HEIGHT, WIDTH, Point, Sheet, hills, mix

SKIES = [
    ("#191a4a", "#472c78", "#b04f86", "#f5895c", "#ffd98a"),
    ("#0b1d3d", "#1c4a75", "#5c93ad", "#f3bd8e", "#ffe6b0"),
    ("#2b1540", "#72245a", "#c94257", "#f67f4b", "#ffc866"),
    ("#0a1230", "#17295c", "#3a4f95", "#8b7dbb", "#f0a898"),
]
SEAS = [
    ("#e88a6b", "#7d4a86", "#231f52"),
    ("#d8b79a", "#3f7391", "#0c2343"),
    ("#ee7f56", "#8a2f5d", "#2a1440"),
    ("#b58bab", "#37498b", "#0b1535"),
]
TOWERS = [330.0, 140.0, 352.0, 118.0]
HORIZON = 232.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds stars, beams, cottage and gulls, 0 is bare."""
    sky, sea, tower = SKIES[look], SEAS[look], TOWERS[look]
    side = 1 if tower > WIDTH / 2 else -1
    sun = WIDTH / 2 - side * 105
    sheet.fill((0, 0, WIDTH, HORIZON), *sky)
    if detail == 2:
        sheet.stars(rng, 70, 120)
    sheet.glow((sun, HORIZON), 260, 120, colour=sky[3], strength=0.55)
    sheet.glow((sun, HORIZON - 2), 90, 60, colour="#fff0c0", strength=0.8)
    if detail >= 1:
        _clouds(sheet, rng, sky, 9 if detail == 2 else 4)
    if detail == 2:
        for base, height, share in ((HORIZON - 5, 7, 0.25), (HORIZON - 1, 5, 0.45)):
            coast = hills(rng, base, height)
            sheet.land(coast, HORIZON, mix(sky[3], sky[0], share + 0.15))
    sheet.fill((0, HORIZON, WIDTH, HEIGHT), *sea)
    if detail >= 1:
        sheet.ripples(rng, HORIZON, HEIGHT, [sea[1], mix(sea[2], "black", 0.2), sky[2]], 70 * detail)
        sheet.glitter(rng, sun, HORIZON, mix(sky[4], "white", 0.3), 46 * detail)
    lamp = (tower, 88.0)
    if detail == 2:
        _beam(sheet, lamp, -side, 0.30)
        _beam(sheet, lamp, side, 0.18)
    _headland(sheet, rng, tower, side, sky, detail)
    if detail == 2:
        _cottage(sheet, tower + side * 62, 226)
    _tower(sheet, tower, detail)
    sheet.glow(lamp, 70, colour="#ffdf8a", strength=0.85, power=2.4)
    sheet.glow(lamp, 20, colour="white", strength=1, power=1.5)
    if detail == 2:
        for _ in range(5):
            x, y, size = sun + rng.uniform(-60, 80), rng.uniform(90, 160), rng.uniform(4, 7)
            sheet.bird((x, y), size, sky[0], 1)


def _clouds(sheet: Sheet, rng: random.Random, sky: tuple[str, ...], count: int) -> None:
    for _ in range(count):
        y = rng.uniform(70, HORIZON - 25)
        low = y / HORIZON
        x, half = rng.uniform(0, WIDTH), rng.uniform(45, 110)
        body = [
            (x + rng.uniform(-half, half) * 0.6, y + rng.uniform(-3, 3), half, 3 + 4 * (1 - low))
            for _ in range(3)
        ]
        sheet.soft(body, mix(sky[1], sky[2], low), 7)
        sheet.soft(
            [(cx, cy + 4, rx * 0.8, ry * 0.45) for cx, cy, rx, ry in body], mix(sky[3], sky[4], 0.5), 5
        )


def _beam(sheet: Sheet, lamp: Point, side: int, strength: float) -> None:
    x, y = lamp
    for spread in (46, 32, 20, 10):
        far = x + side * 420
        sheet.shape(
            [(x, y - 2), (far, y - 40 - spread), (far, y - 40 + spread), (x, y + 2)],
            "#fff1b8",
            alpha=strength / 4,
        )


def _headland(
    sheet: Sheet, rng: random.Random, tower: float, side: int, sky: tuple[str, ...], detail: int
) -> None:
    rock, dark = mix(sky[0], "#5b4a55", 0.55), mix(sky[0], "black", 0.35)
    edge = WIDTH + 20 if side > 0 else -20

    def at(x: float, y: float) -> Point:
        return tower + side * x, y

    top = [at(-78, 262), at(-62, 240), at(-40, 229), at(-12, 225), at(40, 224), at(90, 220), (edge, 212)]
    foot = [(edge, HEIGHT + 5), at(-40, HEIGHT + 5), at(-92, 326), at(-104, 300), at(-84, 280)]
    sheet.shape([*top, *foot], rock, dark)
    if detail >= 1:
        for _ in range(16 * detail):
            # Facets: slanted slabs of rock, lit on the side of the sunset.
            x, y = rng.uniform(-88, 150), rng.uniform(256, 350)
            size = rng.uniform(8, 24)
            if x < -84 + (y - 256) * -0.15:
                continue
            slab = [
                at(x, y),
                at(x + size * 0.5, y - size * 0.7),
                at(x + size, y - size * 0.2),
                at(x + size * 0.6, y + size * 0.7),
            ]
            sheet.shape(slab, mix(rock, sky[3], rng.uniform(0.02, 0.22)), dark, alpha=0.6)
        grass = mix("#2f4a3a", sky[2], 0.28)
        under = [at(130, 233), at(88, 240), at(40, 236), at(0, 243), at(-30, 238), at(-56, 250)]
        sheet.shape([*top, (edge, 232), *under], grass, mix(grass, "black", 0.45))
    if detail == 2:
        # The last light catches the seaward edge of the rock.
        sheet.line([top[0], *reversed(foot[1:])], mix(rock, sky[3], 0.6), 1.6)
        for _ in range(70):
            x = rng.uniform(-60, 150)
            y = 226 + max(0, -x - 30) * 0.5
            sheet.line(
                [at(x, y + 6), at(x + rng.uniform(-3, 3), y - rng.uniform(0, 5))],
                mix("#24382f", sky[3], rng.random() * 0.35),
                0.8,
            )
        for x, y, size in ((-128, 322, 15), (-150, 334, 20), (-118, 345, 22), (-182, 347, 13)):
            stone = [
                at(x + px * size, y + py * size)
                for px, py in ((-1.2, 0.5), (-0.7, -0.4), (0.1, -0.8), (0.9, -0.2), (1.3, 0.5))
            ]
            sheet.oval(at(x, y + size * 0.5), size * 1.6, 3, mix(sky[4], "white", 0.4), alpha=0.5)
            sheet.shape(stone, mix(rock, sky[3], 0.25), dark)


def _cottage(sheet: Sheet, x: float, ground: float) -> None:
    sheet.shape(
        [(x - 24, ground), (x - 24, ground - 17), (x + 24, ground - 17), (x + 24, ground)],
        "#c9bdc6",
        "#7c7392",
    )
    sheet.shape(
        [(x - 28, ground - 16), (x - 20, ground - 31), (x + 20, ground - 31), (x + 28, ground - 16)],
        "#8c3a45",
        "#56263d",
    )
    sheet.fill((x + 9, ground - 38, x + 15, ground - 27), "#6a5468")
    for left in (-16, 7):
        sheet.fill((x + left, ground - 12, x + left + 8, ground - 4), "#ffe29a", "#ffb85c")
        sheet.glow((x + left + 4, ground - 8), 14, colour="#ffb85c", strength=0.5)
    sheet.fill((x - 4, ground - 11, x + 3, ground), "#4a2f3f")


def _tower(sheet: Sheet, x: float, detail: int) -> None:
    foot, top, wide, narrow = 230.0, 104.0, 21.0, 13.0

    def half(y: float) -> float:
        return narrow + (wide - narrow) * (y - top) / (foot - top)

    def band(y0: float, y1: float, *stops: str) -> None:
        a, b = half(y0), half(y1)
        sheet.shape([(x - a, y0), (x + a, y0), (x + b, y1), (x - b, y1)], *stops, sideways=True)

    white, red = ("#fff3e4", "#f0dfe0", "#9d8fb0"), ("#e2504a", "#c3343f", "#6e1f3f")
    band(top, foot, *white)
    for y in (122.0, 166.0) if detail >= 1 else (140.0,):
        band(y, y + 22, *red)
    if detail >= 1:
        band(210.0, foot, *red)
        for y in (152, 196):
            sheet.fill((x - 2.5, y, x + 2.5, y + 8), "#3b2a4a")
    if detail == 2:
        sheet.fill((x - 5, 216, x + 5, foot), "#3b2233")
        sheet.shape(
            [(x - wide - 5, 233), (x - wide - 3, 228), (x + wide + 3, 228), (x + wide + 5, 233)],
            "#a99db3",
            "#5d5670",
            sideways=True,
        )
    sheet.fill((x - 18, 100, x + 18, 105), "#4b3350", "#241a30")
    if detail >= 1:
        for i in range(7):
            post = x - 17 + i * 34 / 6
            sheet.line([(post, 93), (post, 101)], "#2c2038", 0.9)
        sheet.line([(x - 17.5, 93), (x + 17.5, 93)], "#2c2038", 1.1)
    sheet.fill((x - 9, 78, x + 9, 100), "#ffe9a8", "#ffd15e")
    for post in (-9, -3, 3, 9):
        sheet.line([(x + post, 78), (x + post, 100)], "#54304a", 1)
    sheet.shape(
        [(x - 12, 79), (x - 8, 70), (x, 65), (x + 8, 70), (x + 12, 79)], "#c3343f", "#6e1f3f", sideways=True
    )
    sheet.line([(x, 66), (x, 57)], "#3b2233", 1.4)
    sheet.oval((x, 64.5), 2, 2, "#6e1f3f")
