"""What the pages of PAGES name is there; links of all pages lead somewhere."""

import re
from importlib import import_module

import pytest
from django.core.management import get_commands

from tests.ground import ROOT
from tests.rooms import LAYERS, ROOMS

PAGES = ("docs/architecture.md", "docs/sittings.md", "CONTRIBUTING.md")
ENDINGS = (".py", ".js", ".css", ".html", ".md", ".toml", ".yml", ".txt", ".in", ".cff")
MAKEFILE = (ROOT / "Makefile").read_text()
LINKED = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")})


def spans(text: str) -> list[str]:
    """What stands in backticks, outside of fenced blocks, and the commands of indented lines."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    commands = re.findall(r"^    .*\b(manage\.py [a-z].*)$", prose, re.M)
    return [*re.findall(r"`([^`\n]+)`", prose), *commands]


def is_there(name: str) -> bool:
    """Whether the dotted name of a module, or of something in one, can be reached."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def missing(span: str) -> str:
    """What a span names and is not there; nothing where it is, or where the span names nothing of ours."""
    if command := re.match(r"(?:\S*python )?manage\.py ([a-z_]+)", span):
        return "" if command[1] in get_commands() else f"the command {command[1]}"
    if target := re.match(r"make ([a-z]+)", span):
        return "" if re.search(rf"^{target[1]}:", MAKEFILE, re.M) else f"the target {target[1]}"
    path, _, test = span.partition("::")
    if re.search(r"[\s<>(=$]", path) or path.startswith(("/", "-", ".venv")):
        return ""
    if test:
        source = (ROOT / path).read_text() if (ROOT / path).is_file() else ""
        return "" if re.search(rf"^def {test}\(", source, re.M) else f"the test {span}"
    if path.split(".")[0] in {*ROOMS, "tests"} and "/" not in path and "." in path:
        return "" if is_there(path) else f"the name {path}"
    if "/" in path or path.endswith(ENDINGS):
        return "" if any(ROOT.glob(path.rstrip("/"))) else f"the file {path}"
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_every_file_name_and_test_on_the_page_is_there(page):
    found = spans((ROOT / page).read_text())
    assert sum("/" in span for span in found) > 10
    assert [what for span in found if (what := missing(span))] == []


@pytest.mark.parametrize(
    "span",
    [
        "judging/nobody.py",
        "static/js/judge/*.jsx",
        "nobody.md",
        "judging.batches.answering.nobody",
        "judging.models.Judgment.nobody",
        "tests/test_arrows.py::test_nobody",
        "tests/nobody.py::test_x",
        "manage.py nobody",
        "make nobody",
    ],
)
def test_what_is_not_there_is_seen(span):
    assert missing(span)


def test_the_rooms_on_the_page_are_those_of_the_arrows():
    text = (ROOT / "docs" / "architecture.md").read_text()
    block = re.search(r"^```\n(prefir/.*?)^```", text, re.M | re.S)[1]
    lines = re.findall(r"^(\w+/(?: \| \w+/)*)", block, re.M)
    assert [sorted(re.findall(r"\w+", line)) for line in lines] == [sorted(layer) for layer in LAYERS]


@pytest.mark.parametrize("page", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_are_there(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        if re.match(r"\w+:", target):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}, target
