"""CSV downloads: streamed, and without formulas for spreadsheets."""

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.http import StreamingHttpResponse

from prefir.formats import defused

LINES = 500  # sent at once


class _Echo:
    """A file for csv.writer whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def csv_file(rows: Iterable[list[Any]], name: str) -> StreamingHttpResponse:
    """A download of these rows. The first names the columns; None is an empty cell."""
    response = StreamingHttpResponse(csv_blocks(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def csv_blocks(rows: Iterable[list[Any]]) -> Iterator[str]:
    """The text of a CSV file in blocks of lines; no cell is a formula for a spreadsheet."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    lines = (writer.writerow([defused(c) if isinstance(c, str) else c for c in row]) for row in rows)
    while block := "".join(islice(lines, LINES)):
        yield block
