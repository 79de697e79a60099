"""Fast reading of large files of plain fields: all lines at once, as arrays."""

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .lines import MAX_BYTES, text_bytes
from .problems import Problems

MAX_TABLE = 256 * 1024 * 1024  # bytes of a table of cells, as wide as the longest of them
_SPACE, _TAB, _END, _LAST = b" \t\n~"
_WORD = 8  # characters of a cell in one number
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], np.uint64)
_TENS = np.array([10.0**power for power in range(16)])
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, with bits that look random
_HALF = np.uint64(32)

Keys = NDArray[np.uint64]


class Columns:
    """Table of the cells of a file: ASCII, the same number of fields a line, single spaces or tabs between.

    A second reader beside `read_fields`, for speed alone (`python -m bench.reading`). It takes only files
    that keep all rules. Any other (an empty line, two spaces, another script) is no `Columns` and is left to
    `read_fields`, which reads it or says what is wrong with it.
    """

    def __init__(self, data: bytes, ends: NDArray[np.int32]) -> None:
        """data: cells with one sign after each. ends: (lines, fields), where in `data` cells end."""
        self._data = data + bytes(_WORD)
        self._ends = ends
        # The eight characters from each place on as one number.
        self._words = np.ndarray(len(data) + 1, "<u8", self._data, strides=(1,))

    @classmethod
    def of(cls, source: bytes, problems: Problems, count: int, limit: int = MAX_BYTES) -> Self | None:
        """Split a text file, gzipped or not, into columns; None if it has to be read line by line.

        Raises BadFile at once where `read_lines` does.
        """
        data = text_bytes(source, problems, limit)[0]
        if not data.endswith(b"\n") or data[-2:].isspace():
            data = data.rstrip() + b"\n"
        return cls.of_lines(data, count)

    @classmethod
    def of_lines(cls, data: bytes, count: int) -> Self | None:
        """Split whole lines of unpacked text into columns; None as for `of`."""
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        codes = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(codes <= _SPACE).astype(np.int32)
        empty_cell = ends[0] == 0 or (ends[1:] == ends[:-1] + 1).any()
        if codes.max() > _LAST or len(ends) % count or empty_cell:
            return None
        table = ends.reshape(-1, count)
        last, others = codes[table[:, -1]], codes[table[:, :-1]]
        if (last != _END).any() or ((others != _SPACE) & (others != _TAB)).any():
            return None
        return cls(data, table)

    @classmethod
    def of_cells(cls, cells: list[str]) -> Self:
        """Make one column of these texts, none of which has a line end."""
        data = "\n".join([*cells, ""]).encode()
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _END).astype(np.int32)
        return cls(data, ends.reshape(-1, 1))

    def only(self, column: int) -> Self:
        """Keep one column alone, which is column 1 of the result."""
        made = copy(self)
        made._ends = self._ends[:, column - 1 : column + 1].copy()
        return made

    def __len__(self) -> int:
        return len(self._ends)

    def _starts(self, column: int) -> NDArray[np.int32]:
        """Positions at which the cells of a column start."""
        if column:
            return self._ends[:, column - 1] + np.int32(1)
        return np.append(np.int32(0), self._ends[:-1, -1] + np.int32(1))

    def longest(self, column: int) -> int:
        """Length of the longest cell of a column."""
        return int((self._ends[:, column] - self._starts(column)).max(initial=0))

    def fits(self, column: int) -> bool:
        """Whether a table of the column's cells is small enough: one long cell makes every line long."""
        return self.longest(column) * len(self) <= MAX_TABLE

    def texts(self, column: int, start: int = 0, stop: int | None = None) -> list[str]:
        """Cells of a column as strings, from line `start` up to line `stop`."""
        ends = self._ends[start:stop, column]
        if not len(ends):
            return []
        starts = self._ends[start:stop, column - 1] + 1 if column else self._starts(0)[start:stop]
        first = int(starts[0])
        text = self._data[first : ends[-1]].decode("ascii")
        return [text[a:b] for a, b in zip((starts - first).tolist(), (ends - first).tolist(), strict=True)]

    def words(self, column: int) -> Keys:
        """Cells of a column as numbers (words, lines) of eight characters each; 0 after the end of a cell."""
        starts = self._starts(column)
        lengths = self._ends[:, column] - starts
        words = np.empty((-(-int(lengths.max(initial=0)) // _WORD), len(self)), np.uint64)
        for place, word in enumerate(words):
            at = np.minimum(starts + np.int32(_WORD * place), len(self._words) - 1)
            word[:] = self._words[at] & _MASKS[np.clip(lengths - _WORD * place, 0, _WORD)]
        return words

    def cells(self, column: int) -> NDArray[np.uint8]:
        """Characters of a column's cells (longest, lines), with 0 after the end of a cell."""
        words = self.words(column).T.astype("<u8", order="C", copy=False)
        return np.ascontiguousarray(words.view(np.uint8).T[: self.longest(column)])

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """Parse a column of numbers as `ids.number` does; None if one of them may not be a number."""
        if self.longest(column) > 40:
            return None
        cells = self.cells(column)
        values = _decimals(cells)
        if values is not None:
            return values
        if (cells == ord("_")).any():
            return None
        try:
            values = np.array(list(map(float, self.texts(column))))
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

    def are_whole(self, column: int) -> bool:
        """Whether a column has nothing but whole numbers of up to nine digits."""
        if self.longest(column) > 9:
            return False
        cells = self.cells(column)
        return not (((cells < ord("0")) | (cells > ord("9"))) & (cells > 0)).any()

    def blocks(self, column: int) -> tuple[list[str], NDArray[np.int64]]:
        """Group equal cells of neighbouring lines: the text of each group, and its number of lines."""
        words = self.words(column)
        heads = np.flatnonzero(np.append(True, (words[:, 1:] != words[:, :-1]).any(axis=0)))
        places = zip(self._starts(column)[heads].tolist(), self._ends[heads, column].tolist(), strict=True)
        texts = [self._data[start:end].decode("ascii") for start, end in places]
        return texts, np.diff(np.append(heads, len(self)))


def _decimals(cells: NDArray[np.uint8]) -> NDArray[np.float64] | None:
    """Parse decimals of up to 15 digits, without exponent (characters, lines), as `float`; None if others.

    A number of 15 digits and a power of ten up to 10^15 are exact, and so their quotient is rounded once.
    """
    lines = cells.shape[1]
    mantissa, digits, decimals = np.zeros(lines), np.zeros(lines, np.int8), np.zeros(lines, np.int8)
    dots = np.zeros(lines, np.bool_)
    negative = cells[0] == ord("-")
    for place, characters in enumerate(cells):
        digit = characters - np.uint8(ord("0"))  # what is no digit is above 9
        is_digit = digit < 10
        mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
        digits += is_digit
        decimals += is_digit & dots
        is_dot = characters == ord(".")
        allowed = is_digit | (is_dot & ~dots) | (characters == 0)
        if not place:
            allowed |= negative
        if not allowed.all():
            return None
        dots |= is_dot
    if digits.min(initial=1) < 1 or digits.max(initial=1) > 15:
        return None
    values = mantissa / _TENS[decimals]
    return np.where(negative, -values, values)


def keys_of(words: Keys) -> Keys:
    """A number (lines,) for each cell of a table of words: equal for equal cells, else hardly ever.

    It does not depend on how many words the table has.
    """
    keys = np.zeros(words.shape[1], np.uint64)
    factor = int(_MIX)
    for word in words:
        keys += mixed(word * np.uint64(factor))
        factor = (factor * int(_MIX)) % 2**64
    return keys


def mixed(keys: Keys) -> Keys:
    """Spread what differs in some bits over all; 0 stays 0."""
    keys = (keys ^ (keys >> _HALF)) * _MIX
    return keys ^ (keys >> _HALF)
