"""Sound and film by their first bytes: what browsers play, how long it is, and what is refused."""

import wave
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.formats import Known, read_images_zip
from prefir.formats.recordings import FILM, SOUND, UnplayableError, recording
from tests.formats.helpers import refused
from tests.formats.pictures import zipped
from tests.formats.recordings import CAPTIONS, OPUS, RED, VORBIS, box, flac, mp3, mp4, ogg, wav, webm

SOUNDS = {
    "wav": (wav(1.5), "wav", 1.5),
    "mp3": (mp3(50), "mp3", 50 * 1152 / 44_100),
    "tagged mp3": (mp3(50, tagged=True), "mp3", 50 * 1152 / 44_100),
    "opus": (ogg(OPUS, 96_312), "ogg", 2.0),
    "vorbis": (ogg(VORBIS, 88_200), "ogg", 2.0),
    "flac": (flac(44_100, 66_150), "flac", 1.5),
    "m4a": (mp4((b"soun", b"mp4a"), brand=b"M4A "), "m4a", 4.0),
}
FILMS = {
    "mp4": (mp4((b"vide", b"avc1"), (b"soun", b"mp4a")), "mp4"),
    "silent mp4": (mp4((b"vide", b"av01")), "mp4"),
    "webm": (webm(b"V_VP8", b"A_VORBIS"), "webm"),
    "vp9": (webm(b"V_VP9"), "webm"),
}


@pytest.mark.parametrize("name", SOUNDS)
def test_what_browsers_play_says_how_long_it_is(name):
    data, ending, seconds = SOUNDS[name]
    found = recording(data, SOUND)
    assert (found.format, found.seconds) == (ending, pytest.approx(seconds))


@pytest.mark.parametrize("name", FILMS)
def test_a_film_says_its_length_and_size(name):
    data, ending = FILMS[name]
    assert recording(data, FILM)[:4] == (ending, 4.0, 320, 240)


def test_tags_that_may_name_a_system_are_taken_out():
    assert b"model-alpha" not in recording(mp3(50, tagged=True), SOUND).bare
    sound = wav(0.5)
    told = b"LIST" + (12).to_bytes(4, "little") + b"INFOmodel-al"
    bare = recording(sound + told, SOUND).bare
    assert b"model-al" not in bare
    with wave.open(BytesIO(bare)) as read, wave.open(BytesIO(sound)) as own:
        assert read.readframes(8000) == own.readframes(8000)


@pytest.mark.parametrize(
    ("data", "medium", "why"),
    [
        (b"", SOUND, "empty"),
        (b"\x89PNG\r\n\x1a\n", SOUND, "not WAV, MP3, Ogg, M4A or FLAC sound"),
        (wav(), FILM, "not MP4 or WebM film"),
        (wav().replace(b"fmt \x10\0\0\0\1\0", b"fmt \x10\0\0\0\2\0"), SOUND, "save it as PCM"),
        (wav()[:30], SOUND, "cut short"),
        (wav(0.0), SOUND, "without sound"),
        (b"ID3\x04\0\0\0\0\0\0" + bytes(400), SOUND, "no sound was found"),
        (ogg(b"\x80theora", 10), SOUND, "neither Opus nor Vorbis"),
        (mp4((b"soun", b"alac")), SOUND, "packed as ALAC"),
        (mp4((b"vide", b"avc1")), SOUND, "save its sound alone"),
        (mp4((b"vide", b"hvc1")), FILM, "H.265"),
        (mp4((b"soun", b"mp4a")), FILM, "without a picture"),
        (mp4(), FILM, "neither sound nor film"),
        (mp4((b"vide", b"avc1"))[:200], FILM, "cut short"),
        (webm(b"V_THEORA"), FILM, "V_THEORA"),
        (webm(b"A_OPUS"), FILM, "without a picture"),
        (webm(b"V_VP8")[:-10], FILM, "cut short"),
    ],
)
def test_what_only_some_browsers_play_is_refused_with_the_reason(data, medium, why):
    with pytest.raises(UnplayableError, match=why):
        recording(data, medium)


@given(st.sampled_from([*SOUNDS.values(), *FILMS.values()]), st.data())
@settings(max_examples=300)
def test_damage_is_refused_or_read_but_never_breaks_the_reader(made, data):
    damaged = bytearray(made[0])
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, min(len(damaged), 400) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.integers(1, len(damaged)))])
    for medium in (SOUND, FILM):
        with suppress(UnplayableError):
            assert recording(cut, medium).seconds >= 0


def test_of_very_many_boxes_only_the_first_are_read():
    deep = mp4((b"vide", b"avc1")) + box(b"free") * 20_000
    assert recording(deep, FILM).format == "mp4"


def test_a_real_film_is_read():
    assert recording(RED, FILM)[:4] == ("webm", 2.0, 64, 36)


def test_captions_go_with_the_film_of_their_name():
    known = Known(topics={"t1"}, kind="film")
    files = {"t1/d1.webm": RED, "t1/d1.vtt": b"\xef\xbb\xbf" + CAPTIONS, "t1/d2.webm": RED}
    assert [one.captions for one in read_images_zip("f.zip", zipped(files), known)] == [CAPTIONS, None]
    files |= {"t1/d2.vtt": b"1\n00:00:01,000 --> 00:00:02,000\nHello", "t1/d3.vtt": CAPTIONS}
    assert refused(read_images_zip, "f.zip", zipped(files), known) == [
        "f.zip/t1/d2.vtt: not WebVTT: its first line must begin with WEBVTT",
        "f.zip/t1/d3.vtt: captions without a film of the same name beside them",
    ]


def test_a_zip_is_read_as_what_the_study_compares():
    known = Known(topics={"t1"}, kind="sound")
    [record] = read_images_zip("s.zip", zipped({"t1/d1.opus": ogg(OPUS, 96_312)}), known)
    assert (record.docno, record.format, record.seconds, record.width) == ("d1", "ogg", 2.0, None)
    assert refused(read_images_zip, "s.zip", zipped({"t1/d1.mp4": mp4((b"vide", b"avc1"))}), known) == [
        "s.zip/t1/d1.mp4: the name must end in .wav, .mp3, .ogg, .opus, .m4a or .flac"
    ]
    [told] = refused(read_images_zip, "s.zip", zipped({"t1/d1.mp3": b"Hello"}), known)
    assert "whatever its name says" in told
