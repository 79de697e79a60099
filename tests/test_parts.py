"""The parts in which `make test` runs the tests: together they leave nothing out."""

import re
from types import SimpleNamespace

import pytest

from tests.both_databases import ON_BOTH
from tests.conftest import (
    DEPLOYMENTS,
    LIBRARY,
    PARTS,
    WITHOUT_LIBRARY,
    pytest_collection_modifyitems,
    pytest_itemcollected,
)
from tests.ground import ROOT


class Item:
    """A test as the choice sees it."""

    def __init__(self, nodeid: str, *marks: str, fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid, self.marks, self.fixturenames = nodeid, marks, fixtures

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


@pytest.mark.parametrize(
    ("option", "chosen"),
    [
        ("--in-parts", [f"{DEPLOYMENTS}test_x.py::test"]),
        ("--on-both", [f"{ON_BOTH[0]}::rows", "guard"]),
        ("--on-both --everything", ["rows", "both", f"{ON_BOTH[0]}::rows", "guard"]),
        ("--chromium=only", ["page"]),
        ("--chromium=never", ["plain", "rows", "served", "both"]),
        ("", None),
    ],
)
def test_each_part_has_its_tests(option, chosen):
    """What needs a service is left out of the parts without any by the marker `services`."""
    items = [
        Item("plain"),
        Item("rows", "django_db"),
        Item("served", "services"),
        Item("both", "services", "django_db"),
        Item("page", "services", fixtures=("page", "browser")),
        Item(f"{DEPLOYMENTS}test_x.py::test", "services"),
        Item(f"{DEPLOYMENTS}test_x.py::plain"),
        Item("guard", "guards_both_databases"),
        Item(f"{ON_BOTH[0]}::rows", "django_db"),
        Item(f"{ON_BOTH[0]}::plain"),
    ]
    everything = [item.nodeid for item in items]
    left: list[Item] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    given = {name: value or True for name, _, value in (one.partition("=") for one in option.split())}
    pytest_collection_modifyitems(SimpleNamespace(hook=hook, getoption=given.get), items)
    found = [item.nodeid for item in items]
    if "--chromium" in given:  # what the other choices leave out besides
        found = [one for one in found if one in ("plain", "rows", "served", "both", "page")]
    if chosen is None:  # the guard is of the run on PostgreSQL alone
        chosen = [one for one in everything if one != "guard"]
    assert found == chosen
    assert {item.nodeid for item in [*items, *left]} == set(everything)


@pytest.mark.parametrize(("fixtures", "marks"), [(("db", "page", "browser"), ["services"]), (("db",), [])])
def test_whatever_opens_the_browser_needs_services(fixtures, marks):
    """Unmarked it would run twice, and each of the two parts start a browser."""
    added: list[str] = []
    pytest_itemcollected(SimpleNamespace(fixturenames=fixtures, add_marker=added.append))
    assert added == marks


def test_whatever_needs_services_is_in_one_part():
    """Deployments in the run that starts the others; the rest in the two that ignore these."""
    chosen = [options for options in PARTS.values() if options[:2] == ["-m", "services"]]
    besides = ["-m", "services", f"--ignore={DEPLOYMENTS}", *WITHOUT_LIBRARY]
    assert chosen == [[*besides, "--chromium=only"], [*besides, "--chromium=never"]]
    assert all(options[:2] == ["-m", "not services"] for options in PARTS.values() if options not in chosen)
    assert (ROOT / DEPLOYMENTS).is_dir()


@pytest.mark.parametrize("folder", LIBRARY)
def test_the_library_is_tested_without_database_and_services(folder):
    """Its tests are read by the part that runs everything without services, and by no other."""
    files = list((ROOT / folder).glob("**/*.py"))
    assert files
    wanted = re.compile(r"django_db|mark\.services|def test_\w+\(.*\b(db|client|live_server|page|stack)\b")
    assert [path.name for path in files if wanted.search(path.read_text())] == []


def test_everything_without_services_runs_on_sqlite():
    assert any("--ds=tests.on_sqlite" in options for options in PARTS.values())
