"""Bytes to lines: the one way in which every text file is opened, decoded and cut."""

import gzip
import io
import math
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from .ids import hidden_character
from .problems import Problems

Source = bytes | BinaryIO | Path
Progress = Callable[[int, int], None]

MAX_BYTES = 256 * 1024 * 1024  # of one text file, unpacked
PROGRESS_CALLS = 100
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1024 * 1024
_PLAIN = bytes(range(ord(" "), 0x7F)) + b"\t\n"


def read_lines(
    source: Source, problems: Problems, *, progress: Progress | None = None, limit: int = MAX_BYTES
) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers (from 1), without line ends.

    Lines that cannot be decoded, hold NUL bytes, or are empty before the last filled line are noted
    in `problems` and left out. `progress` gets (bytes done, bytes in all), about 100 times at most.
    Raises BadFile at once where there is nothing to go on with: an empty file, UTF-16, a broken gzip,
    more than `limit` bytes. Holds the whole file in memory.
    """
    data, shift = _text_bytes(source, problems, limit)
    has_nul = b"\0" in data
    blanks: list[int] = []
    done = due = 0
    step = math.ceil(len(data) / PROGRESS_CALLS)
    for number, raw in enumerate(io.BytesIO(data), 1):
        done += len(raw)
        if progress and done >= due:
            progress(done, len(data))
            due = min(done + step, len(data))
        if raw.isspace():
            blanks.append(number)
            continue
        for blank in blanks:
            problems.add(blank, "the line is empty")
        blanks.clear()
        if has_nul and b"\0" in raw:
            problems.add(number, f"a NUL byte at byte {raw.index(0) + 1} of the line; is this a text file?")
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            place = error.start + 1 + (shift if number == 1 else 0)
            reason = f"not UTF-8: byte 0x{raw[error.start]:02x} at byte {place} of the line"
            problems.add(number, f"{reason}; save the file as UTF-8")
            continue
        yield number, text.rstrip("\r\n")


def read_fields(
    source: Source,
    problems: Problems,
    columns: str,
    *,
    counts: Collection[int],
    progress: Progress | None = None,
) -> Iterator[tuple[int, list[str]]]:
    """The lines cut at spaces and tabs into one of `counts` fields; `columns` names them in the error."""
    for number, text in read_lines(source, problems, progress=progress):
        # The first test is quick and nearly always decides; it also rules out odd kinds of space,
        # at which split() would cut.
        if not text.isprintable() and (hidden := hidden_character(text.replace("\t", " "))):
            problems.add(number, f"the line contains the control or invisible character {hidden}")
            continue
        fields = text.split()
        if len(fields) not in counts:
            wanted = " or ".join(str(count) for count in counts)
            problems.add(number, f"{len(fields)} fields where {wanted} are expected: {columns}")
            continue
        yield number, fields


class Columns:
    """The cells of a file whose every line is cut into as many fields by single spaces or tabs, all ASCII.

    It is read as arrays of bytes, several times faster than line by line. Anything else (an empty line,
    two spaces, another script) is no `Columns`: `read_fields` reads it, or says what is wrong with it.
    """

    def __init__(self, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        """starts, ends: (lines, fields), places in `data`."""
        self._data = data
        self._starts = starts
        self._lengths = ends - starts
        self._ends = ends

    @classmethod
    def of(cls, source: bytes, problems: Problems, count: int) -> Self | None:
        """The columns of a text file, gzipped or not; None where some line must be looked at by itself.

        Raises BadFile at once where `read_lines` does.
        """
        data = _text_bytes(source, problems, MAX_BYTES)[0]
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        if data.translate(None, _PLAIN):
            return None
        data = data.rstrip() + b"\n"
        codes = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(codes <= ord(" "))
        if len(ends) % count or data.count(b"\n") * count != len(ends):
            return None
        starts, stops = np.append(0, ends[:-1] + 1).reshape(-1, count), ends.reshape(-1, count)
        # There are as many line ends as lines: if each line's last field has one, no other field has.
        if (codes[stops[:, -1]] != ord("\n")).any() or (starts == stops).any():
            return None
        return cls(data, starts, stops)

    def __len__(self) -> int:
        return len(self._starts)

    def longest(self, column: int) -> int:
        """The characters of a column's longest cell."""
        return int(self._lengths[:, column].max())

    def texts(self, column: int) -> list[str]:
        """A column's cells."""
        text = self._data.decode("ascii")
        places = zip(self._starts[:, column].tolist(), self._ends[:, column].tolist(), strict=True)
        return [text[start:end] for start, end in places]

    def cells(self, column: int) -> NDArray[np.uint8]:
        """A column's cells as bytes (lines, longest), 0 after a cell's end."""
        codes = np.frombuffer(self._data, np.uint8)
        starts, lengths = self._starts[:, column], self._lengths[:, column]
        cells = np.zeros((len(self), self.longest(column)), np.uint8)
        for place, characters in enumerate(cells.T):
            # Beyond a cell's end, and at last the file's, anything is read, and not kept.
            np.multiply(codes.take(starts + place, mode="clip"), place < lengths, out=characters)
        return cells

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """A column of numbers as `ids.number` reads them; None where one is none."""
        if self.longest(column) > 40:
            return None
        cells = self.cells(column)
        if (cells == ord("_")).any():
            return None
        texts = cells.view(f"S{cells.shape[1]}").ravel().tolist()
        try:
            values = np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

    def blocks(self, column: int) -> tuple[list[str], NDArray[np.int64]]:
        """Neighbouring equal cells taken as one: their texts, and how many lines each goes on for."""
        cells = self.cells(column)
        heads = np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]).any(axis=1)))
        places = zip(self._starts[heads, column].tolist(), self._ends[heads, column].tolist(), strict=True)
        texts = [self._data[start:end].decode("ascii") for start, end in places]
        return texts, np.diff(np.append(heads, len(self)))


def read_table(
    source: Source,
    problems: Problems,
    header_problem: Callable[[list[str]], str | None],
    width: int,
    *,
    progress: Progress | None = None,
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a TSV after its header, each of `width` cells, without surrounding spaces.

    `header_problem` says what is wrong with the first line's cells, or None.
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
            problems.add(number, f"{len(cells)} cells between tabs where {width} are expected")
            continue
        yield number, cells
    if not rows and not problems.found:
        raise problems.stop("nothing follows the header")


def read_text(source: Source, problems: Problems, *, limit: int = MAX_BYTES) -> str:
    """A whole text file as one string, with the same checks as `read_lines`. Raises BadFile."""
    data, _ = _text_bytes(source, problems, limit)
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
    """Everything in `source`, as it is. Raises BadFile if it cannot be read or exceeds `limit` bytes."""
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
    """A count of bytes for people: "256 MB"; small ones in bytes."""
    return f"{count // 1024**2:,} MB" if count >= 1024**2 else f"{count:,} bytes"


def _drain(file: BinaryIO, limit: int) -> bytes:
    """Up to one byte more than `limit`; files of the raw kind may hand over less than asked for."""
    parts = []
    left = limit + 1
    while left and (part := file.read(min(left, 16 * _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _text_bytes(source: Source, problems: Problems, limit: int) -> tuple[bytes, int]:
    """The file's bytes, unpacked, without a byte order mark, and the length of the mark."""
    data = read_bytes(source, problems, limit)
    if data.startswith(_GZIP):
        data = _gunzip(data, problems, limit)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise problems.stop("the file is UTF-16 or UTF-32; save it as UTF-8")
    if data.startswith(_ZIP):
        raise problems.stop("the file is a zip archive; unpack it and load the text file in it")
    shift = 0
    if data.startswith(_BOM):
        data, shift = data[len(_BOM) :], len(_BOM)
    if not data or data.isspace():
        raise problems.stop("the file is empty")
    if b"\n" not in data and b"\r" in data.rstrip():
        raise problems.stop(
            "the lines end in carriage returns alone; save the file with LF or CRLF line ends"
        )
    return data, shift


def _gunzip(data: bytes, problems: Problems, limit: int) -> bytes:
    """Unpack a gzip file of one or more members, never holding more than `limit` bytes of it."""
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(limit + 1)
    except EOFError as error:
        raise problems.stop("the gzip file is cut short") from error
    except (OSError, zlib.error) as error:
        raise problems.stop(f"the gzip file is damaged ({error})") from error
    if len(unpacked) > limit:
        raise problems.stop(f"the gzip file unpacks to more than the limit of {megabytes(limit)}")
    return unpacked
