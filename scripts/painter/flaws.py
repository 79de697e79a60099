"""What can be wrong with a picture: blur, haze, tilt, noise, a finger on the lens, and so on."""

import random
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

from scripts.painter.paint import HEIGHT, WIDTH

Flaw = Callable[[Image.Image, random.Random], Image.Image]


def dull(image: Image.Image, rng: random.Random) -> Image.Image:
    """Mild: half of the colour and some of the contrast are gone."""
    return ImageEnhance.Contrast(ImageEnhance.Color(image).enhance(0.45)).enhance(0.8)


def tilt(image: Image.Image, rng: random.Random) -> Image.Image:
    """Mild: the horizon slopes by 7 to 9 degrees."""
    turned = image.rotate(rng.choice([-1, 1]) * rng.uniform(7, 9), Image.Resampling.BICUBIC)
    inset_x, inset_y = 52, 44  # cuts away the empty corners that the turn leaves
    box = (inset_x, inset_y, WIDTH - inset_x, HEIGHT - inset_y)
    return turned.crop(box).resize(image.size, Image.Resampling.BICUBIC)


def hazy(image: Image.Image, rng: random.Random) -> Image.Image:
    """Mild: a pale veil over everything."""
    return Image.blend(image, Image.new("RGB", image.size, "#d5d3cd"), 0.42)


def blurry(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: out of focus."""
    return image.filter(ImageFilter.GaussianBlur(7))


def shaken(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: the camera moved; three ghosts of the picture side by side."""
    ghosts = [ImageChops.offset(image, round(i * 13), round(i * 5)) for i in (-1, 0, 1)]
    blended = Image.blend(Image.blend(ghosts[0], ghosts[1], 0.5), ghosts[2], 0.33)
    return blended.filter(ImageFilter.GaussianBlur(2))


def washed(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: overexposed almost to white."""
    return Image.blend(
        ImageEnhance.Brightness(image).enhance(1.5), Image.new("RGB", image.size, "#f4f2ee"), 0.62
    )


def dark(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: so underexposed that little can be made out."""
    return ImageEnhance.Brightness(ImageEnhance.Color(image).enhance(0.6)).enhance(0.24)


def noisy(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: coarse grain, as from a poor sensor at night."""
    grain = np.random.default_rng(rng.getrandbits(32)).normal(0, 46, (HEIGHT // 2, WIDTH // 2, 3))
    pixels = np.asarray(image, float) + grain.repeat(2, axis=0).repeat(2, axis=1)
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def cropped(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: a corner of the scene, enlarged; most of the subject is outside."""
    left = rng.choice([0, WIDTH * 2 // 3])
    part = image.crop((left, HEIGHT * 5 // 12, left + WIDTH // 3, HEIGHT * 9 // 12))
    return part.resize(image.size, Image.Resampling.BILINEAR)


def blocky(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: a thumbnail blown up until its pixels are squares."""
    return image.resize((40, 30), Image.Resampling.BOX).resize(image.size, Image.Resampling.NEAREST)


def miscoloured(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: red and blue exchanged, under a green cast."""
    red, green, blue = image.split()
    return Image.blend(Image.merge("RGB", (blue, green, red)), Image.new("RGB", image.size, "#4f9a3a"), 0.25)


def finger(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: a finger in front of a good part of the lens."""
    mask = Image.new("L", image.size)
    side, y = rng.choice([0, WIDTH]), rng.uniform(110, 240)
    ImageDraw.Draw(mask).ellipse((side - 260, y - 130, side + 260, y + 150), fill=245)
    skin = Image.new("RGB", image.size, "#b8735c")
    skin.paste("#d99a80", (0, 0), mask.filter(ImageFilter.GaussianBlur(60)))
    return Image.composite(skin, image, mask.filter(ImageFilter.GaussianBlur(16)))


def fenced(image: Image.Image, rng: random.Random) -> Image.Image:
    """Severe: seen through a wire fence close to the lens."""
    wires = Image.new("L", image.size)
    brush = ImageDraw.Draw(wires)
    for start in range(-HEIGHT, WIDTH + HEIGHT, 58):
        brush.line((start, 0, start + HEIGHT, HEIGHT), fill=235, width=9)
        brush.line((start + HEIGHT, 0, start, HEIGHT), fill=235, width=9)
    out = image.copy()
    out.paste("#3a3d3f", (0, 0), wires.filter(ImageFilter.GaussianBlur(2.5)))
    return out


FLAWS: dict[str, Flaw] = {
    flaw.__name__: flaw
    for flaw in (
        dull,
        tilt,
        hazy,
        blurry,
        shaken,
        washed,
        dark,
        noisy,
        cropped,
        blocky,
        miscoloured,
        finger,
        fenced,
    )
}
