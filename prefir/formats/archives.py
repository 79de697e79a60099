"""Reader of a zip of images, which may be broken, hostile, or made on an old machine."""

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
from .images import DEFAULT_LIMITS, Entry, ImageLimits, ImageRecord, UnreadableError, check_images, is_junk
from .lines import Progress, megabytes
from .problems import Problems

_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_SMALL = 1024**2  # below this a file's ratio is of no matter
# What zipfile raises at wrong bytes; ValueError and struct.error come from offsets outside of the file.
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)
_NAME_BYTES = 1024  # of the directory, for each file, generously


def read_images_zip(
    name: str,
    source: bytes | BinaryIO | Path,
    known: Known,
    *,
    limits: ImageLimits = DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> list[ImageRecord]:
    """Images from `<topic>/<docno>.<jpg|jpeg|png|webp|gif>` in a zip, in its order.

    All may stand in one more folder, as when a folder itself was zipped. `source` must be seekable and
    stay open until the records' bytes are read. Nothing is written to disk, and one image at a time is
    held in memory. `progress` gets (images done, images in all).
    Raises BadFile naming every file that cannot be loaded.
    """
    problems = Problems(name)
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
        raise problems.stop(
            f"would unpack to {megabytes(declared)} from {megabytes(size)}: not a zip of images"
        )
    entries: list[Entry] = []
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
            entries.append(Entry(inside, info.file_size, _content(archive, info, limits)))
    return check_images(entries, folders, known, limits, problems, progress)


def _check_directory(file: BinaryIO | Path, limits: ImageLimits, problems: Problems) -> int:
    """The archive's size in bytes, after refusing one that names more files than the limit.

    `ZipFile` makes an object for each entry when opened, so a million empty files would already hurt there.
    """
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return _check_directory(opened, limits, problems)
    size = file.seek(0, io.SEEK_END)
    # The end record, the longest comment after it, and before it the two records of a large zip.
    start = max(0, size - 65_557 - 76)
    file.seek(start)
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile("its directory is missing")
    (length,) = struct.unpack_from("<L", tail, at + 12)
    if tail[max(0, at - 20) : at].startswith(b"PK\x06\x07"):  # a large zip: an earlier record overrules this
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
    """The name as it was meant, and what is wrong with its encoding, if anything.

    macOS writes UTF-8 without saying so, which zipfile reads as CP437; other old code pages cannot be told.
    """
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAME or name.isascii():
        return name, None
    try:
        return name.encode("cp437").decode("utf-8"), None
    except UnicodeError:
        return name, "the name is not UTF-8; zip the images with UTF-8 names, or rename them"


def _name_problem(name: str) -> str | None:
    """Why no file may have this name; None if one may."""
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
    """Why a member is not even looked into; None if it can be."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a symbolic link; put the image itself there"
    if info.flag_bits & _ENCRYPTED:
        return "encrypted; zip the images without a password"
    # The other methods unpack without a bound on what one read returns.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "packed by a method other than deflate; zip the images in the ordinary way"
    if info.file_size > max(_SMALL, limits.ratio * info.compress_size):
        return (
            f"would unpack to {megabytes(info.file_size)} from {megabytes(info.compress_size)}: not an image"
        )
    return None


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: ImageLimits) -> Callable[[], bytes]:
    def content() -> bytes:
        try:
            with archive.open(info) as member:
                # To the end, where zipfile compares the checksum, unless the file is too large anyway.
                data = member.read(limits.file_bytes + 1)
        except _DAMAGED as error:
            raise UnreadableError(f"the zip is damaged here ({error or 'cut short'})") from error
        if len(data) > limits.file_bytes:
            raise UnreadableError(f"larger than the limit of {megabytes(limits.file_bytes)}")
        if len(data) != info.file_size:
            raise UnreadableError(f"the zip says {info.file_size:,} bytes, but holds {len(data):,}")
        return data

    return content
