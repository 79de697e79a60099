"""Images from a folder, and what is wrong with an image wherever it comes from."""

import contextlib
import hashlib
import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from prefir.formats import (
    BadFile,
    ImageLimits,
    Known,
    read_images_folder,
    read_images_zip,
    topics_of_images,
)
from tests.examples import examples

from .helpers import IMAGES, KNOWN, refused
from .pictures import picture, zipped

PNG = picture()


def fill(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def folder(path, **options):
    return read_images_folder(path, IMAGES, **options)


def one(data, name="t1/a.jpg", **limits):
    """What a zip of one image gives."""
    return read_images_zip("z.zip", zipped({name: data}), IMAGES, limits=ImageLimits(**limits))


def test_a_folder_gives_its_images_by_topic_and_docno(tmp_path):
    files = {
        "t1/b.JPEG": picture("JPEG"),
        "t1/a.b.png": PNG,
        "t2/a.webp": picture("WEBP"),
        "t2/b.gif": picture("GIF"),
    }
    found = folder(fill(tmp_path, files))
    assert [(r.topic, r.docno, r.file, r.format) for r in found] == [
        ("t1", "a.b", "t1/a.b.png", "png"),
        ("t1", "b", "t1/b.JPEG", "jpeg"),
        ("t2", "a", "t2/a.webp", "webp"),
        ("t2", "b", "t2/b.gif", "gif"),
    ]
    for record in found:
        assert record.read() == files[record.file]
        assert (record.width, record.height, record.size) == (4, 3, len(files[record.file]))
        assert record.sha256 == hashlib.sha256(files[record.file]).hexdigest()


def test_what_operating_systems_leave_behind_is_passed_over(tmp_path):
    junk = ["t1/.DS_Store", "t1/Thumbs.db", "t1/._a.png", "__MACOSX/t1/._a.png", "desktop.ini"]
    found = folder(fill(tmp_path, {"t1/a.png": PNG} | dict.fromkeys(junk, b"junk")))
    assert [record.file for record in found] == ["t1/a.png"]


def test_every_bad_file_of_a_folder_is_named(tmp_path):
    path = fill(
        tmp_path / "pics",
        {
            "t1/a.png": PNG,
            "t1/a.jpg": PNG,
            "t1/b.bmp": PNG,
            "t1/c": PNG,
            "t1/d\u200be.png": PNG,
            "t1/f.png": b"hello",
            "t1/g.png": b"",
            "t9/a.png": PNG,
            "t1/deep/a.png": PNG,
            "top.png": PNG,
            "t1/tie.png": PNG,
            "README.txt": b"hello",
        },
    )
    (path / "t2").mkdir()
    (path / "t1/link.png").symlink_to(path / "t1/a.png")
    (path / "away").symlink_to("/")
    os.mkfifo(path / "t1/pipe.png")
    ends = "the name must end in .jpg, .jpeg, .png, .webp or .gif"
    stands = "an image stands in a folder named after its topic: <topic>/<docno>.jpg"
    assert sorted(refused(folder, path)) == sorted([
        "pics/t1/a.png: has the same topic and docno as t1/a.jpg",
        f"pics/t1/b.bmp: {ends}",
        f"pics/t1/c: {ends}",
        'pics/t1/d\\u200be.png: the docno "d\\u200be" contains the control or invisible character U+200B',
        "pics/t1/f.png: not a JPEG, PNG, WebP or GIF image, whatever its name says",
        "pics/t1/g.png: the file is empty",
        'pics/t9/a.png: unknown topic "t9"; load it with the topics first',
        f"pics/t1/deep/a.png: {stands}",
        f"pics/top.png: {stands}",
        'pics/t1/tie.png: an item cannot have the docno "tie": judgment files use this word for a tie',
        f"pics/README.txt: {ends}",
        "pics/t2: the folder is empty",
        "pics/t1/link.png: a symbolic link; put the file itself there",
        "pics/away: a symbolic link; put the file itself there",
        "pics/t1/pipe.png: not an ordinary file",
    ])  # fmt: skip


def test_no_folder_and_an_empty_one_are_refused(tmp_path):
    assert refused(folder, tmp_path / "none") == ["none: no such folder"]
    (tmp_path / "empty").mkdir()
    assert refused(folder, tmp_path / "empty") == [
        "empty: there are no images; expected <topic>/<docno>.jpg (or png, webp, gif)"
    ]


def test_images_are_refused_where_texts_are_compared(tmp_path):
    path = fill(tmp_path / "pics", {"t1/a.png": PNG})
    assert refused(read_images_folder, path, KNOWN) == [
        "pics: this study compares texts; load a JSONL file of items, not images"
    ]


def test_a_folder_has_its_limits(tmp_path):
    path = fill(tmp_path / "pics", {"t1/a.png": PNG, "t1/b.png": PNG})
    assert refused(folder, path, limits=ImageLimits(files=2)) == ["pics: more than 2 files"]
    assert refused(folder, path, limits=ImageLimits(total_bytes=100)) == [
        "pics: more than 100 bytes of files"
    ]
    assert refused(folder, path, limits=ImageLimits(file_bytes=len(PNG) - 1)) == [
        f"pics/t1/{name}.png: larger than the limit of {len(PNG) - 1} bytes" for name in "ab"
    ]
    assert len(folder(path, limits=ImageLimits(files=3, total_bytes=2 * len(PNG), file_bytes=len(PNG)))) == 2


def test_an_image_changed_or_gone_after_the_check_is_not_handed_on(tmp_path):
    first, second = folder(fill(tmp_path, {"t1/a.png": PNG, "t1/b.png": PNG}))
    (tmp_path / first.file).write_bytes(picture("JPEG"))
    (tmp_path / second.file).unlink()
    assert refused(first.read) == ["t1/a.png: the file was changed while it was loaded"]
    assert refused(second.read) == ["t1/b.png: cannot be read: No such file or directory"]


def test_an_image_named_by_macos_finds_its_topic(tmp_path):
    """macOS writes é as e and an accent; the study and its grades have the one character."""
    (record,) = folder(fill(tmp_path, {"e\u0301te\u0301/cafe\u0301.png": PNG}))
    assert (record.topic, record.docno) == ("été", "café")


def test_a_docno_that_the_study_spells_apart_stays_apart(tmp_path):
    known = Known(topics={"t1"}, items={"t1": {"cafe\u0301"}}, kind="image")
    (record,) = read_images_folder(fill(tmp_path, {"t1/cafe\u0301.png": PNG}), known)
    assert record.docno == "cafe\u0301"


@pytest.mark.parametrize(
    ("kind", "format"), [("JPEG", "jpeg"), ("PNG", "png"), ("WEBP", "webp"), ("GIF", "gif"), ("MPO", "jpeg")]
)
def test_the_real_format_is_noted_whatever_the_name_says(kind, format):
    options = {"save_all": True, "append_images": [Image.new("RGB", (4, 3))]} if kind == "MPO" else {}
    (record,) = one(picture(kind, **options), "t1/a.gif" if kind != "GIF" else "t1/a.png")
    assert record.format == format


def test_width_and_height_are_those_that_a_browser_shows():
    """EXIF orientation 6: the camera was held upright, the pixels lie on their side."""
    exif = Image.Exif()
    exif[0x0112] = 6
    (record,) = one(picture("JPEG", size=(40, 30), exif=exif))
    assert (record.width, record.height) == (30, 40)


@pytest.mark.parametrize(
    "data", [b"hello", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF8", picture("BMP"), picture("TIFF")]
)
def test_what_is_no_web_image_is_refused(data):
    assert refused(one, data) == [
        "z.zip/t1/a.jpg: not a JPEG, PNG, WebP or GIF image, whatever its name says"
    ]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_an_image_cut_short_is_refused(kind):
    whole = picture(kind, size=(200, 200))
    (problem,) = refused(one, whole[: len(whole) * 2 // 3])
    assert problem.startswith("z.zip/t1/a.jpg: a broken image (")


def test_a_png_whose_checksum_is_wrong_is_refused():
    """Decoding alone passes over the checksum at the end of the pixel data."""
    data = bytearray(picture(size=(9, 9)))
    data[data.index(b"IEND") - 5] ^= 0xFF
    (problem,) = refused(one, bytes(data))
    assert problem.startswith("z.zip/t1/a.jpg: a broken image (")


def test_an_image_of_too_many_pixels_is_refused_before_it_is_decoded():
    """The second is too much even for Pillow's own guard."""
    assert refused(one, picture(size=(100, 101)), pixels=10_000) == [
        "z.zip/t1/a.jpg: more than 10,000 pixels; make it smaller, at most 100 x 100: every assessor loads it"
    ]
    assert len(one(picture(size=(100, 100)), pixels=10_000)) == 1
    bomb = bytearray(PNG)
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2
    bomb[29:33] = zlib.crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    [reason] = refused(one, bytes(bomb))
    assert reason.startswith("z.zip/t1/a.jpg: more than 25,000,000 pixels; make it smaller, at most 5,000 x")


def test_progress_counts_images_to_the_last(tmp_path):
    calls = []
    path = fill(tmp_path, {f"t1/{i:03}.png": PNG for i in range(250)})
    folder(path, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) <= 101
    assert calls == sorted(calls)
    assert calls[-1] == (250, 250)


@examples(300)
@given(st.sampled_from(["JPEG", "PNG", "WEBP", "GIF"]), st.integers(0, 10_000), st.integers(0, 255))
def test_an_image_with_one_wrong_byte_is_read_or_refused_and_never_breaks_the_reader(kind, place, value):
    data = bytearray(picture(kind, size=(9, 9)))
    data[place % len(data)] = value
    with contextlib.suppress(BadFile):
        (record,) = one(bytes(data))
        assert record.read() == bytes(data)


SPACED = Known(topics={"harbour_at_dawn", "old-town"}, items={"old-town": {"img-1"}}, kind="image")


def test_spaces_in_names_of_folders_and_files_stand_for_underscores_or_hyphens():
    files = {"harbour at dawn/img 1.png": picture(), "old town/img 1.png": picture()}
    found = read_images_zip("z.zip", zipped(files), SPACED)
    assert [(i.topic, i.docno) for i in found] == [("harbour_at_dawn", "img_1"), ("old-town", "img-1")]


def test_a_folder_with_spaces_that_is_no_topic_is_told_how_to_become_one():
    assert refused(read_images_zip, "z.zip", zipped({"sea side/a.png": picture()}), SPACED) == [
        'z.zip/sea side/a.png: ids have no spaces, so no topic is called "sea side"; load one with the id '
        '"sea_side", for which this folder is then taken'
    ]


def test_folders_become_topics_where_there_are_none_yet():
    """In a folder of their own, too, as when a folder was zipped."""
    files = {"all/harbour at dawn/img 1.png": picture(), "all/old_town/a.png": picture(size=(9, 9))}
    nothing = Known(topics=set(), kind="image", new_topics=True)
    found = read_images_zip("z.zip", zipped(files), nothing)
    assert [(i.topic, i.docno) for i in found] == [("harbour_at_dawn", "img_1"), ("old_town", "a")]
    assert [(t.topic, t.text) for t in topics_of_images(found)] == [
        ("harbour_at_dawn", "harbour at dawn"),
        ("old_town", "old town"),
    ]
    assert refused(read_images_zip, "z.zip", zipped({"a\u00a0b/x.png": picture()}), nothing)


def test_two_names_that_become_one_docno_are_refused():
    files = {"old-town/a b.png": picture(), "old-town/a_b.png": picture()}
    assert refused(read_images_zip, "z.zip", zipped(files), SPACED) == [
        "z.zip/old-town/a_b.png: has the same topic and docno as old-town/a b.png"
    ]
