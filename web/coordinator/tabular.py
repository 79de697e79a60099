"""Tables as files: CSV in full precision, and LaTeX with four decimals."""

import csv
import io
from collections.abc import Iterable, Mapping

Cell = str | int | float | None
Row = tuple[Cell, ...]

# Characters that LaTeX would read as commands -> how to write them.
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)


def csv_line(cells: Row) -> str:
    """Return a line of CSV.

    Strings that a spreadsheet would take for formulas get an apostrophe in front; None and nan are empty.
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
    """Return a LaTeX tabular, numbers right-aligned with four decimals, `--` for None and nan.

    said: a comment for the first line. titles: replacements for cells that are keys. rows may be an iterator.
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
