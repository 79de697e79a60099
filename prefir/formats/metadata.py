"""Metadata of pictures, taken out without touching a pixel: places, cameras, comments, names of runs.

What a browser needs to show a picture stays: colour profiles, animation, and which side is up.
"""

import struct
import zlib
from collections.abc import Iterator

# JPEG markers. APP0 names the format, APP2 holds colour profiles, APP14 how colours are coded.
_SOS, _EOI, _COM, _APP0, _APP1, _APP2 = 0xDA, 0xD9, 0xFE, 0xE0, 0xE1, 0xE2
_KEPT_APPS = {_APP0, _APP2, 0xEE}
# PNG chunks with texts, EXIF data and times; WebP chunks with EXIF data and XMP.
_PNG_CHUNKS = {b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME"}
_WEBP_CHUNKS = {b"EXIF", b"XMP "}
_WEBP_FLAGS = 0x0C  # that there are such chunks
_PNG = b"\x89PNG\r\n\x1a\n"


def without_metadata(data: bytes, kind: str, orientation: int = 1) -> bytes:
    """A picture of this format ("jpeg", "png", "webp", "gif") that was decoded before, without its metadata.

    orientation: as its EXIF data give it; other than 1, it is all that is left of them. Whatever stands
    behind a picture's end goes too. A file that is built in an unusual way is returned as it is.
    """
    strip = {"jpeg": _jpeg, "png": _png, "webp": _webp, "gif": _gif}[kind]
    try:
        return strip(data, orientation if 2 <= orientation <= 8 else 1)
    except (ValueError, IndexError, struct.error):
        return data


def _exif(orientation: int) -> bytes:
    """EXIF data that say the orientation alone."""
    return struct.pack(">2sHLHHHLHHL", b"MM", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def _jpeg(data: bytes, orientation: int) -> bytes:
    parts, at = [data[:2]], 2
    while (marker := data[at + 1]) != _SOS:
        if data[at] != 0xFF or marker == 0xFF:
            raise ValueError("no marker")
        end = at + 2 + struct.unpack_from(">H", data, at + 2)[0]
        application = 0xE0 <= marker <= 0xEF
        # A second picture is told of in an APP2 that is no colour profile.
        other = marker == _APP2 and data[at + 4 : at + 15] != b"ICC_PROFILE"
        if marker != _COM and not other and (not application or marker in _KEPT_APPS):
            parts.append(data[at:end])
        at = end
    if orientation != 1:
        body = b"Exif\0\0" + _exif(orientation)
        named = len(parts) > 1 and parts[1][1] == _APP0
        parts.insert(1 + named, struct.pack(">BBH", 0xFF, _APP1, len(body) + 2) + body)
    return b"".join([*parts, data[at : _end_of_scans(data, at)]])


def _end_of_scans(data: bytes, at: int) -> int:
    """Where the picture whose first scan begins here ends."""
    while True:
        at = data.index(b"\xff", at)
        marker = data[at + 1]
        if marker == _EOI:
            return at + 2
        if marker in (0x00, 0xFF) or 0xD0 <= marker <= 0xD7:  # within the scan
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]


def _png(data: bytes, orientation: int) -> bytes:
    out, at = [data[:8]], 8
    if data[:8] != _PNG:
        raise ValueError("no PNG")
    while True:
        length, name = struct.unpack_from(">L4s", data, at)
        end = at + 12 + length
        if end > len(data):
            raise ValueError("cut short")
        if name not in _PNG_CHUNKS:
            out.append(data[at:end])
        if name == b"IHDR" and orientation != 1:
            body = b"eXIf" + _exif(orientation)
            out.append(struct.pack(">L", len(body) - 4) + body + struct.pack(">L", zlib.crc32(body)))
        if name == b"IEND":
            return b"".join(out)
        at = end


def _webp(data: bytes, orientation: int) -> bytes:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("no WebP")
    out = []
    for name, chunk in _riff(data, 12, 8 + struct.unpack_from("<L", data, 4)[0]):
        if name == b"VP8X":
            flags = chunk[8] & ~_WEBP_FLAGS | (0x08 if orientation != 1 else 0)
            out.append(chunk[:8] + bytes([flags]) + chunk[9:])
        elif name not in _WEBP_CHUNKS:
            out.append(chunk)
    if orientation != 1 and out[0][:4] == b"VP8X":
        body = _exif(orientation)
        out.append(b"EXIF" + struct.pack("<L", len(body)) + body)
    body = b"WEBP" + b"".join(out)
    return b"RIFF" + struct.pack("<L", len(body)) + body


def _riff(data: bytes, at: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    while at < end:
        name, length = struct.unpack_from("<4sL", data, at)
        after = at + 8 + length + length % 2
        if after > len(data):
            raise ValueError("cut short")
        yield name, data[at:after]
        at = after


def _gif(data: bytes, orientation: int) -> bytes:
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
    out = [data[:at]]
    while True:
        kind = data[at]
        if kind == 0x3B:
            return b"".join([*out, b"\x3b"])
        start = at
        if kind == 0x2C:
            at += 10 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 0x80 else 0) + 1
            keep = True
        elif kind == 0x21:
            # Control of a frame, and how often an animation is shown; neither comments nor texts nor XMP.
            keep = data[at + 1] == 0xF9 or data[at + 3 : at + 14] in (b"NETSCAPE2.0", b"ANIMEXTS1.0")
            at += 2
        else:
            raise ValueError("no block")
        while data[at]:
            at += data[at] + 1
        at += 1
        if keep:
            out.append(data[start:at])
