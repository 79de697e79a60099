"""Files of items: what a file's name says of it, and copies of pictures.

Of large pictures there are reduced copies, of animations the first frame.

Pages show a copy first, the whole picture where somebody looks closely, and movement where somebody plays it.
A copy is a file beside the picture's own, and none of the database's business: where there is none, the next
larger one is shown, and in the end the picture itself.
"""

import io
import re
from collections.abc import Iterator
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from prefir.formats.recordings import ENDINGS

# Pixels of the longer side of each copy, the larger first; a picture that is no larger has none of that size.
# "reduced" fills half a window, "small" a cell of a grid.
SIZES = {"reduced": 1600, "small": 800}
QUALITY = 82
# The copy of a picture that moves: its first frame.
STILL = "still"
# Endings of names of pictures that may move; what says so of a WebP or PNG stands in its first bytes.
MAY_MOVE = ("gif", "webp", "png", "apng")
HEAD = 4096
# Two frames of a GIF, each after its block of times.
GIF_FRAMES = re.compile(rb"\x00\x21\xf9\x04.{4}\x00[\x2c\x21].*\x00\x21\xf9\x04.{4}\x00[\x2c\x21]", re.DOTALL)


# What the name of a film with captions ends in, before its ending; they are a file beside it.
CAPTIONED = "-captioned"


def with_captions(name: str) -> str:
    """The name under which a film with captions is stored, from that of one without."""
    stem, _, ending = name.rpartition(".")
    return f"{stem}{CAPTIONED}.{ending}"


def captions_of(name: str | None) -> str:
    """File name of a film's captions; "" if it has none."""
    return f"{name}.vtt" if name and name.rpartition(".")[0].endswith(CAPTIONED) else ""


def has_copy(size: str, width: int | None, height: int | None) -> bool:
    """Tell whether a picture of this width and height may have a copy of this size."""
    return max(width or 0, height or 0) > SIZES[size]


def name_of_copy(name: str, size: str = "reduced") -> str:
    """File name of a picture's copy of a size."""
    return f"{name}.{size}.webp"


def medium_of(name: str | None) -> str:
    """What a stored file is: "image", "sound" or "film", the kinds of study; "" for no file."""
    ending = (name or "").rpartition(".")[2].lower()
    recorded = (medium for medium, endings in ENDINGS.items() if ending in endings)
    return next(recorded, "image") if name else ""


def is_picture(name: str | None) -> bool:
    """Tell whether a stored file is a picture."""
    return medium_of(name) == "image"


def may_move(name: str) -> bool:
    """Tell whether a file name is of a format that can be animated."""
    return name.lower().endswith(MAY_MOVE)


def moves(picture: bytes) -> bool:
    """Tell whether a picture is an animated GIF, WebP or PNG, by its content."""
    if picture.startswith(b"GIF8"):
        return GIF_FRAMES.search(picture) is not None
    if picture[:4] == b"RIFF" and picture[8:16] == b"WEBPVP8X":
        return bool(picture[20] & 2)
    return picture.startswith(b"\x89PNG") and b"acTL" in picture[: picture.find(b"IDAT")]


def store_copies(name: str, picture: bytes, width: int, height: int) -> Iterator[str]:
    """Store the copies of a picture; yield each one's name as it is stored.

    Of those that move the first frame is stored, and copies of it; what would not be smaller is left out.
    Cost: some hundredths of a second for 12 megapixels.
    """
    shown = picture
    if moves(picture):
        shown = first_frame(picture)
        yield default_storage.save(name_of_copy(name, STILL), ContentFile(shown))
    for size in SIZES:
        if not has_copy(size, width, height):
            continue
        # The smaller one is made of the larger one: to unpack the picture is what takes long.
        copy = reduced(shown, SIZES[size])
        if copy is not None and len(copy) < len(shown):
            yield default_storage.save(name_of_copy(name, size), ContentFile(copy))
            shown = copy


def first_frame(picture: bytes) -> bytes:
    """The first frame of a picture that moves, as WebP without loss."""
    from PIL import (
        Image,
    )  # only here: web processes do without it, but for pictures of before there were stills

    with Image.open(io.BytesIO(picture)) as image:
        packed = io.BytesIO()
        profile = image.info.get("icc_profile")
        image.convert("RGBA").save(packed, "WEBP", lossless=True, method=0, icc_profile=profile or b"")
    return packed.getvalue()


def reduced(picture: bytes, longest: int = SIZES["reduced"]) -> bytes | None:
    """The copy of a picture whose longer side has `longest` pixels, as WebP without metadata but for its
    colour profile; None for one that moves.
    """
    from PIL import Image  # only here: web processes do without it

    # No other decoder may see the bytes: some run programs.
    with Image.open(io.BytesIO(picture), formats=("JPEG", "PNG", "WEBP", "GIF")) as image:
        if getattr(image, "n_frames", 1) > 1:
            return None
        profile = image.info.get("icc_profile")
        image.thumbnail((longest, longest), Image.Resampling.LANCZOS, reducing_gap=2.0)
        see_through = "A" in image.getbands() or "transparency" in image.info
        packed = io.BytesIO()
        shown = image.convert("RGBA" if see_through else "RGB")
        shown.save(packed, "WEBP", quality=QUALITY, method=2, icc_profile=profile or b"")
    return packed.getvalue()


def open_picture(name: str, size: str) -> tuple[IO[bytes], bool]:
    """Open a stored picture in a size ("small", "reduced" or "whole"), or in the next larger one that it has.

    Returns also whether the picture moves: what is opened then is its first frame, unless size is "moving".
    Raises FileNotFoundError.
    """
    if size == "moving":
        return default_storage.open(name), True
    still = _stored(name_of_copy(name, STILL)) if may_move(name) else None
    sizes = list(SIZES)
    for larger in reversed(sizes[: sizes.index(size) + 1] if size in SIZES else []):
        if copy := _stored(name_of_copy(name, larger)):
            return copy, still is not None
    if still:
        return still, True
    picture = default_storage.open(name)
    made = _still_of(name, picture) if may_move(name) else None
    return (made, True) if made else (picture, False)


def _stored(name: str) -> IO[bytes] | None:
    try:
        return default_storage.open(name)
    except FileNotFoundError:
        return None


def _still_of(name: str, picture: IO[bytes]) -> IO[bytes] | None:
    """Make the first frame of a picture that was stored without it; None if it does not move."""
    start = picture.read(-1 if name.lower().endswith("gif") else HEAD)
    picture.seek(0)
    if not moves(start):
        return None
    still = first_frame(picture.read())
    default_storage.save(name_of_copy(name, STILL), ContentFile(still))
    return io.BytesIO(still)


def remove(name: str) -> None:
    """Remove the files of a picture or a recording."""
    if captions := captions_of(name):
        default_storage.delete(captions)
    for size in (*SIZES, STILL):
        default_storage.delete(name_of_copy(name, size))
    default_storage.delete(name)
