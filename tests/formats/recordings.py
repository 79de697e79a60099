"""Recordings for tests, made byte by byte: heads that say what is inside, and little behind them."""

import base64
import io
import math
import struct
import wave


def wav(seconds: float = 1.0, *, loudness: float = 0.5, rate: int = 8000, tone: float = 440.0) -> bytes:
    """A tone. loudness: of its peaks, from 0 to 1."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", ""))
        peak = 32767 * loudness
        samples = (int(peak * math.sin(2 * math.pi * tone * n / rate)) for n in range(int(seconds * rate)))
        sound.writeframes(b"".join(struct.pack("<h", one) for one in samples))
    return file.getvalue()


def mp3(frames: int = 50, *, tagged: bool = False) -> bytes:
    """Silent frames of 128 kbit/s at 44.1 kHz, 1152 samples each."""
    frame = b"\xff\xfb\x90\x00" + bytes(413)
    tag = b"ID3\x04\x00\x00\x00\x00\x00\x0bmodel-alpha" if tagged else b""
    return tag + frame * frames + (b"TAG" + b"model-alpha".ljust(125, b"\0") if tagged else b"")


def ogg(head: bytes, samples: int) -> bytes:
    """Two pages: what is inside, and how many samples were played in the end."""
    return b"".join(
        b"OggS\x00\x00" + struct.pack("<qLLL", at, 1, n, 0) + bytes([1, len(body)]) + body
        for n, (at, body) in enumerate([(0, head), (samples, b"\0")])
    )


OPUS = b"OpusHead\x01\x01" + struct.pack("<HLhB", 312, 48_000, 0, 0)
VORBIS = b"\x01vorbis" + struct.pack("<LBL", 0, 2, 44_100)


def flac(rate: int, samples: int) -> bytes:
    return b"fLaC\x80\x00\x00\x22" + bytes(10) + (rate << 44 | samples).to_bytes(8, "big") + bytes(16)


def box(name: bytes, *inside: bytes) -> bytes:
    body = b"".join(inside)
    return struct.pack(">L4s", 8 + len(body), name) + body


def mp4(*codecs: tuple[bytes, bytes], seconds: int = 4, brand: bytes = b"isom") -> bytes:
    """A head with tracks. codecs: handler and codec of each, such as (b"vide", b"avc1")."""
    times = struct.pack(">LLLLL", 0, 0, 0, 1000, seconds * 1000)
    tracks = [
        box(
            b"trak",
            box(b"tkhd", bytes(76), struct.pack(">LL", 320 << 16, 240 << 16)),
            box(
                b"mdia",
                box(b"hdlr", bytes(8), handler, bytes(12)),
                box(b"minf", box(b"stbl", box(b"stsd", struct.pack(">LL", 0, 1), box(codec, bytes(8))))),
            ),
        )
        for handler, codec in codecs
    ]
    return box(b"ftyp", brand, bytes(4)) + box(b"moov", box(b"mvhd", times), *tracks) + box(b"mdat")


def element(ident: bytes, *inside: bytes) -> bytes:
    body = b"".join(inside)
    return ident + struct.pack(">L", 1 << 28 | len(body)) + body


def webm(*codecs: bytes, seconds: float = 4.0) -> bytes:
    info = element(b"\x15\x49\xa9\x66", element(b"\x44\x89", struct.pack(">d", seconds * 1000)))
    sides = element(b"\xe0", element(b"\xb0", b"\x01\x40"), element(b"\xba", b"\xf0"))
    tracks = [
        element(b"\xae", element(b"\x86", codec), sides if codec.startswith(b"V") else b"")
        for codec in codecs
    ]
    head = element(b"\x1a\x45\xdf\xa3", element(b"\x42\x82", b"webm"))
    return head + element(b"\x18\x53\x80\x67", info, element(b"\x16\x54\xae\x6b", *tracks))


# Two seconds of red in VP8, made by
# `ffmpeg -f lavfi -i color=red:size=64x36:rate=5:duration=2 -c:v libvpx -b:v 10k red.webm`.
RED = base64.b64decode(
    "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAALaEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZU"
    "rmtTrIHYTbuMU6uEElTDZ1OsggEeTbuMU6uEHFO7a1OsggLE7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmsirXsYMPQkBNgI1M"
    "YXZmNTkuMjcuMTAwV0GNTGF2ZjU5LjI3LjEwMESJiECfQAAAAAAAFlSua8GuAQAAAAAAADjXgQFzxYhgMR/iqhADO5yBACK1nIN1"
    "bmSIgQCGhVZfVlA4g4EBI+ODhAvrwgDgibCBQLqBJJqBAhJUw2f9c3OgY8CAZ8iaRaOHRU5DT0RFUkSHjUxhdmY1OS4yNy4xMDBz"
    "c9djwItjxYhgMR/iqhADO2fIoUWjh0VOQ09ERVJEh5RMYXZjNTkuMzcuMTAwIGxpYnZweGfIokWjiERVUkFUSU9ORIeUMDA6MDA6"
    "MDIuMDAwMDAwMDAwAAAfQ7Z1QR7ngQCjwoEAAICQAwCdASpAACQAAEcIhYWIhYSIAgICdaoD+AP6Agc7eeLPMx5eAP79bvP/45k3"
    "MMT/jm3/8WE8DijI//FRAKOWgQDIANEBAAEQEAAYABhYL/QACIwAAKOWgQGQANEBAAEQEAAYABhYL/QACIwAAKOWgQJYANEBAAEQ"
    "EAAYABhYL/QACIwAAKOWgQMgANEBAAEQEAAYABhYL/QACIwAAKOWgQPoANEBAAEQEAAYABhYL/QACIwAAKOWgQSwANEBAAEQEAAY"
    "ABhYL/QACIwAAKOVgQV4ALEBAAEQEBRgAGFgv9AAIjAAo5aBBkAA0QEAARAQABgAGFgv9AAIjAAAo5aBBwgA0QEAARAQABgAGFgv"
    "9AAIjAAAHFO7a5G7j7OBALeK94EB8YIBoPCBAw=="
)
CAPTIONS = b"WEBVTT\n\n00:00.000 --> 00:02.000\nAll of it is red.\n"
