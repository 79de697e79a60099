"""Builds the site of all documentation: `python -m scripts.docs_site FOLDER`.

Its pages are those of docs/ and of the root, and one for each module of `prefir` with its public functions.
A link that leads nowhere, and a docstring that cannot be read, fail the build.
"""

import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("prefir", "prefir.measures", "prefir.formats", "prefir.rules", "prefir.plots")


def build(target: Path) -> None:
    """Build the site into a folder. Raises CalledProcessError with Sphinx's own words where it warns."""
    with TemporaryDirectory() as folder:
        source = Path(folder)
        shutil.copytree(ROOT / "docs", source / "docs")
        for path in ROOT.glob("*.md"):
            shutil.copy(path, source)
        shutil.copytree(source / "docs" / "site", source, dirs_exist_ok=True)
        shutil.rmtree(source / "docs" / "site")
        for name in ("LICENSE", "CITATION.cff"):
            shutil.copy(ROOT / name, source)
        write_reference(source / "reference")
        words = ["-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--builder", "html"]
        subprocess.run([sys.executable, *words, folder, str(target)], cwd=ROOT, check=True)
    # Those that a page shows by HTML are not found by Sphinx.
    shutil.copytree(ROOT / "docs" / "pictures", target / "docs" / "pictures", dirs_exist_ok=True)


def write_reference(folder: Path) -> None:
    """Write a page for each module of public names, and the list of them."""
    folder.mkdir()
    pages = []
    for package in PACKAGES:
        pages.append(f"**{package}**: {first_line(package)}\n\n```{{toctree}}\n:maxdepth: 1\n")
        for module, names in public_names(package):
            (folder / f"{module}.md").write_text(page(module, names))
            pages.append(module)
        pages.append("```\n")
    (folder / "index.md").write_text("# Functions\n\n" + "\n".join(pages))


def public_names(package: str) -> Iterator[tuple[str, list[str]]]:
    """Iterate over the modules in which a package's public classes and functions stand, with their names."""
    found = defaultdict(list)
    loaded = import_module(package)
    for name in loaded.__all__:
        home = getattr(getattr(loaded, name), "__module__", "")
        if home.startswith(f"{package}."):
            found[home].append(name)
    yield from sorted(found.items())


def page(module: str, names: list[str]) -> str:
    """Lay out a module's page in Markdown: its docstring's first line, then each name by its docstring."""
    blocks = "\n".join(f".. auto{kind(module, name)}:: {module}.{name}" for name in names)
    return f"# `{module}`\n\n{first_line(module)}\n\n```{{eval-rst}}\n{blocks}\n```\n"


def kind(module: str, name: str) -> str:
    """Tell whether a name is a class, a function or a value, by the words of Sphinx."""
    found = getattr(import_module(module), name)
    return "class" if isinstance(found, type) else "function" if callable(found) else "data"


def first_line(module: str) -> str:
    """Read the first line of a module's docstring."""
    return (import_module(module).__doc__ or "").strip().splitlines()[0]


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute())
