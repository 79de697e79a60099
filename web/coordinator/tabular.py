"""Tables as files: CSV lines in full precision, LaTeX to four decimals."""

import csv
import io
from collections.abc import Iterable, Mapping

Cell = str | int | float | None
Row = tuple[Cell, ...]

# What LaTeX would read as a command, and how it is written instead.
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)


def csv_line(cells: Row) -> str:
    """Format a line of CSV; None and nan are empty.

    Names that a spreadsheet would take for formulas get an apostrophe in front.
    """
    from prefir.formats import defused

    out = io.StringIO()
    plain = [
        defused(cell) if isinstance(cell, str) else "" if cell is None or cell != cell else cell
        for cell in cells
    ]
    csv.writer(out, lineterminator="\n").writerow(plain)
    return out.getvalue()


def latex(head: Row, rows: Iterable[Row], said: str, titles: Mapping[str, str] | None = None) -> str:
    """Format a LaTeX tabular: text left, numbers right with four decimals, `--` for absent values.

    said: a comment in the first line. titles: of cells that are keys. rows may be an iterator.
    """
    body, named = list(rows), titles or {}
    sample = body[0] if body else head
    columns = "".join("l" if isinstance(cell, str) else "r" for cell in sample)
    lines = [f"% {' '.join(said.split())}", rf"\begin{{tabular}}{{{columns}}}", r"\hline"]
    lines += [_tex_row(head, named), r"\hline", *(_tex_row(row, named) for row in body)]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def _tex_row(cells: Row, titles: Mapping[str, str]) -> str:
    return " & ".join(_tex_cell(cell, titles) for cell in cells) + r" \\"


def _tex_cell(cell: Cell, titles: Mapping[str, str]) -> str:
    if isinstance(cell, str):
        return titles.get(cell, cell).translate(ESCAPES)
    if cell is None or cell != cell:
        return "--"
    if isinstance(cell, int):
        return str(cell)
    return f"${cell:.4f}$".replace("inf", r"\infty")
