"""The parts in which `make test` runs the tests: together they leave nothing out."""

import os
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.both_databases import ON_BOTH
from tests.conftest import pytest_collection_modifyitems, pytest_itemcollected
from tests.ground import ROOT
from tests.parts import (
    CHROMIUM,
    GUARD,
    ON_POSTGRES,
    ON_SQLITE,
    SERVICES,
    Part,
    Runner,
    failures,
    files_of_tests,
    parts,
    passes_alone,
)

EVERY_FILE = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}


def paths_of(options: tuple[str, ...]) -> Counter[str]:
    """In how many parts with these options each file is."""
    return Counter(path for part in parts() if part.options == options for path in part.paths)


class Item:
    """A test as the choice sees it."""

    def __init__(self, nodeid: str, *marks: str, fixtures: tuple[str, ...] = ()) -> None:
        self.nodeid, self.marks, self.fixturenames = nodeid, list(marks), fixtures

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, name: str) -> None:
        self.marks.append(name)


def test_sqlite_runs_each_file_once():
    assert paths_of(ON_SQLITE) == Counter(EVERY_FILE)


def test_each_file_with_tests_of_services_is_in_one_part():
    marked = {name for name in EVERY_FILE if "mark.services" in (ROOT / name).read_text()}
    assert len(marked) > 50
    found = paths_of(SERVICES)
    assert marked <= found.keys()
    assert set(found.values()) == {1}


def test_postgresql_runs_what_is_listed_and_the_guard():
    assert paths_of(ON_POSTGRES) == Counter([*ON_BOTH, GUARD])


def test_everything_is_every_file_on_postgresql():
    [part] = [part for part in parts(everything=True) if "--everything" in part.options]
    assert set(part.paths) == EVERY_FILE == set(files_of_tests())


@pytest.mark.parametrize(
    ("option", "chosen"),
    [
        ("", ["plain", "rows", f"{ON_BOTH[0]}::rows", f"{ON_BOTH[0]}::plain"]),
        ("--on-both", [f"{ON_BOTH[0]}::rows", "guard"]),
        ("--on-both --everything", ["rows", f"{ON_BOTH[0]}::rows", "guard"]),
    ],
)
def test_on_both_chooses_tests_that_touch_the_database(option, chosen):
    items = [
        Item("plain"),
        Item("rows", "django_db"),
        Item("guard", "guards_both_databases"),
        Item(f"{ON_BOTH[0]}::rows", "django_db"),
        Item(f"{ON_BOTH[0]}::plain"),
    ]
    everything = {item.nodeid for item in items}
    left: list[Item] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    given = dict.fromkeys(option.split(), True)
    pytest_collection_modifyitems(SimpleNamespace(hook=hook, getoption=given.get), items)
    assert [item.nodeid for item in items] == chosen
    assert {item.nodeid for item in [*items, *left]} == everything


@pytest.mark.parametrize(("fixtures", "marks"), [(("db", "page", "browser"), ["services"]), (("db",), [])])
def test_a_test_in_chromium_needs_services(fixtures, marks):
    """Unmarked it would run on SQLite too."""
    item = Item(f"{CHROMIUM}test_x.py::test", fixtures=fixtures)
    pytest_itemcollected(item)
    assert item.marks == marks


def test_a_test_in_chromium_stands_in_its_folder():
    """Elsewhere no part with services would read its file."""
    with pytest.raises(pytest.UsageError, match="move it to tests/browser/"):
        pytest_itemcollected(Item("tests/web/test_x.py::test", fixtures=("page", "browser")))


def test_a_failed_part_is_told_from_those_that_passed():
    shown = []
    programs = {"good": "print('fine')", "bad": "import sys; print('broken'); sys.exit(3)"}
    wanted = [Part(name, command=(sys.executable, "-c", text)) for name, text in programs.items()]
    results = Runner().run_all(wanted, shown.append)
    assert {result.part.name: result.status for result in results} == {"good": 0, "bad": 3}
    assert {result.log.read_text() for result in shown} == {"fine\n", "broken\n"}
    [bad] = [result for result in results if result.status]
    assert failures(bad) == ["broken"]
    bad.log.write_text(
        "a.F\n    assert 1 == 2\nE   assert 1 == 2\nFAILED tests/test_x.py::test_y\n" + "noise\n" * 99
    )
    assert failures(bad) == ["E   assert 1 == 2", "FAILED tests/test_x.py::test_y"]


@pytest.mark.parametrize(
    ("tests", "passes"),
    [
        ("def test_busy(): passes_the_second_time()", True),
        ("def test_busy(): passes_the_second_time()\ndef test_wrong(): assert 1 == 2", False),
        ("".join(f"def test_{i}(): passes_the_second_time()\n" for i in range(6)), False),
    ],
)
def test_few_tests_that_failed_run_once_more_alone(tmp_path, capsys, tests, passes):
    file = tmp_path / "test_x.py"
    file.write_text(f"""
from inspect import stack
from pathlib import Path
def passes_the_second_time():
    mark = Path(__file__).with_name(stack()[1].function)
    seen = mark.exists()
    mark.touch()
    assert seen
{tests}
""")
    runner = Runner()
    # Without the project's settings: these tests need none of them.
    part = Part("few", ("-c", os.devnull, "--rootdir", str(tmp_path), "-p", "no:django"), (str(file),))
    failed = runner.run(part)
    assert failed.status
    assert passes_alone(runner, failed) == passes
    assert ("pass alone" in capsys.readouterr().out) == passes
    assert failures(failed)[-1].startswith(("FAILED", "ERROR"))
