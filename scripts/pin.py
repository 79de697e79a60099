"""Writes requirements.txt and requirements-dev.txt: the exact versions that .venv holds.

Usage: .venv/bin/python scripts/pin.py. Listed is what the two .in files name, and what that needs in turn.
"""

import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def wanted(path: Path) -> list[Requirement]:
    """The requirements of an .in file; comments and empty lines left out. Raises SystemExit on a bad line."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.partition("#")[0].strip()
        if line:
            try:
                found.append(Requirement(line))
            except InvalidRequirement as error:
                sys.exit(f"{path.name} line {number}: {error}")
    return found


def closure(requirements: list[Requirement]) -> dict[str, str]:
    """Canonical name -> installed version of all that is needed. Raises SystemExit if one is missing."""
    versions: dict[str, str] = {}
    queue = [(requirement, "the .in file") for requirement in requirements]
    done: set[tuple[str, frozenset[str]]] = set()
    while queue:
        requirement, needed_by = queue.pop()
        name = canonicalize_name(requirement.name)
        if (name, frozenset(requirement.extras)) in done:
            continue
        done.add((name, frozenset(requirement.extras)))
        try:
            found = distribution(name)
        except PackageNotFoundError:
            sys.exit(f"{name}, needed by {needed_by}, is missing: .venv/bin/pip install '{requirement}'")
        if not requirement.specifier.contains(found.version, prereleases=True):
            sys.exit(f"{name} {found.version} is installed, but {needed_by} needs {requirement}")
        versions[name] = found.version
        for line in found.requires or []:
            child = Requirement(line)
            extras = requirement.extras or {""}
            if child.marker is None or any(child.marker.evaluate({"extra": extra}) for extra in extras):
                queue.append((child, name))
    return versions


def main() -> None:
    """Write both files."""
    runtime = closure(wanted(ROOT / "requirements.in"))
    lines = ["# Made from requirements.in by `make pins`; do not edit."]
    lines += [f"{name}=={version}" for name, version in sorted(runtime.items())]
    (ROOT / "requirements.txt").write_text("\n".join(lines) + "\n")

    everything = closure(wanted(ROOT / "requirements-dev.in"))
    lines = ["# Made from requirements-dev.in by `make pins`; do not edit.", "-r requirements.txt"]
    lines += [f"{name}=={version}" for name, version in sorted(everything.items()) if name not in runtime]
    (ROOT / "requirements-dev.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
