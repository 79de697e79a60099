"""Paper and brushes for the demonstration pictures: drawn large and shrunk once."""

import math
import random
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFilter

Colour = tuple[int, int, int]
Point = tuple[float, float]

WIDTH, HEIGHT = 480, 360  # of a finished picture, in pixels; every coordinate below is in these units


@cache
def rgb(colour: str | Colour) -> Colour:
    """A colour given by name, "#rrggbb" or three numbers in 0-255, as three numbers."""
    if isinstance(colour, tuple):
        return colour
    red, green, blue = ImageColor.getrgb(colour)[:3]
    return red, green, blue


@lru_cache(maxsize=4096)
def mix(first: str | Colour, second: str | Colour, share: float) -> Colour:
    """The colour that lies `share` (0-1) of the way from the first to the second."""
    a, b = rgb(first), rgb(second)
    red, green, blue = (round(x + (y - x) * share) for x, y in zip(a, b, strict=True))
    return red, green, blue


def ridge(
    rng: random.Random, base: float, height: float, *, rough: float = 0.5, depth: int = 6
) -> list[Point]:
    """A jagged skyline across the picture, left to right, by midpoint displacement.

    base: y of the mean line; height: size of the largest displacement; rough in 0-1: how slowly
    the displacements shrink; 2 ** depth + 1 points come back.
    """
    heights = [rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)]
    size = 1.0
    for _ in range(depth):
        finer = [heights[0]]
        for left, right in pairwise(heights):
            finer += [(left + right) / 2 + rng.uniform(-size, size) / 2, right]
        heights, size = finer, size * rough
    step = (WIDTH + 20) / (len(heights) - 1)
    return [(-10 + i * step, base - height * h) for i, h in enumerate(heights)]


def hills(rng: random.Random, base: float, height: float, waves: int = 3) -> list[Point]:
    """A soft skyline across the picture, left to right: a few sine waves added up."""
    parts = [(rng.uniform(0.6, 2.6), rng.uniform(0, math.tau), rng.uniform(0.3, 1)) for _ in range(waves)]
    total = sum(size for _, _, size in parts)
    return [
        (x, base - height * sum(s * math.sin(f * math.tau * x / WIDTH + p) for f, p, s in parts) / total)
        for x in range(-10, WIDTH + 11, 5)
    ]


@cache
def _halo(power: float) -> Image.Image:
    """A 256 x 256 mask, 255 in the middle, falling to 0 at the inscribed circle."""
    place = np.linspace(-1, 1, 256)
    distance = np.minimum(1, np.hypot(place[None], place[:, None]))
    return Image.fromarray((255 * (1 - distance) ** power).round().astype(np.uint8))


class Sheet:
    """A drawing in units of the finished picture, kept `scale` times larger so that edges come out smooth.

    A flat sheet paints every gradient in its middle colour and leaves glows out: the plain look
    of the less good pictures.
    """

    def __init__(self, *, scale: int = 2, flat: bool = False) -> None:
        """An empty black sheet."""
        self.scale, self.flat = scale, flat
        self.image = Image.new("RGB", (WIDTH * scale, HEIGHT * scale))
        self._brush = ImageDraw.Draw(self.image)

    def finished(self) -> Image.Image:
        """The picture at its final size."""
        return self.image.reduce(self.scale)

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in points]

    def _gradient(
        self, size: tuple[int, int], stops: Sequence[str | Colour], *, sideways: bool
    ) -> Image.Image:
        colours = np.array([rgb(stop) for stop in stops], float)
        length = size[0] if sideways else size[1]
        places = np.linspace(0, len(stops) - 1, length)
        strip = np.stack([np.interp(places, range(len(stops)), colours[:, c]) for c in range(3)], axis=1)
        pixels = strip.round().astype(np.uint8)
        return Image.fromarray(pixels[None] if sideways else pixels[:, None]).resize(
            size, Image.Resampling.NEAREST
        )

    def fill(
        self,
        box: tuple[float, float, float, float],
        *stops: str | Colour,
        sideways: bool = False,
    ) -> None:
        """Fill a rectangle (left, top, right, bottom) with evenly spaced colour stops, top to bottom."""
        left, top, right, bottom = (round(v * self.scale) for v in box)
        if self.flat or len(stops) == 1:
            self._brush.rectangle((left, top, right - 1, bottom - 1), fill=rgb(stops[len(stops) // 2]))
        else:
            painted = self._gradient((right - left, bottom - top), stops, sideways=sideways)
            self.image.paste(painted, (left, top))

    def shape(
        self, points: Sequence[Point], *stops: str | Colour, sideways: bool = False, alpha: float = 1
    ) -> None:
        """Fill a polygon with a colour or, over its bounding box, with evenly spaced colour stops."""
        corners = self._scaled(points)
        if alpha == 1 and (self.flat or len(stops) == 1):
            self._brush.polygon(corners, fill=rgb(stops[len(stops) // 2]))
            return
        self._through_mask(corners, "polygon", stops, sideways=sideways, alpha=alpha)

    def oval(
        self,
        centre: Point,
        rx: float,
        ry: float,
        *stops: str | Colour,
        sideways: bool = False,
        alpha: float = 1,
    ) -> None:
        """Fill an ellipse of radii rx and ry with a colour or with evenly spaced colour stops."""
        (x, y), s = centre, self.scale
        corners = [((x - rx) * s, (y - ry) * s), ((x + rx) * s, (y + ry) * s)]
        if alpha == 1 and (self.flat or len(stops) == 1):
            self._brush.ellipse(corners, fill=rgb(stops[len(stops) // 2]))
            return
        self._through_mask(corners, "ellipse", stops, sideways=sideways, alpha=alpha)

    def _through_mask(
        self, corners: list[Point], kind: str, stops: Sequence[str | Colour], *, sideways: bool, alpha: float
    ) -> None:
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        # Parts outside the sheet are cut off here, so that a huge shape costs no more than the sheet.
        left, top = max(0, math.floor(min(xs))), max(0, math.floor(min(ys)))
        right = min(self.image.width, math.ceil(max(xs)) + 1)
        bottom = min(self.image.height, math.ceil(max(ys)) + 1)
        if right <= left or bottom <= top:
            return
        mask = Image.new("L", (right - left, bottom - top))
        moved = [(x - left, y - top) for x, y in corners]
        brush = ImageDraw.Draw(mask)
        (brush.polygon if kind == "polygon" else brush.ellipse)(moved, fill=round(255 * alpha))
        if self.flat or len(stops) == 1:
            self.image.paste(rgb(stops[len(stops) // 2]), (left, top), mask)
        else:
            self.image.paste(self._gradient(mask.size, stops, sideways=sideways), (left, top), mask)

    def line(self, points: Sequence[Point], colour: str | Colour, width: float = 1) -> None:
        """Draw a line through the points, `width` units thick, with rounded bends."""
        thick = max(1, round(width * self.scale))
        self._brush.line(self._scaled(points), fill=rgb(colour), width=thick, joint="curve")

    def glow(
        self,
        centre: Point,
        rx: float,
        ry: float | None = None,
        *,
        colour: str | Colour = "white",
        strength: float = 1,
        power: float = 2,
    ) -> None:
        """Add soft light, brightest in the middle and gone at the radii; a larger power is more pointed."""
        if self.flat:
            return
        ry = rx if ry is None else ry
        size = (max(2, round(2 * rx * self.scale)), max(2, round(2 * ry * self.scale)))
        left, top = round((centre[0] - rx) * self.scale), round((centre[1] - ry) * self.scale)
        light = [round(c * strength) for c in rgb(colour)]
        halo = _halo(power).resize(size, Image.Resampling.BILINEAR)
        box = (
            max(0, left),
            max(0, top),
            min(self.image.width, left + size[0]),
            min(self.image.height, top + size[1]),
        )
        if box[2] <= box[0] or box[3] <= box[1]:
            return
        halo = halo.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
        lit = Image.merge("RGB", [halo.point([v * c // 255 for v in range(256)]) for c in light])
        self.image.paste(ImageChops.screen(self.image.crop(box), lit), box[:2])

    def mist(self, top: float, bottom: float, colour: str | Colour, strength: float) -> None:
        """Lay a horizontal veil, thickest (strength 0-1) halfway between top and bottom."""
        if self.flat:
            return
        first, last = round(top * self.scale), round(bottom * self.scale)
        veil = np.sin(np.linspace(0, math.pi, last - first)) * strength * 255
        mask = Image.fromarray(veil.astype(np.uint8)[:, None])
        mask = mask.resize((self.image.width, last - first), Image.Resampling.NEAREST)
        self.image.paste(rgb(colour), (0, first), mask)

    def soft(
        self, ovals: Sequence[tuple[float, float, float, float]], colour: str | Colour, blur: float
    ) -> None:
        """Paint ellipses (x, y, rx, ry) as one blurred, half-transparent cloud; cheap, drawn at half size."""
        if self.flat:
            return
        margin = 3 * blur
        left = max(0, math.floor((min(x - rx for x, _, rx, _ in ovals) - margin) / 2))
        top = max(0, math.floor((min(y - ry for _, y, _, ry in ovals) - margin) / 2))
        right = min(WIDTH // 2, math.ceil((max(x + rx for x, _, rx, _ in ovals) + margin) / 2))
        bottom = min(HEIGHT // 2, math.ceil((max(y + ry for _, y, _, ry in ovals) + margin) / 2))
        if right <= left or bottom <= top:
            return
        mask = Image.new("L", (right - left, bottom - top))
        brush = ImageDraw.Draw(mask)
        for x, y, rx, ry in ovals:
            box = ((x - rx) / 2 - left, (y - ry) / 2 - top, (x + rx) / 2 - left, (y + ry) / 2 - top)
            brush.ellipse(box, fill=190)
        mask = mask.filter(ImageFilter.GaussianBlur(blur / 2))
        times = 2 * self.scale
        mask = mask.resize((mask.width * times, mask.height * times), Image.Resampling.BILINEAR)
        self.image.paste(rgb(colour), (left * times, top * times), mask)

    def mirror(self, horizon: float, colour: str | Colour, veil: float, *, squash: float = 1) -> None:
        """Reflect what is above the horizon into the water below it, veiled by a share of `colour`."""
        line = round(horizon * self.scale)
        depth = self.image.height - line
        above = min(line, round(depth / squash))
        part = self.image.crop((0, line - above, self.image.width, line)).transpose(
            Image.Transpose.FLIP_TOP_BOTTOM
        )
        part = part.resize((self.image.width, round(above * squash)), Image.Resampling.BILINEAR)
        part = part.filter(ImageFilter.BoxBlur((0, 3 * self.scale)))
        tint = Image.new("RGB", part.size, rgb(colour))
        self.image.paste(Image.blend(part, tint, veil), (0, line))

    def ripples(
        self, rng: random.Random, top: float, bottom: float, colours: Sequence[str | Colour], count: int
    ) -> None:
        """Scatter short level strokes on water, thinner and closer together towards the horizon at `top`."""
        for _ in range(count):
            near = rng.random() ** 1.6  # 0 at the horizon, 1 at the viewer
            y = top + 1 + near * (bottom - top)
            half, x = 4 + near * 26 * rng.uniform(0.5, 1.2), rng.uniform(-10, WIDTH + 10)
            thick = 0.3 + near * 1.1
            colour = rng.choice(list(colours))
            self.stroke((x, y), half, thick, colour, alpha=0.25 + 0.35 * near)

    def glitter(
        self, rng: random.Random, sun: float, horizon: float, colour: str | Colour, count: int
    ) -> None:
        """Scatter strokes of light on the water below a low sun at x = `sun`, wider towards the viewer."""
        for _ in range(count):
            near = rng.random() ** 1.3
            y = horizon + 1 + near * (HEIGHT - horizon)
            x = sun + rng.gauss(0, 8 + 24 * near)
            self.stroke((x, y), 4 + 14 * near, 0.4 + near, colour, alpha=0.55)

    def stroke(self, centre: Point, half: float, thick: float, colour: str | Colour, *, alpha: float) -> None:
        """Paint a level stroke, pointed at both ends: 2 * half units long and 2 * thick high."""
        x, y = centre
        self.shape([(x - half, y), (x, y - thick), (x + half, y), (x, y + thick)], colour, alpha=alpha)

    def land(self, skyline: Sequence[Point], foot: float, *stops: str | Colour) -> None:
        """Fill the ground between a skyline (from `ridge` or `hills`) and the level y = foot."""
        self.shape([*skyline, (WIDTH + 10, foot), (-10, foot)], *stops)

    def bird(self, at: Point, size: float, colour: str | Colour, width: float) -> None:
        """Draw a gull far off: two bent wings, each `size` units long."""
        x, y = at
        wing = [(-1.0, -0.5), (-0.35, -0.5), (0.0, 0.0), (0.35, -0.5), (1.0, -0.5)]
        self.line([(x + size * dx, y + size * dy) for dx, dy in wing], colour, width)

    def stars(self, rng: random.Random, count: int, bottom: float) -> None:
        """Scatter stars of different brightness above y = bottom, fewer towards it."""
        for _ in range(count):
            x, y = rng.uniform(0, WIDTH), bottom * rng.random() ** 1.4
            bright = rng.random()
            size = 0.35 + 0.55 * bright**3
            self.oval((x, y), size, size, "#fff8e6", alpha=0.35 + 0.6 * bright)
            if bright > 0.93:
                self.glow((x, y), 7, colour="#cfe0ff", strength=0.6)

    def cumulus(self, rng: random.Random, foot: Point, width: float, sky: Sequence[str | Colour]) -> None:
        """Paint a heaped fair-weather cloud, `width` units to each side, in the sky's colours."""
        x, y = foot
        high, low = sky[len(sky) // 2], sky[-1]
        puffs: list[tuple[float, float, float]] = []
        for i in range(7):
            place = -1 + 2 * i / 6
            radius = width * (0.16 + 0.2 * (1 - place * place)) * rng.uniform(0.85, 1.2)
            puffs.append((x + place * width * 0.8, y - radius * 0.5, radius))
        layers = ((mix(high, "white", 0.45), 0, 3, 1.0), (mix(low, "white", 0.75), -3, -2, 0.9))
        for shade, dx, dy, grow in layers:
            for px, py, radius in puffs:
                self.oval((px + dx, py + dy), radius * grow, radius * grow * 0.86, shade)
        for px, py, radius in puffs[2:5]:
            self.oval((px - radius * 0.2, py - radius * 0.25), radius * 0.62, radius * 0.5, "#ffffff")
        self.soft([(x, y + width * 0.24, width * 1.05, width * 0.09)], mix(high, low, 0.6), 6)
