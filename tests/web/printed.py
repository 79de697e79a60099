"""Reading a PDF as far as tests need: its pages, and whether its compressed parts hold a text."""

import re
import zlib


def streams(pdf: bytes) -> list[bytes]:
    """The unpacked streams of a PDF, of those that are packed by Flate."""
    found = []
    for packed in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompressobj().decompress(packed))
        except zlib.error:
            found.append(packed)
    return found


def page_sizes(pdf: bytes) -> list[tuple[int, int]]:
    """Width and height of every page, in points."""
    whole = b"\n".join([pdf, *streams(pdf)])
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", whole)
    pages = len(re.findall(rb"/Type\s*/Page\b", whole))
    assert len(boxes) == pages
    return [(round(float(width)), round(float(height))) for width, height in boxes]


def shown_texts(pdf: bytes) -> list[set[str]]:
    """Every text that is set at once, letters from left to right; by each of the fonts that have its glyphs,
    since which it is set in stands elsewhere.
    """
    parts = streams(pdf)
    fonts = []
    for part in (part.decode() for part in parts if b"begincmap" in part):
        pairs = re.findall(r"<([0-9a-f]{4})> <([0-9a-f]+)>", part)
        fonts.append({glyph: bytes.fromhex(letters).decode("utf-16-be") for glyph, letters in pairs})
    found = []
    for part in (part.decode("latin-1") for part in parts if b"begincmap" not in part):
        for text in re.findall(r"\[(<[^\]]*)\] TJ", part):
            glyphs = re.findall(r"[0-9a-f]{4}", "".join(re.findall(r"<([0-9a-f]+)>", text)))
            found.append({"".join(font[g] for g in glyphs) for font in fonts if font.keys() >= {*glyphs}})
    return found
