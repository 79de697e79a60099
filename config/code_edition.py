"""The edition of the code, part of every cache key: no version reads what another one cached."""

from hashlib import sha256
from pathlib import Path

# Folders whose code decides what is kept: what is computed, its classes, and the pages made of it.
ROOMS = ("prefir", "config", "collection", "judging", "panels", "tournament", "scoring", "web", "templates")


def edition(root: Path) -> str:
    """Digest of the product's code and templates, 12 hexadecimal digits: the same in all its processes.

    Kept results are pickled objects. After an upgrade their classes may have other fields, and their figures
    another meaning; under another edition they are simply not found.
    """
    found = sha256()
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".py", ".html"):
                found.update(f"{path.relative_to(root)}\0".encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:12]
