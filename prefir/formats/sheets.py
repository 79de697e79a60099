"""Program that prints the sheets of a workbook as lines of JSON; `parts` runs it in a process of its own.

Standard input: the bytes of an .xlsx file. Argument: how many bytes are printed at most. Standard output: for
each sheet with anything in it a line with its name, then a list a row. The first row with cells comes first;
empty ones above it are printed after it, so that row 7 is line 7. What goes wrong is a line {"error": ...}.

The library ends its process where a sheet asks for more memory than there is, as a workbook of 2 kB can, so
it gets a process of its own with little of it. That imports nothing of Faceoff, so it starts at once.
"""

import contextlib
import io
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from typing import Any

MEMORY = 2 * 1024**3  # bytes
SECONDS = 120  # of computing
EXACT = 2**53  # above it a spreadsheet rounds whole numbers


def main() -> None:
    """Print the sheets of the workbook on standard input."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # where a system knows no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left = int(sys.argv[1])
    for line in _lines(sys.stdin.buffer.read()):
        text = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        left -= len(text)
        if left < 0:
            text = b'{"error": "large"}\n'
        sys.stdout.buffer.write(text)
        if left < 0:
            return


def _lines(data: bytes) -> Iterator[object]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError
    except ImportError:
        yield {"error": "python-calamine is not installed; save the sheet as CSV"}
        return
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for name in book.sheet_names:
            yield from _sheet(name, book.get_sheet_by_name(name).iter_rows())
    except PasswordError:
        yield {"error": "it has a password; save it without one"}
    except (CalamineError, ValueError, OSError) as error:
        yield {"error": str(error)}


def _sheet(name: str, rows: Iterable[list[Any]]) -> Iterator[object]:
    """A sheet's name and rows; nothing of a sheet that is empty."""
    above, begun = 0, False
    for row in rows:
        cells = [_cell(value) for value in row]
        if begun:
            yield cells
        elif any(cell != "" for cell in cells):
            begun = True
            yield {"sheet": name}
            yield [str(cell).strip() for cell in cells]
            yield from [[]] * above
        else:
            above += 1


def _cell(value: object) -> object:
    """A cell as JSON has it: whole numbers without a point, dates as 2026-05-01, nothing as ""."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < EXACT else value
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return value if isinstance(value, int) else str(value)


if __name__ == "__main__":
    main()
