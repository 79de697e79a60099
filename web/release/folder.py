"""Write a release: its files one after another, to a folder or as a zip, with checksums last."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

SUMS = "SHA256SUMS"
LINES = 500  # passed on at once
# A file of a release: its path inside, and its content in pieces.
File = tuple[str, Iterable[bytes]]


def lines(rows: Iterable[str]) -> Iterator[bytes]:
    """Join texts into blocks of bytes, because each piece costs a call."""
    rest = iter(rows)
    while block := "".join(islice(rest, LINES)):
        yield block.encode()


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Rows as JSON lines."""
    return lines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)


def with_sums(files: Iterable[File]) -> Iterator[File]:
    """Yield the files, and last their checksums for `sha256sum -c`."""
    sums: dict[str, str] = {}

    def hashed(name: str, content: Iterable[bytes]) -> Iterator[bytes]:
        digest = sha256()
        for piece in content:
            digest.update(piece)
            yield piece
        sums[name] = digest.hexdigest()

    for name, content in files:
        yield name, hashed(name, content)
    yield SUMS, (f"{digest}  {name}\n".encode() for name, digest in sums.items())


def write_folder(files: Iterable[File], folder: Path) -> int:
    """Write files into a new folder; return how many. On failure nothing is left."""
    part = folder.with_name(f"{folder.name}.part")
    part.mkdir(parents=True)
    written = 0
    try:
        for name, content in files:
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                for piece in content:
                    file.write(piece)
            written += 1
        part.rename(folder)
    except BaseException:
        _remove(part)
        raise
    return written


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


class _Drained(io.RawIOBase):
    """A write-only file whose content is taken away piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        """Always True."""
        return True

    def write(self, piece: Any) -> int:
        """Store a piece until it is taken."""
        self._pieces.append(bytes(piece))
        return len(piece)

    def take(self) -> bytes:
        """Return and drop everything written since the last call."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def zipped(files: Iterable[File], top: str) -> Iterator[bytes]:
    """Yield a zip of files in a folder `top` in pieces, without storing it."""
    out = _Drained()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files:
            kind = zipfile.ZIP_STORED if name.startswith("images/") else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(f"{top}/{name}")
            info.compress_type, info.external_attr = kind, 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                for piece in content:
                    file.write(piece)
                    if ready := out.take():
                        yield ready
    yield out.take()
