"""The wheel: it holds prefir alone, and works in an environment that has nothing else."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from prefir.extras import EXTRAS
from tests.ground import ROOT

pytestmark = pytest.mark.slow

TUTORIAL = """
import doctest, sys
found = doctest.DocTestParser().get_doctest(open(sys.argv[1]).read(), {}, "prefir.md", "prefir.md", 0)
print(len(found.examples), doctest.DocTestRunner().run(found).failed)
"""
MISSING = """
import importlib.util, sys
from prefir.extras import EXTRAS, require
print(*(name for name in EXTRAS if importlib.util.find_spec(name)))
for name in EXTRAS:
    try:
        require(name)
    except ImportError as error:
        print(error)
"""


def run(*words: object, **options: Any) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip")
    reached = run(*pip, "download", "--quiet", "--no-deps", "--dest", folder / "reached", "setuptools")
    if reached.returncode:
        pytest.skip(f"no index of packages can be reached: {reached.stderr.strip().splitlines()[-1]}")
    source = folder / "source"  # building leaves files beside what it builds
    shutil.copytree(ROOT / "prefir", source / "prefir", ignore=shutil.ignore_patterns("__pycache__"))
    (source / "docs").mkdir()
    for name in ("pyproject.toml", "LICENSE", "docs/prefir.md"):
        shutil.copy(ROOT / name, source / name)
    done = run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("prefir-*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """Python of an environment with the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    assert run(sys.executable, "-m", "venv", folder).returncode == 0
    done = run(folder / "bin" / "pip", "install", "--quiet", wheel)
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "python"


def test_it_holds_prefir_alone_with_its_types(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "prefir",
        f"{wheel.name.split('-py3')[0]}.dist-info",
    }
    assert {"prefir/py.typed", "prefir/entry/reader.py", "prefir/measures/med/__init__.py"} <= set(names)


def test_every_example_of_the_tutorial_runs_with_nothing_else_installed(python, tmp_path):
    done = run(python, "-c", TUTORIAL, ROOT / "docs" / "prefir.md", cwd=tmp_path)
    assert done.stderr == ""
    examples, failed = map(int, done.stdout.split()[-2:])
    assert (examples > 10, failed) == (True, 0), done.stdout


def test_a_sentence_names_the_extra_that_is_missing(python, tmp_path):
    there, *sentences = run(python, "-c", MISSING, cwd=tmp_path).stdout.splitlines()
    assert there == ""
    assert sentences == [
        f'this needs {name}, which is not installed: pip install "prefir[{extra}]"'
        for name, extra in EXTRAS.items()
    ]


def test_the_command_is_there_and_says_what_is_missing(python, tmp_path):
    command = python.with_name("prefir")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    for tag, items in (("x", "ab"), ("y", "ba"), ("z", "bc")):
        lines = (f"q{q} Q0 {item} {rank} {-rank} {tag}\n" for q in (1, 2) for rank, item in enumerate(items))
        (tmp_path / tag).write_text("".join(lines))
    assert run(command, "--version").stdout.startswith("prefir 0.")
    found = run(command, "ndcg", "qrels", "x", cwd=tmp_path)
    assert (found.stdout, found.stderr) == ("x\tall\tndcg\t1.0\n", "")
    lacking = run(command, "map", "x", "y", "z", "-o", "map.svg", cwd=tmp_path)
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert 'pip install "prefir[maps]"' in lacking.stderr
