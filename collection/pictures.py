"""Reduced copies of large pictures: pages show them first, and the whole one where somebody looks closely.

A reduced copy is a file beside the picture's own, and none of the database's business: where there is none,
the picture itself is shown.
"""

import io
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

# Pixels of the longer side: a picture that is larger has a copy of this size.
LONGEST = 1600
QUALITY = 82


def is_large(width: int | None, height: int | None) -> bool:
    """Whether a picture of this size may have a reduced copy."""
    return max(width or 0, height or 0) > LONGEST


def name_of_copy(name: str) -> str:
    """The name under which the reduced copy of a picture is stored."""
    return f"{name}.reduced.webp"


def store_copy(name: str, picture: bytes) -> str:
    """Store the reduced copy of a large picture; return its name, or "" where it has none.

    Pictures that move, and those of which the copy would not be smaller, have none. Cost: some hundredths
    of a second for 12 megapixels.
    """
    copy = reduced(picture)
    if copy is None or len(copy) >= len(picture):
        return ""
    return default_storage.save(name_of_copy(name), ContentFile(copy))


def reduced(picture: bytes) -> bytes | None:
    """The copy of a picture whose longer side has LONGEST pixels, as WebP without metadata but for its
    colour profile; None for one that moves.
    """
    from PIL import Image  # only here: web processes do without it

    with Image.open(io.BytesIO(picture)) as image:
        if getattr(image, "n_frames", 1) > 1:
            return None
        profile = image.info.get("icc_profile")
        image.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS, reducing_gap=2.0)
        see_through = "A" in image.getbands() or "transparency" in image.info
        packed = io.BytesIO()
        shown = image.convert("RGBA" if see_through else "RGB")
        shown.save(packed, "WEBP", quality=QUALITY, method=2, icc_profile=profile or b"")
    return packed.getvalue()


def open_picture(name: str, *, whole: bool) -> IO[bytes]:
    """Open a stored picture, or unless the whole one is asked for its reduced copy if it has one.

    Raises FileNotFoundError.
    """
    if not whole:
        try:
            return default_storage.open(name_of_copy(name))
        except FileNotFoundError:
            pass
    return default_storage.open(name)


def remove(name: str) -> None:
    """Remove a picture's files."""
    default_storage.delete(name_of_copy(name))
    default_storage.delete(name)
