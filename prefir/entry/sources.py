"""What readers read from: files, pipes, standard input, and frames in memory."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prefir.formats.lines import Source

STANDARD_INPUT = "-"


def open_source(path: str | os.PathLike[str]) -> tuple[str, Source]:
    """Give a file its name in messages and what is read: its path, or the bytes of a pipe.

    `-` is standard input.
    """
    if path == STANDARD_INPUT:
        return "standard input", sys.stdin.buffer.read()
    place = Path(path)
    if place.exists() and not (place.is_file() or place.is_dir()):
        return str(path), place.read_bytes()  # what comes through a pipe can be read once
    return str(path), place


def is_path(source: Any) -> bool:
    """Whether this names a file."""
    return isinstance(source, str | os.PathLike)


def is_frame(source: Any) -> bool:
    """Whether this is a data frame, of pandas or of another library with named columns."""
    return hasattr(source, "columns") and hasattr(source, "__getitem__") and not isinstance(source, Mapping)


def rows_of(frame: Any) -> Iterator[dict[str, Any]]:
    """Iterate over the rows of a frame, with the values of Python."""
    names = [str(name) for name in frame.columns]
    columns = [_values(frame[name]) for name in frame.columns]
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def _values(column: Any) -> list[Any]:
    found: list[Any] = column.tolist() if hasattr(column, "tolist") else column.to_list()
    return found
