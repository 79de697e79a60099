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
