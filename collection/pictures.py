"""Reduced copies of large pictures: pages show them first, and the whole one where somebody looks closely.

A copy is a file beside the picture's own, and none of the database's business: where there is none, the next
larger one is shown, and in the end the picture itself.
"""

import io
from collections.abc import Iterator
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

# Pixels of the longer side of each copy, the larger first; a picture that is no larger has none of that size.
# "reduced" fills half a window, "small" a cell of a grid.
SIZES = {"reduced": 1600, "small": 800}
QUALITY = 82


def has_copy(size: str, width: int | None, height: int | None) -> bool:
    """Whether a picture of this width and height may have a copy of this size."""
    return max(width or 0, height or 0) > SIZES[size]


def name_of_copy(name: str, size: str = "reduced") -> str:
    """The name under which a picture's copy of a size is stored."""
    return f"{name}.{size}.webp"


def store_copies(name: str, picture: bytes, width: int, height: int) -> Iterator[str]:
    """Store the copies of a picture; yield each one's name as it is stored.

    Pictures that move, and those of which a copy would not be smaller, have none. Cost: some hundredths of a
    second for 12 megapixels.
    """
    shown = picture
    for size in SIZES:
        if not has_copy(size, width, height):
            continue
        # The smaller one is made of the larger one: to unpack the picture is what takes long.
        copy = reduced(shown, SIZES[size])
        if copy is not None and len(copy) < len(shown):
            yield default_storage.save(name_of_copy(name, size), ContentFile(copy))
            shown = copy


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


def open_picture(name: str, size: str) -> IO[bytes]:
    """Open a stored picture in a size ("small", "reduced" or "whole"), or in the next larger one that it has.

    Raises FileNotFoundError.
    """
    sizes = list(SIZES)
    for larger in reversed(sizes[: sizes.index(size) + 1] if size in SIZES else []):
        try:
            return default_storage.open(name_of_copy(name, larger))
        except FileNotFoundError:
            pass
    return default_storage.open(name)


def remove(name: str) -> None:
    """Remove a picture's files."""
    for size in SIZES:
        default_storage.delete(name_of_copy(name, size))
    default_storage.delete(name)
