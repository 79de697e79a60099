"""Metadata of pictures: nothing of it is stored, and not a pixel changes."""

import io

import pytest
from PIL import Image, PngImagePlugin

from prefir.formats.metadata import without_metadata

SECRETS = (b"run=bm25", b"Somebody", b"taken here", b"behind the end")


def exif(orientation=1) -> Image.Exif:
    made = Image.Exif()
    made[0x010E], made[0x013B], made[0x0112] = "run=bm25 grade=3", "Somebody", orientation
    made.get_ifd(0x8825)[1] = "N"
    made.get_ifd(0x8825)[2] = (52.0, 31.0, 0.0)
    return made


def frames(colours=("teal",), mode="RGB") -> list[Image.Image]:
    """Pictures with something to see in every corner."""
    made = []
    for colour in colours:
        image = Image.new(mode, (40, 30), colour)
        image.paste(Image.linear_gradient("L").resize((20, 15)), (3, 4))
        made.append(image)
    return made


def saved(kind, orientation=1, **options) -> bytes:
    file = io.BytesIO()
    frames()[0].save(file, kind, exif=exif(orientation), **options)
    return file.getvalue()


def info() -> PngImagePlugin.PngInfo:
    made = PngImagePlugin.PngInfo()
    made.add_text("Comment", "run=bm25 grade=3")
    made.add_text("Long", "taken here", zip=True)
    made.add_itxt("XML:com.adobe.xmp", "Somebody")
    return made


def animated(kind) -> bytes:
    file = io.BytesIO()
    first, *rest = frames(("teal", "red", "navy"))
    more = {"comment": b"run=bm25"} if kind == "GIF" else {"exif": exif(), "xmp": b"taken here"}
    first.save(file, kind, save_all=True, append_images=rest, duration=80, loop=3, **more)
    return file.getvalue()


PICTURES = {
    "jpeg": lambda: saved("JPEG", comment=b"taken here"),
    "progressive": lambda: saved("JPEG", progressive=True, icc_profile=b"a profile" * 9),
    "turned": lambda: saved("JPEG", orientation=6),
    "png": lambda: saved("PNG", pnginfo=info()),
    "turned png": lambda: saved("PNG", orientation=8),
    "webp": lambda: saved("WEBP", xmp=b"taken here", icc_profile=b"a profile" * 9),
    "turned webp": lambda: saved("WEBP", orientation=3, lossless=True),
    "gif": lambda: animated("GIF"),
    "moving webp": lambda: animated("WEBP"),
}


def look(data: bytes) -> list:
    """All that a browser shows of a picture."""
    with Image.open(io.BytesIO(data)) as image:
        shown = [
            image.size,
            image.info.get("icc_profile"),
            image.info.get("loop"),
            image.getexif().get(0x0112, 1),
        ]
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            shown += [image.convert("RGBA").tobytes(), image.info.get("duration")]
        return shown


def kind_of(data: bytes) -> str:
    with Image.open(io.BytesIO(data)) as image:
        return str(image.format).lower()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_the_same_and_says_nothing(name):
    data = PICTURES[name]()
    assert any(secret in data for secret in SECRETS)
    orientation = look(data)[3]
    bare = without_metadata(data + b"behind the end", kind_of(data), orientation)
    assert look(bare) == look(data)
    assert not [secret for secret in SECRETS if secret in bare]
    with Image.open(io.BytesIO(bare)) as image:
        assert set(image.getexif()) <= {0x0112}
        assert not {"comment", "Comment", "Long", "xmp", "XML:com.adobe.xmp"} & set(image.info)
    assert without_metadata(bare, kind_of(data), orientation) == bare


@pytest.mark.parametrize("name", PICTURES)
def test_a_file_cut_anywhere_raises_nothing(name):
    data = PICTURES[name]()
    for length in range(len(data)):
        without_metadata(data[:length], kind_of(data), 6)
