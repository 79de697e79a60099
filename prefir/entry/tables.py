"""Tables of results: one for reading, and the same as JSON, CSV, LaTeX or a data frame."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

from prefir.formats.cells import defused

Cell = str | int | float | None
_DIGITS = 4  # of numbers that people read
_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows of cells under named columns; `print` shows it. None stands for what has no value."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        cells = [self.columns, *(tuple(map(_shown, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        left = [self._is_text(place) for place in range(len(self.columns))]
        lines = [
            "  ".join(
                cell.ljust(width) if text else cell.rjust(width)
                for cell, width, text in zip(row, widths, left, strict=True)
            ).rstrip()
            for row in cells
        ]
        return "\n".join([self.caption, *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(_shown(cell))}</td>' for cell in row)}</tr>" for row in self.rows
        )
        return f"<table><caption>{escape(self.caption)}</caption><tr>{head}</tr>{rows}</table>"

    def to_dicts(self) -> list[dict[str, Cell]]:
        """Make a dictionary of each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_json(self) -> str:
        """Write a JSON list of objects, one a line; null for what has no value."""
        return "[" + ",\n ".join(json.dumps(_finite(row)) for row in self.to_dicts()) + "]\n"

    def to_csv(self) -> str:
        """Write CSV in full precision, with a header; an empty cell for what has no value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(cell) for cell in row] for row in self.rows)
        return text.getvalue()

    def to_latex(self) -> str:
        """Write a LaTeX `tabular` of four decimals, which needs no package."""
        aligned = "".join("l" if self._is_text(place) else "r" for place in range(len(self.columns)))
        lines = [self.columns, *(tuple(map(_shown, row)) for row in self.rows)]
        body = [" & ".join(map(_latex, line)) + r" \\" for line in lines]
        head, *rest = body
        begin = [f"% {self.caption}", rf"\begin{{tabular}}{{{aligned}}}", r"\hline", head, r"\hline"]
        return "\n".join([*begin, *rest, r"\hline", r"\end{tabular}", ""])

    def to_pandas(self) -> Any:
        """Make a data frame. Raises ImportError where pandas is not installed."""
        from prefir.extras import require

        return require("pandas").DataFrame(self.to_dicts(), columns=list(self.columns))

    def _is_text(self, place: int) -> bool:
        return any(isinstance(row[place], str) for row in self.rows)


def cell_of(value: float) -> float | None:
    """Make a cell of a number; None for nan."""
    return float(value) if value == value else None


def number_rows(rows: Sequence[Mapping[str, Cell]]) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    """Columns and rows of dictionaries that all have the same keys."""
    columns = tuple(rows[0]) if rows else ()
    return columns, tuple(tuple(row.values()) for row in rows)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.{_DIGITS}f}" if isinstance(cell, float) else str(cell)


def _cell(cell: Cell) -> Cell:
    """A cell for CSV: names that a spreadsheet would take for formulas begin with an apostrophe."""
    return "" if cell is None else defused(cell) if isinstance(cell, str) else cell


def _finite(row: Mapping[str, Cell]) -> dict[str, Cell]:
    """A row for JSON, which has no infinite numbers: null at an interval's open end."""
    return {
        name: None if isinstance(cell, float) and not isfinite(cell) else cell for name, cell in row.items()
    }


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
