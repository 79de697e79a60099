"""Small images and zips of them, made for the tests."""

import io
import zipfile

from PIL import Image


def picture(kind="PNG", size=(4, 3), **options):
    """The bytes of an image of `size` (width, height)."""
    file = io.BytesIO()
    Image.new("RGB", size, "teal").save(file, kind, **options)
    return file.getvalue()


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """A zip of {name or ZipInfo: bytes}; a list of pairs may name a file twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, data)
    return file.getvalue()


def patched(data, offset_local, offset_central, value):
    """A zip of one file with the same bytes written into its local and its central header."""
    changed = bytearray(data)
    central = data.index(b"PK\x01\x02")
    changed[offset_local : offset_local + len(value)] = value
    changed[central + offset_central : central + offset_central + len(value)] = value
    return bytes(changed)
