"""Sound and film: whether browsers play a recording, by its bytes, and how long it is.

Nothing is decoded: the heads of containers say which codecs are inside. What only some browsers play is
refused, since people would be asked about what they cannot hear or see.
"""

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from .problems import plain

SOUND, FILM = "sound", "film"
# Endings of file names, by what a study compares.
ENDINGS = {SOUND: ("wav", "mp3", "ogg", "opus", "m4a", "flac"), FILM: ("mp4", "webm")}
# More than any real file has: one with more was made to keep us busy.
_MOST_TRACKS, _MOST_BOXES = 20, 10_000

_MP4_SOUND = {"mp4a", "Opus", "fLaC", ".mp3"}
_MP4_FILM = {"avc1", "avc3", "av01", "vp09"}
_WEBM_SOUND, _WEBM_FILM = {"A_OPUS", "A_VORBIS"}, {"V_VP8", "V_VP9", "V_AV1"}
_KNOWN = {"hvc1": "H.265 (HEVC)", "hev1": "H.265 (HEVC)", "mp4v": "MPEG-4 Part 2", "alac": "ALAC"}

# MPEG audio: kilobits a second by version and layer III's index, and samples a second.
_KILOBITS = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}


class Recording(NamedTuple):
    """A recording that browsers play.

    format: its ending when it is stored. seconds: 0 if its head does not say. bare: its bytes; of WAV and MP3
    without the tags that may name who made them.
    """

    format: str
    seconds: float
    width: int
    height: int
    bare: bytes


class UnplayableError(Exception):
    """Raised for a recording that cannot be loaded, with the reason."""


def recording(data: bytes, medium: str) -> Recording:
    """Read the head of a recording. medium: SOUND or FILM.

    Raises UnplayableError if it is none, or one that only some browsers play.
    """
    if not data:
        raise UnplayableError("the file is empty")
    for fits, read in _READERS[medium]:
        if fits(data):
            try:
                return read(data, medium)
            except (struct.error, IndexError, ValueError) as error:
                raise UnplayableError("a broken recording: its head is cut short") from error
    names = "WAV, MP3, Ogg, M4A or FLAC sound" if medium == SOUND else "MP4 or WebM film"
    raise UnplayableError(f"not {names}, whatever its name says")


def _wav(data: bytes, _: str) -> Recording:
    head, sound, kept = b"", b"", [data[:12]]
    at = 12
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sL", data, at)
        body = data[at + 8 : at + 8 + size]
        if name == b"fmt ":
            head = body
        elif name == b"data":
            sound = body
        if name in (b"fmt ", b"data", b"fact"):
            kept.append(struct.pack("<4sL", name, len(body)) + body + b"\0" * (len(body) % 2))
        at += 8 + size + size % 2
    tag, _channels, _rate, each_second = struct.unpack_from("<HHLL", head)
    if tag == 0xFFFE:
        (tag,) = struct.unpack_from("<H", head, 24)
    if tag not in (1, 3):
        raise UnplayableError("a WAV file whose sound is packed, which browsers do not play; save it as PCM")
    if not sound or not each_second:
        raise UnplayableError("a WAV file without sound")
    bare = b"".join(kept)
    whole = bare[:4] + struct.pack("<L", len(bare) - 8) + bare[8:]
    return Recording("wav", len(sound) / each_second, 0, 0, whole)


def _mp3(data: bytes, _: str) -> Recording:
    start = _after_id3(data)
    end = len(data) - 128 if data[-128:-125] == b"TAG" else len(data)
    at = data.find(b"\xff", start)
    while at >= 0 and not _begins(data, at, end):
        at = data.find(b"\xff", at + 1, start + 65_536)
    if at < 0:
        raise UnplayableError("not MP3, whatever its name says: no sound was found in it")
    start, seconds = at, 0.0
    while at < end and (found := _frame(data, at)):
        at, seconds = at + found[0], seconds + found[1]
    return Recording("mp3", seconds, 0, 0, data[start:end])


def _begins(data: bytes, at: int, end: int) -> bool:
    """Whether two frames follow each other from here: one alone may be there by chance."""
    found = _frame(data, at)
    return found is not None and (at + found[0] >= end or _frame(data, at + found[0]) is not None)


def _after_id3(data: bytes) -> int:
    """Where the sound of an MP3 begins behind its tag."""
    if data[:3] != b"ID3":
        return 0
    a, b, c, d = data[6:10]
    return 10 + (a << 21 | b << 14 | c << 7 | d)


def _frame(data: bytes, at: int) -> tuple[int, float] | None:
    """Bytes and seconds of the frame of MPEG audio that begins here, if one does."""
    head = data[at : at + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0 or (head[1] >> 1) & 3 != 1:
        return None
    version, bits, rate = (head[1] >> 3) & 3, head[2] >> 4, (head[2] >> 2) & 3
    if version == 1 or rate == 3 or bits in (0, 15):
        return None
    first = version == 3
    samples = 1152 if first else 576
    each_second = _RATES[version][rate]
    size = samples // 8 * _KILOBITS[first][bits] * 1000 // each_second + ((head[2] >> 1) & 1)
    return size, samples / each_second


def _ogg(data: bytes, _: str) -> Recording:
    body = data[27 + data[26] :]
    (samples,) = struct.unpack_from("<q", data, data.rfind(b"OggS") + 6)
    if body.startswith(b"OpusHead"):
        samples -= struct.unpack_from("<H", body, 10)[0]
        rate = 48_000
    elif body.startswith(b"\x01vorbis"):
        (rate,) = struct.unpack_from("<L", body, 12)
    else:
        raise UnplayableError("an Ogg file that holds neither Opus nor Vorbis; save it as one of them")
    return Recording("ogg", max(0.0, samples / rate) if rate else 0.0, 0, 0, data)


def _flac(data: bytes, _: str) -> Recording:
    packed = int.from_bytes(data[18:26], "big")
    rate, samples = packed >> 44, packed & (1 << 36) - 1
    return Recording("flac", samples / rate if rate else 0.0, 0, 0, data)


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and end of the body of each box of an MP4 between two places."""
    for _ in range(_MOST_BOXES):
        if start + 8 > end:
            return
        size, name = struct.unpack_from(">L4s", data, start)
        body = start + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, body)
            body += 8
        stop = end if size == 0 else start + size
        if stop < body or stop > end:
            raise UnplayableError("the file is cut short, or damaged")
        yield name, body, stop
        start = stop


def _inside(data: bytes, start: int, end: int, *path: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of the boxes under a path of names."""
    for name, body, stop in _boxes(data, start, end):
        if name == path[0]:
            if len(path) == 1:
                yield body, stop
            else:
                yield from _inside(data, body, stop, *path[1:])


def _mp4(data: bytes, medium: str) -> Recording:
    seconds, width, height = 0.0, 0, 0
    kinds: set[str] = set()
    for body, _stop in _inside(data, 0, len(data), b"moov", b"mvhd"):
        long = data[body] == 1
        scale, duration = struct.unpack_from(">LQ" if long else ">LL", data, body + (20 if long else 12))
        seconds = duration / scale if scale and duration not in (2**32 - 1, 2**64 - 1) else 0.0
    tracks = list(_inside(data, 0, len(data), b"moov", b"trak"))
    if not tracks:
        raise UnplayableError("neither sound nor film was found in it")
    for start, end in tracks[:_MOST_TRACKS]:
        handler = next((data[at + 8 : at + 12] for at, _ in _inside(data, start, end, b"mdia", b"hdlr")), b"")
        if handler not in (b"soun", b"vide"):
            continue
        kinds.add(handler.decode())
        for at, _ in _inside(data, start, end, b"mdia", b"minf", b"stbl", b"stsd"):
            codec = data[at + 12 : at + 16].decode("latin-1")
            _refuse_unless(codec in (_MP4_SOUND if handler == b"soun" else _MP4_FILM), codec, "H.264 and AAC")
        if handler == b"vide":
            for _at, stop in _inside(data, start, end, b"tkhd"):
                width, height = (side >> 16 for side in struct.unpack_from(">LL", data, stop - 8))
    _refuse_other("vide" in kinds, medium)
    return Recording("m4a" if medium == SOUND else "mp4", seconds, width, height, data)


def _webm(data: bytes, medium: str) -> Recording:
    seconds, width, height, scale, codecs = 0.0, 0, 0, 1_000_000, []
    for _ident, start, end in _elements(data, 0, len(data), 0x18538067):
        for _ident, head, stop in _elements(data, start, end, 0x1549A966):
            for _ident, at, last in _elements(data, head, stop, 0x2AD7B1):
                scale = int.from_bytes(data[at:last], "big")
            for _ident, at, last in _elements(data, head, stop, 0x4489):
                (seconds,) = struct.unpack(">d" if last - at == 8 else ">f", data[at:last])
        for _ident, head, stop in _elements(data, start, end, 0x1654AE6B):
            for _ident, track, track_end in list(_elements(data, head, stop, 0xAE))[:_MOST_TRACKS]:
                for _ident, at, last in _elements(data, track, track_end, 0x86):
                    codecs.append(data[at:last].decode("latin-1").rstrip("\0"))
                for _ident, video, video_end in _elements(data, track, track_end, 0xE0):
                    sides = {
                        ident: int.from_bytes(data[at:last], "big")
                        for ident, at, last in _elements(data, video, video_end, 0xB0, 0xBA)
                    }
                    width, height = sides.get(0xB0, 0), sides.get(0xBA, 0)
    if not codecs:
        raise UnplayableError("neither sound nor film was found in it")
    for codec in codecs:
        if codec[:2] in ("A_", "V_"):
            _refuse_unless(codec in _WEBM_SOUND | _WEBM_FILM, codec, "VP9 and Opus")
    _refuse_other(any(codec.startswith("V_") for codec in codecs), medium)
    seconds = seconds * scale / 1e9
    return Recording("webm", seconds if 0 <= seconds < 1e6 else 0.0, width, height, data)


def _elements(data: bytes, start: int, end: int, *wanted: int) -> Iterator[tuple[int, int, int]]:
    """Id, start and end of those elements of a WebM between two places that have one of these ids.

    Reading ends at the first cluster of frames: what is looked for stands before.
    """
    for _ in range(_MOST_BOXES):
        if start >= end:
            return
        ident, body = _number(data, start, keep=True)
        size, body = _number(data, body)
        # All ones: of a stream whose length was not known when it was written.
        stop = end if size is None else body + size
        if ident == 0x1F43B675:
            return
        if stop > end:
            raise UnplayableError("the file is cut short, or damaged")
        if ident in wanted:
            yield ident or 0, body, stop
        start = stop


def _number(data: bytes, at: int, *, keep: bool = False) -> tuple[int | None, int]:
    """A number of EBML and where it ends; keep: with the bits that say its length, as ids have them."""
    length = 9 - data[at].bit_length()
    if length > 8 or at + length > len(data):
        raise ValueError("no number of EBML")
    value = int.from_bytes(data[at : at + length], "big")
    if keep:
        return value, at + length
    value &= (1 << 7 * length) - 1
    return (None if value == (1 << 7 * length) - 1 else value), at + length


def _refuse_unless(plays: bool, codec: str, instead: str) -> None:
    if not plays:
        name = _KNOWN.get(codec, plain(codec.strip()))
        raise UnplayableError(f"packed as {name}, which only some browsers play; save it as {instead}")


def _refuse_other(has_film: bool, medium: str) -> None:
    if has_film and medium == SOUND:
        raise UnplayableError("a film, and this study compares sound; save its sound alone")
    if not has_film and medium == FILM:
        raise UnplayableError("sound without a picture, and this study compares film")


_Readers = list[tuple[Callable[[bytes], bool], Callable[[bytes, str], Recording]]]
_MP4 = (lambda data: data[4:8] == b"ftyp", _mp4)
_READERS: dict[str, _Readers] = {
    SOUND: [
        (lambda data: data[:4] == b"RIFF" and data[8:12] == b"WAVE", _wav),
        (lambda data: data[:4] == b"OggS", _ogg),
        (lambda data: data[:4] == b"fLaC", _flac),
        _MP4,
        (lambda data: data[:3] == b"ID3" or (data[0] == 0xFF and data[1:2] > b"\xe0"), _mp3),
    ],
    FILM: [_MP4, (lambda data: data[:4] == b"\x1a\x45\xdf\xa3", _webm)],
}
