"""Files that hold several, and binary tables: zips of tables and pictures, workbooks, Parquet."""

import csv
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .archives import read_members
from .images import ALL_SHOWN, ImageEntry, ImageLimits, UnreadableError
from .lines import MAX_BYTES, Source, megabytes, read_bytes, read_text
from .problems import BadFile, BadLine, Problems

MOST_PARTS = 400
LIMITS = ImageLimits(file_bytes=MAX_BYTES)
_SHEETS, _PARQUET = Path(__file__).with_name("sheets.py"), Path(__file__).with_name("parquet.py")
_SECONDS = 600
_ZIP, _PAR = b"PK\x03\x04", b"PAR1"
_OFFICE = "a document of an office program, and no workbook; save its table as .xlsx or CSV"


class Part(NamedTuple):
    """A file in another one. open: gives its content; the caller closes it. sheet: whether it is a sheet."""

    name: str
    open: Callable[[], BinaryIO]
    sheet: bool = False


def parts_of(name: str, source: Source) -> list[Part]:
    """List the tables that a zip, a workbook or a Parquet file holds; empty for any other file and for a zip
    of pictures only.

    Each sheet with anything in it is a table of lists in JSON lines, whose numbers are those of its rows; the
    only one has the workbook's name. All pictures of a zip with other files are one zip.
    Raises BadFile for what cannot be unpacked, or unpacks to too much.
    """
    if isinstance(source, Path) and not source.is_file():
        return []
    start = _start(source)
    problems = Problems(name)
    if start == _PAR:
        packed = read_bytes(source, problems, MAX_BYTES)
        return _tables(name, _PARQUET, packed, "Parquet file", problems)
    if start != _ZIP:
        return []
    entries, _ = read_members(source, LIMITS, problems)
    names = {entry.name for entry in entries}
    if "xl/workbook.xml" in names:
        return _sheets(name, entries, problems)
    if names & {"[Content_Types].xml", "content.xml", "Index/Document.iwa"}:
        raise problems.stop(_OFFICE)
    pictures = [entry for entry in entries if _ending(entry) in ALL_SHOWN]
    tables = [entry for entry in entries if _ending(entry) not in ALL_SHOWN]
    if not tables and (pictures or not problems.found):
        if not isinstance(source, bytes | Path):
            source.seek(0)
        return []
    if len(tables) > MOST_PARTS:
        raise problems.stop(f"more than {MOST_PARTS} files besides pictures")
    if sum(entry.size for entry in entries) > LIMITS.total_bytes:
        raise problems.stop(f"more than {megabytes(LIMITS.total_bytes)} of files")
    problems.settle()
    found = [part for entry in tables for part in _members(f"{name}/{entry.name}", entry)]
    return [*found, Part(f"{name} (pictures)", partial(_zip, name, pictures))] if pictures else found


def text_of(name: str, source: Source) -> str:
    """Read a list that people keep: the text of a file, or the only sheet of a workbook as CSV.

    Raises BadFile.
    """
    problems = Problems(name)
    parts = parts_of(name, source)
    if len(parts) > 1:
        raise problems.stop(f"it holds {len(parts)} sheets or files; save the one that is meant as CSV")
    if not parts:
        return read_text(source, problems)
    with parts[0].open() as file:
        content = file.read()
    if not parts[0].sheet:
        return read_text(content, problems)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(json.loads(row) for row in content.splitlines())
    return text.getvalue()


def _start(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source[: len(_ZIP)]
    if isinstance(source, Path):
        with source.open("rb") as file:
            return file.read(len(_ZIP))
    start = source.read(len(_ZIP))
    source.seek(0)
    return start


def _ending(entry: ImageEntry) -> str:
    return entry.name.rpartition(".")[2].lower()


def _members(name: str, entry: ImageEntry) -> list[Part]:
    """A file in a zip: itself, or the sheets of a workbook. Raises BadFile for a zip within the zip."""
    if _ending(entry) not in ("xlsx", "xlsm", "parquet", "zip"):
        return [Part(name, lambda: io.BytesIO(_read(name, entry, MAX_BYTES)))]
    if found := parts_of(name, _read(name, entry, MAX_BYTES)) if _ending(entry) != "zip" else []:
        return found
    raise BadFile([BadLine(name, 0, "a zip within a zip; unpack it and load what is in it")])


def _read(name: str, entry: ImageEntry, limit: int) -> bytes:
    if entry.size > limit:
        raise BadFile([BadLine(name, 0, f"larger than the limit of {megabytes(limit)}")])
    try:
        return entry.content()
    except UnreadableError as error:
        raise BadFile([BadLine(name, 0, str(error))]) from error


def _zip(name: str, pictures: list[ImageEntry]) -> BinaryIO:
    """A zip of these pictures, each in the folder that it stands in."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    with zipfile.ZipFile(file, "w") as archive:
        for entry in pictures:
            inside = "/".join(entry.name.split("/")[-2:])
            archive.writestr(inside, _read(f"{name}/{entry.name}", entry, ImageLimits().file_bytes))
    file.seek(0)
    return file


def _sheets(name: str, entries: list[ImageEntry], problems: Problems) -> list[Part]:
    if sum(entry.size for entry in entries) > MAX_BYTES:
        raise problems.stop(f"the workbook unpacks to more than the limit of {megabytes(MAX_BYTES)}")
    problems.settle()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for entry in entries:  # read here, where sizes that are not true are seen
            archive.writestr(entry.name, _read(f"{name}/{entry.name}", entry, MAX_BYTES))
    return _tables(name, _SHEETS, packed.getvalue(), "workbook", problems)


def _tables(name: str, program: Path, packed: bytes, what: str, problems: Problems) -> list[Part]:
    """Let a program print the tables of a file, each row a list in JSON lines."""
    command = [sys.executable, "-I", str(program), str(MAX_BYTES)]
    too_much = f"the {what} needs too much memory or time to read; save its table as CSV"
    try:
        done = subprocess.run(  # noqa: S603
            command, input=packed, capture_output=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise problems.stop(too_much) from error
    sheets: dict[str, list[bytes]] = {}
    rows: list[bytes] = []
    for line in done.stdout.splitlines(keepends=True):
        if line.startswith(b"["):
            rows.append(line)
            continue
        told = json.loads(line)
        if "error" in told:
            raise problems.stop(_said(what, told["error"]))
        rows = sheets.setdefault(told["sheet"], [])
    if done.returncode:
        raise problems.stop(too_much)
    if not sheets:
        raise problems.stop(f"no table of the {what} has anything in it")
    return [
        Part(name if len(sheets) == 1 else f"{name}/{sheet}", partial(io.BytesIO, b"".join(lines)), True)
        for sheet, lines in sheets.items()
    ]


def _said(what: str, error: str) -> str:
    if error == "large":
        return f"the {what} has more than the limit of {megabytes(MAX_BYTES)} of text"
    return f"the {what} cannot be read: {error}"
