"""A city skyline at night, its windows lit and mirrored in a river."""

import random

from scripts.painter.paint import HEIGHT, WIDTH, Colour, Sheet, mix

SKIES = [
    ("#060a24", "#142257", "#3d3f8a", "#a0629a"),
    ("#04121f", "#0d2f48", "#1f5f78", "#63a69c"),
    ("#0b0620", "#2a124f", "#6a2270", "#e0617a"),
    ("#05070f", "#0d1530", "#243259", "#5a5f85"),
]
WINDOWS = ["#ffd98a", "#ffe9b8", "#ffbf69", "#bfe3ff"]
SIGNS = ["#ff5d8f", "#44d7ff", "#ffb03a", "#7cf0b4"]
BANK = 262.0


def draw(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """Draw the scene in one of four looks; detail 2 adds stars, far blocks, river and bridge, 0 is bare."""
    sky = SKIES[look]
    sheet.fill((0, 0, WIDTH, BANK), *sky)
    moon = (96.0 if look % 2 == 0 else 388.0, 62.0)
    if detail == 2:
        sheet.stars(rng, 110, 170)
        sheet.glow(moon, 90, colour="#cfd8ff", strength=0.55)
    if detail >= 1:
        sheet.oval(moon, 17, 17, "#fffbe8", "#e8e2d2")
        sheet.glow((240, BANK), 380, 210, colour=sky[3], strength=0.75, power=1.4)
    if detail == 2:
        for dx, dy, radius in ((-5, -4, 4.0), (5, 3, 3.0), (-2, 7, 2.4), (7, -7, 2.0)):
            sheet.oval((moon[0] + dx, moon[1] + dy), radius, radius, "#d5cfc2", alpha=0.7)
        for _ in range(4):
            x, y = rng.uniform(0, WIDTH), rng.uniform(90, 170)
            sheet.soft(
                [(x + i * 26, y + rng.uniform(-3, 3), 40, 4) for i in range(4)], mix(sky[2], sky[3], 0.35), 9
            )
        _row(sheet, rng, mix(sky[2], sky[3], 0.25), (60, 120), 22, 0.10, 0.25)
        _row(sheet, rng, mix(sky[1], sky[2], 0.6), (80, 150), 30, 0.22, 0.5)
    if detail >= 1:
        _row(sheet, rng, mix(sky[0], sky[1], 0.8), (60, 135), 38, 0.38, 0.85)
    _towers(sheet, rng, look, detail)
    if detail == 2:
        _row(sheet, rng, mix(sky[0], "black", 0.15), (14, 40), 34, 0.22, 0.8)
        sheet.mirror(BANK, mix(sky[0], sky[1], 0.4), 0.62, squash=0.6)
        sheet.ripples(
            rng, BANK + 2, HEIGHT, [mix(sky[3], "white", 0.2), mix(sky[0], "black", 0.3), sky[1]], 150
        )
        for _ in range(46):
            x, long = rng.uniform(0, WIDTH), rng.uniform(14, 60)
            tint = rng.choice([*WINDOWS[:3], SIGNS[look]])
            for i in range(int(long / 4)):
                half = rng.uniform(1.2, 4.5)
                y = BANK + 5 + i * 4.4
                sheet.stroke((x, y), half, 0.9, tint, alpha=max(0.08, 0.6 - i * 0.045))
        for lamp in range(4, WIDTH, 12):
            sheet.oval((lamp, BANK - 2), 0.9, 0.9, "#ffe7b0")
        _bridge(sheet, look, sky)
    else:
        sheet.fill((0, BANK, WIDTH, HEIGHT), mix(sky[1], "black", 0.2), mix(sky[0], "black", 0.3))
        if detail == 1:
            sheet.ripples(rng, BANK, HEIGHT, [sky[2], WINDOWS[0]], 70)


def _row(
    sheet: Sheet,
    rng: random.Random,
    colour: Colour,
    heights: tuple[float, float],
    width: float,
    lit: float,
    bright: float,
) -> None:
    """A row of blocks from edge to edge; `lit` is the share of windows with light."""
    x = -rng.uniform(0, width)
    while x < WIDTH:
        wide, high = width * rng.uniform(0.6, 1.3), rng.uniform(*heights)
        _block(sheet, rng, x, wide, BANK - high, colour, lit, bright)
        x += wide + rng.choice([0, 0, 2])


def _block(
    sheet: Sheet,
    rng: random.Random,
    x: float,
    wide: float,
    top: float,
    colour: Colour,
    lit: float,
    bright: float,
) -> None:
    sheet.fill(
        (x, top, x + wide, BANK + 1),
        mix(colour, "white", 0.07),
        colour,
        mix(colour, "black", 0.15),
        sideways=True,
    )
    step_x, step_y = (4.5, 6.0) if wide < 40 else (5.5, 7.0)
    columns, rows = int((wide - 4) / step_x), int((BANK - top - 5) / step_y)
    for row in range(rows):
        whole_floor = rng.random() < 0.06
        for column in range(columns):
            if whole_floor or rng.random() < lit:
                wx, wy = x + 3 + column * step_x, top + 4 + row * step_y
                tint = mix(colour, rng.choice(WINDOWS), bright * rng.uniform(0.55, 1))
                sheet.fill((wx, wy, wx + step_x - 2, wy + step_y - 2.7), tint)


def _towers(sheet: Sheet, rng: random.Random, look: int, detail: int) -> None:
    """The landmarks: a spire, a slab with a lit crown, a stepped tower and a round top."""
    sky = SKIES[look]
    body = mix(sky[0], sky[1], 0.45)
    places = [(70, 46), (150, 40), (236, 52), (318, 44), (402, 50)]
    tops = [130, 86, 58, 104, 124]
    rng.shuffle(tops)
    for i, ((x, wide), top) in enumerate(zip(places, tops, strict=True)):
        if detail == 0:
            sheet.fill((x, top + 40, x + wide, BANK), mix(sky[1], "black", 0.2))
            for row in range(3, 3 + int((BANK - top - 60) / 24)):
                for column in range(2):
                    sheet.fill(
                        (x + 8 + column * 20, top + row * 22, x + 18 + column * 20, top + row * 22 + 10),
                        WINDOWS[0],
                    )
            continue
        _block(sheet, rng, x, wide, top, body, 0.55, 1)
        if detail == 1:
            continue
        middle = x + wide / 2
        if i % 4 == 0:
            sheet.shape(
                [(x, top), (middle - 3, top - 26), (middle + 3, top - 26), (x + wide, top)],
                mix(body, "white", 0.1),
                body,
            )
            sheet.line([(middle, top - 26), (middle, top - 50)], mix(body, "white", 0.25), 1.2)
            sheet.glow((middle, top - 50), 9, colour="#ff4a4a", strength=1)
        elif i % 4 == 1:
            sheet.fill((x + 5, top - 9, x + wide - 5, top), mix(body, "white", 0.08))
            sheet.fill((x + 3, top - 1, x + wide - 3, top + 1.5), SIGNS[look])
            sheet.glow((middle, top), wide * 0.8, 12, colour=SIGNS[look], strength=0.8)
        elif i % 4 == 2:
            for step in (1, 2, 3):
                inset = step * wide * 0.13
                sheet.fill(
                    (x + inset, top - step * 9, x + wide - inset, top), mix(body, "white", 0.05 * step)
                )
                sheet.fill((x + inset, top - step * 9, x + wide - inset, top - step * 9 + 1.2), WINDOWS[0])
            sheet.line([(middle, top - 27), (middle, top - 44)], mix(body, "white", 0.3), 1)
            sheet.glow((middle, top - 18), wide * 0.9, 26, colour=WINDOWS[2], strength=0.45)
        else:
            sheet.oval((middle, top), wide / 2, 13, mix(body, "white", 0.14), body)
            sheet.fill((x, top + 2, x + wide, top + 4), SIGNS[(look + 1) % 4])
            sheet.glow((middle, top + 3), wide * 0.8, 10, colour=SIGNS[(look + 1) % 4], strength=0.6)


def _bridge(sheet: Sheet, look: int, sky: tuple[str, ...]) -> None:
    """A lit suspension bridge across the foreground of two of the looks."""
    if look in (1, 3):
        return
    deck, steel = 318.0, mix(sky[0], "black", 0.45)
    towers = (118.0, 372.0)
    spans = ((-60.0, towers[0]), towers, (towers[1], WIDTH + 70.0))
    for left, right in spans:
        middle, half = (left + right) / 2, (right - left) / 2
        cable = [(left + (right - left) * t / 24, 0.0) for t in range(25)]
        cable = [(x, deck - 6 - 50 * ((x - middle) / half) ** 2) for x, _ in cable]
        sheet.line(cable, mix(steel, "#ffffff", 0.3), 1.4)
        for x, y in cable[1:-1]:
            sheet.line([(x, y), (x, deck)], mix(steel, "#ffffff", 0.16), 0.5)
            sheet.oval((x, y), 1, 1, WINDOWS[0])
    for x in towers:
        for dx in (-6, 4):
            sheet.fill((x + dx, deck - 58, x + dx + 3, HEIGHT), mix(steel, sky[2], 0.35), steel)
        for y in (deck - 52, deck - 26):
            sheet.fill((x - 6, y, x + 7, y + 3), mix(steel, sky[2], 0.35))
        sheet.glow((x, deck - 60), 8, colour="#ff4a4a", strength=0.9)
    sheet.fill((0, deck, WIDTH, deck + 6), mix(steel, sky[2], 0.3), steel)
    for x in range(6, WIDTH, 18):
        sheet.oval((x, deck - 2), 1.2, 1.2, "#fff2c4")
        sheet.glow((x, deck - 1), 7, colour="#ffcf7a", strength=0.75)
