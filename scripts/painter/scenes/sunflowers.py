"""A field of sunflowers in rows under a summer sky."""

import math
import random

from scripts.painter.paint import HEIGHT, WIDTH, Sheet, hills, mix, rgb

SKIES = [
    ("#2f8ad0", "#86c5ec", "#e9f5f0"),
    ("#e8734f", "#f9b25f", "#ffe6a3"),
    ("#4a8fd1", "#a8d3ee", "#fdf0cf"),
    ("#7a5aa6", "#ef8f8a", "#ffd79a"),
]
PETALS = ["#ffd21f", "#ffbe1a", "#ffdc3a", "#ffb61f"]
LEAVES = ["#3f8f3a", "#5a7a2c", "#4c9a42", "#4f6f38"]
HORIZON = 168.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds hills, clouds and large front flowers, 0 is bare."""
    sky, petal, leaf = SKIES[look], PETALS[look], LEAVES[look]
    sheet.fill((0, 0, WIDTH, HORIZON + 4), *sky)
    sun = ((96.0, 62.0), (330.0, 132.0), (390.0, 56.0), (150.0, 138.0))[look]
    sheet.glow(sun, 200, colour="#fff0b8", strength=0.85)
    sheet.oval(sun, 19, 19, "#fff8d8")
    if detail == 2:
        for x, y, wide in (
            (sun[0] + 170, 92, 62),
            (sun[0] - 150, 66, 52),
            (sun[0] + 300, 54, 46),
            (sun[0] - 270, 100, 58),
        ):
            sheet.cumulus(rng, (x + rng.uniform(-20, 20), y + rng.uniform(-8, 8)), wide, sky)
        for base, height, share in ((HORIZON - 16, 18, 0.35), (HORIZON - 6, 12, 0.6)):
            land = hills(rng, base, height)
            sheet.land(
                land,
                HORIZON + 5,
                mix(sky[1], leaf, share),
                mix(sky[2], leaf, share),
            )
        _trees(sheet, rng, leaf, sky)
        sheet.mist(HORIZON - 30, HORIZON + 12, sky[2], 0.5)
    sheet.fill((0, HORIZON, WIDTH, HEIGHT), mix(leaf, petal, 0.45), leaf, mix(leaf, "black", 0.5))
    rows = (0, 5, 11)[detail]
    if not rows:
        for i in range(5):
            _flower(sheet, rng, 50 + i * 95, 225, 26, petal, leaf, 0)
        return
    if detail == 2:
        _speckle(sheet, rng, petal, leaf)
    for row in range(rows):
        near = ((row + 1) / rows) ** 1.7
        y = HORIZON + 8 + near * (HEIGHT - HORIZON - 52)
        size = 3 + 17 * near
        gap = size * (2.15 if detail == 2 else 3.1)
        x = -rng.uniform(0, gap)
        while x < WIDTH + gap:
            jitter = rng.uniform(-0.25, 0.25) * size
            _flower(
                sheet,
                rng,
                x,
                y + jitter,
                size * rng.uniform(0.85, 1.12),
                petal,
                leaf,
                detail if size > 6 else 1,
            )
            x += gap * rng.uniform(0.85, 1.2)
        if detail == 2 and row < rows - 2:
            sheet.mist(y - 14, y + 12, sky[2], 0.16 * (1 - near))
    if detail == 2:
        front = (
            [(82, 262, 50), (404, 274, 46), (248, 318, 40)]
            if look % 2 == 0
            else [(390, 258, 52), (96, 282, 45), (262, 322, 38)]
        )
        for x, y, size in front:
            _flower(sheet, rng, x + rng.uniform(-10, 10), y, size, petal, leaf, 3)


def _trees(sheet: Sheet, rng: random.Random, leaf: str, sky: tuple[str, ...]) -> None:
    x = rng.uniform(20, 80)
    while x < WIDTH:
        for _ in range(rng.randint(2, 5)):
            r = rng.uniform(4, 9)
            sheet.oval((x, HORIZON - r * 0.6), r, r * 0.95, mix(mix(leaf, "#1d3a33", 0.5), sky[1], 0.3))
            x += rng.uniform(5, 10)
        x += rng.uniform(30, 110)


def _speckle(sheet: Sheet, rng: random.Random, petal: str, leaf: str) -> None:
    """The far part of the field, where flowers are no more than strokes of yellow between the rows."""
    for _ in range(520):
        near = rng.random() ** 1.5
        y = HORIZON + 1 + near * 70
        half = 1.2 + near * 4
        x = rng.uniform(0, WIDTH)
        colour = mix(petal, leaf, rng.choice([0, 0.1, 0.8, 1]))
        sheet.shape([(x - half, y), (x, y - half * 0.45), (x + half, y), (x, y + half * 0.45)], colour)


def _flower(
    sheet: Sheet, rng: random.Random, x: float, y: float, size: float, petal: str, leaf: str, detail: int
) -> None:
    """One flower of radius `size`: stem, leaves, two rings of petals, a seed head; detail 3 is close up."""
    turn, face = rng.uniform(0, math.tau), 0.9
    dark = mix(leaf, "black", 0.3)
    sheet.line([(x, y), (x + size * 0.1, y + size * 1.6), (x, y + size * 3.6)], dark, max(0.8, size * 0.14))
    if detail >= 2:
        for side, drop in ((-1, 1.5), (1, 2.1)):
            base_y = y + size * drop
            tip = (x + side * size * 1.35, base_y - size * 0.25)
            blade = [
                (x, base_y),
                (x + side * size * 0.5, base_y - size * 0.55),
                tip,
                (x + side * size * 0.6, base_y + size * 0.3),
            ]
            sheet.shape(blade, mix(leaf, "white", 0.14), dark)
            if detail == 3:
                sheet.line([(x, base_y), tip], mix(leaf, "white", 0.3), 0.8)
    if detail == 1 and size < 6:
        sheet.oval((x, y), size, size * face, petal)
        sheet.oval((x, y), size * 0.42, size * 0.4, "#5a3418")
        return
    petals = {0: 8, 1: 10, 2: 13}.get(detail, 21)
    rings = [(1.0, mix(petal, "#e07a10", 0.45)), (0.88, rgb(petal))] if detail else [(1.0, rgb(petal))]
    for ring, (reach, colour) in enumerate(rings):
        for i in range(petals):
            angle = turn + math.tau * (i + ring * 0.5) / petals
            long = size * reach * (rng.uniform(0.9, 1.08) if detail else 1)
            cos, sin = math.cos(angle), math.sin(angle) * face
            wide = size * 3.1 / petals * (0.62 if detail == 3 else 0.75)
            px, py = -math.sin(angle) * wide, math.cos(angle) * wide * face
            inner, belly = 0.3 * size, 0.68 * long
            tone = mix(colour, "white", 0.16 * rng.random()) if detail >= 2 else colour
            leaf_shape = [
                (x + cos * inner, y + sin * inner),
                (x + cos * belly + px, y + sin * belly + py),
                (x + cos * long, y + sin * long),
                (x + cos * belly - px, y + sin * belly - py),
            ]
            sheet.shape(leaf_shape, tone)
            if detail == 3 and ring:
                sheet.line(
                    [leaf_shape[0], (x + cos * long * 0.86, y + sin * long * 0.86)],
                    mix(petal, "#c96a08", 0.4),
                    0.7,
                )
    core = size * 0.46
    sheet.oval((x, y), core, core * face, "#7a4a1c", "#4a2810")
    if detail >= 2:
        sheet.oval((x, y), core * 0.62, core * 0.6 * face, "#3a1f0e")
    if detail == 3:
        for i in range(110):
            # Seeds sit at the golden angle, as in the plant.
            r, angle = core * math.sqrt(i / 110) * 0.96, i * 2.39996
            seed = mix("#2c160a", "#c98a3a", (i / 110) ** 1.5)
            sheet.oval(
                (x + r * math.cos(angle), y + r * math.sin(angle) * face), size * 0.028, size * 0.026, seed
            )
