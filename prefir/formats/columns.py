"""Fast reading of large files of plain fields: all lines at once, as arrays of bytes."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from .lines import MAX_BYTES, text_bytes
from .problems import Problems

MAX_TABLE = 64 * 1024 * 1024  # bytes of a table of cells, as wide as the longest of them
_PLAIN = bytes(range(ord(" "), 0x7F)) + b"\t\n"


class Columns:
    """Table of the cells of a file: ASCII, the same number of fields a line, single spaces or tabs between.

    A second reader beside `read_fields`, for speed alone: with it `read_run` is about 2.5 times as fast
    (`python -m bench.reading`). It takes only files that keep all rules. Any other (an empty line, two
    spaces, another script) is no `Columns` and is left to `read_fields`, which reads it or says what is
    wrong with it.
    """

    def __init__(self, data: bytes, ends: NDArray[np.int32]) -> None:
        """ends: (lines, fields), positions in `data` at which cells end; the next starts one further."""
        self._data = data
        self._ends = ends

    @classmethod
    def of(cls, source: bytes, problems: Problems, count: int) -> Self | None:
        """Split a text file, gzipped or not, into columns; None if it has to be read line by line.

        Raises BadFile at once where `read_lines` does.
        """
        data = text_bytes(source, problems, MAX_BYTES)[0]
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        if data.translate(None, _PLAIN):
            return None
        data = data.rstrip() + b"\n"
        codes = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(codes <= ord(" ")).astype(np.int32)
        if len(ends) % count or data.count(b"\n") * count != len(ends):
            return None
        empty_cell = ends[0] == 0 or (ends[1:] == ends[:-1] + 1).any()
        # There are as many line ends as lines: if each line's last field has one, no other field has.
        if empty_cell or (codes[ends[count - 1 :: count]] != ord("\n")).any():
            return None
        return cls(data, ends.reshape(-1, count))

    def __len__(self) -> int:
        return len(self._ends)

    def _starts(self, column: int) -> NDArray[np.int32]:
        """Positions at which the cells of a column start."""
        if column:
            return self._ends[:, column - 1] + np.int32(1)
        return np.append(np.int32(0), self._ends[:-1, -1] + np.int32(1))

    def longest(self, column: int) -> int:
        """Length of the longest cell of a column."""
        return int((self._ends[:, column] - self._starts(column)).max())

    def fits(self, column: int) -> bool:
        """Whether a table of the column's cells is small enough: one long cell makes every line long."""
        return self.longest(column) * len(self) <= MAX_TABLE

    def texts(self, column: int) -> list[str]:
        """Cells of a column as strings."""
        text = self._data.decode("ascii")
        places = zip(self._starts(column).tolist(), self._ends[:, column].tolist(), strict=True)
        return [text[start:end] for start, end in places]

    def cells(self, column: int) -> NDArray[np.uint8]:
        """Cells of a column as an array of bytes (lines, longest), with 0 after the end of a cell."""
        codes = np.frombuffer(self._data, np.uint8)
        starts = self._starts(column)
        lengths = self._ends[:, column] - starts
        cells = np.zeros((len(self), int(lengths.max())), np.uint8)
        for place, characters in enumerate(cells.T):
            # Beyond the end of a cell, or of the file, other bytes are read and replaced by 0.
            np.multiply(codes.take(starts + np.int32(place), mode="clip"), place < lengths, out=characters)
        return cells

    def numbers(self, column: int) -> list[float] | None:
        """Parse a column of numbers as `ids.number` does; None if one of them may not be a number."""
        if self.longest(column) > 40:
            return None
        cells = self.cells(column)
        if (cells == ord("_")).any():
            return None
        try:
            values = list(map(float, cells.view(f"S{cells.shape[1]}").ravel().tolist()))
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

    def whole_numbers(self, column: int) -> list[int] | None:
        """Parse a column of whole numbers of up to nine digits; None if it has anything else."""
        if self.longest(column) > 9:
            return None
        cells = self.cells(column)
        # A 0 is what follows the end of a cell.
        if (((cells < ord("0")) | (cells > ord("9"))) & (cells > 0)).any():
            return None
        return list(map(int, cells.view(f"S{cells.shape[1]}").ravel().tolist()))

    def blocks(self, column: int) -> tuple[list[str], list[int]]:
        """Group equal cells of neighbouring lines: the text of each group, and its number of lines."""
        cells = self.cells(column)
        heads = np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]).any(axis=1)))
        places = zip(self._starts(column)[heads].tolist(), self._ends[heads, column].tolist(), strict=True)
        texts = [self._data[start:end].decode("ascii") for start, end in places]
        return texts, np.diff(np.append(heads, len(self))).tolist()
