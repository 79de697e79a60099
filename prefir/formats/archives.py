"""Reader of zip files, of images above all, which may be broken, hostile, or made on an old machine."""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from .ids import Known, hidden_character
from .images import (
    ImageEntry,
    ImageLimits,
    ImageRecord,
    UnreadableError,
    check_images,
    is_junk,
    limits_of,
)
from .lines import Progress, megabytes
from .problems import Problems

_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_SMALL = 1024**2  # bytes; below this size the ratio does not matter
# What zipfile raises for damaged files; ValueError and struct.error come from offsets outside the file.
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)
_NAME_BYTES = 1024  # more than one file takes in the directory


def read_images_zip(
    name: str,
    source: bytes | BinaryIO | Path,
    known: Known,
    *,
    limits: ImageLimits | None = None,
    progress: Progress | None = None,
) -> list[ImageRecord]:
    """Read images, or sound or film, named `<topic>/<docno>.<ending>` from a zip, in its order.

    There may be one more folder around them, as when a folder itself was zipped. `source` must be seekable
    and stay open until the bytes of the records are read. Nothing is written to disk, and one image at a
    time is held in memory. `progress` is called with (images done, images in total).
    Raises BadFile naming every file that cannot be loaded.
    """
    problems, limits = Problems(name), limits or limits_of(known.kind)
    entries, folders = read_members(source, limits, problems)
    return check_images(entries, folders, known, limits, problems, progress)


def read_members(
    source: bytes | BinaryIO | Path, limits: ImageLimits, problems: Problems
) -> tuple[list[ImageEntry], set[str]]:
    """List the files of a zip, none of them opened yet, and its folders.

    Files that must not be opened are noted in `problems`; files that systems leave behind are left out.
    Raises BadFile for what is no zip, or unpacks to too much.
    """
    file: BinaryIO | Path = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        size = _check_directory(file, limits, problems)
        archive = zipfile.ZipFile(file)
    except OSError as error:
        raise problems.stop(f"cannot be read: {error.strerror or error}") from error
    except _DAMAGED as error:
        raise problems.stop(f"not a zip archive, or cut short ({error})") from error
    files = archive.infolist()
    declared = sum(info.file_size for info in files)
    if declared > max(_SMALL, limits.ratio * size):
        raise problems.stop(_too_small(declared, size, limits))
    entries: list[ImageEntry] = []
    folders: set[str] = set()
    for info in files:
        inside, reason = _file_name(info)
        if reason := reason or _name_problem(inside):
            problems.add_inside(inside, reason)
        elif is_junk(inside.rstrip("/")):
            continue
        elif info.is_dir():
            folders.add(inside.rstrip("/"))
        elif reason := _member_problem(info, limits):
            problems.add_inside(inside, reason)
        else:
            entries.append(ImageEntry(inside, info.file_size, _content(archive, info, limits)))
    return entries, folders


def _too_small(unpacked: int, packed: int, limits: ImageLimits) -> str:
    most = f"more than {limits.ratio} times its size"
    return f"would unpack to {megabytes(unpacked)} from {megabytes(packed)}: {most}"


def _check_directory(file: BinaryIO | Path, limits: ImageLimits, problems: Problems) -> int:
    """Refuse an archive that names more files than the limit; return its size in bytes.

    `ZipFile` makes an object for each entry as soon as it opens a file: a million empty files would take
    much memory.
    """
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return _check_directory(opened, limits, problems)
    size = file.seek(0, io.SEEK_END)
    # Enough for the end record with the longest comment after it and the two ZIP64 records before it.
    start = max(0, size - 65_557 - 76)
    file.seek(start)
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile("its directory is missing")
    (length,) = struct.unpack_from("<L", tail, at + 12)
    if tail[max(0, at - 20) : at].startswith(b"PK\x06\x07"):  # ZIP64: an earlier record holds the length
        at -= 20 + 56
        (length,) = struct.unpack_from("<Q", tail, at + 40)
    too_many = length > limits.files * _NAME_BYTES
    if not too_many:
        file.seek(max(0, start + at - length))
        too_many = file.read(length).count(b"PK\x01\x02") > limits.files  # each entry begins with this
        file.seek(0)
    if too_many:
        raise problems.stop(f"more than {limits.files:,} files")
    return size


def _file_name(info: zipfile.ZipInfo) -> tuple[str, str | None]:
    """Decode the name of a member: the name, and what is wrong with its encoding, or None.

    macOS writes UTF-8 without saying so, which zipfile reads as CP437. Other old code pages cannot be
    recognized.
    """
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAME or name.isascii():
        return name, None
    try:
        return name.encode("cp437").decode("utf-8"), None
    except UnicodeError:
        return name, "the name is not UTF-8; zip the files with UTF-8 names, or rename them"


def _name_problem(name: str) -> str | None:
    """Check the name of a member: the reason why it is not allowed, or None."""
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "the name starts at the root of a disk; names in the zip must be relative"
    parts = name.rstrip("/").split("/")
    if ".." in parts:
        return "the name climbs out of the zip with .."
    if "\\" in name:
        return "the name contains a backslash; folders must be separated by /"
    if "" in parts or "." in parts:
        return "the name has an empty folder in it"
    if hidden := hidden_character(name):
        return f"the name contains the control or invisible character {hidden}"
    return None


def _member_problem(info: zipfile.ZipInfo, limits: ImageLimits) -> str | None:
    """Check a member before it is opened: the reason why it must not be, or None."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a symbolic link; put the file itself there"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted; zip the files without a password"
    # Other methods set no bound on how much one read unpacks.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "packed by a method other than deflate; zip the files in the ordinary way"
    if info.file_size > max(_SMALL, limits.ratio * info.compress_size):
        return _too_small(info.file_size, info.compress_size, limits)
    return None


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: ImageLimits) -> Callable[[], bytes]:
    def content() -> bytes:
        try:
            with archive.open(info) as member:
                # Read to the end, where zipfile compares the checksum, unless the file is too large.
                data = member.read(limits.file_bytes + 1)
        except _DAMAGED as error:
            raise UnreadableError(f"the zip is damaged here ({error or 'cut short'})") from error
        if len(data) > limits.file_bytes:
            raise UnreadableError(f"larger than the limit of {megabytes(limits.file_bytes)}")
        if len(data) != info.file_size:
            raise UnreadableError(f"the zip says {info.file_size:,} bytes, but holds {len(data):,}")
        return data

    return content
