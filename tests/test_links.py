"""Links of README and docs lead to a file of the repository, and to a heading where they say so."""

import re

import pytest

from tests.proxy import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"")


def anchors(text: str) -> set[str]:
    """What headings can be linked by, as GitHub makes it; anchors that a page names itself."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-")
        tried = (f"{words}-{n}" if n else words for n in range(100))
        found.add(next(one for one in tried if one not in found))
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page):
    astray = []
    for one in LINK.finditer(CODE.sub("", page.read_text())):
        address = one[1] or one[2]
        if re.match(r"[a-z]+:", address):
            continue
        name, _, anchor = address.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            astray.append(address)
    assert not astray


def test_pictures_of_the_docs_are_shown_somewhere():
    shown = {name for page in PAGES for name in re.findall(r"pictures/([\w.-]+)", page.read_text())}
    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} <= shown
