"""The files of a release, a folder or a zip, read within limits: a release may come from a stranger."""

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.db import DatabaseError

from web.release.folder import SUMS

# What a file that was changed or damaged may raise: in its zip, its JSON, its values, or in the database.
WRONG = (
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, OSError),
    *(ValidationError, DatabaseError, zipfile.BadZipFile, zlib.error),
)
# Bytes of a line, and of a file of JSON that is read at once.
LONGEST_LINE, LONGEST_JSON = 16 * 2**20, 64 * 2**20
# How many times larger than its zip a release may be, and than its packed bytes each file above a megabyte.
RATIO, SMALL = 200, 2**20


class BadRelease(Exception):
    """The errors of a release, one a line."""


class ReleaseSource:
    """The files of a folder or zip, by their path inside. Raises BadRelease for links and zip bombs."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            self._zip, self._root = None, path
            found = list(path.rglob("*"))
            if links := sorted(str(p.relative_to(path)) for p in found if p.is_symlink()):
                raise BadRelease(f"{links[0]} is a symbolic link; a release holds its files themselves.")
            self.names = {str(p.relative_to(path)) for p in found if p.is_file()}
            return
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise BadRelease(f"{path} is neither a folder nor a zip: {error}") from error
        files = [info for info in self._zip.infolist() if not info.is_dir()]
        _refuse_bombs(files, path.stat().st_size)
        inside = [info.filename for info in files]
        tops = [name.removesuffix(SUMS) for name in inside if name.rsplit("/", 1)[-1] == SUMS]
        self._top = tops[0] if tops else ""
        self.names = {name.removeprefix(self._top) for name in inside if name.startswith(self._top)}

    def open(self, name: str) -> IO[bytes]:
        """Open one of `names`; a name that leads out of the folder is refused."""
        if name not in self.names:
            raise BadRelease(f"{name} is missing")
        with named(name):
            return (self._root / name).open("rb") if self._zip is None else self._zip.open(self._top + name)

    def text(self, name: str) -> Iterator[tuple[int, str]]:
        """Lines of a file with their numbers."""
        with self.open(name) as file, named(name):
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise ValueError(f"line {number} is longer than {LONGEST_LINE // 2**20} MB")
                yield number, line.decode()

    def json(self, name: str) -> Any:
        """The content of a JSON file."""
        with self.open(name) as file, named(name):
            content = file.read(LONGEST_JSON + 1)
            if len(content) > LONGEST_JSON:
                raise ValueError(f"it is larger than {LONGEST_JSON // 2**20} MB")
            return json.loads(content)

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a file of JSON lines. Raises BadRelease with the bad line's number."""
        for number, line in self.text(name):
            with named(name, number):
                yield json.loads(line)


def _refuse_bombs(files: list[zipfile.ZipInfo], size: int) -> None:
    """Raise BadRelease if a zip would unpack to far more than any release."""
    bombs = [i.filename for i in files if i.file_size > max(SMALL, RATIO * i.compress_size)]
    if bombs or sum(info.file_size for info in files) > max(SMALL, RATIO * size):
        what = bombs[0] if bombs else "it"
        raise BadRelease(f"{what} would unpack to more than {RATIO} times its size: this is no release.")


@contextmanager
def named(name: str, line: int = 0) -> Iterator[None]:
    """Context manager: name the file, and the line if there is one, in errors of the block."""
    try:
        yield
    except WRONG as error:
        where = f"{name}, line {line}" if line else name
        raise BadRelease(f"{where}: {_said(error)}") from error


def _said(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error}"
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    if isinstance(error, RecursionError):
        return "its brackets are too deep"
    return str(error) or type(error).__name__
