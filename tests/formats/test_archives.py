"""Zips of images: broken, hostile, or made on an old machine."""

import contextlib
import io
import random
import stat
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.formats import BadFile, ImageLimits, read_images_zip
from tests.examples import examples

from .helpers import IMAGES, refused
from .pictures import patched, picture, zipped

PNG = picture()
GOOD = zipped({"t1/a.png": PNG, "t2/b.jpg": picture("JPEG")})


def read(source, known=IMAGES, **limits):
    return read_images_zip("z.zip", source, known, limits=ImageLimits(**limits))


def test_bytes_a_path_and_an_open_file_give_the_same_images(tmp_path):
    path = tmp_path / "z.zip"
    path.write_bytes(GOOD)
    with path.open("rb") as file:
        for source in (GOOD, path, file):
            found = read(source)
            assert [(r.topic, r.docno, r.format) for r in found] == [("t1", "a", "png"), ("t2", "b", "jpeg")]
            assert found[0].read() == PNG


def test_the_folder_that_was_zipped_may_stand_around_everything():
    files = {"pics/t1/a.png": PNG, "pics/t2/b.png": PNG, "__MACOSX/pics/._t1": b"", "pics/.DS_Store": b"x"}
    assert [(r.topic, r.docno, r.file) for r in read(zipped(files))] == [
        ("t1", "a", "pics/t1/a.png"),
        ("t2", "b", "pics/t2/b.png"),
    ]


def test_a_folder_called_like_a_topic_is_not_taken_for_a_wrapper():
    assert refused(read, zipped({"t1/t2/a.png": PNG})) == [
        "z.zip/t1/t2/a.png: an image stands in a folder named after its topic: <topic>/<docno>.jpg"
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../a.png", "the name climbs out of the zip with .."),
        ("t1/../../a.png", "the name climbs out of the zip with .."),
        ("t1/..", "the name climbs out of the zip with .."),
        ("/t1/a.png", "the name starts at the root of a disk; names in the zip must be relative"),
        ("C:/t1/a.png", "the name starts at the root of a disk; names in the zip must be relative"),
        ("c:a.png", "the name starts at the root of a disk; names in the zip must be relative"),
        ("t1\\a.png", "the name contains a backslash; folders must be separated by /"),
        ("..\\a.png", "the name contains a backslash; folders must be separated by /"),
        ("t1//a.png", "the name has an empty folder in it"),
        ("./t1/a.png", "the name has an empty folder in it"),
        ("t1/a\n.png", "the name contains the control or invisible character U+000A"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused(name, reason):
    shown = name.replace("\n", r"\n")
    assert refused(read, zipped({"t1/good.png": PNG, name: PNG})) == [f"z.zip/{shown}: {reason}"]


def test_a_name_with_a_nul_byte_is_refused():
    """Python would cut the name there, and read evil.png as e."""
    data = zipped({"t1/evil.png": PNG}).replace(b"t1/evil.png", b"t1/e\0il.png")
    assert refused(read, data) == [
        r"z.zip/t1/e\x00il.png: the name contains the control or invisible character U+0000"
    ]


def test_a_symbolic_link_is_refused():
    link = zipfile.ZipInfo("t1/passwd.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert refused(read, zipped({link: b"/etc/passwd", "t1/a.png": PNG})) == [
        "z.zip/t1/passwd.png: a symbolic link; put the file itself there"
    ]


def test_an_encrypted_image_is_refused():
    assert refused(read, patched(zipped({"t1/a.png": PNG}), 6, 8, b"\x01\x00")) == [
        "z.zip/t1/a.png: encrypted; zip the files without a password"
    ]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_whose_unpacking_has_no_bound_are_refused(method):
    assert refused(read, zipped({"t1/a.png": PNG}, method)) == [
        "z.zip/t1/a.png: packed by a method other than deflate; zip the files in the ordinary way"
    ]


@pytest.mark.parametrize("data", [b"", b"no zip", PNG, GOOD[:-30], GOOD[: len(GOOD) // 2]])
def test_what_is_no_zip_or_is_cut_short_is_refused(data):
    (problem,) = refused(read, data)
    assert problem.startswith("z.zip: not a zip archive, or cut short (")


def test_a_zip_with_its_beginning_cut_off_is_refused():
    for problem in refused(read, GOOD[60:]):
        assert ": the zip is damaged here (" in problem


def test_no_such_zip_cannot_be_read(tmp_path):
    assert refused(read, tmp_path / "none.zip") == ["z.zip: cannot be read: No such file or directory"]


def test_damaged_bytes_fail_their_checksum():
    data = bytearray(zipped({"t1/a.png": PNG}, zipfile.ZIP_STORED))
    data[60] ^= 0xFF
    assert refused(read, bytes(data)) == [
        "z.zip/t1/a.png: the zip is damaged here (Bad CRC-32 for file 't1/a.png')"
    ]


def test_a_zip_without_images_is_refused():
    for files in ({}, {"__MACOSX/x": b"", "t1/.DS_Store": b"x"}):
        assert refused(read, zipped(files)) == [
            "z.zip: there are no images; expected <topic>/<docno>.jpg (or png, webp, gif)"
        ]


def test_an_empty_folder_and_a_docno_given_twice_are_named():
    files = {"t1/": b"", "t1/a.png": PNG, "t2/": b"", "t1/a.webp": PNG, "t3/a.png": PNG}
    assert refused(read, zipped(files)) == [
        "z.zip/t2: the folder is empty",
        "z.zip/t1/a.webp: has the same topic and docno as t1/a.png",
        'z.zip/t3/a.png: unknown topic "t3"; load it with the topics first',
    ]


def test_one_name_twice_is_named_too():
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped([("t1/a.png", PNG), ("t1/a.png", picture("JPEG"))])
    assert refused(read, data) == ["z.zip/t1/a.png: has the same topic and docno as t1/a.png"]


def test_a_file_that_unpacks_to_much_more_than_it_is_packed_in_is_refused():
    files = {"t1/a.png": b"\0" * 5_000_000, "t1/b.png": random.Random(1).randbytes(100_000)}
    data = zipped(files)
    packed = zipfile.ZipFile(io.BytesIO(data)).getinfo("t1/a.png").compress_size
    assert refused(read, data) == [
        f"z.zip/t1/a.png: would unpack to 4 MB from {packed:,} bytes: more than 200 times its size",
        "z.zip/t1/b.png: not a JPEG, PNG, WebP or GIF image, whatever its name says",
    ]


def test_a_zip_that_unpacks_to_much_more_than_it_is_packed_in_is_refused():
    files = {f"t1/{i}.png": b"\0" * 900_000 for i in range(20)}
    data = zipped(files)
    assert refused(read, data) == [
        f"z.zip: would unpack to 17 MB from {len(data):,} bytes: more than 200 times its size"
    ]


def test_entries_that_share_the_same_bytes_count_each_time():
    """The bomb of overlapping files: a small zip whose directory names one packed file a thousand times."""
    one = zipped({"t1/a.png": b"\0" * 900_000})
    start, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entry = one[start:end]
    last = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(entry) * 1000, start, 0)
    bomb = one[:start] + entry * 1000 + last
    assert refused(read, bomb) == [
        f"z.zip: would unpack to 858 MB from {len(bomb):,} bytes: more than 200 times its size"
    ]


def lying(size):
    """A zip whose one image says that it unpacks to `size` bytes."""
    return patched(zipped({"t1/a.png": PNG}), 22, 24, struct.pack("<L", size))


def test_a_size_said_too_small_is_found_out():
    (problem,) = refused(read, lying(10))
    assert problem == "z.zip/t1/a.png: the zip is damaged here (Bad CRC-32 for file 't1/a.png')"


def test_a_size_said_too_small_with_the_checksum_to_match_gives_no_image():
    data = patched(lying(10), 14, 16, struct.pack("<L", zlib.crc32(PNG[:10])))
    (problem,) = refused(read, data)
    assert problem == "z.zip/t1/a.png: not a JPEG, PNG, WebP or GIF image, whatever its name says"


def test_a_size_said_too_large_is_found_out():
    assert refused(read, lying(len(PNG) + 5)) == [
        f"z.zip/t1/a.png: the zip says {len(PNG) + 5} bytes, but holds {len(PNG)}"
    ]


def test_a_zip_has_its_limits():
    size = len(PNG)
    data = zipped({"t1/a.png": PNG, "t1/b.png": PNG}, zipfile.ZIP_STORED)
    assert refused(read, data, files=1) == ["z.zip: more than 1 files"]
    assert refused(read, data, total_bytes=2 * size - 1) == [
        f"z.zip: more than {2 * size - 1} bytes of files"
    ]
    assert refused(read, data, file_bytes=size - 1) == [
        f"z.zip/t1/{name}.png: larger than the limit of {size - 1} bytes" for name in "ab"
    ]
    assert len(read(data, files=2, total_bytes=2 * size, file_bytes=size)) == 2


def test_a_huge_directory_is_refused_before_it_is_read(monkeypatch):
    """Python's reader makes an object for each entry as soon as the zip is opened."""
    data = zipped({f"{i}/": b"" for i in range(2000)})
    monkeypatch.setattr(zipfile, "ZipFile", None)  # calling it would be a TypeError
    assert refused(read, data, files=1999) == ["z.zip: more than 1,999 files"]
    assert refused(read, data, files=10) == ["z.zip: more than 10 files"]


def test_the_directory_of_the_large_kind_of_zip_is_looked_at_too(monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 5)
    data = zipped({f"{i}/": b"" for i in range(2000)})
    assert b"PK\x06\x06" in data
    hidden = bytearray(data)
    at = data.rindex(b"PK\x05\x06")
    hidden[at + 12 : at + 16] = struct.pack("<L", 46)  # what the old record says no longer counts
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert refused(read, bytes(hidden), files=1999) == ["z.zip: more than 1,999 files"]


def test_names_in_utf_8_without_the_mark_are_read_as_macos_meant_them():
    (record,) = read(zipped({"t1/cafXX.png": PNG}).replace(b"cafXX", "café".encode()))
    assert record.docno == "café"


def test_names_in_an_old_code_page_are_refused_with_the_reason():
    assert refused(read, zipped({"t1/cafX.png": PNG}).replace(b"cafX", b"caf\xe9")) == [
        "z.zip/t1/cafΘ.png: the name is not UTF-8; zip the files with UTF-8 names, or rename them"
    ]


def test_an_open_zip_is_read_again_for_the_bytes_and_checked_again():
    file = io.BytesIO(zipped({"t1/a.png": PNG}, zipfile.ZIP_STORED))
    (record,) = read(file)
    file.getbuffer()[60] ^= 0xFF
    assert refused(record.read) == ["t1/a.png: the zip is damaged here (Bad CRC-32 for file 't1/a.png')"]


def test_reading_writes_nothing_to_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    read(GOOD)
    with pytest.raises(BadFile):
        read(zipped({"../up.png": PNG}))
    assert list(tmp_path.iterdir()) == []


@examples(400)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_zip_with_wrong_bytes_is_read_or_refused_and_never_breaks_the_reader(changes):
    data = bytearray(GOOD)
    for place, value in changes:
        data[place % len(data)] = value
    with contextlib.suppress(BadFile):
        assert all(record.read() for record in read(bytes(data)))
