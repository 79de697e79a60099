"""Read text files: open, unpack, decode and split them. Every reader of a text format starts here."""

import codecs
import gzip
import io
import math
import re
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import BinaryIO

from .ids import hidden_character
from .problems import MOST, BadFile, Problems

Source = bytes | BinaryIO | Path
Progress = Callable[[int, int], None]

MAX_BYTES = 256 * 1024 * 1024  # of one text file, unpacked
FREE_BYTES = 2**31 - 1  # of one that is read for no database: places in it are 32-bit numbers
MAX_RATIO = 200  # unpacked to packed size of a gzip file above 1 MB, as of a zip of images
PROGRESS_CALLS = 100
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
# Byte order marks; spreadsheets write the third as Unicode text. UTF-32 first: the mark of UTF-16 begins it.
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PICTURE = "the file is one picture; put the pictures into a zip, and load that"
_OTHERS = {
    _ZIP: "the file is a zip archive; unpack it and load the text file in it",
    b"\xd0\xcf\x11\xe0": "the file is an old workbook or document; save it as .xlsx or CSV",
    b"%PDF": "the file is a PDF; save what it shows as text or CSV",
    b"SQLite format 3": "the file is a database of SQLite; save its table as CSV",
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
}
# Control characters that no text has, and which share of a file they make where it is no text. One of them in
# a text is a mistake in a line, which reading names.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NO_TEXT = 0.02
BINARY = (
    "the file is no text: its bytes are no letters. Save what it holds as a table (CSV, .xlsx, Parquet), as "
    "JSON or as text in UTF-8"
)
_COMMENTS = re.compile(r"^[ \t]*#.*(?:\n|\Z)", re.M)
_CHUNK = _SMALL = 1024 * 1024


def read_lines(
    source: Source, problems: Problems, *, progress: Progress | None = None, limit: int = MAX_BYTES
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers (from 1), without line ends.

    A line that cannot be decoded, contains a NUL byte, or is empty although others follow is noted in
    `problems` and left out. `progress` is called with (bytes done, bytes in total), about 100 times.
    Raises BadFile if lines cannot be read at all: an empty file, a broken gzip file, more than `limit` bytes.
    A file on disk is read line by line; anything else, and UTF-16 and UTF-32, is held in memory.
    """
    if not isinstance(source, Path):
        source = read_bytes(source, problems, limit)
    try:
        with source.open("rb") if isinstance(source, Path) else io.BytesIO(source) as file:
            yield from _lines_of(file, problems, progress, limit)
    except OSError as error:
        raise problems.stop(f"cannot be read: {error.strerror or error}") from error


def _lines_of(
    file: BinaryIO, problems: Problems, progress: Progress | None, limit: int
) -> Iterator[tuple[int, str]]:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size > limit:
        raise problems.stop(f"larger than the limit of {megabytes(limit)}")
    blanks: list[int] = []
    filled = False
    done, step = 0, math.ceil(size / PROGRESS_CALLS)
    due = 0
    packed = file.read(len(_GZIP)) == _GZIP
    for number, (shift, raw) in enumerate(_raw_lines(file, size, problems, limit), 1):
        done = file.tell() if packed else done + shift + len(raw)
        if progress and due <= done < size:
            progress(done, size)
            due = done + step
        if not raw or raw.isspace():
            if len(blanks) < MOST:
                blanks.append(number)
            continue
        filled = True
        for blank in blanks:
            problems.add(blank, "the line is empty")
        blanks.clear()
        if b"\0" in raw:
            problems.add(number, f"a NUL byte at byte {raw.index(0) + 1} of the line; is this a text file?")
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            place = error.start + 1 + shift
            reason = f"not UTF-8: byte 0x{raw[error.start]:02x} at byte {place} of the line"
            problems.add(number, f"{reason}; save the file as UTF-8")
            continue
        yield number, text.rstrip("\r\n")
    if not filled:
        raise problems.stop("the file is empty")
    if progress:
        progress(size, size)


def _raw_lines(file: BinaryIO, size: int, problems: Problems, limit: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of an open file, unpacked; with the first, the length of the byte order mark before it.

    Raises BadFile where the file is no text, or unpacks to too much.
    """
    file.seek(0)
    packed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    text: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file
    if _encoding(_line(text, 4, problems)):
        file.seek(0)
        text = io.BytesIO(text_bytes(file, problems, limit)[0])
    text.seek(0)
    most = min(limit, most_unpacked(size)) if packed else limit
    left, first = most, True
    while raw := _line(text, left + 1, problems):
        left -= len(raw)
        if left < 0:
            raise _too_large(problems, size, limit)
        shift = 0
        if first:
            first = False
            shift = _check_start(raw, problems)
            raw = raw[shift:]
            if not raw.endswith(b"\n") and b"\r" in raw.rstrip():
                # Lines end in carriage returns alone, so that this one is the whole file.
                for line in raw.splitlines(keepends=True):
                    yield shift, line
                    shift = 0
                continue
        yield shift, raw


def _line(text: BinaryIO | gzip.GzipFile, most: int, problems: Problems) -> bytes:
    """Read a line of at most so many bytes. Raises BadFile for a broken gzip file."""
    try:
        return text.readline(most)
    except EOFError as error:
        raise problems.stop("the gzip file is cut short") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise problems.stop(f"the gzip file is damaged ({error})") from error


def most_unpacked(size: int) -> int:
    """How many bytes a gzip file of this size may unpack to: more would be made to do harm."""
    return max(_SMALL, MAX_RATIO * size)


def _too_large(problems: Problems, size: int, limit: int) -> BadFile:
    if most_unpacked(size) < limit:
        return problems.stop(
            f"the gzip file unpacks to more than {MAX_RATIO} times its size: not a text file"
        )
    return problems.stop(f"the gzip file unpacks to more than the limit of {megabytes(limit)}")


def _check_start(data: bytes, problems: Problems) -> int:
    """Check how an unpacked file begins: the length of its byte order mark. Raises BadFile if no text."""
    if told := unreadable(data):
        raise problems.stop(told)
    return len(_BOM) if data.startswith(_BOM) else 0


def read_fields(
    source: Source,
    problems: Problems,
    columns: str,
    *,
    counts: Collection[int],
    progress: Progress | None = None,
    free: bool = False,
    more: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Yield lines split at spaces and tabs into one of `counts` fields; `columns` names them in errors.

    free: as `Known` has it; lines that begin with # are comments then, as they are for trec_eval.
    more: whether a line may go on after the last field.
    """
    for number, text in read_lines(source, problems, progress=progress, limit=most_bytes(free)):
        if free and is_comment(text):
            continue
        # isprintable() is quick and nearly always true; it also rules out unusual spaces, at which
        # split() would cut.
        if not text.isprintable() and (hidden := hidden_character(text.replace("\t", " "))):
            problems.add(number, f"the line contains the control or invisible character {hidden}")
            continue
        fields = text.split()
        if len(fields) not in counts and not (more and len(fields) > max(counts)):
            *others, last = map(str, counts)
            wanted = " or ".join([", ".join(others), last] if others else [last])
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            problems.add(number, f"{found} where {wanted} are expected: {columns}")
            continue
        yield number, fields


def most_bytes(free: bool) -> int:
    """How many bytes a text file may have, unpacked. free: as `Known` has it."""
    return FREE_BYTES if free else MAX_BYTES


def is_comment(line: str) -> bool:
    """Whether a line of a free file is a comment."""
    return line.lstrip().startswith("#")


def drop_comments(text: str) -> str:
    """Leave out the comments of a free file; a text of nothing else stays as it is."""
    rest = _COMMENTS.sub("", text) if "#" in text else text
    return rest if rest.strip() else text


def read_table(
    source: Source,
    problems: Problems,
    header_problem: Callable[[list[str]], str | None],
    width: int,
    *,
    progress: Progress | None = None,
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a TSV file below its header: `width` cells each, without surrounding spaces.

    header_problem: takes the cells of the first line; returns what is wrong with them, or None.
    Raises BadFile if there is no row.
    """
    rows = 0
    for number, text in read_lines(source, problems, progress=progress):
        cells = [cell.strip() for cell in text.split("\t")]
        if number == 1:
            if reason := header_problem(cells):
                problems.add(1, reason)
            continue
        rows += 1
        if len(cells) != width:
            found = f"{len(cells)} cell{'' if len(cells) == 1 else 's'} between tabs"
            problems.add(number, f"{found} where {width} are expected")
            continue
        yield number, cells
    if not rows and not problems.found:
        raise problems.stop("nothing follows the header")


def read_text(source: Source, problems: Problems, *, limit: int = MAX_BYTES) -> str:
    """Read a whole text file as one string, with the same checks as `read_lines`. Raises BadFile."""
    data, _ = text_bytes(source, problems, limit)
    if b"\0" in data:
        problems.add(data.count(b"\n", 0, data.index(0)) + 1, "a NUL byte; is this a text file?")
        problems.settle()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.add(line, f"not UTF-8: byte 0x{data[error.start]:02x}; save the file as UTF-8")
        problems.settle()
        raise


def read_bytes(source: Source, problems: Problems, limit: int) -> bytes:
    """Read all bytes of `source`, unchanged. Raises BadFile if it cannot be read or exceeds `limit` bytes."""
    try:
        if isinstance(source, bytes):
            data = source
        elif isinstance(source, Path):
            with source.open("rb") as file:
                data = _drain(file, limit)
        else:
            data = _drain(source, limit)
    except OSError as error:
        raise problems.stop(f"cannot be read: {error.strerror or error}") from error
    if len(data) > limit:
        raise problems.stop(f"larger than the limit of {megabytes(limit)}")
    return data


def megabytes(count: int) -> str:
    """Format a number of bytes for people: "256 MB"; small numbers in bytes."""
    return f"{count // 1024**2:,} MB" if count >= 1024**2 else f"{count:,} bytes"


def _drain(file: BinaryIO, limit: int) -> bytes:
    """Read up to one byte more than `limit`; an unbuffered file may return less than it was asked for."""
    parts = []
    left = limit + 1
    while left and (part := file.read(min(left, 16 * _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def text_bytes(source: Source, problems: Problems, limit: int) -> tuple[bytes, int]:
    """Read and unpack a text file: its bytes without a byte order mark, and the length of the mark."""
    data = read_bytes(source, problems, limit)
    if data.startswith(_GZIP):
        data = _gunzip(data, problems, limit)
    if encoding := _encoding(data):
        try:
            data = data.decode(encoding).encode()
        except UnicodeError as error:
            raise problems.stop(
                f"not {encoding.upper()}, as its first bytes say; save it as UTF-8"
            ) from error
    shift = _check_start(data, problems)
    data = data[shift:]
    if not data or data.isspace():
        raise problems.stop("the file is empty")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data, shift


def unreadable(data: bytes) -> str:
    """What a file is that no reader of text can read, by its first bytes, and what to do; else ""."""
    return next((told for start, told in _OTHERS.items() if data.startswith(start)), "")


def _encoding(data: bytes) -> str:
    """The encoding that a byte order mark names, where it is not UTF-8; else ""."""
    return next((name for mark, name in _WIDE if data.startswith(mark)), "")


def first_text(head: bytes) -> str:
    """Decode the first bytes of a text file, gzipped or not, as far as they go; "" for a broken gzip file."""
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, _CHUNK)
        except zlib.error:
            return ""
    return head.removeprefix(_BOM).decode(_encoding(head) or "utf-8", errors="replace")


def is_binary(text: str) -> bool:
    """Whether the first characters of a file, as `first_text` decodes them, are none of a text."""
    return len(_CONTROLS.findall(text)) > _NO_TEXT * len(text)


def _gunzip(data: bytes, problems: Problems, limit: int) -> bytes:
    """Unpack a gzip file of one or more members, stopping at `limit` bytes."""
    most = min(limit, most_unpacked(len(data)))
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1)
    except EOFError as error:
        raise problems.stop("the gzip file is cut short") from error
    except (OSError, zlib.error) as error:
        raise problems.stop(f"the gzip file is damaged ({error})") from error
    if len(unpacked) > most:
        raise _too_large(problems, len(data), limit)
    return unpacked
