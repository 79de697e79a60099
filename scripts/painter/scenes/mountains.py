"""Snowy mountains above a forest and a lake."""

import random

from scripts.painter.paint import HEIGHT, WIDTH, Colour, Point, Sheet, mix, ridge

SKIES = [
    ("#2f74b8", "#7db8e2", "#e3f1f7"),
    ("#3b4a8c", "#c57fa3", "#ffd2a6"),
    ("#27487d", "#6f93c4", "#f6d9c6"),
    ("#182a52", "#4b6aa3", "#b9cfe6"),
]
LIGHTS = ["#ffffff", "#ffc9b0", "#fff0df", "#e6f0ff"]
SHADES = ["#8fb2d6", "#7f7fb5", "#8798c2", "#6f8bbd"]
ROCKS = ["#4c6480", "#574a72", "#4f587c", "#33466e"]
WOODS = ["#1f4a45", "#2b2d52", "#213c4a", "#12283f"]
PEAKS = [
    [(120, 92, 120), (300, 52, 160), (430, 104, 110)],
    [(190, 50, 170), (360, 88, 130), (40, 112, 110)],
    [(250, 44, 180), (90, 100, 120), (410, 92, 120)],
    [(340, 56, 165), (150, 80, 135), (20, 120, 90)],
]
SHORE = 262.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds far ranges, mist, lake and pines, 0 is bare."""
    sky, light, shade, rock = SKIES[look], LIGHTS[look], SHADES[look], ROCKS[look]
    sheet.fill((0, 0, WIDTH, SHORE), *sky)
    if detail == 2:
        sheet.glow((70 if look % 2 else 410, 60), 190, colour="#fff3d6", strength=0.6)
        if look == 3:
            sheet.stars(rng, 60, 110)
        for _ in range(5):
            x, y = rng.uniform(0, WIDTH), rng.uniform(30, 110)
            sheet.soft(
                [(x + i * 24, y + rng.uniform(-4, 4), 36, 2.6) for i in range(4)],
                mix(sky[2], "white", 0.4),
                5,
            )
        for base, height, share in ((170, 60, 0.78), (196, 56, 0.58)):
            far = ridge(rng, base, height, rough=0.52)
            sheet.land(
                far,
                SHORE,
                mix(shade, sky[1], share),
                mix(sky[1], sky[2], 0.75),
            )
    for x, y, half in sorted(PEAKS[look], key=lambda peak: -peak[1]):
        _peak(sheet, rng, (x, y), half, (light, shade, rock), sky[2], detail)
    if detail >= 1:
        sheet.mist(SHORE - 64, SHORE + 10, mix(sky[2], "white", 0.3), 0.6)
    wood = WOODS[look]
    if detail >= 1:
        _forest(sheet, rng, SHORE - 5, 17, mix(wood, sky[2], 0.42), 70)
        _forest(sheet, rng, SHORE, 22, mix(wood, sky[2], 0.18), 60)
    if detail == 2:
        sheet.mirror(SHORE, mix(sky[0], wood, 0.35), 0.34, squash=0.62)
        sheet.ripples(rng, SHORE + 2, HEIGHT, [mix(sky[2], "white", 0.4), mix(wood, sky[0], 0.5)], 60)
        for edge, count in ((-1, 7), (1, 7)):
            for i in range(count):
                x = (16 + i * 15 + rng.uniform(-6, 6)) * -edge + (0 if edge < 0 else WIDTH)
                tall = 128 - i * 13 + rng.uniform(-14, 14)
                _pine(sheet, rng, x, HEIGHT + 12 - i * 1.5, tall, mix(wood, "black", 0.35 - i * 0.02), light)
    else:
        sheet.fill((0, SHORE, WIDTH, HEIGHT), mix(light, shade, 0.1), mix(light, shade, 0.55))
        if detail == 1:
            for i in range(9):
                _pine(
                    sheet, rng, 20 + i * 55 + rng.uniform(-14, 14), 300 + rng.uniform(0, 40), 62, wood, light
                )


def _peak(
    sheet: Sheet,
    rng: random.Random,
    top: Point,
    half: float,
    colours: tuple[str, str, str],
    haze: str,
    detail: int,
) -> None:
    """One mountain: a rocky body, a sunlit and a shaded snow face, and ribs of rock breaking through."""
    (x, y), (light, shade, rock) = top, colours
    foot = SHORE + 4
    if detail == 0:
        sheet.shape([top, (x + half, foot), (x - half, foot)], rock)
        sheet.shape(
            [top, (x + half * 0.4, y + (foot - y) * 0.4), (x - half * 0.4, y + (foot - y) * 0.4)], light
        )
        return

    def slope(side: int, steps: int = 12) -> list[Point]:
        return [
            (
                x + side * half * t / steps + rng.uniform(-3, 3),
                y + (foot - y) * (t / steps) ** 0.92 + rng.uniform(-4, 4),
            )
            for t in range(1, steps + 1)
        ]

    left, right = slope(-1), slope(1)
    # The crest wanders down the middle and parts the light from the shade.
    crest, cx = [top], x
    for t in range(1, 11):
        cx += rng.uniform(-9, 12)
        crest.append((cx, y + (foot - y) * t / 10))
    sheet.shape([top, *left, *reversed(crest)], light, mix(light, haze, 0.25), mix(rock, haze, 0.35))
    sheet.shape([top, *right, *reversed(crest)], shade, mix(shade, rock, 0.55), mix(rock, haze, 0.3))
    ribs = 26 if detail == 2 else 12
    for i in range(ribs):
        down = 0.16 + 0.84 * (i + rng.random()) / ribs
        py = y + (foot - y) * down
        place = rng.uniform(-0.94, 0.94)
        px = x + half * down * place
        sunny = px < crest[min(10, int(down * 10))][0]
        long, wide = rng.uniform(12, 34) * (0.5 + down), rng.uniform(2, 7) * (0.5 + down)
        tilt = place * 0.7 + rng.uniform(-0.2, 0.2)
        stone: Colour = mix(mix(rock, light, 0.18 if sunny else 0), haze, 0.3 * down)
        tip, end = (px, py - long * 0.5), (px + tilt * long, py + long * 0.5)
        sheet.shape(
            [
                tip,
                (px + wide * 0.5, py),
                end,
                (px + tilt * long - wide, py + long * 0.3),
                (px - wide * 0.5, py),
            ],
            stone,
            alpha=0.85,
        )
    if detail == 2:
        for i in range(9):
            down = 0.06 + 0.5 * i / 9 + rng.uniform(0, 0.05)
            px, py = crest[min(10, int(down * 10))]
            long = rng.uniform(16, 40) * (0.5 + down)
            sheet.shape(
                [(px, py - 4), (px + long, py + long * 1.1), (px + long * 0.5, py + long)],
                light,
                shade,
                alpha=0.4,
            )


def _forest(sheet: Sheet, rng: random.Random, ground: float, tall: float, colour: Colour, count: int) -> None:
    for i in range(count):
        x = WIDTH * (i + rng.random()) / count
        high = tall * rng.uniform(0.6, 1.25)
        sheet.shape(
            [(x, ground - high), (x + high * 0.24, ground + 1), (x - high * 0.24, ground + 1)], colour
        )
    sheet.fill((0, ground - 5, WIDTH, ground + 6), colour)


def _pine(
    sheet: Sheet, rng: random.Random, x: float, ground: float, tall: float, colour: str | Colour, snow: str
) -> None:
    sheet.fill((x - tall * 0.025, ground - tall * 0.16, x + tall * 0.025, ground), "#2b2028")
    for i in range(6):
        top, low = ground - tall * (1 - i * 0.135), ground - tall * (0.76 - i * 0.13)
        half = tall * (0.07 + 0.036 * i)
        sway = rng.uniform(-1, 1)
        body = mix(colour, "white", 0.03 * (5 - i))
        sheet.shape(
            [
                (x, top),
                (x + half, low + sway),
                (x + half * 0.3, low - 2),
                (x, low + 2),
                (x - half * 0.3, low - 2),
                (x - half, low - sway),
            ],
            body,
        )
        if i:
            sheet.shape(
                [
                    (x, top + 1),
                    (x - half * 0.25, low - (low - top) * 0.4),
                    (x - half, low - sway),
                    (x - half * 0.45, low - (low - top) * 0.62),
                ],
                snow,
                alpha=0.75,
            )
