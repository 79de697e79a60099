"""Style sheets name nothing that is on no page."""

import re
from pathlib import Path

from config.static_files import BUNDLES

ROOT = Path(__file__).resolve().parent.parent
# What a name may begin with whose end a template puts in: "levels-" of levels-5, "m" of m2.
BEGINNING = re.compile(r"(.*-)[^-]+|([a-z])\d+")


# A class attribute of a template, with the tags in it; what they put in may be quoted.
ATTRIBUTE = re.compile(r'class="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"')


def words_of_pages() -> set[str]:
    """Every word of class attributes in templates, and all of scripts and modules."""
    texts = [path.read_text() for path in (*ROOT.glob("static/js/**/*.js"), *ROOT.glob("[!nt.]*/**/*.py"))]
    for path in ROOT.glob("templates/**/*.html"):
        texts += ATTRIBUTE.findall(path.read_text())
    return {word for text in texts for word in re.findall(r"[\w-]+", text)}


def classes(sheet: Path) -> list[str]:
    """Classes that a style sheet names."""
    plain = re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet.read_text(), flags=re.DOTALL)
    return re.findall(r"\.([a-zA-Z][\w-]*)", plain)


def test_every_class_in_a_style_sheet_is_on_a_page():
    words = words_of_pages()
    named = {(sheet.name, name) for sheet in ROOT.glob("static/css/*.css") for name in classes(sheet)}
    begun = {
        name: "".join(filter(None, found.groups()))
        for _, name in named
        if (found := BEGINNING.fullmatch(name))
    }
    dead = {(sheet, name) for sheet, name in named if not {name, begun.get(name, name)} & words}
    assert len(named) > 400
    assert dead == set()


def test_pages_link_each_sheet_once_and_no_sheet_is_linked_nowhere():
    sheets = {path.stem for path in ROOT.glob("static/css/*.css")}
    linked = set()
    for path in ROOT.glob("templates/**/*.html"):
        named = re.findall(r"css/([\w-]+)\.css", path.read_text())
        assert sorted(set(named)) == sorted(named), path.name
        linked |= set(named)
    # The judging page's come in bundles.
    linked |= {Path(name).stem for files in BUNDLES.values() for name in files if name.endswith(".css")}
    assert linked == sheets
    assert len(sheets) <= 25


def test_style_sheets_do_not_grow():
    """A new page is made of what there is. Fewer lines: lower the number."""
    lines = sum(len(sheet.read_text().splitlines()) for sheet in ROOT.glob("static/css/*.css"))
    assert lines <= 10990


def test_what_a_phone_folds_stands_above_its_switch():
    """Without the switch the rest could not be shown."""
    pages = {path.name: path.read_text() for path in ROOT.glob("templates/*/*.html")}
    folded = {name for name, page in pages.items() if "first-ten" in "".join(ATTRIBUTE.findall(page))}
    assert len(folded) > 5
    assert folded == {name for name, page in pages.items() if "_show_all.html" in page}
