"""The edition of the code, part of every cache key: no version reads what another one cached."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

# Folders whose code decides what is kept: what is computed, its classes, and the pages made of it.
ROOMS = ("prefir", "config", "collection", "judging", "panels", "tournament", "scoring", "web", "templates")


def edition(root: Path) -> str:
    """Digest of the product's code and templates, 12 hexadecimal digits: the same in all its processes.

    Kept results are pickled objects. After an upgrade their classes may have other fields, and their figures
    another meaning; under another edition they are simply not found.
    """
    paths = (path for room in ROOMS for path in sorted((root / room).rglob("*")))
    return _digest(root, (path for path in paths if path.suffix in (".py", ".html")))


# What decides how static files are collected.
COLLECTING = ("config/bundles.py", "config/static_files.py")


def static_edition(root: Path) -> str:
    """Digest of the static files and of how they are collected, 12 hexadecimal digits."""
    files = (path for path in sorted((root / "static").rglob("*")) if path.is_file())
    return _digest(root, (*files, *(root / name for name in COLLECTING)))


def _digest(root: Path, paths: Iterable[Path]) -> str:
    found = sha256()
    for path in paths:
        found.update(f"{path.relative_to(root)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]
