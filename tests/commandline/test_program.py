"""The program as a whole: what it loads, its help, and how it says that it is at work."""

import io
import os
import re
import subprocess
import sys

import pytest

from prefir.cli.output import reading, steps
from prefir.cli.program import main
from prefir.measures.registry import MEASURES
from tests.ground import ROOT

LARGE = {"numba", "scipy", "sklearn", "networkx", "pandas", "PIL", "xml", "http"}


def modules(code, cwd):
    script = f"import sys\n{code}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    out = subprocess.run(
        [sys.executable, "-c", script],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return set(out.splitlines()[-1].split())


@pytest.mark.slow
def test_no_command_loads_django_or_a_database(folder):
    commands = [
        "compatibility qrels one",
        "pgc prefs one",
        "hoeffding one two",
        "agreement prefs",
        "sensitivity qrels one two",
        "plan qrels",
    ]
    calls = "\n".join(f"assert main({words.split()!r}) == 0" for words in commands)
    loaded = modules(f"from prefir.cli.program import main\n{calls}", folder)
    assert "prefir" in loaded
    assert not {"django", "celery", "psycopg", "sqlite3", "judging", "tournament", "scoring"} & loaded


def test_the_program_starts_without_what_only_some_commands_need(folder):
    loaded = modules("from prefir.cli.program import main\nmain(['-h'])", folder)
    assert not LARGE & loaded


@pytest.mark.parametrize(
    "words", ["ndcg qrels one two", "rr qrels one", "compatibility qrels one", "ppref prefs one"]
)
def test_scoring_runs_loads_numpy_and_nothing_larger(folder, words):
    loaded = modules(f"from prefir.cli.program import main\nassert main({words.split()!r}) == 0", folder)
    assert not LARGE & loaded
    assert "numpy" in loaded


def test_help_lists_every_measure_of_runs_and_the_other_commands(call):
    result = call("-h")
    listed = set(re.findall(r"^  (\w+) ", result.out, re.MULTILINE))
    assert {measure.name for measure in MEASURES.values() if measure.rows} < listed
    assert {words.split()[0] for words in OTHERS} < listed
    assert result.err == ""


OTHERS = ["med precision", "med rbp", "med ndcg", "med err", "med map", "hoeffding", "map", "agreement"]
OTHERS += [
    "sensitivity",
    "plan",
    "images",
    "med u",
    "overlap",
    "rbo",
    "violations",
    "tops",
    "strength",
    "pages",
    "distances",
]


@pytest.mark.parametrize("command", OTHERS)
def test_each_command_has_help_with_an_example(call, command):
    result = call(f"{command} -h")
    assert result.code == 0
    assert f"example:\n  prefir {command} " in result.out


def test_without_a_command_the_help_goes_to_standard_error_and_the_code_is_two(capsys):
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: prefir COMMAND")


def test_ctrl_c_ends_quietly(folder, call, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("prefir.cli.scores.runs_of", interrupted)
    result = call("ap qrels one")
    assert (result.code, result.out, result.err) == (130, "", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    """Bars that appear at once, on a terminal; gives what stands on it."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    shown = {"file": terminal, "mininterval": 0, "ncols": 80, "leave": False}
    monkeypatch.setattr("prefir.cli.output._options", lambda: shown)
    monkeypatch.setattr("prefir.cli.output.DELAY", 0)
    return terminal


def test_work_shows_its_steps(impatient):
    assert list(steps([1, 2, 3], "Counting")) == [1, 2, 3]
    assert "Counting" in impatient.getvalue()
    assert "2/3" in impatient.getvalue()


def test_reading_shows_bytes(impatient):
    with reading("file") as progress:
        progress(500, 1000)
        progress(1000, 1000)
    assert "Reading file:  50%" in impatient.getvalue()


@pytest.mark.parametrize(
    ("words", "bars"),
    [
        ("ndcg qrels one two", ["Reading qrels", "Reading one", "Reading runs:  50%", "nDCG:  50%"]),
        ("med rbp one two", ["Reading two", "MED-rbp:  50%"]),
        ("hoeffding one two", ["Hoeffding:  50%"]),
        ("map one two -o map.svg", ["Reading runs:  50%", "Distances:  50%"]),
        ("agreement prefs --per-topic", ["Reading prefs", "Topics:  50%"]),
        ("plan qrels", ["Tournaments:  50%"]),
    ],
)
def test_every_long_part_of_a_command_shows_how_far_it_is(folder, impatient, words, bars):
    assert main(words.split()) == 0
    for bar in bars:
        assert bar in impatient.getvalue()


def test_short_work_shows_nothing(capsys):
    list(steps([1, 2, 3], "Counting"))
    with reading("file") as progress:
        progress(1, 1)
    assert capsys.readouterr().err == ""
