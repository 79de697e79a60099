"""CSV downloads: streamed, with formulas escaped for spreadsheets."""

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
    """Stream these rows as a download. The first row names the columns; None is an empty cell."""
    response = StreamingHttpResponse(csv_blocks(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def csv_blocks(rows: Iterable[list[Any]]) -> Iterator[str]:
    """A CSV file in blocks of lines, with formulas escaped for spreadsheets."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    lines = (writer.writerow([defused(c) if isinstance(c, str) else c for c in row]) for row in rows)
    while block := "".join(islice(lines, LINES)):
        yield block
